"""Turns lines and tables into units. All readers share it, so that a fact reads the same in every format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from footnote_desktop.documents.model import Cell, Extracted, Section, Unit
from footnote_desktop.documents.sentences import split

_PAIR = re.compile(r"^[\s>]*(?:[-*+•]\s+|\d+(?:\.\d+)*[.)]?\s+)*\**_?[^\W\d_][^:.\n|]{0,70}?:[*_]*\s+\S")
MAX_UNIT = 4000  #: characters; a longer passage is cut at blanks, so that no unit is too long to show


class Passages:
    """Collects the units of one text, in order. Offsets given to it are offsets into the final text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.units: list[Unit] = []
        self.sections: list[Section] = [Section((), 0)]
        self._path: list[tuple[int, str]] = []
        self._block = -1
        self._lead: tuple[int, int] | None = None
        self.page: int | None = None
        self.sheet: str | None = None

    def heading(self, start: int, end: int, level: int) -> None:
        title = re.sub(r"[*_`#]+", "", self.text[start:end]).strip()
        if not title:
            return
        self._path = [(n, t) for n, t in self._path if n < level] + [(level, title)]
        self.sections.append(Section(tuple(t for _, t in self._path), start))
        self._block += 1
        self._lead = None
        self._put("heading", start, end)

    def paragraph(self, start: int, end: int, *, item: bool = False, quoted: bool = False) -> None:
        """A paragraph or list item; its sentences become units. A line that ends with a colon leads the items after it."""
        start, end = _trim(self.text, start, end)
        if end <= start or not re.search(r"\w", self.text[start:end]):
            return
        self._block += 1
        if not item:
            self._lead = None
        spans = split(self.text, start, end)
        pair = len(spans) == 1 and bool(_PAIR.match(self.text[start:end]))
        for a, b in _short(self.text, spans):
            self._put("pair" if pair else "sentence", a, b, lead=self._lead if item else None, quoted=quoted)
        if self.text[start:end].rstrip(" *_").endswith(":"):
            self._lead = spans[-1]

    def table(self, rows: Sequence[Sequence[tuple[int, int, str]]], *, caption: str = "", head_rows: int = 1) -> None:
        """A table: rows of cells (start, end, reference). The first ``head_rows`` rows are the column heads."""
        self._block += 1
        heads: list[str] = []
        for row in rows[:head_rows]:
            for index, (a, b, _) in enumerate(row):
                text = _plain(self.text[a:b])
                if index < len(heads):
                    heads[index] = f"{heads[index]} {text}".strip()
                else:
                    heads.append(text)
        for row in rows[head_rows:]:
            cells = tuple(Cell(a, b, heads[i] if i < len(heads) else "", ref) for i, (a, b, ref) in enumerate(row))
            filled = [c for c in cells if self.text[c.start : c.end].strip(" *_|")]
            if filled:
                start, end = filled[0].start, filled[-1].end
                self.units.append(
                    Unit("row", start, end, len(self.sections) - 1, self._block, self.page, self.sheet, cells, caption)
                )
        self._lead = None

    def _put(
        self, kind: str, start: int, end: int, *, lead: tuple[int, int] | None = None, quoted: bool = False
    ) -> None:
        unit_kind: Literal["heading", "pair", "sentence"] = (
            "heading" if kind == "heading" else "pair" if kind == "pair" else "sentence"
        )
        self.units.append(
            Unit(
                unit_kind,
                start,
                end,
                len(self.sections) - 1,
                self._block,
                self.page,
                self.sheet,
                lead=lead,
                quoted=quoted,
            )
        )

    def done(
        self, *, pages: int | None = None, meta: Sequence[tuple[str, str]] = (), notes: Sequence[str] = ()
    ) -> Extracted:
        return Extracted(self.text, tuple(self.units), tuple(self.sections), pages, tuple(meta), tuple(notes))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[*_`]+", "", text)).strip()


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _short(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out = []
    for start, end in spans:
        while end - start > MAX_UNIT:
            cut = text.rfind(" ", start + 1, start + MAX_UNIT)
            cut = cut if cut > start else start + MAX_UNIT
            out.append((start, cut))
            start = cut + 1
        out.append((start, end))
    return out
