"""A lock between processes, held round everything that writes to a log.

SQLite's own locks keep a log whole, but not quite: versions before 3.51.3 (3.50.7, 3.44.6) can corrupt a database in
WAL mode when one connection writes while another one resets the WAL. With this lock no two processes ever open,
write, checkpoint or close at the same moment; it also makes waiting fair, where SQLite sleeps in growing steps.
The operating system releases it when its holder dies.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from footnote_desktop.provenance.errors import LogError


class FileLock:
    """An exclusive lock on the file at ``path``, which is made (0600) when missing and then stays."""

    def __init__(self, path: str, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises :class:`LogError` when another process holds it for ``timeout`` seconds."""
        deadline = time.monotonic() + self._timeout
        pause = 0.0002
        while not self._taken():
            if time.monotonic() > deadline:
                raise LogError(
                    f"Another program has kept the log locked for {self._timeout:g} seconds.",
                    "Close other Footnote windows and servers that use this log, or try again.",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.005)
        try:
            yield
        finally:
            _release(self._handle)

    def _taken(self) -> bool:
        try:
            return _take(self._handle)
        except OSError as error:
            raise LogError(
                f"The folder of the log does not support locking files ({error.strerror}).",
                "Put the log on a local disk: several programs cannot write to one safely over such a file system.",
            ) from None

    def close(self) -> None:
        """Give the file back; the lock must not be held."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _release(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
