"""A connection that does not wait for ever: a server that stops answering becomes an error.

The server's own time-outs end a query only while the server runs and its network delivers. Here the client looks at
the clock, and at a wish to cancel, while it waits for the socket.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen

#: Seconds between two looks at the clock.
_INTERVAL = 0.1


class TooLong(psycopg.OperationalError):
    """The server did not answer within the patience."""

    def __init__(self) -> None:
        super().__init__("timed out: no answer from the server")


class Canceled(psycopg.OperationalError):
    """The wait was cancelled from this side."""

    def __init__(self) -> None:
        super().__init__("cancelled on this side")


class PatientConnection(psycopg.Connection[Any]):
    """A connection whose waits end. Each of ``stops`` is asked whether the present one shall end."""

    stops: tuple[Callable[[], bool], ...] = ()
    _deadline: float | None = None

    @contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Every wait inside ends ``seconds`` from now; the connection is closed when it does."""
        self._deadline = time.monotonic() + seconds
        try:
            yield
        finally:
            self._deadline = None

    def wait(self, gen: PQGen[RV], interval: float = _INTERVAL, *args: Any, **kwargs: Any) -> RV:
        try:
            return super().wait(self._watched(gen), min(interval, _INTERVAL), *args, **kwargs)
        except (TooLong, Canceled):
            # The connection is in the middle of a reply and of no further use. Telling the server is a courtesy.
            with suppress(Exception):
                self.cancel_safe(timeout=1.0)
            self.close()
            raise

    def _watched(self, gen: PQGen[RV]) -> PQGen[RV]:
        try:
            state = next(gen)
            while True:
                ready = yield state
                # Whatever arrived is taken before the clock is looked at.
                state = gen.send(ready)
                if self._deadline is not None and time.monotonic() > self._deadline:
                    raise TooLong
                if any(stop() for stop in self.stops):
                    raise Canceled
        except StopIteration as done:
            value: RV = done.value
            return value
