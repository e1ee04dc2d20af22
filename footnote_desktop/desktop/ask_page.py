"""The first page: a question, an as-of date, and the answer with the evidence of its figures."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QStackedWidget, QWidget

from footnote_desktop.desktop.answer_pair import AnswerPair
from footnote_desktop.desktop.client import Client
from footnote_desktop.desktop.controls import Button, Field, Picture, clear, column, label, row, rule
from footnote_desktop.desktop.date_button import DateButton
from footnote_desktop.desktop.events import Answered, Failed, Fault, Opened


class AskPage(QWidget):
    """``answered`` when an answer is shown."""

    answered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self._client: Client | None = None
        self._waiting = 0  #: the generation of the question that is waited for; 0 for none
        self._locale = "de_DE"
        outer = column(self, margins=(20, 16, 20, 18), gap=14)
        bar = row(gap=12)
        self.question = Field()
        self.question.setObjectName("question")
        self.question.setPlaceholderText("Ask what a customer owes, has paid, or how old the receivables are")
        self.question.setAccessibleName("Question")
        self.question.setMaxLength(2000)
        self.question.returnPressed.connect(self.ask)
        self.date = DateButton()
        self.date.date_chosen.connect(self._date_chosen)
        self.ask_button = Button("Ask", "primary", pressed=self.ask)
        self.ask_button.setToolTip("Ask (Enter)")
        bar.addWidget(self.question, 1)
        bar.addWidget(self.date)
        bar.addWidget(self.ask_button)
        outer.addLayout(bar)
        self._stack = QStackedWidget()
        self.first = _FirstPage()
        self.first.asked.connect(self.ask_this)
        self.pair = AnswerPair()
        self.pair.asked.connect(self.ask_this)
        self.pair.retried.connect(self._retry)
        self.pair.cancelled.connect(self.cancel)
        self._stack.addWidget(self.first)
        self._stack.addWidget(self.pair)
        outer.addWidget(self._stack, 1)

    def use(self, client: Client, locale: str) -> None:
        """Work with another profile: what was asked of the one before is forgotten."""
        self._client, self._locale, self._waiting = client, locale, 0
        self.question.clear()
        self.pair.show_blank()
        self.first.put(())
        self._stack.setCurrentWidget(self.first)
        client.answered.connect(self._answer_came)
        client.failed.connect(self._failure_came)

    def show_opened(self, event: Opened) -> None:
        self.date.set_profile(event.as_of, event.as_of_source, self._locale)
        self.first.put(event.examples)

    def show_unopened(self, fault: Fault) -> None:
        """The profile could not be opened at all."""
        self.pair.show_fault(fault)
        self._stack.setCurrentWidget(self.pair)

    # --- asking ---

    def ask_this(self, question: str) -> None:
        self.question.setText(question)
        self.ask()

    def ask(self) -> None:
        question = self.question.text().strip()
        if not question or self._client is None:
            self.question.setFocus()
            return
        self._waiting = self._client.ask(question, self.date.chosen)
        self._stack.setCurrentWidget(self.pair)
        self.pair.wait(question)

    def cancel(self) -> None:
        """Stop waiting; a reply that still comes is dropped."""
        if not self._waiting:
            return
        self._waiting = 0
        previous = self.pair.answer
        if previous is not None:
            self.pair.show_answer(previous)
        else:
            self.pair.show_blank()
            self._stack.setCurrentWidget(self.first)
        self.question.setFocus()
        self.question.selectAll()

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    def focus_question(self) -> None:
        self.question.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.question.selectAll()

    def _retry(self) -> None:
        self.ask()

    def _date_chosen(self) -> None:
        # A figure on screen must not stand beside a date that it does not hold for.
        if self.pair.answer is not None and self.question.text().strip():
            self.ask()

    def _answer_came(self, event: Answered) -> None:
        if event.generation != self._waiting:
            return
        self._waiting = 0
        self.pair.show_answer(event.answer)
        if event.answer.outcome in ("answered", "empty") and event.answer.figures:
            self.pair.card.text.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.pair.card.declined.choices and event.answer.outcome == "refused":
            self.pair.card.declined.choices[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.answered.emit(event.answer)

    def _failure_came(self, event: Failed) -> None:
        if event.doing == "ask" and event.generation == self._waiting:
            self._waiting = 0
            self.pair.show_fault(event.fault)


class _FirstPage(QFrame):
    """Nothing was asked yet: what this is, and questions to begin with."""

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        outer = column(self, margins=(48, 20, 48, 20), gap=8)
        outer.addStretch(2)
        outer.addWidget(Picture("ask", "accent", 34))
        outer.addSpacing(4)
        outer.addWidget(label("Ask about your receivables", "heading"))
        outer.addWidget(
            label(
                "Figures are computed from your data by SQL, never written by a model."
                " Each one opens down to the rows it rests on.",
                "muted",
                wrap=True,
            )
        )
        outer.addSpacing(16)
        self._caps = label("TO BEGIN WITH", "caps")
        outer.addWidget(self._caps)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(8)
        outer.addLayout(self._grid)
        outer.addStretch(3)
        outer.addWidget(rule())
        outer.addSpacing(8)
        steps = row(gap=28)
        for symbol, words in (
            ("database", "SQL computes every figure, read-only, in one snapshot"),
            ("pointer", "Any figure opens: its rows, their fields, the query"),
            ("chain", "The log records each answer, so that a change shows"),
        ):
            step = row(gap=8)
            step.addWidget(Picture(symbol, "muted", 18))
            step.addWidget(label(words, "muted", wrap=True), 1)
            steps.addLayout(step, 1)
        outer.addLayout(steps)
        self.buttons: list[Button] = []

    def put(self, examples: tuple[str, ...]) -> None:
        clear(self._grid)
        self.buttons = []
        self._caps.setVisible(bool(examples))
        for number, question in enumerate(examples):
            button = Button(question, "choice", pressed=partial(self.asked.emit, question))
            button.setAccessibleName(f"Ask: {question}")
            self._grid.addWidget(button, number // 2, number % 2)
            self.buttons.append(button)
