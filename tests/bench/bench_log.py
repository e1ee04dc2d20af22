"""The log's speed and size, as ratios within one run: ``pytest -s tests/bench/bench_log.py``."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

ACTOR = Actor("ana@desk", "controller", {"account": "ana"})
AS_OF = dt.date(2026, 8, 14)


def draft(number: int = 0) -> Draft:
    """About 4 KB, as an answer over a few invoices is."""
    ids = [f"invoice:{n}" for n in range(8)]
    fields = {
        "amount": "18450.00",
        "outstanding": "18450.00",
        "currency": "EUR",
        "due_on": "2026-05-02",
        "status": "open",
    }
    cite = {"exact": "147600.00", "unit": "EUR", "evidenceIds": ids, "derivation": {"kind": "sum", "field": "amount"}}
    return Draft(
        f"How much does customer {number} owe?",
        "A" * 400,
        [{"text": "147.600,00 €", "span": {"start": 1, "end": 12}, "evidenceIds": ids, "origin": "structured"}] * 3,
        [{"name": "getOverdueInvoices", "citations": [{"path": "total", "text": "147.600,00 €", **cite}] * 3}],
        [
            {"id": name, "type": "invoice", "recordId": "1", "label": "L", "uri": "erp://x", "fields": fields}
            for name in ids
        ],
        ACTOR,
    )


def milliseconds(work: Callable[[], object], times: int) -> float:
    """The median."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def test_an_append_costs_about_what_sqlite_costs(tmp_path: Path) -> None:
    plain = sqlite3.connect(tmp_path / "plain.sqlite3", isolation_level=None)
    plain.execute("PRAGMA journal_mode = WAL")
    plain.execute("PRAGMA synchronous = FULL")
    plain.execute("CREATE TABLE record (seq INTEGER PRIMARY KEY, canon BLOB)")
    with open_log(tmp_path / "log.sqlite3") as log:
        canon = log.append(draft()).canon
        insert = milliseconds(lambda: plain.execute("INSERT INTO record (canon) VALUES (?)", (canon,)), 400)
        append = milliseconds(lambda: log.append(draft()), 400)
    plain.close()
    print(f"\nappend {append:.2f} ms, plain insert of the same {len(canon)} bytes {insert:.2f} ms")
    assert append < insert + 1.0


def test_an_append_does_not_slow_down(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite3") as log:
        for number in range(10):
            log.append(draft(number))
        short = milliseconds(lambda: log.append(draft()), 300)
        for number in range(20_000):
            log.append(draft(number))
        long = milliseconds(lambda: log.append(draft()), 300)
    print(f"\nappend after 10 records {short:.2f} ms, after 20,000 {long:.2f} ms")
    assert long < short * 1.5


def test_verifying_streams(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    many = 10_000
    with open_log(path) as log:
        log._db.execute("PRAGMA synchronous = OFF")
        canon = b""
        for number in range(many):
            canon = log.append(draft(number)).canon
    start = time.perf_counter()
    for _ in range(many):
        hashlib.sha256(canon).digest()
    hashing = time.perf_counter() - start
    start = time.perf_counter()
    verdict = verify(path)
    taken = time.perf_counter() - start
    assert verdict.count == many
    print(
        f"\nverify {many / taken:,.0f} records/s with {verdict.figures / taken:,.0f} figures/s re-added "
        f"({os.path.getsize(path) / 1e6:.0f} MB); hashing alone {many / hashing:,.0f} records/s"
    )
    assert taken < hashing * 60
