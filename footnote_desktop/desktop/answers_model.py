"""Earlier answers as a Qt model, newest first, fetched page by page."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from footnote_desktop.desktop import chain
from footnote_desktop.desktop.events import Line, Listed
from footnote_desktop.desktop.plain import tooltip
from footnote_desktop.desktop.theme import icon, theme
from footnote_desktop.desktop.words import OUTCOMES

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
HEADINGS = ("Record", "Time", "Question", "Outcome", "Figures")
_SYMBOLS = {
    "answered": ("check", "muted"),
    "refused": ("decline", "accent"),
    "empty": ("empty", "muted"),
    "error": ("warning", "bad"),
}


class AnswersModel(QAbstractTableModel):
    """``wanted_more`` carries the sequence before which older answers are wanted."""

    wanted_more = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Line] = []
        self._more = False
        self._asked_before = 0
        theme.changed.connect(self._themed)

    def put(self, page: Listed) -> None:
        """The first page replaces everything; a later one is added, unless it was added already."""
        if page.before is None:
            self.beginResetModel()
            self._lines = list(page.lines)
            self.endResetModel()
        else:
            if not self._lines or self._lines[-1].sequence != page.before:
                return
            first = len(self._lines)
            if page.lines:
                self.beginInsertRows(QModelIndex(), first, first + len(page.lines) - 1)
                self._lines.extend(page.lines)
                self.endInsertRows()
        self._more = page.more
        self._asked_before = 0

    def line(self, row: int) -> Line | None:
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def row_of(self, record_id: str) -> int:
        return next((n for n, line in enumerate(self._lines) if line.id == record_id), -1)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(HEADINGS)

    def canFetchMore(self, parent: Index = _NOWHERE) -> bool:
        return not parent.isValid() and self._more and bool(self._lines)

    def fetchMore(self, parent: Index = _NOWHERE) -> None:
        last = self._lines[-1].sequence
        if self._asked_before != last:
            self._asked_before = last
            self.wanted_more.emit(last)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._lines[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(line, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column in (0, 4) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column in (0, 1):
            return theme.color("muted")
        if role == Qt.ItemDataRole.DecorationRole and column == 3:
            return icon(*_SYMBOLS[line.outcome])
        if role == Qt.ItemDataRole.ToolTipRole and column == 2:
            return tooltip(f"{line.question}\n{line.summary}" if line.summary else line.question)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{HEADINGS[column]}: {self._text(line, column)}"
        return None

    def _text(self, line: Line, column: int) -> str:
        if column == 0:
            return f"#{line.sequence}"
        if column == 1:
            moment = chain.local(line.timestamp)
            return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else line.timestamp
        if column == 2:
            return " ".join(line.question.split())
        if column == 3:
            return OUTCOMES[line.outcome]
        return str(line.figures) if line.figures else "–"

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADINGS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in (0, 4) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _themed(self) -> None:
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, len(HEADINGS) - 1))
