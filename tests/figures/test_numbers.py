"""Typed numbers in any notation."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from footnote_desktop.figures.numbers import Quantity, find, parse
from footnote_desktop.figures.numbers_compare import relation


def one(text: str, lang: str = "en") -> Quantity:
    found = find(text, lang)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "lang", "value"),
    [
        ("1.234", "de", "1234"), ("1.234", "en", "1.234"), ("1,234", "en", "1234"), ("1,234", "de", "1.234"), ("1.234,56", "en", "1234.56"),
        ("1,234.56", "de", "1234.56"), ("48 520 000,00", "pl", "48520000.00"), ("12\u00a0600", "pl", "12600"), ("1'234'567", "de", "1234567"),
        ("0.125", "de", "0.125"), ("1.234.567", "en", "1234567"),
    ],
)  # fmt: skip
def test_notation(text: str, lang: str, value: str) -> None:
    assert parse(text, lang) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "lang", "unit", "value"),
    [
        ("£12,000.00 GBP", "en", "GBP", "12000"), ("EUR 73.9 million", "en", "EUR", "73900000"), ("13,87 Mio. EUR", "de", "EUR", "13870000"),
        ("41.770 TEUR", "de", "EUR", "41770000"), ("3,2 mln zł", "pl", "PLN", "3200000"), ("EUR -1,120 thousand", "en", "EUR", "-1120000"),
        ("forty-eight thousand British Pounds", "en", "GBP", "48000"), ("600 000 zł", "pl", "PLN", "600000"),
    ],
)  # fmt: skip
def test_money(text: str, lang: str, unit: str, value: str) -> None:
    q = one(text, lang)
    assert (q.kind, q.unit, q.low) == ("money", unit, Decimal(value))


@pytest.mark.parametrize(
    ("text", "lang", "kind", "unit", "value"),
    [
        ("7,5%", "pl", "percent", "%", "7.5"), ("40 basis points", "en", "percent", "%", "0.4"), ("drei Prozentpunkte", "de", "points", "pp", "3"),
        ("thirty (30) days", "en", "duration", "day", "30"), ("ten (10) Business Days", "en", "duration", "workday", "10"),
        ("14 dni roboczych", "pl", "duration", "workday", "14"), ("36-miesięczny", "pl", "duration", "month", "36"), ("trzymiesięczny", "pl", "duration", "month", "3"),
        ("sechsunddreißig Monate", "de", "duration", "month", "36"), ("1.240 m²", "de", "measure", "m2", "1240"), ("850 ton", "pl", "measure", "t", "850"),
        ("2.5x", "en", "measure", "x", "2.5"), ("(44,120)", "en", "count", "", "-44120"),
    ],
)  # fmt: skip
def test_types(text: str, lang: str, kind: str, unit: str, value: str) -> None:
    q = one(text, lang)
    assert (q.kind, q.unit, q.low) == (kind, unit, Decimal(value))


@pytest.mark.parametrize(
    ("text", "lang", "first", "last"),
    [
        ("15th day of January, 2023", "en", "2023-01-15", "2023-01-15"), ("January 15, 2023", "en", "2023-01-15", "2023-01-15"),
        ("15.01.2023", "de", "2023-01-15", "2023-01-15"), ("15 stycznia 2023 r.", "pl", "2023-01-15", "2023-01-15"), ("2023-01-15", "en", "2023-01-15", "2023-01-15"),
        ("stycznia 2025 r.", "pl", "2025-01-01", "2025-01-31"), ("czwarty kwartał 2024 r.", "pl", "2024-10-01", "2024-12-31"), ("Q4 2024", "en", "2024-10-01", "2024-12-31"),
        ("w 2024 r.", "pl", "2024-01-01", "2024-12-31"), ("01.01.2024 – 31.12.2024", "de", "2024-01-01", "2024-12-31"), ("Ende 2024", "de", "2024-12-31", "2024-12-31"),
    ],
)  # fmt: skip
def test_dates(text: str, lang: str, first: str, last: str) -> None:
    q = one(text, lang)
    assert (q.kind, q.first, q.last) == ("date", dt.date.fromisoformat(first), dt.date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    ["Section 8.2", "INV-2024-1108", "§ 545", "eu-west-1", "24/7", "PL5252819432", "KRS: 0000845123", "09841234"],
)
def test_identifiers_are_no_quantities(text: str) -> None:
    assert one(text).kind == "identifier"


@pytest.mark.parametrize(
    ("text", "lang", "bound"),
    [
        ("not less than 99.8%", "en", "at_least"), ("up to 180 vehicles", "en", "at_most"), ("shall not exceed 15%", "en", "at_most"), ("more than 5 %", "en", "more_than"),
        ("mindestens 22 %", "de", "at_least"), ("darf 25 % nicht unterschreiten", "de", "at_least"), ("eine Rechnung über 12.000 EUR", "de", "exact"),
        ("nie może przekroczyć 10%", "pl", "at_most"), ("co najmniej 60 dni", "pl", "at_least"), ("ponad 5%", "pl", "more_than"), ("32,000 EUR or less", "en", "at_most"),
    ],
)  # fmt: skip
def test_bounds(text: str, lang: str, bound: str) -> None:
    assert one(text, lang).bound == bound


def test_ranges() -> None:
    q = one("between EUR 76 million and EUR 80 million")
    assert (q.bound, q.low, q.high) == ("between", Decimal(76_000_000), Decimal(80_000_000))
    assert one("99.0% to 99.79%").high == Decimal("99.79")


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("30 days", "30 months", "unit"), ("30 days", "30 business days", "unit"), ("EUR 48,000", "GBP 48,000", "currency"), ("EUR 1", "GBP 2", "value"),
        ("3 years", "36 months", "same"), ("EUR 73.9 million", "EUR 73,912 thousand", "same"), ("EUR 74.0 million", "EUR 73,912 thousand", "value"),
        ("EUR 70 million", "EUR 73,912 thousand", "value"), ("more than EUR 70 million", "EUR 73,912 thousand", "entailed"), ("180", "up to 180", "bound"),
        ("2 percentage points", "2%", "other"), ("January 2023", "15 January 2023", "same"), ("15 January 2023", "January 2023", "coarser"),
        ("£48,000.00 EUR", "£48,000.00", "currency"), ("Section 8.2", "8.2", "other"),
    ],
)  # fmt: skip
def test_relation(claim: str, source: str, expected: str) -> None:
    assert relation(one(claim), one(source)) == expected
