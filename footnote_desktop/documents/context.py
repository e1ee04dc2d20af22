"""What surrounds a unit: its section, its document, and what those say of parties, periods and scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from footnote_desktop.documents import tables
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.model import Extracted, Source, Unit
from footnote_desktop.documents.parties import Parties, find_parties
from footnote_desktop.documents.reading import Reading, read
from footnote_desktop.documents.stem import fold
from footnote_desktop.figures.numbers import Quantity

_RUN = re.compile(
    r"[A-ZÄÖÜĄĆĘŁŃÓŚŹŻ0-9][\w&’'-]*(?:[ \t.]+(?:(?:z|und|and|of|&|sp|o|de|van|von)\b\.?[ \t]*)*[A-ZÄÖÜĄĆĘŁŃÓŚŹŻ0-9o][\w&’'-]*)*"
)


@dataclass(slots=True)
class Document:
    """A source with everything the decision asks of it. Built once per file hash, kept in the index."""

    source: Source
    extracted: Extracted
    parties: Parties
    head: set[str] = field(default_factory=set)  #: said in title, first part, file name
    sections: list[set[str]] = field(default_factory=list)  #: said in each section, its headings included
    paths: list[set[str]] = field(default_factory=list)  #: said in each section's headings
    dates: list[Quantity] = field(default_factory=list)  #: of title and first part
    path_dates: list[list[Quantity]] = field(default_factory=list)
    section_dates: list[list[Quantity]] = field(default_factory=list)
    identifiers: set[str] = field(default_factory=set)
    names: set[tuple[str, ...]] = field(
        default_factory=set
    )  #: runs of words with capitals in title and first part, folded
    section_names: list[set[tuple[str, ...]]] = field(default_factory=list)
    scale_note: str = ""
    amends: bool = False
    effective: str | None = None
    readings: dict[int, Reading] = field(default_factory=dict)

    def table_names(self, block: int) -> set[tuple[str, ...]]:
        """Names that stand in the rows of one table."""
        out: set[tuple[str, ...]] = set()
        for unit in self.extracted.units:
            if unit.block == block:
                out |= name_runs(self.extracted.text[unit.start : unit.end])
        return out

    def reading(self, number: int, lexicon: Lexicon) -> Reading:
        """The reading of unit ``number``, kept for the next claim."""
        found = self.readings.get(number)
        if found is None:
            found = read_unit(self, self.extracted.units[number], lexicon)
            self.readings[number] = found
        return found


def read_unit(document: Document, unit: Unit, lexicon: Lexicon) -> Reading:
    from footnote_desktop.documents.language import detect

    text = document.extracted.text[unit.start : unit.end]
    reading = read(text, detect(text, document.source.lang), lexicon)
    return _typed_row(document, unit, reading) if unit.kind == "row" else reading


_NUMERIC = re.compile(r"^[\s\d.,'’()+\-−–*_]+$")
_CURRENCY_HEAD = re.compile(r"waluta|currency|währung", re.I)


def _typed_row(document: Document, unit: Unit, reading: Reading) -> Reading:
    """Gives each bare number of a row the type of its column: currency, scale, percent."""
    text = document.extracted.text
    wider = [unit.caption, *reversed(document.extracted.sections[unit.section].path), document.scale_note]
    currency = next((text[c.start : c.end].strip(" *_") for c in unit.cells if _CURRENCY_HEAD.search(c.head)), "")
    typed = []
    for q in reading.quantities:
        cell = next((c for c in unit.cells if c.start <= unit.start + q.start < c.end), None)
        if (
            cell is not None
            and cell is not unit.cells[0]
            and _NUMERIC.match(text[cell.start : cell.end])
            and not reading.said & _COUNTED
        ):
            money = currency if q.decimals > 0 or re.search(MONEY_HEAD, cell.head, re.I) else ""
            q = tables.typed(q, cell.head, [t for t in wider if t] if not currency else [], money)
        typed.append(q)
    reading.quantities = typed
    return reading


_COUNTED = {"employees", "vehicle", "site", "share"}
MONEY_HEAD = r"wert|wartoś|value|amount|betrag|kwota|preis|price|cena|revenue|umsatz|przych|koszt|cost|kosten|sum|total|fee|opłat|gebühr"


def name_runs(text: str) -> set[tuple[str, ...]]:
    return {tuple(fold(w) for w in re.findall(r"[^\W_]+", m.group())) for m in _RUN.finditer(text)}


_NOTE = re.compile(
    r"(?:figures|amounts|all\s+\w+|angaben|beträge|werte|dane|kwoty|zestawienie|in|w)\b[^.\n]{0,40}?(?:thousand|million|tsd|tausend|mio|teur|tys|mln|eur|pln|gbp|usd|zł)[^\n]{0,30}",
    re.I,
)


def build(source: Source, extracted: Extracted, lexicon: Lexicon, amends: bool, effective: str | None) -> Document:
    """Everything that is known of a document beyond its units."""
    parties = find_parties(extracted.text, lexicon, source.lang)
    document = Document(source, extracted, parties, amends=amends, effective=effective)
    note = _NOTE.search(extracted.text[:3000])
    document.scale_note = note.group() if note else ""
    document.sections = [set() for _ in extracted.sections]
    document.paths = [set() for _ in extracted.sections]
    document.section_names = [set() for _ in extracted.sections]
    document.path_dates = [[] for _ in extracted.sections]
    document.section_dates = [[] for _ in extracted.sections]
    file_words = re.sub(r"[_\-./]+", " ", source.file)
    for text in (source.title, file_words):
        r = read(text, source.lang, lexicon)
        document.head |= r.said
        document.dates += [q for q in r.quantities if q.kind == "date"]
    for number, section in enumerate(extracted.sections):
        for heading in section.path:
            r = read(heading, source.lang, lexicon)
            document.paths[number] |= r.said
            document.path_dates[number] += [q for q in r.quantities if q.kind == "date"]
        document.section_dates[number] += document.path_dates[number]
        document.sections[number] |= document.paths[number]
    first = 0
    for number, unit in enumerate(extracted.units):
        r = document.reading(number, lexicon)
        document.sections[unit.section] |= r.said
        document.identifiers.update(q.unit for q in r.quantities if q.kind == "identifier")
        if unit.kind != "row" and len(document.section_dates[unit.section]) < 40:
            document.section_dates[unit.section] += [q for q in r.quantities if q.kind == "date"]
        if unit.section <= 1 and unit.start < 3000 and unit.kind != "row" and first < 30:
            first += 1
            document.head |= r.said
            document.dates += [q for q in r.quantities if q.kind == "date"]
            document.names |= name_runs(r.text)
        document.section_names[unit.section] |= name_runs(r.text)
    return document
