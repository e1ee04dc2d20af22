"""Plain text where Qt would otherwise guess at markup, and words for screen readers."""

from __future__ import annotations

import html

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QWidget


def tooltip(text: str) -> str:
    """Plain text for a tool tip, which Qt would otherwise read as markup when it looks like it."""
    return "<qt>" + html.escape(text).replace("\n", "<br>") + "</qt>"


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say something."""
    if QGuiApplication.platformName() != "offscreen":
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
