"""Ask, open figures with mouse and keyboard, see the rows; refusals, faults, waiting."""

from __future__ import annotations

import datetime as dt
import itertools
import time

import pytest
from fake_desk import FakeBackend, overdue_reply, sample_profile
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from footnote_desktop.desktop.chain import ChainState
from footnote_desktop.desktop.events import Answered
from footnote_desktop.provenance.errors import LogError

pytestmark = pytest.mark.gui

TOTAL = 2  #: the figure 43.805,00 €


def click(qtbot, window, figure: int) -> None:
    text = window.pair().card.text
    point = text.figure_rect(figure).center().toPoint()
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=point)


def key(qtbot, window, *keys: Qt.Key) -> None:
    for one in keys:
        qtbot.keyClick(window.pair().card.text, one)


def test_the_first_page_offers_questions(qtbot, open_window) -> None:
    window = open_window()
    buttons = window.ask_page.first.buttons
    assert buttons[0].text() == "How much does Bergmann owe?"
    qtbot.mouseClick(buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.pair().card.state == "answer")
    assert window.ask_page.question.text() == "How much does Bergmann owe?"


def test_ask_click_the_figure_and_see_what_stands_behind_it(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    panel = window.pair().evidence
    assert panel.is_nothing()
    assert "No figure selected" in panel.nothing_text()
    click(qtbot, window, TOTAL)
    assert not panel.is_nothing()
    assert panel.figure_label.text() == "43.805,00\u00a0€"
    assert panel.exact.text() == "Exactly 43805.00\u00a0EUR"
    assert panel.model.rowCount() == 4
    labels = [panel.model.index(row, 0).data() for row in range(4)]
    assert labels == ["INV-2026-8812", "INV-2026-8834", "INV-2026-8901", "INV-2026-8977"]
    assert panel.sum_value.text() == "43.805,00\u00a0€"
    assert "equals the figure" in panel.sum_label.accessibleName()
    assert panel.row_position.text() == "1 of 4 · erp://invoice/8812"
    qtbot.waitUntil(lambda: panel.record_box.saying.mood == "ok")
    assert panel.record_box.saying.title == "Record 1 is unchanged since it was recorded"
    computed = window.pair().card.computed
    computed.flip()
    assert computed.is_open
    assert "i.customer_id = 4471" in computed.sql.toPlainText()
    assert "query_only" in computed.snapshot.full()


def test_the_fields_of_the_chosen_row_are_shown_as_stored(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.pair().select(TOTAL)
    panel = window.pair().evidence
    panel.table.selectRow(2)
    assert panel.selected_row().id == "invoice:8901"
    shown = [panel.fields_grid.itemAt(n).widget() for n in range(panel.fields_grid.count())]
    texts = [widget.text() for widget in shown if isinstance(widget, QLabel)]
    assert "12400.00" in texts
    assert "2026-06-05" in texts
    assert "12.400,00\u00a0€" not in texts


def test_the_keyboard_walks_the_figures_and_enter_opens(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    text = window.pair().card.text
    qtbot.waitUntil(text.hasFocus)
    assert text.focused_figure == 0
    key(qtbot, window, Qt.Key.Key_Tab, Qt.Key.Key_Right)
    assert text.focused_figure == TOTAL
    assert "Overdue receivables: 43.805,00\u00a0€" in text.accessibleDescription()
    assert window.pair().evidence.is_nothing()
    key(qtbot, window, Qt.Key.Key_Return)
    assert window.pair().evidence.figure_label.text() == "43.805,00\u00a0€"
    key(qtbot, window, Qt.Key.Key_Home)
    assert text.focused_figure == 0
    key(qtbot, window, Qt.Key.Key_End)
    last = text.places() - 1
    assert text.focused_figure == last
    key(qtbot, window, Qt.Key.Key_Up)
    assert text.focused_figure == last - 4  # the same column, the line above
    key(qtbot, window, Qt.Key.Key_Down)
    assert text.focused_figure == last
    key(qtbot, window, Qt.Key.Key_Tab)
    assert not text.hasFocus()


def test_next_and_previous_go_round(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    count = len(window.pair().answer.figures)
    window.menus.actions["Previous figure"].trigger()
    assert window.pair().card.text.selected == count - 1
    window.menus.actions["Next figure"].trigger()
    assert window.pair().card.text.selected == 0


def test_pointing_at_a_figure_shows_its_first_evidence(open_window, ask) -> None:
    window = open_window()
    ask(window)
    hint = window.pair().card.text.hint(TOTAL)
    assert hint.startswith("INV-2026-8812 · ")
    assert hint.endswith("and 3 more")


def test_a_refusal_is_a_decision_with_real_alternatives(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window, "How much does Acme Corporation owe?")
    card = window.pair().card
    assert card.state == "declined"
    assert card.declined.title.text() == "Not answered, by decision"
    assert "Acme Corporation" in card.declined.reason.text()
    assert "none was guessed" in card.declined.not_done.text()
    assert window.pair().evidence.record_box.isVisible()
    second = card.declined.choices[1]
    assert second.text().strip() == "How much does Bergmann Logistik GmbH owe?"
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.state == "answer")
    assert window.ask_page.question.text() == "How much does Bergmann Logistik GmbH owe?"


def test_an_empty_result_says_why(open_window, ask) -> None:
    window = open_window()
    ask(window, "How much does Lumière owe?")
    card = window.pair().card
    assert card.state == "answer"
    assert card.note.isVisible()
    assert card.note_text.text() == "All of this customer's invoices were paid before the as-of date."


def test_a_log_that_cannot_be_written_gives_no_answer(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    window = open_window(backend)
    backend.fail = LogError("the log cannot be written: the disk is full", "Free some space, then ask again.")
    ask(window)
    card = window.pair().card
    assert card.state == "fault"
    assert "disk is full" in card.fault.message.text()
    assert card.fault.advice.text() == "Free some space, then ask again."
    assert not window.pair().evidence.record_box.isVisible()
    backend.fail = None
    qtbot.mouseClick(card.fault.retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.state == "answer")


def test_our_own_mistakes_are_to_be_reported(open_window, ask) -> None:
    backend = FakeBackend()
    window = open_window(backend)
    backend.fail = KeyError("oops")
    ask(window)
    fault = window.pair().card.fault
    assert "report" in fault.advice.text()
    assert "KeyError" in fault.detail.toPlainText()


def test_waiting_shows_a_skeleton_then_offers_to_stop(qtbot, open_window) -> None:
    backend = FakeBackend(delay=1.6)
    window = open_window(backend)
    window.ask_page.ask_this("How much does Bergmann owe?")
    card = window.pair().card
    qtbot.wait(120)
    assert card.state == "blank"
    qtbot.waitUntil(lambda: card.state == "waiting", timeout=1000)
    assert not card.skeleton.cancel.isVisible()
    qtbot.waitUntil(card.skeleton.cancel.isVisible, timeout=2000)
    qtbot.mouseClick(card.skeleton.cancel, Qt.MouseButton.LeftButton)
    assert not window.ask_page.is_waiting
    qtbot.waitUntil(lambda: len(backend.records) == 1, timeout=3000)
    qtbot.wait(100)
    assert window.pair().answer is None  # the late reply was dropped


def test_a_late_reply_never_takes_the_place_of_a_newer_one(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    current = window.pair().answer
    window.client.answered.emit(Answered(0, current))
    window.ask_page.ask_this("How much does Acme Corporation owe?")
    window.ask_page.ask_this("How much does Lumière owe?")
    qtbot.waitUntil(lambda: not window.ask_page.is_waiting)
    assert window.pair().answer.outcome == "empty"
    qtbot.wait(50)
    assert window.pair().answer.outcome == "empty"


def test_the_window_stays_alive_while_the_desk_is_slow(qtbot, open_window) -> None:
    window = open_window(FakeBackend(delay=0.8))
    beats: list[float] = []
    timer = QTimer()
    timer.setInterval(10)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()
    window.ask_page.ask_this("How much does Bergmann owe?")
    qtbot.waitUntil(lambda: not window.ask_page.is_waiting, timeout=5000)
    timer.stop()
    gaps = [after - before for before, after in itertools.pairwise(beats)]
    assert len(beats) > 30
    assert max(gaps) < 0.35


MARKUP = "<b>Evil</b> & <img src=x>"


def test_text_from_data_is_never_markup(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    backend.replies["?!"] = lambda: overdue_reply(MARKUP)
    window = open_window(backend)
    ask(window, "?!")
    text = window.pair().card.text
    assert text.toPlainText().replace("\u00a0", " ").startswith(MARKUP)
    window.pair().select(0)
    panel = window.pair().evidence
    assert panel.figure_label.text() == MARKUP
    assert panel.figure_label.textFormat() == Qt.TextFormat.PlainText
    assert "&lt;b&gt;" in text.viewport().toolTip() or "<b>" in text.hint(0)
    for label in window.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText, label.text()
    for label in window.findChildren(QLabel):
        assert "<img" not in label.toolTip()


def test_an_ampersand_on_a_button_is_no_shortcut(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    refusal = backend._reply("Acme")
    backend.replies["?!"] = lambda: {**refusal, "alternatives": ["Miller & Sons"]}
    window = open_window(backend)
    ask(window, "?!")
    choice = window.pair().card.declined.choices[0]
    assert "Miller && Sons" in choice.text()
    assert "Miller & Sons" in choice.accessibleName()


def test_an_emoji_in_a_name_moves_no_figure(open_window, ask) -> None:
    backend = FakeBackend()
    backend.replies["?!"] = lambda: overdue_reply("Reederei 🚢 Müller")
    window = open_window(backend)
    ask(window, "?!")
    text = window.pair().card.text
    document = text.toPlainText().replace("\u00a0", " ")
    assert document.startswith("Reederei 🚢 Müller has an open balance of 54.805,00 €")
    assert (
        text.figure_rect(0).right() < text.figure_rect(1).left()
        or text.figure_rect(1).top() > text.figure_rect(0).top()
    )
    window.pair().select(1)
    assert window.pair().evidence.figure_label.text() == "54.805,00\u00a0€"


def test_the_as_of_date_is_shown_chosen_and_put_back(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    window = open_window(backend)
    date = window.ask_page.date
    assert date.text().strip() == "as of 14.08.2026"
    ask(window)
    assert backend.asked[-1][1] is None
    date.choose(dt.date(2026, 6, 10))
    qtbot.waitUntil(lambda: len(backend.asked) == 2)  # a figure never stands beside a date that it does not hold for
    assert backend.asked[-1][1] == dt.date(2026, 6, 10)
    assert date.text().strip() == "as of 10.06.2026"
    window.menus.actions["Choose the as-of date"].trigger()
    popup = date._popup
    assert popup.back.isEnabled()
    qtbot.mouseClick(popup.back, Qt.MouseButton.LeftButton)
    assert date.chosen is None
    assert date.text().strip() == "as of 14.08.2026"


def test_everything_can_be_copied(open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.pair().select(TOTAL)
    clipboard = QGuiApplication.clipboard()
    for action, expected in (
        ("Figure", "43.805,00\u00a0€"),
        ("Exact value", "43805.00 EUR"),
        ("Selected row", "due_on: 2026-05-02"),
        ("Rows as text", "INV-2026-8834"),
        ("Rows as CSV", "9625.00"),
        ("Rows as JSON", '"id": "invoice:8901"'),
        ("SQL, filled in", "i.customer_id = 4471"),
        ("SQL as run", ":customer_id"),
        ("Hash of the record", window.pair().answer.record.hash),
        ("Answer", "43.805,00\u00a0€ is overdue"),
    ):
        window.menus.actions[action].trigger()
        assert expected in clipboard.text(), action
        assert window.topbar.said().startswith("Copied ")


def test_the_contrast_is_marked_and_only_for_sample_data(open_window, ask) -> None:
    window = open_window()
    ask(window)
    before = len(window.client._backend.records)
    contrast = window.pair().card.contrast
    assert not contrast.isVisible()
    window.menus.contrast.trigger()
    assert contrast.isVisible()
    assert contrast.title.text() == "Invented — not from your data"
    assert "43.805" not in contrast.plain_text()
    assert "12.345,67" in contrast.plain_text()
    assert "Not in the log" in contrast.lacks.text().replace("\u00a0", " ")
    assert len(window.client._backend.records) == before

    real = sample_profile(name="real", sample=None, database_url="postgresql://localhost/erp")
    window.open_profile(real)
    assert not window.menus.contrast.isVisible()
    assert not window.menus.contrast.isEnabled()
    window.menus.contrast.setChecked(True)
    window.show_contrast()
    assert not contrast.isVisible()


def test_a_broken_log_is_said_where_it_matters(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    window = open_window(backend)
    ask(window)
    ask(window)
    backend.chain = ChainState("contentChanged", failed_at=2, reason="Record 2 was edited.")
    window.menus.actions["Check the log now"].trigger()
    qtbot.waitUntil(lambda: window.chain.state == "contentChanged")
    assert window.topbar.chain.saying.mood == "bad"
    assert window.topbar.chain.text().strip() == "Content changed at record 2"
    box = window.pair().evidence.record_box
    assert box.saying.detail == "Record 2 was edited."
    assert box.property("mood") == "bad"


def test_narrow_windows_turn_lists_into_lines(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    text = window.pair().card.text
    places = text.places()
    window.resize(900, 600)
    qtbot.waitUntil(lambda: text._tight)
    assert text.places() == places
    window.pair().select(TOTAL)
    window.resize(1500, 800)
    qtbot.waitUntil(lambda: not text._tight)
    assert text.selected == TOTAL


def test_selecting_text_opens_nothing(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    viewport = window.pair().card.text.viewport()
    start = window.pair().card.text.figure_rect(0).center().toPoint()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(120, 30))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start + QPoint(120, 30))
    assert window.pair().evidence.is_nothing()
