"""SQLite as a system of record, opened so that nothing can be written."""

from __future__ import annotations

import datetime as dt
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from footnote_desktop.erp.engine import Dialect, EngineError, Rows, Stopwatch, used_parameters


class SqliteDialect:
    name = "sqlite"
    # A limit keeps the subquery flattener away (https://www.sqlite.org/optoverview.html#flattening).
    once = "LIMIT -1 OFFSET 0"

    def date(self, expression: str, declared_type: str) -> str:
        # Computing with 31 February makes it 3 March: only what comes back unchanged is a date. Without the modifier
        # SQLite would hand 31 February back as it is.
        valid = f"length({expression}) = 10 AND date({expression}, '+0 days') = {expression} AND {expression} > '0001'"
        return f"CASE WHEN {valid} THEN {expression} END"

    def days(self, later: str, earlier: str) -> str:
        return f"CAST(julianday({later}) - julianday({earlier}) AS INTEGER)"

    def parameter(self, value: Any) -> Any:
        return value.isoformat() if isinstance(value, dt.date) else value


class SqliteSnapshot:
    def __init__(self, connection: sqlite3.Connection, name: str):
        self._connection = connection
        self.info: Mapping[str, Any] = {
            "engine": f"SQLite {sqlite3.sqlite_version}",
            "database": name,
            "role": "read-only (query_only)",
            "isolation": "one read transaction",
            "time": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }

    def query(self, sql: str, params: Mapping[str, Any]) -> Rows:
        watch = Stopwatch()
        try:
            cursor = self._connection.execute(
                sql, {k: _DIALECT.parameter(v) for k, v in used_parameters(sql, params).items()}
            )
            rows = cursor.fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise _translate(error) from error
        return Rows(tuple(d[0] for d in cursor.description), rows, watch.ms())


class SqliteEngine:
    """One connection, used by one thread at a time. ``statement_timeout`` is in seconds."""

    dialect: Dialect

    def __init__(self, connection: sqlite3.Connection, name: str, statement_timeout: float = 30.0):
        self.dialect = _DIALECT
        self.name = name
        self._connection = connection
        self._lock = threading.Lock()
        self._timeout = statement_timeout
        self._deadline = 0.0
        connection.execute("PRAGMA query_only = ON")
        connection.set_progress_handler(self._expired, 10_000)

    @classmethod
    def open(cls, path: str) -> SqliteEngine:
        """Open a database file read-only. Raises :class:`EngineError` when there is none; never creates one."""
        file = Path(path)
        if not file.is_file():
            raise EngineError(f"there is no database file at {path}", "Check the path; nothing was created.")
        try:
            connection = sqlite3.connect(
                f"{file.absolute().as_uri()}?mode=ro",
                uri=True,
                check_same_thread=False,
                isolation_level=None,
                timeout=5,
            )
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            raise _translate(error) from error
        return cls(connection, file.name)

    def _expired(self) -> int:
        return int(time.monotonic() > self._deadline)

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSnapshot]:
        with self._lock:
            self._deadline = time.monotonic() + self._timeout
            try:
                self._connection.execute("BEGIN")
            except sqlite3.Error as error:
                raise _translate(error) from error
            try:
                yield SqliteSnapshot(self._connection, self.name)
            finally:
                self._connection.set_progress_handler(None, 0)
                self._connection.execute("ROLLBACK")
                self._connection.set_progress_handler(self._expired, 10_000)

    def columns(self) -> Mapping[str, Mapping[str, str]]:
        with self.snapshot() as snapshot:
            rows = snapshot.query(
                "SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c"
                " WHERE m.type IN ('table', 'view')",
                {},
            ).rows
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in rows:
            found.setdefault(table.lower(), {})[column.lower()] = (kind or "").lower()
        return found

    def close(self) -> None:
        with self._lock:
            self._connection.close()


_DIALECT = SqliteDialect()


def _translate(error: Exception) -> EngineError:
    text = str(error)
    if "interrupted" in text:
        return EngineError("the query took too long and was stopped", "Ask about one customer, or try again later.")
    if "locked" in text or "busy" in text:
        return EngineError("the database is locked by another program", "Close the other program, or try again.")
    if "not a database" in text or "malformed" in text:
        return EngineError("the file is not a readable SQLite database", "Check that the right file was chosen.")
    if "overflow" in text or isinstance(error, OverflowError):
        return EngineError("an amount is too large to be added exactly", "Report this: no rounded figure is given.")
    return EngineError(f"the database refused the query: {text}", "Check that the database has the expected tables.")
