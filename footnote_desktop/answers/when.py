"""Dates and periods in a question, English and German, as calendar dates relative to the as-of date.

Nothing is guessed: a day that is not in the calendar, or that could be two days, is reported as such, and a month
without a year is the latest one that began on or before the as-of date.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from footnote_desktop.answers.words import Word

Kind = Literal["today", "day", "since", "range", "bad", "backwards", "ambiguous"]


@dataclass(frozen=True, slots=True)
class When:
    """A date or period as it was said: words ``start`` to ``end`` (exclusive) of the question.

    ``today`` is the as-of date; ``day`` is ``first``; ``since`` begins with ``first`` and is open;
    ``range`` runs from ``first`` to ``last``. ``bad`` is no calendar date, ``backwards``
    ends before it begins, ``ambiguous`` could begin on two different days.
    """

    kind: Kind
    start: int
    end: int
    first: dt.date | None = None
    last: dt.date | None = None


_MONTHS = {
    "en": "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep"
    " october|oct november|nov december|dec",
    "de": "januar|jan|janner februar|feb|feber marz|maerz|mrz april|apr mai juni|jun juli|jul august|aug"
    " september|sept|sep oktober|okt november|nov dezember|dez",
}
_MONTH_NUMBER = {
    name: number
    for names in _MONTHS.values()
    for number, month in enumerate(names.split(), start=1)
    for name in month.split("|")
}
_COUNT = {"one": 1, "two": 2, "three": 3, "six": 6, "twelve": 12, "zwei": 2, "drei": 3, "sechs": 6, "zwolf": 12}

_YEAR = r"(?:19|20)\d\d"


def _date(language: str, name: str) -> str:
    """A pattern for one date; its parts are read by :func:`_day`."""
    month = "|".join(_MONTHS[language].replace(" ", "|").split("|"))
    ordinal = "(?:st|nd|rd|th)?" if language == "en" else r"\.?"
    between = "(?:of )?" if language == "en" else ""
    options = [
        r"\d{4}[-/]\d{1,2}[-/]\d{1,2}",
        r"\d{1,2}[./]\d{1,2}[./]\d{4}",
        rf"(?:the )?\d{{1,2}}{ordinal} {between}(?:{month})(?: {_YEAR})?",
    ]
    if language == "en":
        options.append(rf"(?:{month}) \d{{1,2}}{ordinal}(?: {_YEAR})?")
    return f"(?P<{name}>{'|'.join(options)})"


class _Bad(Exception):  # noqa: N818 (caught here)
    def __init__(self, kind: Literal["bad", "ambiguous"]):
        self.kind: Literal["bad", "ambiguous"] = kind


def _day(text: str, as_of: dt.date) -> dt.date:
    """The day that a date pattern found. Raises :class:`_Bad`."""
    text = text.removeprefix("the ")
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    named = next((_MONTH_NUMBER[w] for w in text.split() if w in _MONTH_NUMBER), None)
    try:
        if named is not None:
            if len(numbers) > 1:
                return dt.date(numbers[1], named, numbers[0])
            guess = dt.date(as_of.year, named, numbers[0])
            return guess if guess <= as_of else dt.date(as_of.year - 1, named, numbers[0])
        if numbers[0] > 31:
            return dt.date(*numbers)
        day, month, year = numbers
        if "/" in text and day <= 12 and day != month:
            raise _Bad("ambiguous")  # the fifth of June, or the sixth of May
        return dt.date(year, month, day)
    except ValueError:
        raise _Bad("bad") from None


def _month(name: str, year: str | None, as_of: dt.date) -> tuple[dt.date, dt.date]:
    number = _MONTH_NUMBER[name]
    if year is None:
        of_year = as_of.year if number <= as_of.month else as_of.year - 1
    else:
        of_year = int(year)
    return dt.date(of_year, number, 1), dt.date(of_year, number, monthrange(of_year, number)[1])


def _shift_month(day: dt.date, months: int) -> dt.date:
    """``months`` earlier or later; the last day of the month where the day does not exist there."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return dt.date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _unit(unit: str, step: int, as_of: dt.date) -> tuple[dt.date, dt.date]:
    """The calendar week, month, quarter or year that lies ``step`` units from the one that holds the as-of date."""
    if unit == "week":
        monday = as_of - dt.timedelta(days=as_of.weekday()) + dt.timedelta(weeks=step)
        return monday, monday + dt.timedelta(days=6)
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = dt.date(as_of.year, (as_of.month - 1) // size * size + 1, 1)
    first = _shift_month(first, step * size)
    return first, _shift_month(first, size) - dt.timedelta(days=1)


_UNITS = {
    "week": "week", "weeks": "week", "month": "month", "months": "month", "quarter": "quarter", "quarters": "quarter",
    "year": "year", "years": "year", "day": "day", "days": "day",
    "woche": "week", "wochen": "week", "monat": "month", "monats": "month", "monate": "month", "monaten": "month",
    "quartal": "quarter", "quartals": "quarter", "quartale": "quarter", "quartalen": "quarter",
    "jahr": "year", "jahres": "year", "jahre": "year", "jahren": "year", "tag": "day", "tage": "day", "tagen": "day",
}  # fmt: skip
_ORDER = {"1": 1, "first": 1, "ersten": 1, "erstes": 1, "2": 2, "second": 2, "zweiten": 2, "zweites": 2, "3": 3,
          "third": 3, "dritten": 3, "drittes": 3, "4": 4, "fourth": 4, "vierten": 4, "viertes": 4}  # fmt: skip

_STEP = {"this": 0, "the current": 0, "current": 0, "last": -1, "the last": -1, "previous": -1, "the previous": -1,
         "past": -1, "the past": -1}  # fmt: skip

Found = tuple[Kind, dt.date | None, dt.date | None]
Reader = Callable[[re.Match[str], dt.date], Found]


def _range_of(match: re.Match[str], as_of: dt.date) -> Found:
    first, last = _day(match["a"], as_of), _day(match["b"], as_of)
    return ("range", first, last) if first <= last else ("backwards", None, None)


def _relative_step(match: re.Match[str]) -> int:
    said = match["step"]
    if said in _STEP:
        return _STEP[said]
    return 0 if said.startswith(("dies", "laufend", "aktuell")) else -1


def _quarter(match: re.Match[str], as_of: dt.date) -> tuple[dt.date, dt.date]:
    number = _ORDER[match["q"]]
    if match["year"]:
        year = int(match["year"])
    else:
        year = as_of.year if number <= (as_of.month + 2) // 3 else as_of.year - 1
    first = dt.date(year, number * 3 - 2, 1)
    return first, _shift_month(first, 3) - dt.timedelta(days=1)


def _last_n(match: re.Match[str], as_of: dt.date) -> Found:
    count = _COUNT.get(match["n"]) or int(match["n"])
    unit = _UNITS[match["unit"]]
    if unit in ("day", "week"):
        first = as_of - dt.timedelta(days=count * (7 if unit == "week" else 1))
    else:
        first = _shift_month(as_of, -count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return "range", first, as_of


def _year(text: str) -> tuple[dt.date, dt.date]:
    return dt.date(int(text), 1, 1), dt.date(int(text), 12, 31)


@functools.cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], Reader]]:
    """What is recognised, the longer before the shorter where one begins with the other."""
    d, a, b = (_date(language, name) for name in "dab")
    month = "|".join(_MONTHS[language].replace(" ", "|").split("|"))
    m, y = f"(?P<m>{month})", f"(?P<year>{_YEAR})"
    n = rf"(?P<n>\d{{1,3}}|{'|'.join(_COUNT)})"

    def day(match: re.Match[str], as_of: dt.date) -> Found:
        return "day", _day(match["d"], as_of), None

    def since(match: re.Match[str], as_of: dt.date) -> Found:
        return "since", _day(match["d"], as_of), None

    def since_month(match: re.Match[str], as_of: dt.date) -> Found:
        return "since", _month(match["m"], match["year"], as_of)[0], None

    def since_year(match: re.Match[str], as_of: dt.date) -> Found:
        return "since", _year(match["year"])[0], None

    def since_start(match: re.Match[str], as_of: dt.date) -> Found:
        return "since", _unit(_UNITS[match["unit"]], 0, as_of)[0], None

    def unclear(match: re.Match[str], as_of: dt.date) -> Found:
        return "ambiguous", None, None

    def month_range(match: re.Match[str], as_of: dt.date) -> Found:
        return "range", *_month(match["m"], match["year"], as_of)

    def month_end(match: re.Match[str], as_of: dt.date) -> Found:
        return "day", _month(match["m"], match["year"], as_of)[1], None

    def year_range(match: re.Match[str], as_of: dt.date) -> Found:
        return "range", *_year(match["year"])

    def year_end(match: re.Match[str], as_of: dt.date) -> Found:
        return "day", _year(match["year"])[1], None

    def quarter(match: re.Match[str], as_of: dt.date) -> Found:
        return "range", *_quarter(match, as_of)

    def relative(match: re.Match[str], as_of: dt.date) -> Found:
        return "range", *_unit(_UNITS[match["unit"]], _relative_step(match), as_of)

    def relative_end(match: re.Match[str], as_of: dt.date) -> Found:
        return "day", _unit(_UNITS[match["unit"]], _relative_step(match), as_of)[1], None

    def year_to_date(match: re.Match[str], as_of: dt.date) -> Found:
        return "since", dt.date(as_of.year, 1, 1), None

    def today(match: re.Match[str], as_of: dt.date) -> Found:
        return "today", as_of, None

    def yesterday(match: re.Match[str], as_of: dt.date) -> Found:
        return "day", as_of - dt.timedelta(days=1), None

    units_en = "(?P<unit>days|weeks|months|years|quarters)"
    units_de = "(?P<unit>tage|tagen|wochen|monate|monaten|jahre|jahren)"
    unit_de = "(?P<unit>jahres|jahr|monats|monat|quartals|quartal|woche)"
    nth_de = "(?P<q>[1-4]|ersten|zweiten|dritten|vierten|erstes|zweites|drittes|viertes)"
    step_en = r"(?P<step>(?:the )?(?:current|last|previous|past)|this)"
    step_de = (
        r"(?P<step>dies(?:e[smrn]?)|laufende[nsmr]?|aktuelle[nsmr]?|letzte[nsmr]?|vorige[nsmr]?|vergangene[nsmr]?)"
    )
    en: list[tuple[str, Reader]] = [
        (rf"(?:from|between) {a} (?:to|until|till|through|and|-) {b}", _range_of),
        (rf"{a} (?:to|until|till|through|-) {b}", _range_of),
        (rf"(?:since|from|starting|starting from) {d}(?: on| onwards| onward)?", since),
        (rf"since (?:the )?(?:beginning|start) of {m}(?: {y})?", since_month),
        (rf"since (?:the )?(?:beginning|start) of {y}", since_year),
        (r"since (?:the )?(?:beginning|start) of (?:the|this) (?P<unit>year|month|quarter|week)", since_start),
        (rf"since {m}(?: {y})?", since_month),
        (rf"since {y}", since_year),
        (r"since (?:the )?last (?:week|month|quarter|year)", unclear),  # since it began, or since one ago
        (r"(?:in |for )?(?:the )?year to date|ytd", year_to_date),
        (
            rf"(?:in |over |during |within |for )?(?:the )?(?:last|past) {n} {units_en}",
            _last_n,
        ),
        (rf"(?:on |at |as of |as at )?(?:the )?end of {m}(?: {y})?", month_end),
        (rf"(?:on |at |as of |as at )?(?:the )?end of {y}", year_end),
        (rf"(?:on |at |as of |as at )?(?:the )?end of {step_en} (?P<unit>year|month|quarter|week)", relative_end),
        (rf"(?:in |during |for |over )?{step_en} (?P<unit>year|month|quarter|week)", relative),
        (rf"(?:in |during |for )?(?:the )?q(?P<q>[1-4])(?: (?:of )?{y})?", quarter),
        (rf"(?:in |during |for )?the (?P<q>first|second|third|fourth) quarter(?: (?:of )?{y})?", quarter),
        (rf"(?:as of|as at|as on|as per|on|per|at|for|dated) {d}", day),
        (rf"(?:in|during|for|of) {m}(?: {y})?", month_range),
        (rf"{m} {y}", month_range),
        (rf"(?:in|during|for) (?:the year )?{y}", year_range),
        (rf"{d}", day),
        (r"(?:as of |on )?today", today),
        (r"(?:as of |on )?yesterday", yesterday),
    ]
    de: list[tuple[str, Reader]] = [
        (rf"(?:vom|von|zwischen|zwischen dem) {a} (?:bis|bis zum|und|und dem|-) {b}", _range_of),
        (rf"{a} (?:bis|bis zum|-) {b}", _range_of),
        (rf"(?:seit|seit dem|ab|ab dem) {d}", since),
        (rf"(?:seit|ab) (?:anfang|beginn) {m}(?: {y})?", since_month),
        (rf"(?:seit|ab) (?:anfang|beginn) {y}", since_year),
        (r"seit (?:anfang|beginn) (?:des|dieses) (?P<unit>jahres|monats|quartals)", since_start),
        (r"seit (?:jahresanfang|jahresbeginn)", year_to_date),
        (r"seit (?:der |dem )?(?:letzte[mrns]?|vorige[mrns]?) (?:woche|monat|quartal|jahr)", unclear),
        (rf"(?:seit|ab) {m}(?: {y})?", since_month),
        (rf"(?:seit|ab) {y}", since_year),
        (rf"(?:in den |in |wahrend der |der |die )?(?:letzten|vergangenen) {n} {units_de}", _last_n),
        (rf"(?:zum |per )?ende {m}(?: {y})?", month_end),
        (rf"(?:zum |per )?(?:ende|jahresende) {y}", year_end),
        (rf"(?:zum |per )?ende (?:des )?{step_de} (?P<unit>jahres|monats|quartals)", relative_end),
        (rf"(?:im |in |in der |in dem |fur |fur das |wahrend )?{step_de} {unit_de}", relative),
        (rf"(?:im |fur )?q(?P<q>[1-4])(?: {y})?", quarter),
        (rf"(?:im |fur das )?{nth_de} quartal(?: {y})?", quarter),
        (rf"(?:mit )?(?:zum|per|am|stand|stand vom|stichtag|zum stichtag|zum stand|vom) {d}", day),
        (rf"(?:im|fur|fur den) (?:monat )?{m}(?: {y})?", month_range),
        (rf"{m} {y}", month_range),
        (rf"(?:im jahr|im jahre|fur das jahr|fur|in) {y}", year_range),
        (rf"{d}", day),
        (r"(?:stand |per )?heute", today),
        (r"(?:stand |per )?gestern", yesterday),
    ]  # fmt: skip
    table = en if language == "en" else de
    return [(re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), reader) for pattern, reader in table]


def find_dates(spoken: list[Word], language: str, as_of: dt.date) -> list[When]:
    """Every date or period in the words of a question, left to right, each the longest that begins there."""
    text = " ".join(word.core for word in spoken)
    starts, at = {}, 0
    for index, word in enumerate(spoken):
        starts[at] = index
        at += len(word.core) + 1
    best: dict[int, When] = {}
    for when in _all(text, starts, language, as_of):
        if when.start not in best or when.end > best[when.start].end:
            best[when.start] = when
    found: list[When] = []
    for start in sorted(best, key=lambda s: (s, -best[s].end)):
        if not found or start >= found[-1].end:
            found.append(best[start])
    return found


def _all(text: str, starts: dict[int, int], language: str, as_of: dt.date) -> Iterator[When]:
    for pattern, reader in _patterns(language):
        for match in pattern.finditer(text):
            start = starts[match.start()]
            end = start + match.group().count(" ") + 1
            try:
                kind, first, last = reader(match, as_of)
            except _Bad as bad:
                kind, first, last = bad.kind, None, None
            except (ValueError, OverflowError):  # a year outside the calendar
                kind, first, last = "bad", None, None
            yield When(kind, start, end, first, last)
