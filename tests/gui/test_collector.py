"""Widgets that are garbage die in the GUI thread, whatever other threads allocate meanwhile."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from footnote_desktop.desktop.collector import Collector


class Cycle(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def allocate() -> None:
    kept = [[number] for number in range(200_000)]
    assert kept


def test_a_widget_in_a_cycle_outlives_the_work_of_another_thread(qapp: Any) -> None:
    gc.enable()
    owner = QObject()
    collector = Collector(owner)
    assert not gc.isenabled()
    gone = weakref.ref(Cycle())
    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    assert gone() is not None, "another thread collected it"
    for _ in range(50):
        kept = [[number] for number in range(1_000)]
        assert kept
        collector.collect_what_is_due()
    gc.collect()
    assert gone() is None
