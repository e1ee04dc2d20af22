"""The read-only check on real servers: what a role can touch is found out, said, and put right by its SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import servers

from footnote_desktop.erp.check import STAGES, run_check
from footnote_desktop.erp.connect import open_engine
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.report import CheckItem, CheckReport
from footnote_desktop.erp.sample import in_memory, seed_postgres, write_file
from footnote_desktop.settings import data_folder

MIGRATIONS = data_folder("migrations")
LOG = "log-of-the-tests.sqlite3"


def check(url: str, log: str | None = LOG) -> CheckReport:
    return run_check(url, mappings=servers.known_mappings(), log_location=log)


def state(report: CheckReport, name: str) -> str:
    item = report.item(name)
    assert item is not None, report.to_text()
    return item.state


def failed(report: CheckReport) -> set[str]:
    return {item.name for item in report.items if item.state in ("fail", "unchecked")}


@pytest.fixture(scope="module", params=(15, 16, 18), ids=lambda v: f"PostgreSQL {v}")
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    own = servers.own_server(request.param)
    yield own.url
    own.stop()


@pytest.fixture
def books(server: str) -> Iterator[str]:
    """A database with the sample and a role ``reader`` that may read it, as a careful DBA would make it by hand."""
    url = urlsplit(server)._replace(path="/books").geturl()
    servers.run_sql(server, "CREATE DATABASE books")
    seed_postgres(url, MIGRATIONS)
    servers.run_sql(
        url,
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON customers, invoices, payments, tickets TO reader",
        "REVOKE TEMPORARY ON DATABASE books FROM PUBLIC",
    )
    yield url
    servers.run_sql(server, "DROP DATABASE books WITH (FORCE)")
    with psycopg.connect(server, autocommit=True) as connection:
        roles = connection.execute("SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> 'postgres'")
        for (name,) in roles.fetchall():
            connection.execute(f'DROP OWNED BY "{name}"')  # type: ignore[call-overload]
            connection.execute(f'DROP ROLE "{name}"')  # type: ignore[call-overload]


def as_reader(url: str, user: str = "reader") -> str:
    return servers.with_user(url, user)


# -- a good role ---------------------------------------------------------------------------------------------------


def test_a_role_that_can_only_read_passes_every_stage(books: str) -> None:
    seen: list[CheckItem] = []
    report = run_check(as_reader(books), mappings=servers.known_mappings(), log_location=LOG, progress=seen.append)
    assert report.ok, report.to_text()
    assert not report.can_write
    assert [stage for stage in STAGES if stage in {item.name for item in report.items}] == list(STAGES)
    assert {item.name for item in seen} == {item.name for item in report.items}
    assert report.erp["name"] == "Sample schema"
    assert all(serving.available and not serving.reason for serving in report.operations)
    assert report.queries < 25
    for item in report.items:
        assert item.sentence.endswith((".", "…")), item
        assert item.state == "pass" or item.advice, item


def test_the_json_has_the_published_keys(books: str) -> None:
    document = json.loads(json.dumps(check(as_reader(books)).to_json()))
    assert {"ok", "items", "erp", "operations", "roleSql"} <= set(document)
    assert {"name", "state", "sentence", "advice", "ms"} <= set(document["items"][0])
    assert {"name", "version", "company"} <= set(document["erp"])
    assert {"name", "available", "reason"} <= set(document["operations"][0])
    assert isinstance(document["items"][0]["ms"], float)


def test_nothing_is_written_by_the_check(books: str) -> None:
    """PostgreSQL gives a transaction a number when it first writes: no number was given."""
    with psycopg.connect(books, autocommit=True) as connection:

        def next_number() -> object:
            return connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())").fetchone()

        before = next_number()
        check(books)
        check(as_reader(books))
        assert next_number() == before
        connection.execute("CREATE TABLE written (x int)")
        assert next_number() != before


# -- roles that can do more ----------------------------------------------------------------------------------------

#: What a role is given → which item says so.
GRANTS = {
    "CREATEDB": ("ALTER ROLE reader CREATEDB", "role: attributes"),
    "CREATEROLE": ("ALTER ROLE reader CREATEROLE", "role: attributes"),
    "REPLICATION": ("ALTER ROLE reader REPLICATION", "role: attributes"),
    "SUPERUSER": ("ALTER ROLE reader SUPERUSER", "role: attributes"),
    "INSERT": ("GRANT INSERT ON invoices TO reader", "role: tables"),
    "UPDATE": ("GRANT UPDATE ON invoices TO reader", "role: tables"),
    "DELETE": ("GRANT DELETE ON invoices TO reader", "role: tables"),
    "TRUNCATE": ("GRANT TRUNCATE ON invoices TO reader", "role: tables"),
    "REFERENCES": ("GRANT REFERENCES ON invoices TO reader", "role: tables"),
    "TRIGGER": ("GRANT TRIGGER ON invoices TO reader", "role: tables"),
    "INSERT for everyone": ("GRANT INSERT ON tickets TO PUBLIC", "role: tables"),
    "UPDATE of a column": ("GRANT UPDATE (paid_cents) ON invoices TO reader", "role: columns"),
    "REFERENCES of a column for everyone": ("GRANT REFERENCES (id) ON invoices TO PUBLIC", "role: columns"),
    "UPDATE of a sequence": ("CREATE SEQUENCE s; GRANT UPDATE ON SEQUENCE s TO reader", "role: sequences"),
    "USAGE of a sequence": ("CREATE SEQUENCE s; GRANT USAGE ON SEQUENCE s TO PUBLIC", "role: sequences"),
    "CREATE in a schema": ("GRANT CREATE ON SCHEMA public TO reader", "role: creating"),
    "CREATE in a schema for everyone": ("GRANT CREATE ON SCHEMA public TO PUBLIC", "role: creating"),
    "CREATE in the database": ("GRANT CREATE ON DATABASE books TO reader", "role: creating"),
    "ALTER SYSTEM": ("GRANT ALTER SYSTEM ON PARAMETER work_mem TO reader", "role: creating"),
    "owns a table": ("ALTER TABLE tickets OWNER TO reader", "role: ownership"),
    "owns a schema": ("CREATE SCHEMA mine AUTHORIZATION reader", "role: ownership"),
    "owns the database": ("ALTER DATABASE books OWNER TO reader", "role: ownership"),
    "owns a function": (
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION f() OWNER TO reader",
        "role: ownership",
    ),
    "pg_write_all_data": ("GRANT pg_write_all_data TO reader", "role: memberships"),
    "pg_execute_server_program": ("GRANT pg_execute_server_program TO reader", "role: memberships"),
    "pg_write_server_files": ("GRANT pg_write_server_files TO reader", "role: memberships"),
    "pg_signal_backend": ("GRANT pg_signal_backend TO reader", "role: memberships"),
    "a role that may write": (
        "CREATE ROLE app; GRANT UPDATE ON invoices TO app; GRANT app TO reader",
        "role: tables",
    ),
    "a role that may write, by SET ROLE": (
        "CREATE ROLE app; GRANT UPDATE ON invoices TO app; GRANT app TO reader; ALTER ROLE reader NOINHERIT",
        "role: tables",
    ),
    "a role of a role, with CREATEDB": (
        "CREATE ROLE inner_role CREATEDB; CREATE ROLE app; GRANT inner_role TO app; GRANT app TO reader",
        "role: attributes",
    ),
    "a SECURITY DEFINER function": (
        "CREATE FUNCTION g() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "role: functions",
    ),
    "a SECURITY DEFINER procedure": (
        "CREATE PROCEDURE p(a int, OUT b int) LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "role: functions",
    ),
    "pg_read_file": ("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO reader", "role: server functions"),
    "lo_import for everyone": ("GRANT EXECUTE ON FUNCTION lo_import(text) TO PUBLIC", "role: server functions"),
    "a large object": (
        "SELECT lo_create(4711); GRANT UPDATE ON LARGE OBJECT 4711 TO reader",
        "role: large objects",
    ),
}


@pytest.mark.parametrize("what", GRANTS)
def test_each_right_beyond_reading_is_found_and_the_sql_puts_it_right(books: str, what: str) -> None:
    sql, name = GRANTS[what]
    servers.run_sql(books, *sql.split("; "))
    report = check(as_reader(books))
    assert not report.ok
    assert report.can_write
    assert {name, "role"} <= failed(report), report.to_text()
    if what != "SUPERUSER":
        others = {"role: memberships", "role: attributes", "role: ownership", "role: creating", "role: tables"} - {name}
        assert not (failed(report) & others - {"role"}) or what.startswith(("owns", "a role of")), report.to_text()
    with pytest.raises(EngineError) as refused:
        invoices_through_the_gate(as_reader(books))
    assert refused.value.kind == "writer"
    passes_after_its_sql(books, report)


def version(url: str) -> str:
    return servers.setting(url, "server_version")


def passes_after_its_sql(url: str, report: CheckReport) -> CheckReport:
    """Run the SQL twice as the superuser; the role it names then passes without a remark."""
    assert report.role_sql is not None
    made = re.search(r"^(?:CREATE|ALTER) ROLE (\S+) LOGIN", report.role_sql, re.MULTILINE)
    role = made[1] if made else "reader"
    servers.run_sql(url, report.role_sql)
    again = report.role_sql.replace(f"CREATE ROLE {role}", f"ALTER ROLE {role}")
    servers.run_sql(url, again)
    after = check(as_reader(url, role))
    assert after.ok, report.role_sql + after.to_text()
    assert {item.state for item in after.items} == {"pass"}, report.role_sql + after.to_text()
    assert invoices_through_the_gate(as_reader(url, role)) > 0
    return after


def invoices_through_the_gate(url: str) -> int:
    engine = open_engine(url, refuse_writers=True)
    try:
        with engine.snapshot() as snapshot:
            return int(snapshot.query("SELECT count(*) FROM invoices", {}).rows[0][0])
    finally:
        engine.close()


def test_the_superusers_check_makes_the_same_role(books: str) -> None:
    servers.run_sql(
        books,
        "GRANT TEMPORARY ON DATABASE books TO PUBLIC",
        "GRANT CREATE ON SCHEMA public TO PUBLIC",
        "GRANT INSERT ON invoices, payments TO PUBLIC",
        "GRANT UPDATE (subject) ON tickets TO PUBLIC",
        "CREATE SEQUENCE numbers",
        "GRANT ALL ON SEQUENCE numbers TO PUBLIC",
        "CREATE FUNCTION f(a int, b text DEFAULT '') RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        'CREATE ROLE "the app" LOGIN',
    )
    report = check(books)
    assert "role" in failed(report)
    passes_after_its_sql(books, report)
    # Whoever relied on PUBLIC keeps what they had.
    with psycopg.connect(as_reader(books, "the%20app"), autocommit=True) as connection:
        connection.execute("CREATE TEMPORARY TABLE t (x int)")
        connection.execute("CREATE TABLE public.mine (x int)")
        connection.execute("SELECT nextval('numbers'), f(1)")
        connection.execute("INSERT INTO payments VALUES (-1, 8812, null, 1, null)")


def test_the_owner_of_the_database_can_run_the_sql(books: str) -> None:
    """Where nobody is given the superuser, as with a hosted server. It is run again over a role that was spoilt."""
    servers.run_sql(
        books,
        "CREATE ROLE owner LOGIN CREATEROLE",
        "ALTER DATABASE books OWNER TO owner",
        *(f"ALTER TABLE {table} OWNER TO owner" for table in ("customers", "invoices", "payments", "tickets")),
        "GRANT ALL ON SCHEMA public TO owner WITH GRANT OPTION",
        "GRANT INSERT ON invoices TO PUBLIC",
        "GRANT TEMPORARY ON DATABASE books TO PUBLIC",
    )
    owner = as_reader(books, "owner")
    for spoil in ("SELECT 1", "GRANT DELETE ON invoices TO footnote_reader"):
        servers.run_sql(owner, spoil)
        report = check(owner)
        assert report.can_write
        servers.run_sql(owner, report.role_sql or "")
        after = check(as_reader(books, "footnote_reader"))
        assert after.ok, (report.role_sql or "") + after.to_text()
        assert {i.name for i in after.items if i.state != "pass"} <= {"role: large objects"}


def test_a_reader_that_was_made_a_superuser_is_put_right(books: str) -> None:
    servers.run_sql(books, "CREATE ROLE footnote_reader LOGIN SUPERUSER CREATEDB", "GRANT reader TO footnote_reader")
    passes_after_its_sql(books, check(as_reader(books, "footnote_reader")))


def test_bypassrls_alone_is_a_remark(books: str) -> None:
    servers.run_sql(books, "ALTER ROLE reader BYPASSRLS")
    report = check(as_reader(books))
    assert report.ok
    assert state(report, "role: attributes") == "warn"


def test_temporary_tables_alone_are_a_remark(books: str) -> None:
    servers.run_sql(books, "GRANT TEMPORARY ON DATABASE books TO PUBLIC")
    report = check(as_reader(books))
    assert report.ok
    assert state(report, "role: temporary tables") == "warn"
    passes_after_its_sql(books, report)


def test_a_membership_that_gives_nothing_is_not_counted(books: str) -> None:
    if version(books) < "16":
        pytest.skip("memberships without inheriting and without SET exist from PostgreSQL 16 on")
    servers.run_sql(
        books,
        "CREATE ROLE app",
        "GRANT UPDATE ON invoices TO app",
        "GRANT app TO reader WITH INHERIT FALSE, SET FALSE",
    )
    assert check(as_reader(books)).ok


def test_what_the_sessions_own_user_can_go_back_to_is_counted(books: str) -> None:
    servers.run_sql(books, "CREATE ROLE app LOGIN", "GRANT UPDATE ON invoices TO app", "GRANT reader TO app")
    servers.run_sql(books, "ALTER ROLE app SET role = 'reader'")
    report = check(as_reader(books, "app"))
    assert "role: tables" in failed(report)


def test_dblink_and_foreign_servers(books: str) -> None:
    try:
        servers.run_sql(books, "CREATE EXTENSION dblink")
    except psycopg.Error:
        pytest.skip("this PostgreSQL has no dblink")
    report = check(as_reader(books))
    assert "role: other servers" in failed(report)
    passes_after_its_sql(books, report)
    servers.run_sql(
        books,
        "CREATE SERVER other FOREIGN DATA WRAPPER dblink_fdw",
        "GRANT USAGE ON FOREIGN SERVER other TO reader",
    )
    assert state(check(as_reader(books)), "role: other servers") == "warn"


def test_a_server_that_cannot_be_asked_about_something_says_so(books: str) -> None:
    servers.run_sql(books, "REVOKE SELECT ON pg_catalog.pg_foreign_server FROM PUBLIC")
    report = check(as_reader(books))
    assert {"role", "role: other servers", "role: large objects"} == failed(report)
    assert {item.state for item in report.items if item.name in failed(report)} == {"unchecked"}
    item = report.item("role: other servers")
    assert item is not None
    assert "cannot be asked" in item.sentence
    assert "pg_foreign_server" in item.details
    assert state(report, "data") == "pass"  # what can be checked, is
    assert not report.ok
    with pytest.raises(EngineError) as refused:
        invoices_through_the_gate(as_reader(books))
    assert refused.value.kind == "writer"


# -- what is hidden ------------------------------------------------------------------------------------------------


def test_row_level_security_is_found_and_put_right(books: str) -> None:
    servers.run_sql(
        books,
        "ALTER TABLE invoices ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY a_few ON invoices FOR SELECT TO reader USING (customer_id = 4471)",
    )
    report = check(as_reader(books))
    item = report.item("data")
    assert item is not None
    assert (item.state, "wrong total" in item.sentence) == ("fail", True)
    assert not any(s.available for s in report.operations if s.name != "verifyProvenanceChain")
    assert not report.can_write
    passes_after_its_sql(books, report)
    servers.run_sql(books, "CREATE POLICY narrow ON invoices AS RESTRICTIVE FOR SELECT USING (id > 0)")
    assert state(check(as_reader(books)), "data") == "fail"


def test_missing_select_is_found_named_and_put_right(books: str) -> None:
    servers.run_sql(books, "REVOKE SELECT ON payments FROM reader")
    report = check(as_reader(books))
    item = report.item("schema")
    assert item is not None
    assert item.state == "fail"
    assert "public.payments" in item.sentence
    assert "SELECT" in (report.role_sql or "")
    assert {s.name for s in report.operations if s.available} == {"verifyProvenanceChain"}
    passes_after_its_sql(books, report)


def test_a_missing_column_is_named(books: str) -> None:
    servers.run_sql(
        books,
        "REVOKE SELECT ON invoices FROM reader",
        "GRANT SELECT (id, number, customer_id, issued_on, due_on, currency, amount_cents, status)"
        " ON invoices TO reader",
    )
    report = check(as_reader(books))
    item = report.item("schema")
    assert item is not None
    assert "public.invoices.paid_cents" in item.sentence
    passes_after_its_sql(books, report)


def test_tables_in_another_schema(books: str) -> None:
    servers.run_sql(
        books,
        'CREATE SCHEMA "Ledger-2"',
        *(f'ALTER TABLE {t} SET SCHEMA "Ledger-2"' for t in ("customers", "invoices", "payments", "tickets")),
        'GRANT USAGE ON SCHEMA "Ledger-2" TO reader',
    )
    report = check(as_reader(books))
    assert state(report, "schema") == "fail"
    after = passes_after_its_sql(books, report)
    assert after.erp["name"] == "Sample schema"


def test_no_erp_at_all(server: str, books: str) -> None:
    report = check(urlsplit(server)._replace(path="/postgres").geturl())
    item = report.item("schema")
    assert item is not None
    assert item.state == "fail"
    assert "not those of an ERP" in item.sentence
    assert all(s.reason for s in report.operations if not s.available)


def test_a_table_whose_types_do_not_fit_takes_down_only_what_reads_it(books: str) -> None:
    servers.run_sql(books, "ALTER TABLE tickets ALTER COLUMN severity TYPE int USING 1")
    report = check(as_reader(books))
    unavailable = {s.name for s in report.operations if not s.available}
    assert unavailable == {"getCustomerSummary", "getOpenTickets"}
    assert state(report, "data") == "warn"
    assert report.ok


# -- where it goes wrong before ------------------------------------------------------------------------------------


def test_a_failed_stage_leaves_the_next_ones_unchecked() -> None:
    report = check(f"postgresql://u:hunter2@127.0.0.1:{servers.free_port()}/d")
    assert state(report, "name resolution") == "pass"
    assert state(report, "TCP") == "fail"
    for stage in ("TLS", "login", "server and version", "role", "session", "schema", "data"):
        assert state(report, stage) == "unchecked"
    assert state(report, "log location") == "pass"
    assert not report.ok
    assert "CREATE ROLE footnote_reader" in (report.role_sql or "")
    assert "hunter2" not in json.dumps(report.to_json())


def test_a_connection_that_cannot_be_read() -> None:
    report = check("postgresql://u:hunter2%zz@db/d")
    assert report.items[0].name == "connection"
    assert not report.ok
    assert "hunter2" not in json.dumps(report.to_json())


def test_several_hosts_one_of_which_answers(books: str) -> None:
    split = urlsplit(as_reader(books))
    url = f"postgresql://reader@127.0.0.1:{servers.free_port()},127.0.0.1:{split.port}/books"
    report = check(url)
    assert state(report, "TCP") == "warn"
    assert report.ok, report.to_text()
    standby = check(url + "?target_session_attrs=standby")
    item = standby.item("login")
    assert item is not None
    assert (item.state, "None of the servers" in item.sentence) == ("fail", True), item.details
    assert check(url + "?target_session_attrs=prefer-standby").ok


# -- the log -------------------------------------------------------------------------------------------------------


def test_the_log_has_to_be_elsewhere(books: str, tmp_path: Path) -> None:
    reader = as_reader(books)
    assert state(check(reader, str(tmp_path / "new" / "log.sqlite3")), "log location") == "pass"
    assert list(tmp_path.iterdir()) == []
    for log in (books, urlsplit(books)._replace(path="/another").geturl(), books.replace("127.0.0.1", "localhost")):
        item = check(reader, log).item("log location")
        assert item is not None
        assert item.state == "fail"
    assert "the very database" in (check(reader, books).item("log location") or report_missing()).sentence
    assert state(check(reader, "postgresql://w@log.invalid/log"), "log location") == "pass"
    assert state(check(reader, None), "log location") == "unchecked"


def report_missing() -> CheckItem:
    raise AssertionError("the item is missing")


# -- files ---------------------------------------------------------------------------------------------------------


def test_the_sample_and_a_sqlite_file(tmp_path: Path) -> None:
    file = tmp_path / "erp.sqlite3"
    write_file(MIGRATIONS, file)
    before = file.read_bytes()
    sample = in_memory(MIGRATIONS)
    for target in (str(file), f"sqlite:///{file}", sample):
        report = run_check(target, mappings=servers.known_mappings(), log_location=LOG)
        assert report.ok, report.to_text()
        assert report.role_sql is None
        assert all(s.available for s in report.operations)
    sample.close()
    assert file.read_bytes() == before
    same = run_check(str(file), mappings=servers.known_mappings(), log_location=str(file))
    assert state(same, "log location") == "fail"
    (tmp_path / "link.sqlite3").symlink_to(file)
    same = run_check(str(file), mappings=servers.known_mappings(), log_location=str(tmp_path / "link.sqlite3"))
    assert state(same, "log location") == "fail"


def test_no_file_and_no_database(tmp_path: Path) -> None:
    report = check(str(tmp_path / "none.sqlite3"))
    assert state(report, "file") == "fail"
    assert not list(tmp_path.iterdir())
    (tmp_path / "text.sqlite3").write_text("not a database")
    assert state(check(str(tmp_path / "text.sqlite3")), "file") == "fail"
