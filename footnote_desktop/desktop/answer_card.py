"""The left half of the pair: the answer, or what stands in its place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QSpacerItem, QStackedWidget, QWidget

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.answer_text import AnswerText
from footnote_desktop.desktop.asking import instead
from footnote_desktop.desktop.behind import evidence_for
from footnote_desktop.desktop.computed_panel import ComputedPanel
from footnote_desktop.desktop.contrast_panel import ContrastPanel
from footnote_desktop.desktop.controls import Button, Elided, Picture, column, label, row, rule
from footnote_desktop.desktop.events import Fault
from footnote_desktop.desktop.states import DeclinedView, FaultView, Skeleton
from footnote_desktop.desktop.words import OUTCOMES

SKELETON_AFTER_MS = 300
CANCEL_AFTER_MS = 1000


class AnswerCard(QFrame):
    figure_opened = Signal(int)
    asked = Signal(str)
    retried = Signal()
    cancelled = Signal()
    skeleton_shown = Signal()

    def __init__(self, copy: Callable[[str, str], None]) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._answer: Answer | None = None
        self._contrast_wanted = False
        outer = column(self, margins=(20, 14, 20, 12), gap=8)
        head = row(gap=8)
        self._heading = label("ANSWER", "caps")
        self.question = Elided(role="muted")
        self.copy_answer = Button("", "quiet", symbol="copy")
        self.copy_answer.setAccessibleName("Copy the answer")
        self.copy_answer.setToolTip("Copy the answer (Ctrl+Shift+A)")
        head.addItem(QSpacerItem(0, 28))
        head.addWidget(self._heading)
        head.addWidget(self.question, 1)
        head.addWidget(self.copy_answer)
        outer.addLayout(head)

        self.text = AnswerText()
        self.text.figure_opened.connect(self.figure_opened)
        self.declined = DeclinedView()
        self.declined.asked.connect(self.asked)
        self.fault = FaultView()
        self.fault.retried.connect(self.retried)
        self.skeleton = Skeleton()
        self.skeleton.cancelled.connect(self.cancelled)
        self.blank = QWidget()
        self._stack = QStackedWidget()
        for widget in (self.blank, self._answer_page(), self.declined, self.fault, self.skeleton):
            self._stack.addWidget(widget)
        outer.addWidget(self._stack, 1)
        self.contrast = ContrastPanel()
        self.contrast.hide()
        outer.addWidget(self.contrast)
        self._rule = rule()
        outer.addWidget(self._rule)
        self.computed = ComputedPanel(copy)
        outer.addWidget(self.computed, 1)
        self._skeleton_timer = QTimer(self)
        self._skeleton_timer.setSingleShot(True)
        self._skeleton_timer.setInterval(SKELETON_AFTER_MS)
        self._skeleton_timer.timeout.connect(self._show_skeleton)
        self._cancel_timer = QTimer(self)
        self._cancel_timer.setSingleShot(True)
        self._cancel_timer.setInterval(CANCEL_AFTER_MS)
        self._cancel_timer.timeout.connect(self.skeleton.offer_cancel)
        self.show_blank()

    def _answer_page(self) -> QWidget:
        self._page = QWidget()
        layout = column(self._page, gap=10)
        self.note = QFrame()
        self.note.setProperty("kind", "note")
        box = row(self.note, margins=(12, 10, 12, 10), gap=10)
        box.addWidget(Picture("empty", "muted", 18), 0, Qt.AlignmentFlag.AlignTop)
        self.note_text = label("", wrap=True)
        box.addWidget(self.note_text, 1)
        layout.addWidget(self.note)
        layout.addWidget(self.text, 1)
        return self._page

    # --- states ---

    def show_blank(self) -> None:
        self._end_waiting()
        self._answer = None
        self._show(self.blank, computed=False)
        self.question.put("")
        self.copy_answer.hide()
        self.contrast.hide()

    def show_answer(self, answer: Answer) -> None:
        """An answer, an empty result, or a refusal."""
        self._end_waiting()
        self._answer = answer
        self._heading.setText(OUTCOMES[answer.outcome].upper() if answer.outcome != "answered" else "ANSWER")
        self.question.put(answer.question)
        self.copy_answer.show()
        self.computed.show_answer(answer)
        if answer.outcome == "refused":
            self.declined.show_answer(answer, instead(answer))
            self._show(self.declined)
        elif answer.outcome == "error":
            self.fault.show_fault(
                Fault("No answer was given", answer.reason, "What was asked, and that it failed, is recorded.")
            )
            self._show(self.fault)
        else:
            self.text.show_answer(answer, [evidence_for(answer, f.index).hint for f in answer.figures])
            self.note.setVisible(answer.outcome == "empty" and bool(answer.reason))
            self.note_text.setText(answer.reason)
            self._show(self._page)
        self._rule.setVisible(bool(answer.operations))
        self.computed.setVisible(bool(answer.operations))
        self._show_contrast()

    def show_fault(self, fault: Fault) -> None:
        self._end_waiting()
        self._answer = None
        self._heading.setText("NO ANSWER")
        self.copy_answer.hide()
        self.fault.show_fault(fault)
        self._show(self.fault, computed=False)
        self.contrast.hide()

    def wait(self, question: str) -> None:
        """Nothing changes at first: a short wait needs no sign of waiting."""
        self._end_waiting()
        self._waiting_for = question
        self._skeleton_timer.start()
        self._cancel_timer.start()

    def _show_skeleton(self) -> None:
        self.skeleton_shown.emit()
        self._heading.setText("ANSWER")
        self.question.put(self._waiting_for)
        self.copy_answer.hide()
        self.contrast.hide()
        self.skeleton.start()
        self._show(self.skeleton, computed=False)

    def _end_waiting(self) -> None:
        self._skeleton_timer.stop()
        self._cancel_timer.stop()
        self.skeleton.stop()

    def _show(self, widget: QWidget, *, computed: bool = True) -> None:
        self._stack.setCurrentWidget(widget)
        self.computed.setVisible(computed)
        self._rule.setVisible(computed)

    @property
    def state(self) -> str:
        """``blank``, ``answer``, ``declined``, ``fault`` or ``waiting``."""
        names = {
            self.blank: "blank",
            self._page: "answer",
            self.declined: "declined",
            self.fault: "fault",
            self.skeleton: "waiting",
        }
        return next(name for widget, name in names.items() if widget is self._stack.currentWidget())

    # --- the contrast ---

    def want_contrast(self, wanted: bool) -> None:
        self._contrast_wanted = wanted
        self._show_contrast()

    def _show_contrast(self) -> None:
        answer = self._answer
        shown = self._contrast_wanted and answer is not None and answer.outcome == "answered" and bool(answer.figures)
        if shown and answer is not None:
            self.contrast.show_answer(answer)
        self.contrast.setVisible(shown)
