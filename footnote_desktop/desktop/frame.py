"""What surrounds the pages: the sidebar at the left, the bar with the state chips at the top."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu

from footnote_desktop.desktop.chips import Chip
from footnote_desktop.desktop.controls import Button, Elided, column, label, row

PAGES = (("Ask", "ask"), ("Answers", "answers"))  #: name and icon


class Sidebar(QFrame):
    """``page_chosen`` carries the number of a page."""

    page_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self.setFixedWidth(196)
        layout = column(self, margins=(12, 16, 12, 16), gap=2)
        brand = row(margins=(10, 0, 0, 0), gap=1)
        name = label("Footnote")
        name.setObjectName("brand")
        mark = label("1")
        mark.setObjectName("brandmark")
        brand.addWidget(name)
        brand.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        brand.addStretch(1)
        layout.addLayout(brand)
        layout.addSpacing(10)
        self.profile_button = Button("", symbol="down")
        self.profile_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.profile_menu = QMenu(self)
        self.profile_button.setMenu(self.profile_menu)
        layout.addWidget(self.profile_button)
        layout.addSpacing(14)
        self._group = QButtonGroup(self)
        self.page_buttons: list[Button] = []
        for number, (page, symbol) in enumerate(PAGES):
            button = Button(page, "nav", symbol=symbol, pressed=partial(self.page_chosen.emit, number))
            button.setCheckable(True)
            button.setToolTip(f"{page} (Alt+{number + 1})")
            self._group.addButton(button, number)
            layout.addWidget(button)
            self.page_buttons.append(button)
        layout.addStretch(1)
        self._note = label("", "muted", wrap=True)
        self._note.setContentsMargins(10, 0, 0, 0)
        layout.addWidget(self._note)

    def show_profile(self, name: str, note: str) -> None:
        self.profile_button.put(name)
        self.profile_button.setAccessibleName(f"Profile: {name}")
        self._note.setText(note)


class TopBar(QFrame):
    """The page's name, a word now and then, and the three chips."""

    def __init__(self, check_again: Callable[[], object], verify: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("topbar")
        self.setFixedHeight(48)
        layout = row(self, margins=(20, 0, 20, 0), gap=8)
        self._title = label("", "title")
        self._message = Elided(role="muted")
        layout.addWidget(self._title)
        layout.addSpacing(8)
        layout.addWidget(self._message, 1)
        trouble = {"warn": "warning", "bad": "warning"}
        self.read_only = Chip({"ok": "lock", "idle": "lock", **trouble}, "Look again", check_again)
        self.chain = Chip(
            {"ok": "check", "idle": "chain", "busy": "clock", "warn": "warning", "bad": "broken"},
            "Check the log now (F5)",
            verify,
        )
        self.connection = Chip({"ok": "database", "idle": "database", **trouble}, "Connect again", check_again)
        for chip in (self.read_only, self.chain, self.connection):
            layout.addWidget(chip)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(4000)
        self._timer.timeout.connect(self._forget)

    def show_title(self, text: str) -> None:
        self._title.setText(text)

    def say(self, text: str) -> None:
        """A word for a moment."""
        self._message.put(text)
        self._timer.start()

    def said(self) -> str:
        return self._message.full()

    def _forget(self) -> None:
        self._message.put("")
