"""The command as a process: exit codes, one JSON document on stdout, and nothing that is not recorded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from footnote_desktop import cli


class Terminal:
    """Runs the command with a log of its own."""

    def __init__(self, folder: Path):
        self.log = folder / "log.sqlite3"
        self.env = {**os.environ, "PROVENANCE_DB": str(self.log), "PYTHONWARNINGS": "error"}

    def run(self, *args: str, text: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "footnote_desktop", *args],
            env={**self.env, **env},
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    def json(self, *args: str, code: int = 0, **env: str) -> Any:
        done = self.run(*args, "--json", **env)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


# -- ask -----------------------------------------------------------------------------------------------------------


def test_a_question_is_answered_with_notes_evidence_and_the_chain(terminal: Terminal) -> None:
    done = terminal.run("ask", "How much does Bergmann owe?")
    text = done.stdout.replace("\u00a0", " ")
    assert done.returncode == 0
    assert text.startswith("Bergmann Logistik GmbH[1] has an open balance of 54.805,00 €[2]")
    assert "Sum of outstanding 43.805,00 € = the figure" in text
    assert "chain of 1 record unchanged since recorded" in text
    assert "\x1b" not in text
    assert "sample ERP" in done.stderr


def test_a_question_needs_no_quotes(terminal: Terminal) -> None:
    assert terminal.json("ask", "How", "much", "does", "Bergmann", "owe?")["refused"] is False


def test_a_question_may_come_from_stdin(terminal: Terminal) -> None:
    done = terminal.run("ask", "-", "--json", text="Wie viel schuldet Bergmann?\n")
    assert json.loads(done.stdout)["answer"].startswith("Bergmann Logistik GmbH hat am 14.08.2026")


def test_the_keys_of_an_answer(terminal: Terminal) -> None:
    reply = terminal.json("ask", "How much does Bergmann owe?")
    assert {
        "refused", "reason", "alternatives", "answer", "claims", "evidence", "operations", "provenance"
    } <= reply.keys()  # fmt: skip
    assert "[1]" not in reply["answer"]
    units = reply["answer"].encode("utf-16-le")
    for claim in reply["claims"]:
        span = claim["span"]
        assert units[2 * span["start"] : 2 * span["end"]].decode("utf-16-le") == claim["text"]
        assert claim["origin"] == "structured"
    assert reply["provenance"]["sequence"] == 1


@pytest.mark.parametrize(
    ("question", "part", "alternative"),
    [
        ("How much does Acme Corporation owe?", "Acme Corporation", "Bergmann Logistik GmbH"),
        ("What will revenue be next quarter?", "outside the catalog", None),
        ("How much did Bergmann owe last year?", "last year", None),
        ("", "no question", None),
    ],
)
def test_a_refusal_exits_1_and_is_recorded(
    terminal: Terminal, question: str, part: str, alternative: str | None
) -> None:
    reply = terminal.json("ask", question, code=1)
    assert reply["refused"] is True
    assert part in reply["reason"]
    assert reply["claims"] == []
    if alternative:
        assert alternative in reply["alternatives"]
        assert len(reply["alternatives"]) <= 5
    (record,) = terminal.json("records")["records"]
    assert record["operations"][0]["outcome"] == "refused"
    assert record["hash"] == reply["provenance"]["hash"]


def test_the_as_of_date_is_todays_the_profiles_or_the_options(terminal: Terminal) -> None:
    question = "How much does Bergmann owe?"

    def as_of(*args: str, **env: str) -> tuple[str, str]:
        operation = terminal.json("ask", question, *args, **env)["operations"][0]
        return operation["asOf"]["date"], operation["asOf"]["source"]

    assert as_of() == ("2026-08-14", "the sample's date")
    assert as_of(AS_OF_DATE="2026-06-10") == ("2026-06-10", "AS_OF_DATE")
    assert as_of("--as-of", "2026-05-31", AS_OF_DATE="2026-06-10") == ("2026-05-31", "--as-of")


def test_the_sample_of_difficult_cases(terminal: Terminal) -> None:
    reply = terminal.json("ask", "How much does Paket 📦 Express owe?", "--tricky")
    assert "888,00" in reply["answer"]
    assert reply == reply | {"refused": False}
    assert terminal.json("--profile", "tricky", "ask", "How much does BMW owe?")["refused"] is False


def test_another_locale(terminal: Terminal) -> None:
    answer = terminal.json("ask", "How much does Bergmann owe?", "--locale", "en_GB")["answer"]
    assert "€43,805.00" in answer


def test_bytes_that_are_no_text_are_declined_and_recorded(terminal: Terminal) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "footnote_desktop", "ask", b"How much does \xff\xfeBerg\xed\xa0\x80 owe?", "--json"],
        env=terminal.env,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["refused"] is True


# -- call ----------------------------------------------------------------------------------------------------------


def test_one_operation(terminal: Terminal) -> None:
    reply = terminal.json("call", "getOverdueInvoices", "--args", '{"customer": "Bergmann", "asOfDate": "2026-08-14"}')
    assert {"isError", "message", "values", "claims", "evidence", "emptyReason", "provenance"} <= reply.keys()
    assert reply["isError"] is False
    assert reply["values"]["totalOutstandingCents"] == 4380500
    assert reply["values"]["openBalanceCents"] == 5480500
    assert reply["emptyReason"] is None
    record = terminal.json("records")["records"][0]
    assert record["question"] == "[direct tool call] getOverdueInvoices"
    assert record["operations"][0]["client"]["transport"] == "cli"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("getOverdueInvoices", '{"customer": "Bergmann", "color": "red"}'),
        ("getOverdueInvoices", '{"customer": "Bergmann", "asOfDate": "2026-02-31"}'),
        ("getOverdueInvoices", '{"customer": "Nobody"}'),
        ("getOverdueInvoices", "{}"),
        ("dropTables", "{}"),
    ],
)
def test_a_refused_argument_exits_1_with_is_error(terminal: Terminal, name: str, arguments: str) -> None:
    reply = terminal.json("call", name, "--args", arguments, code=1)
    assert reply["isError"] is True
    assert reply["message"]
    assert reply["values"] is None
    assert terminal.json("records")["records"][0]["operations"][0]["outcome"] == "refused"


@pytest.mark.parametrize("arguments", ["{", "[]", "NaN", '{"customer": NaN}', "null", "", "[" * 100_000])
def test_arguments_that_are_no_json_object_exit_2(terminal: Terminal, arguments: str) -> None:
    reply = terminal.json("call", "getOverdueInvoices", "--args", arguments, code=2)
    assert set(reply) == {"error"}
    assert set(reply["error"]) == {"message", "advice"}
    assert not terminal.log.exists()


def test_the_operations_are_listed(terminal: Terminal) -> None:
    names = [operation["name"] for operation in terminal.json("operations")["operations"]]
    assert names[:5] == [
        "getOverdueInvoices", "getCustomerSummary", "getPaymentHistory", "getOpenTickets", "getReceivablesAging"
    ]  # fmt: skip
    assert "getOverdueInvoices(customer, [asOfDate])" in terminal.run("operations").stdout


# -- what could not run --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ("sing",),
        (),
        ("ask",),
        ("ask", "x", "--colour"),
        ("records", "--limit", "0"),
        ("records", "--limit", "many"),
        ("export",),
        ("ask", "owe", "--as-of", "2026-02-31"),
        ("ask", "owe", "--as-of", "tomorrow"),
        ("ask", "owe", "--locale", "xx_YY"),
        ("ask", "owe", "--profile", "nowhere"),
        ("ask", "owe", "--profile", "environment"),
        ("export", "9-3", "--to", "x.json"),
    ],
)
def test_what_cannot_run_exits_2_and_says_what_to_do(terminal: Terminal, args: tuple[str, ...]) -> None:
    reply = terminal.json(*args, code=2)
    assert reply["error"]["message"]
    assert reply["error"]["advice"]
    done = terminal.run(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert reply["error"]["message"] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom file permissions stop")
def test_a_folder_that_cannot_be_written_gives_no_answer(terminal: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    _no_answer(terminal, str(folder / "log.sqlite3"))


def test_a_log_that_cannot_be_made_gives_no_answer(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    _no_answer(terminal, str(tmp_path / "file" / "log.sqlite3"))
    _no_answer(terminal, str(tmp_path))
    (tmp_path / "other.sqlite3").write_bytes(b"something else entirely")
    _no_answer(terminal, str(tmp_path / "other.sqlite3"))


def _no_answer(terminal: Terminal, log: str) -> None:
    for args in (("ask", "How much does Bergmann owe?"), ("call", "getReceivablesAging"), ("ask", "nonsense")):
        done = terminal.run(*args, "--json", "--log", log)
        assert done.returncode == 2
        assert set(json.loads(done.stdout)) == {"error"}
        assert "43.805" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_database_that_does_not_answer_exits_2_and_no_password_is_shown(terminal: Terminal) -> None:
    url = "postgresql://reader:geheim@127.0.0.1:1/erp?password=geheim2"
    for args in (("ask", "How much does Bergmann owe?"), ("call", "getReceivablesAging")):
        done = terminal.run(*args, "--json", DATABASE_URL=url)
        assert done.returncode == 2
        assert json.loads(done.stdout)["error"]["message"]
        assert "geheim" not in done.stdout + done.stderr
        assert "sample" not in done.stderr
    assert b"geheim" not in terminal.log.read_bytes()
    assert terminal.json("records", DATABASE_URL=url)["records"][0]["operations"][0]["reasonKind"] == "unavailable"


def test_a_fault_of_our_own_is_one_document_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault(args: object) -> int:
        raise RuntimeError("postgresql://u:geheim@host/db exploded")

    monkeypatch.setattr(cli, "_operations", fault)
    assert cli.main(["operations", "--json"]) == 2
    out, err = capsys.readouterr()
    assert "fault of Footnote" in json.loads(out)["error"]["message"]
    assert "geheim" not in out + err


# -- the log -------------------------------------------------------------------------------------------------------


def test_verify_says_what_it_finds(terminal: Terminal, tmp_path: Path) -> None:
    terminal.run("ask", "How much does Bergmann owe?")
    verdict = terminal.json("verify")
    assert (verdict["state"], verdict["count"], verdict["failedAt"], verdict["kind"]) == (
        "intact", 1, None, "footnote-log"
    )  # fmt: skip
    text = terminal.run("verify").stdout
    assert "unchanged since recorded" in text
    for word in ("correct", "verified"):
        assert word not in text
    missing = terminal.json("verify", str(tmp_path / "mistyped.sqlite3"), code=2)
    assert missing["state"] == "missing"
    assert missing["error"]["message"]
    assert not (tmp_path / "mistyped.sqlite3").exists()


def test_verify_knows_the_peers_files(terminal: Terminal, shared: Path) -> None:
    peer = shared / "peers/footnote"
    assert terminal.json("verify", str(peer / "peer-log.sqlite3"))["state"] == "intact"
    assert terminal.json("verify", str(peer / "peer-export.json"))["state"] == "intact"
    tampered = terminal.json("verify", str(peer / "peer-log-tampered.sqlite3"), code=1)
    assert (tampered["state"], tampered["failedAt"]) == ("contentChanged", 5)


def test_records_and_export(terminal: Terminal, tmp_path: Path) -> None:
    for question in ("How much does Bergmann owe?", "Who is Petrov?", "How much does Acme owe?"):
        terminal.run("ask", question)
    assert [r["sequence"] for r in terminal.json("records")["records"]] == [3, 2, 1]
    assert [r["sequence"] for r in terminal.json("records", "--limit", "1")["records"]] == [3]
    assert [r["sequence"] for r in terminal.json("records", "--search", "petrov")["records"]] == [2]
    assert "Who is Petrov?" in terminal.run("records").stdout
    for name, count, selection in [("all.json", 3, ()), ("some.jsonl", 2, ("1,3",)), ("two.json", 2, ("2-3",))]:
        manifest = terminal.json("export", *selection, "--to", str(tmp_path / name))
        assert manifest["records"] == count
        assert (tmp_path / name).stat().st_size == manifest["bytes"]
    assert terminal.json("verify", str(tmp_path / "all.json"))["state"] == "intact"
    reply = terminal.json("export", "--to", str(tmp_path / "x.docx"), code=2)
    assert ".json" in reply["error"]["advice"]
    assert not (tmp_path / "x.docx").exists()


def test_looking_at_a_log_that_is_not_there_makes_none(terminal: Terminal, tmp_path: Path) -> None:
    for args in (("records",), ("verify",), ("export", "--to", str(tmp_path / "x.json"))):
        assert terminal.json(*args, code=2)["error"]["message"]
    assert not terminal.log.exists()


def test_without_a_named_log_it_goes_to_the_users_data_folder(terminal: Terminal, tmp_path: Path) -> None:
    home = {"PROVENANCE_DB": "", "XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
    terminal.json("ask", "How much does Bergmann owe?", **home)
    assert terminal.json("verify", **home)["count"] == 1


# -- manners -------------------------------------------------------------------------------------------------------


def test_the_options_may_stand_before_or_after_the_command(terminal: Terminal) -> None:
    for args in (["--json", "operations"], ["operations", "--json"]):
        assert json.loads(terminal.run(*args).stdout)["operations"]


def test_names_can_be_printed_whatever_the_console_says(terminal: Terminal) -> None:
    done = terminal.run("ask", "Tell me about Lumière", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0
    assert "Lumière" in done.stdout


def test_a_reader_that_has_read_enough_is_no_error(terminal: Terminal) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "footnote_desktop", "operations", "--json"],
        env=terminal.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(60)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_ends_it_cleanly(terminal: Terminal) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "footnote_desktop", "ask", "-"],
        env=terminal.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(1.5)  # it waits for the question by now
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


def test_progress_is_told_after_a_second(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(cli.time, "monotonic", lambda: now)
    progress = cli._Progress("verified")
    progress(10, 5000)
    assert capsys.readouterr().err == ""
    now = 101.5
    progress(1000, 5000)
    progress(1001, 5000)
    assert capsys.readouterr().err == "verified: 1,000 of 5,000 records\n"


def test_help_and_version_exit_0(terminal: Terminal) -> None:
    assert "ask" in terminal.run("--help").stdout
    assert terminal.run("--version").stdout.startswith("footnote 0.")
    assert terminal.run("ask", "--help").returncode == 0


HEAVY = ("PySide6", "psycopg", "sqlglot", "babel", "mcp", "pydantic", "rapidfuzz", "keyring", "tomlkit")


@pytest.mark.parametrize(
    ("args", "heavy"),
    [
        ("['--version']", HEAVY),
        ("['records', '--json']", (*HEAVY, "footnote_desktop.catalog")),
        ("['verify', '--json']", (*HEAVY, "footnote_desktop.catalog")),
        ("['ask', 'How much does Bergmann owe?', '--json']", ("PySide6", "psycopg", "mcp", "keyring", "tomlkit")),
    ],
)
def test_a_command_imports_only_what_it_needs(terminal: Terminal, args: str, heavy: tuple[str, ...]) -> None:
    code = (
        "import sys, io, contextlib\n"
        "from footnote_desktop.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({args})\n"
        "print(' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=terminal.env, capture_output=True, text=True, timeout=60)
    loaded = done.stdout.split()
    assert "footnote_desktop.cli" in loaded
    assert not [name for name in heavy if name in loaded]
