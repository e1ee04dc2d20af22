"""The table of rows behind a figure, and what stands in its place when no figure is selected."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QScrollArea, QTableView, QWidget

from footnote_desktop.desktop.behind import Column, EvidenceView
from footnote_desktop.desktop.controls import Picture, column, label
from footnote_desktop.desktop.evidence_model import EvidenceModel

_ROW_HEIGHT = 29
_HEADER_HEIGHT = 28
_LABEL_WIDTH = 124  #: what a row's label should have at least
_FEWEST_ROWS = 4  #: shown however little room there is


class Scroll(QScrollArea):
    """Says when it has more or less room."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class EvidenceTable(QTableView):
    """Rows are chosen whole; the first column gives way when there is little room."""

    def __init__(self, model: EvidenceModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setProperty("kind", "rows")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setMinimumSectionSize(40)
        self.horizontalHeader().setFixedHeight(_HEADER_HEIGHT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._columns: tuple[Column, ...] = ()
        self._widths: list[int] = []
        self._scrolls = False
        self.setAccessibleName("Rows behind the figure")

    def fit(self, view: EvidenceView) -> None:
        """High enough for the rows, up to a limit; columns as wide as their content."""
        self._columns = view.columns
        for column_number in range(len(view.columns)):
            self.setColumnHidden(column_number, False)
        self._widths = [max(self.sizeHintForColumn(n), self._heading(n)) for n in range(len(view.columns))]
        self._spread()

    def set_rows(self, rows: int, room: int) -> None:
        """As high as ``rows`` need, within ``room``; a few always show."""
        fitting = (room - _HEADER_HEIGHT - 2) // _ROW_HEIGHT
        shown = max(min(rows, _FEWEST_ROWS), min(rows, fitting))
        self.setFixedHeight(_HEADER_HEIGHT + shown * _ROW_HEIGHT + 2)
        self._scrolls = shown < rows

    def bar_width(self) -> int:
        return self.verticalScrollBar().sizeHint().width() if self._scrolls else 0

    def _heading(self, number: int) -> int:
        return self.horizontalHeader().sectionSizeFromContents(number).width()

    def _spread(self) -> None:
        """Leave out what there is no room for, least telling first; the first column takes what is left."""
        if not self._columns:
            return
        room = self.viewport().width()
        shown = set(range(len(self._columns)))
        for number in sorted(shown, key=lambda n: -self._columns[n].rank):
            needed = _LABEL_WIDTH + sum(self._widths[n] for n in shown if n)
            if needed <= room or self._columns[number].rank == 0:
                break
            shown.discard(number)
        for number in range(len(self._columns)):
            self.setColumnHidden(number, number not in shown)
            if number in shown and number:
                self.setColumnWidth(number, self._widths[number])
        self.setColumnWidth(0, max(60, room - sum(self._widths[n] for n in shown if n)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spread()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()


class Nothing(QWidget):
    """The state in which no figure is selected."""

    def __init__(self) -> None:
        super().__init__()
        self._title = label("", "title")
        self._words = label("", "muted", wrap=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = column(self, margins=(24, 0, 24, 0), gap=8)
        layout.addStretch(2)
        self._picture = Picture("pointer", "edge", 36)
        layout.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(4)
        layout.addWidget(self._title)
        layout.addWidget(self._words)
        layout.addStretch(3)

    def put(self, symbol: str, title: str, words: str) -> None:
        self._picture.put(symbol, "edge")
        self._title.setText(title)
        self._words.setText(words)

    def text(self) -> str:
        return f"{self._title.text()} {self._words.text()}"
