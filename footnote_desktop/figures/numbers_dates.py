"""Dates in any notation: a day, a month, a quarter, a half-year, a year, or a range of days."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass

from footnote_desktop.figures.numbers_words import MONTHS, QUARTERS


@dataclass(frozen=True, slots=True)
class Day:
    """A period from ``first`` to ``last``, both included. A day without a year ("31 December") has precision "monthday"
    and the leap year 2000."""

    start: int
    end: int
    first: dt.date
    last: dt.date
    precision: str


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d{2}"
_TAIL = r"(?:\s*r\.|\s+roku|\s+year)?"
_ISO = re.compile(r"(?<![\w-])(?P<y>(?:19|20)\d{2})-(?P<m>\d{2})-(?P<d>\d{2})(?![\d-])")
_DOTTED = re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})\s?[./]\s?(?P<m>\d{{1,2}})\s?[./]\s?(?P<y>{_YEAR}){_TAIL}(?!\d)")
_DASHED = re.compile(rf"(?<![\w-])(?P<d>\d{{1,2}})-(?P<m>\d{{1,2}})-(?P<y>{_YEAR})(?![\w-])")
_LONG = re.compile(
    rf"(?<![\w.,])(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:day\s+of\s+|of\s+)?(?P<mon>{_MONTH})\b\.?,?(?:\s+(?P<y>{_YEAR})(?!\d){_TAIL})?",
    re.I,
)
_AMERICAN = re.compile(
    rf"(?<!\w)(?P<mon>{_MONTH})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>{_YEAR}))?(?![\d.,]\d)(?!\d)", re.I
)
_MONTH_YEAR = re.compile(rf"(?<!\w)(?P<mon>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>{_YEAR})(?!\d){_TAIL}", re.I)
_NUMERIC_MONTH = re.compile(rf"(?<![\d./-])(?P<m>0[1-9]|1[0-2])[./](?P<y>{_YEAR})(?![\d./])")
_QUARTER = re.compile(
    rf"(?<!\w)(?:q(?P<q1>[1-4])[\s/]*(?:of\s+)?(?P<y1>{_YEAR})"
    rf"|(?P<q2>first|second|third|fourth|erste[nsr]?|zweite[nsr]?|dritte[nsr]?|vierte[nsr]?|pierwsz\w+|drugi\w*|trzeci\w*|czwart\w+|iv|iii|ii|i|[1-4])\.?"
    rf"\s+(?:quarter|quartals?|kwarta\w+)(?:\s+(?:of|des\s+jahres|roku))?\s+(?P<y2>{_YEAR}){_TAIL})(?!\d)",
    re.I,
)
_HALF = re.compile(
    rf"(?<!\w)(?:h(?P<h1>[12])\s+(?P<y1>{_YEAR})|(?P<h2>first|second|erste[nsr]?|zweite[nsr]?|pierwsz\w+|drugi\w*|ii|i)\.?\s+"
    rf"(?:half(?:\s+of)?|halbjahr|półrocz\w+)\s+(?P<y2>{_YEAR}){_TAIL})(?!\d)",
    re.I,
)
_END_OF_YEAR = re.compile(
    rf"(?<!\w)(?:the\s+)?(?:(?P<e>end\s+of(?:\s+the\s+year)?|year[\s-]end|ende|jahresende|koniec(?:\s+roku)?|końcu(?:\s+roku)?|końca(?:\s+roku)?))\s+(?P<y>{_YEAR}){_TAIL}(?!\d)",
    re.I,
)
_PLAIN_YEAR = re.compile(
    rf"(?<![\w.,/-])(?:fy\s?|rok\s+)?(?P<y>{_YEAR})(?P<r>\s*r\.(?!\w)|\s+roku?\b)?(?![\d%])(?![.,/-]\d)(?!-?\w)(?P<after>\s*[^\W\d_]*)",
    re.I,
)
_BEFORE_YEAR = re.compile(
    r"(?:\bin|\bof|\bfor|\byear|\bsince|\bfrom|\buntil|\bim\s+jahre?|\bjahre?s?|\bgeschäftsjahre?s?|\bim|\bseit|\bab|\bbis|\bzum|\bende|\bw|\bza|\brok|\broku|\bod|\bdo|\bfy|"
    r"\bobrotow\w+|\bsprawozdawcz\w+|\bkalendarzow\w+|\bfiscal|\bfinancial|\bdecember|\bby|\bduring|\bwith|\bbudget|\bna)\s*$",
    re.I,
)
_VERB = re.compile(
    r"(?:wyni|betr|beli|amount|with|oraz|shall|will|were|compared|against|stood|sich|zosta|wurde|hat|have|obejm|przewid)",
    re.I,
)
_JOIN = re.compile(r"\s*(?:-|–|—|to|bis(?:\s+zum)?|do)\s*", re.I)


def _month(year: int, month: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def _months(year: int, first: int, last: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, first, 1), _month(year, last)[1]


def _ordinal(text: str) -> int:
    word = text.lower()
    if word in QUARTERS:
        return QUARTERS[word]
    return next((n for w, n in QUARTERS.items() if len(w) > 3 and word.startswith(w)), 1)


def find(text: str, lang: str) -> list[Day]:
    """All dates of ``text``, in reading order, none overlapping. ``lang`` is for a caller's use; 03/04/2024 is read day first."""
    out: list[Day] = []

    def put(start: int, end: int, first: dt.date, last: dt.date, precision: str) -> None:
        if all(end <= d.start or start >= d.end for d in out):
            out.append(Day(start, end, first, last, precision))

    for pattern in (_ISO, _DOTTED, _DASHED):
        for m in pattern.finditer(text):
            day, month = int(m["d"]), int(m["m"])
            if month > 12 >= day and pattern is not _ISO:
                day, month = month, day
            try:
                date = dt.date(int(m["y"]), month, day)
            except ValueError:
                continue
            put(m.start(), m.end(), date, date, "day")
    for pattern in (_LONG, _AMERICAN):
        for m in pattern.finditer(text):
            if not m["y"] and (
                m["mon"].lower() in ("mar", "may", "lis", "lip", "sie", "sty", "jan", "gru", "mai", "dec")
                and not m["mon"][0].isupper()
            ):
                continue
            try:
                date = dt.date(int(m["y"] or 2000), MONTHS[m["mon"].lower()], int(m["d"]))
            except ValueError:
                continue
            put(m.start(), m.end(), date, date, "day" if m["y"] else "monthday")
    for m in _MONTH_YEAR.finditer(text):
        put(m.start(), m.end(), *_month(int(m["y"]), MONTHS[m["mon"].lower()]), "month")
    for m in _NUMERIC_MONTH.finditer(text):
        put(m.start(), m.end(), *_month(int(m["y"]), int(m["m"])), "month")
    for m in _QUARTER.finditer(text):
        quarter = _ordinal(m["q1"] or m["q2"])
        put(m.start(), m.end(), *_months(int(m["y1"] or m["y2"]), 3 * quarter - 2, 3 * quarter), "quarter")
    for m in _HALF.finditer(text):
        half = min(2, _ordinal(m["h1"] or m["h2"]))
        put(m.start(), m.end(), *_months(int(m["y1"] or m["y2"]), 6 * half - 5, 6 * half), "half")
    for m in _END_OF_YEAR.finditer(text):
        date = dt.date(int(m["y"]), 12, 31)
        put(m.start(), m.end(), date, date, "day")
    for m in _PLAIN_YEAR.finditer(text):
        after = m["after"].strip()
        head = text[: m.start()]
        counted = (
            after
            and after[0].islower()
            and len(after) > 3
            and not _VERB.match(after)
            and not m["r"]
            and not _BEFORE_YEAR.search(head)
        )
        money = re.search(r"(?:€|£|\$|\b(?:EUR|GBP|USD|PLN|CHF))\s?$", head) or re.match(
            r"(?i)(eur|gbp|usd|pln|chf|zł|euro|złotych|tys|mln|mio)\b", after
        )
        if not counted and not money:
            year = int(m["y"])
            put(m.start(), m.end("r") if m["r"] else m.end("y"), *_months(year, 1, 12), "year")
    out.sort(key=lambda d: d.start)
    return _joined(text, out)


def _joined(text: str, found: list[Day]) -> list[Day]:
    """01.01.2024 – 31.12.2024 is one period. "from … to …" in a sentence stays two dates: each has a role of its own."""
    out: list[Day] = []
    for d in found:
        if (
            out
            and out[-1].precision == d.precision == "day"
            and re.fullmatch(r"\s*[-–—]\s*", text[out[-1].end : d.start])
            and out[-1].first < d.first
        ):
            out[-1] = Day(out[-1].start, d.end, out[-1].first, d.last, "range")
        else:
            out.append(d)
    return out
