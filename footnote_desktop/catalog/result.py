"""What an operation returns, and the builder that lets no value out without its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote_desktop.provenance.evidence import Citation, Derivation, Evidence, JsonValue, RowSet


@dataclass(frozen=True, slots=True)
class Query:
    """One statement that ran: ``sql`` with named parameters (``:as_of``), exactly as given to the engine."""

    purpose: str  #: ``totals``, ``rows``, ``entity`` …
    sql: str
    params: Mapping[str, JsonValue]
    rows: int
    ms: float

    def to_json(self) -> dict[str, JsonValue]:
        return {"purpose": self.purpose, "sql": self.sql, "params": dict(self.params), "rows": self.rows, "ms": self.ms}


@dataclass(frozen=True, slots=True)
class Cited:
    """A value that will stand in a result, with its evidence. ``value`` is what JSON gets, ``text`` what people see."""

    value: JsonValue
    text: str
    exact: str
    unit: str
    evidence_ids: tuple[str, ...]
    derivation: Derivation

    def __post_init__(self) -> None:
        if not self.evidence_ids:
            raise ValueError(f"the value {self.text!r} names no evidence")


@dataclass(frozen=True, slots=True)
class Said:
    """Something that code says and no row does: an echoed argument, a reason, a note, an evidence id."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class OperationResult:
    """A finished operation: values as published, and what stands behind each of them.

    ``values`` validates against the operation's published output schema. ``citations`` are in the order in which
    the values stand. ``evidence`` holds each cited row once; rows beyond the limit stand in ``rowsets``.
    """

    operation: str
    arguments: dict[str, JsonValue]
    values: dict[str, JsonValue]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    queries: tuple[Query, ...]
    snapshot: Mapping[str, JsonValue]
    duration_ms: float
    empty_reason: str | None = None
    rowsets: tuple[RowSet, ...] = ()
    by_path: Mapping[str, Citation] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_path", {c.path: c for c in self.citations})


class Refusal(Exception):  # noqa: N818 (a decision, not an error)
    """The catalog declines, before any figure was computed.

    ``kind``: ``invalid_argument``, ``unknown_operation``, ``unknown_entity``, ``ambiguous_entity``,
    ``inconsistent`` (totals differ from their rows), ``unavailable`` (the database does not answer, or the ERP
    cannot serve this), ``outside_catalog``.
    """

    def __init__(self, kind: str, message: str, alternatives: Iterable[str] = (), queries: Iterable[Query] = ()):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.alternatives = tuple(alternatives)
        self.queries = tuple(queries)


def flatten(tree: Any) -> tuple[dict[str, JsonValue], list[Citation]]:
    """Turn a tree of dicts and lists whose leaves are :class:`Cited`, :class:`Said` or ``None`` into plain JSON.

    Returns the JSON object and its citations in order. Raises ``TypeError`` on a bare leaf: that is a value that
    would have left without evidence.
    """
    citations: list[Citation] = []

    def walk(node: Any, path: str) -> JsonValue:
        if isinstance(node, Cited):
            citations.append(Citation(path, node.text, node.exact, node.unit, node.evidence_ids, node.derivation))
            return node.value
        if isinstance(node, Said):
            return node.value
        if node is None:
            return None
        if isinstance(node, dict):
            return {key: walk(child, f"{path}.{key}" if path else key) for key, child in node.items()}
        if isinstance(node, list):
            return [walk(child, f"{path}[{i}]") for i, child in enumerate(node)]
        raise TypeError(f"{path}: {node!r} names no evidence")

    plain = walk(tree, "")
    assert isinstance(plain, dict)
    return plain, citations
