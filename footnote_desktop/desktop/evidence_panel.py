"""The evidence of the chosen figure: what it is exactly, the rows behind it, and where it is recorded."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QSpacerItem,
    QStackedWidget,
    QWidget,
)

from footnote_desktop.desktop.behind import EvidenceRow, EvidenceView
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
from footnote_desktop.desktop.evidence_table import EvidenceTable, Nothing, Scroll
from footnote_desktop.desktop.record_box import RecordBox

_SHORT = 15  #: characters of a value that stands beside another


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
        self._nothing = Nothing()
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

    def show_reconciliation(self, said: str) -> None:
        """What stands beside the figure about the tie-out to the ledger; nothing when there is nothing to say."""
        self.reconciliation.setText(said[:1].upper() + said[1:])
        self.reconciliation.setVisible(bool(said))

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
        self.reconciliation = label(wrap=True)
        self.reconciliation.setProperty("mood", "warn")
        self.reconciliation.hide()
        layout.addWidget(self.reconciliation)
        layout.addSpacing(8)
        layout.addWidget(self._scrolled(), 1)
        return page

    def _scrolled(self) -> QWidget:
        self._scroll = Scroll()
        self._scroll.resized.connect(self._fit_height)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget()
        layout = column(inner, gap=0)
        self.table = EvidenceTable(self.model)
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
        self._sum_layout = strip = row(self.sum_strip, margins=(11, 8, 11, 8), gap=6)
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
            self._fit_height()
            self.table.selectionModel().setCurrentIndex(
                self.model.index(0, 0),
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
            self.table.scrollToTop()
        self._show_fields()

    def _fit_height(self) -> None:
        """The table takes what the sum and the fields leave, so that only one thing scrolls."""
        if self._view is None or len(self._view.rows) < 2:
            return
        below = self.sum_strip.sizeHint().height() + self._fields.sizeHint().height() + 12
        self.table.set_rows(len(self._view.rows), self._scroll.viewport().height() - below)
        self._sum_layout.setContentsMargins(11, 8, 11 + self.table.bar_width(), 8)

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
        short = [pair for pair in chosen.fields if len(pair[1]) <= _SHORT]
        half = (len(short) + 1) // 2
        for number, (name, value) in enumerate(short):
            line, side = (number, 0) if number < half else (number - half, 2)
            self._add_field(name, Elided(value, "value"), line, side, 1)
        for number, (name, value) in enumerate(pair for pair in chosen.fields if len(pair[1]) > _SHORT):
            self._add_field(name, label(value, "value", wrap=True), half + number, 0, 3)

    def _add_field(self, name: str, shown: QWidget, line: int, side: int, span: int) -> None:
        key = Elided(name, "key")
        key.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if self._view is not None and name == self._view.cited_field:
            set_property(key, "cited", "true")
            set_property(shown, "cited", "true")
        self.fields_grid.addWidget(key, line, side, Qt.AlignmentFlag.AlignTop)
        self.fields_grid.addWidget(shown, line, side + 1, 1, span)

    def add_copy_action(self, action: QAction) -> None:
        self.copy_menu.addAction(action)
