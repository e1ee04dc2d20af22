"""What stands in the answer's place when there is no answer: a decision, a fault, waiting."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.computed import computations
from footnote_desktop.desktop.controls import Button, Picture, clear, column, label, row
from footnote_desktop.desktop.events import Fault
from footnote_desktop.desktop.theme import fixed_font, theme


class DeclinedView(QWidget):
    """A refusal, as the decision that it is: what was not done, why, and what can be asked instead.

    ``asked`` carries the question behind a button."""

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        outer = column(self, gap=12)
        frame = QFrame()
        frame.setProperty("kind", "decision")
        box = row(frame, margins=(16, 14, 16, 14), gap=12)
        box.addWidget(Picture("decline", "accent", 24), 0, Qt.AlignmentFlag.AlignTop)
        words = column(gap=6)
        self.title = label("Not answered, by decision", "title")
        self.reason = label("", wrap=True, selectable=True)
        self.not_done = label("", "muted", wrap=True)
        words.addWidget(self.title)
        words.addWidget(self.reason)
        words.addWidget(self.not_done)
        box.addLayout(words, 1)
        outer.addWidget(frame)
        self._instead = label("WHAT CAN BE ANSWERED INSTEAD", "caps")
        outer.addWidget(self._instead)
        self._buttons = column(gap=6)
        outer.addLayout(self._buttons)
        outer.addStretch(1)
        self.choices: list[Button] = []

    def show_answer(self, answer: Answer, questions: tuple[tuple[str, str], ...]) -> None:
        """``questions``: what a button says, and what it asks."""
        self.reason.setText(answer.reason)
        ran = any(part.statements for part in computations(answer))
        self.not_done.setText(
            "No figure was computed and none was guessed."
            if ran
            else "No query ran, no figure was computed and none was guessed."
        )
        clear(self._buttons)
        self.choices = []
        self._instead.setVisible(bool(questions))
        for shown, question in questions:
            button = Button(shown, "choice", symbol="ask", pressed=partial(self.asked.emit, question))
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.setAccessibleName(f"Ask: {question}")
            self._buttons.addWidget(button)
            self.choices.append(button)


class FaultView(QWidget):
    """Something could not be done: what, why, and what to do. ``retried`` when a person wants it tried again."""

    retried = Signal()

    def __init__(self) -> None:
        super().__init__()
        outer = column(self, gap=12)
        frame = QFrame()
        frame.setProperty("kind", "fault")
        box = row(frame, margins=(16, 14, 16, 14), gap=12)
        box.addWidget(Picture("warning", "bad", 24), 0, Qt.AlignmentFlag.AlignTop)
        words = column(gap=6)
        self.title = label("", "title", wrap=True)
        self.message = label("", wrap=True, selectable=True)
        self.advice = label("", wrap=True, selectable=True)
        words.addWidget(self.title)
        words.addWidget(self.message)
        words.addWidget(self.advice)
        again = row()
        self.retry = Button("Try again", pressed=self.retried.emit)
        again.addWidget(self.retry)
        again.addStretch(1)
        words.addSpacing(4)
        words.addLayout(again)
        box.addLayout(words, 1)
        outer.addWidget(frame)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setFont(fixed_font())
        self.detail.setAccessibleName("Details of the mistake")
        self.detail.setTabChangesFocus(True)
        outer.addWidget(self.detail, 1)
        outer.addStretch(1)

    def show_fault(self, fault: Fault) -> None:
        self.title.setText(fault.title)
        self.message.setText(fault.message)
        self.advice.setText(fault.advice)
        self.advice.setVisible(bool(fault.advice))
        self.detail.setPlainText(fault.detail)
        self.detail.setVisible(bool(fault.bug and fault.detail))


class Skeleton(QWidget):
    """Shown while waiting: grey lines where the text will stand. It breathes slowly, and not at all when hidden."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._phase = 0
        self._timer = QTimer(self)
        self._timer.setInterval(80)
        self._timer.timeout.connect(self._step)
        outer = column(self)
        outer.addStretch(1)
        line = row()
        self.words = label("Computing …", "muted")
        self.cancel = Button("Cancel", pressed=self.cancelled.emit)
        self.cancel.setToolTip("Stop waiting (Esc). What was asked may still be recorded.")
        line.addWidget(self.words)
        line.addStretch(1)
        line.addWidget(self.cancel)
        outer.addLayout(line)
        self.setAccessibleName("Waiting for the answer")

    def start(self) -> None:
        self.cancel.hide()
        self._timer.start()

    def offer_cancel(self) -> None:
        self.cancel.show()

    def stop(self) -> None:
        self._timer.stop()

    def _step(self) -> None:
        self._phase = (self._phase + 1) % 30
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("line"))
        wave = abs(self._phase - 15) / 15
        painter.setOpacity(0.45 + 0.4 * wave)
        width = float(self.width() - 12)
        y = 10.0
        for part in (0.92, 0.86, 0.55):
            painter.drawRoundedRect(QRectF(6, y, width * part, 14), 4, 4)
            y += 28
        y += 14
        for _ in range(4):
            painter.drawRoundedRect(QRectF(6, y, width * 0.24, 12), 4, 4)
            painter.drawRoundedRect(QRectF(6 + width * 0.30, y, width * 0.18, 12), 4, 4)
            painter.drawRoundedRect(QRectF(6 + width * 0.54, y, width * 0.20, 12), 4, 4)
            y += 28
