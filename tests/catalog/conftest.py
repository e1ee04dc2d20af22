from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from footnote_desktop.catalog.opening import open_catalog
from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.settings import Profile, data_folder, from_environment

INTACT = SimpleNamespace(ok=True, state="intact", count=0, reason=None)


def open_for(profile: Profile, **changes: Any) -> Catalog:
    return open_catalog(dataclasses.replace(profile, **changes), lambda: INTACT)


@pytest.fixture
def sample() -> Iterator[Catalog]:
    catalog = open_for(from_environment({}))
    yield catalog
    catalog.close()


@pytest.fixture
def tricky() -> Iterator[Catalog]:
    catalog = open_for(from_environment({}, sample="tricky"))
    yield catalog
    catalog.close()


@pytest.fixture
def on_postgres(pg_database: str) -> Iterator[Callable[[str], Catalog]]:
    """The same sample set in a real PostgreSQL."""
    opened: list[Catalog] = []

    def build(sample: str = "sample") -> Catalog:
        seed_postgres(pg_database, data_folder("migrations"), sample)
        profile = from_environment({"DATABASE_URL": pg_database, "AS_OF_DATE": "2026-08-14"})
        opened.append(open_for(profile))
        return opened[-1]

    yield build
    for catalog in opened:
        catalog.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Callable[..., Catalog]:
    """A catalog over a SQLite file with the given rows; unnamed columns take plain values."""
    import sqlite3

    def build(
        *,
        customers: list[tuple[Any, ...]] | None = None,
        invoices: list[dict[str, Any]] | None = None,
        payments: list[tuple[Any, ...]] | None = None,
        as_of: dt.date = dt.date(2026, 8, 14),
        **profile: Any,
    ) -> Catalog:
        path = tmp_path / "ledger.sqlite3"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript((data_folder("migrations") / "erp" / "001_schema.sql").read_text(encoding="utf-8"))
        connection.executemany(
            "INSERT INTO customers (id, name) VALUES (?, ?)", customers or [(1, "Alpha GmbH"), (2, "Beta AG")]
        )
        for number, row in enumerate(invoices or [], 1):
            row = {
                "id": number,
                "number": f"R-{number}",
                "customer_id": 1,
                "issued_on": "2026-01-01",
                "due_on": "2026-02-01",
                "currency": "EUR",
                "amount_cents": 100,
                "paid_cents": 0,
                "status": "open",
                **row,
            }
            connection.execute(
                f"INSERT INTO invoices ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
            )
        connection.executemany("INSERT INTO payments VALUES (?, ?, ?, ?, 'bank_transfer')", payments or [])
        connection.commit()
        connection.close()
        return open_for(from_environment({"DATABASE_URL": str(path)}), as_of=as_of, **profile)

    return build
