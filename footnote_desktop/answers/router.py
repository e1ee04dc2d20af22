"""From a question to an operation: deterministic, English and German, no model.

A question is answered only when a form of the lexicon covers all of it, its customer resolves as a whole name, and
the operation honours its date or period exactly. Everything else is declined, naming the part that stood in the way
(:mod:`footnote_desktop.answers.decline`); nothing is left out, and no narrower or wider question is answered instead.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from footnote_desktop.answers.forms import LANGUAGES, Form, Lexicon, lexicon
from footnote_desktop.answers.when import When, find_dates
from footnote_desktop.answers.words import NAME, WHEN, Word, fold, slice_of, words
from footnote_desktop.catalog import entities
from footnote_desktop.catalog.entities import Customer, Resolution, core
from footnote_desktop.provenance.evidence import JsonValue

#: Longer questions are not read, in characters: a question is a sentence.
MAX_QUESTION = 2_000
MAX_WORDS = 100
#: How many words before and after those that a form took for a name may belong to the name; and from how many on
#: no shorter name is looked for among them.
_AROUND, _LONG = 3, 12

OPERATIONS = {
    "owe": "getOverdueInvoices",
    "payments": "getPaymentHistory",
    "tickets": "getOpenTickets",
    "aging": "getReceivablesAging",
    "summary": "getCustomerSummary",
    "risk": "getCustomerSummary",
    "statement": "getCustomerStatement",
    "top": "getTopDebtors",
    "invoice": "getInvoice",
    "find": "findCustomers",
    "verify": "verifyProvenanceChain",
}


@dataclass(frozen=True, slots=True)
class Route:
    """What to run for a question, and how its answer is to be told."""

    operation: str
    arguments: Mapping[str, JsonValue]
    language: str
    intent: str
    focus: str | None = None
    notes: tuple[str, ...] = ()
    asked: Customer | None = None  #: with an invoice: the customer it was said to be of


@dataclass(frozen=True, slots=True)
class Declined:
    """Why a question is not answered. ``alternatives`` are real names (or numbers), nearest first, or questions that
    would be answered; ``suggestions`` are always whole questions."""

    kind: str
    reason: str
    language: str
    alternatives: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question, its words, and what it is asked against."""

    text: str
    words: tuple[Word, ...]
    customers: Sequence[Customer]
    as_of: dt.date
    today: dt.date
    known: dict[str, Resolution] = field(default_factory=dict)

    def said(self, start: int, end: int) -> str:
        """What was typed for the words ``start`` to ``end`` (exclusive)."""
        return slice_of(self.text, list(self.words[start:end]))

    def resolve(self, name: str) -> Resolution:
        """What a name resolves to. Where to nothing, no alternatives are looked for: most tries are no names."""
        if name not in self.known:
            folded = entities.fold(name)
            possible = any(part and part in self._all_names for part in (folded, folded.lstrip("0")))
            found = entities.matching(self.customers, name) if possible else []
            if len(found) > 1:
                self.known[name] = entities.resolve(self.customers, name)
            else:
                self.known[name] = Resolution(found[0] if found else None)
        return self.known[name]

    @cached_property
    def _all_names(self) -> str:
        """All ids and names in one text: what does not occur in it names nobody, among however many customers."""
        return "\n".join(f"{entities.fold(str(c.id))}\n{entities.fold(c.name)}" for c in self.customers)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which a form covers the question. ``slots`` are spans of words."""

    form: Form
    lexicon: Lexicon
    when: When | None
    slots: Mapping[str, tuple[int, int]]
    rest: frozenset[str]  #: the folded words outside the slots


@dataclass(frozen=True, slots=True)
class Missed:
    """A reading that fits but for one thing; ``kind`` is the key of its reason in the lexicon."""

    kind: str
    reading: Reading
    start: int = 0
    end: int = 0
    alternatives: tuple[str, ...] = ()


def route(question: str, customers: Sequence[Customer], *, as_of: dt.date, today: dt.date) -> Route | Declined:
    """The operation that answers exactly this question, or why none does.

    ``customers`` in record order; ``as_of`` is the date that holds where the question names none, ``today`` the
    calendar's: a later day is the future.
    """
    from footnote_desktop.answers import decline

    spoken = tuple(words(question)) if len(question) <= MAX_QUESTION else ()
    asked = Question(question, spoken, customers, as_of, today)
    if not spoken or len(spoken) > MAX_WORDS:
        return decline.unreadable(asked)
    routes: dict[str, Route] = {}
    missed: list[Missed] = []
    for language in LANGUAGES:
        for reading in readings(asked, lexicon(language)):
            outcome = _bind(asked, reading)
            if isinstance(outcome, Route):
                routes.setdefault(f"{outcome.operation} {sorted(outcome.arguments.items())}", outcome)
            else:
                missed.append(outcome)
    if len(routes) > 1:  # "Is C1042 overdue?": what is a customer's name is no invoice number
        routes = {key: r for key, r in routes.items() if r.intent != "invoice"} or routes
    if len(routes) == 1:
        return next(iter(routes.values()))
    if routes:
        return decline.two_readings(asked, list(routes.values()))
    return decline.explain(asked, missed)


# -- how forms cover a question ------------------------------------------------------------------------------------


def readings(asked: Question, lex: Lexicon) -> Iterator[Reading]:
    """Every way in which a form of the lexicon covers all words of the question, at most one date taken out."""
    for when in (None, *find_dates(list(asked.words), lex.language, asked.as_of)):
        tokens: list[tuple[str, int, int]] = []
        for index, word in enumerate(asked.words):
            if when is None or not when.start <= index < when.end:
                tokens.append((word.core, index, index + 1))
            elif index == when.start:
                tokens.append((WHEN, when.start, when.end))
        for form, slots in _covering(tokens, lex):
            taken = {i for start, end in slots.values() for i in range(start, end)}
            rest = frozenset(core_ for core_, start, _ in tokens if start not in taken)
            yield Reading(form, lex, when, slots, rest)


def _covering(tokens: list[tuple[str, int, int]], lex: Lexicon) -> Iterator[tuple[Form, dict[str, tuple[int, int]]]]:
    text = "".join(f"{core_} " for core_, _, _ in tokens)
    starts, at = {}, 0
    for number, (core_, _, _) in enumerate(tokens):
        starts[at] = number
        at += len(core_) + 1
    starts[at] = len(tokens)
    lead = lex.lead.match(text)
    begins = {0, lead.end() if lead else 0}
    ends = {len(text), min((s for s in starts if lex.tail.fullmatch(text, s)), default=len(text))}
    for begin in sorted(begins):
        for end in sorted(ends, reverse=True):
            for form in lex.forms:
                match = form.pattern.fullmatch(text, begin, end)
                if match is None:
                    continue
                slots = {}
                for name, value in match.groupdict().items():
                    if value is not None:
                        first, after = starts[match.start(name)], starts[match.end(name)]
                        slots[name] = (tokens[first][1], tokens[after - 1][2])
                yield form, slots


# -- what a reading asks for ---------------------------------------------------------------------------------------


def _bind(asked: Question, reading: Reading) -> Route | Missed:
    """The operation and its arguments, or what stands in the way."""
    intent = reading.form.intent
    arguments: dict[str, JsonValue] = {}
    customer: Customer | None = None
    for slot in ("customer", "owner"):
        if slot in reading.slots:
            found = _customer(asked, reading, slot)
            if isinstance(found, Missed):
                return found
            customer = found
            arguments["customer"] = str(customer.id)
    if intent == "invoice":
        start, end = reading.slots.get("invoice") or reading.slots["number"]
        arguments = {"number": asked.said(start, end)}
    elif intent == "find":
        arguments = {"query": asked.said(*reading.slots["text"])}
    elif "n" in reading.slots:
        start, end = reading.slots["n"]
        limit = int(asked.words[start].core)
        if not 1 <= limit <= 100:
            return Missed("limit", reading, start, end)
        arguments["limit"] = limit
    dated = _date_arguments(asked, reading, intent)
    if isinstance(dated, Missed):
        return dated
    arguments.update(dated)
    notes = [reading.form.note] if reading.form.note else []
    lex = reading.lexicon
    lists_open = all(reading.rest & spoken for spoken in (lex.items, lex.listing, lex.open))
    if intent == "owe" and lists_open and not reading.rest & lex.overdue:
        notes.append("open_list")
    if reading.when is not None and reading.when.kind == "today" and asked.as_of != asked.today:
        notes.append("today_is_as_of")
    return Route(
        OPERATIONS[intent],
        arguments,
        lex.language,
        intent,
        reading.form.focus,
        tuple(notes),
        customer if intent == "invoice" else None,
    )


def _date_arguments(asked: Question, reading: Reading, intent: str) -> dict[str, JsonValue] | Missed:
    """The arguments that honour the question's date exactly, or why none do."""
    when = reading.when
    if when is None:
        if intent in ("owe", "aging", "top") and reading.rest & reading.lexicon.past:
            at = next(i for i, word in enumerate(asked.words) if word.core in reading.lexicon.past)
            return Missed("past_undated", reading, at, at + 1)
        return Missed("statement_period", reading) if intent == "statement" else {}

    def missed(kind: str) -> Missed:
        return Missed(kind, reading, when.start, when.end)

    if when.kind in ("bad", "backwards", "ambiguous"):
        return missed(f"{when.kind}_date")
    assert when.first is not None
    if when.first > max(asked.as_of, asked.today):
        return missed("future")
    first = when.first.isoformat()
    is_now = when.kind == "today" or (when.kind == "day" and when.first == asked.as_of)
    if intent in ("owe", "aging", "top"):
        if when.kind in ("since", "range"):
            return missed("period_balance")
        return {} if when.kind == "today" else {"asOfDate": first}
    if intent == "payments":
        to_now = when.kind == "range" and when.last is not None and when.first <= asked.as_of <= when.last
        if is_now or when.kind == "since" or to_now:
            return {"sinceDate": first}
        return missed("period_payments" if when.kind == "range" else "point_payments")
    if intent == "statement":
        if when.kind in ("today", "day"):
            return missed("statement_point")
        last = asked.as_of if when.last is None else when.last
        if when.first <= asked.as_of < last and not _names_both_days(asked, when):
            last = asked.as_of  # "this year" is the year so far
        return {"fromDate": first, "toDate": last.isoformat()}
    return {} if is_now else missed("no_date")


def _names_both_days(asked: Question, when: When) -> bool:
    return sum(any(c.isdigit() for c in word.core) for word in asked.words[when.start : when.end]) > 1


def _customer(asked: Question, reading: Reading, slot: str) -> Customer | Missed:
    """The customer that a slot names: the longest words that are a name decide."""
    start, end = reading.slots[slot]
    for first, after in _spans(asked, reading, slot):
        found = name_in(asked, reading.lexicon, first, after, genitive=slot == "owner")
        if found.customer is not None:
            return found.customer
        if found.ambiguous:
            return Missed("ambiguous", reading, first, after, found.alternatives)
    return Missed("not_found", reading, start, end)


def _spans(asked: Question, reading: Reading, slot: str) -> list[tuple[int, int]]:
    """Spans of words that the form takes as the name, longest first: "The Company Store" is one name, while of
    "statement of account for Bergmann" the name is the last word."""
    start, end = reading.slots[slot]
    when = reading.when
    spans = []
    for first in range(max(0, start - _AROUND), end):
        for after in range(max(first, start) + 1, min(len(asked.words), end + _AROUND) + 1):
            if end - start > _LONG and (first > start or after < end):
                continue
            if when is not None and first < when.end and when.start < after:
                continue
            if (first, after) == (start, end) or _fits(asked, reading, slot, first, after):
                spans.append((first, after))
    return sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def _fits(asked: Question, reading: Reading, slot: str, first: int, after: int) -> bool:
    """Whether the form still covers the question when these words are its name."""
    tokens = []
    for index, word in enumerate(asked.words):
        if reading.when is not None and reading.when.start <= index < reading.when.end:
            if index == reading.when.start:
                tokens.append(WHEN)
        elif first <= index < after:
            if index == first:
                tokens.append(NAME)
        else:
            tokens.append(word.core)
    text = "".join(f"{core_} " for core_ in tokens)
    lex = reading.lexicon
    lead = lex.lead.match(text)
    for begin in {0, lead.end() if lead else 0}:
        match = reading.form.pattern.match(text, begin)
        if match and match.groupdict().get(slot) == f"{NAME} " and lex.tail.fullmatch(text, match.end()):
            return True
    return False


_LABELLED = re.compile(r"(?P<name>.+?) \(id (?P<id>[^()]+)\)")


def name_in(asked: Question, lex: Lexicon, first: int, after: int, *, genitive: bool) -> Resolution:
    """What the words ``first`` to ``after`` (exclusive) resolve to, as a customer's name.

    In the genitive also without its ending. Words that a question is made of ("overdue", "the") name a customer only
    if they are its whole name: a customer called "Over" must not swallow every question with "overdue".
    """
    said = asked.said(first, after)
    spellings = [said, said.rstrip(".")]
    if genitive:
        bare = said.rstrip(".")
        lowered = fold(bare)
        if lowered.endswith("'s"):
            spellings.append(bare[:-2])
        elif lowered.endswith(("'", "s")):
            spellings.append(bare[:-1])
    labelled = _LABELLED.fullmatch(said)
    if labelled:
        spellings.append(labelled["id"])
    for spelling in dict.fromkeys(s for s in spellings if s.strip()):
        result = asked.resolve(spelling)
        if result.customer is not None and labelled and spelling == labelled["id"]:
            if fold(result.customer.name) == fold(labelled["name"]):
                return result
            continue
        if result.customer is not None or result.ambiguous:
            common = all(word.core in lex.vocabulary for word in asked.words[first:after])
            if common and not _whole_name(result, spelling):
                continue
            return result
    return Resolution(None)


def _whole_name(found: Resolution, spelling: str) -> bool:
    if found.customer is None:
        return False
    said, name = fold(spelling), fold(found.customer.name)
    return said in (name, core(name), fold(str(found.customer.id)))
