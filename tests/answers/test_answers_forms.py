"""The lexicon: well written, the same in both languages, and what it suggests is answered."""

from __future__ import annotations

import string

import pytest
from answers_sample import CUSTOMERS, asked

from footnote_desktop.answers.forms import LANGUAGES, FormError, compile_form, lexicon, spellings
from footnote_desktop.answers.router import OPERATIONS, Route
from footnote_desktop.answers.slots import parse
from footnote_desktop.answers.wording import table


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_intent_has_an_operation_and_forms(language: str) -> None:
    lex = lexicon(language)
    assert {form.intent for form in lex.forms} == set(OPERATIONS)
    for form in lex.forms:
        assert form.note is None or form.note in table(language)["notes"]


def test_both_languages_give_the_same_reasons_with_the_same_parts() -> None:
    english, german = (lexicon(language).reasons for language in LANGUAGES)
    assert english.keys() == german.keys()

    def parts(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for key in english:
        assert parts(english[key]) == parts(german[key]), key


def test_both_languages_refuse_the_same_kinds() -> None:
    kinds = [{kind for kind, _ in lexicon(language).unserved} for language in LANGUAGES]
    assert kinds[0] == kinds[1]
    assert all(kind in lexicon("en").reasons for kind in kinds[0])


def test_both_languages_tell_the_same_figures() -> None:
    english, german = (table(language) for language in LANGUAGES)
    assert english.keys() == german.keys()
    for section in english:
        assert english[section].keys() == german[section].keys(), section
        if section in ("nouns", "labels", "notes"):
            continue
        for key, template in english[section].items():
            figures = [sorted((p.path, p.plain) for p in parse(t) if p.path) for t in (template, german[section][key])]
            assert figures[0] == figures[1], f"{section}.{key}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [c.name for c in CUSTOMERS])
def test_what_is_suggested_is_answered(language: str, name: str) -> None:
    for intent, suggestion in lexicon(language).suggestions.items():
        question = suggestion.format(customer=name, first="2026-01-01", last="2026-08-14")
        answer = asked(question)
        assert isinstance(answer, Route), question
        assert answer.intent == intent
        assert answer.language == language


@pytest.mark.parametrize("source", ["how [much", "how much]", "(a|b", "<nothing>", "{nobody}", "a ] b"])
def test_a_badly_written_form_is_refused(source: str) -> None:
    with pytest.raises(FormError):
        compile_form(source, {}, set())


def test_umlauts_may_be_written_out() -> None:
    assert spellings("überfällig") == ["uberfallig", "ueberfaellig"]
    assert spellings("owe") == ["owe"]
