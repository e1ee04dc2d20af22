"""A mapping is recognised by its fingerprint; every statement of the catalog is one SELECT."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import psycopg
import pytest
import sqlglot
from sqlglot import exp

from footnote_desktop.catalog.opening import open_catalog
from footnote_desktop.catalog.registry import OPERATIONS
from footnote_desktop.catalog.result import Refusal
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.mapping import RELATIONS, MappingError, load_mapping, recognise
from footnote_desktop.erp.sample import in_memory, seed_postgres
from footnote_desktop.settings import data_folder, from_environment

SAMPLE = data_folder("resources") / "erp" / "sample.toml"

CALLS = {
    "getOverdueInvoices": {"customer": "4471"},
    "getCustomerSummary": {"customer": "4471"},
    "getPaymentHistory": {"customer": "4471", "sinceDate": "2026-01-01"},
    "getOpenTickets": {"customer": "4471"},
    "getReceivablesAging": {},
    "findCustomers": {"query": "Bergmann"},
    "getInvoice": {"number": "INV-2026-8812"},
    "getCustomerStatement": {"customer": "4471", "fromDate": "2026-06-01", "toDate": "2026-07-01"},
    "getTopDebtors": {},
}


def is_one_select(sql: str, dialect: str) -> bool:
    statements = sqlglot.parse(sql, dialect=dialect)
    return (
        len(statements) == 1
        and isinstance(statements[0], (exp.Select, exp.SetOperation))
        and not any(
            statements[0].find_all(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Command, exp.Into, exp.Lock)
        )
    )


def test_every_statement_of_the_catalog_is_one_select(pg_database: str) -> None:
    seed_postgres(pg_database, data_folder("migrations"))
    lite = from_environment({})
    post = from_environment({"DATABASE_URL": pg_database})
    seen = 0
    for profile, dialect in ((lite, "sqlite"), (post, "postgres")):
        catalog = open_catalog(profile, lambda: None)  # type: ignore[arg-type, return-value]
        assert set(CALLS) == set(OPERATIONS) - {"verifyProvenanceChain"}
        for name, arguments in CALLS.items():
            for query in catalog.run(name, arguments).queries:
                assert is_one_select(query.sql, dialect), query.sql
                seen += 1
        catalog.close()
    assert seen > 60
    assert not is_one_select("WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x", "postgres")
    assert not is_one_select("SELECT 1; SELECT 2", "postgres")


def test_no_argument_ever_stands_in_the_sql() -> None:
    catalog = open_catalog(from_environment({}), lambda: None)  # type: ignore[arg-type, return-value]
    first = catalog.run("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": "2026-08-14"})
    second = catalog.run("getOverdueInvoices", {"customer": "Nordwind", "asOfDate": "2026-07-14"})
    assert [q.sql for q in first.queries] == [q.sql for q in second.queries]
    assert first.queries[-1].params != second.queries[-1].params


def test_the_recorded_query_is_the_one_behind_the_total() -> None:
    catalog = open_catalog(from_environment({}), lambda: None)  # type: ignore[arg-type, return-value]
    result = catalog.run("getOverdueInvoices", {"customer": "Bergmann"})
    query = next(q for q in result.queries if q.purpose == "totals")
    engine = in_memory(data_folder("migrations"))
    with engine.snapshot() as snapshot:
        rows = snapshot.query(query.sql, query.params).dicts()
    assert rows[0]["overdue"] == result.values["totalOutstandingCents"]
    engine.close()


def test_a_database_laid_out_like_nothing_known_says_what_it_lacks(pg_database: str) -> None:
    catalog = open_catalog(from_environment({"DATABASE_URL": pg_database}), lambda: None)  # type: ignore
    with pytest.raises(Refusal, match="it lacks customers, invoices, payments, tickets") as refused:
        catalog.run("getReceivablesAging", {})
    assert refused.value.kind == "unavailable"
    with psycopg.connect(pg_database) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        ).fetchone()
    assert found == (0,), "something was created in the database"
    catalog.close()


def test_a_column_that_is_missing_is_named() -> None:
    engine = in_memory(data_folder("migrations"))
    mapping = load_mapping(SAMPLE)
    columns = {t: {c: k for c, k in cs.items() if c != "paid_cents"} for t, cs in engine.columns().items()}
    with pytest.raises(EngineError, match=r"invoices\.paid_cents"):
        recognise([mapping], engine.dialect, columns)
    engine.close()


def test_a_broken_mapping_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "mine.toml"
    broken.write_text("name = ")
    with pytest.raises(MappingError, match=r"mine\.toml"):
        load_mapping(broken)
    text = SAMPLE.read_text(encoding="utf-8")
    broken.write_text(text.replace("ticket = ", "tickets = "))
    with pytest.raises(MappingError, match="lacks ticket"):
        load_mapping(broken)


def test_a_relation_is_scoped_only_for_one_customer() -> None:
    engine = in_memory(data_folder("migrations"))
    bound = recognise([load_mapping(SAMPLE)], engine.dialect, engine.columns())
    for name in RELATIONS:
        whole = bound.with_relations((name,), f"SELECT * FROM {name}", scoped=False)
        assert ":customer_id" not in whole
        assert "[[" not in whole
        assert "@date" not in whole
    assert ":customer_id" in bound.with_relations(("receivable_item",), "SELECT 1", scoped=True)
    assert dataclasses.is_dataclass(bound)
    engine.close()
