"""One thread that does one thing after the other, and hands each result over to the GUI thread."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


class Worker(QObject):
    """Runs jobs in order on a thread of its own. What a job returns, and what it reports on the way, arrives through
    ``reported`` in the thread that made the worker. Jobs hold no widgets."""

    reported = Signal(object)
    _crossed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        # The only connection between the threads; everything after it happens in the GUI thread.
        self._crossed.connect(self._arrived, Qt.ConnectionType.QueuedConnection)
        # A daemon: a database that never answers must not keep the application from closing.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], object]) -> None:
        """Queue a job. It must not raise; None as its result is not reported."""
        self._jobs.put(job)

    def report(self, event: object) -> None:
        """Called in the job's thread: hand over something before the job ends."""
        with contextlib.suppress(RuntimeError):  # the application closed meanwhile
            self._crossed.emit(event)

    def end(self, last: Callable[[], object] | None = None) -> None:
        """End after the job that runs now and then ``last``; jobs not begun are dropped. Does not wait."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()
        if last is not None:
            self._jobs.put(last)
        self._jobs.put(None)

    def end_when_done(self) -> None:
        """End after the jobs that are queued. Does not wait."""
        self._jobs.put(None)

    def wait(self, seconds: float) -> bool:
        """Whether the thread has ended within that time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            result = job()
            if result is not None:
                self.report(result)

    def _arrived(self, event: object) -> None:
        self.reported.emit(event)
