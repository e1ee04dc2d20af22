"""Earlier answers, as the log holds them: the list above, the chosen one with its evidence below."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from footnote_desktop.desktop.answer_pair import AnswerPair
from footnote_desktop.desktop.answers_model import AnswersModel
from footnote_desktop.desktop.client import Client
from footnote_desktop.desktop.controls import Field, Picture, column, label, row
from footnote_desktop.desktop.events import Failed, Found, Listed
from footnote_desktop.figures.money import formatter


class AnswersPage(QWidget):
    """``asked`` when a person chose to ask something from here."""

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self._client: Client | None = None
        self._listing = self._finding = 0
        self._locale = "de_DE"
        self._wanted: tuple[str, int | None] | None = None  #: record and figure to show once found
        self.model = AnswersModel()
        self.model.wanted_more.connect(self._fetch_more)
        outer = column(self, margins=(20, 16, 20, 18), gap=14)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(14)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._list_card())
        self.pair = AnswerPair()
        self.pair.asked.connect(self.asked)
        self.pair.show_blank("No answer selected", "Choose an answer above to read it and to open its figures.")
        splitter.addWidget(self.pair)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([236, 460])
        outer.addWidget(splitter)
        self._search_timer = QTimer(self)
        self._search_timer.setSingleShot(True)
        self._search_timer.setInterval(200)
        self._search_timer.timeout.connect(self.refresh)

    def _list_card(self) -> QWidget:
        frame = QFrame()
        frame.setProperty("kind", "card")
        box = column(frame, margins=(16, 12, 16, 8), gap=8)
        head = row(gap=12)
        head.addWidget(label("RECORDED ANSWERS", "caps"))
        self.count = label(role="muted")
        head.addWidget(self.count)
        head.addStretch(1)
        self.search = Field()
        self.search.setPlaceholderText("Search questions and answers")
        self.search.setAccessibleName("Search earlier answers")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(260)
        self.search.textChanged.connect(lambda *_: self._search_timer.start())
        head.addWidget(self.search)
        box.addLayout(head)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setProperty("kind", "rows")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(29)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        for section, width in ((0, 72), (1, 160), (3, 140), (4, 76)):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(section, width)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.setAccessibleName("Earlier answers")
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self._nothing = QWidget()
        nothing = column(self._nothing, gap=6)
        self._nothing_title = label("", "title")
        self._nothing_words = label("", "muted", wrap=True)
        for widget in (self._nothing_title, self._nothing_words):
            widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        nothing.addStretch(1)
        nothing.addWidget(Picture("answers", "edge", 28), 0, Qt.AlignmentFlag.AlignHCenter)
        nothing.addWidget(self._nothing_title)
        nothing.addWidget(self._nothing_words)
        nothing.addStretch(1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._nothing)
        box.addWidget(self._stack, 1)
        return frame

    def use(self, client: Client, locale: str) -> None:
        self._client, self._locale = client, locale
        self._listing = self._finding = 0
        self._wanted = None
        self.search.blockSignals(True)
        self.search.clear()
        self.search.blockSignals(False)
        self.model.put(Listed(0, (), None, False, 0))
        self.pair.show_blank("No answer selected", "Choose an answer above to read it and to open its figures.")
        client.listed.connect(self._list_came)
        client.found.connect(self._answer_came)
        client.failed.connect(self._failure_came)

    def refresh(self) -> None:
        """Read the list again; the selection stays where it was."""
        if self._client is not None:
            self._listing = self._client.list(self.search.text().strip() or None)

    def open_record(self, key: str, figure: int | None = None) -> None:
        """Show one record by its id or its sequence, whether or not the list holds it."""
        if self._client is not None:
            self._wanted = (key, figure)
            self._finding = self._client.find(key)

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _fetch_more(self, before: int) -> None:
        if self._client is not None:
            self._listing = self._client.list(self.search.text().strip() or None, before)

    def _list_came(self, event: Listed) -> None:
        if event.generation != self._listing:
            return
        kept = self._selected_id()
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.model.put(event)
        selection.blockSignals(False)
        fmt = formatter(self._locale)
        self.count.setText(fmt.count(event.total) if not self.search.text().strip() else "")
        empty = self.model.rowCount() == 0
        self._stack.setCurrentIndex(1 if empty else 0)
        if empty and self.search.text().strip():
            self._nothing_title.setText("Nothing found")
            self._nothing_words.setText("No recorded question or answer holds these words. Try fewer of them.")
        elif empty:
            self._nothing_title.setText("Nothing was asked yet")
            self._nothing_words.setText("Every question is recorded here with its answer, refusals too.")
        if kept and (at := self.model.row_of(kept)) >= 0:
            selection.blockSignals(True)
            self._select_row(at)
            selection.blockSignals(False)
            self.table.viewport().update()

    def _selected_id(self) -> str:
        answer = self.pair.answer
        return answer.record.id if answer is not None and answer.record is not None else ""

    def _select_row(self, at: int) -> None:
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(self.model.index(at, 0), flags)

    def _chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        line = self.model.line(current.row()) if current.isValid() else None
        if line is not None and line.id != self._selected_id():
            self.open_record(line.id)
            self.pair.wait(line.question)

    def _answer_came(self, event: Found) -> None:
        if event.generation != self._finding:
            return
        figure = self._wanted[1] if self._wanted is not None else None
        if event.answer is None:
            self.pair.show_blank(
                "No such record",
                f"This log holds no record {event.key}. It may belong to another profile.",
            )
            return
        self.pair.show_answer(event.answer, figure)

    def _failure_came(self, event: Failed) -> None:
        if event.doing == "find" and event.generation == self._finding:
            self.pair.show_fault(event.fault)
        elif event.doing == "list" and event.generation == self._listing:
            self._stack.setCurrentIndex(1)
            self._nothing_title.setText(event.fault.title)
            self._nothing_words.setText(f"{event.fault.message} {event.fault.advice}")
