"""The tools for documents, published where the profile names a folder. Their schemas need none of the parsers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote

from mcp_types import CallToolResult, ContentBlock, ResourceLink, ResourceTemplate, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from footnote_desktop.server.replies import FOR_THE_USER, JSON, LINK_LIMIT, TEXT_LIMIT, failed, record_uri
from footnote_desktop.server.text import cited_text

if TYPE_CHECKING:
    from footnote_desktop.answers.documents_desk import DocumentsDesk, Verified
    from footnote_desktop.documents.model import Quote

#: Statements in one call of ``verifyMany``: a longer list would outlast a client's patience.
STATEMENTS = 100

TEMPLATE = ResourceTemplate(
    uri_template="doc://{+file}{#place}",
    name="document",
    title="A passage of a document as it is now",
    description="The passage that a quote points to (its place is char=START,END, offsets in the extracted text), with "
    "the text around it and the SHA-256 of the file; without a place, the beginning of the document.",
    mime_type=JSON,
    annotations=FOR_THE_USER,
)

Language = Annotated[Literal["en", "de", "pl"] | None, Field(description="Language of the explanation.")]
Statement = Annotated[
    str,
    Field(min_length=1, max_length=4000, description="One statement, as it stands in the text that is to be checked."),
]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ListArguments(_Arguments):
    offset: Annotated[int, Field(ge=0, description="Documents to skip.")] = 0
    limit: Annotated[int, Field(ge=1, le=500, description="At most so many documents.")] = 100


class SearchArguments(_Arguments):
    text: Annotated[
        str, Field(min_length=1, max_length=4000, description="Words to look for; English, German, Polish.")
    ]
    limit: Annotated[int, Field(ge=1, le=50)] = 10


class QuoteArguments(_Arguments):
    text: Annotated[str, Field(min_length=1, max_length=4000, description="What the passage is about.")]
    file: Annotated[str | None, Field(description="Only from this document, named as in list_sources.")] = None
    limit: Annotated[int, Field(ge=1, le=20)] = 3


class VerifyArguments(_Arguments):
    claim: Statement
    id: Annotated[str | None, Field(max_length=200)] = None
    lang: Language = None


class ClaimArguments(_Arguments):
    claim: Statement
    id: Annotated[str | None, Field(max_length=200)] = None


class VerifyManyArguments(_Arguments):
    claims: Annotated[list[ClaimArguments], Field(min_length=1, max_length=STATEMENTS)]
    lang: Language = None


class _Result(BaseModel):
    model_config = ConfigDict(extra="allow")


class SourceResult(_Result):
    file: str
    sha256: str
    state: Literal["ready", "unreadable"]
    problem: str | None
    tier: Annotated[int, Field(description="1 is the highest authority.")]
    tierOrigin: str
    date: str | None
    title: str


class QuoteResult(_Result):
    quote: Annotated[str, Field(description="Verbatim; fragments of one record are joined by ' […] '.")]
    file: str
    sha256: str
    spans: list[list[int]]
    section: str | None
    page: int | None
    sheet: str | None
    cells: str | None
    tier: int
    date: str | None
    uri: str


class HitResult(QuoteResult):
    score: float


class PartResult(_Result):
    text: str
    status: Literal["GROUNDED", "CONTRADICTED", "UNSUPPORTED"]
    reasonCodes: list[str]
    quote: str | None
    file: str | None


class RecordResult(_Result):
    id: str
    sequence: int
    hash: str


class VerdictResult(_Result):
    id: str | None
    claim: str
    status: Literal["GROUNDED", "CONTRADICTED", "UNSUPPORTED"]
    reasonCodes: list[str]
    quote: str | None
    file: str | None
    page: int | None
    tier: int | None
    explanation: str
    conflicting: QuoteResult | None
    nearest: QuoteResult | None
    evidence: QuoteResult | None
    matched: list[str]
    missing: list[str]
    parts: list[PartResult]
    provenance: RecordResult


class SourcesResult(_Result):
    sources: list[SourceResult]
    total: int


class HitsResult(_Result):
    hits: list[HitResult]


class QuotesResult(_Result):
    quotes: list[QuoteResult]


class VerdictsResult(_Result):
    verdicts: list[VerdictResult]


#: name → title, description, arguments, result
_TOOLS: dict[str, tuple[str, str, type[_Arguments], type[_Result]]] = {
    "list_sources": (
        "Documents of the folder",
        "Lists the documents with authority tier, date and title, and where each of these comes from; a file that "
        "cannot be read says why.",
        ListArguments,
        SourcesResult,
    ),
    "search": (
        "Search the documents",
        "Finds passages by their words, across English, German and Polish. Passages are not verdicts: use verify "
        "before stating anything as fact.",
        SearchArguments,
        HitsResult,
    ),
    "quote": (
        "Quote the documents",
        "Gives passages word for word, with file, page or cells, offsets and the file's SHA-256.",
        QuoteArguments,
        QuotesResult,
    ),
    "verify": (
        "Verify a statement against the documents",
        "GROUNDED: a document says so, and is quoted. CONTRADICTED: a document says otherwise, and is quoted. "
        "UNSUPPORTED: no document confirms it; never present it as fact. Nothing is computed or guessed. Each verdict "
        "is recorded.",
        VerifyArguments,
        VerdictResult,
    ),
    "verifyMany": (
        "Verify a list of statements against the documents",
        f"The same as verify, for up to {STATEMENTS} statements, in order; each verdict is its own record.",
        VerifyManyArguments,
        VerdictsResult,
    ),
}
NAMES = frozenset(_TOOLS)


@functools.cache
def document_tools() -> list[Tool]:
    """The five tools with their schemas. A call changes nothing but the log, which is append-only."""
    from footnote_desktop.server.tools import plain

    return [
        Tool(
            name=name,
            title=title,
            description=description,
            input_schema=plain(arguments.model_json_schema()),
            output_schema=plain(result.model_json_schema(mode="serialization")),
            annotations=ToolAnnotations(
                title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        )
        for name, (title, description, arguments, result) in _TOOLS.items()
    ]


def call(desk: DocumentsDesk, name: str, arguments: dict[str, Any], client: dict[str, Any]) -> CallToolResult:
    """Run one tool. Arguments that do not fit are a tool error that says what is expected. :class:`LogError` passes
    through: what could not be recorded is not told."""
    try:
        given = _TOOLS[name][2].model_validate(arguments)
    except ValidationError as error:
        return failed(f"Nothing was looked up. {_faults(error)}")
    if isinstance(given, VerifyManyArguments):
        found = desk.verify_many([item.model_dump() for item in given.claims], lang=given.lang, client=client)
        return _verdicts(found)
    if isinstance(given, VerifyArguments):
        return _verdict(desk.verify(given.claim, id=given.id, lang=given.lang, client=client))
    with desk.lock:
        library = desk.library
        if isinstance(given, ListArguments):
            sources = library.sources()
            page = sources[given.offset : given.offset + given.limit]
            text = "\n".join(
                f"{s.file}: {s.title}, tier {s.tier} ({s.tier_origin}), {s.date or 'no date'}"
                if s.state == "ready"
                else f"{s.file}: cannot be read: {s.problem}"
                for s in page
            )
            structured = {"sources": [source.to_json() for source in page], "total": len(sources)}
            return _result(f"{len(page)} of {len(sources)} documents\n{text}", structured, [])
        if isinstance(given, QuoteArguments):
            if given.file is not None and given.file not in {source.file for source in library.sources()}:
                return failed(f"The folder has no document {given.file[:200]!r}; list_sources names them.")
            quotes = library.quote(given.text, file=given.file, limit=given.limit)
            return _passages(quotes, {"quotes": [quote.to_json() for quote in quotes]})
        assert isinstance(given, SearchArguments)
        hits = library.search(given.text, given.limit)
    return _passages([hit.quote for hit in hits], {"hits": [hit.to_json() for hit in hits]})


def read(desk: DocumentsDesk, uri: str) -> str | None:
    """The JSON text behind ``doc://FILE#char=START,END``, or None where the folder has no such document or place."""
    file, _, place = uri.removeprefix("doc://").partition("#")
    with desk.lock:
        sources = {source.file: source for source in desk.library.sources() if source.state == "ready"}
        # Our own links are percent-encoded; a client that fills the template may have left the name as it is.
        source = sources.get(unquote(file)) or sources.get(file)
        start, end = 0, 0
        if place:
            first, comma, last = place.removeprefix("char=").partition(",")
            if not (comma and all(n.isascii() and n.isdigit() and len(n) < 12 for n in (first, last))):
                return None
            start, end = int(first), int(last)
        if source is None or start > end:
            return None
        text, low, high = desk.library.passage(source.file, start, end)
        if place and not 0 <= low < high <= len(text):
            return None
    shown = {**source.to_json(), "quote": text[low:high], "before": text[:low], "after": text[high:]}
    return to_json(shown).decode()


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors()[:5]
    )


def _result(
    text: str, structured: dict[str, Any], links: Sequence[ResourceLink], meta: dict[str, Any] | None = None
) -> CallToolResult:
    shown = text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "\n… cut here; structuredContent has all of it"
    content: list[ContentBlock] = [TextContent(text=shown), *links]
    return CallToolResult(content=content, structured_content=structured, _meta=meta)


def _passages(quotes: Sequence[Quote], structured: dict[str, Any]) -> CallToolResult:
    lines = [
        f"“{quote.text}”\n{quote.file}{f', page {quote.page}' if quote.page else ''}, tier {quote.tier}"
        for quote in quotes
    ]
    return _result("\n\n".join(lines) or "Nothing was found.", structured, _doc_links((q.uri, q.file) for q in quotes))


def _verdict(found: Verified) -> CallToolResult:
    record = found.provenance
    recorded = f"Recorded as {record['sequence']}: {record['id']}, SHA-256 {record['hash']}."
    meta = {
        "footnote/recordId": record["id"],
        "footnote/recordHash": record["hash"],
        "footnote/recordSequence": record["sequence"],
        "footnote/claims": [
            {"path": c.path, "text": c.text, "evidenceIds": list(c.evidence_ids)} for c in found.citations
        ],
        "footnote/evidenceIds": [entry.id for entry in found.evidence],
    }
    text = f"{cited_text(found.answer, found.claims)}\n\n{recorded}"
    return _result(text, found.to_json(), _links([found]), meta)


def _verdicts(found: Sequence[Verified]) -> CallToolResult:
    lines = []
    for number, one in enumerate(found, 1):
        lines.append(f"{one.verdict.id or number}. {one.answer}")
    text = (
        "\n\n".join(lines) + f"\n\nRecorded as {found[0].provenance['sequence']} to {found[-1].provenance['sequence']}."
    )
    meta = {
        "footnote/recordIds": [one.provenance["id"] for one in found],
        "footnote/recordHashes": [one.provenance["hash"] for one in found],
        "footnote/evidenceIds": list(dict.fromkeys(entry.id for one in found for entry in one.evidence)),
    }
    return _result(text, {"verdicts": [one.to_json() for one in found]}, _links(found), meta)


def _links(found: Sequence[Verified]) -> list[ResourceLink]:
    links = _doc_links((entry.uri, entry.label) for one in found for entry in one.evidence)
    return links + [
        ResourceLink(
            uri=record_uri(str(one.provenance["id"])),
            name=f"record {one.provenance['sequence']}",
            title="This verdict as recorded: quotes, pointers and hash",
            mime_type=JSON,
            annotations=FOR_THE_USER,
        )
        for one in found[:LINK_LIMIT]
    ]


def _doc_links(places: Iterable[tuple[str, str]]) -> list[ResourceLink]:
    return [
        ResourceLink(uri=uri, name=uri, title=title, mime_type=JSON, annotations=FOR_THE_USER)
        for uri, title in list(dict(places).items())[:LINK_LIMIT]
    ]
