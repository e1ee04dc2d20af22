"""Filling a slot makes a claim whose span holds exactly its text, whatever the text is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_desktop.answers.slots import Claim, Composer, SlotError, parse, units
from footnote_desktop.catalog.result import OperationResult
from footnote_desktop.figures.money import formatter
from footnote_desktop.provenance.evidence import Citation, Derivation

NOUNS = {"invoice": ("invoice", "invoices"), "days": ("day", "days")}


def citation(path: str, text: str, exact: str, unit: str) -> Citation:
    return Citation(path, text, exact, unit, (f"row:{path}",), Derivation("field", "x"))


def composer(*citations: Citation, locale: str = "de_DE") -> Composer:
    result = OperationResult("op", {}, {}, tuple(citations), (), (), {}, 0.0)
    return Composer(result, formatter(locale), NOUNS)


def sliced(text: str, claim: Claim) -> str:
    return text.encode("utf-16-le")[2 * claim.start : 2 * claim.end].decode("utf-16-le")


def test_a_figure_is_claimed_where_it_stands() -> None:
    c = composer(
        citation("name", "Paket 📦 Express", "Paket 📦 Express", "text"),
        citation("total", "43.805,00\u00a0€", "43805.00", "EUR"),
        citation("n", "1", "1", "count"),
        citation("old", "104", "104", "days"),
        citation("due", "2026-05-02", "2026-05-02", "date"),
    )
    c.say("{name}: {total} across {n:invoice}, {old:days}, {due}, as of {=asOf}", asOf="14.08.2026")
    assert c.text == "Paket 📦 Express: 43.805,00\u00a0€ across 1 invoice, 104 days, 02.05.2026, as of 14.08.2026"
    assert [claim.text for claim in c.claims] == ["Paket 📦 Express", "43.805,00\u00a0€", "1", "104 days", "02.05.2026"]
    for claim in c.claims:
        assert sliced(c.text, claim) == claim.text
    assert c.claims[1].start == len("Paket 📦 Express: ") + 1  # the parcel counts twice
    assert c.claims[1].to_json() == {
        "text": "43.805,00\u00a0€",
        "span": {"start": 18, "end": 29},
        "evidenceIds": ["row:total"],
        "origin": "structured",
        "path": "total",
    }


@pytest.mark.parametrize(("exact", "shown"), [("0", "0 invoices"), ("1", "1 invoice"), ("1204", "1.204 invoices")])
def test_nouns_follow_their_number(exact: str, shown: str) -> None:
    c = composer(citation("n", exact, exact, "count"))
    c.say("{n:invoice}")
    assert c.text == shown
    assert c.claims[0].text == shown.split()[0]


def test_one_day_is_a_day() -> None:
    c = composer(citation("n", "1", "1", "days"))
    c.say("{n:days}")
    assert c.claims[0].text == c.text == "1 day"


@given(st.text(min_size=1, max_size=40), st.text(max_size=20))
def test_whatever_the_data_holds_is_shown_and_never_read_as_a_template(name: str, said: str) -> None:
    c = composer(citation("name", name, name, "text"), citation("n", "3", "3", "count"))
    c.say("{=said} {name} {n:invoice}", said=said)
    assert c.text.endswith(" 3 invoices")
    for claim in c.claims:
        assert sliced(c.text, claim) == claim.text
    assert "\n" not in c.text
    c.text.encode("utf-8")


@pytest.mark.parametrize("name", ["{n}", "{=asOf}", "{name}", "}{", "{0.__class__}", "%s", "\\N{DASH}"])
def test_braces_in_a_name_are_letters(name: str) -> None:
    c = composer(citation("name", name, name, "text"), citation("n", "3", "3", "count"))
    c.say("{name} owes")
    assert c.text == f"{name} owes"
    assert len(c.claims) == 1


def test_a_row_is_told_relative_to_its_list() -> None:
    c = composer(citation("rows[1].n", "7", "7", "count"))
    c.say("{n:invoice}", "rows[1]")
    assert c.claims[0].path == "rows[1].n"


def test_a_figure_that_is_not_cited_cannot_be_said() -> None:
    with pytest.raises(SlotError, match="cites nothing at total"):
        composer().say("{total}")
    with pytest.raises(SlotError, match="nothing was supplied"):
        composer().say("{=asOf}")


def test_a_brace_that_is_no_slot_is_a_fault_of_the_template() -> None:
    with pytest.raises(ValueError, match="no slot"):
        parse("{ name }")


def test_very_long_text_is_cut_and_its_claim_with_it() -> None:
    c = composer(citation("name", "x" * 10_000, "x" * 10_000, "text"))
    c.say("{name}.")
    assert len(c.text) == 502
    assert sliced(c.text, c.claims[0]) == c.claims[0].text


def test_units_count_as_qt_and_javascript_do() -> None:
    assert units("a€ \u00a0") == 4
    assert units("📦") == 2
