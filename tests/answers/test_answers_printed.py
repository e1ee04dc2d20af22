"""A reply in a terminal: marks, the rows behind each figure, their sum, and the record's place."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from footnote_desktop.answers.desk import Desk, Reply
from footnote_desktop.answers.printed import COLOURS, Style, printed
from footnote_desktop.figures.money import formatter
from footnote_desktop.provenance.evidence import Evidence, JsonValue

CHAIN = "chain of 1 record unchanged since recorded"


def shown(reply: Reply, style: Style | None = None) -> str:
    return printed(reply, formatter("de_DE"), style or Style(), CHAIN).replace("\u00a0", " ")


def test_every_figure_has_a_number_and_every_number_its_rows(desk: Desk) -> None:
    text = shown(desk.ask("How much does Bergmann owe?"))
    assert text.startswith("Bergmann Logistik GmbH[1] has an open balance of 54.805,00 €[2] across 5[2] invoices")
    assert "43.805,00 €[3] is overdue across 4[3] invoices. The oldest is 104 days[4]" in text
    third = text.split("[3] 43.805,00 €, 4\n")[1].split("\n\n")[0]
    for number, outstanding in [("8812", "18.450,00 €"), ("8834", "9.625,00 €"), ("8901", "8.400,00 €")]:
        (row,) = [line for line in third.split("\n") if f"INV-2026-{number}" in line]
        assert outstanding in row
    assert "Sum of outstanding 43.805,00 € = the figure" in third
    assert "4 rows = the figure" in third


def test_the_sql_and_the_place_in_the_log_follow(desk: Desk) -> None:
    reply = desk.ask("How much does Bergmann owe?")
    text = shown(reply)
    assert "getOverdueInvoices(customer=4471)" in text
    assert "as of 2026-08-14 (the sample's date)" in text
    assert "SUM(open_amount)" in text
    assert "with :customer_id = 4471, :as_of = '2026-08-14'" in text
    digest = str(reply.provenance["hash"])[:12]
    assert text.endswith(f"Record 1 · {digest}… · follows 000000000000… · {CHAIN}")


def test_a_refusal_looks_like_a_decision(desk: Desk) -> None:
    text = shown(desk.ask("How much does Bergmnan owe?"))
    assert text.startswith("Not answered. No customer matches “Bergmnan”.")
    assert "You could ask:\n  How much does Bergmann Logistik GmbH owe?" in text
    direct = shown(desk.call("getCustomerSummary", {"customer": "Bergmnan"}))
    assert "Did you mean:\n  Bergmann Logistik GmbH" in direct


def test_escape_sequences_only_where_they_are_wanted(desk: Desk) -> None:
    reply = desk.ask("How much does Bergmann owe?")
    assert "\x1b" not in shown(reply)
    assert "\x1b[1m" in shown(reply, COLOURS)


def test_a_sum_that_does_not_fit_is_said(desk: Desk) -> None:
    reply = desk.ask("How much does Bergmann owe?")
    rows = tuple(
        replace(row, fields={**row.fields, "outstanding": cast(JsonValue, "1.00")}) if row.id == "invoice:8812" else row
        for row in reply.evidence
    )
    assert "which is NOT the figure 43.805,00 €" in shown(replace(reply, evidence=rows))


def test_what_data_holds_cannot_steer_the_terminal(desk: Desk) -> None:
    reply = desk.ask("Who is Petrov?")
    evil = Evidence(
        "customer:4473", "customer", "4473", "a\x1b[2Jb\r\n", "erp://customer/4473", {"name": "\x1b]0;x\x07"}
    )
    text = shown(replace(reply, evidence=(evil, *(row for row in reply.evidence if row.id != "customer:4473"))))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_row_sets_are_named_and_added(tricky: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    import footnote_desktop.catalog.items as items

    monkeypatch.setattr(items, "MAX_ROWS_IN_RECORD", 2)
    text = shown(tricky.ask("Show me the receivables aging"))
    assert "all stored with the record" in text
    assert "NOT the figure" not in text


def test_every_kind_of_answer_can_be_printed(tricky: Desk) -> None:
    for question in (
        "Show me the receivables aging",
        "Who owes us the most?",
        "Statement for Tokyo for 2026",
        "Tell me about Datenfehler",
        "Is the log intact?",
        "Find customers called Hansa",
        "Has Tokyo paid?",
        "open tickets for Fett",
    ):
        text = shown(tricky.ask(question))
        assert "NOT the figure" not in text
        assert "Evidence" in text
