"""Verification finds what was changed, says where, changes nothing itself, and claims no more than it knows."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.errors import LogCancelledError, LogError
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import APPLICATION_ID, open_log
from footnote_desktop.provenance.verify import Verdict, verify

Make = Callable[..., Draft]
Attack = Callable[..., None]


def found(verdict: Verdict) -> tuple[str, int | None, int, int]:
    return verdict.state, verdict.failed_at, verdict.count, verdict.proven


def test_an_intact_log(five: Path) -> None:
    verdict = verify(five)
    assert found(verdict) == ("intact", None, 5, 5)
    assert verdict.ok
    assert verdict.kind == "footnote-log"
    assert verdict.figures == 5
    assert "5 records are unchanged since recorded, as far as a plain hash chain can tell" in verdict.reason
    assert "cut off cannot be seen" in verdict.reason
    assert "correct" not in verdict.reason
    assert verdict.to_json() == {
        "ok": True,
        "state": "intact",
        "count": 5,
        "failedAt": None,
        "reason": verdict.reason,
        "advice": "",
        "checkpoint": None,
        "kind": "footnote-log",
        "proven": 5,
        "figures": 5,
        "figuresUnchecked": 0,
    }


@pytest.mark.parametrize(
    ("statement", "expected", "reason"),
    [
        (
            "UPDATE record SET canon = replace(canon, '43.805', '43.806') WHERE seq = 3",
            ("contentChanged", 3, 5, 2),
            "hash",
        ),
        ("UPDATE record SET canon = x'' WHERE seq = 3", ("contentChanged", 3, 5, 2), "changed"),
        ("UPDATE record SET hash = zeroblob(32) WHERE seq = 3", ("contentChanged", 3, 5, 2), "hash"),
        ("UPDATE record SET id = 'another' WHERE seq = 3", ("contentChanged", 3, 5, 2), "another id"),
        ("UPDATE record SET id = cast(x'ff00ff' as text) WHERE seq = 3", ("contentChanged", 3, 5, 2), "another id"),
        ("UPDATE record SET cuts = '[[5,\"00\"]]' WHERE seq = 3", ("contentChanged", 3, 5, 2), "part of it is missing"),
        ("UPDATE record SET cuts = 'nonsense' WHERE seq = 3", ("contentChanged", 3, 5, 2), "changed"),
        ("UPDATE record SET cuts = cast(x'ff' as text) WHERE seq = 3", ("contentChanged", 3, 5, 2), "changed"),
        ("DELETE FROM record WHERE seq = 3", ("linkBroken", 3, 5, 2), "Record 3 is missing"),
        ("DELETE FROM record WHERE seq IN (2, 3)", ("linkBroken", 2, 5, 1), "Records 2 to 3 are missing"),
        ("DELETE FROM record WHERE seq = 1", ("linkBroken", 1, 5, 0), "Record 1 is missing"),
        ("UPDATE record SET seq = 9 WHERE seq = 5", ("linkBroken", 9, 9, 4), "says that it is number 5"),
        ("UPDATE record SET seq = 0 WHERE seq = 5", ("linkBroken", 0, 4, 0), "says that it is number 5"),
        ("UPDATE record SET seq = -5 WHERE seq = 5", ("linkBroken", -5, 4, 0), "says that it is number 5"),
    ],
)
def test_what_was_changed_is_found(
    five: Path, attack: Attack, statement: str, expected: tuple[Any, ...], reason: str
) -> None:
    if "replace(canon" in statement:
        statement = statement.replace("replace(canon", "cast(replace(cast(canon as text)").replace(
            "'43.806')", "'43.806') as blob)"
        )
    attack(five, statement)
    verdict = verify(five)
    assert found(verdict) == expected
    assert reason in verdict.reason
    assert verdict.advice
    assert not verdict.ok


def test_two_records_exchanged(five: Path, attack: Attack) -> None:
    attack(
        five,
        "UPDATE record SET seq = 99 WHERE seq = 2",
        "UPDATE record SET seq = 2 WHERE seq = 3",
        "UPDATE record SET seq = 3 WHERE seq = 99",
    )
    assert found(verify(five)) == ("linkBroken", 2, 5, 1)


def test_a_record_rewritten_with_a_fitting_hash_breaks_the_link(five: Path, attack: Attack) -> None:
    with open_log(five, read_only=True) as log:
        record = log.get(3)
        assert record is not None
    changed = record.canon.replace(b"43.805,00", b"43.806,00")
    values = {"canon": changed, "hash": hashlib.sha256(changed).digest()}
    attack(five, "UPDATE record SET canon = :canon, hash = :hash WHERE seq = 3", **values)
    verdict = verify(five)
    assert found(verdict) == ("linkBroken", 4, 5, 3)
    assert "does not continue record 3: one of them was replaced" in verdict.reason


def test_the_beginning_cut_off_and_renumbered_is_found(five: Path, tmp_path: Path) -> None:
    with open_log(five, read_only=True) as log:
        second = log.get(2)
        assert second is not None
    file = tmp_path / "cut.sqlite3"
    open_log(file).close()
    database = sqlite3.connect(file)
    database.execute(
        "INSERT INTO record (seq, id, hash, canon) VALUES (1, ?, ?, ?)",
        (second.id, bytes.fromhex(second.hash), second.canon),
    )
    database.commit()
    database.close()
    assert found(verify(file)) == ("linkBroken", 1, 1, 0)


def test_a_cut_tail_is_not_claimed_to_be_seen(five: Path, attack: Attack) -> None:
    attack(five, "DELETE FROM record WHERE seq > 3")
    verdict = verify(five)
    assert found(verdict) == ("intact", None, 3, 3)
    assert "cut off cannot be seen" in verdict.reason
    attack(five, "DELETE FROM record")
    verdict = verify(five)
    assert found(verdict) == ("intact", None, 0, 0)
    assert "empty" in verdict.reason
    assert "cannot tell" in verdict.reason


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    for path in (tmp_path / "mistyped.sqlite3", tmp_path / "no" / "such" / "folder.sqlite3"):
        verdict = verify(path)
        assert (verdict.state, verdict.kind, verdict.count) == ("missing", "none", 0)
        assert str(path) in verdict.reason
    assert list(tmp_path.iterdir()) == []


def test_verifying_leaves_nothing_behind(five: Path) -> None:
    five.with_name(five.name + ".lock").unlink()
    before = {name: (name.read_bytes(), name.stat().st_mtime_ns) for name in five.parent.iterdir()}
    assert verify(five).ok
    assert {name: (name.read_bytes(), name.stat().st_mtime_ns) for name in five.parent.iterdir()} == before


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"{}", b'{"records": []}', b"[]", b"{" * 5000, b"SQLite format 3\x00" + b"x" * 5000],
    ids=range(7),
)
def test_what_is_no_log(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file.sqlite3"
    file.write_bytes(content)
    verdict = verify(file)
    assert (verdict.state, verdict.kind, verdict.failed_at) == ("unknownFormat", "none", None)
    assert verdict.reason
    assert verdict.advice
    assert file.read_bytes() == content


def test_another_database_is_no_log(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "erp.db")
    database.execute("CREATE TABLE invoices (id)")
    database.close()
    assert verify(tmp_path / "erp.db").state == "unknownFormat"


def test_what_cannot_be_read_is_an_error_not_a_verdict(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="is a folder"):
        verify(tmp_path)


def test_a_log_in_use_is_verified_with_what_is_in_its_wal(five: Path, draft: Make) -> None:
    with open_log(five) as log:
        log.append(draft("Not yet in the file itself"))
        assert five.with_name(five.name + "-wal").stat().st_size > 0
        assert verify(five).count == 6
        assert verify(log).count == 6


def test_an_open_log_in_memory_can_be_verified(draft: Make) -> None:
    with open_log(":memory:") as log:
        log.append(draft())
        assert verify(log).ok


def test_a_writer_that_comes_while_verifying_is_no_alarm(five: Path, draft: Make) -> None:
    """The file is read without its WAL as long as nobody has it open; then somebody opens, writes and closes it."""
    with open_log(five) as log:
        for number in range(1500):
            log.append(draft(str(number)))
    disturbed = 0

    def disturb(done: int, total: int) -> None:
        nonlocal disturbed
        if disturbed < 3:
            disturbed += 1
            with open_log(five) as other:
                for number in range(50):
                    other.append(draft(f"meanwhile {disturbed} {number}"))

    verdict = verify(five, progress=disturb)
    assert disturbed == 3
    assert verdict.ok, verdict
    assert verify(five).count == 1505 + 150


def test_progress_and_cancel(five: Path, draft: Make) -> None:
    with open_log(five) as log:
        for number in range(600):
            log.append(draft(str(number)))
    seen: list[tuple[int, int]] = []
    assert verify(five, progress=lambda done, total: seen.append((done, total))).ok
    assert seen[0] == (0, 605)
    assert seen[-1] == (605, 605)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    with pytest.raises(LogCancelledError):
        verify(five, cancel=lambda: True)
    calls = iter([False, True])
    with pytest.raises(LogCancelledError):
        verify(five, cancel=lambda: next(calls))


def test_a_damaged_file_never_passes_and_never_raises(five: Path, draft: Make, tmp_path: Path) -> None:
    with open_log(five) as log:
        for number in range(60):
            log.append(draft(str(number), answer="A" * 6000))
    whole = five.read_bytes()
    chance = random.Random(5)
    file = tmp_path / "damaged.sqlite3"
    states = set()
    for _ in range(150):
        place = chance.randrange(100, len(whole) - 64)
        file.write_bytes(whole[:place] + chance.randbytes(64) + whole[place + 64 :])
        verdict = verify(file)
        states.add(verdict.state)
        if verdict.ok:  # unused space, or the search text, which proves nothing
            assert verdict.count == 65
    for _ in range(50):
        file.write_bytes(whole[: chance.randrange(1, len(whole))])
        verdict = verify(file)
        states.add(verdict.state)
        assert not verdict.ok
    assert {"contentChanged", "intact"} <= states


def test_a_wal_cut_anywhere_leaves_a_valid_beginning(path: Path, draft: Make, tmp_path: Path) -> None:
    with open_log(path) as log:
        for number in range(20):
            log.append(draft(str(number)))
        wal = path.with_name(path.name + "-wal").read_bytes()
        main = path.read_bytes()
    chance = random.Random(7)
    counts = set()
    for number in range(30):
        file = tmp_path / f"{number}.sqlite3"
        file.write_bytes(main)
        file.with_name(file.name + "-wal").write_bytes(wal[: chance.randrange(len(wal))])
        verdict = verify(file)
        assert verdict.ok, verdict
        counts.add(verdict.count)
        with open_log(file) as log:  # and the log goes on from there
            assert log.append(draft()).sequence == verdict.count + 1
        assert verify(file).ok
    assert len(counts) > 5


@pytest.mark.parametrize(
    "tables",
    [
        "",
        "CREATE TABLE record (seq, id, hash)",
        "CREATE TABLE record (seq, id, hash, canon, cuts); INSERT INTO record VALUES ('x', 5, 'text', 7, NULL)",
        "CREATE TABLE record (seq, id, hash, canon, cuts); INSERT INTO record VALUES (1, NULL, NULL, NULL, '[[1,2]]')",
        "CREATE TABLE record (seq, id, hash, canon, cuts); INSERT INTO record VALUES (1, 'a', x'00', '{}', '{}')",
        "CREATE VIEW record AS SELECT 1 AS seq, 'a' AS id, zeroblob(32) AS hash, zeroblob(9) AS canon, NULL AS cuts",
        "CREATE TABLE record (seq, id, hash, canon, cuts); INSERT INTO record VALUES "
        "(1, 'a', zeroblob(32), x'5b5d', '[[-5,\"00\"],[1e9,\"00\"]]')",
    ],
    ids=range(7),
)
def test_a_file_made_to_look_like_a_log_neither_passes_nor_breaks_anything(tmp_path: Path, tables: str) -> None:
    file = tmp_path / "hostile.sqlite3"
    database = sqlite3.connect(file)
    database.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1; {tables}")
    database.close()
    verdict = verify(file)
    assert verdict.state == "contentChanged", verdict
    for options in ({"read_only": True}, {}):
        with open_log(file, **options) as log:
            for use in (log.records, lambda: log.append(Draft("Q", "A", [], [], [], Actor("a", "r")))):
                with pytest.raises(LogError):
                    use()


@pytest.mark.parametrize("depth", [200, 1100, 100_000])
def test_a_deeply_nested_record_is_a_finding(five: Path, attack: Attack, tmp_path: Path, depth: int) -> None:
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    digest = hashlib.sha256(nested).digest()
    attack(five, "UPDATE record SET canon = :canon, hash = :hash WHERE seq = 3", canon=nested, hash=digest)
    assert found(verify(five)) == ("contentChanged", 3, 5, 2)
    export = tmp_path / "export.json"
    export.write_bytes(b'{"format": "footnote/v0", "records": [' + nested + b"]}")
    assert verify(export).state in ("contentChanged", "unknownFormat")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(tmp_path: Path, draft: Make) -> None:
    def peak(file: Path) -> int:
        code = (
            "import resource, sys; from footnote_desktop.provenance.verify import verify;"
            "assert verify(sys.argv[1]).ok; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        return int(subprocess.check_output([sys.executable, "-c", code, str(file)]))

    pytest.importorskip("resource")
    file = tmp_path / "a.sqlite3"
    with open_log(file) as log:
        for number in range(500):
            log.append(draft(str(number)))
        log.close()
        shutil.copy(file, tmp_path / "short.sqlite3")
    with open_log(file) as log:
        for number in range(12_000):
            log.append(draft(str(number)))
    assert peak(file) < peak(tmp_path / "short.sqlite3") * 1.15


def test_a_verdict_is_json(five: Path) -> None:
    assert json.loads(json.dumps(verify(os.fspath(five)).to_json()))["state"] == "intact"
