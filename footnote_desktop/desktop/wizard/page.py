"""What the wizard's pages have in common, and the pages that only ask or tell."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QScrollArea, QWidget

from footnote_desktop.desktop.controls import Button, Field, clear, column, label, row
from footnote_desktop.desktop.theme import paint_icon
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.settings import default_log


class WizardPage(QWidget):
    """``changed`` when something was typed that may let the next page come."""

    changed = Signal()
    heading = ""
    meaning = ""  #: what it means, at the right

    def __init__(self, wizard: Wizard) -> None:
        super().__init__()
        self.wizard = wizard
        self.layout_ = column(self, gap=12)
        self.layout_.addWidget(label(self.heading, "heading", wrap=True))

    def enter(self) -> None:
        """The page is shown: show what the wizard holds."""

    def leave(self) -> None:
        """Hand over what was typed, before going on or back."""

    def put(self, **changes: Any) -> None:
        self.wizard.set(**changes)
        self.changed.emit()


class Form(QGridLayout):
    """Names at the left, fields at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalSpacing(12)
        self.setVerticalSpacing(8)
        self.setColumnStretch(1, 1)

    def add(self, name: str, widget: QWidget) -> None:
        line = self.rowCount()
        widget.setAccessibleName(name)
        self.addWidget(label(name), line, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(widget, line, 1)


class Choice(QComboBox):
    """A choice whose arrow follows the theme, which the style sheet cannot do."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, QRectF(self.width() - 26, (self.height() - 16) / 2, 16, 16), "down", "muted")
        painter.end()


def choice(options: tuple[tuple[str, str], ...], chosen: Callable[[str], object]) -> QComboBox:
    """A choice of ``(value, words)``; ``chosen`` gets the value when a person picks one."""
    box = Choice()
    for value, words in options:
        box.addItem(words, value)
    box.activated.connect(lambda index: chosen(str(box.itemData(index))))
    return box


def select(box: QComboBox, value: str) -> None:
    box.setCurrentIndex(max(0, box.findData(value)))


def scrolled(widget: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


class StartPage(WizardPage):
    heading = "What do you want to look at?"
    meaning = (
        "The sample is invented and stays in this program. Your own database is read, never written to: that is checked"
        " before anything is saved, and you see the result."
    )

    OPTIONS = (
        ("database", "My database", "A PostgreSQL server that IT gave you access to, or a SQLite file."),
        ("sample", "Sample data", "A small invented company, to look around in."),
        ("tricky", "Sample data with difficult cases", "Credits, several currencies, part payments, broken rows."),
    )

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self.buttons: dict[str, Button] = {}
        for value, words, more in self.OPTIONS:
            button = Button(words, "choice", pressed=partial(self._choose, value))
            button.setCheckable(True)
            button.setAccessibleDescription(more)
            self.buttons[value] = button
            option = column(gap=4)
            option.addWidget(button)
            more_label = label(more, "muted", wrap=True)
            more_label.setContentsMargins(15, 0, 0, 0)
            option.addWidget(more_label)
            self.layout_.addLayout(option)
        self.layout_.addStretch(1)

    def enter(self) -> None:
        for value, button in self.buttons.items():
            button.setChecked(value == self.wizard.typed.source)

    def _choose(self, value: str) -> None:
        self.put(source=value)
        self.enter()


class ErpPage(WizardPage):
    """What was found: for comparing with a report that the person already has."""

    heading = "What was found"
    meaning = (
        "Compare the three figures with a report that you already have, such as the ageing list from your ERP for the"
        " same day. If they differ, go back: it may be another company, or another day.\n\nUntil a named person has"
        " compared the open items with the ledger, every answer says “not reconciled to the ledger”."
    )
    RULES = (("today", "Today"), ("period_end", "The last closed period end before today"))

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self.words = label("Reading the database …", wrap=True)
        self.words.setProperty("role", "lead")
        self.layout_.addWidget(self.words)
        self.figures = QGridLayout()
        self.figures.setHorizontalSpacing(24)
        self.figures.setVerticalSpacing(8)
        self.layout_.addLayout(self.figures)
        self.as_of = label("", "muted", wrap=True)
        self.layout_.addWidget(self.as_of)
        form = Form()
        self.rule = choice(self.RULES, self._day_chosen)
        self.company = Field()
        self.company.setPlaceholderText("the only one there is")
        self.company.editingFinished.connect(self.leave)
        form.add("Figures hold for", self.rule)
        form.add("Company", self.company)
        self.layout_.addLayout(form)
        self.layout_.addStretch(1)

    def enter(self) -> None:
        select(self.rule, self.wizard.typed.as_of_rule)
        self.company.setText(self.wizard.typed.company)
        self.show_found()

    def _day_chosen(self, rule: str) -> None:
        self.wizard.look_again()
        self.put(as_of_rule=rule)
        self.show_found()

    def leave(self) -> None:
        if self.company.text().strip() != self.wizard.typed.company:
            self.put(company=self.company.text().strip())
            self.show_found()

    def show_found(self) -> None:
        clear(self.figures)
        replies = self.wizard.replies
        self.as_of.clear()
        if replies.preview is None:
            self.words.setText(replies.preview_fault or "Reading the database …")
            return
        found = replies.preview
        self.words.setText(
            f"{found.erp}, {found.company}: {found.customers} customers, {found.open_invoices} open invoices."
        )
        for line, figure in enumerate(found.figures):
            self.figures.addWidget(label(figure.label, wrap=True), line, 0)
            amount = label(figure.shown, "figure", selectable=True)
            self.figures.addWidget(amount, line, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.as_of.setText(f"As of {found.as_of} ({found.as_of_source}).")


class LogPage(WizardPage):
    heading = "A name, and where the log lives"
    meaning = (
        "Every answer is recorded before it is shown, in this file, so that it can be proved later. It is never in the"
        " database that is read. Deleting a profile never deletes its log."
    )

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        form = Form()
        self.name = Field()
        self.name.textEdited.connect(lambda text: self._named(text.strip()))
        self.log = Field()
        self.log.textEdited.connect(lambda text: self.put(log=text.strip()))
        self.documents = Field()
        self.documents.setPlaceholderText("none")
        self.documents.textEdited.connect(lambda text: self.put(documents=text.strip()))
        form.add("Name", self.name)
        form.add("Log", self.log)
        form.add("Documents", self.documents)
        self.layout_.addLayout(form)
        line = row()
        line.addWidget(Button("Choose the log …", pressed=self._choose_log))
        line.addWidget(Button("Choose the folder of documents …", pressed=self._choose_documents))
        line.addStretch(1)
        self.layout_.addLayout(line)
        self.layout_.addStretch(1)

    def enter(self) -> None:
        typed = self.wizard.typed
        if not typed.name:
            self.wizard.set(name=self._suggested())
        self.name.setText(self.wizard.typed.name)
        self.documents.setText(typed.documents)
        self._show_log()

    def _suggested(self) -> str:
        typed = self.wizard.typed
        if typed.source != "database":
            return "Looking around"
        from footnote_desktop.settings import SettingsError, check_name
        from footnote_desktop.settings.connection import split_password

        try:
            return check_name(split_password(typed.url)[0].get("dbname", "").capitalize())
        except SettingsError:
            return ""

    def _named(self, name: str) -> None:
        self.put(name=name)
        self._show_log()

    def _show_log(self) -> None:
        typed = self.wizard.typed
        self.log.setText(typed.log)
        try:
            self.log.setPlaceholderText(default_log(typed.name) if typed.name else "")
        except ValueError:
            self.log.setPlaceholderText("")

    def _choose_log(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Where the log lives", self.log.text() or self.log.placeholderText(), "Log (*.sqlite3)",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if path:
            self.put(log=path)
            self._show_log()

    def _choose_documents(self) -> None:
        if path := QFileDialog.getExistingDirectory(self, "The folder of documents", self.documents.text()):
            self.put(documents=path)
            self.documents.setText(path)


class ClientPage(WizardPage):
    heading = "Connect an AI client"
    meaning = "A client gets the same answers from the same profile, and each of them is recorded in the same log."

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self.layout_.addWidget(
            label(
                "Any client that speaks MCP can ask through this profile. It starts the program itself, with this"
                " command:",
                wrap=True,
            )
        )
        self.command = label("", "value", wrap=True, selectable=True)
        self.layout_.addWidget(self.command)
        self.layout_.addWidget(label("This can be done later as well.", "muted", wrap=True))
        self.layout_.addStretch(1)

    def enter(self) -> None:
        self.command.setText(f'footnote serve --profile "{self.wizard.typed.name}"')


class DonePage(WizardPage):
    heading = "Done"
    meaning = (
        "The connection is stored as a readable file without its password. You find the profile in the profile switch"
        " at the left, where it can also be changed, duplicated and deleted."
    )

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        self.words = label("", "lead", wrap=True)
        self.layout_.addWidget(self.words)
        self.layout_.addStretch(1)

    def enter(self) -> None:
        self.words.setText(f"The profile {self.wizard.typed.name} is saved.")
