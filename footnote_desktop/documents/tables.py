"""Tables: each figure belongs to its row and to the head of its column; scale and currency come from head, caption or note."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from footnote_desktop.figures.numbers import Quantity
from footnote_desktop.figures.numbers_words import CODES, CURRENCIES, SCALED_CURRENCIES, SCALES

_CODE = "|".join([*CODES, "€", "£", r"\$", "zł", "euro", "euros", "złotych"])
_SCALE = (
    r"thousands?|tsd\.?|tausend|tys\.?|tysiącach|millions?|mio\.?|millionen|mln|milionach|billions?|mrd\.?|bn|mn|m|k"
)
_SCALED = "|".join(sorted((re.escape(s) for s in SCALED_CURRENCIES), key=len, reverse=True))
_PATTERNS = (
    re.compile(rf"(?<!\w)(?P<scaled>{_SCALED})(?!\w)", re.I),
    re.compile(rf"(?<!\w)(?P<scale>{_SCALE})\s*(?:of\s+)?(?P<cur>{_CODE})(?!\w)", re.I),
    re.compile(rf"(?<!\w)(?P<cur>{_CODE})\s*(?:in\s+|w\s+)?(?P<scale>{_SCALE})(?!\w)", re.I),
    re.compile(rf"(?<!\w)(?:in|w)\s+(?P<scale>{_SCALE})(?!\w)", re.I),
    re.compile(rf"(?:\(|\[|,\s|\bin\s|\bw\s|/\s?)(?P<cur>{_CODE})(?:\)|\]|$|\s|,)", re.I),
    re.compile(rf"^\s*(?P<cur>{_CODE})\s*$", re.I),
)
_PERCENT = re.compile(r"%|percent|prozent|procent", re.I)
_STEMS = {"thousand": 1000, "tsd": 1000, "tausend": 1000, "tys": 1000, "k": 1000, "million": 10**6, "mio": 10**6, "mln": 10**6, "milion": 10**6,
          "mn": 10**6, "m": 10**6, "billion": 10**9, "mrd": 10**9, "bn": 10**9}  # fmt: skip


_UNITS = {
    "t": "t",
    "m²": "m2",
    "m2": "m2",
    "qm": "m2",
    "kg": "kg",
    "km": "km",
    "kwh": "kWh",
    "mwh": "MWh",
    "mw": "MW",
    "ha": "ha",
    "l": "l",
}
_MEASURED = re.compile(r"[(\[,/]\s*(t|m²|m2|qm|kg|km|kwh|mwh|mw|ha|l)\s*[)\]]", re.I)


@dataclass(frozen=True, slots=True)
class Scale:
    """What a head, caption or note says of the figures under it. ``unit``: currency code, "%" or ""."""

    factor: Decimal
    unit: str


def scale_of(text: str) -> Scale | None:
    """The scale and currency that ``text`` sets, e.g. "in thousands of EUR", "TEUR", "[PLN]", "w tys. zł"."""
    for pattern in _PATTERNS:
        m = pattern.search(text)
        if not m:
            continue
        groups = m.groupdict()
        if groups.get("scaled"):
            factor, code = SCALED_CURRENCIES[groups["scaled"].lower()]
            return Scale(factor, code)
        word = (groups.get("scale") or "").lower().rstrip(".")
        known = SCALES.get(word)
        factor = (
            known
            if known
            else Decimal(next((n for s, n in _STEMS.items() if word.startswith(s)), 1))
            if word
            else Decimal(1)
        )
        currency = groups.get("cur")
        return Scale(factor, CURRENCIES.get(currency.lower(), currency.upper()) if currency else "")
    if _PERCENT.search(text):
        return Scale(Decimal(1), "%")
    return None


def typed(q: Quantity, head: str, wider: list[str], currency: str) -> Quantity:
    """A cell's number with the type that its column head, else caption and note (``wider``, nearest first), give it.

    ``currency``: what a currency column of the same row says, if any.
    """
    if q.kind != "count" or q.low is None or q.high is None:
        return q
    measured = _MEASURED.search(head)
    if measured:
        return replace(q, kind="measure", unit=_UNITS[measured.group(1).lower()])
    scale = scale_of(head)
    factor, unit = (scale.factor, scale.unit) if scale else (Decimal(1), "")
    if unit == "%":
        return replace(q, kind="percent", unit="%")
    for text in wider:
        more = scale_of(text)
        if more is None or more.unit == "%":
            continue
        if not unit and (not currency or more.factor > 1):
            unit = unit or more.unit
        if factor == 1 and not scale:
            factor = more.factor
        if unit and factor > 1:
            break
    unit = unit or currency
    if not unit:
        return q
    places = q.decimals - (len(str(int(factor))) - 1)
    return replace(q, kind="money", unit=unit, low=q.low * factor, high=q.high * factor, decimals=places)
