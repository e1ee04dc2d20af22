from __future__ import annotations

import datetime as dt

import pytest

from footnote_desktop.answers.when import When, find_dates
from footnote_desktop.answers.words import words

AS_OF = dt.date(2026, 8, 14)


def found(text: str, language: str, as_of: dt.date = AS_OF) -> list[When]:
    return find_dates(words(text), language, as_of)


def said(text: str, language: str, as_of: dt.date = AS_OF) -> tuple[str, str | None, str | None]:
    (when,) = found(text, language, as_of)
    assert (when.start, when.end) == (0, len(words(text))), "not all words were read"
    return (
        when.kind,
        when.first.isoformat() if when.first else None,
        when.last.isoformat() if when.last else None,
    )


@pytest.mark.parametrize(
    ("text", "kind", "first", "last"),
    [
        ("on 2026-05-31", "day", "2026-05-31", None),
        ("as of 31.05.2026", "day", "2026-05-31", None),
        ("31/05/2026", "day", "2026-05-31", None),
        ("on 31 May 2026", "day", "2026-05-31", None),
        ("on the 31st of May", "day", "2026-05-31", None),
        ("on May 31, 2026", "day", "2026-05-31", None),
        ("on 1 September", "day", "2025-09-01", None),
        ("at the end of May", "day", "2026-05-31", None),
        ("end of February 2024", "day", "2024-02-29", None),
        ("at the end of last year", "day", "2025-12-31", None),
        ("today", "today", "2026-08-14", None),
        ("yesterday", "day", "2026-08-13", None),
        ("since 2026-05-01", "since", "2026-05-01", None),
        ("since January", "since", "2026-01-01", None),
        ("since October", "since", "2025-10-01", None),
        ("since 2025", "since", "2025-01-01", None),
        ("since the beginning of the year", "since", "2026-01-01", None),
        ("year to date", "since", "2026-01-01", None),
        ("this year", "range", "2026-01-01", "2026-12-31"),
        ("last year", "range", "2025-01-01", "2025-12-31"),
        ("last month", "range", "2026-07-01", "2026-07-31"),
        ("last quarter", "range", "2026-04-01", "2026-06-30"),
        ("last week", "range", "2026-08-03", "2026-08-09"),
        ("in May", "range", "2026-05-01", "2026-05-31"),
        ("in December", "range", "2025-12-01", "2025-12-31"),
        ("in 2025", "range", "2025-01-01", "2025-12-31"),
        ("in Q2 2026", "range", "2026-04-01", "2026-06-30"),
        ("in the fourth quarter", "range", "2025-10-01", "2025-12-31"),
        ("in the last 30 days", "range", "2026-07-15", "2026-08-14"),
        ("over the past three months", "range", "2026-05-14", "2026-08-14"),
        ("from 2026-01-01 to 2026-06-30", "range", "2026-01-01", "2026-06-30"),
        ("between 1 May and 30 June 2026", "range", "2026-05-01", "2026-06-30"),
        ("on 2026-02-31", "bad", None, None),
        ("on 2026-13-45", "bad", None, None),
        ("on 31.02.2026", "bad", None, None),
        ("from 2026-06-30 to 2026-01-01", "backwards", None, None),
        ("since last month", "ambiguous", None, None),
        ("on 05/06/2026", "ambiguous", None, None),
        ("on 05/05/2026", "day", "2026-05-05", None),
    ],
)
def test_english(text: str, kind: str, first: str | None, last: str | None) -> None:
    assert said(text, "en") == (kind, first, last)


@pytest.mark.parametrize(
    ("text", "kind", "first", "last"),
    [
        ("zum 31.05.2026", "day", "2026-05-31", None),
        ("am 31. Mai 2026", "day", "2026-05-31", None),
        ("per 1.6.2026", "day", "2026-06-01", None),
        ("Ende März", "day", "2026-03-31", None),
        ("zum Jahresende 2025", "day", "2025-12-31", None),
        ("Ende letzten Jahres", "day", "2025-12-31", None),
        ("heute", "today", "2026-08-14", None),
        ("gestern", "day", "2026-08-13", None),
        ("seit 01.07.2026", "since", "2026-07-01", None),
        ("ab Juli", "since", "2026-07-01", None),
        ("seit Jahresbeginn", "since", "2026-01-01", None),
        ("seit Anfang des Monats", "since", "2026-08-01", None),
        ("dieses Jahr", "range", "2026-01-01", "2026-12-31"),
        ("letztes Jahr", "range", "2025-01-01", "2025-12-31"),
        ("im vergangenen Monat", "range", "2026-07-01", "2026-07-31"),
        ("letzte Woche", "range", "2026-08-03", "2026-08-09"),
        ("im Mai", "range", "2026-05-01", "2026-05-31"),
        ("im Jahr 2025", "range", "2025-01-01", "2025-12-31"),
        ("im zweiten Quartal 2026", "range", "2026-04-01", "2026-06-30"),
        ("in den letzten 30 Tagen", "range", "2026-07-15", "2026-08-14"),
        ("vom 01.01.2026 bis 30.06.2026", "range", "2026-01-01", "2026-06-30"),
        ("am 31.02.2026", "bad", None, None),
    ],
)
def test_german(text: str, kind: str, first: str | None, last: str | None) -> None:
    assert said(text, "de") == (kind, first, last)


def test_a_month_before_reaches_the_last_day_that_exists() -> None:
    assert said("over the last 6 months", "en", dt.date(2026, 8, 31))[1] == "2026-02-28"


def test_two_dates_are_two() -> None:
    assert [w.first for w in found("on 2026-05-31 and on 2026-06-30", "en")] == [
        dt.date(2026, 5, 31),
        dt.date(2026, 6, 30),
    ]


@pytest.mark.parametrize(
    "text", ["0000-00-00", "9999-99-99", "on 99.99.9999", "since 0000-01-01", "2026-05-31x", "may"]
)
def test_nothing_is_made_of_what_is_no_date(text: str) -> None:
    assert all(w.kind == "bad" for w in found(text, "en"))
