"""The figures of a claim against those of a unit: which belongs to what, and do they agree?"""

from __future__ import annotations

import re

from footnote_desktop.documents.claim import Claim
from footnote_desktop.documents.comparison import Comparison, Number, head_of, level_of, said_by, says
from footnote_desktop.documents.context import Document
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.model import Unit
from footnote_desktop.documents.reading import Reading, Term
from footnote_desktop.figures.numbers import Quantity, find
from footnote_desktop.figures.numbers_compare import Relation, overlap, relation


def compare_numbers(
    claim: Claim, out: Comparison, document: Document, unit: Unit, reading: Reading, near: set[str], lexicon: Lexicon
) -> None:
    for q in claim.quantities:
        if q.kind == "date" and q.precision == "day" and unit.kind == "row" and not _dated_heads(unit, document):
            number = _value(q, claim, document, unit, reading, lexicon)
            out.numbers.append(number if number.stated is not None else _period(q, claim, out, document, unit, reading))
        elif q.kind == "date" and (q.precision != "day" or unit.kind == "row"):
            out.numbers.append(_period(q, claim, out, document, unit, reading))
        elif q.kind == "date":
            out.numbers.append(_day(q, claim, document, unit, reading, lexicon))
        elif q.kind == "identifier":
            out.numbers.append(_identifier(q, document, reading))
        else:
            out.numbers.append(_value(q, claim, document, unit, reading, lexicon))
    _period_beside(out, unit, reading)


def _period_beside(out: Comparison, unit: Unit, reading: Reading) -> None:
    """Where a unit names several periods, a figure belongs to the one that stands next to it."""
    value = next(
        (n.stated for n in out.numbers if n.state in ("same", "entailed") and n.stated and n.claimed.kind != "date"),
        None,
    )
    periods = [s for s in reading.quantities if s.kind == "date" and s.precision != "day"]
    if value is None or unit.kind == "row" or len(periods) < 2:
        return
    nearest = min(periods, key=lambda s: (min(abs(s.start - value.end), abs(value.start - s.end)), s.start))
    for n in out.numbers:
        if (
            n.claimed.kind == "date"
            and n.claimed.precision != "day"
            and n.state == "same"
            and not overlap(n.claimed, nearest)
        ):
            n.state = "period"


def _dated_heads(unit: Unit, document: Document) -> bool:
    """Whether the columns of a table are periods, so that a date of the claim names a column and not a cell."""
    return any(d.kind == "date" for c in unit.cells for d in find(c.head, document.source.lang))


def _identifier(q: Quantity, document: Document, reading: Reading) -> Number:
    for s in reading.quantities:
        if s.kind == "identifier" and _same_identifier(q.unit, s.unit):
            return Number(q, "same", s)
    if any(_same_identifier(q.unit, other) for other in document.identifiers):
        return Number(q, "context")
    return Number(q, "missing")


def _same_identifier(a: str, b: str) -> bool:
    if a == b:
        return True
    digits_a, digits_b = re.sub(r"^\D+", "", a), re.sub(r"^\D+", "", b)
    return len(digits_a) >= 5 and digits_a == digits_b


def _period(q: Quantity, claim: Claim, out: Comparison, document: Document, unit: Unit, reading: Reading) -> Number:
    heads = [d for c in unit.cells for d in find(c.head, document.source.lang) if d.kind == "date"]
    own = [s for s in reading.quantities if s.kind == "date"]
    for s in [*own, *heads]:
        if relation(q, s) == "same":
            return Number(q, "same", s)
    if any(relation(q, s) == "coarser" for s in heads):
        return Number(q, "same", heads[0])
    if heads and unit.kind == "row" and not any(overlap(q, s) for s in heads):
        return Number(q, "period")
    owner = max((t for t in claim.terms if t.end <= q.start), key=lambda t: t.end, default=None)
    around = [*document.section_dates[unit.section], *document.dates]
    if (
        owner is not None
        and level_of(out, owner) in ("section", "document")
        and any(relation(q, s) == "same" for s in around)
    ):
        return Number(q, "context")  # the date belongs to something that the surroundings say, not the unit
    only = not [o for o in claim.quantities if o is not q]
    rivals = [s for s in own if _exact(s) >= _exact(q)]
    if rivals and (only or unit.kind == "row") and not any(overlap(q, s) for s in own):
        return Number(q, "value" if unit.kind != "row" or only else "period", rivals[0])
    if own and not any(overlap(q, s) for s in own) and q.precision != "year":
        return Number(q, "period")
    if (
        own
        and q.precision == "year"
        and not any(overlap(q, s) for s in own)
        and any(s.precision in ("year", "quarter", "month", "range") for s in own)
    ):
        return Number(q, "period")
    beside = _dates_beside(document, unit, out.number)
    if any(relation(q, s) == "same" for s in beside):
        return Number(q, "context")
    if beside and not any(overlap(q, s) for s in beside):
        return Number(q, "missing")  # the paragraph speaks of another period
    around = [*document.path_dates[unit.section], *document.dates]
    if any(relation(q, s) == "same" for s in around) or any(
        relation(q, s) == "coarser" and s.precision in ("year", "range") and q.precision == "year" for s in around
    ):
        return Number(q, "context")
    if (
        document.source.date
        and q.first
        and q.first.isoformat() <= document.source.date <= (q.last or q.first).isoformat()
    ):
        return Number(q, "context")
    return Number(q, "missing")


def _dates_beside(document: Document, unit: Unit, number: int) -> list[Quantity]:
    """Periods (no single days) that the sentences before it in the same paragraph name."""
    out: list[Quantity] = []
    units = document.extracted.units
    for step in (-1,):
        other = number + step
        while (
            0 <= other < len(units)
            and units[other].block == unit.block
            and abs(other - number) < 12
            and unit.kind != "row"
        ):
            if other in document.readings:
                out += [s for s in document.readings[other].quantities if s.kind == "date" and s.precision != "day"]
            other += step
    return out


def _exact(q: Quantity) -> int:
    return {"day": 4, "month": 3, "quarter": 2, "half": 2, "range": 1, "year": 1}.get(q.precision, 0)


def _day(q: Quantity, claim: Claim, document: Document, unit: Unit, reading: Reading, lexicon: Lexicon) -> Number:
    stated = [s for s in reading.quantities if s.kind == "date"]
    if stated:
        found = _value(q, claim, document, unit, reading, lexicon)
        exact = found.stated is not None and found.stated.precision in ("day", "month")
        if found.state in ("same", "ambiguous", "bound") or (found.state == "value" and exact):
            return found
        return Number(q, found.state if found.state == "coarser" else "missing", found.stated)
    if claim.quantities != [q] and any(relation(q, s) == "same" for s in document.dates):
        return Number(q, "context")
    return Number(q, "missing")


def _value(q: Quantity, claim: Claim, document: Document, unit: Unit, reading: Reading, lexicon: Lexicon) -> Number:
    candidates = [s for s in reading.quantities if relation(q, s) != "other"]
    if unit.kind == "row":
        candidates = _cells(q, claim, document, unit, reading, candidates, lexicon)
    if q.kind in ("money", "duration", "measure"):
        alike = [s for s in candidates if s.unit == q.unit]
        if any(relation(q, s) in ("same", "entailed", "bound") for s in alike):
            candidates = alike
    if q.kind == "date" and q.bound != "exact" and any(s.bound == q.bound for s in candidates):
        candidates = [s for s in candidates if s.bound == q.bound]
    if q.kind == "count":
        candidates = [s for s in candidates if s.kind == "count" or relation(q, s) in ("same", "value")]
    if not candidates:
        return Number(q, "missing")
    ranked = sorted(
        ((_affinity(s, claim, reading, lexicon), -i, s) for i, s in enumerate(candidates)),
        key=lambda r: (r[0], r[1]),
        reverse=True,
    )
    best = ranked[0][0]
    bounded = {a for t in claim.terms for a in t.alternatives} & _BOUNDED

    def relation_to(s: Quantity) -> Relation:
        found = relation(q, s)
        return "same" if found == "bound" and bounded and "exact" in (q.bound, s.bound) else found

    for affinity, _, s in ranked:
        state = relation_to(s)
        if state in ("same", "entailed"):
            if affinity >= 0.97 * best or all(
                relation_to(o) in ("same", "entailed") for a, _, o in ranked if a > affinity
            ):
                return Number(q, "entailed" if state == "entailed" else "same", s)
            if affinity >= 0.7 * best:
                return Number(q, "ambiguous", s)
    state = relation_to(ranked[0][2])
    if state in ("same", "entailed"):
        state = "value"
    return Number(q, state if state != "other" else "missing", ranked[0][2])


_AND = re.compile(r"\b(?:and|und|oraz|i|a|sowie)\b", re.I)


_BOUNDED = frozenset(("guaranteed", "guarantee_event", "minimum", "maximum"))


def _affinity(s: Quantity, claim: Claim, reading: Reading, lexicon: Lexicon) -> float:
    """How closely the claim's terms stand to a figure of the unit. A term counts for what it stands next to."""
    total = 0.01
    home = reading.clause_at(s.start)
    opposites: set[str] = set()
    for term in claim.terms:
        for alternative in term.alternatives:
            for group in lexicon.exclusive.get(alternative, ()):
                opposites |= group
    for term in claim.terms:
        if term.cls in ("party", "doc") and any(t.cls not in ("party", "doc") for t in claim.terms):
            continue  # what the whole sentence is about tells no figure from another
        best = 0.0
        for other in reading.terms:
            if not says(other, term, lexicon):
                continue
            distance = (s.start - other.end) / 6 if other.end <= s.start else (other.start - s.end) / 6 * 1.5 + 0.5
            gap = reading.text[min(s.end, other.end) : max(s.start, other.start)]
            distance += (
                4 * bool(other.start > s.end and _AND.search(gap))
                + 4 * abs(home - other.clause)
                + 1.5 * sum(1 for o in reading.quantities if o.kind == s.kind and _between(o, s, other))
            )
            best = max(best, 1 / (1 + max(0.0, distance)))
        total += best
    for other in reading.terms:
        if set(other.alternatives) & opposites and not any(
            set(other.alternatives) & set(t.alternatives) for t in claim.terms
        ):
            distance = abs(s.start - other.end) / 6 + 4 * abs(home - other.clause)
            total -= 0.6 / (1 + distance)
    return total


def _between(o: Quantity, s: Quantity, term: Term) -> bool:
    low, high = sorted((s.start, term.start))
    return low < o.start < high and o.start != s.start


def _cells(
    q: Quantity, claim: Claim, document: Document, unit: Unit, reading: Reading, candidates: list[Quantity], lexicon: Lexicon
) -> list[Quantity]:  # fmt: skip
    """The cells of a row that a claimed figure can belong to, by period and by the words of the column heads."""
    periods = [p for p in claim.quantities if p.kind == "date" and p is not q]
    scored: list[tuple[int, Quantity]] = []
    dated: list[tuple[str, Quantity]] = []
    for s in candidates:
        cell = next((c for c in unit.cells if c.start <= unit.start + s.start < c.end), None)
        if cell is None:
            continue
        head = head_of(cell.head, document.source.lang, lexicon)
        dates = [d for d in head.quantities if d.kind == "date"]
        if dates and periods and not any(overlap(p, d) for p in periods for d in dates):
            continue
        if dates and dates[0].first:
            dated.append((dates[0].first.isoformat(), s))
        score = 2 * sum(said_by(t, head.said, lexicon, negative=False) for t in claim.terms)
        score -= sum(
            1
            for t in head.terms
            if t.cls in ("quality", "event") and not any(set(t.alternatives) & claim.reading.said for _ in (0,))
        )
        scored.append((score, s))
    if dated and not periods and len({d for d, _ in dated}) > 1:
        newest = max(d for d, _ in dated)
        scored = [(n, s) for n, s in scored if (newest, s) in dated]
    if not scored:
        return []
    top = max(n for n, _ in scored)
    return [s for n, s in scored if n == top]
