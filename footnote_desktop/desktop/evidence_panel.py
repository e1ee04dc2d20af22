"""The evidence of the chosen figure: what it is exactly, the rows behind it, and where it is recorded."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QStackedWidget,
    QTableView,
    QWidget,
)

from footnote_desktop.desktop.behind import Column, EvidenceRow, EvidenceView
from footnote_desktop.desktop.controls import (
    Button,
    Elided,
    Picture,
    clear,
    column,
    label,
    row,
    rule,
    set_property,
)
from footnote_desktop.desktop.evidence_model import EvidenceModel
from footnote_desktop.desktop.record_box import RecordBox

_ROW_HEIGHT = 29
_HEADER_HEIGHT = 28
_LABEL_WIDTH = 124  #: what a row's label should have at least
_MOST_ROWS = 9  #: shown before the table scrolls


class EvidencePanel(QFrame):
    """Right half of the pair. ``stepped`` carries -1 or +1: the figure before or after."""

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._view: EvidenceView | None = None
        self.model = EvidenceModel()
        self.record_box = RecordBox()
        self.copy_menu = QMenu(self)
        outer = column(self, margins=(20, 14, 20, 16), gap=10)
        outer.addLayout(self._header())
        self._stack = QStackedWidget()
        self._nothing = _Nothing()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._figure_page())
        outer.addWidget(self._stack, 1)
        outer.addWidget(self.record_box)
        self.show_nothing()

    # --- what it shows ---

    def show_nothing(self, title: str = "", words: str = "", symbol: str = "pointer") -> None:
        """No figure is selected, or there is none to select."""
        self._view = None
        self.model.show_view(None)
        self._nothing.put(
            symbol,
            title or "No figure selected",
            words or "Choose a figure in the answer to see the rows behind it, down to their fields.",
        )
        self._stack.setCurrentIndex(0)
        self._position.put("")
        for button in (self._previous, self._next, self.copy_button):
            button.setVisible(False)

    def show_view(self, view: EvidenceView) -> None:
        self._view = view
        self._stack.setCurrentIndex(1)
        self._position.put(view.position)
        for button in (self._previous, self._next, self.copy_button):
            button.setVisible(True)
        # A long name is no headline: it gets smaller letters and lines to break into.
        long = len(view.title) > 26
        set_property(self.figure_label, "role", "title" if long else "figure")
        self.figure_label.setText(view.title)
        self.caption.setText(view.caption)
        self.exact.setText(f"Exactly {view.exact}" if view.exact else "The exact value was not recorded")
        self.exact.setVisible(view.exact != view.title)
        self._show_rows(view)
        self._show_line(view)
        self._scroll.verticalScrollBar().setValue(0)

    @property
    def view(self) -> EvidenceView | None:
        return self._view

    def selected_row(self) -> EvidenceRow | None:
        """The row whose fields are shown."""
        if self._view is None or not self._view.rows:
            return None
        if len(self._view.rows) == 1:
            return self._view.rows[0]
        current = self.table.currentIndex()
        return self._view.rows[current.row()] if current.isValid() else None

    def is_nothing(self) -> bool:
        return self._stack.currentIndex() == 0

    def nothing_text(self) -> str:
        return self._nothing.text()

    # --- building ---

    def _header(self) -> QHBoxLayout:
        line = row(gap=2)
        line.addItem(QSpacerItem(0, 28))
        line.addWidget(label("EVIDENCE", "caps"))
        line.addStretch(1)
        self._position = Elided(role="muted")
        self._position.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._previous = Button("", "quiet", symbol="left", pressed=lambda: self.stepped.emit(-1))
        self._previous.setAccessibleName("Previous figure")
        self._previous.setToolTip("Previous figure (Ctrl+Up)")
        self._next = Button("", "quiet", symbol="right", pressed=lambda: self.stepped.emit(1))
        self._next.setAccessibleName("Next figure")
        self._next.setToolTip("Next figure (Ctrl+Down)")
        line.addWidget(self._position)
        line.addWidget(self._previous)
        line.addWidget(self._next)
        return line

    def _figure_page(self) -> QWidget:
        page = QWidget()
        layout = column(page, gap=4)
        top = row(gap=8)
        self.figure_label = label(role="figure", wrap=True)
        self.figure_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        top.addWidget(self.figure_label, 1)
        self.copy_button = Button("Copy", symbol="copy")
        self.copy_button.setMenu(self.copy_menu)
        self.copy_button.setAccessibleName("Copy the figure, its rows or its SQL")
        top.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(top)
        self.caption = label(role="muted", wrap=True)
        self.exact = label(role="muted", selectable=True)
        layout.addWidget(self.caption)
        layout.addWidget(self.exact)
        layout.addSpacing(8)
        layout.addWidget(self._scrolled(), 1)
        return page

    def _scrolled(self) -> QWidget:
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget()
        layout = column(inner, gap=0)
        self.table = _Table(self.model)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        layout.addWidget(self.table)
        layout.addWidget(self._sum_strip())
        layout.addSpacing(12)
        layout.addWidget(self._fields_box())
        layout.addStretch(1)
        self._scroll.setWidget(inner)
        return self._scroll

    def _sum_strip(self) -> QWidget:
        self.sum_strip = QWidget()
        strip = row(self.sum_strip, margins=(11, 8, 11, 8), gap=6)
        self._sum_picture = Picture("check", "ok", 16)
        self.sum_label = Elided(role="sum")
        self.sum_value = label(role="sum")
        self.sum_value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        strip.addWidget(self._sum_picture)
        strip.addWidget(self.sum_label, 1)
        strip.addWidget(self.sum_value)
        return self.sum_strip

    def _fields_box(self) -> QWidget:
        self._fields = QFrame()
        self._fields.setProperty("kind", "inset")
        box = column(self._fields, margins=(14, 10, 14, 12), gap=8)
        head = row(gap=8)
        self.fields_title = Elided()
        self.row_position = label(role="muted")
        head.addWidget(self.fields_title, 1)
        head.addWidget(self.row_position)
        box.addLayout(head)
        box.addWidget(rule())
        self.fields_grid = QGridLayout()
        self.fields_grid.setHorizontalSpacing(12)
        self.fields_grid.setVerticalSpacing(4)
        self.fields_grid.setColumnStretch(1, 1)
        self.fields_grid.setColumnStretch(3, 1)
        box.addLayout(self.fields_grid)
        return self._fields

    # --- filling ---

    def _show_rows(self, view: EvidenceView) -> None:
        self.model.show_view(view)
        several = len(view.rows) > 1
        self.table.setVisible(several)
        if several:
            self.table.fit(view)
            self.table.selectionModel().setCurrentIndex(
                self.model.index(0, 0),
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
            self.table.scrollToTop()
        self._show_fields()

    def _show_line(self, view: EvidenceView) -> None:
        line = view.line
        self.sum_strip.setVisible(line is not None)
        if line is None:
            return
        symbol, role = {"equal": ("check", "ok"), "differs": ("warning", "bad"), "stated": ("dot", "muted")}[line.state]
        self._sum_picture.put(symbol, role)
        text = {
            "equal": line.label,
            "differs": f"{line.label} differs from the figure",
            "stated": line.label,
        }[line.state]
        self.sum_label.put(text)
        self.sum_label.setAccessibleName(
            f"{text}: {line.value}" + (", equals the figure" if line.state == "equal" else "")
        )
        equal = line.state == "equal"
        self.sum_label.setToolTip("Added again here from the rows; it equals the figure" if equal else "")
        for widget in (self.sum_label, self.sum_value):
            set_property(widget, "mood", "bad" if line.state == "differs" else "")
        self.sum_value.setText(line.value)

    def _row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._show_fields()

    def _show_fields(self) -> None:
        view, chosen = self._view, self.selected_row()
        clear(self.fields_grid)
        self._fields.setVisible(chosen is not None)
        if view is None:
            return
        if chosen is None:
            self._fields.setVisible(bool(view.missing))
            self.fields_title.put("The record does not hold the rows of this figure")
            self.row_position.setText("")
            return
        at = next(n for n, one in enumerate(view.rows, 1) if one is chosen)
        self.fields_title.put(chosen.label)
        self.row_position.setText(f"{at} of {view.row_count} · {chosen.uri}" if view.row_count > 1 else chosen.uri)
        half = (len(chosen.fields) + 1) // 2
        for number, (name, value) in enumerate(chosen.fields):
            line, side = (number, 0) if number < half else (number - half, 2)
            key = Elided(name, "key")
            key.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            shown = Elided(value, "value")
            if name == view.cited_field:
                set_property(key, "cited", "true")
                set_property(shown, "cited", "true")
            self.fields_grid.addWidget(key, line, side)
            self.fields_grid.addWidget(shown, line, side + 1)

    def add_copy_action(self, action: QAction) -> None:
        self.copy_menu.addAction(action)


class _Table(QTableView):
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
        self.setAccessibleName("Rows behind the figure")

    def fit(self, view: EvidenceView) -> None:
        """High enough for the rows, up to a limit; columns as wide as their content."""
        self._columns = view.columns
        for column_number in range(len(view.columns)):
            self.setColumnHidden(column_number, False)
        self._widths = [max(self.sizeHintForColumn(n), self._heading(n)) for n in range(len(view.columns))]
        self.setFixedHeight(_HEADER_HEIGHT + min(len(view.rows), _MOST_ROWS) * _ROW_HEIGHT + 2)
        self._spread()

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


class _Nothing(QWidget):
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
