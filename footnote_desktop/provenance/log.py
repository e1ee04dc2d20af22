"""A log as others see it, whether ours, the peer's or an export: looked at in one way."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ClassVar, NamedTuple

import orjson

from footnote_desktop.provenance.errors import DamagedError, LogError, NotADatabaseError, redact
from footnote_desktop.provenance.projection import words
from footnote_desktop.provenance.record import Draft, Record, parse

#: Records fetched at a time when a log is read from end to end; memory does not depend on the log's length.
PAGE = 200
#: No attachment and no part of a record is larger, in bytes: a file that was made to fill the memory is not unpacked.
LARGEST = 1 << 28


class Stored(NamedTuple):
    """A record as it stands in the file: the columns beside it, and the bytes that were hashed."""

    sequence: int
    id: str
    hash: str  #: hex
    canon: bytes | None  #: None: the bytes cannot be put together; ``fault`` says why
    fault: str = ""


class Log(ABC):
    """A provenance log. Safe to use from several threads; a context manager that closes it.

    ``kind``: ``footnote-log``, ``peer-log``, ``peer-export`` or ``export``. ``read_only``: :meth:`append` raises.
    """

    kind: str
    path: str  #: ``:memory:`` for a log that was asked to be there
    read_only: bool = True

    # What differs between the tables that a log can be read from: the columns that `_stored` gets, the name of the
    # sequence column, the same two for searching if they differ, and when a record holds the folded word ?.
    _select: ClassVar[str]
    _sequence: ClassVar[str]
    _search: ClassVar[tuple[str, str] | None] = None
    _match: ClassVar[str]

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._db = connection
        self.path = path
        self._guard = threading.RLock()
        self._closed = False

    @abstractmethod
    def _stored(self, row: tuple[Any, ...]) -> Stored: ...

    def append(self, draft: Draft, attachments: Iterable[bytes] = ()) -> Record:
        """Record ``draft``; durable when it returns. Raises :class:`LogError` when it cannot be."""
        raise LogError(
            f"{self.path} is only read here: it was opened to be looked at.",
            "Choose another path for the log that is to be written.",
        )

    def get(self, key: str | int) -> Record | None:
        """The record with this id or sequence (a number, also as text), or None."""
        found = self.find(key)
        return self._parsed(found) if found else None

    def find(self, key: str | int) -> Stored | None:
        """The same, as it stands in the file."""
        if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 19:
            key = int(key)
        condition = f"{self._sequence} = ?" if isinstance(key, int) else "id = ?"
        found = self._fetch(f"WHERE {condition} LIMIT 1", (key,))
        return found[0] if found else None

    def records(self, search: str | None = None, limit: int = 50, before: int | None = None) -> list[Record]:
        """Up to ``limit`` records, newest first, of sequences below ``before``, in which all words of ``search`` occur
        (in question, answer, claims or operation; case and accents make no difference)."""
        wanted = words(search or "")
        select, sequence = self._search if wanted and self._search else (self._select, self._sequence)
        conditions = [f"{sequence} < ?"] if before is not None else []
        conditions += [self._match] * len(wanted)
        parameters = [*([] if before is None else [before]), *wanted, max(0, limit)]
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        found = self._fetch(f"{where}ORDER BY {sequence} DESC LIMIT ?", tuple(parameters), select)
        return [self._parsed(stored) for stored in found]

    @abstractmethod
    def count(self) -> int:
        """How many records there are."""

    @abstractmethod
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the last record; ``(0, "0" * 64)`` when there is none."""

    def attachment(self, digest: str) -> bytes | None:
        """The attachment with this SHA-256 (hex), or None. The caller checks the hash where it matters."""
        packed = self.packed(digest)
        return None if packed is None else unpack(packed)

    def packed(self, digest: str) -> bytes | None:
        """The same as it is stored: compressed with zlib."""
        return None

    def attachments(self) -> Iterator[str]:
        """The SHA-256 of each attachment, in hex."""
        return iter(())

    def stored(self, after: int | None = None) -> Iterator[Stored]:
        """Every record (with a sequence above ``after``), in order, as it stands in the file."""
        order = f"ORDER BY {self._sequence} LIMIT {PAGE}"
        while True:
            if after is None:  # not "above 0": who changes a file can put a record there as well
                page = self._fetch(order, ())
            else:
                page = self._fetch(f"WHERE {self._sequence} > ? {order}", (after,))
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].sequence

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        with self._guard:
            if not self._closed:
                self._closed = True
                self._db.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fetch(self, rest: str, parameters: tuple[Any, ...], select: str | None = None) -> list[Stored]:
        with self._guard, self._explained("read"):
            rows = self._db.execute(f"{select or self._select} {rest}", parameters).fetchall()
            return [self._stored(row) for row in rows]

    def _one(self, statement: str, parameters: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        with self._guard, self._explained("read"):
            row: tuple[Any, ...] | None = self._db.execute(statement, parameters).fetchone()
            return row

    def _parsed(self, stored: Stored) -> Record:
        try:
            if stored.canon is None:
                raise ValueError(stored.fault)
            return parse(stored.canon, stored.hash)
        except (ValueError, KeyError, TypeError) as error:
            raise LogError(
                f"Record {stored.sequence} of {self.path} cannot be read: {error}.",
                "Run `footnote verify` on this log: it says what was changed and what still holds.",
            ) from None

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        if self._closed:
            raise LogError("The log is closed.", "Open it again.")
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self.path, doing) from error


def explain(error: sqlite3.Error, path: str, doing: str) -> LogError:
    """What an error of SQLite means for the log at ``path`` that somebody wanted to ``doing`` (read, write, open)."""
    path = redact(path)
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LogError(
            f"The log {path} is locked by another program.",
            "Close the program that holds it (a backup, a database viewer), then try again.",
        )
    if name == "SQLITE_FULL":
        return LogError(f"The disk that holds the log {path} is full.", "Free some space, then try again.")
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return LogError(
            f"The log {path} cannot be written: the file or its folder is read-only.",
            "Give this account the right to write to both, or choose another path.",
        )
    if name.startswith("SQLITE_CANTOPEN"):
        return LogError(
            f"The log {path} cannot be opened.",
            "Check that this account may read and write the file and its folder.",
        )
    if name.startswith("SQLITE_NOTADB"):
        return NotADatabaseError(f"{path} is not a database.", "Choose another path.")
    if name.startswith("SQLITE_CORRUPT") or name == "SQLITE_ERROR":  # its structure, or its tables
        return DamagedError(
            f"The log {path} is damaged: {error}.",
            "Run `footnote verify` on it, and restore the file from a backup beside it, not over it.",
        )
    if name.startswith("SQLITE_IOERR"):
        return LogError(f"The disk reports an error on the log {path}: {error}.", "Check the disk, then try again.")
    if name.startswith("SQLITE_TOOBIG") or isinstance(error, sqlite3.DataError):
        return LogError("The answer is too large to be recorded.", "Narrow the question.")
    return LogError(f"Could not {doing} the log {path}: {error}.", "Run `footnote verify` on it.")


def assemble(canon: bytes, cuts: str | None, part: Any) -> bytes:
    """The hashed bytes: ``canon`` with the parts that ``cuts`` names put back; ``part(digest)`` gives one or None.

    Raises ``ValueError`` when a part is missing or ``cuts`` makes no sense.
    """
    if cuts is None:
        return canon
    pieces: list[bytes] = []
    at = size = 0
    for offset, digest in orjson.loads(cuts):
        data = part(digest)
        if data is None:
            raise ValueError(f"a part of it is missing ({digest[:12]}…)")
        size += len(data)
        if size > LARGEST:
            raise ValueError("it is too large")
        pieces += (canon[at:offset], data)
        at = offset
    pieces.append(canon[at:])
    return b"".join(pieces)


def unpack(data: bytes) -> bytes:
    """Stored bytes decompressed; empty when they were changed so that they cannot be, or beyond :data:`LARGEST`."""
    inflate = zlib.decompressobj()
    try:
        whole = inflate.decompress(data, LARGEST)
    except (zlib.error, TypeError):
        return b""
    return whole if inflate.eof and not inflate.unused_data else b""
