"""The SDK's own client against the real process, in both eras of the protocol."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import Implementation, ResourceTemplateReference
from server_rpc import environment

from footnote_desktop.catalog.registry import OPERATIONS

ERAS = ("legacy", "auto")
CALLS: dict[str, dict[str, Any]] = {
    "getOverdueInvoices": {"customer": "Bergmann"},
    "getCustomerSummary": {"customer": "Bergmann Logistik GmbH"},
    "getPaymentHistory": {"customer": "4471", "sinceDate": "2026-01-01"},
    "getOpenTickets": {"customer": "bergmann"},
    "getReceivablesAging": {"asOfDate": "2026-08-14"},
    "findCustomers": {"query": "berg"},
    "getInvoice": {"number": "INV-2026-8812"},
    "getCustomerStatement": {"customer": "Bergmann", "fromDate": "2026-01-01", "toDate": "2026-08-14"},
    "getTopDebtors": {"limit": 3},
    "verifyProvenanceChain": {},
}

Use = Callable[[Client], Awaitable[None]]


def talk(folder: Path, era: str, use: Use, *arguments: str) -> None:
    """Start a server, connect in an era, and hand the client over."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-u", "-m", "footnote_desktop", "serve", *arguments],
        env=environment(folder),
        cwd=folder,
    )

    async def run() -> Exception | None:
        info = Implementation(name="test client", version="7.8")
        async with Client(stdio_client(command), mode=era, client_info=info) as client:
            try:
                await use(client)
            except Exception as error:  # raised outside, where no task group wraps it
                return error
        return None

    if error := anyio.run(run):
        raise error


def at(values: Any, path: str) -> Any:
    """The value that stands at a path such as ``invoices[0].dueOn``."""
    for key, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        values = values[key] if key else values[int(index)]
    return values


async def read(client: Client, uri: str) -> Any:
    """The JSON behind a resource."""
    (content,) = (await client.read_resource(uri)).contents
    assert content.uri == uri
    assert content.mime_type == "application/json"
    return json.loads(content.text)  # type: ignore[union-attr]


@pytest.mark.parametrize("era", ERAS)
def test_the_whole_catalog_is_published(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(OPERATIONS)
        for tool in tools:
            assert tool.title
            assert tool.description
            assert len(tool.description) > 80
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            assert "$ref" not in json.dumps(tool.input_schema)
            assert tool.output_schema
            assert tool.output_schema["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            hints = tool.annotations
            assert hints
            assert (hints.read_only_hint, hints.destructive_hint) == (True, False)
            assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)
        assert client.server_info.name == "footnote"
        assert "verbatim" in (client.instructions or "")
        assert "sample ERP" in (client.instructions or "")

    talk(tmp_path, era, use)


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_answers_within_its_schema_with_its_evidence(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, name
            values, meta = result.structured_content, result.meta or {}
            jsonschema.validate(values, schemas[name])
            text = result.content[0].text  # type: ignore[union-attr]
            claims = meta["footnote/claims"]
            assert claims
            assert meta["footnote/claimCount"] == len(claims)
            for claim in claims:
                assert claim["evidenceIds"], claim
                value = at(values, claim["path"])
                if isinstance(value, bool):
                    continue
                assert str(value) == claim["text"], claim
                if not claim["path"].endswith("Cents") and not re.fullmatch(r"\d{4}-\d\d-\d\d", claim["text"]):
                    assert claim["text"] in text, (name, claim)
                assert set(claim["evidenceIds"]) <= set(meta["footnote/evidenceIds"])
            assert meta["footnote/evidenceCount"] == len(meta["footnote/evidenceIds"])
            assert values["asOfDate"] in text
            assert meta["footnote/recordId"] in text

    talk(tmp_path, era, use)


def test_every_figure_that_was_answered_adds_up_again(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        for name, arguments in CALLS.items():
            await client.call_tool(name, arguments)
        chain = (await client.call_tool("verifyProvenanceChain", {})).structured_content
        assert chain["ok"], chain["reason"]
        assert chain["count"] == len(CALLS)

    talk(tmp_path, "auto", use)


@pytest.mark.parametrize("era", ERAS)
def test_links_and_records_resolve(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            meta = result.meta or {}
            links = result.content[1:]
            uris = [link.uri for link in links]  # type: ignore[union-attr]
            assert [link.name for link in links[:-1]] == meta["footnote/evidenceIds"][:20]
            for link in links:
                assert link.type == "resource_link"
                assert link.annotations
                assert link.annotations.audience == ["user"]
                found = await read(client, link.uri)
                if link.uri.startswith("erp://"):
                    assert found["uri"] == link.uri
            record_uri = f"provenance://record/{meta['footnote/recordId']}"
            assert record_uri in uris
            (content,) = (await client.read_resource(record_uri)).contents
            stored = content.text.encode()  # type: ignore[union-attr]
            assert hashlib.sha256(stored).hexdigest() == meta["footnote/recordHash"]
            record = json.loads(stored)
            assert record["question"] == f"[direct tool call] {name}"
            assert record["operations"][0]["client"] == {
                "name": "test client",
                "version": "7.8",
                "transport": "stdio",
                "questionSeen": False,
            }
            page = await read(client, f"{record_uri}/evidence?page=1")
            assert [row["id"] for row in page["evidence"]] == meta["footnote/evidenceIds"]
            assert (page["total"], page["pages"], page["next"]) == (meta["footnote/evidenceCount"], 1, None)

    talk(tmp_path, era, use)


@pytest.mark.parametrize("era", ERAS)
def test_what_is_declined_is_a_tool_error_in_our_words_and_recorded(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        for name, arguments, expected in (
            ("getOverdueInvoices", {"customer": "Acme Corporation"}, "No customer matches"),
            ("getOverdueInvoices", {"customer": "Bergmnn Logistk"}, "Bergmann Logistik GmbH"),
            ("getOverdueInvoices", {"customer": "GmbH"}, "GmbH"),
            ("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": "2026-02-31"}, "YYYY-MM-DD"),
            ("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": "14.08.2026"}, "YYYY-MM-DD"),
            ("getOverdueInvoices", {"customer": "Bergmann", "asOf": "2026-08-14"}, '"asOf"'),
            ("getOverdueInvoices", {}, "customer is missing"),
            ("getTopDebtors", {"limit": 0}, "limit"),
            ("getTopDebtors", {"limit": "3"}, "limit"),
            ("getInvoice", {"number": "INV-0"}, "INV-0"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error, (name, arguments)
            text = result.content[0].text  # type: ignore[union-attr]
            assert expected in text
            assert "pydantic" not in text
            assert result.structured_content is None
            meta = result.meta or {}
            record = await read(client, f"provenance://record/{meta['footnote/recordId']}")
            assert record["operations"][0]["outcome"] == "refused"
            for alternative in meta["footnote/alternatives"]:
                assert alternative in text

    talk(tmp_path, era, use)


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_is_a_protocol_error_and_recorded(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("dropEverything", {"really": True})
        assert caught.value.code == -32602
        assert "getOverdueInvoices" in caught.value.message
        record = await read(client, f"provenance://record/{caught.value.data['recordId']}")
        assert record["question"] == "[direct tool call] dropEverything"

    talk(tmp_path, era, use)


@pytest.mark.parametrize("era", ERAS)
def test_resources_are_listed_templated_and_completed(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        for _ in range(3):
            await client.call_tool("getOpenTickets", {"customer": "Bergmann"})
        listed = (await client.list_resources()).resources
        assert [resource.name for resource in listed] == ["record 3", "record 2", "record 1"]
        templates = [t.uri_template for t in (await client.list_resource_templates()).resource_templates]
        record, evidence, row = templates

        async def completed(template: str, name: str, typed: str, **known: str) -> list[str]:
            reference = ResourceTemplateReference(uri=template)
            result = await client.complete(reference, {"name": name, "value": typed}, known or None)
            return result.completion.values

        newest_first = [resource.uri.rpartition("/")[2] for resource in listed]
        assert await completed(record, "id", "") == newest_first
        assert await completed(record, "id", newest_first[1][:12]) == [newest_first[1]]
        assert await completed(record, "id", "zzz") == []
        assert await completed(evidence, "page", "", id=newest_first[0]) == ["1"]
        assert await completed(row, "type", "") == ["customer", "invoice", "payment", "ticket"]
        assert await completed(row, "type", "inv") == ["invoice"]
        assert await completed(row, "id", "berg", type="customer") == ["4471"]
        assert await completed(row, "id", "44", type="customer") == ["4471", "4472", "4473", "4474", "4475"]
        assert await completed(row, "id", "lumière", type="customer") == ["4474"]
        assert await completed(row, "id", "8", type="invoice") == []
        assert await completed("erp://{nothing}", "id", "8") == []

    talk(tmp_path, era, use)


NOWHERE = (
    "erp://customer/1",
    "erp://customer/",
    "erp://customer/' OR 1=1 --",
    "erp://nonsense/1",
    "erp://rowset/abc",
    "erp://",
    "provenance://record/0",
    "provenance://record/constructor",
    "provenance://record/",
    "provenance://record/../../etc/passwd",
    "provenance://record/1/evidence?page=0",
    "provenance://record/1/evidence?page=2",
    "provenance://record/1/evidence?page=" + "9" * 50,
    "provenance://record/1/nothing",
    "provenance://nothing",
    "file:///etc/passwd",
    "http://[::1",
    "//",
    "constructor",
    "",
)


@pytest.mark.parametrize("era", ERAS)
def test_what_does_not_exist_is_not_found(tmp_path: Path, era: str) -> None:
    async def use(client: Client) -> None:
        await client.call_tool("getOpenTickets", {"customer": "Bergmann"})
        for uri in NOWHERE:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.code == -32602, uri
            assert caught.value.data == {"uri": uri}

    talk(tmp_path, era, use)


def test_every_tricky_customer_stays_within_the_schemas(tmp_path: Path) -> None:
    """Other currencies, credit notes, broken dates, names of all kinds: whatever is answered validates and links."""

    async def use(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        reference = ResourceTemplateReference(uri="erp://{type}/{id}")
        argument = {"name": "id", "value": ""}
        customers = (await client.complete(reference, argument, {"type": "customer"})).completion.values
        assert len(customers) > 20
        seen: set[str] = set()
        for customer in customers:
            for name, arguments in (
                ("getOverdueInvoices", {}),
                ("getCustomerSummary", {}),
                ("getPaymentHistory", {}),
                ("getOpenTickets", {}),
                ("getCustomerStatement", {"fromDate": "2026-01-01", "toDate": "2026-08-14"}),
            ):
                result = await client.call_tool(name, {"customer": customer, **arguments})
                assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
                jsonschema.validate(result.structured_content, schemas[name])
                for link in result.content[1:]:
                    if link.uri not in seen and link.uri.startswith("erp://"):  # type: ignore[union-attr]
                        seen.add(link.uri)  # type: ignore[union-attr]
                        await read(client, link.uri)  # type: ignore[union-attr]
        for name in ("getReceivablesAging", "getTopDebtors"):
            result = await client.call_tool(name, {})
            jsonschema.validate(result.structured_content, schemas[name])

    talk(tmp_path, "auto", use, "--profile", "tricky")
