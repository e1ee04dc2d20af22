"""Between the pages and the background: requests go out with a generation number, events come back with it."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import threading
import traceback
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from footnote_desktop.desktop import faults
from footnote_desktop.desktop.backend import Backend
from footnote_desktop.desktop.events import (
    Answered,
    Exported,
    Failed,
    Found,
    Listed,
    Opened,
    Progressed,
    Verified,
)
from footnote_desktop.desktop.worker import Worker

#: Unique over all clients of the process, so that a reply from the profile before can never pass for one of this.
_generations = itertools.count(1)


class Client(QObject):
    """One profile's work: a thread for the desk, and one for checking the log, which may take long.

    Each method returns the generation of its request at once. Receivers compare it and drop what came too late.
    """

    opened = Signal(Opened)
    answered = Signal(Answered)
    listed = Signal(Listed)
    found = Signal(Found)
    progressed = Signal(Progressed)
    verified = Signal(Verified)
    exported = Signal(Exported)
    failed = Signal(Failed)

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend
        self._desk = Worker("footnote-desk")
        self._checker = Worker("footnote-checker")
        self._desk.reported.connect(self._deliver)
        self._checker.reported.connect(self._deliver)
        self._stop_checking = threading.Event()
        self._closed = False

    def open(self) -> int:
        return self._request("open", self._backend.open)

    def warm(self) -> int:
        """Have ready what the first question would otherwise wait for."""
        return self._request("warm", lambda _: self._backend.warm())

    def ask(self, question: str, as_of: dt.date | None) -> int:
        return self._request("ask", lambda generation: Answered(generation, self._backend.ask(question, as_of)))

    def list(self, search: str | None = None, before: int | None = None, limit: int = 100) -> int:
        return self._request("list", lambda generation: self._backend.list(generation, search, before, limit))

    def find(self, key: str) -> int:
        return self._request("find", lambda generation: Found(generation, key, self._backend.find(key)))

    def export(self, path: str) -> int:
        return self._request("export", lambda generation: self._backend.export(generation, path))

    def verify(self) -> int:
        """Check the whole log, in a thread of its own; a check that runs is stopped first."""
        self._stop_checking.set()
        self._stop_checking = stop = threading.Event()
        worker = self._checker

        def job(generation: int) -> object:
            def progress(done: int, total: int) -> None:
                worker.report(Progressed(generation, done, total))

            if stop.is_set():
                return None
            chain = self._backend.verify(progress, stop.is_set)
            return None if stop.is_set() else Verified(generation, chain)

        return self._request("verify", job, worker)

    def close(self, wait: float = 0.0) -> None:
        """End both threads; the backend is closed in the thread that used it. Waits up to ``wait`` seconds: none when
        another profile takes over, a little when the application ends. What hangs is left behind."""
        if not self._closed:
            self._closed = True
            self._stop_checking.set()
            self._checker.end()
            self._desk.end(self._close_backend)
        if wait:
            self._checker.wait(wait)
            self._desk.wait(wait)

    def _close_backend(self) -> None:
        with contextlib.suppress(Exception):  # nobody is left to hear of it
            self._backend.close()

    def _request(self, doing: str, work: Callable[[int], object], worker: Worker | None = None) -> int:
        generation = next(_generations)

        def job() -> object:
            try:
                return work(generation)
            except Exception as error:
                return Failed(generation, doing, faults.describe(error, traceback.format_exc()))

        (worker or self._desk).submit(job)
        return generation

    def _deliver(self, event: object) -> None:
        if self._closed:
            return
        for kind, signal in (
            (Answered, self.answered),
            (Failed, self.failed),
            (Listed, self.listed),
            (Found, self.found),
            (Progressed, self.progressed),
            (Verified, self.verified),
            (Exported, self.exported),
            (Opened, self.opened),
        ):
            if isinstance(event, kind):
                signal.emit(event)
                return
