"""PostgreSQL as a system of record, read in read-only snapshots.

Every operation is ``BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`` with local time-outs. Statements go through
the extended protocol (``binary=True`` forces it, https://www.psycopg.org/psycopg3/docs/advanced/prepare.html and the
protocol's rule that a Parse message takes one statement), so that one string can never be two statements, and without
named prepared statements, which collide behind a pooler.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from footnote_desktop.erp.engine import Dialect, EngineError, Rows, Stopwatch, psycopg_style, used_parameters

# A calendar date in text, by its characters alone: a cast would abort the query on the first malformed one, and
# pg_input_is_valid exists only from PostgreSQL 16 on.
_LEAP = r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29"
_MONTHS = r"(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8])"
_DATE = rf"^((?!0000)\d{{4}}-({_MONTHS})|(?!0000){_LEAP})$"


class PostgresDialect:
    name = "postgresql"

    def date(self, expression: str, declared_type: str) -> str:
        if declared_type == "date":
            return expression
        if declared_type.startswith("timestamp"):
            # Without a zone the day is the one written; with one it is the day in UTC, never the server's zone's.
            zone = " AT TIME ZONE 'UTC'" if "with time zone" in declared_type else ""
            return f"CAST({expression}{zone} AS date)"
        text = f"CAST({expression} AS text)"
        return f"CASE WHEN {text} ~ '{_DATE}' THEN CAST({text} AS date) END"

    def days(self, later: str, earlier: str) -> str:
        return f"({later} - {earlier})"

    def parameter(self, value: Any) -> Any:
        return value


class PostgresSnapshot:
    def __init__(self, connection: psycopg.Connection[Any], info: Mapping[str, Any]):
        self._connection = connection
        self.info = info

    def query(self, sql: str, params: Mapping[str, Any]) -> Rows:
        watch = Stopwatch()
        used = used_parameters(sql, params)
        try:
            with self._connection.cursor(binary=True) as cursor:
                cursor.execute(psycopg_style(sql).encode(), used, prepare=False)
                rows = cursor.fetchall()
                names = tuple(column.name for column in cursor.description or ())
        except psycopg.Error as error:
            raise translate(error) from error
        return Rows(names, rows, watch.ms())


class PostgresEngine:
    """One connection, used by one thread at a time, opened on first use and again when it was lost.

    ``statement_timeout`` and ``connect_timeout`` are in seconds.
    """

    dialect: Dialect

    def __init__(self, url: str, statement_timeout: float = 30.0, connect_timeout: int = 10):
        self.dialect = PostgresDialect()
        self._url = url
        self._timeout_ms = int(statement_timeout * 1000)
        self._connect_timeout = connect_timeout
        self._connection: psycopg.Connection[Any] | None = None
        self._lock = threading.Lock()

    def _connect(self) -> psycopg.Connection[Any]:
        try:
            given = conninfo_to_dict(self._url)
            defaults: dict[str, Any] = {
                "connect_timeout": self._connect_timeout,
                "application_name": "footnote",
                # A dead network must become an error: the server's own time-outs cannot reach us through it.
                "keepalives_idle": 10,
                "keepalives_interval": 5,
                "keepalives_count": 3,
                "tcp_user_timeout": self._timeout_ms + 15_000,
            }
            extra = {key: value for key, value in defaults.items() if key not in given}
            return psycopg.connect(self._url, autocommit=True, prepare_threshold=None, **extra)
        except psycopg.Error as error:
            raise translate(error) from error

    def _begin(self) -> tuple[psycopg.Connection[Any], Mapping[str, Any]]:
        for attempt in (1, 2):
            fresh = self._connection is None or self._connection.closed
            if fresh:
                self._connection = self._connect()
            connection = self._connection
            assert connection is not None
            try:
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                with connection.cursor(binary=True) as cursor:
                    for name, milliseconds in (
                        ("statement_timeout", self._timeout_ms),
                        ("lock_timeout", 5_000),
                        ("idle_in_transaction_session_timeout", 60_000),
                    ):
                        cursor.execute("SELECT set_config(%s, %s, true)", (name, str(milliseconds)), prepare=False)
                    cursor.execute(
                        "SELECT current_database(), current_user::text, now(), current_setting('server_version'),"
                        " current_setting('transaction_isolation'), current_setting('transaction_read_only')",
                        (),
                        prepare=False,
                    )
                    row = cursor.fetchone()
                assert row is not None
                if row[5] != "on":
                    raise EngineError(
                        "the transaction did not come up read-only, so nothing was read",
                        "Ask IT whether a pooler or proxy in front of the database rewrites transactions.",
                    )
                return connection, {
                    "engine": f"PostgreSQL {row[3]}",
                    "database": row[0],
                    "role": row[1],
                    "isolation": f"{row[4]}, read only",
                    "time": row[2].astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                }
            except psycopg.OperationalError as error:
                self._drop()
                if fresh or attempt == 2:
                    raise translate(error) from error
            except psycopg.Error as error:
                self._drop()
                raise translate(error) from error
        raise AssertionError("unreachable")

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    @contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        with self._lock:
            connection, info = self._begin()
            try:
                yield PostgresSnapshot(connection, info)
            finally:
                try:
                    connection.execute("ROLLBACK")
                except psycopg.Error:
                    self._drop()

    def columns(self) -> Mapping[str, Mapping[str, str]]:
        with self.snapshot() as snapshot:
            rows = snapshot.query(
                "SELECT c.table_name::text, c.column_name::text, c.data_type::text FROM information_schema.columns c"
                " WHERE c.table_schema = ANY (current_schemas(false)) AND"
                " has_column_privilege(quote_ident(c.table_schema) || '.' || quote_ident(c.table_name),"
                " c.column_name, 'SELECT')",
                {},
            ).rows
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in rows:
            found.setdefault(table, {})[column] = kind
        return found

    def close(self) -> None:
        with self._lock:
            self._drop()


def translate(error: psycopg.Error) -> EngineError:
    """A driver's error as what happened and what to do. Never repeats connection strings."""
    state = error.sqlstate or ""
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if state == "57014":
        return EngineError(
            "the query took too long and the server stopped it", "Ask about one customer, or ask IT about an index."
        )
    if state == "55P03":
        return EngineError("a table is locked by another program", "Try again in a minute.")
    if state in ("28P01", "28000"):
        return EngineError("the database refused the user name or the password", "Check both with IT.")
    if state == "3D000":
        return EngineError("the server has no database of that name", "Check the database name in the connection.")
    if state == "42501":
        return EngineError(f"the database role may not read what is needed: {text}", "Ask IT for SELECT on it.")
    if state in ("22003", "22P02", "42883", "42P01", "42703"):
        return EngineError(f"the database has data or columns that do not fit: {text}", "Check the mapping.")
    if state.startswith(("57P", "08")) or isinstance(error, psycopg.OperationalError):
        return EngineError(
            f"the connection to the database failed: {text}",
            "Check that the server runs and can be reached; the next question connects again.",
        )
    return EngineError(f"the database refused the query: {text}", "Check the mapping and the role's rights.")
