"""The file itself refuses to be rewritten by mistake, and whoever rewrites it on purpose is found out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from log_drafts import ACTOR

from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import SqliteLog, open_log
from footnote_desktop.provenance.verify import verify

Make = Callable[..., Draft]


@pytest.fixture
def database(five: Path) -> sqlite3.Connection:
    with open_log(five) as log:
        log.append(Draft("Q", "A" * 5000, [], [{"name": "x"}], [], ACTOR), [b"rows"])
    return sqlite3.connect(five, isolation_level=None)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET canon = canon",
        "UPDATE record SET hash = zeroblob(32) WHERE seq = 2",
        "UPDATE record SET seq = 70 WHERE seq = 6",
        "DELETE FROM record WHERE seq = 6",
        "DELETE FROM record",
        "INSERT OR REPLACE INTO record SELECT * FROM record WHERE seq = 3",
        "INSERT OR REPLACE INTO record (seq, id, hash, canon) SELECT 7, id, hash, canon FROM record WHERE seq = 3",
        "INSERT OR IGNORE INTO record (seq, id, hash, canon) SELECT 7, id, hash, canon FROM record WHERE seq = 3",
        "INSERT INTO record (seq, id, hash, canon) VALUES (8, 'a gap', zeroblob(32), x'7b7d')",
        "INSERT INTO record (seq, id, hash, canon) VALUES (0, 'before the first', zeroblob(32), x'7b7d')",
        "INSERT INTO record (seq, id, hash, canon) VALUES (7, 'a short hash', zeroblob(31), x'7b7d')",
        "INSERT INTO record (seq, id, hash, canon) SELECT seq, id, hash, canon FROM record WHERE seq = 3 "
        "ON CONFLICT (seq) DO UPDATE SET canon = x'00'",
        "UPDATE attachment SET data = x'00'",
        "DELETE FROM attachment",
        "INSERT OR REPLACE INTO attachment SELECT hash, size, x'00' FROM attachment",
        "UPDATE part SET data = x'00'",
        "DELETE FROM part",
        "INSERT OR REPLACE INTO part SELECT hash, x'00' FROM part",
    ],
)
def test_the_tables_only_grow(database: sqlite3.Connection, five: Path, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"append-only|CHECK"):
        database.execute(statement)
    database.close()
    assert verify(five).count == 6
    assert verify(five).ok


def test_the_guards_let_the_next_record_in(database: sqlite3.Connection, five: Path) -> None:
    database.execute("INSERT INTO record (seq, id, hash, canon) VALUES (7, 'next', zeroblob(32), x'7b7d')")
    database.close()
    verdict = verify(five)
    assert (verdict.state, verdict.failed_at, verdict.proven) == ("contentChanged", 7, 6)


def test_every_changed_byte_of_a_record_is_found(path: Path, draft: Make, attack: Callable[..., None]) -> None:
    with open_log(path) as log:
        log.append(draft())
        canon = log.append(draft("Two")).canon
        log.append(draft())
    attack(path)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    found = 0
    for place in range(len(canon)):
        for flip in (0x01, 0x20, 0x80):
            changed = canon[:place] + bytes([canon[place] ^ flip]) + canon[place + 1 :]
            database.execute("UPDATE record SET canon = ? WHERE seq = 2", (changed,))
            with SqliteLog(database, ":memory:", None, read_only=True) as log:  # the open connection: quicker
                log.close = lambda: None  # type: ignore[method-assign]
                verdict = verify(log)
            assert (verdict.state, verdict.failed_at) == ("contentChanged", 2), (place, flip)
            found += 1
    database.execute("UPDATE record SET canon = ? WHERE seq = 2", (canon,))
    database.close()
    assert found == 3 * len(canon)
    assert verify(path).ok
