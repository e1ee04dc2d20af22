"""The three chips at the top right: read-only, the log, the connection. Green only for what was checked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame

from footnote_desktop.desktop.chain import Saying
from footnote_desktop.desktop.controls import Button, column, label, set_property

_ROLES = {"ok": "ok", "warn": "warn", "bad": "bad", "idle": "muted", "busy": "muted"}


class Chip(Button):
    """Says a state in words, with an icon; a click says more and offers to check again."""

    def __init__(self, symbols: dict[str, str], action: str, act: Callable[[], object]) -> None:
        super().__init__("", "chip", symbol=symbols["idle"])
        self._symbols, self._action, self._act = symbols, action, act
        self._saying = Saying("idle", "")
        self.clicked.connect(self._open)

    def show_saying(self, saying: Saying) -> None:
        self._saying = saying
        self.put(saying.title)
        self.put_icon(self._symbols.get(saying.mood, self._symbols["idle"]), _ROLES[saying.mood])
        set_property(self, "mood", saying.mood)
        self.setAccessibleDescription(saying.detail)

    @property
    def saying(self) -> Saying:
        return self._saying

    def _open(self) -> None:
        popup = _ChipPopup(self, self._saying, self._action, self._act)
        popup.adjustSize()
        corner = self.mapToGlobal(QPoint(self.width(), self.height() + 6))
        popup.move(corner.x() - popup.width(), corner.y())
        popup.show()


class _ChipPopup(QFrame):
    def __init__(self, chip: Chip, saying: Saying, action: str, act: Callable[[], object]) -> None:
        super().__init__(chip, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("popup")
        self.setFixedWidth(320)
        layout = column(self, margins=(16, 14, 16, 14), gap=8)
        layout.addWidget(label(saying.title, "title", wrap=True))
        for paragraph in saying.detail.split("\n"):
            if paragraph:
                layout.addWidget(label(paragraph, "muted", wrap=True))

        def run() -> None:
            self.close()
            act()

        button = Button(action, pressed=run)
        layout.addSpacing(4)
        layout.addWidget(button)
        button.setFocus()
