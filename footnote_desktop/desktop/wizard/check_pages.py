"""The check: its stages as they finish, and then its result with the SQL for the database's administrator."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from footnote_desktop.desktop.controls import Button, Field, Picture, clear, column, label, row, to_clipboard
from footnote_desktop.desktop.theme import fixed_font
from footnote_desktop.desktop.wizard.page import Form, WizardPage, scrolled
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.erp.check import STAGES
from footnote_desktop.erp.connect import is_postgres
from footnote_desktop.erp.report import CheckItem

_ICONS = {
    "pass": ("check", "ok"),
    "warn": ("warning", "warn"),
    "fail": ("close", "bad"),
    "unchecked": ("dot", "muted"),
    "running": ("clock", "accent"),
}
_WORDS = {"pass": "passed", "warn": "look at this", "fail": "failed", "unchecked": "not checked", "running": "running"}


class ItemRow(QWidget):
    """One item: icon and word, sentence, what to do, its time, and the raw text on request."""

    def __init__(self, name: str, *, inner: bool = False) -> None:
        super().__init__()
        outer = row(self, margins=(24 if inner else 0, 0, 0, 0), gap=10)
        self.picture = Picture("dot", "muted", 18)
        outer.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        words = column(gap=2)
        head = row()
        self.name = label(name[:1].upper() + name[1:])
        self.state = label("", "muted")
        self.ms = label("", "muted")
        head.addWidget(self.name)
        head.addWidget(self.state)
        head.addStretch(1)
        head.addWidget(self.ms)
        words.addLayout(head)
        self.sentence = label("", "muted", wrap=True, selectable=True)
        self.advice = label("", wrap=True, selectable=True)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setFont(fixed_font())
        self.details.setTabChangesFocus(True)
        self.details.setMaximumHeight(96)
        self.details.setAccessibleName(f"Details of {name}")
        self.open = Button("Details", "quiet", symbol="right", pressed=self._flip)
        self.open.setAccessibleName(f"Details of {name}")
        line = row()
        line.addWidget(self.open)
        line.addStretch(1)
        for widget in (self.sentence, self.advice):
            words.addWidget(widget)
            widget.hide()
        words.addLayout(line)
        words.addWidget(self.details)
        self.open.hide()
        self.details.hide()
        outer.addLayout(words, 1)

    def show_state(self, state: str) -> None:
        self.picture.put(*_ICONS[state])
        self.state.setText(_WORDS[state])

    def show_item(self, item: CheckItem) -> None:
        self.show_state(item.state)
        self.sentence.setText(item.sentence)
        self.sentence.setVisible(bool(item.sentence))
        advice = item.advice if item.state != "pass" else ""
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        self.ms.setText(f"{item.ms:.0f}\u00a0ms" if item.state != "unchecked" else "")
        self.details.setPlainText(item.details)
        self.open.setVisible(bool(item.details))

    def _flip(self) -> None:
        shown = not self.details.isVisible()
        self.details.setVisible(shown)
        self.open.put_icon("down" if shown else "right")


class TestPage(WizardPage):
    """``wanted`` when the test is to run, ``unwanted`` when a person does not want to wait."""

    __test__ = False  # no test, for pytest

    wanted = Signal()
    unwanted = Signal()
    heading = "Testing the connection"
    meaning = (
        "Each stage is looked at in turn, and nothing is written to find out. What fails says what to do, in words that"
        " you can send to IT; the raw text stands under Details."
    )

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self._body = QWidget()
        self._rows = column(self._body, margins=(0, 0, 10, 0), gap=8)
        self.rows: dict[str, ItemRow] = {}
        self.layout_.addWidget(scrolled(self._body), 1)
        line = row()
        self.cancel = Button("Cancel the test", symbol="close", pressed=self.unwanted.emit)
        self.again = Button("Test again", pressed=self.wanted.emit)
        line.addWidget(self.cancel)
        line.addWidget(self.again)
        line.addStretch(1)
        self.layout_.addLayout(line)

    def enter(self) -> None:
        if self.wizard.replies.report is None and not self.wizard.testing:
            self.wanted.emit()
        self.show_buttons()

    def begin(self) -> None:
        """Empty rows, the first one running."""
        clear(self._rows)
        self.rows = {}
        stages = STAGES if is_postgres(self.wizard.typed.url) else ("file", *STAGES[4:])
        for stage in stages:
            self.rows[stage] = ItemRow(stage)
            self.rows[stage].show_state("unchecked")
            self._rows.addWidget(self.rows[stage])
        self._rows.addStretch(1)
        self.rows[stages[0]].show_state("running")
        self.show_buttons()

    def stage(self, item: CheckItem) -> None:
        """One item came."""
        if item.name not in self.rows:
            if item.name == item.stage:  # a stage that only some connections have, such as the tunnel
                self.rows[item.name] = ItemRow(item.name)
                self._rows.insertWidget(0, self.rows[item.name])
            else:
                return  # what a stage rests on stands on the next page
        self.rows[item.name].show_item(item)
        waiting = [
            r for r in self.rows.values() if r.state.text() in ("not checked", "running") and not r.sentence.text()
        ]
        if waiting and item.state != "unchecked":
            waiting[0].show_state("running")

    def ended(self) -> None:
        for line in self.rows.values():
            if line.state.text() == "running":
                line.show_state("unchecked")
        self.show_buttons()

    def show_buttons(self) -> None:
        self.cancel.setVisible(self.wizard.testing)
        self.again.setVisible(not self.wizard.testing)


class ResultPage(WizardPage):
    heading = "What this connection can and cannot touch"
    meaning = (
        "This is the answer to IT's question, before anything is saved.\n\nA role that can do more than read is"
        " refused. The SQL makes the right role for this server; after IT ran it, go back and test again."
    )

    copied = Signal(str)

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self._body = QWidget()
        self._rows = column(self._body, margins=(0, 0, 10, 0), gap=10)
        self.layout_.addWidget(scrolled(self._body), 1)
        self.sql = QPlainTextEdit()
        self.copy = Button("Copy the SQL")
        self.by = Field()
        self.reason = Field()

    def enter(self) -> None:
        clear(self._rows)
        report = self.wizard.replies.report
        if report is None:
            return
        for item in report.items:
            line = ItemRow(item.name, inner=item.name != item.stage)
            line.show_item(item)
            self._rows.addWidget(line)
        cannot = [serving for serving in report.operations if not serving.available]
        can = len(report.operations) - len(cannot)
        if report.operations:
            self._rows.addWidget(label(f"{can} of {len(report.operations)} operations can be served.", wrap=True))
        for serving in cannot:
            self._rows.addWidget(label(f"Not {serving.name}: {serving.reason}", "muted", wrap=True))
        if report.role_sql:
            self._rows.addWidget(self._sql(report.role_sql))
        if self.wizard.needs_override:
            self._rows.addWidget(self._override())
        self._rows.addStretch(1)

    def _sql(self, sql: str) -> QFrame:
        frame = QFrame()
        frame.setProperty("kind", "note")
        box = column(frame, margins=(16, 12, 16, 12), gap=8)
        head = row()
        head.addWidget(label("For the database's administrator", "title"))
        head.addStretch(1)
        self.copy = Button("Copy the SQL", symbol="copy", pressed=lambda: self._copy(sql))
        head.addWidget(self.copy)
        box.addLayout(head)
        self.sql = QPlainTextEdit(sql)
        self.sql.setReadOnly(True)
        self.sql.setFont(fixed_font())
        self.sql.setTabChangesFocus(True)
        self.sql.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.sql.setMinimumHeight(160)
        self.sql.setAccessibleName("SQL for the database's administrator")
        box.addWidget(self.sql)
        return frame

    def _copy(self, sql: str) -> None:
        to_clipboard(sql)
        self.copied.emit("The SQL is on the clipboard.")

    def _override(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("kind", "fault")
        box = column(frame, margins=(16, 12, 16, 12), gap=8)
        box.addWidget(label("Use this role all the same", "title"))
        box.addWidget(
            label("Only where there is no other way. Who decides it and why become a record of the log.", wrap=True)
        )
        form = Form()
        self.by, self.reason = Field(), Field()
        self.by.setText(self.wizard.typed.override_by)
        self.reason.setText(self.wizard.typed.override_reason)
        self.by.textEdited.connect(lambda text: self.put(override_by=text))
        self.reason.textEdited.connect(lambda text: self.put(override_reason=text))
        form.add("Decided by", self.by)
        form.add("Because", self.reason)
        box.addLayout(form)
        return frame
