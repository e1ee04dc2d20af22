"""Whatever is added to a question that is answered, no other question is answered in its place."""

from __future__ import annotations

import string

from answers_sample import asked
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_desktop.answers.forms import LANGUAGES, lexicon
from footnote_desktop.answers.router import Declined, Route

QUESTIONS = [
    "How much does Bergmann owe?",
    "Is Nordwind overdue as of 2026-06-30?",
    "Has Nordwind paid anything this year?",
    "Any open tickets for Adriatic Foods?",
    "Show me the receivables aging",
    "What are Nordwind's payment terms?",
    "Tell me about Lumière Packaging SARL",
    "Is Petrov at risk?",
    "Statement for Bergmann from 2026-01-01 to 2026-06-30",
    "Who owes us the most?",
    "Has Bergmann paid INV-2026-8812?",
    "Wie viel schuldet Bergmann?",
    "Welche Rechnungen von Petrov sind überfällig?",
    "Hat Petrov seit Januar bezahlt?",
    "Zeige mir die Forderungsaltersstruktur",
    "Wer schuldet uns am meisten?",
    "Ist Bergmann ein Risiko?",
]
KNOWN = frozenset().union(*(lexicon(language).vocabulary for language in LANGUAGES))

unknown_words = (
    st.text(string.ascii_lowercase, min_size=4, max_size=12)
    .map(lambda word: f"q{word}x")
    .filter(lambda w: w not in KNOWN)
)


def inserted(question: str, word: str, at: int) -> str:
    words = question.split()
    at %= len(words) + 1
    return " ".join([*words[:at], word, *words[at:]])


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(QUESTIONS), unknown_words, st.integers(0, 20))
def test_an_unknown_word_anywhere_is_declined_and_named(question: str, word: str, at: int) -> None:
    assert isinstance(asked(question), Route)
    answer = asked(inserted(question, word, at))
    assert isinstance(answer, Declined), answer
    assert word in answer.reason


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(QUESTIONS), st.sampled_from(sorted(KNOWN)), st.integers(0, 20))
def test_a_known_word_anywhere_never_changes_what_is_looked_up(question: str, word: str, at: int) -> None:
    """Adding one of our own words gives the same operation on the same customer, or is declined."""
    before = asked(question)
    after = asked(inserted(question, word, at))
    assert isinstance(before, Route)
    if isinstance(after, Route):
        assert after.operation == before.operation
        assert after.arguments.get("customer") == before.arguments.get("customer")
        assert after.asked == before.asked


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_the_router(question: str) -> None:
    answer = asked(question)
    if isinstance(answer, Declined):
        answer.reason.encode()  # no lone surrogate is handed on
        assert "\n" not in answer.reason


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*sorted(KNOWN), "bergmann", "nordwind", "2026-05-31", "4471"]), max_size=9))
def test_words_of_ours_in_any_order_never_name_two_customers_and_answer_for_one(chosen: list[str]) -> None:
    answer = asked(" ".join(chosen))
    if isinstance(answer, Route) and "find" not in answer.intent:
        both = {"bergmann", "4471"} & set(chosen) and "nordwind" in chosen
        assert not both, answer
