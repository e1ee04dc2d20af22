"""What the application's background thread calls. No Qt; every method may block, and belongs to one thread."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Protocol

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.chain import ChainState
from footnote_desktop.desktop.events import Exported, Listed, Opened


class Backend(Protocol):
    """One opened profile."""

    def open(self, generation: int) -> Opened: ...

    def warm(self) -> None: ...

    def ask(self, question: str, as_of: dt.date | None) -> Answer: ...

    def list(self, generation: int, search: str | None, before: int | None, limit: int) -> Listed: ...

    def find(self, key: str) -> Answer | None: ...

    def export(self, generation: int, path: str) -> Exported: ...

    def verify(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> ChainState:
        """Called from a second thread: reads the log through a connection of its own."""

    def close(self) -> None: ...
