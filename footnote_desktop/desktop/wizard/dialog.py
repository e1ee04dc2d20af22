"""The wizard's window: the steps at the left, the page in the middle, what it means at the right."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QMessageBox, QStackedWidget, QWidget

from footnote_desktop.desktop.controls import Button, column, label, row, rule, set_property
from footnote_desktop.desktop.plain import announce
from footnote_desktop.desktop.wizard.check_pages import ResultPage, TestPage
from footnote_desktop.desktop.wizard.connection_page import ConnectionPage
from footnote_desktop.desktop.wizard.draft import discard_draft, keep_draft
from footnote_desktop.desktop.wizard.page import ClientPage, DonePage, ErpPage, LogPage, StartPage, WizardPage
from footnote_desktop.desktop.wizard.state import Page, Wizard
from footnote_desktop.desktop.wizard.work import Checked, Finished, Looked, Staged, Work
from footnote_desktop.settings import Profile

STEPS = {
    Page.START: "Data",
    Page.CONNECTION: "Connection",
    Page.TEST: "Test",
    Page.RESULT: "What it can touch",
    Page.ERP: "What was found",
    Page.LOG: "Name and log",
    Page.CLIENT: "AI client",
    Page.DONE: "Done",
}


class WizardDialog(QDialog):
    """``saved`` carries the profile when it is saved and to be opened."""

    saved = Signal(Profile)

    def __init__(self, wizard: Wizard | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wizard = wizard or Wizard()
        self.profile: Profile | None = None
        self.work = Work(self)
        self.work.reported.connect(self._reported)
        self._saving = False
        self.setWindowTitle("Connect a database" if not self.wizard.editing else f"Change {self.wizard.editing}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1040, 680)
        self.setMinimumSize(820, 520)
        self.pages: dict[Page, WizardPage] = {
            Page.START: StartPage(self.wizard),
            Page.CONNECTION: ConnectionPage(self.wizard),
            Page.TEST: TestPage(self.wizard),
            Page.RESULT: ResultPage(self.wizard),
            Page.ERP: ErpPage(self.wizard),
            Page.LOG: LogPage(self.wizard),
            Page.CLIENT: ClientPage(self.wizard),
            Page.DONE: DonePage(self.wizard),
        }
        self._build()
        self.test_page.wanted.connect(self.start_test)
        self.test_page.unwanted.connect(self.cancel_test)
        self.result_page.copied.connect(self._say)
        self.work.warm()
        self._show_page()

    @property
    def test_page(self) -> TestPage:
        page = self.pages[Page.TEST]
        assert isinstance(page, TestPage)
        return page

    @property
    def result_page(self) -> ResultPage:
        page = self.pages[Page.RESULT]
        assert isinstance(page, ResultPage)
        return page

    def _build(self) -> None:
        outer = column(self, gap=0)
        middle = row(gap=0)
        side = QFrame()
        side.setObjectName("sidebar")
        side.setFixedWidth(196)
        steps = column(side, margins=(20, 24, 12, 16), gap=10)
        self.steps = {page: label(text, "muted") for page, text in STEPS.items()}
        for step in self.steps.values():
            steps.addWidget(step)
        steps.addStretch(1)
        middle.addWidget(side)
        self.stack = QStackedWidget()
        self.stack.setContentsMargins(24, 20, 16, 12)
        for page in self.pages.values():
            self.stack.addWidget(page)
            page.changed.connect(self._changed)
        middle.addWidget(self.stack, 1)
        right = QFrame()
        right.setProperty("kind", "inset")
        right.setFixedWidth(248)
        meaning = column(right, margins=(16, 20, 16, 16), gap=8)
        meaning.addWidget(label("WHAT IT MEANS", "caps"))
        self.meaning = label("", wrap=True)
        self.meaning.setAlignment(Qt.AlignmentFlag.AlignTop)
        meaning.addWidget(self.meaning)
        meaning.addStretch(1)
        beside = column(margins=(0, 20, 20, 12))
        beside.addWidget(right)
        middle.addLayout(beside)
        outer.addLayout(middle, 1)
        outer.addWidget(rule())
        foot = QFrame()
        line = row(foot, margins=(24, 10, 20, 12), gap=10)
        self.why = label("", "muted", wrap=True)
        line.addWidget(self.why, 1)
        self.back = Button("Back", symbol="left", pressed=self.go_back)
        self.next = Button("Next", "primary", pressed=self.go_on)
        self.next.setDefault(True)
        self.back.setAutoDefault(False)
        line.addWidget(self.back)
        line.addWidget(self.next)
        outer.addWidget(foot)

    # -- going on and back -----------------------------------------------------------------------------------------

    @property
    def page(self) -> WizardPage:
        return self.pages[self.wizard.page]

    def go_on(self) -> None:
        """The next page, or what is missing for it."""
        if self._saving:
            return
        if self.wizard.page is Page.DONE:
            self.accept()
            return
        self.page.leave()
        if self.wizard.missing():
            self._changed(insist=True)
            return
        if self.wizard.page is Page.CLIENT:
            self._saving = True
            self._changed()
            self.work.finish(self.wizard)
            return
        self.wizard.next()
        self._show_page()

    def go_back(self) -> None:
        self.page.leave()
        self.work.stop()
        self.wizard.back()
        self._show_page()

    def _show_page(self) -> None:
        page = self.page
        self.stack.setCurrentWidget(page)
        self.meaning.setText(page.meaning)
        order = list(Page)
        here = order.index(self.wizard.page)
        for number, (name, step) in enumerate(self.steps.items()):
            step.setText(f"{'●' if number == here else '✓' if number < here else '○'}  {STEPS[name]}")
            set_property(step, "role", "sum" if number == here else "muted")
        page.enter()
        if self.wizard.page is Page.ERP:
            self._look()
        self._changed()
        announce(self, f"{STEPS[self.wizard.page]}. {page.heading}")

    def _changed(self, *, insist: bool = False) -> None:
        """Show what is missing. Before anything was tried it is a remark, afterwards it is said aloud."""
        if (
            self.wizard.page is Page.ERP
            and self.wizard.replies.preview is None
            and not self.wizard.replies.preview_fault
        ):
            self._look()
        missing = self.wizard.missing() if self.wizard.page is not Page.DONE else []
        text = " ".join(missing) if not self._saving else "Saving …"
        self.why.setText(text)
        set_property(self.why, "mood", "bad" if insist and missing else "")
        if insist and missing:
            announce(self, text)
        self.back.setEnabled(self.wizard.can_go_back and not self._saving)
        self.next.setEnabled(not self._saving and not self.wizard.testing)
        last = {Page.CLIENT: "Save", Page.DONE: "Open it"}
        self.next.put(last.get(self.wizard.page, "Next"))

    def _say(self, text: str) -> None:
        self.why.setText(text)
        set_property(self.why, "mood", "ok")
        announce(self, text)

    # -- what takes time -------------------------------------------------------------------------------------------

    def start_test(self) -> None:
        generation = self.wizard.start_test()
        self.test_page.begin()
        self._changed()
        self.work.check(self.wizard, generation)

    def cancel_test(self) -> None:
        """Stop waiting; a server that does not answer is left behind."""
        self.work.stop()
        self.wizard.cancel_test()
        self.test_page.ended()
        self._changed()

    def _look(self) -> None:
        if self.wizard.replies.preview is None and self._looking != (asked := self._asked()):
            self._looking = asked
            self.work.look(self.wizard, self.wizard.generation)

    _looking: tuple[object, ...] = ()

    def _asked(self) -> tuple[object, ...]:
        typed = self.wizard.typed
        return (self.wizard.generation, typed.company, typed.mapping, typed.as_of_rule)

    def _reported(self, event: object) -> None:
        if isinstance(event, Staged):
            if event.generation == self.wizard.generation and self.wizard.testing:
                self.test_page.stage(event.item)
        elif isinstance(event, Checked):
            if self.wizard.finish_test(event.generation, event.report):
                self.test_page.ended()
                for item in event.report.items:
                    self.test_page.stage(item)
                self._changed()
        elif isinstance(event, Looked):
            if self._looking == self._asked() and self.wizard.finish_preview(
                event.generation, event.preview, event.fault
            ):
                self._looking = ()
                erp = self.pages[Page.ERP]
                assert isinstance(erp, ErpPage)
                erp.show_found()
                self._changed()
        elif isinstance(event, Finished):
            self._finished(event)

    def _finished(self, event: Finished) -> None:
        self._saving = False
        if event.profile is None:
            self._changed()
            self.why.setText(event.fault)
            set_property(self.why, "mood", "bad")
            announce(self, event.fault)
            return
        self.profile = event.profile
        if not self.wizard.editing:
            discard_draft()
        self.wizard.next()
        self._show_page()

    # -- the end ---------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        if self.profile is not None:
            self.saved.emit(self.profile)
        self.work.stop()
        super().accept()

    def reject(self) -> None:
        """Esc or the window's button: what was typed can be kept."""
        if self._saving:
            return
        if self.profile is not None:  # it is saved; only opening it was not asked for
            self.accept()
            return
        self.page.leave()
        if self.wizard.worth_keeping and not self.wizard.editing:
            answer = self.ask_draft()
            if answer == "stay":
                return
            if answer == "keep":
                keep_draft(self.wizard)
            else:
                discard_draft()
        self.work.stop()
        super().reject()

    def ask_draft(self) -> Literal["keep", "discard", "stay"]:
        """Ask what is to become of what was typed."""
        box = QMessageBox(self)
        box.setWindowTitle("Keep a draft?")
        box.setText("Nothing is saved yet. Keep what you typed for next time? The password is not kept.")
        keep = box.addButton("Keep a draft", QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton("Go on", QMessageBox.ButtonRole.RejectRole)
        box.exec()
        chosen = box.clickedButton()
        box.deleteLater()
        return "keep" if chosen is keep else "discard" if chosen is discard else "stay"
