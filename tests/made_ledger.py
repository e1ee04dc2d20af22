"""A made ledger: the sample schema with as many invoices as asked, all figures from a seed."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from pathlib import Path

AS_OF = dt.date(2026, 8, 14)


def make(path: Path, migrations: Path, invoices: int, customers: int = 1_000, seed: int = 1) -> None:
    """Write a SQLite file with ``invoices`` open invoices; a third of them paid in part, by a dated payment."""
    random.seed(seed)
    connection = sqlite3.connect(path)
    connection.executescript((migrations / "erp" / "001_schema.sql").read_text(encoding="utf-8"))
    connection.executemany(
        "INSERT INTO customers VALUES (?, ?, 'DE', 'mid-market', 30, 'Ana Kovač')",
        [(i, f"Kunde {i:06d} Handel GmbH") for i in range(1, customers + 1)],
    )
    rows, payments = [], []
    for i in range(1, invoices + 1):
        issued = AS_OF - dt.timedelta(days=random.randrange(1, 200))
        amount = random.randrange(1_000, 5_000_000)
        paid = random.randrange(1, amount) if i % 3 == 0 else 0
        if paid:
            received = issued + dt.timedelta(days=random.randrange(0, 30))
            payments.append((i, i, received.isoformat(), paid, "bank_transfer"))
        due = (issued + dt.timedelta(days=30)).isoformat()
        customer = random.randrange(1, customers + 1)
        rows.append((i, f"RE-{i:07d}", customer, issued.isoformat(), due, "EUR", amount, paid, "open"))
    connection.executemany("INSERT INTO invoices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO payments VALUES (?, ?, ?, ?, ?)", payments)
    connection.commit()
    connection.execute("ANALYZE")
    connection.close()
