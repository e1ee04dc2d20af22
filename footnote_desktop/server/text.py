"""The text of a reply: a cited sentence, then every value with its evidence. It must stand alone, because hosts may give
a model neither ``structuredContent`` nor ``_meta``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

#: Evidence ids that one note names.
NOTE_IDS = 8
#: Keys that the text says otherwise (amounts are shown formatted, evidence ids in brackets) or in the prose.
_UNSAID = frozenset({"evidenceId", "emptyCode", "code"})


class Claimed(Protocol):
    """A figure in the prose: where it stands, in UTF-16 code units, and the evidence behind it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def evidence_ids(self) -> Sequence[str]: ...


class CitedValue(Protocol):
    """A value of the result."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def evidence_ids(self) -> Sequence[str]: ...


def some(count: int, noun: str) -> str:
    """``1 row``, ``4 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def named(evidence_ids: Sequence[str], limit: int = NOTE_IDS) -> str:
    """The ids in words: ``invoice:1, invoice:2 and 98 more``."""
    shown = ", ".join(evidence_ids[:limit])
    left = len(evidence_ids) - limit
    return f"{shown} and {left:,} more" if left > 0 else shown


def cited_text(answer: str, claims: Iterable[Claimed]) -> str:
    """The prose with a numbered mark behind each figure, and below it what each number stands for.

    Figures with the same evidence share a number.
    """
    units = answer.encode("utf-16-le", "surrogatepass")
    numbers: dict[tuple[str, ...], int] = {}
    pieces: list[bytes] = []
    at = 0
    for claim in sorted(claims, key=lambda claim: (claim.end, claim.start)):
        number = numbers.setdefault(tuple(claim.evidence_ids), len(numbers) + 1)
        end = claim.end * 2
        if at <= end <= len(units):
            pieces += (units[at:end], f"[{number}]".encode("utf-16-le"))
            at = end
    pieces.append(units[at:])
    marked = b"".join(pieces).decode("utf-16-le", "replace")
    notes = "\n".join(f"[{number}] {named(ids)}" for ids, number in numbers.items())
    return f"{marked}\n\n{notes}" if notes else marked


def listed_values(values: Mapping[str, Any], citations: Iterable[CitedValue], limit: int) -> list[str]:
    """One line for each value and for each row of a list, as shown, with its evidence in brackets; lines beyond
    ``limit`` characters are counted instead."""
    shown = {citation.path: citation for citation in citations}
    lines = list(_lines(values, shown))
    kept: list[str] = []
    for line in lines:
        limit -= len(line) + 1
        if limit < 0:
            kept.append(f"… and {some(len(lines) - len(kept), 'more line')}, all in the record")
            break
        kept.append(line)
    return ["", "Values:", *kept] if kept else []


def _lines(values: Mapping[str, Any], shown: Mapping[str, CitedValue]) -> Iterable[str]:
    for key, value in values.items():
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield f"- {key}[{index}]: {_row(entry, f'{key}[{index}]', shown)}"
        elif _is_said(key, value):
            yield f"- {key}: {_value(value, key, shown)}"


def _row(entry: Any, path: str, shown: Mapping[str, CitedValue]) -> str:
    if not isinstance(entry, Mapping):
        return _value(entry, path, shown)
    parts: list[str] = []
    ids: dict[str, None] = {}
    for key, value in entry.items():
        if not _is_said(key, value):
            continue
        citation = shown.get(f"{path}.{key}")
        parts.append(f"{key} {citation.text if citation else value}")
        ids.update(dict.fromkeys(citation.evidence_ids if citation else ()))
    own = entry.get("evidenceId")
    return "; ".join(parts) + _bracket([own] if own else list(ids))


def _value(value: Any, path: str, shown: Mapping[str, CitedValue]) -> str:
    citation = shown.get(path)
    return f"{citation.text}{_bracket(citation.evidence_ids)}" if citation else str(value)


def _bracket(evidence_ids: Sequence[str]) -> str:
    return f" [{named(evidence_ids)}]" if evidence_ids else ""


def _is_said(key: str, value: Any) -> bool:
    if key.endswith("Omitted") and value == 0:
        return False
    return value is not None and value != [] and key not in _UNSAID and not key.endswith("Cents")
