"""What the application shows, decided without Qt: answers, layout, evidence, copies, words."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys

import pytest
from fake_desk import Composer, empty_reply, invoice_evidence, operation, overdue_reply, refused_reply

from footnote_desktop.desktop import asking, behind, chain, computed, contrast, copying, faults, flow, links
from footnote_desktop.desktop.answer import Answer, RecordLine, from_record, from_reply, utf16_slice
from footnote_desktop.desktop.chain import ChainState
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.provenance.errors import LogError


def answered(reply: dict | None = None, question: str = "How much does Bergmann owe?") -> Answer:
    return from_reply(reply or overdue_reply(), question, "de_DE")


def figure(answer: Answer, path: str) -> int:
    return next(f.index for f in answer.figures if f.path == path)


def test_these_modules_need_no_qt() -> None:
    names = "answer asking backend behind chain computed contrast copying events faults flow links names words app"
    imports = "; ".join(f"import footnote_desktop.desktop.{name}" for name in names.split())
    code = f"import sys; {imports}; sys.exit('PySide6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- answers ---


def test_figures_stand_in_reading_order_with_their_exact_values() -> None:
    answer = answered()
    assert [f.text for f in answer.figures[:3]] == ["Bergmann Logistik GmbH", "54.805,00\u00a0€", "43.805,00\u00a0€"]
    total = answer.figures[2]
    assert (total.exact, total.unit, total.derivation, total.field) == ("43805.00", "EUR", "sum", "outstanding")
    assert total.label == "Overdue receivables"
    for one in answer.figures:
        assert utf16_slice(answer.text, one.start, one.end) == one.text


def test_a_span_counts_utf16_units_also_after_an_emoji() -> None:
    answer = answered(overdue_reply("Müller 🚢🚢 & Söhne"))
    assert answer.figures[0].text == "Müller 🚢🚢 & Söhne"
    assert answer.figures[0].end == 19  # 17 characters, two of which take two units
    assert answer.figures[1].text == "54.805,00\u00a0€"


def test_a_claim_that_does_not_stand_in_the_text_is_kept_apart() -> None:
    reply = overdue_reply()
    reply["claims"][1]["span"] = {"start": 0, "end": 0}
    reply["claims"][2]["span"] = {"start": 1, "end": 12}
    answer = answered(reply)
    assert len(answer.figures) == len(reply["claims"])
    assert [f.text for f in answer.figures[-2:]] == ["54.805,00\u00a0€", "43.805,00\u00a0€"]
    last = flow.blocks(answer)[-1]
    assert isinstance(last, flow.Grid)
    assert [row[1][0].text for row in last.rows] == ["54.805,00\u00a0€", "43.805,00\u00a0€"]


def test_outcomes_are_told_apart() -> None:
    assert answered().outcome == "answered"
    assert answered(refused_reply()).outcome == "refused"
    assert answered(empty_reply()).outcome == "empty"
    down = refused_reply()
    down["operations"][0]["reasonKind"] = "unavailable"
    assert answered(down).outcome == "error"


def test_a_record_reads_like_the_reply_it_was() -> None:
    reply = refused_reply()
    first = {**reply["operations"][0], "reason": reply["reason"], "alternatives": reply["alternatives"]}
    record = {
        "id": "a",
        "sequence": 7,
        "timestamp": "2026-08-14T07:00:00.000Z",
        "actor": {"id": "ana", "role": "controller"},
        "question": "How much does Acme owe?",
        "answer": reply["reason"],
        "claims": [],
        "operations": [first],
        "evidence": [],
        "previousHash": "0" * 64,
        "hash": "f" * 64,
    }
    answer = from_record(record, "de_DE")
    assert (answer.outcome, answer.reason, answer.record.sequence) == ("refused", reply["reason"], 7)
    assert answer.alternatives == tuple(reply["alternatives"])


def test_the_peers_records_can_be_shown(shared) -> None:
    export = json.loads((shared / "peers" / "footnote" / "peer-export.json").read_text(encoding="utf-8"))
    for record in export["records"]:
        answer = from_record(record, "de_DE")
        flow.blocks(answer)
        for one in answer.figures:
            behind.evidence_for(answer, one.index)


# --- layout ---


def test_a_list_becomes_a_grid_and_keeps_every_word() -> None:
    blocks = flow.blocks(answered())
    grid = blocks[1]
    assert isinstance(grid, flow.Grid)
    assert len(grid.rows) == 4
    assert ["".join(run.text for run in cell) for cell in grid.rows[0]] == [
        "INV-2026-8812",
        "18.450,00\u00a0€",
        "due 02.05.2026",
        "104\u00a0days",
    ]


def aging() -> Answer:
    c = Composer()
    c.say("Open receivables are ").cite("20,00 €", "totalOutstanding", "20.00", "EUR", ["invoice:8812"], "sum", "x")
    c.say(".\n\n")
    for label, money, count in (("not yet due (due today included)", "10,00 €", "3"), ("1–30 days", "10,00 €", "1")):
        c.say(f"  · {label}: ").cite(money, "buckets[0].outstanding", "10.00", "EUR", ["invoice:8812"], "sum", "x")
        c.say(" (").cite(count, "buckets[0].invoiceCount", count, "count", ["invoice:8812"], "count")
        c.say(" invoices)\n")
    return answered({**overdue_reply(), "answer": c.text, "claims": c.claims, "operations": [operation(c.citations)]})


def test_words_before_the_first_figure_are_a_cell_of_their_own() -> None:
    grid = flow.blocks(aging())[1]
    assert isinstance(grid, flow.Grid)
    assert [["".join(run.text for run in cell) for cell in row] for row in grid.rows] == [
        ["not yet due (due today included)", "10,00 €", "3 invoices"],
        ["1–30 days", "10,00 €", "1 invoices"],
    ]


def test_lines_of_different_shape_stay_lines() -> None:
    c = Composer()
    c.say("Facts:\n\n  · open balance: ").cite("1,00 €", "a", "1.00", "EUR", ["invoice:8812"], "sum", "x")
    c.say(" across ").cite("5", "b", "5", "count", ["invoice:8812"], "count")
    c.say(" invoices; of this, ").cite("2", "c", "2", "count", ["invoice:8812"], "count").say(" overdue\n  · ")
    c.cite("30 days", "d", "30", "days", ["invoice:8812"], "field", "x")
    reply = {**overdue_reply(), "answer": c.text, "claims": c.claims, "operations": [operation(c.citations)]}
    kinds = [(type(block).__name__, getattr(block, "bullet", None)) for block in flow.blocks(answered(reply))]
    assert kinds == [("Paragraph", False), ("Paragraph", True), ("Paragraph", True)]


# --- evidence ---


def test_a_total_adds_up_from_its_rows() -> None:
    answer = answered()
    view = behind.evidence_for(answer, figure(answer, "totalOutstanding"))
    assert [row.label for row in view.rows] == [f"INV-2026-{n}" for n in (8812, 8834, 8901, 8977)]
    assert view.line == behind.SumLine("Sum of 4\u00a0invoices", "43.805,00\u00a0€", "equal")
    assert view.exact == "43805.00\u00a0EUR"
    assert view.caption == "Overdue receivables · sum of “outstanding” over 4\u00a0invoices"
    assert view.columns[0].label == "Invoice"
    assert view.columns[-1].key == "outstanding"
    assert view.rows[2].cells[-1] == "8.400,00\u00a0€"
    assert dict(view.rows[0].fields)["outstanding"] == "18450.00"
    assert dict(view.rows[0].fields)["due_on"] == "2026-05-02"


def test_rows_that_do_not_give_the_figure_are_called_out() -> None:
    reply = overdue_reply()
    next(e for e in reply["evidence"] if e["id"] == "invoice:8812")["fields"]["outstanding"] = "18450.01"
    answer = answered(reply)
    view = behind.evidence_for(answer, figure(answer, "totalOutstanding"))
    assert (view.line.state, view.line.value) == ("differs", "43.805,01\u00a0€")


def test_rows_of_another_currency_are_never_added() -> None:
    reply = overdue_reply()
    next(e for e in reply["evidence"] if e["id"] == "invoice:8812")["fields"]["currency"] = "USD"
    answer = answered(reply)
    assert behind.evidence_for(answer, figure(answer, "totalOutstanding")).line.state == "differs"


def test_a_count_a_field_and_a_nothing() -> None:
    answer = answered()
    count = behind.evidence_for(answer, figure(answer, "invoiceCount"))
    assert (count.line.label, count.line.value, count.line.state) == ("Count of 4\u00a0invoices", "4", "equal")
    days = behind.evidence_for(answer, figure(answer, "oldestDaysOverdue"))
    assert days.cited_field == "days_overdue"
    assert days.line is None
    assert days.caption == "Oldest item, days past due · “days past due” of INV-2026-8812"
    empty = answered(empty_reply())
    nothing = behind.evidence_for(empty, figure(empty, "openBalance"))
    assert nothing.caption == "Open balance · nothing found under Lumière Packaging SARL"


def test_a_row_set_counts_and_adds_with_all_its_rows() -> None:
    rows = [invoice_evidence(n) for n in (8812, 8834)]
    rowset = {
        "id": "rowset:1",
        "type": "rowset",
        "label": "4000 items",
        "uri": "erp://rowset/1",
        "fields": {"count": 4000, "sums": {"EUR": "90000.00"}, "sumField": "outstanding", "manifest": "x"},
    }
    c = Composer()
    c.cite("98.400,00 €", "totalOutstanding", "98400.00", "EUR", ["rowset:1", "invoice:8901"], "sum", "outstanding")
    reply = {
        **overdue_reply(),
        "answer": c.text,
        "claims": c.claims,
        "operations": [operation(c.citations)],
        "evidence": [rowset, invoice_evidence(8901)],
    }
    answer = answered(reply)
    answer = Answer(**{**{k: getattr(answer, k) for k in Answer.__slots__}, "members": {"rowset:1": tuple(rows)}})
    view = behind.evidence_for(answer, 0)
    assert view.row_count == 4001
    assert [row.id for row in view.rows] == ["invoice:8901", "invoice:8812", "invoice:8834"]
    assert view.line.state == "equal"
    assert "the first 3 are listed" in view.caption


def test_missing_evidence_is_said() -> None:
    reply = overdue_reply()
    reply["evidence"] = []
    answer = answered(reply)
    view = behind.evidence_for(answer, 2)
    assert view.rows == ()
    assert len(view.missing) == 4
    assert view.line is None


# --- how it was computed ---


def test_sql_is_filled_in_for_reading_and_exact_for_copying() -> None:
    part = computed.computations(answered())[0]
    first = part.statements[0]
    assert "i.customer_id = 4471 AND i.issued_on <= '2026-08-14'" in first.readable
    assert ":customer_id" in first.exact
    assert first.for_copying().endswith("-- parameters\n--   customer_id = 4471\n--   as_of = '2026-08-14'")
    assert computed.summary((part,)) == "getOverdueInvoices · 0.9\u00a0ms · one snapshot"


@pytest.mark.parametrize(
    ("sql", "params", "shown"),
    [
        ("SELECT ':a', \":a\", x::int, :a -- :a", {"a": 1}, "SELECT ':a', \":a\", x::int, 1 -- :a"),
        ("SELECT :name", {"name": "O'Brien"}, "SELECT 'O''Brien'"),
        ("SELECT :missing, :none", {"none": None}, "SELECT :missing, NULL"),
        ("SELECT ?, ?", ["a", 2], "SELECT 'a', 2"),
        ("SELECT '?', ?", [], "SELECT '?', ?"),
        ("/* :a */ SELECT :ab, :a", {"a": 1, "ab": 2}, "/* :a */ SELECT 2, 1"),
    ],
)
def test_parameters_are_filled_only_where_they_stand(sql: str, params: object, shown: str) -> None:
    assert computed.filled(sql, params) == shown


def test_a_declined_question_says_that_nothing_ran() -> None:
    reply = refused_reply()
    reply["operations"][0] |= {"name": "ask", "query": {"sql": "", "params": {}}}
    assert (
        computed.summary(computed.computations(answered(reply))) == "the question was read · 0.2\u00a0ms · no query ran"
    )


# --- copies ---


def test_rows_are_copied_as_text_csv_and_json() -> None:
    answer = answered()
    view = behind.evidence_for(answer, figure(answer, "totalOutstanding"))
    text = copying.rows_text(view)
    assert text.splitlines()[0].startswith("Invoice\t")
    assert text.splitlines()[-1].endswith("\t43.805,00\u00a0€")
    lines = copying.rows_csv(view).split("\r\n")
    assert lines[0].startswith("evidence_id,label,number,")
    assert "18450.00" in lines[1]
    assert [e["id"] for e in json.loads(copying.rows_json(answer, view))] == [
        f"invoice:{n}" for n in (8812, 8834, 8901, 8977)
    ]
    assert "due_on: 2026-05-02" in copying.row_text(view.rows[0])


def test_a_spreadsheet_runs_nothing_of_what_is_copied() -> None:
    reply = overdue_reply('=HYPERLINK("http://x")')
    answer = answered(reply)
    table = copying.rows_csv(behind.evidence_for(answer, 0))
    assert "'=HYPERLINK" in table
    reply["evidence"][1]["fields"]["outstanding"] = "-5.00"
    answer = answered(reply)
    assert ",-5.00," in copying.rows_csv(behind.evidence_for(answer, figure(answer, "invoices[0].outstanding")))


# --- the contrast ---


def test_invented_numbers_count_up_and_names_stay() -> None:
    answer = answered()
    pieces = contrast.invent(answer)
    text = "".join(piece.text for piece in pieces)
    assert text.startswith("Bergmann Logistik GmbH has an open balance of 12.345,67\u00a0€")
    assert [piece.text for piece in pieces if piece.invented] == [
        "12.345,67\u00a0€",
        "12.345,67\u00a0€",
        "9",
        "123\u00a0days",
    ]
    assert "INV-2026" not in text  # only the first paragraph
    real = {figure.text for figure in answer.figures if figure.is_number}
    assert not real & {piece.text for piece in pieces if piece.invented}


# --- asking ---


@pytest.mark.parametrize(
    ("question", "name", "asked"),
    [
        ("How much does Bergman owe?", "Bergmann Logistik GmbH", "How much does Bergmann Logistik GmbH owe?"),
        ("How much does Acme Corporation owe?", "Adriatic Foods d.d.", "How much does Adriatic Foods d.d. owe?"),
        ("how much is overdue?", "BMW", "How much does BMW owe?"),
        ("Any tickets for Lumiere Packaging?", "Lumière Packaging SARL", "Any tickets for Lumière Packaging SARL?"),
    ],
)
def test_a_name_takes_the_place_of_what_was_meant(question: str, name: str, asked: str) -> None:
    assert asking.with_name(question, name) == asked


def test_alternatives_that_are_questions_are_asked_as_they_are() -> None:
    reply = {**refused_reply(), "alternatives": ["Who owes us the most?"]}
    assert asking.instead(answered(reply)) == (("Who owes us the most?", "Who owes us the most?"),)
    reply["suggestions"] = ["How much does BMW owe?"]
    assert asking.instead(answered(reply)) == (("How much does BMW owe?", "How much does BMW owe?"),)


# --- the log ---

LINE = RecordLine("id", 5, "2026-08-14T07:00:00Z", "f" * 64, "e" * 64, "ana")
NOON = dt.datetime(2026, 8, 14, 12, 0)


@pytest.mark.parametrize(
    ("state", "mood", "words"),
    [
        (ChainState(), "idle", "not checked since it was recorded"),
        (ChainState("intact", 4, checked_at=NOON), "idle", "not checked since it was recorded"),
        (ChainState("intact", 5, checked_at=NOON), "ok", "unchanged since it was recorded"),
        (ChainState("contentChanged", 9, 5, "edited"), "bad", "content changed"),
        (ChainState("contentChanged", 9, 7), "warn", "unchanged since it was recorded"),
        (ChainState("linkBroken", 9, 3), "bad", "cannot be vouched for"),
        (ChainState("missing"), "bad", "log missing"),
        (ChainState("checking"), "busy", "being checked"),
    ],
)
def test_what_is_said_of_one_record(state: ChainState, mood: str, words: str) -> None:
    said = chain.record(state, LINE, "5")
    assert said.mood == mood
    assert words in said.title


def test_the_chip_is_green_only_for_what_was_checked() -> None:
    assert chain.chip(ChainState(), "0").mood == "idle"
    assert chain.chip(ChainState("intact", 0, checked_at=NOON), "0").mood == "idle"
    assert (
        chain.chip(ChainState("intact", 1204, checked_at=NOON), "1.204").title
        == "Unchanged · 1.204\u00a0records · 12:00"
    )
    assert chain.chip(ChainState("contentChanged", 9, 5), "9").title == "Content changed at record 5"


def test_no_word_says_that_a_figure_is_right() -> None:
    states = [ChainState(s, 3, 2, "", checked_at=NOON) for s in ("intact", "unchecked", "checking", *chain.BROKEN)]
    said = " ".join(f"{chain.chip(s, '3')} {chain.record(s, LINE, '5')} {chain.explained(s)}" for s in states).lower()
    assert "correct" not in said
    assert "verified" not in said


# --- errors and links ---


def test_errors_say_what_to_do() -> None:
    log = faults.describe(LogError("the disk is full", "free some space"))
    assert (log.title, log.message, log.advice) == (
        "No answer: the log cannot be used",
        "The disk is full.",
        "Free some space.",
    )
    assert not log.bug
    assert faults.describe(EngineError("the server does not answer")).advice
    bug = faults.describe(KeyError("x"), "Traceback …")
    assert bug.bug
    assert "report" in bug.advice


@pytest.mark.parametrize(
    ("text", "key", "claim"),
    [
        ("footnote://record/12", "12", None),
        ("footnote://record/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed#claim-3", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", 3),
    ],
)
def test_links_name_a_record_and_a_figure(text: str, key: str, claim: int | None) -> None:
    link = links.parse(text)
    assert (link.key, link.claim) == (key, claim)
    assert links.link_to(key, claim) == text


@pytest.mark.parametrize("text", ["", "http://record/1", "footnote://record/", "footnote://record/1/../2", "x" * 9999])
def test_what_is_no_link_is_none(text: str) -> None:
    assert links.parse(text) is None
