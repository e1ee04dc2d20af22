"""Every action with its shortcut, read from the menus themselves so that nothing is left out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QMenu, QMenuBar, QWidget

from footnote_desktop.desktop.controls import Button, column, label, row

#: Keys that belong to a place rather than to a menu.
IN_PLACE = (
    ("Figures", "Tab, arrow keys", "Walk through the figures"),
    ("Figures", "Enter", "Show the evidence of the figure"),
    ("Question", "Enter", "Ask"),
)


def shortcuts(bar: QMenuBar) -> list[tuple[str, str, str]]:
    """(menu, keys, what it does) of every action in the menus."""
    found = []
    for top in bar.actions():
        menu = top.menu()
        if isinstance(menu, QMenu):
            found += _of(menu, top.text().replace("&", ""))
    return found


def _of(menu: QMenu, name: str) -> list[tuple[str, str, str]]:
    found = []
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            found += _of(inner, name)
        elif not action.isSeparator() and action.isVisible():
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            found.append((name, keys, action.text().replace("&", "")))
    return found


def show_shortcuts(parent: QWidget, bar: QMenuBar) -> None:
    dialog = QDialog(parent)
    dialog.setWindowTitle("Keyboard shortcuts")
    # Deleted at once: what outlives the application's end ends it with a crash.
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    outer = column(dialog, margins=(24, 20, 24, 20), gap=12)
    outer.addWidget(label("Keyboard shortcuts", "heading"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(20)
    grid.setVerticalSpacing(4)
    every = [*shortcuts(bar), *IN_PLACE]
    half = (len(every) + 1) // 2
    for number, (menu, keys, text) in enumerate(every):
        line, side = (number, 0) if number < half else (number - half, 2)
        grid.addWidget(label(keys, "muted"), line, side)
        grid.addWidget(label(text if menu in ("Question", "Figures") else f"{menu}: {text}"), line, side + 1)
    outer.addLayout(grid)
    foot = row()
    foot.addStretch(1)
    foot.addWidget(Button("Close", pressed=dialog.accept))
    outer.addLayout(foot)
    dialog.open()
