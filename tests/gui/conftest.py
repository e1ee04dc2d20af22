"""The window without a screen, a desk made by hand, and every Qt warning a failure."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

pytest.importorskip("PySide6", reason="the application needs PySide6")

from fake_desk import FakeBackend, sample_profile
from PySide6.QtCore import QtMsgType

from footnote_desktop.desktop.main_window import MainWindow
from footnote_desktop.desktop.theme import theme

#: What the offscreen platform says of itself.
_OFFSCREEN = ("This plugin does not support",)


@pytest.fixture(autouse=True)
def collected_here() -> Iterator[None]:
    """Garbage is collected in this thread only, as in the application: see footnote_desktop.desktop.collector."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def no_qt_warning(qtlog: Any) -> Iterator[None]:
    """A warning of Qt is a mistake of ours."""
    yield
    serious = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    said = [r.message for r in qtlog.records if r.type in serious and not r.message.startswith(_OFFSCREEN)]
    assert not said


@pytest.fixture
def themed(qapp: Any) -> Iterator[Any]:
    """The application with its style, light."""
    theme.install(qapp, "light")
    yield theme
    theme.use("light")


@pytest.fixture
def open_window(qtbot: Any, themed: Any) -> Iterator[Callable[..., MainWindow]]:
    """Opens the window on a backend (a new :class:`FakeBackend` for each profile by default) and waits until it is
    ready."""
    windows: list[MainWindow] = []

    def make(backend: Any = None, profile: Any = None, profiles: Any = None, *, ready: bool = True) -> MainWindow:
        made = profile or sample_profile()
        backends = (lambda p: FakeBackend(p)) if backend is None else (lambda _: backend)
        window = MainWindow(made, backends, profiles)
        windows.append(window)
        qtbot.addWidget(window)
        window.show()
        if ready:
            qtbot.waitUntil(lambda: window.chain.state not in ("unchecked", "checking"), timeout=5000)
        return window

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def ask(qtbot: Any) -> Callable[..., None]:
    """Asks in a window and waits for what comes."""

    def do(window: MainWindow, question: str = "How much does Bergmann owe?") -> None:
        window.ask_page.ask_this(question)
        qtbot.waitUntil(lambda: not window.ask_page.is_waiting, timeout=5000)

    return do
