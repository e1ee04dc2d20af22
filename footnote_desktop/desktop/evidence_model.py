"""The rows behind a figure as a Qt model."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from footnote_desktop.desktop.behind import EvidenceView
from footnote_desktop.desktop.plain import tooltip

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class EvidenceModel(QAbstractTableModel):
    """One row for each piece of evidence; the cells are formatted once, when the figure is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self._view: EvidenceView | None = None

    def show_view(self, view: EvidenceView | None) -> None:
        self.beginResetModel()
        self._view = view
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if self._view is None or parent.isValid() else len(self._view.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if self._view is None or parent.isValid() else len(self._view.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._view is None or not index.isValid():
            return None
        text = self._view.rows[index.row()].cells[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(text.splitlines())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(text) if len(text) > 14 else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight if self._view.columns[index.column()].right else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._view is None or orientation != Qt.Orientation.Horizontal:
            return None
        column = self._view.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.label
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None
