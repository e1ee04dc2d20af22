"""The MCP server, whatever it is reached through: tools, resources and completions over one desk.

Built on the SDK's low-level server: it publishes our own schemas and sends our own wording, which the high-level one
would each rewrite, and a call costs less.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplateReference,
    TextResourceContents,
)
from pydantic import ValidationError

from footnote_desktop import __version__
from footnote_desktop.catalog.registry import OPERATIONS
from footnote_desktop.catalog.result import Refusal
from footnote_desktop.provenance.errors import LogError
from footnote_desktop.server import document_tools, resources
from footnote_desktop.server.instructions import instructions
from footnote_desktop.server.replies import JSON, answered, declined, failed
from footnote_desktop.server.tools import tools

if TYPE_CHECKING:
    from footnote_desktop.answers.desk import Desk
    from footnote_desktop.answers.documents_desk import DocumentsDesk

logger = logging.getLogger(__name__)

#: Calls that run at once. More would only wait for one another: the database has one connection, the log one writer.
CALLS_AT_ONCE = 8

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")


class App:
    """One server over one profile. ``open_desk`` is called in a worker thread, once, when the first call needs it;
    when it fails, the next call tries again. ``transport`` is what the log says about how a client came in.
    ``open_documents`` does the same for the folder of documents, over the desk's log; None: there is none, and its
    tools are not published."""

    def __init__(
        self,
        open_desk: Callable[[], Desk],
        *,
        transport: str,
        source: str,
        open_documents: Callable[[Desk], DocumentsDesk] | None = None,
    ) -> None:
        self._open_desk = open_desk
        self._open_documents = open_documents
        self._documents: DocumentsDesk | None = None
        self._transport = transport
        self._desk: Desk | None = None
        self._opening = threading.Lock()
        self._calls: anyio.CapacityLimiter | None = None
        self.server: Server[Any] = Server(
            "footnote",
            version=__version__,
            title="Footnote",
            description="Receivables from an ERP, read-only; every figure is computed by SQL, cited and recorded.",
            instructions=instructions(source, documents=open_documents is not None),
            # What a client may keep: the tools never change while the server runs; records and rows are private.
            cache_hints={
                "tools/list": CacheHint(ttl_ms=3_600_000, scope="public"),
                "resources/templates/list": CacheHint(ttl_ms=3_600_000, scope="public"),
            },
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_completion=self._complete,
        )

    def desk(self) -> Desk:
        """The desk, opened now if it is not open yet. Blocks."""
        with self._opening:
            if self._desk is None:
                self._desk = self._open_desk()
            return self._desk

    def documents(self) -> DocumentsDesk:
        """The documents desk, opened now if it is not open yet. Blocks. Raises ``FolderError``, :class:`LogError`."""
        assert self._open_documents is not None
        desk = self.desk()
        with self._opening:
            if self._documents is None:
                self._documents = self._open_documents(desk)
            return self._documents

    def close(self) -> None:
        """Close the documents, the log and the database, if they were opened."""
        with self._opening:
            if self._documents is not None:
                self._documents.close()
                self._documents = None
            if self._desk is not None:
                self._desk.close()
                self._desk = None

    # -- tools -----------------------------------------------------------------------------------------------------

    async def _list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools() + (document_tools.document_tools() if self._open_documents else []))

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        if self._calls is None:
            self._calls = anyio.CapacityLimiter(CALLS_AT_ONCE)
        # A call that is cancelled while it runs goes on to its record: what was computed is recorded, told or not.
        documents = self._open_documents is not None and params.name in document_tools.NAMES
        return await anyio.to_thread.run_sync(
            self._call_documents if documents else self._call,
            params.name,
            params.arguments or {},
            self._client(context),
            limiter=self._calls,
        )

    def _call(self, name: str, arguments: dict[str, Any], client: dict[str, Any]) -> CallToolResult:
        started = time.perf_counter()
        shown = name if name in OPERATIONS else repr(name[:80])  # what a client made up stays on one line
        try:
            reply = self.desk().call(name, arguments, client=client)
        except LogError as error:
            logger.error("%s: not recorded, so not answered: %s", shown, error.message)
            return failed(
                f"No answer is given, because it could not be recorded. {error.message} {error.advice}".strip()
            )
        except BaseException:  # a thread must not take the server with it, and every request is answered
            logger.exception("%s: the call failed", shown)
            return failed("The call failed through a fault of this server; no figure is given. Its log file says more.")
        milliseconds = (time.perf_counter() - started) * 1000
        logger.info(
            "%s: %s, record %s, %.0f ms",
            shown,
            "declined" if reply.is_error else "answered",
            reply.provenance["sequence"],
            milliseconds,
        )
        operation = OPERATIONS.get(name)
        if operation is None:
            raise MCPError(
                INVALID_PARAMS,
                reply.message,
                {"alternatives": list(reply.alternatives), "recordId": reply.provenance["id"]},
            )
        if reply.is_error:
            return declined(reply)
        try:
            operation.result.model_validate(reply.values)
            return answered(reply)
        except (ValidationError, ValueError, TypeError, KeyError, AttributeError):
            logger.exception("%s: record %s does not match its schema", name, reply.provenance["id"])
            return failed(
                "The answer does not have the form that this tool publishes, which is a fault of this server; no "
                f"figure is given. It is recorded as {reply.provenance['id']}."
            )

    def _call_documents(self, name: str, arguments: dict[str, Any], client: dict[str, Any]) -> CallToolResult:
        from footnote_desktop.documents.library import FolderError  # comes in with the folder, not before

        started = time.perf_counter()
        try:
            result = document_tools.call(self.documents(), name, arguments, client)
        except LogError as error:
            logger.error("%s: not recorded, so not told: %s", name, error.message)
            return failed(
                f"No verdict is given, because it could not be recorded. {error.message} {error.advice}".strip()
            )
        except FolderError as error:
            return failed(f"The documents cannot be read: {error}.")
        except BaseException:  # a thread must not take the server with it, and every request is answered
            logger.exception("%s: the call failed", name)
            return failed(
                "The call failed through a fault of this server; no verdict is given. Its log file says more."
            )
        logger.info("%s: answered, %.0f ms", name, (time.perf_counter() - started) * 1000)
        return result

    def _client(self, context: Context) -> dict[str, Any]:
        """Who calls, as the client says itself. The user's question stays with the host: nothing here has seen it."""
        params = context.session.client_params
        info = params.client_info if params else None
        return {
            "name": info.name[:200] if info else None,
            "version": info.version[:200] if info else None,
            "transport": self._transport,
            "questionSeen": False,
        }

    # -- resources -------------------------------------------------------------------------------------------------

    async def _list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=await self._looked_up(lambda: resources.listed(self.desk())))

    async def _list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        more = [document_tools.TEMPLATE] if self._open_documents else []
        return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES + more)

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        text = await self._looked_up(lambda: self._read(params.uri), {"uri": params.uri})
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=JSON, text=text)])

    def _read(self, uri: str) -> str:
        if self._open_documents is None or not uri.startswith("doc://"):
            return resources.read(self.desk(), uri)
        from footnote_desktop.documents.library import FolderError

        try:
            text = document_tools.read(self.documents(), uri)
        except FolderError as error:
            raise resources.NotFoundError(f"The documents cannot be read: {error}") from None
        if text is None:
            raise resources.NotFoundError("The folder has no such document or place now; list_sources names them")
        return text

    async def _complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        reference, argument = params.ref, params.argument
        if not isinstance(reference, ResourceTemplateReference):  # there are no prompts
            return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
        known = (params.context.arguments if params.context else None) or {}
        found = await self._looked_up(
            lambda: resources.complete(self.desk(), reference.uri, argument.name, argument.value, known)
        )
        return CompleteResult(completion=found)

    async def _looked_up(self, look: Callable[[], T], data: dict[str, Any] | None = None) -> T:
        """Run a look-up in a worker thread; what it raises becomes a protocol error that says what to do."""
        try:
            return await anyio.to_thread.run_sync(look)
        except resources.NotFoundError as error:
            raise MCPError(INVALID_PARAMS, str(error), data) from None
        except (LogError, Refusal) as error:
            raise MCPError(INTERNAL_ERROR, f"{error.message} {getattr(error, 'advice', '')}".strip(), data) from None
        except Exception:
            logger.exception("a look-up failed")
            raise MCPError(INTERNAL_ERROR, "The look-up failed through a fault of this server.", data) from None
