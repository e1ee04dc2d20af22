"""Palette, fonts, style sheet and icons, from the tokens in ``resources/style``: the one place that knows a colour."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from footnote_desktop.settings import data_folder

MODES = ("system", "light", "dark")


@lru_cache(maxsize=1)
def tokens() -> dict[str, Any]:
    """The design tokens as they stand in ``tokens.json``."""
    loaded: dict[str, Any] = json.loads((_folder("style") / "tokens.json").read_text(encoding="utf-8"))
    return loaded


def _folder(name: str) -> Path:
    return data_folder("resources") / name


class Theme(QObject):
    """Which palette holds now. Painted widgets ask it for colours and repaint on ``changed``."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mode = "system"
        self._dark = False

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def dark(self) -> bool:
        return self._dark

    def install(self, app: QApplication, mode: str = "system") -> None:
        """Give the application its style, and follow the system from now on."""
        app.setStyle("Fusion")  # the native styles paint over style sheets, each in its own way
        font = QApplication.font()
        font.setPixelSize(self.size("body"))
        font.setFeature(QFont.Tag("tnum"), 1)
        app.setFont(font)
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self.use(mode)

    def use(self, mode: str) -> None:
        """Switch to ``system``, ``light`` or ``dark``."""
        self._mode = mode if mode in MODES else "system"
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        # Tells the platform too, so that title bars and file dialogs follow.
        wanted = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        app.styleHints().setColorScheme(wanted.get(self._mode, Qt.ColorScheme.Unknown))
        self._apply(app)

    def _system_changed(self) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication) and self._mode == "system":
            self._apply(app)

    def _apply(self, app: QApplication) -> None:
        system_dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        self._dark = self._mode == "dark" or (self._mode == "system" and system_dark)
        app.setPalette(self._palette())
        app.setStyleSheet(self._style_sheet())
        self.changed.emit()

    def name(self, role: str) -> str:
        """The colour of a role as ``#RRGGBB``."""
        return str(tokens()["dark" if self._dark else "light"][role])

    def color(self, role: str) -> QColor:
        return QColor(self.name(role))

    def size(self, name: str) -> int:
        return int(tokens()["size"][name])

    def _palette(self) -> QPalette:
        palette = QPalette()
        role = QPalette.ColorRole
        for target, name in (
            (role.Window, "background"),
            (role.WindowText, "ink"),
            (role.Base, "panel"),
            (role.AlternateBase, "raised"),
            (role.Text, "ink"),
            (role.Button, "panel"),
            (role.ButtonText, "ink"),
            (role.BrightText, "bad"),
            (role.Highlight, "accent"),
            (role.HighlightedText, "onAccent"),
            (role.ToolTipBase, "panel"),
            (role.ToolTipText, "ink"),
            (role.PlaceholderText, "muted"),
            (role.Link, "accent"),
            (role.LinkVisited, "muted"),
            (role.Mid, "line"),
            (role.Accent, "accent"),
        ):
            palette.setColor(target, self.color(name))
        for target in (role.Text, role.WindowText, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, self.color("muted"))
        return palette

    def _style_sheet(self) -> str:
        sheet = (_folder("style") / "app.qss").read_text(encoding="utf-8")
        values = dict(tokens()["dark" if self._dark else "light"])
        values.update({name: str(size) for name, size in tokens()["size"].items()})
        values["radius"] = str(tokens()["radius"])
        for name, value in values.items():
            sheet = sheet.replace(f"@{name}@", str(value))
        return sheet


#: The application's one theme.
theme = Theme()


def fixed_font() -> QFont:
    """The platform's fixed-width family, for SQL and hashes."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(theme.size("small"))
    return font


@lru_cache(maxsize=64)
def _svg(name: str) -> str:
    return (_folder("icons") / f"{name}.svg").read_text(encoding="utf-8")


def paint_icon(painter: QPainter, rect: QRectF, name: str, role: str) -> None:
    """Draw an icon of the family into ``rect`` in the colour of ``role``."""
    renderer = QSvgRenderer(QByteArray(_svg(name).replace("currentColor", theme.name(role)).encode()))
    renderer.render(painter, rect)


def icon(name: str, role: str = "muted") -> QIcon:
    """An icon tinted for the palette that holds now; asked for again when the theme changes."""
    result = QIcon()
    for scale in (1, 2, 3):
        pixmap = QPixmap(QSize(18, 18) * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_icon(painter, QRectF(pixmap.rect()), name, role)
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        result.addPixmap(pixmap)
    return result


def restyle(widget: QWidget) -> None:
    """Apply the style sheet again after a property that it selects by has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()
