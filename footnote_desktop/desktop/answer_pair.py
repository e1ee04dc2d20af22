"""The answer and the evidence of its chosen figure: one component, used wherever an answer is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from footnote_desktop.desktop import copying
from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.answer_card import AnswerCard
from footnote_desktop.desktop.behind import evidence_for
from footnote_desktop.desktop.chain import ChainState
from footnote_desktop.desktop.controls import column, to_clipboard
from footnote_desktop.desktop.events import Fault
from footnote_desktop.desktop.evidence_panel import EvidencePanel
from footnote_desktop.desktop.plain import announce


class AnswerPair(QWidget):
    """``asked``: an alternative of a refusal was chosen. ``copied``: what went to the clipboard, in words."""

    asked = Signal(str)
    retried = Signal()
    cancelled = Signal()
    copied = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._answer: Answer | None = None
        self.card = AnswerCard(self._copy)
        self.evidence = EvidencePanel()
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(14)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.card)
        self._splitter.addWidget(self.evidence)
        self._splitter.setStretchFactor(0, 52)
        self._splitter.setStretchFactor(1, 48)
        self._splitter.setSizes([520, 480])
        self.card.setMinimumWidth(300)
        self.evidence.setMinimumWidth(320)
        column(self).addWidget(self._splitter)
        self.card.figure_opened.connect(self.select)
        self.card.asked.connect(self.asked)
        self.card.retried.connect(self.retried)
        self.card.cancelled.connect(self.cancelled)
        self.card.skeleton_shown.connect(self._show_waiting)
        self.evidence.stepped.connect(self.step)
        self.card.copy_answer.clicked.connect(self.copy_answer)
        self.evidence.record_box.copy_hash.clicked.connect(self.copy_hash)

    # --- what is shown ---

    @property
    def answer(self) -> Answer | None:
        return self._answer

    def show_answer(self, answer: Answer, figure: int | None = None) -> None:
        self._answer = answer
        self.card.show_answer(answer)
        self.evidence.record_box.show_record(answer.record, answer.locale)
        self.evidence.show_reconciliation(answer.reconciliation)
        if figure is not None and 0 <= figure < len(answer.figures):
            self.select(figure)
        elif answer.outcome == "refused":
            self.evidence.show_nothing(
                "No figures", "Nothing was computed. The decision itself is recorded.", "decline"
            )
        elif not answer.figures:
            self.evidence.show_nothing("No figures", "This answer states no figure.", "empty")
        else:
            self.evidence.show_nothing()

    def show_fault(self, fault: Fault) -> None:
        self._answer = None
        self.card.show_fault(fault)
        self.evidence.record_box.show_record(None, "de_DE")
        self.evidence.show_nothing("No figures", "No answer was given, so there is nothing to show.", "decline")

    def show_blank(self, title: str = "", words: str = "") -> None:
        self._answer = None
        self.card.show_blank()
        self.evidence.record_box.show_record(None, "de_DE")
        self.evidence.show_nothing(title, words)

    def wait(self, question: str) -> None:
        self.card.wait(question)

    def _show_waiting(self) -> None:
        # What stood here belongs to the answer before.
        self.evidence.record_box.show_record(None, "de_DE")
        self.evidence.show_nothing("Waiting", "The evidence comes with the answer.", "clock")

    def show_chain(self, chain: ChainState) -> None:
        self.evidence.record_box.show_chain(chain)

    def select(self, figure: int) -> None:
        """Show the evidence of a figure."""
        if self._answer is None or not 0 <= figure < len(self._answer.figures):
            return
        view = evidence_for(self._answer, figure)
        self.card.text.select(figure)
        self.evidence.show_view(view)
        announce(self.evidence, f"{view.title}, {view.caption}")

    def step(self, by: int) -> None:
        """The next or previous figure; from none, the first or the last."""
        if self._answer is None or not self._answer.figures:
            return
        count, now = len(self._answer.figures), self.card.text.selected
        self.select((now + by) % count if now >= 0 else (0 if by > 0 else count - 1))

    # --- copying ---

    def copy_figure(self) -> None:
        view = self.evidence.view
        if view is not None:
            self._copy(view.title, view.title)

    def copy_exact(self) -> None:
        view = self.evidence.view
        if view is not None and view.exact:
            self._copy(view.exact.replace("\u00a0", " "), "the exact value")

    def copy_row(self) -> None:
        chosen = self.evidence.selected_row()
        if chosen is not None:
            self._copy(copying.row_text(chosen), f"the row {chosen.label}")

    def copy_rows_text(self) -> None:
        view = self.evidence.view
        if view is not None:
            self._copy(copying.rows_text(view), "the rows as text")

    def copy_rows_csv(self) -> None:
        view = self.evidence.view
        if view is not None:
            self._copy(copying.rows_csv(view), "the rows as CSV")

    def copy_rows_json(self) -> None:
        view = self.evidence.view
        if view is not None and self._answer is not None:
            self._copy(copying.rows_json(self._answer, view), "the rows as JSON")

    def copy_sql(self) -> None:
        self._copy(self.card.computed.current_sql(exact=False), "the SQL")

    def copy_sql_exact(self) -> None:
        self._copy(self.card.computed.current_sql(exact=True), "the SQL as run")

    def copy_hash(self) -> None:
        if self._answer is not None and self._answer.record is not None:
            self._copy(self._answer.record.hash, "the record's hash")

    def copy_answer(self) -> None:
        if self._answer is not None:
            self._copy(copying.answer_text(self._answer), "the answer")

    def _copy(self, text: str, what: str) -> None:
        if text:
            to_clipboard(text)
            self.copied.emit(f"Copied {what}")
