"""Backups of clients' files, and what we wrote into each: in the user's data folder, readable by the user alone.

Clients' files hold tokens of other servers, and many lie in folders that are kept in git; a backup beside them would
be read by some client, or published.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from footnote_desktop.clients.json_edit import Undo

KEPT = 10  #: backups of one file, beside the one that a removal would bring back


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What we wrote into a file, and what was there before."""

    path: str
    written: str  #: SHA-256 of the whole file as we wrote it
    original: str | None  #: the name of the backup that a removal brings back; None where there was no file
    original_hash: str | None
    made: bool  #: there was no file
    made_folders: tuple[str, ...]  #: that were missing, the innermost first
    undo: Undo


class Store:
    """The folder of one client's file."""

    def __init__(self, path: Path, folder: Path | None = None):
        if folder is None:
            import platformdirs

            folder = Path(platformdirs.user_data_dir("Footnote", appauthor=False)) / "clients"
        name = f"{path.name.lstrip('.')}-{digest(os.fsencode(path))[:12]}"
        self.folder = folder / name
        self._receipt = self.folder / "receipt.json"

    def receipt(self) -> Receipt | None:
        """What we wrote last; None where nothing is known, or it cannot be read."""
        try:
            data = json.loads(self._receipt.read_bytes())
            return Receipt(**{**data, "made_folders": tuple(data["made_folders"]), "undo": Undo(**data["undo"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def original(self, receipt: Receipt) -> bytes | None:
        """The backup the receipt names, if it is still what it was."""
        if receipt.original is None:
            return None
        try:
            content = (self.folder / receipt.original).read_bytes()
        except OSError:
            return None
        return content if digest(content) == receipt.original_hash else None

    def back_up(self, content: bytes) -> Path:
        """A dated copy, on disk when this returns. Raises ``OSError``."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            target = self.folder / f"{datetime.now(UTC):%Y-%m-%dT%H%M%S.%fZ}.bak"
            try:
                write_new(target, content, 0o600)
                return target
            except FileExistsError:
                continue

    def keep(self, receipt: Receipt | None) -> None:
        """Remember what was written, or forget it. Raises ``OSError``."""
        if receipt is None:
            self._receipt.unlink(missing_ok=True)
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = self._receipt.with_suffix(f".{os.getpid()}.tmp")
        temporary.unlink(missing_ok=True)
        try:
            write_new(temporary, json.dumps(asdict(receipt), indent=1).encode(), 0o600)
            os.replace(temporary, self._receipt)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def prune(self) -> None:
        """Remove all but the last ten backups, and the one a removal would bring back."""
        receipt = self.receipt()
        named = receipt.original if receipt else None
        backups = sorted(path for path in self.folder.glob("*.bak") if path.name != named)
        for path in backups[:-KEPT]:
            path.unlink(missing_ok=True)


def write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that must not be there yet, and wait for the disk; nothing is left of it on an error."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
