"""The server process itself, spoken to line by line: what a broken, hasty or vanished client sends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_rpc import SERVE, RawServer, environment, modern, request

BERGMANN = {"customer": "Bergmann"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RawServer]:
    with RawServer(tmp_path) as running:
        yield running


def test_malformed_lines_are_answered_and_delay_nothing(server: RawServer) -> None:
    server.greet()
    server.say(
        b"{not json",
        b"",
        None,
        17,
        [request(1, "ping")],
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x", "arguments": {"a": "\\ud800"}}}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"a": "\xff"}}',
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 4, "method": "no/such/method"},
        server.call(5, "getOpenTickets", BERGMANN),
    )
    codes = sorted(server.answer(None)["error"]["code"] for _ in range(5))
    assert codes == [-32700, -32600, -32600, -32600, -32600]
    assert server.answer(2)["error"]["code"] == -32602
    assert server.answer(3)["error"]["code"] == -32602
    assert server.answer(4)["error"]["code"] == -32601
    assert server.answer(5)["result"]["structuredContent"]["openCount"] == 2
    assert server.silent()


def test_malformed_lines_before_the_first_request_are_answered(server: RawServer) -> None:
    server.say(*[b"{"] * 20, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', modern(1, "tools/list"))
    assert len(server.answer(1)["result"]["tools"]) == 10
    for _ in range(20):
        assert server.answer(None)["error"]["code"] == -32700


def test_a_line_beyond_the_limit_is_refused_and_not_kept(server: RawServer) -> None:
    server.greet()
    huge = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "' + b"x" * (17 * 1024 * 1024) + b'"}}'
    server.say(huge, request(2, "ping"))
    assert "longer than" in server.answer(None)["error"]["message"]
    assert server.answer(2)["result"] == {}


def test_a_long_argument_is_refused_in_few_words(server: RawServer) -> None:
    server.greet()
    server.say(server.call(1, "getOpenTickets", {"customer": "x" * 10_000_000}))
    result = server.answer(1)["result"]
    assert result["isError"]
    assert len(json.dumps(result)) < 5_000


@pytest.mark.parametrize(
    "value", [1e400, -0.0, 2**80, "\x00", "\U0001f600", "‮", "' OR 1=1 --", ["x"], {"a": {}}, None, True]
)
def test_odd_arguments_are_tool_errors_and_recorded(server: RawServer, value: object) -> None:
    server.greet()
    line = json.dumps(server.call(1, "getOpenTickets", {"customer": value})).replace("Infinity", "1e400")
    server.say(line.encode())
    result = server.answer(1)["result"]
    assert result["isError"]
    server.say(request(2, "resources/read", {"uri": f"provenance://record/{result['_meta']['footnote/recordId']}"}))
    record = json.loads(server.answer(2)["result"]["contents"][0]["text"])
    assert record["operations"][0]["name"] == "getOpenTickets"


def test_calls_in_flight_are_answered_after_stdin_ends(server: RawServer) -> None:
    server.greet()
    server.say(*[server.call(i, "getOverdueInvoices", BERGMANN) for i in range(30)])
    assert server.end() == 0
    for i in range(30):
        assert server.answer(i)["result"]["structuredContent"]["invoiceCount"] == 4


def test_a_last_line_without_its_end_is_answered(server: RawServer) -> None:
    assert server.process.stdin
    server.process.stdin.write(json.dumps(modern(1, "tools/list")).encode())
    assert server.end() == 0
    assert server.answer(1)["result"]["tools"]


def test_stdin_that_ends_at_once_ends_the_server(server: RawServer) -> None:
    assert server.end() == 0
    assert server.silent(0.05)


def test_two_hundred_calls_at_once(server: RawServer) -> None:
    server.greet()
    tools = ("getOverdueInvoices", "getCustomerSummary", "getPaymentHistory", "getOpenTickets")
    server.say(*[server.call(i, tools[i % 4], BERGMANN) for i in range(200)])
    replies = [server.answer(i) for i in range(200)]
    assert len({reply["result"]["_meta"]["footnote/recordId"] for reply in replies}) == 200
    assert not any(reply["result"].get("isError") for reply in replies)
    server.say(server.call("chain", "verifyProvenanceChain", {}))
    chain = server.answer("chain")["result"]["structuredContent"]
    assert chain["ok"]
    assert chain["count"] >= 200


def test_ids_may_repeat_and_be_of_any_size(server: RawServer) -> None:
    server.greet()
    server.say(request(2**70, "ping"), request("ü" * 1000, "ping"), request(1, "ping"), request(1, "ping"))
    for identity in (2**70, "ü" * 1000, 1, 1):
        assert server.answer(identity)["result"] == {}


def test_a_cancelled_call_delays_nothing_and_is_recorded(server: RawServer) -> None:
    server.greet()
    calls = [server.call(i, "getReceivablesAging", {}) for i in range(40)]
    cancel = [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": i}} for i in range(20, 40)
    ]
    server.say(*calls, *cancel, request("after", "ping"))
    assert server.answer("after")["result"] == {}
    for i in range(20):
        assert server.answer(i)["result"]["structuredContent"]["invoiceCount"] == 11
    assert server.end() == 0


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_though_stdin_stays_open(server: RawServer, number: signal.Signals) -> None:
    server.greet()
    server.say(*[server.call(i, "getOpenTickets", BERGMANN) for i in range(5)])
    server.answer(4)
    server.process.send_signal(number)
    assert server.process.wait(10) == 0
    assert b"Traceback" not in server.stderr


def test_a_client_that_stops_reading_ends_it(tmp_path: Path) -> None:
    process = subprocess.Popen(
        SERVE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.write(json.dumps(modern(1, "tools/list")).encode() + b"\n")
    process.stdin.flush()
    assert process.wait(15) == 0
    process.stdin.close()


@pytest.mark.skipif(os.name != "posix", reason="os.getppid")
def test_it_does_not_outlive_its_host(tmp_path: Path) -> None:
    """The host dies, and a process that it left behind holds stdin open."""
    held, given = os.pipe()
    script = (
        "import subprocess, sys, time\n"
        "quiet = subprocess.DEVNULL\n"
        "p = subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1]), stdout=quiet, stderr=quiet)\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(3)\n"
    )
    host = subprocess.run(
        [sys.executable, "-c", script, str(held), *SERVE],
        capture_output=True,
        text=True,
        check=True,
        pass_fds=[held],
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    pid = int(host.stdout)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and _lives(pid):
            time.sleep(0.2)
        assert not _lives(pid)
    finally:
        os.close(held)
        os.close(given)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_what_is_printed_never_reaches_the_wire(tmp_path: Path) -> None:
    """A library that prints, and a child that writes to its own stdout, while a call runs and at the end."""
    (tmp_path / "noisy.py").write_text(
        "import atexit, os, sys, footnote_desktop.server.app as app\n"
        "from footnote_desktop.settings import from_environment\n"
        "from footnote_desktop.server.stdio import serve_stdio\n"
        "plain = app.App._call\n"
        "def noisy(*args):\n"
        "    print('stray'); sys.stdout.write('unflushed'); os.write(1, b'raw'); os.system('echo child; cat')\n"
        "    return plain(*args)\n"
        "app.App._call = noisy\n"
        "atexit.register(print, 'goodbye')\n"
        "sys.exit(serve_stdio(from_environment()))\n"
    )
    with RawServer(tmp_path, [sys.executable, str(tmp_path / "noisy.py")]) as server:
        server.greet()
        server.say(server.call(1, "getOpenTickets", BERGMANN))
        assert server.answer(1)["result"]["structuredContent"]["openCount"] == 2
        assert server.end() == 0
    for word in (b"stray", b"unflushed", b"raw", b"child", b"goodbye"):
        assert word in server.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_call_that_hangs_does_not_keep_the_process(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(
        "import sys, time, footnote_desktop.server.stdio as stdio\n"
        "from footnote_desktop.settings import from_environment\n"
        "class Desk:\n"
        "    def call(self, name, arguments, client):\n"
        "        time.sleep(100)\n"
        "    def close(self): pass\n"
        "stdio._open_desk = lambda profile: Desk()\n"
        "sys.exit(stdio.serve_stdio(from_environment()))\n"
    )
    with RawServer(tmp_path, [sys.executable, str(tmp_path / "hanging.py")]) as server:
        server.greet()
        server.say(server.call(1, "getOpenTickets", BERGMANN), request(2, "ping"))
        assert server.answer(2)["result"] == {}
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        server.say(request(3, "ping"))
        assert server.answer(3)["error"]["message"] == "the server is stopping"
        assert server.process.wait(12) == 1


def test_a_fault_in_a_call_is_answered(tmp_path: Path) -> None:
    """Even one that would end the process."""
    (tmp_path / "faulty.py").write_text(
        "import sys, footnote_desktop.server.app as app\n"
        "from footnote_desktop.settings import from_environment\n"
        "from footnote_desktop.server.stdio import serve_stdio\n"
        "class Desk:\n"
        "    def call(self, name, arguments, client):\n"
        "        raise {'a': SystemExit(3), 'b': KeyboardInterrupt(), 'c': StopIteration('password')}[arguments['x']]\n"
        "    def close(self): pass\n"
        "import footnote_desktop.server.stdio as stdio\n"
        "stdio._open_desk = lambda profile: Desk()\n"
        "sys.exit(serve_stdio(from_environment()))\n"
    )
    with RawServer(tmp_path, [sys.executable, str(tmp_path / "faulty.py")]) as server:
        server.greet()
        server.say(*[server.call(x, "getOpenTickets", {"x": x}) for x in "abc"])
        for identity in "abc":
            result = server.answer(identity)["result"]
            assert result["isError"]
            assert "fault of this server" in result["content"][0]["text"]
            assert "password" not in json.dumps(result)
    assert "Traceback" in (tmp_path / "data" / "Footnote" / "logs" / "server.log").read_text()
