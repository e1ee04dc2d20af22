"""Which record is meant: a customer resolves before any query runs, or nothing does.

Rules, in this order: the id; the whole name; from the start of a word with at least three letters. A legal form alone
never matches, and another legal form is another company. Case and accents do not matter (Unicode, in Python, so that
every engine agrees); ``%`` and ``_`` are ordinary characters; surrounding space is ignored. None or several matches
resolve to nothing: ambiguity is never resolved by picking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

#: The longest name that is looked for, in characters.
MAX_NAME = 200
#: How many alternatives a refusal lists.
MAX_ALTERNATIVES = 5

# Letters that Unicode does not decompose into a base letter and an accent.
_BASE_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "’": "'", "‘": "'", "ʼ": "'",
     "`": "'", "´": "'", "‐": "-", "‑": "-", "–": "-", "—": "-"}
)  # fmt: skip

# Legal forms without their dots (https://en.wikipedia.org/wiki/List_of_legal_entity_types_by_country).
_LEGAL_FORMS = """
gmbh ggmbh mbh ag kg kgaa ohg gbr ug haftungsbeschrankt se ek ev eg co as asa ab aps oy oyj ltd limited llc inc
incorporated corp corporation company plc llp lp sa sarl sas sasu eurl spa srl srls snc sl slu bv nv vof cv doo dd jd
dooel sp z oo spzoo kk gk pty pte sdn bhd kft zrt nyrt bt sro as ks vos ooo oao zao pao sia uab ou ad eood ead lda sca
scs sprl bvba
"""
LEGAL_FORMS = frozenset(_LEGAL_FORMS.split())


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Lower case without accents, in the sense of Unicode: what two spellings of one name have in common."""
    # Twice, because decomposing can bring a letter forth that has a case (Unicode 3.13, D146).
    decomposed = unicodedata.normalize("NFD", text)
    for _ in range(2):
        decomposed = unicodedata.normalize("NFKD", decomposed.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(bare.translate(_BASE_LETTERS).split())


def words(folded: str) -> list[str]:
    """The words of a folded name without their punctuation: ``d.o.o.`` is one word, ``doo``."""
    return [w for w in (re.sub(r"[^\w+&]", "", part) for part in folded.split()) if w]


def is_legal_form(folded: str) -> bool:
    """Whether nothing but legal forms (and "&") stands there."""
    return all(word in LEGAL_FORMS or word in {"&", "und", "and"} for word in words(folded))


@lru_cache(maxsize=200_000)
def core(folded: str) -> str:
    """A folded name without the legal form at its end."""
    parts = folded.split()
    while len(parts) > 1 and is_legal_form(parts[-1]):
        parts.pop()
    return " ".join(parts).rstrip(",& ")


@dataclass(frozen=True, slots=True)
class Customer:
    """Who owes: the ERP's own id (a number or text) and name."""

    id: int | str
    name: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name resolves to: exactly one customer, or none and the real alternatives, nearest first."""

    customer: Customer | None
    ambiguous: bool = False
    alternatives: tuple[str, ...] = ()


def matching(customers: Sequence[Customer], text: str) -> list[Customer]:
    """All customers that ``text`` may mean, in record order; the first rule that matches anyone decides."""
    query = fold(text)
    if not query or len(query) > MAX_NAME or any(unicodedata.category(c) in ("Cc", "Cs") for c in query):
        return []
    by_id = [c for c in customers if _is_id(c.id, query)]
    if by_id:
        return by_id
    whole = [c for c in customers if fold(c.name) == query]
    if whole:
        return whole
    if is_legal_form(query):
        return []
    long_enough = sum(c.isalnum() for c in query) >= 3
    found = []
    for customer in customers:
        name = fold(customer.name)
        if (long_enough and _starts_a_word(name, query)) or core(name) == query:
            found.append(customer)
    return found


def _is_id(record_id: int | str, query: str) -> bool:
    if isinstance(record_id, int):
        return query.isascii() and query.isdigit() and query.lstrip("0") == str(record_id)
    return fold(record_id) == query


def _starts_a_word(name: str, query: str) -> bool:
    at = name.find(query)
    while at >= 0:
        if at == 0 or not name[at - 1].isalnum():
            return True
        at = name.find(query, at + 1)
    return False


def resolve(customers: Sequence[Customer], text: str) -> Resolution:
    """The one customer that ``text`` means, or the alternatives to choose from."""
    found = matching(customers, text)
    if len(found) == 1:
        return Resolution(found[0])
    if found:
        return Resolution(None, ambiguous=True, alternatives=labels(found, customers)[:MAX_ALTERNATIVES])
    return Resolution(None, alternatives=nearest(customers, text))


def labels(chosen: Iterable[Customer], customers: Sequence[Customer]) -> tuple[str, ...]:
    """Names to choose from; with the id where another customer bears the same name."""
    seen: dict[str, int] = {}
    for customer in customers:
        seen[fold(customer.name)] = seen.get(fold(customer.name), 0) + 1
    return tuple(f"{c.name} (id {c.id})" if seen[fold(c.name)] > 1 else c.name for c in chosen)


def nearest(customers: Sequence[Customer], text: str) -> tuple[str, ...]:
    """Up to five existing names, the likeliest first."""
    from rapidfuzz import fuzz, process

    query = core(fold(text[:MAX_NAME]))
    scored = process.extract(query, [core(fold(c.name)) for c in customers], scorer=fuzz.WRatio, limit=MAX_ALTERNATIVES)
    return labels((customers[index] for _, _, index in scored), customers)
