"""Prose with slots: a template names where in a result each figure stands; filling the slot makes the claim.

``{openBalance}`` is the value at that path, ``{openInvoiceCount:invoice}`` a count with its noun, ``{=asOf}`` words
that code supplies and no row stands behind. What fills a slot is data: it is never read as a template again.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from footnote_desktop.answers.words import visible
from footnote_desktop.catalog.result import OperationResult
from footnote_desktop.figures.money import Formatter
from footnote_desktop.provenance.evidence import Citation, JsonValue

#: Text from a database is shown up to here, in characters.
MAX_TEXT = 500

_SLOT = re.compile(r"\{(?P<plain>=?)(?P<path>[A-Za-z][\w.\[\]]*)(?::(?P<noun>\w+))?\}")


class SlotError(LookupError):
    """A template asks for a figure that the result does not cite, or a word that was not supplied."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure in an answer: ``text`` stands at ``start`` to ``end`` (exclusive), in UTF-16 code units."""

    text: str
    start: int
    end: int
    evidence_ids: tuple[str, ...]
    path: str
    origin: str = "structured"

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "text": self.text,
            "span": {"start": self.start, "end": self.end},
            "evidenceIds": list(self.evidence_ids),
            "origin": self.origin,
            "path": self.path,
        }


class _Piece(NamedTuple):
    literal: str
    path: str | None = None
    plain: bool = False
    noun: str | None = None


@functools.cache
def parse(template: str) -> tuple[_Piece, ...]:
    """A template's pieces. Raises ``ValueError`` on a brace that is no slot."""
    pieces, at = [], 0
    for match in _SLOT.finditer(template):
        pieces.append(_Piece(template[at : match.start()]))
        pieces.append(_Piece("", match["path"], bool(match["plain"]), match["noun"]))
        at = match.end()
    pieces.append(_Piece(template[at:]))
    for piece in pieces:
        if "{" in piece.literal or "}" in piece.literal:
            raise ValueError(f"{template!r} holds a brace that is no slot")
    return tuple(piece for piece in pieces if piece.literal or piece.path)


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


class Composer:
    """Writes one answer over one result. ``nouns``: word → (for one, for any other number)."""

    def __init__(self, result: OperationResult, formatter: Formatter, nouns: Mapping[str, tuple[str, str]]):
        self._result = result
        self._formatter = formatter
        self._nouns = nouns
        self._parts: list[str] = []
        self._length = 0
        self.claims: list[Claim] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def say(self, template: str, at: str = "", **plain: str) -> None:
        """Append a template. ``at``: the list entry its paths are relative to, such as ``invoices[3]``.

        Raises :class:`SlotError` when the result cites no figure for a slot.
        """
        for piece in parse(template):
            if piece.path is None:
                self._append(piece.literal)
            elif piece.plain:
                if piece.path not in plain:
                    raise SlotError(f"nothing was supplied for {{={piece.path}}}")
                self._append(visible(plain[piece.path]))
            else:
                self._claim(f"{at}.{piece.path}" if at else piece.path, piece.noun)

    def _claim(self, path: str, noun: str | None) -> None:
        citation = self._result.by_path.get(path)
        if citation is None:
            raise SlotError(f"{self._result.operation} cites nothing at {path}")
        text = self._shown(citation)
        after = ""
        if noun is not None:
            one, many = self._nouns[noun]
            word = one if citation.exact == "1" else many
            if citation.unit == "days":
                text = f"{text} {word}"  # "104 days" is the figure
            else:
                after = f" {word}"
        start = self._length
        self._append(text)
        self.claims.append(Claim(text, start, self._length, citation.evidence_ids, path))
        self._append(after)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += units(text)

    def _shown(self, citation: Citation) -> str:
        if citation.unit in ("count", "days"):
            return self._formatter.count(int(citation.exact))
        if citation.unit == "date":
            return self.date(citation.exact)
        if citation.unit == "text":
            text = visible(citation.text)
            return (text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…") or "–"
        return citation.text

    def date(self, iso: str) -> str:
        """A calendar date as the locale writes it; text that is none, as it is."""
        try:
            return self._formatter.date(dt.date.fromisoformat(iso))
        except ValueError:
            return visible(iso)
