"""Where the server writes what it does: stderr, which hosts keep, and a rotating file in the user's data folder."""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from footnote_desktop.provenance.errors import redact

#: Size of one file in bytes, and how many older ones are kept.
SIZE, KEPT = 1_000_000, 3


class _WithoutPasswords(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class _Quiet(RotatingFileHandler):
    """Several servers write to one file; where one cannot rotate it while others hold it, it writes on."""

    def doRollover(self) -> None:  # noqa: N802 (logging's own name)
        try:
            super().doRollover()
        except OSError:
            if self.stream is None:
                self.stream = self._open()


def start_journal() -> Path | None:
    """Send everything that is logged to stderr (from warnings on) and to the file. Returns the file's path, or None
    where it cannot be written; the server then runs without it."""
    import platformdirs

    form = _WithoutPasswords("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    if sys.stderr is not None:
        to_stderr = logging.StreamHandler(sys.stderr)
        to_stderr.setLevel(logging.WARNING)
        to_stderr.setFormatter(form)
        root.addHandler(to_stderr)
    path = Path(platformdirs.user_data_dir("Footnote", appauthor=False)) / "logs" / "server.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        to_file = _Quiet(path, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8", errors="replace")
    except OSError as error:
        root.warning("no log file: %s", error)
        return None
    to_file.setFormatter(form)
    root.addHandler(to_file)
    return path
