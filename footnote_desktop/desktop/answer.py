"""An answer as the application shows it, made from a reply of the desk or from a record of the log. No Qt.

Positions are UTF-16 code units, as in the records and as Qt counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote_desktop.desktop import words

Outcome = Literal["answered", "refused", "empty", "error"]

CURRENCY = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of an answer, with what it rests on."""

    index: int
    text: str
    start: int  #: UTF-16 code units; equal to ``end`` when the figure does not stand in the text
    end: int
    path: str
    exact: str
    unit: str  #: ISO 4217 code, ``count``, ``days``, ``date``, ``text`` or nothing where it was not recorded
    derivation: str  #: ``field``, ``sum``, ``count``, ``max``, ``min``, ``none`` or nothing where it was not recorded
    field: str | None
    evidence_ids: tuple[str, ...]
    operation: str
    label: str

    @property
    def is_number(self) -> bool:
        """Whether it is a quantity: right-aligned among its like."""
        return self.unit in ("count", "days") or bool(CURRENCY.fullmatch(self.unit))


@dataclass(frozen=True, slots=True)
class RecordLine:
    """Where an answer stands in the log."""

    id: str
    sequence: int
    timestamp: str
    hash: str
    previous_hash: str
    actor: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that the answer-and-evidence pair shows."""

    question: str
    outcome: Outcome
    text: str = ""
    reason: str = ""  #: of a refusal; or why there is nothing, for an empty result
    advice: str = ""  #: what to do about an error
    alternatives: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()  #: of a refusal: whole questions that would be answered
    figures: tuple[Figure, ...] = ()
    evidence: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    operations: tuple[Mapping[str, Any], ...] = ()
    record: RecordLine | None = None
    members: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)  #: first rows of row sets
    locale: str = "de_DE"

    @property
    def summary(self) -> str:
        """One line for a list."""
        if self.outcome == "answered":
            return self.text.split("\n", 1)[0]
        return self.reason or self.text.split("\n", 1)[0]

    @property
    def reconciliation(self) -> str:
        """What was recorded about the tie-out to the ledger; empty when there was nothing to say."""
        return next((str(said) for operation in self.operations if (said := operation.get("reconciliation"))), "")


def utf16_slice(text: str, start: int, end: int) -> str:
    """The part of ``text`` between two positions in UTF-16 code units."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def display_figures(
    answer: str, claims: Sequence[Mapping[str, Any]], operations: Sequence[Mapping[str, Any]]
) -> tuple[Figure, ...]:
    """The claims as figures in the order in which they stand in the text; each takes its exact value, unit and
    derivation from the citation of the operation that it came from. A span that does not hold the claim's text is
    dropped (the figure is then listed below the answer, not lost)."""
    cited: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for operation in operations:
        for citation in operation.get("citations") or ():
            cited.setdefault(str(citation.get("path", "")), []).append((str(operation.get("name", "")), citation))
    first_operation = str(operations[0].get("name", "")) if operations else ""
    placed: list[tuple[int, int, Mapping[str, Any]]] = []
    loose: list[Mapping[str, Any]] = []
    for claim in claims:
        span = claim.get("span") or {}
        start, end = int(span.get("start", 0)), int(span.get("end", 0))
        if start < end and utf16_slice(answer, start, end) == claim.get("text"):
            placed.append((start, end, claim))
        else:
            loose.append(claim)
    placed.sort(key=lambda item: (item[0], -item[1]))
    ordered: list[tuple[int, int, Mapping[str, Any]]] = []
    for start, end, claim in placed:
        if ordered and start < ordered[-1][1]:
            loose.append(claim)  # lies inside another: it cannot be a chip of its own
        else:
            ordered.append((start, end, claim))
    ordered += [(0, 0, claim) for claim in loose]

    figures = []
    for index, (start, end, claim) in enumerate(ordered):
        path = str(claim.get("path") or "")
        ids = tuple(str(i) for i in claim.get("evidenceIds") or ())
        operation_name, citation = _citation(cited.get(path, []), ids, first_operation)
        derivation = citation.get("derivation") or claim.get("derivation") or {}
        figures.append(
            Figure(
                index=index,
                text=str(claim.get("text", "")),
                start=start,
                end=end,
                path=path,
                exact=str(citation.get("exact", claim.get("exact", ""))),
                unit=str(citation.get("unit", claim.get("unit", ""))),
                derivation=str(derivation.get("kind", "")),
                field=derivation.get("field"),
                evidence_ids=ids,
                operation=operation_name,
                label=words.figure_label(operation_name, path) if path else "Figure",
            )
        )
    return tuple(figures)


def _citation(
    candidates: Sequence[tuple[str, Mapping[str, Any]]], ids: tuple[str, ...], fallback: str
) -> tuple[str, Mapping[str, Any]]:
    """Two operations of one answer may have a value at the same path: the one with the same evidence is meant."""
    for name, citation in candidates:
        if tuple(citation.get("evidenceIds") or ()) == ids:
            return name, citation
    return candidates[0] if candidates else (fallback, {})


# Refusals that are no decision: something did not work.
_FAILURES = ("unavailable", "inconsistent")
# The key of an operation's entry under which the desk records how the call ended.
_ENDS: Mapping[str, Outcome] = {"refused": "refused", "empty": "empty", "error": "error", "answered": "answered"}


def from_reply(reply: Mapping[str, Any], question: str, locale: str) -> Answer:
    """The answer in a reply of the desk (the keys of ``footnote ask --json``)."""
    operations = tuple(reply.get("operations") or ())
    return _answer(
        question=question,
        outcome=_outcome(bool(reply.get("refused")), bool(reply.get("isError")), reply.get("emptyReason"), operations),
        text=str(reply.get("answer") or ""),
        reason=str(reply.get("reason") or reply.get("emptyReason") or reply.get("message") or ""),
        alternatives=reply.get("alternatives") or (),
        suggestions=reply.get("suggestions") or (),
        claims=reply.get("claims") or (),
        operations=operations,
        evidence=reply.get("evidence") or (),
        provenance=reply.get("provenance"),
        locale=locale,
    )


def from_record(record: Mapping[str, Any], locale: str) -> Answer:
    """The answer in a record of the log, ours or the peer's."""
    operations = tuple(record.get("operations") or ())
    said: Mapping[str, Any] = operations[0] if operations else {}
    outcome = _outcome(False, False, said.get("emptyReason"), operations)
    text = str(record.get("answer") or "")
    return _answer(
        question=str(record.get("question") or ""),
        outcome=outcome,
        text=text,
        reason=str(said.get("reason") or said.get("emptyReason") or (text if outcome == "refused" else "")),
        alternatives=said.get("alternatives") or (),
        suggestions=said.get("suggestions") or (),
        claims=record.get("claims") or (),
        operations=operations,
        evidence=record.get("evidence") or (),
        provenance=record,
        locale=locale,
    )


def outcome_of_record(operations: Sequence[Mapping[str, Any]]) -> Outcome:
    """How the call that a record holds ended."""
    return _outcome(False, False, operations[0].get("emptyReason") if operations else None, operations)


def _outcome(refused: bool, failed: bool, empty_reason: object, operations: Sequence[Mapping[str, Any]]) -> Outcome:
    first: Mapping[str, Any] = operations[0] if operations else {}
    if failed or first.get("reasonKind") in _FAILURES:
        return "error"
    if refused:
        return "refused"
    said = str(first.get("outcome") or "")
    if said in _ENDS:
        return _ENDS[said]
    return "empty" if empty_reason else "answered"


def _answer(
    *,
    question: str,
    outcome: Outcome,
    text: str,
    reason: str,
    alternatives: Sequence[Any],
    suggestions: Sequence[Any],
    claims: Sequence[Mapping[str, Any]],
    operations: tuple[Mapping[str, Any], ...],
    evidence: Sequence[Mapping[str, Any]],
    provenance: Mapping[str, Any] | None,
    locale: str,
) -> Answer:
    return Answer(
        question=question,
        outcome=outcome,
        text=text,
        reason=reason,
        alternatives=tuple(str(a) for a in alternatives),
        suggestions=tuple(str(s) for s in suggestions),
        figures=display_figures(text, claims, operations),
        evidence={str(e.get("id")): e for e in evidence},
        operations=operations,
        record=_record_line(provenance),
        locale=locale,
    )


def _record_line(provenance: Mapping[str, Any] | None) -> RecordLine | None:
    if not provenance or provenance.get("sequence") is None:
        return None
    actor = provenance.get("actor")
    return RecordLine(
        id=str(provenance.get("id", "")),
        sequence=int(provenance["sequence"]),
        timestamp=str(provenance.get("timestamp", "")),
        hash=str(provenance.get("hash", "")),
        previous_hash=str(provenance.get("previousHash", "")),
        actor=str(actor.get("id", "")) if isinstance(actor, Mapping) else str(actor or ""),
    )
