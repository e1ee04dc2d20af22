"""Renders the pictures of the README anew: ``python tests/gui/screenshots.py [FOLDER]``.

The real application on the sample ERP, without a screen, with an invented account in place of the one that runs it.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from footnote_desktop.answers import desk
from footnote_desktop.desktop import app
from footnote_desktop.desktop.desk_backend import DeskBackend
from footnote_desktop.desktop.main_window import MainWindow
from footnote_desktop.desktop.theme import theme
from footnote_desktop.desktop.wizard.dialog import WizardDialog
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.provenance.actor import Actor
from footnote_desktop.settings import data_folder, from_environment

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import postgres  # noqa: E402  beside this folder

QUESTION = "How much does Bergmann owe?"
MOST_BYTES = 200_000


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the application did not come to rest")
        QTest.qWait(20)


def ask(window: MainWindow, question: str) -> None:
    window.ask_page.ask_this(question)
    until(lambda: not window.ask_page.is_waiting)
    until(lambda: window.pair().evidence.record_box.saying.mood == "ok")


def figure(window: MainWindow, exact: str) -> int:
    answer = window.pair().answer
    assert answer is not None
    return next(f.index for f in answer.figures if f.exact == exact)


def save(window: QWidget, path: Path) -> None:
    QTest.qWait(150)
    picture = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    if not picture.save(str(path), "PNG", 0):
        raise OSError(f"{path} could not be written")
    size = path.stat().st_size
    print(f"{path.name}: {size // 1000} kB")
    if size > MOST_BYTES:
        raise ValueError(f"{path.name} is larger than {MOST_BYTES // 1000} kB")


def main(folder: Path) -> None:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication([])
    theme.install(application, "light")
    desk.current_actor = lambda *_: Actor("ana@finance", "controller", {"account": "ana", "machine": "finance"})
    with tempfile.TemporaryDirectory() as scratch:
        profile = dataclasses.replace(from_environment({}), log=str(Path(scratch) / "log.sqlite3"))
        window = MainWindow(profile, DeskBackend, app.profiles_beside(profile))
        window.show()
        until(lambda: window.ask_page.first.buttons)
        for question in ("How old are our receivables?", "What has Petrov paid?", "Is Lumière Packaging at risk?"):
            ask(window, question)
        ask(window, QUESTION)
        window.pair().select(figure(window, "43805.00"))
        save(window, folder / "ask-light.png")
        theme.use("dark")
        save(window, folder / "ask-dark.png")
        theme.use("light")
        ask(window, "How much does Acme Corporation owe?")
        save(window, folder / "refusal.png")
        window.show_page(1)
        page = window.answers_page
        until(lambda: page.model.rowCount() == 5)
        page.table.selectRow(1)
        page.table.setFocus()
        until(lambda: page.pair.answer is not None)
        page.pair.select(figure(window, "43805.00"))
        save(window, folder / "answers.png")
        wizard(folder / "wizard.png", Path(scratch))
        window.close()


def wizard(path: Path, scratch: Path) -> None:
    """The check of a real server, in a database and with a role made for it: what a role that can write gets to see."""
    os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = str(scratch)
    server = postgres.start()
    try:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE books")
            connection.execute("CREATE ROLE controller LOGIN")
        books = server.url.rpartition("/")[0] + "/books"
        seed_postgres(books, data_folder("migrations"))
        with psycopg.connect(books, autocommit=True) as connection:
            connection.execute("GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO controller")
        state = Wizard()
        state.set(source="database", url=books.replace("postgres@", "controller@"), name="Books")
        state.next()
        state.next()
        dialog = WizardDialog(state)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.show()
        until(lambda: state.replies.report is not None)
        dialog.go_on()
        QTest.qWait(100)
        bar = dialog.result_page.findChild(QScrollArea).verticalScrollBar()
        bar.setValue(dialog.result_page.sql.parentWidget().y() - 8)
        save(dialog, path)
        dialog.ask_draft = lambda: "discard"  # type: ignore[method-assign]
        dialog.close()
        until(lambda: not dialog.isVisible())
    finally:
        server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "screenshots")
