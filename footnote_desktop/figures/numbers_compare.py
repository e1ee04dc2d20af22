"""How a stated number relates to a claimed one. Nothing is added up or derived; only notation, rounding and bounds are resolved."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from footnote_desktop.figures.numbers import Quantity

#: "same": the source confirms it; "entailed": it follows from the order of numbers alone; "value", "currency", "unit", "bound":
#: the source differs in that; "coarser": the source is less exact than the claim; "other": not comparable.
Relation = Literal["same", "entailed", "value", "currency", "unit", "bound", "coarser", "other"]

_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def rounds_to(exact: Quantity, rounded: Quantity) -> bool:
    """Whether ``rounded`` is ``exact`` written with fewer figures, at least two of them: 73.9 million for 73,912 thousand."""
    if exact.low is None or rounded.low is None or exact.low != exact.high or rounded.low != rounded.high:
        return False
    places = rounded.decimals
    if rounded.kind != "money" or places >= exact.decimals or places >= 0:
        return False
    if len(str(abs(rounded.low.scaleb(places)).quantize(Decimal(1)))) < 2:
        return False
    return exact.low.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) == rounded.low


def relation(claim: Quantity, source: Quantity) -> Relation:
    """Compares a claimed quantity with a stated one of the same kind."""
    if claim.kind == "date" and source.kind == "date":
        return _dates(claim, source)
    if claim.kind == "count" and source.kind in ("money", "measure") and claim.bound == "exact":
        if claim.low == source.low == source.high:
            return "same"
        return "value" if claim.low is not None and claim.low >= 1000 else "other"
    if claim.kind != source.kind:
        return "other"
    if claim.kind in ("identifier", "time"):
        return "same" if claim.unit == source.unit else "value"
    if claim.low is None or source.low is None or claim.high is None or source.high is None:
        return "other"
    factor = Decimal(1)
    if claim.unit != source.unit:
        if claim.kind == "money":
            return "currency" if claim.low == source.low or rounds_to(source, claim) else "value"
        if claim.kind == "duration" and claim.unit in _MONTHS and source.unit in _MONTHS:
            factor = Decimal(_MONTHS[source.unit]) / Decimal(_MONTHS[claim.unit])
        else:
            return "unit"
    elif claim.mixed and not source.mixed:
        return "currency"
    low, high = source.low * factor, source.high * factor
    if claim.bound in ("more_than", "less_than"):
        return _strict(claim, source, low, high)
    equal = (claim.low, claim.high) == (low, high) or (factor == 1 and rounds_to(source, claim))
    if not equal:
        return "coarser" if factor == 1 and rounds_to(claim, source) else "value"
    if claim.bound == source.bound or source.bound == "exact" == claim.bound:
        return "same"
    return "bound"


def _strict(claim: Quantity, source: Quantity, low: Decimal, high: Decimal) -> Relation:
    assert claim.low is not None
    if claim.bound == source.bound and claim.low == low:
        return "same"
    if source.bound not in ("exact", "between"):
        return "bound" if claim.low == low else "value"
    holds = low > claim.low if claim.bound == "more_than" else high < claim.low
    return "entailed" if holds else "value"


def _dates(claim: Quantity, source: Quantity) -> Relation:
    if not (claim.first and claim.last and source.first and source.last):
        return "other"
    if claim.first <= source.first and source.last <= claim.last:
        if {claim.bound, source.bound} == {"from", "until"}:
            return "bound"
        return "same"
    if source.first <= claim.first and claim.last <= source.last:
        return "coarser"
    return "value"


def overlap(a: Quantity, b: Quantity) -> bool:
    """Whether two dates or periods share a day."""
    if not (a.first and a.last and b.first and b.last):
        return False
    return a.first <= b.last and b.first <= a.last


def before(period: Quantity, day: dt.date) -> bool:
    """Whether a period lies wholly before ``day``."""
    return period.last is not None and period.last < day
