"""Start to the first tools/list, against a bare server of the same SDK.

``pytest -s tests/bench/bench_server_start.py``

Starts are measured in pairs, ours and the bare one in turn, so that a busy machine slows both; the ratio of the
medians counts. Start it alone as ``python tests/bench/bench_server_start.py [PAIRS]`` for figures as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ledger

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 15
#: The most that our start may cost, in starts of the bare server.
MOST_START = 1.15
#: The largest reply over 100,000 open invoices, in bytes.
MOST_REPLY = 100_000

OURS = (sys.executable, "-u", "-m", "footnote_desktop", "serve")
BARE = (
    sys.executable,
    "-u",
    "-c",
    """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def list_tools(context, params):
    return types.ListToolsResult(tools=[])

server = Server("bare", on_list_tools=list_tools)

async def main():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())

anyio.run(main)
""",
)
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Process:
    """A server on pipes, asked one thing at a time."""

    def __init__(self, command: Sequence[str], folder: str, **more: str) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={
                **{key: value for key, value in os.environ.items() if key != "DATABASE_URL"},
                "PYTHONPATH": str(ROOT),
                "XDG_DATA_HOME": folder,
                "PROVENANCE_DB": str(Path(folder) / "log.sqlite3"),
                **more,
            },
        )

    def say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        """The line that answers."""
        self.say({"id": 1, "method": method, **({} if params is None else {"params": params})})
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert b'"result"' in line, line[:500]
        return line

    def end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def start(command: Sequence[str], era: str, folder: str) -> float:
    """Milliseconds from the start of the process to the answer to tools/list."""
    began = time.perf_counter()
    process = Process(command, folder)
    if era == "handshake":
        process.ask("initialize", HELLO)
        process.say({"method": "notifications/initialized"})
        process.ask("tools/list")
    else:
        process.ask("tools/list", {"_meta": ENVELOPE})
    took = (time.perf_counter() - began) * 1000
    process.end()
    return took


def measure(era: str, pairs: int) -> dict[str, float]:
    """Medians in milliseconds, and their ratio."""
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as folder:
        for command in (OURS, BARE):  # compiles what is not compiled yet
            start(command, era, folder)
        for _ in range(pairs):
            ours.append(start(OURS, era, folder))
            bare.append(start(BARE, era, folder))
    return {
        "ours_ms": round(statistics.median(ours), 1),
        "bare_ms": round(statistics.median(bare), 1),
        "ratio": round(statistics.median(ours) / statistics.median(bare), 3),
    }


def test_start_to_the_first_tools_list() -> None:
    for era in ("handshake", "stateless"):
        found = measure(era, PAIRS)
        print(f"\nstart to tools/list, {era}: {found}")
        assert found["ratio"] <= MOST_START


def test_a_reply_over_100_000_open_invoices_stays_small(tmp_path: Path) -> None:
    ledger.make(tmp_path / "erp.sqlite3", ROOT / "migrations", 100_000)
    process = Process(OURS, str(tmp_path), DATABASE_URL=str(tmp_path / "erp.sqlite3"), AS_OF_DATE="2026-08-14")
    calls: dict[str, dict[str, Any]] = {
        "getReceivablesAging": {},
        "getTopDebtors": {"limit": 100},
        "getOverdueInvoices": {"customer": "7"},
        "getCustomerStatement": {"customer": "7", "fromDate": "2026-01-01", "toDate": "2026-08-14"},
        "getPaymentHistory": {"customer": "7"},
        "findCustomers": {"query": "Kunde"},
    }
    for name, arguments in calls.items():
        began = time.perf_counter()
        line = process.ask("tools/call", {"name": name, "arguments": arguments, "_meta": ENVELOPE})
        took = time.perf_counter() - began
        result = json.loads(line)["result"]
        assert not result["isError"], result
        meta = result["_meta"]
        print(f"{name}: {len(line):,} bytes, {took * 1000:,.0f} ms, {meta['footnote/evidenceCount']:,} rows")
        assert len(line) < MOST_REPLY
        uri = f"provenance://record/{meta['footnote/recordId']}/evidence?page="
        last, rows = 1, set[str]()
        began = time.perf_counter()
        for page in (1, 2):
            if page > last:
                break
            read = json.loads(process.ask("resources/read", {"uri": f"{uri}{page}", "_meta": ENVELOPE}))["result"]
            found = json.loads(read["contents"][0]["text"])
            last = found["pages"]
            rows.update(row["id"] for row in found["evidence"])
        print(f"  {last:,} pages of evidence, {found['total']:,} rows, {(time.perf_counter() - began) * 1000:,.0f} ms")
        assert found["total"] == meta["footnote/evidenceCount"]
        assert len(rows) == min(200, found["total"])
    process.end()


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    figures = {era: measure(era, many) for era in ("handshake", "stateless")}
    print(json.dumps(figures, indent=2))
    sys.exit(any(found["ratio"] > MOST_START for found in figures.values()))
