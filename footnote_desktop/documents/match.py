"""Compares one claim with one unit: what the unit says of it, what its surroundings add, and where the two differ."""

from __future__ import annotations

from footnote_desktop.documents.claim import Claim
from footnote_desktop.documents.comparison import Comparison, Level, head_of, said_by
from footnote_desktop.documents.context import Document
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.match_judge import judge
from footnote_desktop.documents.match_numbers import compare_numbers
from footnote_desktop.documents.match_parties import folded, mentions, name_level, party_key
from footnote_desktop.documents.model import Unit
from footnote_desktop.documents.reading import Clause, Reading, Term
from footnote_desktop.figures.numbers_compare import relation


def near_said(document: Document, unit: Unit, number: int, lexicon: Lexicon) -> set[str]:
    """What stands directly round a unit: its paragraph, the line that leads its list, its headings, its column heads."""
    out = set(document.paths[unit.section])
    units = document.extracted.units
    for step in (-1, 1):
        other = number + step
        while (
            0 <= other < len(units)
            and units[other].block == unit.block
            and abs(other - number) < 12
            and unit.kind != "row"
        ):
            out |= document.reading(other, lexicon).said
            other += step
    if unit.lead:
        for other in range(number - 1, max(-1, number - 30), -1):
            if units[other].start == unit.lead[0]:
                out |= document.reading(other, lexicon).said
                break
    if unit.kind == "row":
        for text in {c.head for c in unit.cells} | {unit.caption}:
            out |= head_of(text, document.source.lang, lexicon).said
    return out


def compare(claim: Claim, document: Document, number: int, lexicon: Lexicon) -> Comparison:
    """Everything the decision needs to know of claim and unit."""
    unit = document.extracted.units[number]
    reading = document.reading(number, lexicon)
    out = Comparison(document, number)
    clause = _anchor(claim, reading, lexicon)
    negative = clause.negative and claim.negative
    near = near_said(document, unit, number, lexicon)
    mine = mentions(claim.reading, document)
    theirs = mentions(reading, document)
    everyone = bool(clause.manner & {"either", "neither"})
    record = document.source.kind == "invoice"
    for term in claim.terms + claim.inherited:
        out.levels.append(
            (
                term,
                _level(
                    term,
                    claim,
                    document,
                    unit,
                    reading,
                    near,
                    theirs,
                    everyone,
                    record,
                    negative or clause.negative,
                    lexicon,
                ),
            )
        )
    polish = "pl" in (claim.reading.lang, reading.lang, document.source.lang)
    for name in claim.names:
        out.names.append((name, name_level(name, document, unit, reading, clause, mine, theirs, record, polish)))
    own = {a for t in reading.terms for a in (*t.alternatives, *t.keys)}
    counted = [t for t in claim.terms if t.cls != "party"]
    out.direct = sum(bool(own & {*t.alternatives, *t.keys}) for t in counted) / len(counted) if counted else 1.0
    known = claim.reading.said
    out.extra = sum(
        1 for t in reading.terms if not (set(t.alternatives) | set(t.keys)) & known and t.cls not in ("name",)
    )
    compare_numbers(claim, out, document, unit, reading, near, lexicon)
    out.levels = [
        (t, "unit" if level != "unit" and _said_by_date(t, out, reading) else level) for t, level in out.levels
    ]
    judge(claim, out, document, unit, reading, clause, mine, theirs, lexicon)
    return out


def _anchor(claim: Claim, reading: Reading, lexicon: Lexicon) -> Clause:
    """The clause of the unit that speaks of the claim: the one with its event, else the one that says most of it."""
    best, best_score = 0, -1.0
    for number in range(len(reading.clauses)):
        said: set[str] = set()
        for term in reading.terms:
            if term.clause == number:
                for alternative in term.alternatives:
                    said |= lexicon.wide(alternative)
                said.update(term.keys)
        score = float(
            sum(said_by(t, said, lexicon, negative=False) for t in claim.terms if t.cls not in ("party", "doc"))
        )
        if claim.event and said_by(claim.event, said, lexicon, negative=reading.clauses[number].negative):
            score += 4
        clause = reading.clauses[number]
        score += sum(
            0.5
            for q in reading.quantities
            if clause.start <= q.start < clause.end and any(relation(c, q) == "same" for c in claim.quantities)
        )
        if score > best_score:
            best, best_score = number, score
    return reading.clauses[best]


def _level(
    term: Term, claim: Claim, document: Document, unit: Unit, reading: Reading, near: set[str], theirs: list[tuple[int, set[str]]], everyone: bool,
    record: bool, negative: bool, lexicon: Lexicon,
) -> Level:  # fmt: skip
    if term.cls == "party":
        keys = set(term.alternatives) | {
            f"e:{' '.join(document.parties.roles[a])}" for a in term.alternatives if a in document.parties.roles
        }
        if everyone or any(keys & other for _, other in theirs):
            return "unit"
        if theirs and unit.kind != "row":
            return "missing"
        if any(a in document.parties.roles for a in term.alternatives) or said_by(
            term, document.head, lexicon, negative=False
        ):
            return "document"
        return "section" if said_by(term, document.sections[unit.section], lexicon, negative=False) else "missing"
    if said_by(term, reading.said, lexicon, negative=negative):
        return "unit"
    if term.cls == "word" and term.text[0].isupper():
        party = party_key((folded(term.text),), document, True)
        if party and any(party in other for _, other in theirs):
            return "unit"
    if unit.kind == "row" and any(
        said_by(term, head_of(c.head, document.source.lang, lexicon).said, lexicon, negative=False) for c in unit.cells
    ):
        return "unit"
    if said_by(term, near, lexicon, negative=negative):
        return "near"
    if set(term.alternatives) <= _MEASURED and any(q.kind == "measure" for q in reading.quantities):
        return "unit"
    if any(
        (a == "minimum" and q.bound == "at_least") or (a == "maximum" and q.bound == "at_most")
        for a in term.alternatives
        for q in reading.quantities
    ):
        return "unit"
    if (
        set(term.alternatives) <= _DUE
        and reading.said & _PAYABLE
        and any(q.kind in ("date", "duration") for q in reading.quantities)
    ):
        return "unit"
    if (
        term.alternatives == ("term",)
        and any(q.kind == "duration" for q in reading.quantities)
        and reading.said & _CONTRACTS
    ):
        first = next(q for q in reading.quantities if q.kind == "duration")
        if not any(
            t.cls == "event" and t.clause == reading.clause_at(first.start) and not set(t.alternatives) & _LASTING
            for t in reading.terms
        ):
            return "unit"
    if term.cls == "quality":
        return (
            "document"
            if record and said_by(term, set().union(*document.sections), lexicon, negative=False)
            else "missing"
        )
    if said_by(term, document.sections[unit.section], lexicon, negative=negative) and unit.kind != "row":
        return "section"
    if term.alternatives == ("group_company",) and document.source.kind in ("report", "minutes"):
        return "document"
    wide = record or term.cls in ("doc", "place") or term.alternatives == ("group_company",)
    if wide and (
        said_by(term, document.head, lexicon, negative=False)
        or (record and any(said_by(term, s, lexicon, negative=False) for s in document.sections))
    ):
        return "document"
    return "missing"


_DUE = frozenset(("fall_due", "due_date", "payment_term"))


_PAYABLE = frozenset(("repay", "instalment"))


_CONTRACTS = frozenset(("agreement", "lease", "loan", "employment_contract"))


_LASTING = frozenset(("valid", "begin", "end", "sign", "renew", "survive"))


_MEASURED = frozenset(("tonne", "floor_area", "piece"))


def _said_by_date(term: Term, out: Comparison, reading: Reading) -> bool:
    """ "from 1 June" says that it begins then, "until 31 May" that it ends."""
    own = {a for t in reading.terms for a in t.alternatives}
    if not own & {"fixed_term", "indefinite", "term", "valid", "survive"}:
        return False
    stated = {
        n.stated.bound for n in out.numbers if n.state == "same" and n.stated is not None and n.stated.kind == "date"
    }
    return ("begin" in term.alternatives and "from" in stated) or ("end" in term.alternatives and "until" in stated)
