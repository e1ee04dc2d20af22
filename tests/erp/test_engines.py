"""What differs between engines is named at the seam and gives the same results; reading is all that can be done."""

from __future__ import annotations

import datetime as dt
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_desktop.erp.connect import open_engine
from footnote_desktop.erp.engine import EngineError, psycopg_style, used_parameters
from footnote_desktop.erp.postgres import PostgresEngine
from footnote_desktop.erp.sample import SETS, in_memory, seed, seed_postgres, write_file
from footnote_desktop.erp.sqlite import SqliteEngine
from footnote_desktop.settings import data_folder

MIGRATIONS = data_folder("migrations")


@pytest.fixture
def sample() -> Iterator[SqliteEngine]:
    engine = in_memory(MIGRATIONS)
    yield engine
    engine.close()


@pytest.fixture
def postgres_engine(pg_database: str) -> Iterator[PostgresEngine]:
    seed_postgres(pg_database, MIGRATIONS)
    engine = PostgresEngine(pg_database)
    yield engine
    engine.close()


# -- dates -----------------------------------------------------------------------------------------------------------

ODD = st.one_of(
    st.dates(min_value=dt.date(1, 1, 1)).map(lambda d: d.isoformat()),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True),
    st.builds("{:04d}-{:02d}-{:02d}".format, st.integers(0, 2500), st.integers(0, 13), st.integers(0, 32)),
    st.text(alphabet="0123456789-.T:Z ", max_size=12),
    st.sampled_from(["now", "today", "2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "20260814", "infinity"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.lists(ODD, min_size=1, max_size=40))
def test_a_date_is_guarded_alike(postgres_engine: PostgresEngine, sample: SqliteEngine, texts: list[str]) -> None:
    for engine in (sample, postgres_engine):
        day = engine.dialect.date("x.t", "text")
        sql = "SELECT " + ", ".join(
            f"(SELECT {day} FROM (SELECT CAST(:t{i} AS text) AS t) x)" for i in range(len(texts))
        )
        with engine.snapshot() as snapshot:
            row = snapshot.query(sql, {f"t{i}": text for i, text in enumerate(texts)}).rows[0]
        for text, value in zip(texts, row, strict=True):
            try:
                expected = dt.date.fromisoformat(text).isoformat() if len(text) == 10 and "W" not in text else None
            except ValueError:
                expected = None
            assert (str(value) if value is not None else None) == expected, (engine.dialect.name, text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.dates(dt.date(1900, 1, 1)), st.dates(dt.date(1900, 1, 1)))
def test_days_between_are_calendar_days(
    postgres_engine: PostgresEngine, sample: SqliteEngine, later: dt.date, earlier: dt.date
) -> None:
    for engine in (sample, postgres_engine):
        days = engine.dialect.days(":later", ":earlier")
        with engine.snapshot() as snapshot:
            params = {"later": later, "earlier": earlier}
            assert snapshot.query(f"SELECT {days}", params).rows[0][0] == (later - earlier).days


def test_date_columns_do_not_shift_with_the_servers_time_zone(pg_database: str) -> None:
    with psycopg.connect(pg_database, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET timezone = 'Pacific/Kiritimati'".encode())
        connection.execute("CREATE TABLE d (a date, b timestamp, c timestamptz)")
        connection.execute("INSERT INTO d VALUES ('2026-08-14', '2026-08-14 23:59:59', '2026-08-14 23:59:59+00')")
    engine = PostgresEngine(pg_database)
    types = engine.columns()["d"]
    columns = ", ".join(engine.dialect.date(f"d.{column}", types[column]) for column in "abc")
    with engine.snapshot() as snapshot:
        assert snapshot.query(f"SELECT {columns} FROM d", {}).rows[0] == (dt.date(2026, 8, 14),) * 3
    engine.close()


# -- parameters ------------------------------------------------------------------------------------------------------


def test_parameters_are_named_once_and_percent_stands_for_itself() -> None:
    sql = "SELECT :a, x::text, 5 % 2 WHERE b = :b AND a = :a"
    assert psycopg_style(sql) == "SELECT %(a)s, x::text, 5 %% 2 WHERE b = %(b)s AND a = %(a)s"
    assert list(used_parameters("SELECT :b, :a, :b", {"a": 1, "b": 2, "c": 3})) == ["b", "a"]


# -- reading only ----------------------------------------------------------------------------------------------------

WAYS_OUT = [
    "DELETE FROM invoices",
    "INSERT INTO customers (id, name) VALUES (1, 'x')",
    "UPDATE invoices SET paid_cents = 0",
    "DROP TABLE invoices",
    "SELECT 1; DROP TABLE invoices",
    "COMMIT; DROP TABLE invoices",
    "/* harmless */ DELETE FROM invoices",
    "WITH gone AS (DELETE FROM invoices RETURNING 1) SELECT * FROM gone",
]


@pytest.mark.parametrize("sql", WAYS_OUT)
def test_nothing_can_be_written(sample: SqliteEngine, postgres_engine: PostgresEngine, sql: str) -> None:
    for engine in (sample, postgres_engine):
        with pytest.raises(EngineError), engine.snapshot() as snapshot:
            snapshot.query(sql, {})
        with engine.snapshot() as snapshot:
            assert snapshot.query("SELECT COUNT(*) FROM invoices", {}).rows[0][0] == 14


@pytest.mark.parametrize("sql", ["COMMIT", "SET TRANSACTION READ WRITE", "SELECT nextval('s')", "SELECT lo_create(0)"])
def test_postgresql_stays_read_only_within_a_snapshot(pg_database: str, sql: str) -> None:
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE s")
        connection.execute("CREATE TABLE t (a int)")
    engine = PostgresEngine(pg_database)
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT 1", {}).rows == [(1,)]
        with suppress(EngineError, psycopg.Error):
            snapshot.query(sql, {})
        with pytest.raises(EngineError):
            snapshot.query("INSERT INTO t VALUES (1) RETURNING a", {})
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT COUNT(*) FROM t", {}).rows[0][0] == 0
        assert snapshot.info["isolation"] == "repeatable read, read only"
    engine.close()


def test_a_role_that_may_only_read_is_enough(pg_database: str) -> None:
    seed_postgres(pg_database, MIGRATIONS)
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS footnote_reader")
        connection.execute("CREATE ROLE footnote_reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO footnote_reader")
    engine = PostgresEngine(pg_database.replace("postgres@", "footnote_reader@"))
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT COUNT(*) FROM invoices", {}).rows[0][0] == 14
        assert snapshot.info["role"] == "footnote_reader"
    engine.close()


# -- one snapshot ----------------------------------------------------------------------------------------------------


def test_totals_and_rows_come_from_one_snapshot(pg_database: str) -> None:
    """While another session changes an invoice, every total equals its rows."""
    seed_postgres(pg_database, MIGRATIONS)
    stop = threading.Event()

    def change() -> None:
        with psycopg.connect(pg_database, autocommit=True) as connection:
            paid = 0
            while not stop.is_set():
                paid = (paid + 1) % 1000
                connection.execute("UPDATE invoices SET paid_cents = %s WHERE id = 8812", (paid,))

    writer = threading.Thread(target=change)
    writer.start()
    engine = PostgresEngine(pg_database)
    try:
        seen = set()
        for _ in range(200):
            with engine.snapshot() as snapshot:
                total = snapshot.query("SELECT SUM(amount_cents - paid_cents) FROM invoices", {}).rows[0][0]
                rows = snapshot.query("SELECT amount_cents - paid_cents FROM invoices", {}).rows
            assert total == sum(Decimal(row[0]) for row in rows)
            seen.add(total)
        assert len(seen) > 3, "the other session changed nothing meanwhile"
    finally:
        stop.set()
        writer.join()
        engine.close()


def test_a_sqlite_file_is_read_in_one_snapshot_too(tmp_path: Path) -> None:
    path = tmp_path / "erp.sqlite3"
    write_file(MIGRATIONS, path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    engine = SqliteEngine.open(str(path))
    with engine.snapshot() as snapshot:
        before = snapshot.query("SELECT SUM(paid_cents) FROM invoices", {}).rows
        other.execute("UPDATE invoices SET paid_cents = paid_cents + 1")
        assert snapshot.query("SELECT SUM(paid_cents) FROM invoices", {}).rows == before
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT SUM(paid_cents) FROM invoices", {}).rows != before
    engine.close()
    other.close()


# -- when the database does not answer -------------------------------------------------------------------------------


def test_a_lost_connection_is_an_error_and_the_next_call_connects_again(pg_database: str) -> None:
    engine = PostgresEngine(pg_database)
    with engine.snapshot() as snapshot:
        pid = snapshot.query("SELECT pg_backend_pid()", {}).rows[0][0]
        with psycopg.connect(pg_database, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (pid,))
        with pytest.raises(EngineError, match="connection to the database failed"):
            snapshot.query("SELECT 1", {})
    with engine.snapshot() as snapshot:
        again = snapshot.query("SELECT pg_backend_pid()", {}).rows[0][0]
        assert again != pid
    # Terminated between two calls, the next call does not even notice.
    with psycopg.connect(pg_database, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (again,))
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT 1", {}).rows == [(1,)]
    engine.close()


def test_a_slow_statement_is_stopped(pg_database: str, tmp_path: Path) -> None:
    engine = PostgresEngine(pg_database, statement_timeout=0.2)
    with pytest.raises(EngineError, match="took too long"), engine.snapshot() as snapshot:
        snapshot.query("SELECT pg_sleep(30)", {})
    engine.close()
    path = tmp_path / "erp.sqlite3"
    write_file(MIGRATIONS, path)
    lite = SqliteEngine.open(str(path))
    lite._timeout = 0.2
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    with pytest.raises(EngineError, match="took too long"), lite.snapshot() as snapshot:
        snapshot.query(endless, {})
    with lite.snapshot() as snapshot:
        assert snapshot.query("SELECT 1", {}).rows == [(1,)]
    lite.close()


def test_a_server_that_is_not_there_is_an_error_without_the_password() -> None:
    engine = PostgresEngine("postgresql://ana:gEheim123@127.0.0.1:1/erp", connect_timeout=2)
    started = time.monotonic()
    with pytest.raises(EngineError) as failed, engine.snapshot():
        pass
    assert time.monotonic() - started < 10
    assert "gEheim123" not in failed.value.message + failed.value.advice
    assert failed.value.advice


def test_what_is_no_database_is_an_error_and_nothing_is_created(tmp_path: Path) -> None:
    missing = tmp_path / "mistyped.sqlite3"
    for url in (str(missing), f"sqlite:///{missing}", missing.as_uri()):
        with pytest.raises(EngineError, match="no database file"):
            open_engine(url)
    assert not missing.exists()
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to look at " * 20)
    with pytest.raises(EngineError, match="not a readable SQLite database"):
        open_engine(str(text))
    with pytest.raises(EngineError, match="cannot be read"):
        open_engine("mysql://x/y")


# -- seeding ---------------------------------------------------------------------------------------------------------


def test_seeding_refuses_a_database_with_tables_of_someone_else(pg_database: str) -> None:
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA books")
        connection.execute("CREATE TABLE books.ledger (a int)")
    with pytest.raises(EngineError, match=r"books\.ledger"):
        seed_postgres(pg_database, MIGRATIONS)
    with psycopg.connect(pg_database) as connection:
        assert connection.execute("SELECT to_regclass('public.invoices')").fetchone() == (None,)


def test_seeding_happens_once(pg_database: str) -> None:
    assert seed_postgres(pg_database, MIGRATIONS)
    assert not seed_postgres(pg_database, MIGRATIONS)
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute("DROP TABLE tickets")
    with pytest.raises(EngineError, match="not all"):
        seed_postgres(pg_database, MIGRATIONS)


def test_seeding_a_file_makes_it_once_and_touches_no_other(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    assert seed(str(path), MIGRATIONS)
    before = path.read_bytes()
    assert not seed(f"sqlite:///{path}", MIGRATIONS)
    assert path.read_bytes() == before
    other = tmp_path / "other.sqlite3"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE ledger (a)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(EngineError, match=r"main\.ledger"):
        seed(str(other), MIGRATIONS)
    assert other.read_bytes() == before


@pytest.mark.parametrize("sample", SETS)
def test_the_sample_as_a_file(tmp_path: Path, sample: str) -> None:
    path = tmp_path / "erp.sqlite3"
    write_file(MIGRATIONS, path, sample)
    engine = open_engine(str(path))
    assert set(engine.columns()) == {"customers", "invoices", "payments", "tickets"}
    engine.close()
    with pytest.raises(FileExistsError):
        write_file(MIGRATIONS, path, sample)
