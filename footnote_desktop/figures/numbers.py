"""Typed numbers in text: found in any notation, with their unit, their bound and their place.

A number without its type is a trap: 30 days are not 30 months, 5,000 GBP are not 5,000 EUR, the 8.2 of "Section 8.2" is
no quantity at all. :func:`find` therefore returns :class:`Quantity` objects only; offsets are into the text as given.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from footnote_desktop.figures import numbers_bounds as bounds
from footnote_desktop.figures import numbers_dates as dates
from footnote_desktop.figures import numbers_words as words

Kind = Literal["money", "percent", "points", "date", "monthday", "duration", "measure", "count", "identifier", "time"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One typed number. ``low`` and ``high`` enclose it (equal when exact); a date has ``first`` and ``last`` instead.

    ``unit``: ISO 4217 code of money ("" if none is written), "%" of percent (basis points are converted), "pp" of points, "day",
    "workday", "week", "month", "year", … of a duration, "m2", "t", "x" … of a measure, the normalised text of an identifier.
    """

    kind: Kind
    start: int
    end: int
    text: str
    unit: str = ""
    low: Decimal | None = None
    high: Decimal | None = None
    bound: bounds.Bound = "exact"
    first: dt.date | None = None
    last: dt.date | None = None
    precision: str = ""
    decimals: int = 0  #: digits after the point as written, after the scale is applied: 73.9 million has -5
    mixed: bool = False  #: two currencies are written beside one amount


NUMBER = r"\d{1,3}(?:[  \u202f\u2009'’.,]\d{3})+(?![\d])(?:[.,]\d{1,4}(?!\d))?|\d+(?:[.,]\d+)?"
_SPACES = " \u00a0\u202f\u2009'’"


def parse(text: str, lang: str) -> Decimal:
    """The value of one numeral in the notation of ``lang`` ("en", "de", "pl"), or in one that can be read one way only."""
    plain = re.sub(rf"[{_SPACES}]", "", text)
    comma, point = plain.rfind(","), plain.rfind(".")
    if comma >= 0 and point >= 0:
        decimal = "," if comma > point else "."
    elif comma < 0 and point < 0:
        return Decimal(plain)
    else:
        mark = "," if comma >= 0 else "."
        groups = plain.split(mark)
        grouped = all(len(g) == 3 for g in groups[1:]) and 0 < len(groups[0]) <= 3 and groups[0][0] != "0"
        native = "." if lang == "en" else ","
        thousands = len(groups) > 2 or (grouped and (mark != native))
        spaced = plain != text
        decimal = "" if thousands and not spaced else mark
    other = {",": ".", ".": ",", "": ""}[decimal]
    if decimal == "":
        return Decimal(plain.replace(",", "").replace(".", ""))
    return Decimal(plain.replace(other, "").replace(decimal, "."))


_CURRENCY = "|".join(sorted((re.escape(c) for c in words.CURRENCIES), key=len, reverse=True))
_SCALE = "|".join(sorted((re.escape(s) for s in words.SCALES), key=len, reverse=True))
_SCALED = "|".join(sorted((re.escape(s) for s in words.SCALED_CURRENCIES), key=len, reverse=True))
_SIGN = r"[-−]\s?"
_MONEY = re.compile(
    rf"(?P<open>\()?(?P<sign1>{_SIGN})?(?:(?<![^\W\d_])(?P<scaled1>{_SCALED})\s?|(?<![^\W\d_])(?P<cur1>{_CURRENCY})\s?)?(?P<sign>{_SIGN})?"
    rf"(?<![\w.,])(?P<num>{NUMBER})(?P<close>\))?"
    rf"(?:[\s  ]*(?P<scale>{_SCALE})(?![^\W\d_]))?"
    rf"(?:[\s  ]*(?:(?P<scaled2>{_SCALED})|(?P<cur2>{_CURRENCY}))(?![^\W\d_]))?",
    re.I,
)
_PERCENT = re.compile(
    r"\s*(?:(?P<pp>percentage[\s-]points?|prozentpunkt\w*|punkt\w* procentow\w*|p\.\s?p\.|pp\b)"
    r"|(?P<bp>basis[\s-]points?|bps?\b|basispunkt\w*|punkt\w* bazow\w*)"
    r"|(?P<pc>%|per\s?cent\b|prozent\w*|procent\w*|proc\.|v\.\s?h\.))",
    re.I,
)
_DURATION = [(re.compile(rf"[\s-]*(?:{p})", re.I), unit) for p, unit in words.DURATIONS]
_MEASURE = [(re.compile(rf"[\s-]?(?:{p})", re.I), unit) for p, unit in words.MEASURES]
_IDENTIFIER = re.compile(
    r"""[\w.+-]+@[\w-]+\.[\w.-]+ | https?://\S+
    | (?:§+|\b(?:sections?|clauses?|articles?|schedules?|paragraphs?|abschnitt|ziffer|artikel|absatz|abs\.|art\.|pkt\.?|ust\.?|lit\.|nr\.?|no\.|number|numer|punkt(?:u|cie)?|
       top|rozdział\w*|punktu|tier|version|wersja|message|tabela|table|nota|note|para\.|chapter|kapitel|anlage|annex|amendment|nachtrag|aneks|item|line|page|seite|str\.)
       \s*(?:nr\.?|no\.)?)\s*[A-Z]?\d+(?:[./-]\d+)*[a-z]?\b
    | \b(?:krs|nip|regon|hrb|hra|ust-?id\w*|vat\s?id|iban|bic|company\s(?:number|no\.?))\W{0,3}\s*[A-Z]{0,2}\s?\d[\d ]{5,}\d
    | (?<![\w.,])(?=[\w/-]*\d)(?=[\w/-]*[A-Za-z])(?!\d+(?:st|nd|rd|th|x|t|m|k|m2|kg|km|h|mw|mwh|kwh)\b)(?!\d+-(?:[a-zäöüßąćęłńóśźż]{3,}))(?!q[1-4]\b)(?!fy\d)(?!(?:eur|pln|gbp|usd|chf|teur)\d)(?!\d+(?:eur|pln|gbp|usd|chf|teur|zł|mio|mln|tsd)\b)[A-Za-z0-9]+(?:[-/_][A-Za-z0-9]+)*(?![\w])
    | (?<![\w.,])\d+[/-]\d+(?:[/-]\d+)*(?![\w])(?![.,]\d)
    | (?<![\w.,-])0\d{3,}(?![\w.,]) | (?<![\w.,-])\d{9,}(?![\w,]) | \+\d{2}[\d ()-]{6,}\d
    """,
    re.I | re.X,
)
_TIME = re.compile(r"(?<![\d.,:])\d{1,2}:\d{2}(?::\d{2})?(?![\d])")
_RANGE = re.compile(r"\s*(?:-|–|—|to|bis(?: zu)?|do|and|und|a|i)\s*$", re.I)
_BETWEEN = re.compile(r"(?:between|zwischen|pomiędzy|między|from|von|od)\s+(?:\S{1,3}\s*)?$", re.I)


def _free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return all(span[1] <= a or span[0] >= b for a, b in taken)


def find(text: str, lang: str = "en") -> list[Quantity]:
    """All typed numbers of ``text`` in reading order. ``lang`` ("en", "de", "pl") decides what 1.234 means."""
    if not any(c.isdigit() for c in text):
        return sorted(_spelled(text, []), key=lambda q: q.start)
    out: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for d in dates.find(text, lang):
        taken.append((d.start, d.end))
        kind: Kind = "monthday" if d.precision == "monthday" else "date"
        bound = bounds.of_date(text, d.start, d.end)
        low = Decimal(d.first.month * 100 + d.first.day) if kind == "monthday" else None
        out.append(Quantity(kind, d.start, d.end, text[d.start : d.end], first=d.first, last=d.last, precision=d.precision,
                            bound=bound, low=low, high=low))  # fmt: skip
    for m in _TIME.finditer(text):
        if _free(m.span(), taken):
            taken.append(m.span())
            out.append(Quantity("time", m.start(), m.end(), m.group(), unit=m.group()))
    for m in _IDENTIFIER.finditer(text):
        if _free(m.span(), taken):
            taken.append(m.span())
            unit = re.sub(r"[\s.:#*_]", "", m.group()).upper()
            out.append(Quantity("identifier", m.start(), m.end(), m.group(), unit=unit))
    amounts: list[Quantity] = []
    for m in _MONEY.finditer(text):
        if _free((m.start("num"), m.end("num")), taken):
            q = _typed(text, m, lang)
            taken.append((q.start, q.end))
            amounts.append(q)
    amounts += _spelled(text, taken)
    amounts.sort(key=lambda q: q.start)
    out += _ranges(text, amounts)
    return sorted(out, key=lambda q: (q.start, q.end))


def _typed(text: str, m: re.Match[str], lang: str) -> Quantity:
    """The quantity that a numeral is, from what stands directly before and after it."""
    value = parse(m["num"], lang)
    places = _places(m["num"], value)
    start, end = m.start("num"), m.end("num")
    sign = m["sign"] or (m["sign1"] if m.start() == 0 or not text[m.start() - 1 : m.start()].strip() else None)
    currencies = [c for c in (m["cur1"], m["cur2"]) if c]
    scaled = m["scaled1"] or m["scaled2"]
    scale = words.SCALES[m["scale"].lower()] if m["scale"] else Decimal(1)
    # "5 m" is metres or million: only beside a currency is it a scale
    if m["scale"] and m["scale"].lower() in ("m", "k", "mn") and not currencies:
        scale = Decimal(1)
    elif m["scale"]:
        end = m.end("scale")
    negative = bool(sign) or bool(m["open"] and m["close"] and _closed_amount(text, m))
    if scaled:
        factor, code = words.SCALED_CURRENCIES[scaled.lower()]
        scale, currencies = scale * factor, [code]
    if currencies:
        codes = [words.CURRENCIES.get(c.lower(), c) for c in currencies]
        start = min([start] + [m.start(g) for g in ("cur1", "scaled1") if m[g]])
        end = max([end] + [m.end(g) for g in ("cur2", "scaled2") if m[g]])
        q = Quantity("money", start, end, "", unit=codes[-1], mixed=len(set(codes)) > 1)
    else:
        q = _unit_after(text, start, end + (1 if m["close"] else 0), end)
    value = value * scale
    if q.precision == "bp":
        value, places = value / 100, places + 2
        q = replace(q, precision="")
    value = -value if negative else value
    start, spelled_out = _repeated(text, m, value) or (start, False)
    q = replace(q, start=start)
    places -= len(str(int(scale))) - 1
    bound = bounds.of_number(text, start if spelled_out else m.start(), q.end)
    return replace(q, low=value, high=value, bound=bound, decimals=places, text=text[q.start : q.end])


def _repeated(text: str, m: re.Match[str], value: Decimal) -> tuple[int, bool] | None:
    """Where "thirty-six" starts when the numeral repeats it: "thirty-six (36) months" is one quantity."""
    if not (m["open"] and m["close"]):
        return None
    before = list(_WORDS.finditer(text[max(0, m.start() - 60) : m.start("open")]))
    offset = max(0, m.start() - 60)
    for count in range(1, min(6, len(before)) + 1):
        found = words.spelled([w.group().lower() for w in before[-count:]])
        if found is not None and Decimal(found[0]) == value and found[1] == count:
            return offset + before[-count].start(), True
    return None


def _places(numeral: str, value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _closed_amount(text: str, m: re.Match[str]) -> bool:
    """(1,234) is negative where it stands alone, as in a table cell; after words it is a repetition: "thirty (30) days"."""
    before = text[: m.start()].rstrip(" |*")
    return not before or before[-1] in "|;\t:" or bool(re.search(r"\d$", before))


def _unit_after(text: str, start: int, after: int, end: int) -> Quantity:
    percent = _PERCENT.match(text, after)
    if percent:
        if percent["pp"]:
            return Quantity("points", start, percent.end(), "", unit="pp")
        return Quantity("percent", start, percent.end(), "", unit="%", precision="bp" if percent["bp"] else "")
    for pattern, unit in _DURATION:
        found = pattern.match(text, after)
        if found:
            return Quantity("duration", start, found.end(), "", unit=unit)
    for pattern, unit in _MEASURE:
        found = pattern.match(text, after)
        if found:
            return Quantity("measure", start, found.end(), "", unit=unit)
    return Quantity("count", start, end, "")


_WORDS = re.compile(r"[^\W\d_]+")
_PL_JOINED = re.compile(
    rf"\b({'|'.join(sorted(words.PL_PREFIX, key=len, reverse=True))})(miesięczn\w*|letni\w*|dniow\w*|tygodniow\w*|godzinn\w*)\b",
    re.I,
)
_DE_JOINED = re.compile(r"\b([a-zäöüß]{3,20}?)(monatig\w*|jährig\w*|tägig\w*|wöchig\w*|stündig\w*)\b", re.I)
_JOINED_UNITS = {"mie": "month", "mon": "month", "let": "year", "jäh": "year", "dni": "day", "täg": "day", "tyg": "week", "wöc": "week",
                 "god": "hour", "stü": "hour"}  # fmt: skip


def _spelled(text: str, taken: list[tuple[int, int]]) -> list[Quantity]:
    """Numbers written in words, where a unit or a counted noun follows: "thirty days", "drei Raten", "trzymiesięczny"."""
    out: list[Quantity] = []
    for pattern in (_PL_JOINED, _DE_JOINED):
        for m in pattern.finditer(text):
            small = words.PL_PREFIX.get(m[1].lower()) if pattern is _PL_JOINED else words._german(m[1].lower())
            if small and _free(m.span(), taken):
                taken.append(m.span())
                value = Decimal(small)
                out.append(
                    Quantity("duration", m.start(), m.end(), m.group(), _JOINED_UNITS[m[2][:3].lower()], value, value)
                )
    tokens = list(_WORDS.finditer(text))
    position = 0
    while position < len(tokens):
        if not words.starts(tokens[position].group().lower()):
            position += 1
            continue
        window = [t.group().lower() for t in tokens[position : position + 8]]
        found = words.spelled(window)
        if not found:
            position += 1
            continue
        number, used = found
        start, end = tokens[position].start(), tokens[position + used - 1].end()
        joined = text[start:end]
        position += used
        if re.search(r"[.,;:()\d]", joined) or not _free((start, end), taken):
            continue
        value = Decimal(number)
        if window[used : used + 1] in (["point"], ["komma"]):
            tail = words.spelled(window[used + 1 :])
            if tail:
                value += Decimal(tail[0]).scaleb(-len(str(tail[0])))
                end = tokens[position + tail[1]].end()
                position += 1 + tail[1]
        q = _unit_after(text, start, end, end)
        currency = re.match(rf"\s+(?:[^\W\d_]+\s+)?({_CURRENCY})(?![^\W\d_])", text[end:], re.I)
        if q.kind == "count" and currency and number > 1:
            q = Quantity("money", start, end + currency.end(), "", unit=words.CURRENCIES[currency[1].lower()])
        if q.kind in ("count", "measure") and (number < 2 or q.unit == "x" or joined.lower() in ("sto", "acht")):
            continue
        if q.kind == "duration" and number < 2 and q.unit == "day":
            continue
        taken.append((start, q.end))
        bound = bounds.of_number(text, start, q.end)
        out.append(replace(q, low=value, high=value, bound=bound, text=text[start : q.end]))
    return out


def _ranges(text: str, amounts: list[Quantity]) -> list[Quantity]:
    """Joins "99.0% to 99.79%", "between 76 and 80 million EUR" into one quantity with two ends."""
    out: list[Quantity] = []
    for q in amounts:
        previous = out[-1] if out else None
        if previous and previous.bound != "between" and previous.low is not None and q.high is not None:
            gap = text[previous.end : q.start]
            same = (previous.kind, previous.unit) == (q.kind, q.unit) or (
                previous.kind == "count" and q.kind != "identifier"
            )
            word = gap.strip().lower()
            marked = bool(_BETWEEN.search(text[max(0, previous.start - 12) : previous.start]))
            joined = bool(_RANGE.match(gap)) and bool(word) and (word not in ("and", "und", "a", "i", "do", "bis", "to", "bis zu") or marked
                                             or (word in ("to", "bis") and previous.kind == q.kind))  # fmt: skip
            if same and joined and previous.low < q.high:
                low = previous.low
                if previous.kind == "count" and q.decimals < 0 and previous.decimals >= 0:
                    low = low.scaleb(-q.decimals + previous.decimals)
                out[-1] = replace(q, start=previous.start, low=low, bound="between", text=text[previous.start : q.end])
                continue
        out.append(q)
    return out
