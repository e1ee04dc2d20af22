"""The peer's logs and exports are read, browsed and verified here, and ours pass the peer's own verification."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.canonical import canonical
from footnote_desktop.provenance.errors import LogError
from footnote_desktop.provenance.export import export_json, export_peer_sqlite
from footnote_desktop.provenance.record import GENESIS, Draft
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

COLUMNS = [
    "id",
    "sequence",
    "timestamp",
    "actor_id",
    "actor_role",
    "question",
    "answer",
    "body",
    "previous_hash",
    "hash",
]
BERGMANN = "How much does Bergmann owe?"


@pytest.fixture(scope="session")
def peer(shared: Path) -> Path:
    return shared / "peers" / "footnote"


@pytest.fixture(scope="session")
def export(peer: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((peer / "peer-export.json").read_text("utf-8"))
    return document


def verify_as_the_peer_does(path: Path) -> tuple[int, int | None]:
    """What the peer's verifier does, written from the description of its format: columns → ten keys → canonical JSON →
    SHA-256, each record naming the hash of the one before. Returns (records, first bad sequence or None)."""
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    previous, count = GENESIS, 0
    for row in database.execute(f"SELECT {', '.join(COLUMNS)} FROM provenance ORDER BY sequence"):
        columns = dict(zip(COLUMNS, row, strict=True))
        record = {
            "id": columns["id"],
            "sequence": columns["sequence"],
            "timestamp": columns["timestamp"],
            "actor": {"id": columns["actor_id"], "role": columns["actor_role"]},
            "question": columns["question"],
            "answer": columns["answer"],
            **json.loads(columns["body"]),
            "previousHash": columns["previous_hash"],
        }
        if columns["previous_hash"] != previous or hashlib.sha256(rfc8785.dumps(record)).hexdigest() != columns["hash"]:
            return count, columns["sequence"]
        previous, count = columns["hash"], count + 1
    database.close()
    return count, None


def test_every_hash_of_the_peer_is_ours(export: dict[str, Any]) -> None:
    assert len(export["records"]) == 27
    for record in export["records"]:
        members = {key: value for key, value in record.items() if key != "hash"}
        assert hashlib.sha256(canonical(members)).hexdigest() == record["hash"]


@pytest.mark.parametrize(("name", "kind"), [("peer-log.sqlite3", "peer-log"), ("peer-export.json", "peer-export")])
def test_the_peers_files_are_intact(peer: Path, name: str, kind: str) -> None:
    verdict = verify(peer / name)
    assert (verdict.state, verdict.count, verdict.failed_at, verdict.kind) == ("intact", 27, None, kind)
    assert "plain hash chain" in verdict.reason


def test_the_peers_tampered_log_fails_where_the_peer_says(peer: Path) -> None:
    verdict = verify(peer / "peer-log-tampered.sqlite3")
    assert (verdict.state, verdict.failed_at, verdict.count, verdict.proven) == ("contentChanged", 5, 27, 4)
    assert verify_as_the_peer_does(peer / "peer-log-tampered.sqlite3") == (4, 5)
    assert verify_as_the_peer_does(peer / "peer-log.sqlite3") == (27, None)


@pytest.mark.parametrize("name", ["peer-log.sqlite3", "peer-export.json"])
def test_the_peers_files_are_browsed_and_never_written(peer: Path, export: dict[str, Any], name: str) -> None:
    folder = sorted(peer.iterdir())
    with open_log(peer / name) as log:
        assert log.read_only
        assert log.count() == 27
        assert log.head() == (27, export["records"][-1]["hash"])
        assert [record.to_json() for record in reversed(log.records())] == export["records"]
        record = log.get(export["records"][3]["id"])
        assert record is not None
        assert record.to_json() == export["records"][3] == log.get(4).to_json()  # type: ignore[union-attr]
        assert log.get("nobody") is None
        assert log.records("LUMIERE packaging")[0].sequence == 26
        assert [record.sequence for record in log.records("is bergmann logistik at risk")] == [23]
        assert [record.sequence for record in log.records(limit=2, before=10)] == [9, 8]
        with pytest.raises(LogError, match="only read"):
            log.append(Draft("Q", "A", [], [], [], Actor("ana", "controller")))
    assert sorted(peer.iterdir()) == folder


@pytest.mark.parametrize(
    ("statement", "state", "at"),
    [
        ("UPDATE provenance SET question = 'Q' WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET actor_id = 'zoran' WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET body = 'no JSON' WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET body = cast(x'7bff7d' as text) WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET question = cast(x'ff' as text) WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET question = x'00' WHERE sequence = 3", "contentChanged", 3),
        ("UPDATE provenance SET sequence = 0 WHERE sequence = 3", "contentChanged", 0),
        ("DELETE FROM provenance WHERE sequence = 3", "linkBroken", 3),
        ("UPDATE provenance SET previous_hash = hash WHERE sequence = 3", "contentChanged", 3),
    ],
)
def test_changes_to_a_log_of_the_peer_are_found(
    peer: Path, tmp_path: Path, statement: str, state: str, at: int
) -> None:
    file = tmp_path / "copy.sqlite3"
    shutil.copyfile(peer / "peer-log.sqlite3", file)
    database = sqlite3.connect(file)
    database.execute(statement)
    database.commit()
    database.close()
    verdict = verify(file)
    assert (verdict.state, verdict.failed_at, verdict.kind) == (state, at, "peer-log"), verdict


def test_an_export_of_the_peer_that_lies_is_found(export: dict[str, Any], tmp_path: Path) -> None:
    """It says of itself that its chain is intact; that is not asked."""
    file = tmp_path / "export.json"
    document = json.loads(json.dumps(export))
    document["records"][9]["answer"] = "Nothing is owed."
    file.write_text(json.dumps(document), "utf-8")
    assert document["chainIntegrity"] == {"ok": True, "count": 27}
    assert (verify(file).state, verify(file).failed_at) == ("contentChanged", 10)
    document = json.loads(json.dumps(export))
    del document["records"][-1]
    file.write_text(json.dumps(document), "utf-8")
    verdict = verify(file)
    assert (verdict.state, verdict.failed_at) == ("linkBroken", 27)
    assert "says that it holds 27 records, and holds 26" in verdict.reason


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A log of ours with everything in it that could be written differently elsewhere."""
    path = tmp_path / "ours.sqlite3"
    actor = Actor("ana@desk (stated: Ana Kovač)", "controller", {"account": "ana"})
    hostile = "Lumière \U0001f600 \u2028 \x7f \x1f \ud800 \x00 \" \\ / O’Brien \ue000 'quoted'"
    numbers = [
        0.0,
        -0.0,
        1.0,
        1e21,
        1e-7,
        5e-324,
        0.1,
        123456789.123,
        2**53 - 1,
        -(2**53) + 1,
        2**60,
        1e300,
        True,
        None,
    ]
    with open_log(path) as log:
        log.append(Draft(BERGMANN, "43.805,00\u00a0€", [{"text": "43.805,00\u00a0€"}], [{"name": "x"}], [], actor))
        log.append(
            Draft(hostile, hostile, [{"text": hostile}], [{"name": "x", "n": numbers}], [{"id": hostile}], actor)
        )
        keys = {"\U0001f600": 1, "\ue000": 2, "é": 3, "": 4, "10": 5, "9": 6, "__proto__": 7, "constructor": 8}
        log.append(Draft("", "", [], [{"name": "keys", "arguments": keys}], [{"id": "x", "fields": keys}], actor))
    return path


def test_our_log_as_the_peers_table(ours: Path, tmp_path: Path, peer: Path) -> None:
    to = tmp_path / "theirs.sqlite3"
    with open_log(ours, read_only=True) as log:
        export_peer_sqlite(log, to)
        hashes = [record.hash for record in log.records()]
    assert verify_as_the_peer_does(to) == (3, None)
    assert verify(to).ok
    with open_log(to) as back:
        assert [record.hash for record in back.records()] == hashes
    schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    ours_, theirs = (
        sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True) for path in (to, peer / "peer-log.sqlite3")
    )
    assert ours_.execute(schema).fetchall() == theirs.execute(schema).fetchall()
    types = f"SELECT {', '.join(f'typeof({column})' for column in COLUMNS)} FROM provenance"
    assert set(ours_.execute(types)) == set(theirs.execute(types))
    ours_.close()
    theirs.close()


def test_the_peers_log_goes_through_our_formats_unchanged(peer: Path, tmp_path: Path, export: dict[str, Any]) -> None:
    with open_log(peer / "peer-log.sqlite3") as log:
        export_json(log, tmp_path / "a.json")
        export_peer_sqlite(log, tmp_path / "a.sqlite3")
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["records"] == export["records"]
    assert verify(tmp_path / "a.json").ok
    assert verify_as_the_peer_does(tmp_path / "a.sqlite3") == (27, None)


def test_the_peers_own_program_agrees(ours: Path, tmp_path: Path) -> None:
    """Runs the peer itself where FOOTNOTE_PEER_VERIFY names the command (it reads PROVENANCE_DB)."""
    command = os.environ.get("FOOTNOTE_PEER_VERIFY")
    if not command:
        pytest.skip("needs the peer's program: set FOOTNOTE_PEER_VERIFY to the command that runs its verification")
    to = tmp_path / "theirs.sqlite3"
    with open_log(ours, read_only=True) as log:
        export_peer_sqlite(log, to)
    run = subprocess.run(
        command, shell=True, env={**os.environ, "PROVENANCE_DB": str(to)}, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "chain intact across 3 records" in run.stdout
