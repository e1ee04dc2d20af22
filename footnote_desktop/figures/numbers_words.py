"""The words that numbers, currencies, scales and units are written with, in English, German and Polish."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

MONTHS: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "january jan januar jänner jan. stycznia styczeń styczniu sty",
        "february feb februar feb. lutego luty lutym lut",
        "march mar märz mär mrz marca marzec marcu",
        "april apr april. kwietnia kwiecień kwietniu kwi",
        "may mai maja maj maju",
        "june jun juni czerwca czerwiec czerwcu cze",
        "july jul juli lipca lipiec lipcu lip",
        "august aug sierpnia sierpień sierpniu sie",
        "september sep sept września wrzesień wrześniu wrz",
        "october oct oktober okt października październik październiku paź",
        "november nov listopada listopad listopadzie lis",
        "december dec dezember dez grudnia grudzień grudniu gru",
    ),
    start=1,
):
    for _name in _names.split():
        MONTHS[_name.rstrip(".")] = _number

#: Currency signs and words, each with its ISO 4217 code. Codes themselves are in ``CODES``.
CURRENCIES: dict[str, str] = {
    "€": "EUR", "£": "GBP", "$": "USD", "us$": "USD", "¥": "JPY", "zł": "PLN", "zl": "PLN", "kč": "CZK", "sfr": "CHF", "fr.": "CHF",
    "euro": "EUR", "euros": "EUR", "eur": "EUR",
    "złoty": "PLN", "złotych": "PLN", "złote": "PLN", "złotego": "PLN", "zlotys": "PLN", "zloty": "PLN",
    "pound": "GBP", "pounds": "GBP", "pfund": "GBP", "funtów": "GBP", "funty": "GBP", "funta": "GBP",
    "british pounds": "GBP", "british pounds sterling": "GBP", "pounds sterling": "GBP", "britische pfund": "GBP",
    "dollar": "USD", "dollars": "USD", "us dollars": "USD", "us-dollar": "USD", "dolarów": "USD", "dolary": "USD",
    "swiss francs": "CHF", "schweizer franken": "CHF", "franken": "CHF", "franków szwajcarskich": "CHF",
    "kronor": "SEK", "yen": "JPY",
}  # fmt: skip
CODES = [
    "AED",
    "AUD",
    "BGN",
    "BRL",
    "CAD",
    "CHF",
    "CLP",
    "CNY",
    "CZK",
    "DKK",
    "EUR",
    "GBP",
    "HKD",
    "HUF",
    "IDR",
    "ILS",
    "INR",
    "ISK",
    "JPY",
    "KRW",
    "MXN",
    "MYR",
    "NOK",
    "NZD",
    "PHP",
    "PLN",
    "RON",
    "RSD",
    "SEK",
    "SGD",
    "THB",
    "TRY",
    "UAH",
    "USD",
    "ZAR",
]
for _code in CODES:
    CURRENCIES[_code.lower()] = _code

SCALES: dict[str, Decimal] = {
    "thousand": Decimal(1000), "thousands": Decimal(1000), "k": Decimal(1000), "tausend": Decimal(1000), "tsd": Decimal(1000),
    "tsd.": Decimal(1000), "tys.": Decimal(1000), "tys": Decimal(1000), "tysięcy": Decimal(1000), "tysiące": Decimal(1000),
    "tysiąc": Decimal(1000), "million": Decimal(10**6), "millions": Decimal(10**6), "m": Decimal(10**6), "mn": Decimal(10**6),
    "mio": Decimal(10**6), "mio.": Decimal(10**6), "millionen": Decimal(10**6), "mln": Decimal(10**6), "mln.": Decimal(10**6),
    "milion": Decimal(10**6), "miliony": Decimal(10**6), "milionów": Decimal(10**6), "miliona": Decimal(10**6),
    "billion": Decimal(10**9), "billions": Decimal(10**9), "bn": Decimal(10**9), "mrd": Decimal(10**9), "mrd.": Decimal(10**9),
    "milliarde": Decimal(10**9), "milliarden": Decimal(10**9), "mld": Decimal(10**9), "mld.": Decimal(10**9),
    "miliard": Decimal(10**9), "miliardy": Decimal(10**9), "miliardów": Decimal(10**9),
}  # fmt: skip
#: A currency with its scale in one word, as German and Polish tables write it.
SCALED_CURRENCIES: dict[str, tuple[Decimal, str]] = {
    "teur": (Decimal(1000), "EUR"), "t€": (Decimal(1000), "EUR"), "keur": (Decimal(1000), "EUR"), "k€": (Decimal(1000), "EUR"),
    "meur": (Decimal(10**6), "EUR"), "m€": (Decimal(10**6), "EUR"), "tpln": (Decimal(1000), "PLN"), "tusd": (Decimal(1000), "USD"),
    "tchf": (Decimal(1000), "CHF"), "kgbp": (Decimal(1000), "GBP"), "£m": (Decimal(10**6), "GBP"), "£k": (Decimal(1000), "GBP"),
    "€m": (Decimal(10**6), "EUR"), "€k": (Decimal(1000), "EUR"), "$m": (Decimal(10**6), "USD"), "£000": (Decimal(1000), "GBP"),
    "€000": (Decimal(1000), "EUR"), "$000": (Decimal(1000), "USD"), "£'000": (Decimal(1000), "GBP"), "€'000": (Decimal(1000), "EUR"),
}  # fmt: skip

#: Pattern of a unit of time, in order; the first that matches wins. A business day is never a day.
DURATIONS: tuple[tuple[str, str], ...] = (
    (r"(?:business|working|bank(?:ing)?)[\s-]days?\b|(?:werk|arbeits|bank|geschäfts)tag\w*|dni\w* robocz\w*|dzień robocz\w*", "workday"),
    (r"(?:calendar[\s-])?days?\b|(?:kalender)?tag(?:e|en|es)?\b|\w{0,4}tägig\w*|(?:dni|dzień|(?<=-)dniow\w*|dnia)\b(?: kalendarzow\w*)?|days['’]", "day"),
    (r"weeks?\b['’]?|wochen?\b|wöchig\w*|tygodni\w*|tydzień|(?<=-)tygodniow\w*", "week"),
    (r"(?:calendar[\s-])?months?\b['’]?|(?:kalender)?monat(?:e|en|s)?\b|monatig\w*|miesi[ąę]c(?!zn)\w*|(?<=-)miesięczn\w*", "month"),
    (r"quarters?\b|quartal(?:e|en|s)?\b|kwartał(?:y|ów|ach|u)?\b", "quarter"),
    (r"(?:calendar[\s-]|contract[\s-])?years?\b['’]?|jahr(?:e|en|es)?\b|jährig\w*|lat(?:a|ach|ami)?\b|rok(?:u|iem)?\b|(?<=-)letni\w*", "year"),
    (r"hours?\b['’]?|stunden?\b|stündig\w*|godzin(?:y|ę|ach|a)?\b|(?<=-)godzinn\w*", "hour"),
    (r"minutes?\b|minuten?\b|minut(?:y|ach|a)?\b", "minute"),
)  # fmt: skip
MEASURES: tuple[tuple[str, str], ...] = (
    (r"m²|m2\b|sqm\b|sq\.? ?m\b|square met(?:re|er)s?|quadratmetern?|metr\w* kwadratow\w*|qm\b", "m2"),
    (r"square f(?:ee|oo)t|sq\.? ?ft\b|ft²|quadratfuß|st[oó]p\w* kwadratow\w*", "ft2"),
    (r"hectares?|hektar\w*|ha\b", "ha"),
    (r"tonnes?\b|tons?\b|tonnen?\b|ton(?:y|a|ę|ach)?\b|t\b", "t"),
    (r"kg\b|kilograms?\b|kilogramm\b|kilogram\w*", "kg"),
    (r"km\b|kilomet\w+", "km"),
    (r"mwh\b|megawattstunden", "MWh"),
    (r"kwh\b|kilowattstunden|kilowatt[\s-]hours?", "kWh"),
    (r"mw\b|megawatt\w*", "MW"),
    (r"°\s?c\b", "°C"),
    (r"lit(?:re|er)s?\b|litr\w*|l\b", "l"),
    (r"x\b|times\b|-?fach\w*|-?krotn\w*|×", "x"),
)

_EN = {
    w: n
    for n, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_EN |= {
    w: 10 * n
    for n, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
_EN_BIG = {"hundred": 100, "thousand": 1000, "million": 10**6}

_DE_UNITS = {
    "null": 0, "ein": 1, "eins": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16,
    "siebzehn": 17, "achtzehn": 18, "neunzehn": 19,
}  # fmt: skip
_DE_TENS = {
    "zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90,
}  # fmt: skip

_PL = {
    "zero": 0, "jeden": 1, "jedna": 1, "jedno": 1, "jednego": 1, "jednej": 1, "dwa": 2, "dwie": 2, "dwóch": 2, "dwom": 2, "dwoma": 2, "dwu": 2,
    "trzy": 3, "trzech": 3, "trzem": 3, "cztery": 4, "czterech": 4, "czterem": 4, "pięć": 5, "pięciu": 5, "sześć": 6, "sześciu": 6,
    "siedem": 7, "siedmiu": 7, "osiem": 8, "ośmiu": 8, "dziewięć": 9, "dziewięciu": 9, "dziesięć": 10, "dziesięciu": 10,
    "jedenaście": 11, "jedenastu": 11, "dwanaście": 12, "dwunastu": 12, "trzynaście": 13, "trzynastu": 13, "czternaście": 14,
    "czternastu": 14, "piętnaście": 15, "piętnastu": 15, "szesnaście": 16, "szesnastu": 16, "siedemnaście": 17, "siedemnastu": 17,
    "osiemnaście": 18, "osiemnastu": 18, "dziewiętnaście": 19, "dziewiętnastu": 19, "dwadzieścia": 20, "dwudziestu": 20,
    "trzydzieści": 30, "trzydziestu": 30, "czterdzieści": 40, "czterdziestu": 40, "pięćdziesiąt": 50, "pięćdziesięciu": 50,
    "sześćdziesiąt": 60, "sześćdziesięciu": 60, "siedemdziesiąt": 70, "siedemdziesięciu": 70, "osiemdziesiąt": 80, "osiemdziesięciu": 80,
    "dziewięćdziesiąt": 90, "dziewięćdziesięciu": 90, "sto": 100, "stu": 100, "dwieście": 200, "dwustu": 200, "trzysta": 300, "trzystu": 300,
    "czterysta": 400, "czterystu": 400, "pięćset": 500, "pięciuset": 500, "sześćset": 600, "siedemset": 700, "osiemset": 800, "dziewięćset": 900,
}  # fmt: skip
_PL_BIG = {
    "tysiąc": 1000, "tysiące": 1000, "tysięcy": 1000, "milion": 10**6, "miliony": 10**6, "milionów": 10**6,
}  # fmt: skip
#: Polish writes a number and its unit in one word: trzymiesięczny, sześciomiesięczny, dwuletni.
PL_PREFIX = {
    "jedno": 1, "dwu": 2, "trzy": 3, "cztero": 4, "pięcio": 5, "sześcio": 6, "siedmio": 7, "ośmio": 8, "dziewięcio": 9, "dziesięcio": 10,
    "dwunasto": 12, "czternasto": 14, "osiemnasto": 18, "dwudziesto": 20, "trzydziesto": 30, "trzydziestosześcio": 36, "sześćdziesięcio": 60,
    "dwudziestocztero": 24,
}  # fmt: skip

QUARTERS: dict[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "pierwsz": 1, "drug": 2, "trzeci": 3,
    "czwart": 4, "i": 1, "ii": 2, "iii": 3, "iv": 4, "1": 1, "2": 2, "3": 3, "4": 4,
}  # fmt: skip


def _german(word: str) -> int | None:
    """One German numeral, written as one word: sechsunddreißig, hundertzwanzig, zweitausend."""
    if word in _DE_UNITS:
        return _DE_UNITS[word]
    if word in _DE_TENS:
        return _DE_TENS[word]
    for name, factor in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(name)
        if found:
            high = 1 if not head else _german(head)
            low = 0 if not tail else _german(tail.removeprefix("und"))
            return None if high is None or low is None or low >= factor else high * factor + low
    head, found, tail = word.partition("und")
    if found and tail in _DE_TENS and 0 < _DE_UNITS.get(head, 0) < 10:
        return _DE_TENS[tail] + _DE_UNITS[head]
    return None


def _simple(words: list[str], small: dict[str, int], big: dict[str, int], joiner: str) -> tuple[int, int] | None:
    total = current = 0
    used = 0
    last = 10**9
    for position, word in enumerate(words):
        if word in small and (small[word] < last or not used):
            # a small number follows a greater one only (thirty six, not six thirty)
            if used and last < 20:
                break
            current, last = current + small[word], small[word]
            if current >= 100 and small[word] < 100 <= current - small[word]:
                last = small[word]
        elif word in big and used:
            if big[word] == 100:
                current *= 100
                last = 100
            else:
                total, current, last = total + (current or 1) * big[word], 0, 10**9
        elif word == joiner and used and position + 1 < len(words) and words[position + 1] in small and last >= 100:
            continue
        else:
            break
        used = position + 1
    return (total + current, used) if used else None


def spelled(words: list[str]) -> tuple[int, int] | None:
    """The number that the first of ``words`` (lower case) spell, and how many words it takes; None if none."""
    if not words:
        return None
    found = _simple(words, _EN, _EN_BIG, "and") or _simple(words, _PL, _PL_BIG, "")
    if words[0] in ("sto", "tysiąc", "hundred", "thousand", "tausend", "hundert") and not found:
        found = {"sto": (100, 1), "tysiąc": (1000, 1), "tausend": (1000, 1), "hundert": (100, 1)}.get(words[0])
    if found:
        return found
    german = _german(words[0])
    return None if german is None else (german, 1)


@lru_cache(maxsize=50_000)
def starts(word: str) -> bool:
    """Whether a number can start with ``word`` (lower case)."""
    return (
        word in _EN
        or word in _PL
        or word in ("tysiąc", "hundred", "thousand", "tausend", "hundert")
        or _german(word) is not None
    )
