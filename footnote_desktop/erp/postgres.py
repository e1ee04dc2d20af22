"""PostgreSQL as a system of record, read in read-only snapshots.

Every operation is ``BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`` with local time-outs. Statements go through
the extended protocol (``binary=True`` forces it, https://www.psycopg.org/psycopg3/docs/advanced/prepare.html and the
protocol's rule that a Parse message takes one statement), so that one string can never be two statements, and without
named prepared statements, which collide behind a pooler.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import pq

from footnote_desktop.erp.conninfo import Address, resolve, scrub
from footnote_desktop.erp.engine import Dialect, EngineError, Rows, Stopwatch, psycopg_style, used_parameters
from footnote_desktop.erp.faults import translate
from footnote_desktop.erp.patience import Canceled, PatientConnection, TooLong

if TYPE_CHECKING:
    from footnote_desktop.erp.tunnel import Tunnel

__all__ = ["PostgresDialect", "PostgresEngine", "PostgresSnapshot", "translate"]

#: Seconds that the client waits beyond the server's own time-out before it gives the connection up.
GRACE = 5.0
#: PostgreSQL 12 is the first that inlines CTEs, which every operation relies on.
OLDEST = 120_000

#: Given a snapshot of a new connection, raises :class:`EngineError` when this connection may not be used.
Guard = Callable[["PostgresSnapshot"], None]

# A calendar date in text, by its characters alone: a cast would abort the query on the first malformed one, and
# pg_input_is_valid exists only from PostgreSQL 16 on.
_LEAP = r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29"
_MONTHS = r"(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8])"
_DATE = rf"^((?!0000)\d{{4}}-({_MONTHS})|(?!0000){_LEAP})$"


class PostgresDialect:
    name = "postgresql"
    once = "OFFSET 0"

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
    """One read-only transaction on a connection."""

    def __init__(
        self, connection: PatientConnection, info: Mapping[str, Any], patience: float, count: Callable[[], None]
    ):
        self._connection = connection
        self._count = count
        self._patience = patience
        self.info = info

    def query(self, sql: str, params: Mapping[str, Any]) -> Rows:
        """Run one SELECT. Raises :class:`EngineError`: also when the server does not answer in time, or when the
        engine was told to cancel; the connection is given up then."""
        watch = Stopwatch()
        used = used_parameters(sql, params)
        self._count()
        # A statement runs inside the read-only transaction or not at all, whatever the one before it did.
        if self._connection.info.transaction_status != pq.TransactionStatus.INTRANS:
            raise EngineError("the read-only transaction has ended, so nothing more was read", "Ask again.")
        try:
            with self._connection.patience(self._patience), self._connection.cursor(binary=True) as cursor:
                cursor.execute(psycopg_style(sql), used, prepare=False)
                rows = cursor.fetchall()
                names = tuple(column.name for column in cursor.description or ())
        except psycopg.Error as error:
            raise translate(error) from error
        return Rows(names, rows, watch.ms())


_SETTINGS = """
SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),
       set_config('idle_in_transaction_session_timeout', %s, true),
       current_database()::text, current_user::text, now(), current_setting('server_version'),
       current_setting('transaction_isolation'), current_setting('transaction_read_only'),
       current_setting('server_version_num')::int
"""


class PostgresEngine:
    """One connection, used by one thread at a time, opened on first use and again when it was lost.

    ``url`` is a URL or libpq's ``key=value`` text; ``password`` is used where it has none. ``statement_timeout`` and
    ``connect_timeout`` are in seconds. ``guard`` looks at every new connection before anything else is read from it.
    ``tunnel`` is started on first use. ``cancel`` is asked during every wait, and ends it. ``sent`` counts statements.
    Raises :class:`EngineError` when the URL cannot be read.
    """

    dialect: Dialect
    sent: int

    def __init__(
        self,
        url: str,
        statement_timeout: float = 30.0,
        connect_timeout: int = 10,
        *,
        password: str | None = None,
        guard: Guard | None = None,
        tunnel: Tunnel | None = None,
        cancel: Callable[[], bool] | None = None,
    ):
        self.sent = 0
        self.dialect = PostgresDialect()
        self.address: Address = resolve(url, password)
        self._timeout = statement_timeout
        self._connect_timeout = connect_timeout
        self._guard = guard
        self._tunnel = tunnel
        self._connection: PatientConnection | None = None
        self._stop = threading.Event()
        self._stops = (self._stop.is_set, cancel) if cancel is not None else (self._stop.is_set,)
        self._lock = threading.Lock()

    # -- connecting ------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        """What goes to libpq: holds the password."""
        given = dict(self.address.parameters)
        defaults: dict[str, Any] = {
            "connect_timeout": self._connect_timeout,
            "application_name": "footnote",
            # A dead network must become an error: the server's own time-outs cannot reach us through it.
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": int((self._timeout + 3 * GRACE) * 1000),
        }
        if self._tunnel is not None:
            given |= self._tunnel.through(self.address)
        return {**defaults, **given}

    def _connect(self) -> PatientConnection:
        try:
            connection = PatientConnection.connect("", autocommit=True, prepare_threshold=None, **self.parameters())
        except psycopg.Error as error:
            fault = translate(error, self.address.sslmode)
            if "certificate verify failed" in fault.details and self._tunnel is None:
                from footnote_desktop.erp.tls_reason import verification_fault

                if reason := verification_fault(self.address):
                    fault = translate(psycopg.OperationalError(f"{fault.details} ({reason})"))
            secrets = self.address.secrets()
            raise EngineError(
                scrub(fault.message, secrets), fault.advice, scrub(fault.details, secrets), fault.kind
            ) from error
        connection.stops = self._stops
        if 0 < connection.info.server_version < OLDEST:
            connection.close()
            raise EngineError(
                f"the server is PostgreSQL {connection_version(connection.info.server_version)}, which is too old",
                "Footnote reads PostgreSQL 12 and later.",
                kind="version",
            )
        return connection

    def connect(self) -> PatientConnection:
        """The open connection, for the check. Raises :class:`EngineError`."""
        with self._lock:
            if self._connection is None or self._connection.closed:
                self._connection = self._connect()
            return self._connection

    def _begin(self) -> tuple[PatientConnection, Mapping[str, Any]]:
        for attempt in (1, 2):
            fresh = self._connection is None or self._connection.closed
            if fresh:
                self._connection = self._connect()
            connection = self._connection
            assert connection is not None
            try:
                info = self._begin_on(connection)
                if fresh and self._guard is not None:
                    try:
                        self._guard(self._snapshot_on(connection, info))
                    except BaseException:
                        self._drop()
                        raise
                return connection, info
            except psycopg.OperationalError as error:
                self._drop()
                if fresh or attempt == 2 or isinstance(error, TooLong | Canceled):
                    raise translate(error) from error
            except psycopg.Error as error:
                self._drop()
                raise translate(error) from error
        raise AssertionError("unreachable")

    def _snapshot_on(self, connection: PatientConnection, info: Mapping[str, Any]) -> PostgresSnapshot:
        return PostgresSnapshot(connection, info, self._timeout + GRACE, self._count)

    def _count(self) -> None:
        self.sent += 1

    def _begin_on(self, connection: PatientConnection) -> Mapping[str, Any]:
        # The first word on a connection that may have died since: it gets less patience than a query.
        self.sent += 2
        with connection.patience(2 * GRACE):
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with connection.cursor(binary=True) as cursor:
                cursor.execute(_SETTINGS, (str(int(self._timeout * 1000)), "5000", "60000"), prepare=False)
                row = cursor.fetchone()
        assert row is not None
        if row[8] != "on":
            self._drop()
            raise EngineError(
                "the transaction did not come up read-only, so nothing was read",
                "Ask IT whether a pooler or proxy in front of the database rewrites transactions.",
                kind="session",
            )
        return {
            "engine": f"PostgreSQL {row[6]}",
            "database": row[3],
            "role": row[4],
            "isolation": f"{row[7]}, read only",
            "time": row[5].astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }

    def cancel(self) -> None:
        """Make whatever waits for the server, in another thread, end with an error within half a second."""
        self._stop.set()

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        with self._lock:
            self._stop.clear()
            connection, info = self._begin()
            try:
                yield self._snapshot_on(connection, info)
            finally:
                self.sent += 1
                try:
                    with connection.patience(GRACE):
                        connection.execute("ROLLBACK")
                except psycopg.Error:
                    self._drop()

    def columns(self) -> Mapping[str, Mapping[str, str]]:
        with self.snapshot() as snapshot:
            rows = snapshot.query(
                "SELECT c.relname::text, a.attname::text,"
                " format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, NULL)"
                " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                " JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid"
                " WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
                " AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT')"
                " ORDER BY array_position(current_schemas(false), n.nspname) DESC",
                {},
            ).rows
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in rows:
            found.setdefault(table, {})[column] = kind
        return found

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            self._drop()
            if self._tunnel is not None:
                self._tunnel.close()


def connection_version(number: int) -> str:
    """``150003`` as ``15.3``, ``90624`` as ``9.6.24``."""
    if number >= 100_000:
        return f"{number // 10_000}.{number % 10_000}"
    return f"{number // 10_000}.{number // 100 % 100}.{number % 100}"
