"""What a comparison of a claim with a unit holds, and when a unit says a term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from footnote_desktop.documents.context import Document
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.model import Unit
from footnote_desktop.documents.reading import Reading, Term
from footnote_desktop.documents.reasons import Reason
from footnote_desktop.figures.numbers import Quantity

Level = Literal["unit", "near", "section", "document", "missing"]


State = Literal[
    "same", "entailed", "context", "missing", "ambiguous", "coarser", "bound", "value", "currency", "unit", "period"
]


@dataclass(slots=True)
class Number:
    claimed: Quantity
    state: State
    stated: Quantity | None = None


@dataclass(slots=True)
class Comparison:
    """The outcome for one unit. ``blocks`` keep it from supporting the claim; ``conflicts`` make it contradict the claim."""

    document: Document
    number: int
    levels: list[tuple[Term, Level]] = field(default_factory=list)
    names: list[tuple[tuple[str, ...], Level]] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)
    blocks: list[Reason] = field(default_factory=list)
    conflicts: list[Reason] = field(default_factory=list)
    direct: float = 0.0  #: share of the claim's terms that the unit says in the very concept, not in a synonym
    extra: int = 0  #: content terms of the unit that the claim does not mention
    partners: list[int] = field(default_factory=list)  #: further units of the record that cover the rest

    @property
    def unit(self) -> Unit:
        return self.document.extracted.units[self.number]

    def share(self, *levels: Level) -> float:
        everything = [level for _, level in self.levels] + [level for _, level in self.names]
        return sum(level in levels for level in everything) / len(everything) if everything else 0.0

    @property
    def inside(self) -> float:
        own = [level for term, level in self.levels if term.cls not in ("doc", "party")]
        own = own or [level for _, level in self.levels] or [level for _, level in self.names]
        return sum(level == "unit" for level in own) / len(own) if own else 0.0

    @property
    def close(self) -> float:
        """Share of the claim's own terms that the unit or its immediate surroundings say."""
        own = [level for term, level in self.levels if term.cls not in ("doc", "party")]
        own = own or [level for _, level in self.levels] or [level for _, level in self.names]
        return sum(level in ("unit", "near") for level in own) / len(own) if own else 0.0

    @property
    def missing(self) -> list[str]:
        return [t.text for t, level in self.levels if level == "missing"] + [
            " ".join(n) for n, level in self.names if level == "missing"
        ]

    @property
    def agrees(self) -> int:
        return sum(n.state in ("same", "entailed") for n in self.numbers)

    @property
    def supports(self) -> bool:
        return not self.blocks and not self.conflicts

    @property
    def score(self) -> float:
        return (
            2 * self.inside
            + self.share("unit")
            + self.share("unit", "near", "section", "document")
            + 0.6 * self.agrees
            - 0.02 * min(self.extra, 20)
        )


def said_by(term: Term, said: set[str], lexicon: Lexicon, *, negative: bool) -> bool:
    """Whether what was ``said`` covers a term. Under a negation the broader covers the narrower: who may not adjust may not raise."""
    for alternative in term.alternatives:
        if alternative in said:
            return True
        if negative and term.cls == "event" and lexicon.wide(alternative) & said:
            return True
    return any(key in said for key in term.keys) or _derived(term, said)


def _derived(term: Term, said: set[str]) -> bool:
    """Words of one family in one language: Verzinsung, verzinslich. Seven letters in common, and only for long words."""
    if term.cls != "word" or len(term.keys[0]) < 10:
        return False
    start = term.keys[0][:9]
    return any(other.startswith(start) for other in said)


_HEADS: dict[tuple[str, str], Reading] = {}


def head_of(text: str, lang: str, lexicon: Lexicon) -> Reading:
    from footnote_desktop.documents.language import detect
    from footnote_desktop.documents.reading import read

    key = (text, lang)
    if key not in _HEADS:
        if len(_HEADS) > 5000:
            _HEADS.clear()
        _HEADS[key] = read(text, detect(text, lang), lexicon)
    return _HEADS[key]


def says(other: Term, term: Term, lexicon: Lexicon) -> bool:
    if any(a in lexicon.wide(o) for a in term.alternatives for o in other.alternatives):
        return True
    return (
        bool(other.keys)
        and bool(term.keys)
        and (any(k in other.keys for k in term.keys) or _derived(term, set(other.keys)))
    )


def level_of(out: Comparison, term: Term) -> Level:
    return next((level for t, level in out.levels if t is term), "missing")
