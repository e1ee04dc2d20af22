"""The shapes that hold the engine together: sources, units with their pointers, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from footnote_desktop.documents.reasons import Reason

Status = Literal["GROUNDED", "CONTRADICTED", "UNSUPPORTED"]
#: Between two fragments of one record in a quote.
GAP = " […] "


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table row: its offsets in the extracted text, its column's head and, in a sheet, its reference."""

    start: int
    end: int
    head: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that can be quoted: a sentence, a key with its value, a table row with its column heads.

    ``start`` and ``end`` are offsets into the extracted text of the source; the quote is exactly that substring.
    """

    kind: Literal["sentence", "pair", "row", "heading"]
    start: int
    end: int
    section: int  #: which section of the source, counted from 0 (the part before the first heading)
    block: int  #: paragraph, list item or table within the source
    page: int | None = None
    sheet: str | None = None
    cells: tuple[Cell, ...] = ()
    caption: str = ""  #: of a table: caption and scale
    lead: tuple[int, int] | None = None  #: the line that introduces a list item
    quoted: bool = False  #: inside a quoted reply of an e-mail


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the headings above it; the first section has none."""

    path: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Known:
    """A value shown with where it came from: "front matter", "sources.toml", "file name", "type of document"."""

    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a reader made of a file: its text, and units into it."""

    text: str
    units: Sequence[Unit]
    sections: tuple[Section, ...]
    pages: int | None = None
    meta: tuple[tuple[str, str], ...] = ()  #: front matter, document properties, headers
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the folder. ``state`` is "ready" or "unreadable"; then ``problem`` says why, in one sentence."""

    file: str  #: path relative to the folder, with forward slashes
    sha256: str
    size: int
    state: Literal["ready", "unreadable"]
    problem: str = ""
    kind: str = ""  #: contract, amendment, invoice, report, minutes, correspondence, …
    lang: str = "en"
    tier: int = 3
    tier_origin: str = ""
    date: str | None = None
    date_origin: str = ""
    title: str = ""
    title_origin: str = ""
    pages: int | None = None
    units: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "file": self.file, "sha256": self.sha256, "size": self.size, "state": self.state, "problem": self.problem or None,
            "kind": self.kind, "lang": self.lang, "tier": self.tier, "tierOrigin": self.tier_origin, "date": self.date,
            "dateOrigin": self.date_origin or None, "title": self.title, "titleOrigin": self.title_origin, "pages": self.pages,
            "units": self.units, "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim passage with its pointer. ``spans`` are the offsets of its fragments in the extracted text."""

    text: str
    file: str
    sha256: str
    spans: tuple[tuple[int, int], ...]
    section: str = ""
    page: int | None = None
    sheet: str | None = None
    cells: str | None = None
    tier: int = 3
    tier_origin: str = ""
    date: str | None = None
    title: str = ""

    def to_json(self) -> dict[str, object]:
        return {
            "quote": self.text, "file": self.file, "sha256": self.sha256, "spans": [list(s) for s in self.spans],
            "section": self.section or None, "page": self.page, "sheet": self.sheet, "cells": self.cells, "tier": self.tier,
            "tierOrigin": self.tier_origin, "date": self.date, "title": self.title,
            "uri": self.uri,
        }  # fmt: skip

    @property
    def uri(self) -> str:
        """``doc://FILE#char=START,END``: offsets in the extracted text (RFC 5147's fragment), the file percent-encoded."""
        place = f"#char={self.spans[0][0]},{self.spans[-1][1]}" if self.spans else ""
        return f"doc://{quote(self.file)}{place}"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a compound claim, with its own verdict."""

    text: str
    status: Status
    reasons: tuple[Reason, ...]
    quote: Quote | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one claim. ``quote`` supports a GROUNDED claim and refutes a CONTRADICTED one; ``nearest`` is the closest
    passage when nothing decides."""

    claim: str
    status: Status
    reasons: tuple[Reason, ...]
    explanation: str
    quote: Quote | None = None
    conflicting: Quote | None = None
    nearest: Quote | None = None
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    id: str | None = None
    lang: str = "en"
    extra: dict[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The verdict with the keys of the surface: id, status, reasonCodes, quote, file, page, tier, explanation, conflicting,
        nearest; and more."""
        shown = self.quote
        return {
            "id": self.id,
            "claim": self.claim,
            "status": self.status,
            "reasonCodes": [str(r) for r in self.reasons],
            "quote": shown.text if shown else None,
            "file": shown.file if shown else None,
            "page": shown.page if shown else None,
            "tier": shown.tier if shown else None,
            "explanation": self.explanation,
            "conflicting": self.conflicting.to_json() if self.conflicting else None,
            "nearest": self.nearest.to_json() if self.nearest else None,
            "evidence": shown.to_json() if shown else None,
            "matched": list(self.matched),
            "missing": list(self.missing),
            "parts": [
                {"text": p.text, "status": p.status, "reasonCodes": [str(r) for r in p.reasons],
                 "quote": p.quote.text if p.quote else None, "file": p.quote.file if p.quote else None}
                for p in self.parts
            ],
            "lang": self.lang,
        }  # fmt: skip
