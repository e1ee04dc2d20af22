"""Money: exact, per currency; and the one place that formats amounts, counts and dates for people.

Amounts are :class:`decimal.Decimal` in the currency's unit, or whole minor units; no float ever touches them.
Formatting is Babel's (CLDR), after rounding once, half away from zero: Babel itself would round half to even.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

#: Wide enough that no sum of a ledger is rounded by the context (the default would be 28 digits).
EXACT = Context(prec=120, rounding=ROUND_HALF_UP)

_ISO_CURRENCY = re.compile(r"[A-Z]{3}")


class NotMoney(ValueError):  # noqa: N818 (it says what the value is not)
    """A value read as an amount is not one: a float, text, not a number."""


def digits(currency: str) -> int:
    """Decimal digits of the currency's minor unit (ISO 4217, as CLDR has it): EUR 2, JPY 0, TND 3."""
    return _digits(currency)


@lru_cache(maxsize=256)
def _digits(currency: str) -> int:
    from babel.numbers import get_currency_precision

    return int(get_currency_precision(currency)) if _ISO_CURRENCY.fullmatch(currency) else 2


def from_minor(minor: object, currency: str) -> Decimal:
    """Whole minor units (an int, or a Decimal without fraction) as an amount in the currency's unit."""
    if isinstance(minor, bool) or not isinstance(minor, int | Decimal):
        raise NotMoney(f"{minor!r} is not a whole number of minor units")
    number = Decimal(minor)
    if not number.is_finite() or number != number.to_integral_value(context=EXACT):
        raise NotMoney(f"{minor!r} is not a whole number of minor units")
    return number.scaleb(-_digits(currency), context=EXACT)


def to_minor(amount: Decimal, currency: str) -> int:
    """An amount in minor units, rounded half away from zero where it has more digits than the currency."""
    return int(amount.scaleb(_digits(currency), context=EXACT).to_integral_value(ROUND_HALF_UP, context=EXACT))


def plain(amount: Decimal, currency: str) -> str:
    """The amount as exact text in the currency's unit, never in exponent form: ``18450.00``."""
    places = max(_digits(currency), -int(amount.as_tuple().exponent))
    return f"{amount.quantize(Decimal(1).scaleb(-places), context=EXACT):f}"


def total(amounts: Any) -> Decimal:
    """The exact sum of an iterable of Decimals of one currency."""
    result = Decimal(0)
    for amount in amounts:
        result = EXACT.add(result, amount)
    return result


class Formatter:
    """Formats for one locale. Patterns are parsed once: a table of thousands of rows must not parse them again."""

    def __init__(self, locale: str):
        from babel import Locale

        self.locale = Locale.parse(locale.replace("-", "_"))
        self._currency = self.locale.currency_formats["standard"]
        self._cache: dict[tuple[Decimal, str], str] = {}

    def money(self, amount: Decimal, currency: str) -> str:
        """``Decimal('43805'), 'EUR'`` → ``43.805,00 €`` (de_DE). Rounds half away from zero to the currency's digits.

        A code that is not an ISO 4217 currency is shown as it is, after the amount.
        """
        key = (amount, currency)
        known = self._cache.get(key)
        if known is None:
            quantum = Decimal(1).scaleb(-_digits(currency))
            rounded = amount.quantize(quantum, rounding=ROUND_HALF_UP, context=EXACT)
            if not rounded:
                rounded = abs(rounded)  # minus nothing is nothing
            known = self._currency.apply(rounded, self.locale, currency=currency, currency_digits=True)
            if len(self._cache) > 20_000:
                self._cache.clear()
            self._cache[key] = known
        return known

    def count(self, number: int) -> str:
        """A whole number with the locale's grouping: ``1.204``."""
        from babel.numbers import format_decimal

        return str(format_decimal(number, locale=self.locale))

    def date(self, day: dt.date) -> str:
        """A calendar date as the locale writes it with a full year: ``14.08.2026``."""
        return _format_date(day, str(self.locale))


@lru_cache(maxsize=4096)
def _format_date(day: dt.date, locale: str) -> str:
    from babel.dates import format_date

    return str(format_date(day, format="medium", locale=locale))


@lru_cache(maxsize=16)
def formatter(locale: str) -> Formatter:
    """The formatter of a locale such as ``de_DE``. Raises ``ValueError`` for one that does not exist."""
    from babel import UnknownLocaleError

    try:
        return Formatter(locale)
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"the locale {locale!r} is not known; write it like de_DE or en_GB") from error


def plain_minor(minor: int, places: int) -> str:
    """Whole minor units as exact text in the unit, without going through Decimal: ``1845000, 2`` → ``18450.00``."""
    if not places:
        return str(minor)
    digits_text = str(abs(minor)).rjust(places + 1, "0")
    return f"{'-' if minor < 0 else ''}{digits_text[:-places]}.{digits_text[-places:]}"
