"""Cyclic garbage is collected in the GUI thread only.

Python runs its collector in whatever thread happens to allocate. In a worker's thread it would take apart widgets that
are waiting to be collected, and Qt crashes when a widget dies outside the thread that it lives in.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

#: Milliseconds between two looks at how much there is.
INTERVAL = 1_000


class Collector(QObject):
    """Takes over from Python's own collector while the application runs; made in the GUI thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL)
        self._timer.timeout.connect(self.collect_what_is_due)
        self._timer.start()

    def collect_what_is_due(self) -> None:
        """Collect the oldest generation that has reached Python's threshold for it."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return
