"""How an answer was computed: its operations, and their SQL for reading and for running. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_desktop.desktop import words
from footnote_desktop.desktop.answer import Answer

#: The name under which the desk records that a question was read and declined: no operation of the catalog.
READING = "ask"


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement that ran."""

    purpose: str
    readable: str  #: with the parameters filled in; for reading, not for running
    exact: str  #: as given to the engine
    params: Mapping[str, Any] | Sequence[Any]
    rows: int | None
    ms: float | None

    def for_copying(self) -> str:
        """The statement exactly, its parameters after it as comments."""
        if not self.params:
            return self.exact
        pairs = self.params.items() if isinstance(self.params, Mapping) else enumerate(self.params, 1)
        lines = [f"--   {name} = {_literal(value)}" for name, value in pairs]
        return "\n".join([self.exact.rstrip(), "-- parameters", *lines])


@dataclass(frozen=True, slots=True)
class Computation:
    """One operation that ran."""

    name: str
    title: str
    arguments: tuple[tuple[str, str], ...]
    statements: tuple[Statement, ...]
    ms: float | None
    snapshot: tuple[tuple[str, str], ...]


def computations(answer: Answer) -> tuple[Computation, ...]:
    return tuple(_computation(operation) for operation in answer.operations if operation.get("name"))


def summary(parts: Sequence[Computation]) -> str:
    """One line: which operations, how long, from how many snapshots."""
    if not parts:
        return "nothing ran"
    names = ", ".join(dict.fromkeys(part.name for part in parts if part.name != READING))
    times = [part.ms for part in parts if part.ms is not None]
    pieces = [names or "the question was read"]
    if times:
        pieces.append(duration(sum(times)))
    if any(part.statements for part in parts):
        pieces.append("one snapshot" if len(parts) == 1 else f"{len(parts)} operations")
    else:
        pieces.append("no query ran")
    return " · ".join(pieces)


def duration(ms: float) -> str:
    """``0.4 ms``, ``12 ms``, ``1.3 s``."""
    if ms >= 1000:
        return f"{ms / 1000:.1f}\u00a0s"
    return f"{ms:.1f}\u00a0ms" if ms < 10 else f"{ms:.0f}\u00a0ms"


def _computation(operation: Mapping[str, Any]) -> Computation:
    name = str(operation.get("name"))
    queries = operation.get("queries") or ([operation["query"]] if operation.get("query") else [])
    arguments = operation.get("arguments")
    snapshot = operation.get("snapshot")
    return Computation(
        name=name,
        title=words.spoken(name),
        arguments=tuple(
            (str(k), str(v)) for k, v in (arguments.items() if isinstance(arguments, Mapping) else ()) if v is not None
        ),
        statements=tuple(_statement(q) for q in queries if isinstance(q, Mapping) and q.get("sql")),
        ms=_number(operation.get("durationMs")),
        snapshot=tuple(
            (words.spoken(str(k)), str(v)) for k, v in (snapshot.items() if isinstance(snapshot, Mapping) else ())
        ),
    )


def _statement(query: Mapping[str, Any]) -> Statement:
    sql = tidy(str(query["sql"]))
    params = query.get("params") or {}
    rows = query.get("rows")
    return Statement(
        purpose=str(query.get("purpose") or "query"),
        readable=filled(sql, params),
        exact=sql,
        params=params,
        rows=rows if isinstance(rows, int) else None,
        ms=_number(query.get("ms")),
    )


def tidy(sql: str) -> str:
    """The statement without the indentation of the source it was written in. Line breaks inside it stay."""
    lines = [line.rstrip() for line in sql.strip("\n").split("\n")]
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    # Cutting inside a quoted text over several lines would change it; such a statement stays as it is.
    if any(line.count("'") % 2 for line in lines):
        return sql
    return "\n".join([lines[0].strip(), *(line[margin:] for line in lines[1:])]).strip()


# What must not be searched for parameters: quoted text, quoted names, comments, casts.
_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|::|:([A-Za-z_]\w*)|\?", re.DOTALL)


def filled(sql: str, params: Mapping[str, Any] | Sequence[Any]) -> str:
    """``sql`` with each parameter's value in its place. For reading: it was not run so."""
    positional = iter(params if not isinstance(params, Mapping) else ())
    nothing = object()

    def put(match: re.Match[str]) -> str:
        token = match.group(0)
        if token == "?":
            value = next(positional, nothing)
            return token if value is nothing else _literal(value)
        name = match.group(1)
        if name and isinstance(params, Mapping) and name in params:
            return _literal(params[name])
        return token

    return _TOKEN.sub(put, sql)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
