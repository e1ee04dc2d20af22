"""``footnote check`` and ``footnote profile`` as processes, against a real PostgreSQL."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from footnote_desktop.answers.desk import open_desk
from footnote_desktop.catalog.confirmations import (
    tie_out_draft,
    with_tie_out,
    with_writer_override,
    writer_override_draft,
)
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.store import open_log
from footnote_desktop.settings import data_folder, load_profile, new_profile, parse_date, save_profile

PASSWORD = "c0rrect-h0rse-battery"
ADA = Actor("ada@desk", "controller")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    # No keyring of the machine is touched, and there is none that could be used.
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    return tmp_path


@pytest.fixture
def books(pg_database: str) -> Iterator[str]:
    """The URL of a role that can only read; ``can_write_…`` can do more."""
    seed_postgres(pg_database, data_folder("migrations"))
    database = urlsplit(pg_database).path[1:]
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC")
        for name in (f"reads_{database}", f"can_write_{database}"):
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
            connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
        connection.execute(f"GRANT UPDATE (paid_cents) ON invoices TO can_write_{database}")
        parts = urlsplit(pg_database)
        yield parts._replace(netloc=f"reads_{database}@{parts.hostname}:{parts.port}").geturl()
        for name in (f"reads_{database}", f"can_write_{database}"):
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


def writer_of(books: str) -> str:
    return books.replace("reads_", "can_write_")


def run(*args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "footnote_desktop", *args],
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def as_json(*args: str, code: int = 0, text: str = "") -> Any:
    done = run(*args, "--json", text=text)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


# -- check ---------------------------------------------------------------------------------------------------------


def test_a_role_that_can_only_read_passes(books: str) -> None:
    report = as_json("check", books)
    assert report["ok"] is True
    assert {"ok", "items", "erp", "operations", "roleSql"} <= report.keys()
    assert {"name", "state", "sentence", "advice", "ms"} <= report["items"][0].keys()
    assert all(operation["available"] for operation in report["operations"])
    done = run("check", books)
    assert done.returncode == 0
    assert done.stdout.endswith("This connection can be used.\n")


def test_a_role_that_can_write_fails_with_the_sql_for_a_better_one(books: str) -> None:
    report = as_json("check", writer_of(books), code=1)
    assert report["ok"] is False
    assert "GRANT SELECT" in report["roleSql"]
    done = run("check", writer_of(books))
    assert done.returncode == 1
    assert "For the database's administrator:" in done.stdout
    assert report["roleSql"] in done.stdout


def test_nothing_that_listens_fails_and_is_no_fault() -> None:
    report = as_json("check", "postgresql://someone@127.0.0.1:1/nothing", code=1)
    assert any(item["state"] == "fail" for item in report["items"])


def test_the_sample_passes_and_the_check_creates_no_log(home: Path) -> None:
    assert as_json("check")["ok"] is True
    assert not list(home.rglob("*.sqlite3"))


def test_a_profile_whose_password_is_not_there_could_not_be_checked(books: str) -> None:
    as_json("profile", "add", "Books", "--url", books, "--password-from", "ask")
    failed = as_json("check", "--profile", "Books", code=2)
    assert "was not given yet" in failed["error"]["message"]
    assert as_json("check", "--profile", "Nowhere", code=2)["error"]


# -- profile -------------------------------------------------------------------------------------------------------


def test_a_profile_from_adding_to_removing(books: str) -> None:
    assert as_json("profile", "list") == {"profiles": []}
    added = as_json("profile", "add", "Books", "--url", books, "--company", "Sample company")["profile"]
    assert added["connection"]["user"].startswith("reads_")
    assert added["passwordFrom"] == "libpq"
    assert added["reconciliation"] == "not reconciled to the ledger"
    assert as_json("profile", "show", "Books") == {"profile": added}
    assert [p["name"] for p in as_json("profile", "list")["profiles"]] == ["Books"]
    assert as_json("check", "--profile", "Books")["ok"] is True
    reply = as_json("ask", "How much does Bergmann owe?", "--profile", "Books", "--as-of", "2026-08-14")
    assert "54.805,00" in reply["answer"]
    log = as_json("profile", "remove", "Books")["log"]
    assert Path(log).is_file()
    assert as_json("profile", "list") == {"profiles": []}
    assert as_json("profile", "remove", "Books", code=2)["error"]


def test_in_words(books: str) -> None:
    done = run("profile", "add", "Books", "--url", books, "--locale", "en_US", "--as-of-rule", "period_end")
    assert done.returncode == 0
    assert done.stdout.startswith("The profile Books is saved in ")
    assert "footnote check --profile 'Books'" in done.stderr
    assert "on 127.0.0.1 as reads_" in run("profile", "list").stdout
    shown = run("profile", "show", "Books").stdout
    assert "en_US" in shown
    assert "rule=period_end" in shown
    assert "Its log stays" in run("profile", "remove", "Books").stdout


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("profile",), "Say what to do"),
        (("profile", "show", "Nobody"), "There is no profile 'Nobody'"),
        (("profile", "add", "Books"), "--url"),
        (("profile", "add", "../x", "--url", "host=h dbname=d"), "name"),
        (("profile", "add", "Books", "--url", "postgresql://u@[h/d"), "cannot be read"),
        (("profile", "add", "Books", "--url", "host=h dbname=d", "--as-of", "2026-02-30"), "calendar date"),
        (
            ("profile", "add", "Books", "--url", "host=h dbname=d", "--password-from", "keyring"),
            "No password was given",
        ),
    ],
)
def test_what_cannot_be_done_exits_2(args: tuple[str, ...], part: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert part in done.stderr


def test_a_name_is_taken_once() -> None:
    assert run("profile", "add", "Books", "--url", "host=h dbname=d").returncode == 0
    again = run("profile", "add", "books", "--url", "host=h dbname=d")
    assert again.returncode == 2
    assert "already" in again.stderr


def test_one_broken_file_hides_no_other(home: Path) -> None:
    assert run("profile", "add", "Books", "--url", "host=h dbname=d").returncode == 0
    (file,) = home.rglob("Books.toml")
    file.with_name("Broken.toml").write_text("version = [")
    listed = as_json("profile", "list")["profiles"]
    assert [("error" in p, p["name"]) for p in listed] == [(False, "Books"), (True, "Broken")]


def test_without_a_keyring_a_password_goes_nowhere(home: Path, books: str) -> None:
    for args, text in ((("--url", books), PASSWORD + "\n"), (("--url", books.replace("@", f":{PASSWORD}@")), "")):
        done = run("profile", "add", "Books", *args, text=text)
        assert done.returncode == 2
        assert "keyring" in done.stderr
        assert PASSWORD not in done.stdout + done.stderr
    assert not [f for f in home.rglob("*") if f.is_file() and PASSWORD.encode() in f.read_bytes()]
    assert not list(home.rglob("Books.toml"))


def test_a_password_is_kept_in_the_keyring(home: Path, books: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A keyring made for this test, which keeps in a file outside the folders of Footnote."""
    kept = home / "elsewhere"
    kept.mkdir()
    (kept / "testing_keyring.py").write_text(
        "import pathlib\nfrom keyring.backend import KeyringBackend\n"
        "FILE = pathlib.Path(__file__).with_name('kept')\n"
        "class Ring(KeyringBackend):\n    priority = 1\n"
        "    def get_password(self, s, u): return FILE.read_text() if FILE.exists() else None\n"
        "    def set_password(self, s, u, p): FILE.write_text(p)\n"
        "    def delete_password(self, s, u): FILE.unlink()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(kept))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "testing_keyring.Ring")
    added = as_json("profile", "add", "Books", "--url", books, text=PASSWORD + "\n")["profile"]
    assert added["passwordFrom"] == "keyring"
    assert (kept / "kept").read_text() == PASSWORD
    assert as_json("check", "--profile", "Books")["ok"] is True
    as_json("profile", "remove", "Books")
    assert not (kept / "kept").exists()


def test_at_a_terminal_the_password_is_asked_for_and_not_shown(books: str) -> None:
    assert run("profile", "add", "Books", "--url", books, "--password-from", "ask").returncode == 0
    main, side = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "footnote_desktop", "check", "--profile", "Books"],
        stdin=side,
        stdout=subprocess.PIPE,
        stderr=side,
        start_new_session=True,
    ) as process:
        os.close(side)
        seen = b""
        while b"Password of the profile Books" not in seen:
            seen += os.read(main, 1000)
        os.write(main, PASSWORD.encode() + b"\n")
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(60) == 0, said
    os.close(main)
    assert PASSWORD.encode() not in said


# -- what was confirmed, and what was not --------------------------------------------------------------------------


def test_a_hand_edited_override_opens_nothing(books: str) -> None:
    profile, _ = new_profile("Books", writer_of(books))
    with open_log(profile.log) as log:
        record = log.append(writer_override_draft(profile, ADA, by="Ada", reason="until May", findings=["It writes."]))
    allowed = with_writer_override(profile, record)
    file = save_profile(allowed)
    question = ("ask", "How much does Bergmann owe?", "--profile", "Books", "--as-of", "2026-08-14")
    assert "54.805,00" in as_json(*question)["answer"]
    file.write_text(file.read_text().replace(record.id, "00000000-0000-4000-8000-000000000000"))
    assert load_profile("Books").writer_override is not None
    assert "can do more than read" in as_json(*question, code=2)["error"]["message"]


def test_until_it_is_tied_out_every_answer_says_so(books: str) -> None:
    profile, _ = new_profile("Books", books)
    save_profile(profile)
    words = "not reconciled to the ledger"
    question = ("ask", "How much does Bergmann owe?", "--profile", "Books", "--as-of", "2026-08-14")
    reply = as_json(*question)
    assert reply["reconciliation"] == words
    assert reply["operations"][0]["reconciliation"] == words
    assert as_json("call", "getReceivablesAging", "--profile", "Books")["reconciliation"] == words
    assert as_json("ask", "Tell me a joke", "--profile", "Books", code=1)["reconciliation"] == words
    assert "\nNot reconciled to the ledger.\n" in run(*question).stdout
    records = as_json("records", "--profile", "Books")["records"]
    assert all(record["operations"][0]["reconciliation"] == words for record in records)

    control = [{"company": "1", "currency": "EUR", "items": "1.00", "ledger": "1.00", "difference": "0.00"}]
    draft = tie_out_draft(profile, ADA, by="Ada", as_of=parse_date("2026-07-31", "day"), control=control)
    with open_log(profile.log) as log:
        record = log.append(draft)
    save_profile(with_tie_out(profile, record))
    reply = as_json(*question)
    assert reply["reconciliation"] is None
    assert "reconciliation" not in reply["operations"][0]
    with open_desk(load_profile("Books")) as desk:
        assert desk.profile.reconciliation is None


def test_the_sample_has_nothing_to_reconcile() -> None:
    reply = as_json("ask", "How much does Bergmann owe?")
    assert reply["reconciliation"] is None
    assert "reconcil" not in run("ask", "How much does Bergmann owe?").stdout
