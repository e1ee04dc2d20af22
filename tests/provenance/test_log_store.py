"""Records go in, stay as they were, and come out again; what cannot be done is said in words."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import rfc8785

from footnote_desktop.provenance.errors import LogError
from footnote_desktop.provenance.record import GENESIS, Draft
from footnote_desktop.provenance.store import CUT_AT, SqliteLog, open_log
from footnote_desktop.provenance.verify import verify

Make = Callable[..., Draft]
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


def test_a_record_is_hashed_as_it_is_stored(log: SqliteLog, draft: Make, path: Path) -> None:
    first, second = log.append(draft("One")), log.append(draft("Two"))
    assert (first.sequence, second.sequence) == (1, 2)
    assert first.previous_hash == GENESIS
    assert second.previous_hash == first.hash
    assert uuid.UUID(first.id).version == 4
    members = second.to_json()
    assert list(members) == [
        *("id", "sequence", "timestamp", "actor", "question", "answer", "claims", "operations", "evidence"),
        *("previousHash", "hash"),
    ]
    digest = members.pop("hash")
    assert hashlib.sha256(rfc8785.dumps(members)).hexdigest() == digest
    assert second.canon == rfc8785.dumps(members)
    with sqlite3.connect(path) as other:
        canon, cuts, stored = other.execute("SELECT canon, cuts, hash FROM record WHERE seq = 2").fetchone()
    other.close()
    assert (canon, cuts, stored.hex()) == (second.canon, None, second.hash)


def test_what_was_appended_is_what_is_read(log: SqliteLog, draft: Make, path: Path) -> None:
    written = [log.append(draft(f"Question {number}")) for number in range(1, 4)]
    log.close()
    with open_log(path, create=False) as again:
        assert again.head() == (3, written[-1].hash)
        assert again.count() == 3
        assert again.get(written[1].id) == written[1]
        assert again.get(2) == again.get("2") == written[1]
        assert again.get(4) is None
        assert again.get("no such id") is None
        assert [record.sequence for record in again.records()] == [3, 2, 1]
        assert [record.sequence for record in again.records(limit=1, before=3)] == [2]
        assert again.append(draft("Four")).previous_hash == written[-1].hash


def test_an_empty_log(log: SqliteLog) -> None:
    assert log.head() == (0, GENESIS)
    assert log.count() == 0
    assert log.records() == []
    assert log.get(1) is None


def test_the_actor_stands_in_the_record_with_how_it_is_known(log: SqliteLog, draft: Make) -> None:
    record = log.append(draft())
    assert record.actor == {"id": "ana@desk", "role": "controller"}
    assert record.operations[0]["actor"]["knownBy"] == "the test"
    refusal = log.append(draft("What will revenue be?", operations=[], claims=[], evidence=[]))
    assert refusal.operations == [{"name": "none", "arguments": {}, "actor": record.operations[0]["actor"]}]


@pytest.mark.parametrize("hostile", ["How much\ud800?", "How\x00much?", "\udfff" * 10])
def test_text_that_json_cannot_hold_is_recorded_and_said_so(
    log: SqliteLog, draft: Make, path: Path, hostile: str
) -> None:
    record = log.append(draft(hostile, claims=[{"text": hostile, "evidenceIds": [], "origin": "structured"}]))
    assert "\ufffd" in record.question
    assert record.operations[0]["replaced"] == ["question", "claims"]
    after = log.append(draft())
    assert "replaced" not in after.operations[0]
    log.close()
    assert verify(path).ok


def test_money_beyond_doubles_becomes_text(log: SqliteLog, draft: Make) -> None:
    record = log.append(draft(operations=[{"name": "x", "arguments": {"cents": 9007199254740993}}]))
    assert record.operations[0]["arguments"] == {"cents": "9007199254740993"}
    assert record.operations[0]["replaced"] == ["operations"]


def test_the_record_does_not_follow_what_its_maker_does_later(log: SqliteLog, draft: Make) -> None:
    claims: list[dict[str, Any]] = [{"text": "1", "evidenceIds": [], "origin": "structured"}]
    record = log.append(draft(claims=claims))
    claims[0]["text"] = "2"
    assert record.claims[0]["text"] == "1"


def test_appending_twice_is_one_record(log: SqliteLog, draft: Make) -> None:
    once = draft()
    first = log.append(once)
    log.append(draft("Something else"))
    assert log.append(once) == first
    assert log.count() == 2
    with pytest.raises(LogError, match="has the id"):
        log.append(draft("Another question under the same id", id=once.id))
    assert log.count() == 2


def test_the_sequence_orders_not_the_clock(path: Path, draft: Make) -> None:
    times = iter([1_786_000_000.0, 1_700_000_000.0, 1_786_000_000.0004])
    with open_log(path, clock=lambda: next(times)) as log:
        stamps = [log.append(draft(str(number))).timestamp for number in range(3)]
    assert stamps == ["2026-08-06T07:06:40.000Z", "2023-11-14T22:13:20.000Z", "2026-08-06T07:06:40.000Z"]
    assert verify(path).ok


def test_search_finds_words_whatever_their_case_and_accents(log: SqliteLog, draft: Make) -> None:
    log.append(draft("How much does Lumière Packaging owe?"))
    log.append(draft("Was schuldet Österreich Post?", answer="Nichts: 100 % bezahlt, 0,00\u00a0€.", claims=[]))
    found = lambda search: [record.sequence for record in log.records(search)]  # noqa: E731
    assert found("lumiere") == found("LUMIÈRE packaging") == [1]
    assert found("osterreich") == found("post schuldet") == [2]
    assert found("43.805,00 €") == [1]
    assert found(",00 €") == [2, 1]
    assert found("100 %") == [2]
    assert found("%") == [2]  # a character like any other
    assert found("getoverdueinvoices") == [2, 1]
    assert found("lumiere post") == []
    assert found("") == found("  ") == [2, 1]


def test_large_values_are_stored_once_and_read_back_whole(log: SqliteLog, draft: Make, path: Path) -> None:
    rows = [
        {"id": f"invoice:{n}", "type": "invoice", "recordId": str(n), "label": "é", "uri": "", "fields": {"a": "1.00"}}
        for n in range(1000)
    ]
    operations = [{"name": "x" * CUT_AT, "arguments": {}}]
    written = [
        log.append(draft(f"Aging {n}", evidence=rows, answer="A" * CUT_AT, operations=operations, claims=[]))
        for n in range(5)
    ]
    for record in written:
        found = log.get(record.id)
        assert found is not None
        assert found == record
        assert hashlib.sha256(found.canon).hexdigest() == record.hash
    parts = log._db.execute("SELECT count(*) FROM part").fetchone()[0]
    assert parts == 3  # answer, evidence and operations, however often
    log.close()
    assert verify(path).ok
    assert path.stat().st_size < len(written[0].canon)


def test_attachments_are_stored_once_and_only_with_their_record(log: SqliteLog, draft: Make) -> None:
    rows = b'{"id":"invoice:1"}\n' * 500
    digest = hashlib.sha256(rows).hexdigest()
    assert log.attachment(digest) is None
    log.append(draft(), [rows, rows])
    log.append(draft(), [rows, b"more"])
    assert log.attachment(digest) == rows
    assert sorted(log.attachments()) == sorted([digest, hashlib.sha256(b"more").hexdigest()])
    assert log.attachment("zz") is None
    once = draft()
    log.append(once)
    with pytest.raises(LogError):
        log.append(draft("Refused: the id is taken", id=once.id), [b"must not stay"])
    assert log.attachment(hashlib.sha256(b"must not stay").hexdigest()) is None


def test_memory_only_when_asked_for(draft: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_log(":memory:") as log:
        log.append(draft())
        assert log.count() == 1
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(LogError, match="empty"):
        open_log("")


@posix
def test_the_folder_and_file_are_for_their_owner(tmp_path: Path, draft: Make) -> None:
    path = tmp_path / "data" / "logs" / "log.sqlite3"
    with open_log(path) as log:
        log.append(draft())
        for name in path.parent.iterdir():
            assert stat.S_IMODE(name.stat().st_mode) == 0o600, name
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(name.name for name in path.parent.iterdir()) == ["log.sqlite3", "log.sqlite3.lock"]


def test_a_path_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for path in (tmp_path / "mistyped.sqlite3", tmp_path / "no" / "folder" / "log.sqlite3"):
        with pytest.raises(LogError, match="There is no log at") as caught:
            open_log(path, create=False)
        assert str(path) in caught.value.message
        with pytest.raises(LogError):
            open_log(path, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_paths_that_cannot_be_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("not a log")
    (tmp_path / "foreign.db").write_bytes(b"")
    with sqlite3.connect(tmp_path / "foreign.db") as database:
        database.execute("CREATE TABLE invoices (id)")
    database.close()
    before = sorted(tmp_path.iterdir())
    for path, message in [
        (".", "is a folder"),
        ("file", "is not a Footnote log"),
        ("file/log.sqlite3", "is a file"),
        ("foreign.db", "another program's database"),
    ]:
        with pytest.raises(LogError, match=message) as caught:
            open_log(path)
        assert caught.value.advice
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "not a log"


@pytest.fixture
def ordinary(tmp_path: Path) -> Iterator[Path]:
    """A folder for a test that is not run as root: root may write everywhere, so the test is somebody else."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


@posix
def test_a_read_only_folder_or_file_says_so(ordinary: Path, draft: Make) -> None:
    path = ordinary / "fixed" / "log.sqlite3"
    path.parent.mkdir()
    path.parent.chmod(0o500)
    with pytest.raises(LogError, match="cannot be kept in") as caught:
        open_log(path)
    assert "right to write" in caught.value.advice
    path.parent.chmod(0o700)
    with open_log(path) as log:
        log.append(draft())
    path.chmod(0o400)
    with pytest.raises(LogError, match="cannot be written") as caught:
        open_log(path)
    assert "right to write" in caught.value.advice
    path.parent.chmod(0o500)
    assert verify(path).ok
    with open_log(path, read_only=True) as log:
        assert log.count() == 1
    path.chmod(0o000)
    for use in (verify, open_log):
        with pytest.raises(LogError, match="cannot be"):
            use(path)
    path.parent.chmod(0o700)


@pytest.mark.parametrize(
    "url",
    [
        "postgres://ana:hunter2@db.example/erp",
        "postgresql://ana:hunter2@db.example/erp?password=hunter2",
        "mysql://ana:hunter2@db.example/erp",
        "PostgreSQL://ana:hunter2@db.example/erp",
    ],
)
def test_addresses_are_refused_without_their_passwords(url: str) -> None:
    for use in (open_log, verify):
        with pytest.raises(LogError) as caught:
            use(url)
        assert "hunter2" not in str(caught.value)
        assert "ana" not in caught.value.message
    if url.lower().startswith("postgres"):
        assert "not available yet" in caught.value.message


def test_addresses_of_files(tmp_path: Path, draft: Make) -> None:
    with open_log(f"sqlite:///{tmp_path}/a.sqlite3") as log:
        log.append(draft())
    with open_log((tmp_path / "a.sqlite3").as_uri()) as log:
        assert log.count() == 1


def test_a_newer_format_is_left_alone(five: Path, attack: Callable[..., None]) -> None:
    attack(five, "PRAGMA user_version = 99")
    content = five.read_bytes()
    for options in ({}, {"read_only": True}):
        with pytest.raises(LogError, match="newer version"):
            open_log(five, **options)
    verdict = verify(five)
    assert verdict.state == "unknownFormat"
    assert "newer version" in verdict.reason
    assert five.read_bytes() == content


def test_an_empty_file_becomes_a_log_only_when_one_is_to_be_made(path: Path, draft: Make) -> None:
    path.touch()  # what a process leaves that is killed at the wrong moment
    with pytest.raises(LogError, match="is empty"):
        open_log(path, create=False)
    with open_log(path) as log:
        log.append(draft())
    assert verify(path).count == 1


def test_read_only_changes_nothing(five: Path, draft: Make) -> None:
    five.with_name(five.name + ".lock").unlink()
    before = {name: name.read_bytes() for name in five.parent.iterdir()}
    with open_log(five, read_only=True) as log:
        assert log.read_only
        assert [record.sequence for record in log.records("question")] == [5, 4, 3, 2, 1]
        with pytest.raises(LogError, match="only read"):
            log.append(draft())
    assert {name: name.read_bytes() for name in five.parent.iterdir()} == before


def test_a_reader_sees_what_a_writer_wrote(log: SqliteLog, draft: Make, path: Path) -> None:
    log.append(draft())
    with open_log(path, read_only=True) as reader:
        assert reader.count() == 1
        log.append(draft())
        assert reader.count() == 2


def test_a_full_disk_loses_nothing_and_says_so(log: SqliteLog, draft: Make, path: Path) -> None:
    log.append(draft())
    pages = log._db.execute("PRAGMA page_count").fetchone()[0]
    log._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LogError, match="is full"):
        log.append(draft("Too much", evidence=[{"id": "x", "fields": {"a": os.urandom(50_000).hex()}}]))
    assert log.count() == 1
    log._db.execute("PRAGMA max_page_count = 1000000")
    assert log.append(draft()).sequence == 2
    log.close()
    assert verify(path).ok


def test_a_log_that_stays_locked_says_so(five: Path, draft: Make) -> None:
    with open_log(five) as holder, open_log(five, timeout=0.2) as log:
        assert isinstance(holder, SqliteLog)
        assert holder._lock is not None
        with holder._lock.held():
            with pytest.raises(LogError, match=r"locked for 0\.2 seconds"):
                log.append(draft())
            with pytest.raises(LogError, match="locked"):
                open_log(five, timeout=0.1)
        # a program that knows nothing of the lock file
        other = sqlite3.connect(five, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogError, match="locked by another program"):
            log.append(draft())
        other.execute("ROLLBACK")
        other.close()
        assert log.append(draft()).sequence == 6


@posix
def test_a_log_deleted_or_replaced_while_open_takes_no_more_records(log: SqliteLog, draft: Make, path: Path) -> None:
    log.append(draft())
    path.rename(path.with_suffix(".moved"))
    with pytest.raises(LogError, match="deleted or replaced"):
        log.append(draft())
    path.write_bytes(b"")
    with pytest.raises(LogError, match="deleted or replaced"):
        log.append(draft())


def test_a_closed_log_says_so(log: SqliteLog, draft: Make) -> None:
    log.close()
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append(draft())
    with pytest.raises(LogError, match="closed"):
        log.records()


def test_a_record_that_cannot_be_read_points_to_verify(five: Path, attack: Callable[..., None]) -> None:
    attack(five, "UPDATE record SET canon = x'00' WHERE seq = 2")
    with open_log(five) as log:
        assert log.get(1) is not None
        with pytest.raises(LogError, match="Record 2") as caught:
            log.records()
        assert "footnote verify" in caught.value.advice


def test_appending_costs_the_same_in_a_long_log(draft: Make) -> None:
    """Counted in steps of SQLite's machine, not in time."""

    def steps(log: SqliteLog) -> int:
        count = 0

        def step() -> int:
            nonlocal count
            count += 1
            return 0

        log._db.set_progress_handler(step, 1)
        log.append(draft(), [os.urandom(20)])
        log._db.set_progress_handler(None, 1)
        return count

    with open_log(":memory:") as log:
        assert isinstance(log, SqliteLog)
        small = Draft("Q", "A", [], [{"name": "x"}], [], draft().actor)
        for _ in range(10):
            log.append(Draft("Q", "A", [], [{"name": "x"}], [], small.actor), [os.urandom(20)])
        short = steps(log)
        for _ in range(20_000 - log.count()):
            log.append(Draft("Q", "A", [], [{"name": "x"}], [], small.actor), [os.urandom(20)])
        long = steps(log)
    assert short > 20
    assert long <= short + 5


def test_opening_the_log_imports_little() -> None:
    code = (
        "import sys; before = set(sys.modules); import footnote_desktop.provenance.store;"
        "import json; print(json.dumps(sorted(m.partition('.')[0] for m in set(sys.modules) - before)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    imported = set(json.loads(printed))
    assert not imported & {"pydantic", "sqlglot", "PySide6", "psycopg", "babel", "mcp", "rapidfuzz", "asyncio", "email"}


def test_orjson_reads_what_is_stored(log: SqliteLog, draft: Make) -> None:
    record = log.append(draft("emoji \U0001f600 and \u00a0 and é", answer="\x1f\x7f"))
    assert orjson.loads(record.canon)["question"] == "emoji \U0001f600 and \u00a0 and é"
    assert orjson.loads(record.canon)["answer"] == "\x1f\x7f"
