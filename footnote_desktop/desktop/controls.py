"""Small building blocks with one look: labels that never take markup, buttons, cards, rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from footnote_desktop.desktop.plain import tooltip
from footnote_desktop.desktop.theme import icon, paint_icon, restyle, theme


def label(text: str = "", role: str = "", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """A label that shows its text as it is: data must never be read as markup."""
    result = QLabel()
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setText(text)
    result.setWordWrap(wrap)
    if role:
        result.setProperty("role", role)
    if role == "caps":
        font = QFont(result.font())
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.8)
        result.setFont(font)
    if selectable:
        result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        result.setCursor(Qt.CursorShape.IBeamCursor)
    if wrap:
        # A wrapped label in a layout must be allowed to grow, or Qt cuts its last line.
        result.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return result


class Elided(QLabel):
    """One line that ends in … when there is no room, with the whole text for pointing at it."""

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._full = ""
        self.put(text)

    def put(self, text: str) -> None:
        self._full = text
        self.setAccessibleName(text)
        self.setText(text)
        self._update_tip()

    def full(self) -> str:
        return self._full

    def _update_tip(self) -> None:
        needed = QFontMetrics(self.font()).horizontalAdvance(self._full)
        self.setToolTip(tooltip(self._full) if needed > self.width() > 0 else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(min(hint.width(), 600), hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        rect = self.contentsRect()
        shown = QFontMetrics(self.font()).elidedText(self._full, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)


class Button(QPushButton):
    """A button whose text is shown as it is (an ampersand from data is not a shortcut) and whose icon follows the
    theme."""

    def __init__(
        self,
        text: str,
        kind: str = "",
        *,
        symbol: str = "",
        role: str = "muted",
        pressed: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._symbol, self._role = symbol, role
        if kind:
            self.setProperty("kind", kind)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setIconSize(QSize(16, 16))
        self.put(text)
        self.draw_icon()
        if symbol:
            theme.changed.connect(self.draw_icon)
        if pressed is not None:
            self.clicked.connect(lambda *_: pressed())

    def put(self, text: str) -> None:
        # The style sheet leaves no gap between an icon and the text; a space is one.
        gap = "\u2002" if self._symbol and text else ""
        self.setText(gap + text.replace("&", "&&"))
        if text:
            self.setAccessibleName(text)

    def put_icon(self, symbol: str, role: str = "muted") -> None:
        self._symbol, self._role = symbol, role
        self.draw_icon()

    def draw_icon(self) -> None:
        if self._symbol:
            self.setIcon(icon(self._symbol, self._role))


class Field(QLineEdit):
    """A line of text in which the application's shortcuts win over the platform's editing keys, of which some take
    Ctrl+E or Ctrl+D for themselves."""

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            and event.key() in _OURS
        ):
            event.ignore()
            return False
        return super().event(event)


_OURS = (Qt.Key.Key_D, Qt.Key.Key_E, Qt.Key.Key_F, Qt.Key.Key_I, Qt.Key.Key_J, Qt.Key.Key_L)


class Picture(QWidget):
    """An icon of the family by itself, drawn in a role's colour."""

    def __init__(self, symbol: str, role: str, size: int = 20) -> None:
        super().__init__()
        self._symbol, self._role = symbol, role
        self.setFixedSize(size, size)

    def put(self, symbol: str, role: str) -> None:
        self._symbol, self._role = symbol, role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, QRectF(self.rect()), self._symbol, self._role)


def card(kind: str = "card") -> QFrame:
    frame = QFrame()
    frame.setProperty("kind", kind)
    return frame


def rule() -> QFrame:
    """A hairline."""
    return card("rule")


def column(
    parent: QWidget | None = None, *, margins: tuple[int, int, int, int] = (0, 0, 0, 0), gap: int = 8
) -> QVBoxLayout:
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    return layout


def row(
    parent: QWidget | None = None, *, margins: tuple[int, int, int, int] = (0, 0, 0, 0), gap: int = 8
) -> QHBoxLayout:
    layout = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    return layout


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet selects by."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        restyle(widget)


def clear(layout: QLayout | None) -> None:
    """Take everything out of a layout and delete it."""
    while layout is not None and (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif item.layout() is not None:
            clear(item.layout())


def to_clipboard(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
