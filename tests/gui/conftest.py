"""The window without a screen, a desk made by hand, and every Qt warning a failure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

pytest.importorskip("PySide6", reason="the application needs PySide6")

from fake_desk import FakeBackend, sample_profile

from footnote_desktop.desktop.main_window import MainWindow
from footnote_desktop.desktop.theme import theme


@pytest.fixture(scope="session")
def qapp_cls() -> Any:
    from PySide6.QtWidgets import QApplication

    return QApplication


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
        window = MainWindow(made, (lambda p: FakeBackend(p)) if backend is None else (lambda _: backend), profiles)
        windows.append(window)
        qtbot.addWidget(window)
        window.show()
        if ready:
            qtbot.waitUntil(lambda: window.chain.state not in ("unchecked", "checking"), timeout=5000)
        return window

    yield make
    for window in windows:
        window.close()
