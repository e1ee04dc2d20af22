"""The seam between the catalog's SQL and a database: snapshots, parameters, and the few things that differ.

Operations are written once, in SQL with named parameters (``:as_of``). An engine runs each operation inside one
read-only snapshot and names what differs between databases in its :class:`Dialect`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol


class EngineError(Exception):
    """The database cannot answer. ``message`` says what happened, ``advice`` what to do, ``details`` is the raw text
    for whoever looks closer, ``kind`` a short word for code (see :mod:`footnote_desktop.erp.faults`); none of them
    holds a password."""

    def __init__(self, message: str, advice: str = "", details: str = "", kind: str = ""):
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.details = details
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one statement, with the time it took in milliseconds."""

    names: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    ms: float

    def dicts(self) -> list[dict[str, Any]]:
        names = self.names
        return [dict(zip(names, row, strict=True)) for row in self.rows]


class Dialect(Protocol):
    """What differs between databases."""

    name: str
    once: str  #: ends a subselect that must not be merged into its outer query

    def date(self, expression: str, declared_type: str) -> str:
        """The expression as a calendar date; null, never an error, where it is not one."""

    def days(self, later: str, earlier: str) -> str:
        """Whole calendar days from ``earlier`` to ``later``, both calendar dates."""

    def parameter(self, value: Any) -> Any:
        """A Python value as the driver wants it."""


class Snapshot(Protocol):
    """One read-only transaction: everything read through it is from the same moment."""

    info: Mapping[str, Any]

    def query(self, sql: str, params: Mapping[str, Any]) -> Rows:
        """Run one SELECT. Raises :class:`EngineError`."""


class Engine(Protocol):
    dialect: Dialect

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Begin a read-only snapshot; ended, whatever happens, when the context ends. Raises :class:`EngineError`."""

    def columns(self) -> Mapping[str, Mapping[str, str]]:
        """Table → column → declared type, lower case, of the tables that this connection may read."""

    def close(self) -> None: ...


_PARAMETER = re.compile(r"(?<![:\w]):([a-z][a-z0-9_]*)\b")


def used_parameters(sql: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Only the parameters that the statement names, in the order in which it first names them."""
    return {name: params[name] for name in _named(sql)}


@lru_cache(maxsize=256)
def _named(sql: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PARAMETER.findall(sql)))


def psycopg_style(sql: str) -> str:
    """``:name`` as ``%(name)s``; a percent sign stands for itself."""
    return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


class Stopwatch:
    """Milliseconds since it was made."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def ms(self) -> float:
        return round((time.perf_counter() - self._start) * 1000, 3)
