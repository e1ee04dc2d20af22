"""Why a question is not answered, naming the part that stood in the way, and what could be asked instead."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote_desktop.answers.forms import LANGUAGES, Lexicon, lexicon
from footnote_desktop.answers.router import MAX_QUESTION, Declined, Missed, Question, Route, name_in
from footnote_desktop.answers.when import When, find_dates
from footnote_desktop.answers.words import visible
from footnote_desktop.catalog.entities import Customer, labels, nearest

#: How much of what was typed a reason repeats, in characters.
_SHOWN = 120
#: The longest name looked for among words that no form covers, in words, and how many spans are tried.
_LONGEST_NAME = 8
_MOST_SPANS = 60

_AND = {"and", "or", "und", "oder", "sowie", "vs", "versus", "plus", "than", "als"}


@dataclass(frozen=True, slots=True)
class Part:
    """Words ``start`` to ``end`` (exclusive) of the question, and what is wrong with them."""

    kind: str
    start: int
    end: int


def unreadable(asked: Question) -> Declined:
    """For a question without words, or with too many."""
    lex = lexicon("en")
    if len(asked.text) > MAX_QUESTION or asked.words:
        reason = lex.reasons["too_long"].format(length=len(asked.text), limit=MAX_QUESTION)
        return Declined("too_long", reason, "en")
    example = asked.customers[0].name if asked.customers else "…"
    suggestions = _suggest(asked, lex, (), None)
    return Declined("empty", lex.reasons["empty"].format(example=visible(example)), "en", suggestions, suggestions)


def two_readings(asked: Question, routes: Sequence[Route]) -> Declined:
    lex = lexicon(routes[0].language)
    readings = "; ".join(sorted({f"{r.operation} {dict(r.arguments)}" for r in routes}))
    suggestions = tuple(dict.fromkeys(s for r in routes for s in _for_route(asked, lex, r)))[:5]
    return Declined(
        "two_readings", lex.reasons["two_readings"].format(readings=readings), lex.language, suggestions, suggestions
    )


def explain(asked: Question, missed: Sequence[Missed]) -> Declined:
    """The reason for a question that no reading answers: the nearest miss, or the parts that nothing covers."""
    for kinds in (("ambiguous",), _ABOUT_DATES):
        for miss in missed:
            if miss.kind in kinds:
                return _near_miss(asked, miss)
    lex = lexicon(_language(asked))
    dates = find_dates(list(asked.words), lex.language, asked.as_of)
    for when in dates:
        if when.first is None:
            return _said(asked, lex, f"{when.kind}_date", when.start, when.end)
    unserved = _unserved(asked, lex, dates)
    named = [
        m
        for m in missed
        if m.kind == "not_found"
        and not any(_overlap(m, when) for when in dates)
        and any(asked.words[i].core not in lex.vocabulary for i in range(m.start, m.end))
    ]
    if named and not unserved:
        return _no_such_customer(asked, min(named, key=lambda m: m.end - m.start), dates)
    return _parts(asked, lex, dates, unserved)


# -- a reading that fits but for one thing -------------------------------------------------------------------------

_ABOUT_DATES = (
    "bad_date", "backwards_date", "ambiguous_date", "future", "period_balance", "period_payments", "point_payments",
    "no_date", "past_undated", "statement_period", "statement_point", "limit",
)  # fmt: skip


def _near_miss(asked: Question, miss: Missed) -> Declined:
    lex = miss.reading.lexicon
    if miss.kind == "ambiguous":
        return _entity(asked, lex, "ambiguous", miss.start, miss.end, miss.alternatives)
    customer = None
    for slot in ("customer", "owner"):
        if slot in miss.reading.slots:
            customer = name_in(asked, lex, *miss.reading.slots[slot], genitive=slot == "owner").customer
    return _said(asked, lex, miss.kind, miss.start, miss.end, customer, miss.reading.form.intent, miss.reading.when)


def _said(
    asked: Question,
    lex: Lexicon,
    kind: str,
    start: int,
    end: int,
    customer: Customer | None = None,
    intent: str | None = None,
    when: When | None = None,
) -> Declined:
    part = _quote(asked, start, end) if end > start else ""
    first, last = dt.date(asked.as_of.year, 1, 1), asked.as_of
    if kind == "period_payments" and when is not None and when.first and when.last:
        first, last, intent = when.first, when.last, "statement"
    example = (when.last if when and when.last and when.last <= asked.as_of else asked.as_of).isoformat()
    reason = lex.reasons[kind].format(part=part, example=example, first=first.isoformat(), last=last.isoformat())
    suggestions = _suggest(asked, lex, (customer,) if customer else (), intent, first, last)
    if kind == "period_balance":
        on = {"en": "on", "de": "am"}[lex.language]
        before, after = asked.text[: asked.words[start].start], asked.text[asked.words[end - 1].end :]
        mark = "?" if asked.text[: asked.words[end - 1].end].endswith("?") else ""
        suggestions = (visible(f"{before}{on} {example}{mark}{after}"), *suggestions)
    return Declined(kind, reason, lex.language, suggestions, suggestions)


def _no_such_customer(asked: Question, miss: Missed, dates: Sequence[When]) -> Declined:
    """A form covers the question, but what stands for its customer names none."""
    lex, start, end = miss.reading.lexicon, miss.start, miss.end
    inside = _customers_among(asked, lex, start, end)
    divided = [
        i for i in range(start + 1, end) if asked.words[i].core in _AND or asked.text[asked.words[i - 1].end - 1] == ","
    ]
    if inside and divided:
        others = [i for i in divided if i >= inside[0][1]] or divided
        at = others[0] + (asked.words[others[0]].core in _AND)
        if at < end:
            return _listed(asked, lex, [Part("second_customer", at, end)], [c for _, _, c in inside])
    if inside:
        (first, after, customer), *_ = inside
        outside = [i for i in range(start, end) if not first <= i < after]
        unknown = [i for i in outside if asked.words[i].core not in lex.vocabulary]
        if not unknown:
            return _as_a_whole(asked, lex, dates, [customer])
        parted = any(i not in unknown for i in outside) or _is_genitive(asked, after)
        if parted or (_is_capital(asked, [first]) and not _is_capital(asked, unknown)):
            return _listed(asked, lex, [Part("unknown", min(unknown), max(unknown) + 1)], [customer])
    return _entity(asked, lex, "not_found", start, end, nearest(asked.customers, asked.said(start, end)))


def _is_capital(asked: Question, indexes: Sequence[int]) -> bool:
    """Whether any of these words was typed with a capital, as names are."""
    return any(asked.text[asked.words[i].start].isupper() for i in indexes)


def _is_genitive(asked: Question, after: int) -> bool:
    return asked.words[after - 1].core.endswith(("'s", "'"))


def _entity(asked: Question, lex: Lexicon, kind: str, start: int, end: int, names: Sequence[str]) -> Declined:
    reason = lex.reasons[kind].format(part=_quote(asked, start, end))
    before, after = asked.text[: asked.words[start].start], asked.text[asked.words[end - 1].end :]
    last = asked.text[asked.words[start].start : asked.words[end - 1].end]
    mark = last[len(last.rstrip("?!")) :]
    suggestions = tuple(visible(f"{before}{name}{mark}{after}") for name in names)
    return Declined(kind, reason, lex.language, tuple(names), suggestions)


# -- what nothing covers -------------------------------------------------------------------------------------------


def _language(asked: Question) -> str:
    """The language in which more words are known; English where that does not decide."""
    scores = {
        language: sum(word.core in lexicon(language).vocabulary for word in asked.words)
        + sum(end - start for _, start, end in _matches(asked, lexicon(language)))
        for language in LANGUAGES
    }
    return max(LANGUAGES, key=lambda language: scores[language])


def _matches(asked: Question, lex: Lexicon) -> list[tuple[str, int, int]]:
    text = " ".join(word.core for word in asked.words)
    starts, ends, at = {}, {}, 0
    for index, word in enumerate(asked.words):
        starts[at] = index
        at += len(word.core)
        ends[at] = index + 1
        at += 1
    found = []
    for kind, pattern in lex.unserved:
        for match in pattern.finditer(text):
            if match.start() in starts and match.end() in ends and match.group():
                found.append((kind, starts[match.start()], ends[match.end()]))
    return found


def _unserved(asked: Question, lex: Lexicon, dates: Sequence[When]) -> list[Part]:
    """The parts that speak of what no operation serves, longest first where they overlap; dates are no such parts."""
    parts: list[Part] = []
    for kind, start, end in sorted(_matches(asked, lex), key=lambda m: m[1] - m[2]):
        if any(start < p.end and p.start < end for p in parts):
            continue
        if any(when.start <= start and end <= when.end for when in dates):
            continue
        parts.append(Part(kind, start, end))
    joined: list[Part] = []
    for part in sorted(parts, key=lambda part: part.start):
        if joined and joined[-1].kind == part.kind and joined[-1].end == part.start:
            part = Part(part.kind, joined.pop().start, part.end)
        joined.append(part)
    return joined


def _customers_among(asked: Question, lex: Lexicon, start: int, end: int) -> list[tuple[int, int, Customer]]:
    """Customers named by words of a span, each by the longest words that name one."""
    found: list[tuple[int, int, Customer]] = []
    tried = 0
    for length in range(min(_LONGEST_NAME, end - start), 0, -1):
        for first in range(start, end - length + 1):
            after = first + length
            if any(first < b and a < after for a, b, _ in found):
                continue
            if {asked.words[first].core, asked.words[after - 1].core} & lex.vocabulary:
                continue
            tried += 1
            if tried > _MOST_SPANS:
                return sorted(found, key=lambda f: f[0])
            customer = name_in(asked, lex, first, after, genitive=True).customer
            if customer is not None:
                found.append((first, after, customer))
    return sorted(found, key=lambda f: f[0])


def _parts(asked: Question, lex: Lexicon, dates: Sequence[When], unserved: list[Part]) -> Declined:
    """Name every part that no operation serves or that was not understood; failing that, what is missing."""
    taken = {i for p in unserved for i in range(p.start, p.end)} | {i for w in dates for i in range(w.start, w.end)}
    named = [
        found
        for found in _customers_among(asked, lex, 0, len(asked.words))
        if not any(i in taken for i in range(found[0], found[1]))
    ]
    taken |= {i for first, after, _ in named for i in range(first, after)}
    parts = list(unserved)
    customers = list({c.id: c for _, _, c in named}.values())
    if len(customers) > 1:
        first, after, _ = next(n for n in named if n[2].id == customers[1].id)
        parts.append(Part("second_customer", first, after))
    run: list[int] = []
    for index in range(len(asked.words) + 1):
        if index < len(asked.words) and index not in taken and asked.words[index].core not in lex.vocabulary:
            run.append(index)
        elif run:
            parts.append(Part("unknown", run[0], run[-1] + 1))
            run = []
    if parts:
        return _listed(asked, lex, sorted(parts, key=lambda p: p.start), customers)
    intent = _intent(asked, lex)
    if len(dates) > 1:
        return _listed(asked, lex, [Part("unknown", dates[1].start, dates[1].end)], customers)
    if customers and intent is None:
        first, after, _ = named[0]
        suggestions = _suggest(asked, lex, customers, None)
        reason = lex.reasons["no_intent"].format(part=_quote(asked, first, after))
        return Declined("no_intent", reason, lex.language, suggestions, suggestions)
    if customers and intent == "aging":
        first, after, _ = named[0]
        suggestions = (*_suggest(asked, lex, customers, "owe"), lex.suggestions["aging"])
        reason = lex.reasons["book_only"].format(part=_quote(asked, first, after))
        return Declined("book_only", reason, lex.language, suggestions, suggestions)
    if not customers and intent not in (None, "aging", "top"):
        names = labels(asked.customers[:5], asked.customers)
        suggestions = (*_suggest(asked, lex, asked.customers[:1], intent), lex.suggestions["aging"])
        return Declined("no_customer", lex.reasons["no_customer"], lex.language, names, suggestions)
    return _as_a_whole(asked, lex, dates, customers)


def _as_a_whole(asked: Question, lex: Lexicon, dates: Sequence[When], customers: Sequence[Customer]) -> Declined:
    """All words are known, but no form has them like this. Where a date is among them, that is the part to name."""
    intent = _intent(asked, lex)
    customer = customers[0] if customers else None
    for when in dates:
        period = when.kind in ("since", "range")
        kind = {"owe": "period_balance", "aging": "period_balance", "payments": "period_payments"}.get(intent or "")
        if intent in ("risk", "summary", "tickets") or (kind and period):
            kind = kind or "no_date"
            return _said(asked, lex, kind, when.start, when.end, customer, intent, when)
    suggestions = _suggest(asked, lex, customers, intent)
    reason = lex.reasons["wording"].format(part=_quote(asked, 0, len(asked.words)))
    return Declined("wording", reason, lex.language, suggestions, suggestions)


def _listed(asked: Question, lex: Lexicon, parts: Sequence[Part], customers: Sequence[Customer]) -> Declined:
    sentences = []
    for kind in dict.fromkeys(part.kind for part in parts):
        quoted = [_quoted(lex, _quote(asked, p.start, p.end)) for p in parts if p.kind == kind]
        why = lex.reasons[kind]
        if kind == "unknown" and len(quoted) == 1:
            near = _near_words(asked, lex, next(p for p in parts if p.kind == kind))
            if near:
                why = lex.reasons["unknown_near"].format(near=near)
        sentences.append(f"{', '.join(quoted)}: {why}")
    reason = " ".join([*sentences, lex.reasons["nothing_run"]])
    suggestions = _suggest(asked, lex, customers[:2], _intent(asked, lex))
    return Declined(parts[0].kind, reason, lex.language, suggestions, suggestions)


def _near_words(asked: Question, lex: Lexicon, part: Part) -> str | None:
    """For one word that is nearly one of ours, that word."""
    from rapidfuzz import fuzz, process

    word = asked.words[part.start].core
    if part.end - part.start != 1 or len(word) < 3 or not word.isalpha():
        return None
    found = process.extractOne(word, sorted(lex.vocabulary), scorer=fuzz.ratio, score_cutoff=80)
    return _quoted(lex, found[0]) if found else None


def _quote(asked: Question, start: int, end: int) -> str:
    said = visible(asked.said(start, end))
    return said if len(said) <= _SHOWN else said[:_SHOWN] + "…"


def _quoted(lex: Lexicon, text: str) -> str:
    return f"„{text}“" if lex.language == "de" else f"“{text}”"


def _overlap(miss: Missed, when: When) -> bool:
    return miss.start < when.end and when.start < miss.end


# -- what could be asked instead -----------------------------------------------------------------------------------


def _intent(asked: Question, lex: Lexicon) -> str | None:
    """What the question seems to be about: only to suggest a question, never to answer one."""
    counts = {i: sum(w.core in spoken for w in asked.words) for i, spoken in lex.topics.items()}
    best = max(counts, key=lambda i: counts[i])
    return best if counts[best] else None


def _suggest(
    asked: Question,
    lex: Lexicon,
    customers: Iterable[Customer],
    intent: str | None,
    first: dt.date | None = None,
    last: dt.date | None = None,
) -> tuple[str, ...]:
    """Up to three questions that would be answered, about these customers (the first on record where none is)."""
    chosen = list(customers)
    example = chosen or list(asked.customers[:1])
    dates = {
        "first": (first or dt.date(asked.as_of.year, 1, 1)).isoformat(),
        "last": (last or asked.as_of).isoformat(),
    }
    whole_book = [lex.suggestions[i] for i in ("aging", "top")]
    intents = [intent] if intent else ["owe", "payments", "summary"]
    about = []
    for name in labels(example, asked.customers):
        for i in intents:
            if i not in ("aging", "top", "find", "invoice", "verify"):
                about.append(lex.suggestions[i].format(customer=visible(name), **dates))
    if intent in ("aging", "top") or not chosen:
        first_book = [lex.suggestions[intent]] if intent in ("aging", "top") else []
        return tuple(dict.fromkeys([*first_book, *about[:1], *whole_book]))[:3]
    return tuple(about[:3])


def _for_route(asked: Question, lex: Lexicon, route: Route) -> tuple[str, ...]:
    customer_id = route.arguments.get("customer")
    chosen = [c for c in asked.customers if str(c.id) == customer_id]
    return _suggest(asked, lex, chosen, route.intent)[:1]
