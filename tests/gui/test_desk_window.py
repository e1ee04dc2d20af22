"""The window on the real desk and the sample ERP, with a real log."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import subprocess
import sys
from pathlib import Path

import pytest

from footnote_desktop.desktop import app
from footnote_desktop.desktop.desk_backend import DeskBackend, read_only
from footnote_desktop.settings import Profile, from_environment

pytestmark = pytest.mark.gui


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return dataclasses.replace(from_environment({}), log=str(tmp_path / "log.sqlite3"))


def test_the_main_job(qtbot, open_window, ask, profile: Profile) -> None:
    window = open_window(DeskBackend(profile), profile)
    assert window.topbar.read_only.saying.mood == "ok"
    assert window.topbar.connection.saying.title == "Sample data"
    ask(window)
    answer = window.pair().answer
    total = next(f for f in answer.figures if f.exact == "43805.00")
    window.pair().select(total.index)
    panel = window.pair().evidence
    assert panel.figure_label.text() == "43.805,00\u00a0€"
    assert [panel.model.index(row, 0).data() for row in range(panel.model.rowCount())] == [
        "INV-2026-8812",
        "INV-2026-8834",
        "INV-2026-8901",
        "INV-2026-8977",
    ]
    assert panel.view.line.state == "equal"
    assert "SELECT" in window.pair().card.computed.current_sql()
    qtbot.waitUntil(lambda: panel.record_box.saying.mood == "ok", timeout=5000)
    qtbot.waitUntil(lambda: window.topbar.chain.saying.title.startswith("Unchanged · 1\u00a0record"))


def test_earlier_answers_come_from_the_log(qtbot, open_window, ask, profile: Profile, tmp_path: Path) -> None:
    first = open_window(DeskBackend(profile), profile)
    ask(first)
    ask(first, "How much does Acme Corporation owe?")
    declined = first.pair().card.declined
    assert declined.choices
    said = first.pair().answer
    first.close()

    window = open_window(DeskBackend(profile), profile)
    window.show_page(1)
    page = window.answers_page
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    assert page.model.line(0).outcome == "refused"
    page.table.selectRow(0)
    qtbot.waitUntil(lambda: page.pair.answer is not None)
    assert page.pair.answer.reason == said.reason
    assert page.pair.answer.alternatives == said.alternatives
    page.table.selectRow(1)
    qtbot.waitUntil(lambda: page.pair.answer.outcome == "answered")
    page.pair.select(1)
    assert page.pair.evidence.view.line.state == "equal"
    target = tmp_path / "out.json"
    window.export_to(str(target))
    qtbot.waitUntil(lambda: window.topbar.said().startswith("Exported 2 records"), timeout=5000)


def test_every_example_is_answered_or_declined(qtbot, open_window, ask, profile: Profile) -> None:
    window = open_window(DeskBackend(profile), profile)
    for button in window.ask_page.first.buttons:
        ask(window, button.text().strip())
        state = window.pair().card.state
        assert state == ("declined" if "next quarter" in button.text() else "answer"), button.text()
        answer = window.pair().answer
        for figure in answer.figures:
            window.pair().select(figure.index)
            view = window.pair().evidence.view
            assert view.rows, figure
            assert view.line is None or view.line.state == "equal", (figure, view.line)


def test_a_database_that_is_down_is_said_and_recorded(qtbot, open_window, ask, tmp_path: Path) -> None:
    url = "postgresql://nobody:secret@127.0.0.1:1/nothing"
    environ = {"DATABASE_URL": url, "PROVENANCE_DB": str(tmp_path / "log.sqlite3"), "AS_OF_DATE": "2026-08-14"}
    profile = from_environment(environ)
    window = open_window(DeskBackend(profile), profile)
    qtbot.waitUntil(lambda: window.topbar.connection.saying.mood == "bad", timeout=20000)
    assert window.topbar.read_only.saying.mood == "idle"
    assert "secret" not in window.topbar.connection.saying.detail
    ask(window)
    card = window.pair().card
    assert card.state == "fault"
    assert "secret" not in card.fault.message.text()
    assert window.pair().evidence.record_box.isVisible()


def test_read_only_is_green_only_when_the_database_says_so() -> None:
    now = dt.datetime(2026, 8, 14, 9, 12)
    assert read_only({"isolation": "repeatable read, read only", "role": "app"}, now).mood == "ok"
    assert read_only({"isolation": "repeatable read", "role": "app"}, now).mood == "idle"


@pytest.mark.parametrize(
    ("environ", "platform", "shown"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({"QT_QPA_PLATFORM": "xcb"}, "linux", False),
        ({}, "win32", True),
        ({}, "darwin", True),
    ],
)
def test_whether_a_window_can_be_opened(environ: dict[str, str], platform: str, shown: bool) -> None:
    assert app.display_available(environ, platform) is shown


def test_without_a_screen_it_says_so_and_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], profile: Profile
) -> None:
    monkeypatch.setattr(app, "display_available", lambda: False)
    assert app.run(profile) == 2
    assert "no screen" in capsys.readouterr().err


def test_the_profiles_to_choose_from(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(app.profiles_beside(profile)) == ["Sample ERP", "Tricky cases"]
    monkeypatch.setenv("DATABASE_URL", "postgresql://localhost/erp")
    real = from_environment()
    found = app.profiles_beside(real)
    assert list(found) == ["environment", "Sample ERP", "Tricky cases"]
    assert found["Sample ERP"].database_url is None
    assert found["Sample ERP"].log != real.log


_OPEN_AND_CLOSE = """
import dataclasses, sys, threading
from footnote_desktop.desktop import app
from footnote_desktop.settings import from_environment

def close():
    from PySide6.QtCore import QMetaObject, Qt
    from PySide6.QtWidgets import QApplication
    for widget in QApplication.topLevelWidgets():
        if widget.metaObject().className() == "MainWindow":
            QMetaObject.invokeMethod(widget, "close", Qt.ConnectionType.QueuedConnection)

threading.Timer(1.0, close).start()
sys.exit(app.run(dataclasses.replace(from_environment({}), log=sys.argv[1]), "footnote://record/1"))
"""


def test_the_application_opens_and_ends_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", _OPEN_AND_CLOSE, str(tmp_path / "log.sqlite3")]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "log.sqlite3").exists()
