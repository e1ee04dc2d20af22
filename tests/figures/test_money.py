"""Money is exact, per currency, and rounded once, half away from zero, for display only."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_desktop.figures import money

AMOUNTS = st.integers(-(10**30), 10**30)
CURRENCIES = st.sampled_from(["EUR", "USD", "JPY", "TND", "HUF", "XYZ"])


@given(AMOUNTS, CURRENCIES)
def test_minor_units_go_there_and_back(minor: int, currency: str) -> None:
    amount = money.from_minor(minor, currency)
    assert money.to_minor(amount, currency) == minor
    assert Decimal(money.plain(amount, currency)) == amount
    assert money.plain(amount, currency) == money.plain_minor(minor, money.digits(currency))
    assert "E" not in money.plain(amount, currency)


@given(st.lists(AMOUNTS, max_size=20))
def test_sums_are_exact_at_any_size(minors: list[int]) -> None:
    assert money.to_minor(money.total(money.from_minor(m, "EUR") for m in minors), "EUR") == sum(minors)


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        ("43805", "EUR", "43.805,00\u00a0€"),
        ("0.005", "EUR", "0,01\u00a0€"),
        ("-0.005", "EUR", "-0,01\u00a0€"),
        ("2.675", "EUR", "2,68\u00a0€"),  # half to even, and binary floats, would say 2,67
        ("2.665", "EUR", "2,67\u00a0€"),
        ("-0.004", "EUR", "0,00\u00a0€"),
        ("1500000.5", "JPY", "1.500.001\u00a0¥"),
        ("1.2345", "TND", "1,235\u00a0TND"),
        ("5", "XYZ", "5,00\u00a0XYZ"),
    ],
)
def test_display(amount: str, currency: str, shown: str) -> None:
    assert money.formatter("de_DE").money(Decimal(amount), currency) == shown


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**12), max_value=10**12))
def test_display_rounds_half_away_from_zero(amount: Decimal) -> None:
    shown = money.formatter("en_US").money(amount, "USD")
    digits = shown.replace("$", "").replace(",", "")
    assert Decimal(digits) == amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


@pytest.mark.parametrize(
    "value", [1.5, 0.1 + 0.2, "12", None, True, Decimal("1.5"), Decimal("NaN"), Decimal("Infinity")]
)
def test_what_is_no_whole_number_of_minor_units_is_no_money(value: object) -> None:
    with pytest.raises(money.NotMoney):
        money.from_minor(value, "EUR")


def test_dates_and_counts_follow_the_locale() -> None:
    assert money.formatter("de_DE").date(dt.date(2026, 8, 14)) == "14.08.2026"
    assert money.formatter("de-DE").count(1204) == "1.204"
    assert money.formatter("en_US").date(dt.date(2026, 8, 14)) == "Aug 14, 2026"
    with pytest.raises(ValueError, match="write it like de_DE"):
        money.formatter("klingon_XX")
