"""The window round the pages: earlier answers, profiles, chips, export, look, shortcuts, accessible names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_desk import FakeBackend, sample_profile
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
)

from footnote_desktop.desktop.answers_model import AnswersModel
from footnote_desktop.desktop.chain import Saying
from footnote_desktop.desktop.events import Line, Listed, Opened
from footnote_desktop.desktop.shortcuts import shortcuts
from footnote_desktop.desktop.theme import theme, tokens
from footnote_desktop.provenance.errors import LogError

pytestmark = pytest.mark.gui


def test_earlier_answers_are_listed_newest_first_and_open_the_same_way(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    window = open_window(backend)
    ask(window)
    ask(window, "How much does Acme Corporation owe?")
    window.menus.actions["Answers"].trigger()
    page = window.answers_page
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    assert [page.model.index(0, n).data() for n in (0, 2, 3, 4)] == [
        "#2",
        "How much does Acme Corporation owe?",
        "Declined",
        "–",
    ]
    page.table.selectRow(1)
    qtbot.waitUntil(lambda: page.pair.answer is not None)
    page.pair.select(2)
    assert page.pair.evidence.figure_label.text() == "43.805,00\u00a0€"
    page.table.selectRow(0)
    qtbot.waitUntil(lambda: page.pair.answer.outcome == "refused")
    qtbot.mouseClick(page.pair.card.declined.choices[0], Qt.MouseButton.LeftButton)
    assert window.pages.currentIndex() == 0
    qtbot.waitUntil(lambda: not window.ask_page.is_waiting)


def test_the_list_survives_a_restart_and_keeps_its_selection(qtbot, open_window, ask) -> None:
    backend = FakeBackend()
    first = open_window(backend)
    ask(first)
    first.close()
    window = open_window(backend)
    window.show_page(1)
    page = window.answers_page
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.table.selectRow(0)
    qtbot.waitUntil(lambda: page.pair.answer is not None)
    backend.ask("How much does Lumière owe?", None)
    page.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    assert page.table.currentIndex().row() == 1
    assert page.pair.answer.record.sequence == 1


def test_searching_earlier_answers(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    ask(window, "How much does Lumière owe?")
    window.menus.actions["Search earlier answers"].trigger()
    page = window.answers_page
    qtbot.waitUntil(page.search.hasFocus)
    page.search.setText("lumi")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.search.setText("nothing like this")
    qtbot.waitUntil(lambda: page.model.rowCount() == 0)
    assert page._nothing_title.text() == "Nothing found"


def test_a_list_without_answers_says_so(qtbot, open_window) -> None:
    window = open_window()
    window.show_page(1)
    qtbot.waitUntil(lambda: window.answers_page._nothing_title.text() == "Nothing was asked yet")


def page(sequences: list[int], before: int | None, more: bool) -> Listed:
    lines = tuple(Line(f"id{n}", n, "2026-08-14T07:00:00Z", f"q{n}", "answered", 1, "") for n in sequences)
    return Listed(1, lines, before, more, 6)


def test_older_answers_are_fetched_once(qtbot) -> None:
    model = AnswersModel()
    model.put(page([6, 5, 4], None, True))
    wanted: list[int] = []
    model.wanted_more.connect(wanted.append)
    assert model.canFetchMore()
    model.fetchMore()
    model.fetchMore()
    assert wanted == [4]
    model.put(page([3, 2], 4, False))
    model.put(page([3, 2], 4, False))
    assert model.rowCount() == 5
    assert not model.canFetchMore()
    assert model.row_of("id2") == 4


def test_a_link_opens_the_record_and_its_figure(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.open_link("footnote://record/1#claim-3")
    pair = window.answers_page.pair
    qtbot.waitUntil(lambda: pair.answer is not None)
    assert window.pages.currentIndex() == 1
    assert pair.evidence.figure_label.text() == "43.805,00\u00a0€"
    window.open_link("footnote://record/999")
    qtbot.waitUntil(lambda: "No such record" in pair.evidence.nothing_text())
    window.open_link("https://example.org")
    assert "not a link" in window.topbar.said()


def test_profiles_are_switched_and_the_old_one_is_closed(qtbot, open_window, ask) -> None:
    profiles = {"Sample ERP": sample_profile(), "Tricky cases": sample_profile(name="tricky-erp", sample="tricky")}
    window = open_window(profiles=profiles)
    ask(window)
    old = window.client
    window.menus.actions["Tricky cases"].trigger()
    assert window.profile.sample == "tricky"
    assert window.sidebar.profile_button.text().strip() == "Tricky cases"
    assert window.ask_page.pair.answer is None
    qtbot.waitUntil(lambda: old._backend.closed)
    qtbot.waitUntil(lambda: bool(window.ask_page.first.buttons))
    assert window.ask_page.first.buttons[0].text() == "How much does Bergmann Logistik GmbH owe?"


def test_switching_away_from_a_slow_desk_does_not_wait_for_it(qtbot, open_window) -> None:
    slow = FakeBackend(delay=1.0)
    window = open_window(slow)
    window.ask_page.ask_this("How much does Bergmann owe?")
    qtbot.wait(50)
    import time

    began = time.perf_counter()
    window.open_profile(sample_profile(name="other"))
    assert time.perf_counter() - began < 0.3
    qtbot.wait(1200)
    assert window.ask_page.pair.answer is None


def test_chips_are_green_only_for_what_was_checked(qtbot, open_window) -> None:
    class Down(FakeBackend):
        def open(self, generation: int) -> Opened:
            opened = super().open(generation)
            idle = Saying("idle", "Read-only: not checked")
            bad = Saying("bad", "Not connected", "The server does not answer.")
            return Opened(generation, opened.as_of, opened.as_of_source, (), idle, bad)

    window = open_window(Down(), ready=False)
    assert window.topbar.read_only.property("mood") == "idle"
    assert window.topbar.chain.property("mood") == "idle"
    qtbot.waitUntil(lambda: window.topbar.connection.property("mood") == "bad")
    assert window.topbar.read_only.property("mood") == "idle"
    assert window.topbar.connection.accessibleName() == "Not connected"


def test_a_log_that_cannot_be_opened_is_said_at_once(qtbot, open_window) -> None:
    class Locked(FakeBackend):
        def open(self, generation: int) -> Opened:
            raise LogError("the log belongs to another user", "Choose another place for it.")

    window = open_window(Locked(), ready=False)
    qtbot.waitUntil(lambda: window.pair().card.state == "fault")
    assert "another user" in window.pair().card.fault.message.text()
    assert window.topbar.connection.saying.mood == "bad"


def test_checking_shows_progress(qtbot, open_window) -> None:
    class Long(FakeBackend):
        def verify(self, progress, cancelled):
            progress(250, 1000)
            while not cancelled() and not self.closed:
                qtbot_wait.wait(0.01)
            return super().verify(progress, cancelled)

    import threading

    qtbot_wait = threading.Event()
    window = open_window(Long(), ready=False)
    qtbot.waitUntil(lambda: window.topbar.chain.text().strip() == "Checking the log … 25\u00a0%")
    assert window.topbar.chain.saying.mood == "busy"


def test_export_writes_the_log(qtbot, open_window, ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    ask(window)
    target = tmp_path / "log.json"
    monkeypatch.setattr(
        "footnote_desktop.desktop.main_window.QFileDialog.getSaveFileName", lambda *_: (str(target), "")
    )
    window.menus.actions["Export the log …"].trigger()
    qtbot.waitUntil(lambda: window.topbar.said().startswith("Exported 1 record"))
    assert len(json.loads(target.read_text(encoding="utf-8"))["records"]) == 1


def test_light_and_dark(qapp, open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.menus.actions["Dark"].trigger()
    assert theme.dark
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == "#171614"
    assert window.grab().toImage().pixelColor(420, 66).name().upper() == "#171614"
    window.menus.actions["Light"].trigger()
    assert not theme.dark
    assert window.grab().toImage().pixelColor(420, 66).name().upper() == "#F7F5F1"


def luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "background"),
        ("ink", "accentSoft"),
        ("muted", "background"),
        ("muted", "panel"),
        ("muted", "sidebar"),
        ("muted", "okSoft"),
        ("muted", "badSoft"),
        ("accent", "panel"),
        ("onAccent", "accent"),
        ("ok", "okSoft"),
        ("warn", "warnSoft"),
        ("bad", "badSoft"),
    ],
)
def test_text_can_be_read_on_its_ground(look: str, text: str, ground: str) -> None:
    light, dark = sorted((luminance(tokens()[look][text]), luminance(tokens()[look][ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2.2, AA


def test_every_action_has_a_shortcut_and_no_two_share_one(open_window) -> None:
    window = open_window()
    every = shortcuts(window.menuBar())
    keys = [key for _, key, _ in every]
    assert all(keys), every
    assert len(set(keys)) == len(keys)
    for expected in ("Ctrl+L", "Ctrl+F", "Ctrl+E", "F5", "Alt+1", "Alt+2"):
        assert QKeySequence(expected).toString(QKeySequence.SequenceFormat.NativeText) in keys


def test_shortcuts_work_while_typing(qtbot, open_window) -> None:
    window = open_window()
    window.activateWindow()
    window.ask_page.question.setText("How much")
    window.ask_page.question.setFocus()
    qtbot.keyClick(window.ask_page.question, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert window.ask_page.question.text() == "How much"
    assert window.ask_page.date._popup is not None
    window.ask_page.date._popup.close()


def test_every_control_has_a_name_for_screen_readers(qtbot, open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.pair().select(2)
    window.pair().card.computed.flip()
    window.show_page(1)
    kinds = (QAbstractButton, QLineEdit, QTextEdit, QPlainTextEdit, QAbstractItemView)
    nameless = [
        widget
        for kind in kinds
        for widget in window.findChildren(kind)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text().strip()))
        and not widget.objectName().startswith("qt_")
    ]
    assert not nameless


def test_it_fits_at_its_smallest_and_at_twice_the_scale(open_window, ask) -> None:
    window = open_window()
    ask(window)
    window.pair().select(2)
    window.resize(window.minimumSize())
    assert window.width() == window.minimumWidth()
    picture = window.grab()
    assert not picture.isNull()


def test_the_list_of_shortcuts_opens_and_closes(qtbot, open_window) -> None:
    window = open_window()
    window.menus.actions["Keyboard shortcuts"].trigger()
    dialogs = window.findChildren(QDialog)
    assert len(dialogs) == 1
    dialogs[0].accept()
    qtbot.waitUntil(lambda: not window.findChildren(QDialog))


def test_each_statement_that_ran_can_be_read(open_window, ask) -> None:
    window = open_window()
    ask(window)
    computed = window.pair().card.computed
    computed.flip()
    assert computed.which.text().strip() == "totals · 1\u00a0row · 0.3\u00a0ms (1 of 2)"
    computed._menu.actions()[1].trigger()
    assert computed.current_sql() == "SELECT *\nFROM invoices\nWHERE customer_id = 4471"
    assert computed.current_sql(exact=True).endswith("--   customer_id = 4471")


def test_a_chip_says_more_and_checks_again(qtbot, open_window) -> None:
    window = open_window()
    window.topbar.chain.click()
    popup = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "popup" and w.isVisible())
    button = popup.findChild(QAbstractButton)
    checking = window._checking
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window._checking != checking
    qtbot.waitUntil(lambda: window.topbar.chain.saying.mood in ("ok", "idle"))
