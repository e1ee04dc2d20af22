"""The decision: eight rules, in the order in which they are applied. RULES.md explains each to a reader who is no programmer.

1. Every word and figure of the claim must be found, typed, in one unit and its surroundings.   (match)
2. A figure belongs to its row and column, its currency, unit, scale and period.               (match_numbers, tables)
3. What is denied, excluded or rejected is not affirmed; what is affirmed is not denied.
4. What is proposed, reported, permitted or owed has not happened.
5. What is said of one party is not said of the other; a similar name is another name.
6. A source of equal or higher tier that disagrees decides; a later amendment supersedes.
7. Every part of a compound claim must hold; one contradicted part contradicts it.
8. Nothing is computed; when in doubt, UNSUPPORTED.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from footnote_desktop.documents.claim import Claim, prepare, split_claim
from footnote_desktop.documents.comparison import Comparison
from footnote_desktop.documents.context import Document
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.match import compare
from footnote_desktop.documents.model import Status
from footnote_desktop.documents.reasons import Reason


class Corpus(Protocol):
    """Where candidates come from."""

    lexicon: Lexicon

    def candidates(self, claim: Claim) -> Iterable[tuple[Document, int]]:
        """Units that may speak of the claim, each once, in a fixed order."""


@dataclass(slots=True)
class Outcome:
    """The decision on one claim, or on one part of it."""

    claim: Claim
    status: Status
    reasons: list[Reason]
    shown: Comparison | None = None  #: the unit that decides
    conflicting: Comparison | None = None
    nearest: Comparison | None = None
    parts: list[Outcome] = field(default_factory=list)


def decide(text: str, corpus: Corpus, lang: str | None = None) -> Outcome:
    """The verdict on a claim, simple or compound (rule 7)."""
    whole = prepare(text, corpus.lexicon, lang)
    if not whole.terms and not whole.names:
        return Outcome(whole, "UNSUPPORTED", [Reason.EMPTY_CLAIM])
    parts = split_claim(text, corpus.lexicon, whole.reading.lang)
    outcome = _simple(whole, corpus)
    if len(parts) == 1 or outcome.status == "GROUNDED":
        return outcome
    decided = [_simple(part, corpus) for part in parts]
    states = [o.status for o in decided]
    if all(s == "GROUNDED" for s in states):
        first = decided[0]
        return Outcome(whole, "GROUNDED", [Reason.STATED], first.shown, first.conflicting, parts=decided)
    if "CONTRADICTED" in states:
        part = decided[states.index("CONTRADICTED")]
        return Outcome(
            whole,
            "CONTRADICTED",
            [Reason.PART_CONTRADICTED, *part.reasons],
            part.shown,
            part.conflicting,
            parts=decided,
        )
    if outcome.status == "CONTRADICTED":
        outcome.parts = decided
        return outcome
    part = decided[states.index("UNSUPPORTED")]
    return Outcome(whole, "UNSUPPORTED", [Reason.PART_UNCONFIRMED, *part.reasons], nearest=part.nearest, parts=decided)


def _simple(claim: Claim, corpus: Corpus) -> Outcome:
    found = [compare(claim, document, number, corpus.lexicon) for document, number in corpus.candidates(claim)]
    found = [c for c in found if c.share("unit") > 0 or c.agrees]
    found.sort(key=_order)
    rows = [c for c in found if c.unit.kind == "row" and (c.supports or c.conflicts)]
    supports = _most_specific([c for c in found if c.supports], rows)
    amended = [
        c
        for c in found
        if c.document.amends and c.inside >= 0.99 and any(n.state in ("value", "currency", "unit") for n in c.numbers)
    ]
    if not supports and any(_before(claim, c) for c in amended):
        # of the time before an amendment, the text that it changed still holds
        supports = _most_specific([c for c in found if _undated(c)])
    against = _most_specific([c for c in found if c.conflicts], supports)
    if supports:
        return _weigh(claim, supports, against)
    if against:
        best = min(against, key=lambda c: (c.document.source.tier, -_latest(c), *_order(c)))
        return Outcome(claim, "CONTRADICTED", list(best.conflicts), best, nearest=None)
    return _unsupported(claim, found)


def _undated(c: Comparison) -> bool:
    """A unit of a contract that says all of the claim but its date."""
    return (
        set(c.blocks) == {Reason.PERIOD_MISSING} and not c.conflicts and c.document.source.kind == "contract"
        and all(n.state == "missing" for n in c.numbers if n.claimed.kind == "date")
    )  # fmt: skip


def _order(c: Comparison) -> tuple[float, int, str, int]:
    return (-round(c.score, 6), c.document.source.tier, c.document.source.file, c.number)


def _latest(c: Comparison) -> int:
    when = c.document.effective if c.document.amends else c.document.source.date
    return dt.date.fromisoformat(when).toordinal() if when else 0


def _most_specific(found: list[Comparison], others: Sequence[Comparison] = ()) -> list[Comparison]:
    """Within one document only the units that speak most closely of the claim count: "revenue" is the row revenue, not the row
    "revenue from services"."""
    out = []
    for c in found:
        rivals = [o for o in found if o.document is c.document and o is not c]
        if c.unit.kind == "row":
            rivals += [o for o in others if o.document is c.document and o.unit.block == c.unit.block and o is not c]
        elif others and others[0].supports:
            rivals += [o for o in others if o.document is c.document]
        if any(_closer(o, c) for o in rivals):
            continue
        out.append(c)
    return out


def _closer(o: Comparison, c: Comparison) -> bool:
    if o.inside > c.inside + 1e-9:
        return True
    return (
        o.inside == c.inside
        and o.unit.kind == c.unit.kind == "row"
        and o.unit.block == c.unit.block
        and o.extra < c.extra
    )


def _weigh(claim: Claim, supports: list[Comparison], against: list[Comparison]) -> Outcome:
    """Rule 6: authority and time."""
    best = min(supports, key=lambda c: (c.document.source.tier, -_latest(c) if c.document.amends else 0, *_order(c)))
    decisive: list[Comparison] = []
    minor: list[Comparison] = []
    superseded = superseding = False
    for c in against:
        if c.document is best.document:
            if _says_it_plainer(c, best):
                decisive.append(c)
            continue
        if c.document.amends and _changes(c, best) and not _before(claim, c):
            decisive.append(c)
            superseded = True
        elif best.document.amends and _changes(best, c):
            minor.append(c)
            superseding = True
        elif (
            c.document.source.tier <= best.document.source.tier
            and c.inside >= min(best.inside, 0.99) - 1e-9
            and c.direct >= best.direct - 1e-9
        ):
            decisive.append(c)
        else:
            minor.append(c)
    if decisive:
        top = min(decisive, key=lambda c: (c.document.source.tier, -_latest(c), *_order(c)))
        reason = Reason.SUPERSEDED if superseded else Reason.SOURCES_DISAGREE
        return Outcome(claim, "CONTRADICTED", [reason, *top.conflicts], top, best)
    spread = best.document.source.kind == "invoice" and any(
        level == "document" for _, level in (*best.levels, *best.names)
    )
    entailed = any(n.state == "entailed" for n in best.numbers)
    reasons = [Reason.ENTAILED_BOUND if entailed else Reason.STATED_IN_RECORD if spread else Reason.STATED]
    if superseding:
        reasons.append(Reason.SUPERSEDES_EARLIER)
    elif minor:
        reasons.append(Reason.LOWER_TIER_DISAGREES)
    return Outcome(claim, "GROUNDED", reasons, best, minor[0] if minor else None)


def _says_it_plainer(c: Comparison, best: Comparison) -> bool:
    """Whether, in one document, the unit that differs speaks of the claim more plainly than the one that agrees."""
    if c.inside > best.inside + 1e-9:
        return c.unit.section == best.unit.section
    if c.inside < best.inside - 1e-9 or c.direct < best.direct - 1e-9:
        return False
    return c.direct > best.direct + 1e-9 or (c.extra < best.extra and c.unit.kind != "row" and best.unit.kind != "row")


def _changes(later: Comparison, earlier: Comparison) -> bool:
    """Whether one source amends the other: same tier or higher, and not older."""
    return (
        later.document.source.tier <= earlier.document.source.tier
        and (not earlier.document.amends or _latest(later) >= _latest(earlier))
        and (
            not earlier.document.source.date
            or not later.document.source.date
            or later.document.source.date >= earlier.document.source.date
        )
    )


def _before(claim: Claim, c: Comparison) -> bool:
    """Whether the claim speaks only of the time before an amendment took effect."""
    if not c.document.effective:
        return False
    day = dt.date.fromisoformat(c.document.effective)
    periods = [q for q in claim.quantities if q.kind == "date" and q.last]
    return bool(periods) and all(q.last is not None and q.last < day for q in periods)


def _unsupported(claim: Claim, found: list[Comparison]) -> Outcome:
    """Rule 8, with the most telling reason and the nearest unit."""
    if not found:
        return Outcome(claim, "UNSUPPORTED", [Reason.NO_SOURCE])
    nearest = found[0]
    reasons = list(dict.fromkeys(nearest.blocks))
    if not reasons:
        reasons = [Reason.NO_SOURCE]
    if nearest.names and any(level == "missing" for _, level in nearest.names) and _similar(nearest):
        reasons.insert(0, Reason.NAME_NEAR_MISS)
    values = [n for n in nearest.numbers if n.claimed.kind in ("money", "percent", "count", "measure", "points")]
    if values and all(n.state in ("missing", "value") for n in values) and Reason.TERM_MISSING not in reasons[:1]:
        reasons.append(Reason.NO_ARITHMETIC)
    return Outcome(claim, "UNSUPPORTED", list(dict.fromkeys(reasons)), nearest=nearest)


def _similar(c: Comparison) -> bool:
    """Whether a name that was not found has words in common with one that the document holds."""
    known = {w for run in (*c.document.names, *c.document.parties.full) for w in run}
    return any(
        word in known or any(len(word) > 5 and word[:5] == w[:5] for w in known)
        for name, level in c.names
        if level == "missing"
        for word in name
    )
