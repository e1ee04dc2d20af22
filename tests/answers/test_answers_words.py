from __future__ import annotations

import pytest

from footnote_desktop.answers.words import NAME, WHEN, fold, slice_of, visible, words


def cores(question: str) -> list[str]:
    return [word.core for word in words(question)]


def test_sentence_marks_go_and_other_marks_stay() -> None:
    assert cores("How much does “Bergmann” owe, please?") == ["how", "much", "does", "bergmann", "owe", "please"]
    assert cores("' OR 1=1 -- overdue") == ["'", "or", "1=1", "--", "overdue"]
    assert cores("? !! …") == []
    assert cores("owe\u00a0us\u2003now") == ["owe", "us", "now"]


def test_case_accents_and_apostrophes_fold() -> None:
    assert fold("LUMIÈRE’s") == "lumiere's"
    assert fold("Straße") == "strasse"


def test_what_stands_for_a_date_or_a_name_cannot_be_typed() -> None:
    typed = "".join(cores(f"owe {WHEN} {NAME} now"))
    assert WHEN not in typed
    assert NAME not in typed


def test_a_word_stays_one_word() -> None:
    assert cores("A¯0A owe") == ["a0a", "owe"]


def test_a_slice_is_what_was_typed() -> None:
    question = "Does »Petrov Components d.o.o.« owe?"
    assert slice_of(question, words(question)[1:4]) == "Petrov Components d.o.o."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ana Kovač", "Ana Kovač"),
        ("a\nb\tc\r\nd", "a b c  d"),
        ("a\u2028b", "a b"),
        ("GmbH\u202eHbmG", "GmbH⟨U+202E⟩HbmG"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("\ud800", "\ufffd"),
        ("👩\u200d🚀 & co", "👩\u200d🚀 & co"),
        ("18.450,00\u00a0€", "18.450,00\u00a0€"),
        ("<b>{x}</b>", "<b>{x}</b>"),
    ],
)
def test_text_of_others_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
