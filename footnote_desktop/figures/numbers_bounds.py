"""What stands round a number and limits it: at least, up to, more than, until."""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["exact", "at_least", "at_most", "more_than", "less_than", "between", "from", "until"]

_BEFORE: tuple[tuple[Bound, str], ...] = (
    ("at_least", r"at least|not less than|no less than|minimum of|minimum|no fewer than|not fewer than|mindestens|wenigstens|nicht weniger als|"
     r"nicht unter|co najmniej|nie mniej niż|nie mniejsz\w+ niż|minimum|minimalnie|przynajmniej|not below"),
    ("at_most", r"not more than|no more than|not exceed(?:ing)?|not to exceed|at most|up to|maximum of|maximum|max\.?|capped at|limited to|limit of|"
     r"no later than|höchstens|maximal|bis zu|nicht mehr als|nicht über|begrenzt auf|gedeckelt auf|beschränkt auf|nie więcej niż|nie wyższ\w+ niż|"
     r"maksymalnie|maksimum|najwyżej|nie (?:może )?przekroczyć|nie przekracza\w*|nie mogą przekroczyć|nie większ\w+ niż|ograniczon\w+ do|not above|cap of|"
     r"sięgać|sięgnąć|(?<!od )do|not be more than"),
    ("more_than", r"more than|exceed(?:s|ed|ing)?|in excess of|above|over|greater than|mehr als|größer als|übersteigt|überstieg|überschreitet|übertraf|"
     r"ponad|powyżej|więcej niż|przekracza\w*|przekroczy\w*|wyższ\w+ niż"),
    ("less_than", r"less than|fewer than|below|under|weniger als|unter|mniej niż|poniżej|niższ\w+ niż"),
)  # fmt: skip
_BEFORE_RE = [
    (b, re.compile(rf"(?<!\w)(?:{p})\s*(?:the |a |an |a total of |kwot\w+ |einem betrag von |\()?\s*$", re.I))
    for b, p in _BEFORE
]
_AFTER: tuple[tuple[Bound, str], ...] = (
    ("at_least", r"\s*(?:or more|oder mehr|lub więcej|nicht unterschreiten|nicht unterschreitet|minimum\b|at least)"),
    ("at_most", r"\s*(?:or less|maximum\b|at (?:the )?most|oder weniger|lub mniej|nicht übersteigen|nicht überschreiten|nicht übersteigt|"
     r"nicht überschreitet|begrenzt|gedeckelt|beschränkt)"),
    ("more_than", r"\s*(?:überschritten|übersteigt|übersteigen|überschreitet)"),
)  # fmt: skip
_AFTER_RE = [(b, re.compile(p, re.I)) for b, p in _AFTER]
#: After these, "über" names the amount of a document and is no bound: eine Rechnung über 12.000 EUR.
_UEBER = re.compile(r"(?P<word>\S+)\s+über\s*$", re.I)

_FROM = re.compile(
    r"(?<!\w)(?:from|since|as of|as from|starting|commencing|beginning|ab|seit|ab dem|mit wirkung (?:ab|zum|vom)(?: dem)?|vom|od|od dnia|z dniem|"
    r"począwszy od|beginn\w*(?: am)?|after|nach dem|effective)(?: the| on| from)?\s*$", re.I,
)  # fmt: skip
_UNTIL = re.compile(
    r"(?<!\w)(?:until|till|to|by|through|up to|before|no later than|not later than|bis|bis zum|spätestens(?: am| zum)?|vor dem|do|do dnia|"
    r"najpóźniej|przed)(?: the| and including)?\s*$", re.I,
)  # fmt: skip
_TOWARDS = re.compile(
    r"(?:rozszerz|zwiększ|wzrost|wzrós|wzros|podwyż|podnie|podnos|zmniejsz|obniż|spad|zmian|zmieni)\w*\s+(?:\w+\s+){0,2}$",
    re.I,
)
_NEGATED = re.compile(r"(?:not|nicht|nie(?: może| mogą)?|never|must not|may not|shall not)\s+(?:\w+\s+){0,2}$", re.I)


def of_number(text: str, start: int, end: int) -> Bound:
    """The bound that the words before ``start`` or after ``end`` put on the number there."""
    before = text[max(0, start - 40) : start]
    for bound, pattern in _BEFORE_RE:
        found = pattern.search(before)
        if not found:
            continue
        head = before[: found.start()]
        word = found.group().strip().lower()
        # "shall not exceed" is at most; so is "darf nicht mehr als". What "not" turns round is the strict bound only.
        if bound == "more_than" and _NEGATED.search(head):
            return "at_most"
        if bound == "less_than" and _NEGATED.search(head):
            return "at_least"
        if word == "do" and _TOWARDS.search(head):
            return "exact"  # "zwiększyć do 300" says where it ends up
        return bound
    ueber = _UEBER.search(before)
    if (
        ueber
        and not ueber["word"][:1].isupper()
        and ueber["word"].lower() not in ("lautet", "lauten", "von", "punkte", "prozentpunkte")
    ):
        return "more_than"
    for bound, pattern in _AFTER_RE:
        if pattern.match(text, end):
            return bound
    return "exact"


def of_date(text: str, start: int, end: int) -> Bound:
    """Whether a date is a beginning, an end, or the day itself."""
    before = text[max(0, start - 30) : start]
    if _UNTIL.search(before):
        return "until"
    if _FROM.search(before):
        return "from"
    return "exact"
