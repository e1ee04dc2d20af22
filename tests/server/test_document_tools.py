"""The tools for documents, through the SDK's own client against the real process."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from server_rpc import RawServer, environment

from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

LEASE = Path(__file__).resolve().parents[1] / "documents" / "corpora" / "dev" / "lease_de"
TRUE, FALSE = "Gerichtsstand ist Hamburg.", "Gerichtsstand ist Berlin."
NAMES = ["list_sources", "search", "quote", "verify", "verifyMany"]
CALLS: dict[str, dict[str, Any]] = {
    "list_sources": {},
    "search": {"text": "jurisdiction"},
    "quote": {"text": "Gerichtsstand", "file": "mietvertrag.md"},
    "verify": {"claim": FALSE, "id": "x", "lang": "en"},
    "verifyMany": {"claims": [{"claim": TRUE, "id": "1"}, {"claim": "Der Hausmeister heißt Krause."}]},
}


def talk(folder: Path, use: Callable[[Client], Awaitable[None]], documents: Path = LEASE) -> None:
    """Start a server with a folder of documents, and hand a client over."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-u", "-m", "footnote_desktop", "serve"],
        env=environment(folder, MCP_REDLINE_CORPUS_DIR=str(documents), XDG_CACHE_HOME=str(folder / "cache")),
        cwd=folder,
    )

    async def run() -> Exception | None:
        async with Client(stdio_client(command)) as client:
            try:
                await use(client)
            except Exception as error:  # raised outside, where no task group wraps it
                return error
        return None

    if error := anyio.run(run):
        raise error


def test_results_fit_their_schemas_and_link_to_the_documents(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools)[-5:] == NAMES
        assert "Only GROUNDED may be stated as fact" in (client.instructions or "")
        results = {}
        for name, arguments in CALLS.items():
            jsonschema.validate(arguments, tools[name].input_schema)
            results[name] = await client.call_tool(name, arguments)
            assert not results[name].is_error, results[name].content
            jsonschema.validate(results[name].structured_content, tools[name].output_schema)

        verdict = results["verify"]
        shown = verdict.structured_content
        assert (shown["id"], shown["status"], shown["quote"], shown["tier"]) == ("x", "CONTRADICTED", TRUE, 1)
        text = verdict.content[0].text
        assert text.startswith("CONTRADICTED. ")
        assert TRUE in text
        assert "[1] doc:mietvertrag.md#" in text
        assert verdict.meta["footnote/recordId"] == shown["provenance"]["id"]
        (evidence,) = verdict.meta["footnote/evidenceIds"]
        assert evidence.startswith("doc:mietvertrag.md#")
        link = verdict.content[1]
        assert link.uri == shown["evidence"]["uri"]
        (content,) = (await client.read_resource(link.uri)).contents
        passage = json.loads(content.text)
        assert (passage["quote"], passage["sha256"]) == (TRUE, shown["evidence"]["sha256"])

        many = results["verifyMany"].structured_content["verdicts"]
        assert [entry["status"] for entry in many] == ["GROUNDED", "UNSUPPORTED"]
        assert len(results["verifyMany"].meta["footnote/recordIds"]) == 2

    talk(tmp_path, use)
    verdict = verify(tmp_path / "log.sqlite3")
    assert (verdict.state, verdict.count) == ("intact", 3)
    with open_log(str(tmp_path / "log.sqlite3"), create=False, read_only=True) as log:
        operation = log.records(limit=1)[0].operations[0]
    assert operation["kind"] == "document_verification"
    assert operation["client"]["transport"] == "stdio"


def test_what_does_not_fit_says_so(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        for name, arguments, said in (
            ("verify", {}, "claim: Field required"),
            ("verify", {"claim": "x" * 4001}, "at most 4000"),
            ("verify", {"claim": TRUE, "folder": "/"}, "folder: Extra inputs"),
            ("verifyMany", {"claims": []}, "at least 1"),
            ("quote", {"text": "x", "file": "../secret"}, "no document"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert said in result.content[0].text
        for uri in ("doc://missing.md", "doc://mietvertrag.md#char=9,1", "doc://mietvertrag.md#char=1,99999999"):
            with pytest.raises(MCPError, match="no such document or place"):
                await client.read_resource(uri)

    talk(tmp_path, use)


def test_a_folder_that_is_gone_is_said_and_the_figures_stay(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool("verify", {"claim": TRUE})
        assert result.is_error
        assert "is no folder" in result.content[0].text
        with pytest.raises(MCPError, match="is no folder"):
            await client.read_resource("doc://mietvertrag.md")
        assert not (await client.call_tool("getOpenTickets", {"customer": "Bergmann"})).is_error

    talk(tmp_path, use, tmp_path / "gone")


def test_a_verdict_that_cannot_be_recorded_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite3").mkdir()

    async def use(client: Client) -> None:
        result = await client.call_tool("verify", {"claim": TRUE})
        assert result.is_error
        assert "could not be recorded" in result.content[0].text
        assert "Hamburg" not in result.content[0].text

    talk(tmp_path, use)


def test_listing_the_tools_imports_no_parser(tmp_path: Path) -> None:
    telling = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('MODULES', *sys.modules, file=sys.stderr))\n"
        "from footnote_desktop.cli import main\n"
        "sys.exit(main(['serve']))\n"
    )
    command = [sys.executable, "-u", "-c", telling]
    with RawServer(tmp_path, command, MCP_REDLINE_CORPUS_DIR=str(LEASE)) as server:
        server.greet()
        server.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert [tool["name"] for tool in server.answer(1)["result"]["tools"]][-5:] == NAMES
        assert server.end() == 0
    line = next(line for line in server.stderr.decode().splitlines() if line.startswith("MODULES"))
    heavy = ("footnote_desktop.documents", "footnote_desktop.answers", "simplemma", "pypdfium2", "docx", "openpyxl")
    assert not set(line.split()) & {*heavy, "lxml", "oxmsg", "defusedxml", "sqlite3", "orjson"}
    assert not (tmp_path / "log.sqlite3").exists()
