"""Reading is all that can be done, for four reasons, each tested with the other three removed.

The role: a plain read-write connection of the role that the DBA's SQL makes. The transaction: a superuser's connection,
simple protocol, in the transaction that every operation runs in. The protocol: a superuser outside a transaction.
Catalog SQL: what the operations send is one SELECT without side effects, and what a user types is never part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import servers

from footnote_desktop.erp.check import run_check
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.postgres import PostgresEngine
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.settings import data_folder

VERSIONS = (15, 16, 18)


@dataclass(frozen=True)
class WayOut:
    """A statement, and which single layers stop it. Where the transaction does not, the role has to."""

    sql: str
    role: bool = True
    transaction: bool = True
    protocol: bool = False
    needs_dblink: bool = False
    transaction_from: int = 0  #: the first version whose transaction stops it


WAYS = {
    "two statements": WayOut("SELECT 1; DROP TABLE victim", protocol=True),
    "end the transaction first": WayOut("COMMIT; DROP TABLE victim", transaction=False, protocol=True),
    "a comment before it": WayOut("/* only looking */ -- really\nDELETE FROM victim"),
    "a data-modifying CTE": WayOut("WITH gone AS (DELETE FROM victim RETURNING *) SELECT * FROM gone"),
    "read-write in the middle": WayOut(
        "SET TRANSACTION READ WRITE; DELETE FROM victim", protocol=True, transaction=False
    ),
    "a function in FROM with side effects": WayOut("SELECT * FROM delete_victims()"),
    "a function that acts as its owner": WayOut("SELECT delete_victims_as_owner()"),
    "nextval": WayOut("SELECT nextval('victim_numbers')"),
    "setval": WayOut("SELECT setval('victim_numbers', 1000)"),
    "lo_import": WayOut("SELECT lo_import('/etc/hostname')", transaction_from=160_000),
    "lo_create": WayOut("SELECT lo_create(0)", transaction_from=160_000),
    "pg_read_file": WayOut("SELECT pg_read_file('postgresql.conf')", transaction=False),
    "dblink": WayOut(
        "SELECT dblink_exec('dbname=' || current_database() || ' port=' || inet_server_port()"
        " || ' host=127.0.0.1 user=postgres', 'DELETE FROM victim')",
        transaction=False,
        needs_dblink=True,
    ),
    "COPY TO PROGRAM": WayOut("COPY (SELECT 1) TO PROGRAM 'cat'", transaction=False),
    "COPY FROM": WayOut("COPY victim FROM PROGRAM 'echo 7'"),
    "a temporary table": WayOut("CREATE TEMPORARY TABLE mine (x int)"),
    "a table": WayOut("CREATE TABLE mine (x int)"),
    "SELECT INTO": WayOut("SELECT 1 AS x INTO mine"),
    "lock rows": WayOut("SELECT * FROM victim FOR UPDATE"),
    "lock a table": WayOut("LOCK TABLE victim IN ACCESS EXCLUSIVE MODE", transaction=False),
    "a large update in DO": WayOut("DO $$ BEGIN UPDATE victim SET id = 8; END $$"),
    "end another's session": WayOut("SELECT pg_terminate_backend(:pid)", transaction=False),
    "a server setting": WayOut("ALTER SYSTEM SET work_mem = '8MB'"),
    "another role": WayOut("SET ROLE postgres", transaction=False),
}
#: A role that can only read may take advisory locks: they are freed at the end of the transaction's session, and no
#: catalog SQL takes one. Listed so that nobody thinks it was forgotten.
LEFT_TO_CATALOG_SQL = ("SELECT pg_try_advisory_lock(1)", "SELECT pg_sleep(0)", "NOTIFY somebody")


@dataclass(frozen=True)
class Books:
    admin: str
    reader: str
    version: int
    has_dblink: bool
    stranger: int  #: the pid of somebody else's session


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda v: f"PostgreSQL {v}")
def books(request: pytest.FixtureRequest) -> Iterator[Books]:
    server = servers.own_server(request.param)
    seed_postgres(server.url, data_folder("migrations"))
    servers.run_sql(
        server.url,
        "CREATE TABLE victim (id int)",
        "INSERT INTO victim VALUES (7)",
        "CREATE SEQUENCE victim_numbers",
        "CREATE FUNCTION delete_victims() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM victim; RETURN 1; END'",
        "CREATE FUNCTION delete_victims_as_owner() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS"
        " 'BEGIN DELETE FROM victim; RETURN 1; END'",
    )
    has_dblink = True
    try:
        servers.run_sql(server.url, "CREATE EXTENSION dblink")
    except psycopg.Error:
        has_dblink = False
    report = run_check(server.url, mappings=servers.known_mappings(), log_location="x.sqlite3")
    assert report.role_sql is not None
    servers.run_sql(server.url, report.role_sql, "GRANT SELECT ON victim TO footnote_reader")
    # The second lock in the role's settings is taken away: the missing rights have to hold alone.
    servers.run_sql(server.url, "ALTER ROLE footnote_reader RESET ALL")
    with psycopg.connect(server.url) as stranger:
        yield Books(
            server.url,
            servers.with_user(server.url, "footnote_reader"),
            stranger.info.server_version,
            has_dblink,
            stranger.info.backend_pid,
        )
    server.stop()


def trace(books: Books) -> object:
    """Everything that a way out may have changed."""
    with psycopg.connect(books.admin, autocommit=True) as connection:
        return connection.execute(
            "SELECT (SELECT array_agg(id) FROM victim), (SELECT last_value || is_called::text FROM victim_numbers),"
            " (SELECT count(*) FROM pg_largeobject_metadata), to_regclass('mine'),"
            " (SELECT count(*) FROM pg_stat_activity WHERE pid = %s)",
            (books.stranger,),
        ).fetchone()


def applicable(books: Books, name: str) -> WayOut:
    way = WAYS[name]
    if way.needs_dblink and not books.has_dblink:
        pytest.skip("this PostgreSQL has no dblink")
    return way


def text(books: Books, way: WayOut) -> str:
    return way.sql.replace(":pid", str(books.stranger))


@pytest.mark.parametrize("name", WAYS)
def test_the_role_alone(books: Books, name: str) -> None:
    way = applicable(books, name)
    before = trace(books)
    with psycopg.connect(books.reader, autocommit=True) as connection:
        assert connection.execute("SHOW default_transaction_read_only").fetchone() == ("off",)
        if name in ("lo_create",) and books.version >= 160_000:
            pytest.skip("left to the transaction: from PostgreSQL 16 on it stops large objects")
        with pytest.raises(psycopg.Error):
            connection.execute(text(books, way))  # type: ignore[call-overload]
    assert trace(books) == before


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.transaction])
def test_the_transaction_alone(books: Books, name: str) -> None:
    way = applicable(books, name)
    if books.version < way.transaction_from:
        pytest.skip("before PostgreSQL 16 a read-only transaction lets large objects be written; the role does not")
    before = trace(books)
    with psycopg.connect(books.admin, autocommit=True) as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with pytest.raises(psycopg.Error):
            connection.execute(text(books, way))  # type: ignore[call-overload]
        connection.execute("ROLLBACK")
    assert trace(books) == before


def test_the_transaction_cannot_be_made_read_write(books: Books) -> None:
    with psycopg.connect(books.admin, autocommit=True) as connection:
        for sql in ("SET TRANSACTION READ WRITE", "SET transaction_read_only = off"):
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            connection.execute("SELECT 1")
            with pytest.raises(psycopg.Error):
                connection.execute(sql)
            connection.execute("ROLLBACK")


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.protocol])
def test_the_protocol_alone(books: Books, name: str) -> None:
    before = trace(books)
    with (
        psycopg.connect(books.admin, autocommit=True) as connection,
        connection.cursor(binary=True) as cursor,
        pytest.raises(psycopg.errors.SyntaxError, match="multiple commands"),
    ):
        cursor.execute(WAYS[name].sql, prepare=False)  # type: ignore[call-overload]
    assert trace(books) == before


@pytest.mark.parametrize("name", WAYS)
def test_role_and_engine_together(books: Books, name: str) -> None:
    way = applicable(books, name)
    before = trace(books)
    engine = PostgresEngine(books.reader)
    with engine.snapshot() as snapshot, pytest.raises(EngineError):
        snapshot.query(text(books, way), {})
    engine.close()
    assert trace(books) == before


@pytest.mark.parametrize("sql", ["COMMIT", "ROLLBACK", "END", "SET TRANSACTION READ WRITE", "ABORT AND CHAIN"])
def test_nothing_runs_after_the_transaction_was_ended(books: Books, sql: str) -> None:
    engine = PostgresEngine(books.admin)
    before = trace(books)
    with engine.snapshot() as snapshot:
        with suppress(EngineError):
            snapshot.query(sql, {})
        with pytest.raises(EngineError):
            snapshot.query("DELETE FROM victim RETURNING 1", {})
    engine.close()
    assert trace(books) == before


def test_the_fourth_layer_is_needed_for_these(books: Books) -> None:
    engine = PostgresEngine(books.reader)
    for sql in LEFT_TO_CATALOG_SQL:
        with suppress(EngineError), engine.snapshot() as snapshot:
            snapshot.query(sql, {})
    engine.close()


# -- only catalog SQL ----------------------------------------------------------------------------------------------


def test_every_statement_of_the_catalog_is_one_select_without_side_effects() -> None:
    import sqlglot
    from sqlglot import exp

    from footnote_desktop.erp.mapping import BoundMapping
    from footnote_desktop.erp.needs import NEEDS
    from footnote_desktop.erp.postgres import PostgresDialect

    columns = {"invoices": {"due_on": "text", "issued_on": "text"}, "payments": {"received_on": "text"}}
    for mapping in servers.known_mappings():
        types = {t: {c: columns.get(t, {}).get(c, "text") for c in cs} for t, cs in mapping.fingerprint.items()}
        bound = BoundMapping(mapping, PostgresDialect(), types)
        for name in {name for needs in NEEDS.values() for name in needs}:
            for scoped in (False, True):
                sql = bound.with_relations((name,), f"SELECT * FROM {name}", scoped=scoped)
                statements = sqlglot.parse(sql, read="postgres")
                assert len(statements) == 1
                tree = statements[0]
                assert isinstance(tree, exp.Select)
                assert not list(tree.find_all(exp.Insert, exp.Update, exp.Delete, exp.Command, exp.Lock))
                anonymous = {f.name.lower() for f in tree.find_all(exp.Anonymous)}
                assert not anonymous & {"nextval", "setval", "dblink", "lo_import", "pg_read_file", "set_config"}


def test_no_sql_is_put_together_outside_the_two_rooms(root: Path) -> None:
    for folder in ("answers", "server", "desktop", "provenance"):
        for file in (root / "footnote_desktop" / folder).rglob("*.py"):
            assert "psycopg" not in file.read_text(encoding="utf-8") or folder == "provenance", file
