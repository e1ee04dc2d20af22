"""From a comparison to its consequence: what keeps a unit from supporting a claim, and what makes it contradict."""

from __future__ import annotations

import re

from footnote_desktop.documents.claim import Claim, past
from footnote_desktop.documents.comparison import Comparison, Number, level_of, said_by
from footnote_desktop.documents.context import Document
from footnote_desktop.documents.lexicon import Lexicon
from footnote_desktop.documents.match_parties import party_differs, party_too_often
from footnote_desktop.documents.model import Unit
from footnote_desktop.documents.reading import Clause, Reading, Term
from footnote_desktop.documents.reasons import Reason

_DIFFERENCES = {"value": Reason.VALUE_DIFFERS, "currency": Reason.CURRENCY_DIFFERS, "unit": Reason.UNIT_DIFFERS}


def judge(
    claim: Claim, out: Comparison, document: Document, unit: Unit, reading: Reading, clause: Clause, mine: list[tuple[int, set[str]]],
    theirs: list[tuple[int, set[str]]], lexicon: Lexicon,
) -> None:  # fmt: skip
    """Fills ``blocks`` and ``conflicts``."""
    covered = out.share("unit", "near", "section", "document")
    states = [n.state for n in out.numbers]
    whole = frozenset(k for c in reading.clauses for k in c.manner)
    tentative = _tentative(claim, document, clause, whole, unit, reading)
    out.blocks += tentative
    if out.missing:
        out.blocks.append(
            Reason.NAME_UNKNOWN if any(level == "missing" for _, level in out.names) else Reason.TERM_MISSING
        )
    valued = any(n.state in ("same", "entailed") and n.claimed.kind not in ("date", "identifier") for n in out.numbers)
    if (
        not valued
        and document.source.kind != "invoice"
        and any(level == "section" for t, level in out.levels if t.cls not in ("doc", "party", "place"))
    ):
        out.blocks.append(Reason.TERM_MISSING)  # without a figure to hold on to, the section is too wide
    enough = 0.2 if document.source.kind == "invoice" and out.agrees else 0.5
    if out.inside < enough or (
        claim.event and level_of(out, claim.event) != "unit" and (document.source.kind != "invoice" or claim.past)
    ):
        out.blocks.append(Reason.TERM_MISSING)
    for n in out.numbers:
        if n.state not in ("same", "entailed", "context"):
            out.blocks.append(_block_of(n))
    manner = claim.manner
    if (
        document.source.kind == "amendment"
        and claim.event
        and "sign" in claim.event.alternatives
        and "amendment" not in claim.reading.said
    ):
        out.blocks.append(Reason.TERM_MISSING)  # when the amendment was signed is not when the contract was
        return
    if ("only" in manner and "only" not in whole) or ("all" in manner and not whole & {"all", "neither", "either"}):
        out.blocks.append(Reason.TERM_MISSING)
    if "condition" in clause.manner and "condition" not in manner:
        out.blocks.append(Reason.CONDITION_OMITTED)  # what stands after "if" is not said to be so
        return
    if (
        claim.event
        and not claim.quantities
        and "condition" in whole
        and "condition" not in manner
        and "only" not in manner
    ):
        out.blocks.append(Reason.CONDITION_OMITTED)
    bare_claim = {a for t in claim.terms if t.bare for a in t.alternatives}
    bare_unit = {a for t in reading.terms if t.bare for a in t.alternatives}
    if any((a in bare_claim) != (a in bare_unit) for t in claim.terms for a in t.alternatives if a in reading.said):
        out.blocks.append(Reason.POLARITY_UNCLEAR)
    opposite = clause.negative != claim.negative
    turned_down = (
        "refusal" in whole
        and "refusal" not in manner
        and not claim.negative
        and bool(claim.event)
        and bool(set(claim.event.alternatives if claim.event else ()) & _APPROVALS)
    )
    turned_down = turned_down or (
        "proposal" in whole
        and not claim.negative
        and "refusal" not in manner
        and _then_refused(document, out.number, lexicon)
    )
    opposite = opposite or turned_down
    if opposite:
        out.blocks.append(Reason.POLARITY_DIFFERS)
    elif clause.doubtful:
        out.blocks.append(Reason.POLARITY_UNCLEAR)
    if any(c.doubtful for c in claim.reading.clauses):
        out.blocks.append(Reason.POLARITY_UNCLEAR)
    if party_too_often(mine, theirs, clause):
        out.blocks.append(Reason.PARTY_DIFFERS)
    other_party = party_differs(claim, mine, theirs, reading, clause)
    if other_party:
        out.blocks.append(Reason.PARTY_DIFFERS)

    # From here on: does the unit contradict?
    if Reason.ONLY_REPORTED in tentative or any(level == "missing" for _, level in out.names) or "period" in states:
        return
    if any(n.claimed.kind == "identifier" and n.state == "missing" for n in out.numbers) and len(claim.quantities) > 1:
        return
    proposed = Reason.ONLY_PROPOSED in tentative
    topical = out.inside >= 0.5 or (out.inside >= 0.3 and out.agrees > 0)
    if opposite:
        refused = "refusal" in clause.manner or turned_down
        denies = (clause.negative or turned_down) and not claim.negative
        if claim.past and "permission" not in manner and not refused and ({"denial", "permission"} & clause.manner):
            return  # what is forbidden may have happened all the same
        if (
            claim.event
            and sum(level == "unit" for _, level in out.levels) + sum(level == "unit" for _, level in out.names) < 2
            and not turned_down
        ):
            return
        agreed = bool(claim.event) and bool(
            set(claim.event.alternatives if claim.event else ()) & {"approve", "resolve_event"}
        )
        if (
            (refused or agreed or not proposed)
            and covered >= 0.6
            and (
                (turned_down and out.inside >= 0.3)
                or _core_inside(claim, out, not refused and _topic_denied(claim, reading, clause, lexicon))
            )
            and (
                topical
                or turned_down
                or (
                    denies
                    and (out.inside >= 0.4 or out.close >= 0.99 or _topic_denied(claim, reading, clause, lexicon))
                )
            )
            and not other_party
        ):
            stated = [n for n in out.numbers if n.claimed.kind not in ("date", "identifier")]
            differing = [n for n in stated if n.state not in ("same", "entailed", "context")]
            event = claim.event is not None and level_of(out, claim.event) == "unit"
            if not differing or (denies and event):
                out.conflicts.append(Reason.POLARITY_DIFFERS)
        return
    if proposed or document.source.kind in ("draft", "press"):
        return
    strong = covered >= 0.99 and out.inside >= 0.5 and out.close >= 0.6
    if (
        other_party
        and not tentative
        and covered >= 0.6
        and out.inside >= 0.75
        and all(s in ("same", "entailed", "context") for s in states)
    ):
        if "permission" not in clause.manner:  # that one may does not say that the other may not
            out.conflicts.append(Reason.PARTY_DIFFERS)
        return
    if other_party:
        return
    if any(level == "missing" for t, level in out.levels if t.cls == "party"):
        return
    differing = [n for n in out.numbers if n.state in ("value", "unit", "currency")]
    exclusive = _exclusive(claim, out, reading, lexicon)
    if exclusive:
        out.blocks.append(Reason.QUALIFIER_DIFFERS)
    rest = [t for t, level in out.levels if level == "missing" and t not in exclusive]
    others_in = [level for t, level in out.levels if t not in exclusive]
    if (
        exclusive
        and not rest
        and (out.inside >= 0.4 or (others_in and "unit" in others_in))
        and all(s in ("same", "entailed", "context") for s in states)
    ):
        out.conflicts.append(Reason.QUALIFIER_DIFFERS)
    if differing and not exclusive and not any(s == "missing" for s in states):
        currency_only = (
            all(n.state == "currency" for n in differing)
            and _anywhere(out, document, lexicon) >= 0.75
            and out.inside >= 0.3
        )
        away = any(t.cls in ("noun", "word") and level not in ("unit", "near") for t, level in out.levels)
        if (strong and not away) or currency_only or (covered >= 0.99 and _values_only_rival(claim, out)):
            reason = Reason.DATE_DIFFERS if differing[0].claimed.kind == "date" else _DIFFERENCES[differing[0].state]
            out.conflicts.append(reason)
    places = _place_differs(claim, reading, lexicon)
    missing_places = [t for t, level in out.levels if t.cls == "place" and level != "unit"]
    others = [level for t, level in out.levels if t.cls != "place"]
    if (
        places
        and missing_places
        and others
        and sum(level != "missing" for level in others) / len(others) >= 0.8
        and not differing
    ):
        inside = sum(level in ("unit", "near") for level in others) / len(others)
        if inside >= 0.5:
            out.conflicts.append(Reason.PLACE_DIFFERS)
    identifiers = [n for n in out.numbers if n.claimed.kind == "identifier" and n.state == "missing"]
    if (
        identifiers
        and unit.kind == "pair"
        and len(claim.quantities) == 1
        and len(reading.terms) <= 6
        and not rest
        and out.inside >= 0.6
        and any(s.kind == "identifier" for s in reading.quantities)
    ):
        out.conflicts.append(Reason.IDENTIFIER_DIFFERS)


_APPROVALS = frozenset(("approve", "provide", "resolve_event", "pay_out", "impose", "appoint"))


def _then_refused(document: Document, number: int, lexicon: Lexicon) -> bool:
    """Whether one of the next sentences of the paragraph turns the proposal down: "The proposal was rejected."."""
    units = document.extracted.units
    for other in range(number + 1, min(number + 3, len(units))):
        if units[other].block != units[number].block:
            break
        reading = document.reading(other, lexicon)
        if any("refusal" in c.manner for c in reading.clauses) and reading.said & {"proposal_noun", "request_noun"}:
            return True
    return False


def _topic_denied(claim: Claim, reading: Reading, clause: Clause, lexicon: Lexicon) -> bool:
    """A claim that something exists or is provided for, and a clause that excludes that very thing."""
    topic = next((t for t in claim.terms if t.cls == "noun"), None)
    if topic is None or claim.event is not None:
        return False
    number = reading.clauses.index(clause)
    return any(set(t.alternatives) & set(topic.alternatives) for t in reading.terms if t.clause == number)


def _anywhere(out: Comparison, document: Document, lexicon: Lexicon) -> float:
    """Share of the claim that the document says somewhere: the very same figure in another currency needs no closer tie."""
    said: set[str] = set().union(*document.sections)
    found = [level != "missing" or said_by(t, said, lexicon, negative=False) for t, level in out.levels]
    found += [level != "missing" for _, level in out.names]
    return sum(found) / len(found) if found else 0.0


def _values_only_rival(claim: Claim, out: Comparison) -> bool:
    if claim.event and level_of(out, claim.event) == "unit" and out.inside >= 0.3:
        return any(t.cls in ("noun", "doc") and level == "unit" for t, level in out.levels)
    return False


def _core_inside(claim: Claim, out: Comparison, denied_topic: bool) -> bool:
    """The event of the claim, and what it happens to, must both be in the unit for a denial to count."""
    if claim.event is None:
        return out.inside >= 0.99 or denied_topic
    if level_of(out, claim.event) != "unit":
        return not any(t.cls == "event" and level == "unit" for t, level in out.levels) and out.inside >= 0.6
    nouns = [level for t, level in out.levels if t.cls in ("noun", "word", "place", "doc", "quality")]
    return not nouns or any(level in ("unit", "near") for level in nouns)


def _block_of(n: Number) -> Reason:
    if n.state == "ambiguous":
        return Reason.VALUE_AMBIGUOUS
    if n.state == "bound":
        return Reason.BOUND_DIFFERS
    if n.state == "period" or (n.claimed.kind == "date" and n.state == "missing"):
        return Reason.PERIOD_MISSING
    if n.state in _DIFFERENCES:
        return _DIFFERENCES[n.state]
    return Reason.VALUE_MISSING


def _tentative(
    claim: Claim, document: Document, clause: Clause, whole: frozenset[str], unit: Unit, reading: Reading
) -> list[Reason]:
    """Where the source says it in a weaker manner than the claim: proposed, reported, permitted, owed."""
    out = []
    manner, own = claim.manner, clause.manner
    soft = {"proposal", "refusal", "postponement"}
    upto = (
        frozenset(k for c in reading.clauses if c.start <= clause.start for k in c.manner)
        if unit.kind != "row"
        else own
    )
    if (
        "proposal" in upto or "postponement" in own or document.source.kind in ("draft", "press")
    ) and not manner & soft:
        out.append(Reason.ONLY_PROPOSED)
    if "report" in whole and "report" not in manner:
        out.append(Reason.ONLY_REPORTED)
    if (
        (claim.event or claim.past)
        and not manner & {"permission"}
        and "permission" in own
        and "obligation" not in manner
        and not clause.negative
    ):
        out.append(Reason.ONLY_PERMITTED)
    if "obligation" in manner and "permission" in own and "obligation" not in own and not clause.negative:
        out.append(Reason.ONLY_PERMITTED)
    if "permission" in manner and "permission" not in own and not claim.negative and not clause.negative:
        out.append(Reason.ONLY_OBLIGED)
    if (
        claim.event
        and claim.past
        and (
            "obligation" in own
            or (
                document.source.kind in ("contract", "amendment", "document", "draft")
                and not past(reading.text[clause.start : clause.end], reading.lang)
            )
        )
        and not manner & {"obligation", "permission"}
        and not set(claim.event.alternatives) & {"sign", "begin"}
    ):
        out.append(Reason.ONLY_OBLIGED)
    return out


def _exclusive(claim: Claim, out: Comparison, reading: Reading, lexicon: Lexicon) -> list[Term]:
    """Terms of the claim in whose place the unit says something that excludes them."""
    found = []
    own = {a for t in reading.terms for a in t.alternatives}
    for term, level in out.levels:
        if level == "unit" and not _rival_is_nearer(term, claim, out, reading, lexicon):
            continue
        if any(group & own for a in term.alternatives for group in lexicon.exclusive.get(a, ())):
            found.append(term)
    return found


def _rival_is_nearer(term: Term, claim: Claim, out: Comparison, reading: Reading, lexicon: Lexicon) -> bool:
    """A yearly rent of 62,400 in monthly payments: beside the figure stands yearly, not monthly."""
    rivals = {m for a in term.alternatives for group in lexicon.exclusive.get(a, ()) for m in group}
    stated = next(
        (n.stated for n in out.numbers if n.stated is not None and n.claimed.kind not in ("date", "identifier")), None
    )
    if not rivals:
        return False
    own = {a for t in reading.terms for a in t.alternatives}
    place = (stated.start, stated.end) if stated is not None else None
    if place is None and rivals & own:
        others = [t for t in claim.terms if t.cls == "quality" and t is not term]
        anchors = [t for t in reading.terms if any(set(t.alternatives) & set(o.alternatives) for o in others)]
        joined = re.search(r"\b(?:or|oder|lub|bzw\.?)\b", reading.text)
        if not anchors or joined:
            return False
        place = (anchors[0].start, anchors[0].end)
    if place is None:
        return False
    low, high = place

    def distance(concepts: set[str]) -> int:
        found = [min(abs(low - t.end), abs(t.start - high)) for t in reading.terms if set(t.alternatives) & concepts]
        return min(found, default=10**6)

    return distance(rivals) < distance(set(term.alternatives))


def _place_differs(claim: Claim, reading: Reading, lexicon: Lexicon) -> bool:
    claimed = [set(t.alternatives) for t in claim.terms if t.cls == "place"]
    stated = [t for t in reading.terms if t.cls == "place"]
    if not claimed or not stated:
        return False
    for alternatives in claimed:
        for other in stated:
            wide = frozenset().union(*(lexicon.wide(a) for a in other.alternatives))
            mine = frozenset().union(*(lexicon.wide(a) for a in alternatives))
            if alternatives & wide or set(other.alternatives) & mine:
                return False
    return True
