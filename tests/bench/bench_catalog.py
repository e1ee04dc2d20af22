"""What the catalog and the log cost, as ratios against yardsticks in the same run.

Run with ``python -m pytest -s tests/bench/bench_catalog.py``. Nothing here fails for being slow: it prints.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_ledger
import pytest

from footnote_desktop.answers.desk import Desk, open_desk
from footnote_desktop.settings import data_folder, from_environment

INVOICES = 100_000
AS_OF = made_ledger.AS_OF.isoformat()

# The open items as of a day, as someone would write it by hand for this schema alone.
OPEN_ITEMS = """SELECT i.id, i.number, i.customer_id, i.issued_on, i.due_on, i.currency, i.amount_cents,
  i.amount_cents - COALESCE((SELECT SUM(p.amount_cents) FROM payments p
                             WHERE p.invoice_id = i.id AND p.received_on <= :as_of), 0) AS outstanding, i.status
FROM invoices i WHERE i.status IN ('open', 'paid') AND i.issued_on <= :as_of"""
BY_HAND = {
    "getReceivablesAging": f"""SELECT currency, CASE WHEN due_on >= :as_of THEN 0
      WHEN julianday(:as_of) - julianday(due_on) <= 30 THEN 1 WHEN julianday(:as_of) - julianday(due_on) <= 60 THEN 2
      WHEN julianday(:as_of) - julianday(due_on) <= 90 THEN 3 ELSE 4 END AS bucket, SUM(outstanding), COUNT(*)
      FROM ({OPEN_ITEMS}) WHERE outstanding <> 0 GROUP BY 1, 2""",
    "getTopDebtors": f"""SELECT customer_id, SUM(outstanding) FROM ({OPEN_ITEMS})
      GROUP BY customer_id ORDER BY 2 DESC LIMIT 10""",
    "getOverdueInvoices": f"""SELECT SUM(outstanding), COUNT(*) FROM ({OPEN_ITEMS} AND i.customer_id = 5)
      WHERE outstanding > 0 AND due_on < :as_of""",
}
ARGUMENTS: dict[str, dict[str, Any]] = {"getOverdueInvoices": {"customer": "5"}}


@pytest.fixture(scope="module")
def erp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("erp") / "ledger.sqlite3"
    made_ledger.make(path, data_folder("migrations"), INVOICES)
    return path


@pytest.fixture
def desk(erp: Path, tmp_path: Path) -> Any:
    environment = {"DATABASE_URL": str(erp), "AS_OF_DATE": AS_OF, "PROVENANCE_DB": str(tmp_path / "log.sqlite3")}
    with open_desk(from_environment(environment)) as opened:
        opened.call("findCustomers", {"query": "Kunde 000005"})
        yield opened


def median_ms(work: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


@pytest.mark.parametrize("name", list(BY_HAND))
def test_an_aggregate_against_its_sql_by_hand(desk: Desk, erp: Path, name: str) -> None:
    connection = sqlite3.connect(erp)
    arguments = ARGUMENTS.get(name, {})
    result = desk.catalog.run(name, arguments)
    rows = sum(q.rows for q in result.queries if q.purpose in ("rows", "totals"))
    by_hand = median_ms(lambda: connection.execute(BY_HAND[name], {"as_of": AS_OF}).fetchall(), 7)
    ours = median_ms(lambda: desk.catalog.run(name, arguments), 7)
    allowed = 1.3 * by_hand + 0.1 * rows
    print(f"\n{name}: {ours:.1f} ms, by hand {by_hand:.1f} ms, {rows} rows of evidence; allowed {allowed:.1f} ms")


def test_aging_against_fetching_and_writing_the_rows(desk: Desk, erp: Path) -> None:
    connection = sqlite3.connect(erp)

    def fetch_and_write() -> None:
        cursor = connection.execute(OPEN_ITEMS, {"as_of": AS_OF})
        names = [column[0] for column in cursor.description]
        json.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchall()])

    first = median_ms(lambda: desk.call("getReceivablesAging", {}), 1)
    yardstick = median_ms(fetch_and_write, 5)
    again = median_ms(lambda: desk.call("getReceivablesAging", {}), 5)
    print(f"\naging over {INVOICES} with its record: first {first:.0f} ms, again {again:.0f} ms")
    print(f"fetching and writing its rows {yardstick:.0f} ms: {first / yardstick:.2f} x and {again / yardstick:.2f} x")


def test_a_call_with_its_record_on_disk(desk: Desk, tmp_path: Path) -> None:
    file = os.open(tmp_path / "yardstick", os.O_CREAT | os.O_WRONLY)

    def sync() -> None:
        os.write(file, b"x" * 4096)
        os.fsync(file)

    call = ("getInvoice", {"number": "RE-0000042"})
    fsync = median_ms(sync, 100)
    off = median_ms(lambda: desk.catalog.run(*call), 100)
    on = median_ms(lambda: desk.call(*call), 100)
    share = on / (2 * off + fsync)
    print(f"\ncall {on:.2f} ms, log off {off:.2f} ms, fsync {fsync:.2f} ms: {share:.2f} of what is allowed")
