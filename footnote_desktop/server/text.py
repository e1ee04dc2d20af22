"""The text of a reply: the cited prose, then whatever the prose does not tell. It must stand alone, because hosts may
give a model neither ``structuredContent`` nor ``_meta``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

#: Evidence ids that one note or bracket names.
NOTE_IDS = 8


class Claimed(Protocol):
    """A figure in the prose: where it stands, in UTF-16 code units, and the evidence behind it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str: ...
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
    """The prose with a numbered mark behind the figures, and below it what each number stands for.

    Figures with the same evidence share a number; where they follow one another in a line, the last one bears it.
    """
    units = answer.encode("utf-16-le", "surrogatepass")
    line_end = "\n".encode("utf-16-le")
    numbers: dict[tuple[str, ...], int] = {}
    ordered = sorted(claims, key=lambda claim: (claim.end, claim.start))
    pieces: list[bytes] = []
    at = 0
    for index, claim in enumerate(ordered):
        after = ordered[index + 1] if index + 1 < len(ordered) else None
        end = claim.end * 2
        if not at <= end <= len(units):
            raise ValueError(f"the claim at {claim.start} to {claim.end} does not stand in the answer")
        pieces.append(units[at:end])
        at = end
        ids = tuple(claim.evidence_ids)
        if after is None or tuple(after.evidence_ids) != ids or line_end in units[end : after.start * 2]:
            number = numbers.setdefault(ids, len(numbers) + 1)
            pieces.append(f"[{number}]".encode("utf-16-le"))
    pieces.append(units[at:])
    marked = b"".join(pieces).decode("utf-16-le", "replace")
    notes = "\n".join(f"[{number}] {named(ids)}" for ids, number in numbers.items())
    return f"{marked}\n\n{notes}" if notes else marked


def untold_values(
    values: Mapping[str, Any], citations: Iterable[CitedValue], claims: Iterable[Claimed], limit: int
) -> list[str]:
    """One line for each cited value and each row of a list that the prose does not tell, with its evidence in
    brackets; lines beyond ``limit`` characters are counted instead."""
    shown = {citation.path: citation for citation in citations if not citation.path.endswith("Cents")}
    told = _Told(claims)
    lines = [line for key, value in values.items() for line in _lines(key, value, shown, told)]
    kept: list[str] = []
    for line in lines:
        limit -= len(line) + 1
        if limit < 0:
            kept.append(f"… and {some(len(lines) - len(kept), 'more line')}; the record has them all")
            break
        kept.append(line)
    return kept


class _Told:
    """What the prose tells already."""

    def __init__(self, claims: Iterable[Claimed]) -> None:
        claims = list(claims)
        self._texts = {claim.text for claim in claims}
        self._paths = {claim.path for claim in claims}
        self._rows = {path.partition("]")[0] + "]" for path in self._paths if "]" in path}

    def value(self, citation: CitedValue) -> bool:
        return citation.path in self._paths or citation.text in self._texts

    def row(self, path: str, cited: Iterable[CitedValue]) -> bool:
        # With one currency, the prose tells its total as the total.
        return path in self._rows or (path == "totals[0]" and all(c.text in self._texts for c in cited))


def _lines(key: str, value: Any, shown: Mapping[str, CitedValue], told: _Told) -> Iterator[str]:
    if isinstance(value, list):
        for index, entry in enumerate(value):
            path = f"{key}[{index}]"
            if isinstance(entry, Mapping):
                yield from _row(path, entry, shown, told)
    elif key in shown and not told.value(shown[key]):
        yield f"{key}: {shown[key].text}{_bracket(shown[key].evidence_ids)}"


def _row(path: str, entry: Mapping[str, Any], shown: Mapping[str, CitedValue], told: _Told) -> Iterator[str]:
    cited = {key: shown[f"{path}.{key}"] for key in entry if f"{path}.{key}" in shown}
    if cited and not told.row(path, cited.values()):
        ids = dict.fromkeys(i for citation in cited.values() for i in citation.evidence_ids)
        yield f"{path}: {'; '.join(f'{k} {c.text}' for k, c in cited.items())}{_bracket(list(ids))}"


def _bracket(evidence_ids: Sequence[str]) -> str:
    return f" [{named(evidence_ids)}]" if evidence_ids else ""
