"""What a server has imported and opened by its first tools/list, and what several of them do to one log."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from server_rpc import RawServer, modern, request

from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

#: Prints what is imported when the process ends.
TELLING = (
    "import atexit, sys\n"
    "atexit.register(lambda: print('MODULES', *sys.modules, file=sys.stderr))\n"
    "from footnote_desktop.cli import main\n"
    "sys.exit(main(['serve']))\n"
)
#: Heavy, and not needed to say what the tools are.
NOT_YET = {
    "PySide6",
    "babel",
    "fasteners",
    "footnote_desktop.answers",
    "footnote_desktop.desktop",
    "keyring",
    "lxml",
    "openpyxl",
    "orjson",
    "pdfplumber",
    "psycopg",
    "rapidfuzz",
    "sqlglot",
    "sqlite3",
}


def imported(server: RawServer) -> set[str]:
    assert server.end() == 0
    line = next(line for line in server.stderr.decode().splitlines() if line.startswith("MODULES"))
    return set(line.split()[1:])


def test_nothing_is_imported_or_opened_before_the_first_call(tmp_path: Path) -> None:
    with RawServer(tmp_path, [sys.executable, "-u", "-c", TELLING]) as server:
        server.greet()
        server.say(request(1, "tools/list"), request(2, "resources/templates/list"), request(3, "ping"))
        assert len(server.answer(1)["result"]["tools"]) == 10
        assert len(server.answer(2)["result"]["resourceTemplates"]) == 3
        assert not (tmp_path / "log.sqlite3").exists()
        assert not imported(server) & NOT_YET


def test_the_first_call_opens_what_it_needs(tmp_path: Path) -> None:
    with RawServer(tmp_path, [sys.executable, "-u", "-c", TELLING]) as server:
        server.say(modern(1, "tools/call", {"name": "getOpenTickets", "arguments": {"customer": "Bergmann"}}))
        assert server.answer(1)["result"]["structuredContent"]["openCount"] == 2
        modules = imported(server)
        assert {"sqlite3", "footnote_desktop.answers"} <= modules
        assert not {"PySide6", "psycopg", "sqlglot"} & modules


def test_several_servers_write_one_log(tmp_path: Path) -> None:
    """Hosts start a server twice, and several hosts share a log: every call is recorded, and the chain holds."""
    servers = [RawServer(tmp_path), RawServer(tmp_path)]
    failures: list[object] = []

    def work(server: RawServer) -> None:
        with server:
            server.greet()
            server.say(*[server.call(i, "getOverdueInvoices", {"customer": "Bergmann"}) for i in range(25)])
            failures.extend(
                reply for i in range(25) if (reply := server.answer(i))["result"].get("isError", False) is not False
            )

    threads = [threading.Thread(target=work, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    verdict = verify(tmp_path / "log.sqlite3")
    assert (verdict.ok, verdict.count) == (True, 50)


def test_no_log_no_answer(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite3").write_bytes(b"this is not a database, and long enough to be read as one" * 40)
    with RawServer(tmp_path) as server:
        server.greet()
        server.say(server.call(1, "getOpenTickets", {"customer": "Bergmann"}), request(2, "resources/list"))
        result = server.answer(1)["result"]
        assert result["isError"]
        assert "could not be recorded" in result["content"][0]["text"]
        assert "openCount" not in json.dumps(result)
        assert server.answer(2)["error"]["code"] == -32603
        # Once the log is as it should be, the next call is answered.
        (tmp_path / "log.sqlite3").unlink()
        server.say(server.call(3, "getOpenTickets", {"customer": "Bergmann"}))
        assert server.answer(3)["result"]["structuredContent"]["openCount"] == 2


def test_a_database_that_does_not_answer_is_a_recorded_refusal_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://reader:s3cret@127.0.0.1:1/erp?connect_timeout=2"
    with RawServer(tmp_path, DATABASE_URL=url) as server:
        hello = server.greet()
        server.say(server.call(1, "getOpenTickets", {"customer": "Bergmann"}))
        result = server.answer(1)["result"]
        assert result["isError"]
        assert server.end() == 0
        log = (tmp_path / "data" / "Footnote" / "logs" / "server.log").read_bytes()
        for where in (json.dumps(hello).encode(), json.dumps(result).encode(), server.stderr, log):
            assert b"s3cret" not in where
    with open_log(str(tmp_path / "log.sqlite3")) as records:
        assert records.count() == 1


def test_without_a_folder_for_its_log_file_it_runs(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    with RawServer(tmp_path) as server:
        server.greet()
        server.say(server.call(1, "getOpenTickets", {"customer": "Bergmann"}))
        assert server.answer(1)["result"]["structuredContent"]["openCount"] == 2
        assert server.end() == 0
        assert b"no log file" in server.stderr


def test_the_log_file_holds_no_figures(tmp_path: Path) -> None:
    with RawServer(tmp_path) as server:
        server.greet()
        server.say(*[server.call(i, "getOverdueInvoices", {"customer": "Bergmann"}) for i in range(3)])
        for i in range(3):
            server.answer(i)
    text = (tmp_path / "data" / "Footnote" / "logs" / "server.log").read_text()
    assert text.count("getOverdueInvoices: answered, record") == 3
    assert "Bergmann" not in text
    assert "43.805" not in text
