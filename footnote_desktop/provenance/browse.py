"""Exports opened as logs: JSON in the peer's form (the peer's and ours) and JSON Lines."""

from __future__ import annotations

import base64
import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from footnote_desktop.provenance.canonical import as_doubles, canonical
from footnote_desktop.provenance.errors import LogError
from footnote_desktop.provenance.jsonstream import BrokenJsonError, Scanner
from footnote_desktop.provenance.log import Log, Stored
from footnote_desktop.provenance.projection import searchable
from footnote_desktop.provenance.record import GENESIS, KEYS

#: The member of an export that tells ours from the peer's.
GENERATOR = "Footnote Desktop"

_HASH_LAST = re.compile(r',"hash":"([0-9a-f]{64})"\}\Z')

# Everything lands in a temporary database that SQLite keeps in memory or on disk as it sees fit and removes itself:
# an export of any size can then be searched and paged like a log.
_TABLES = """
CREATE TABLE record (place INTEGER PRIMARY KEY, seq INTEGER, id TEXT, hash TEXT, canon BLOB, fault TEXT, text TEXT);
CREATE INDEX record_seq ON record (seq);
CREATE INDEX record_id ON record (id);
CREATE TABLE attachment (hash TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
"""


class ExportLog(Log):
    """An export, read only. ``broken`` says why the file could not be read to its end, if so."""

    _select = "SELECT place, seq, id, hash, canon, fault FROM record"
    _sequence = "seq"
    _match = "instr(text, ?)"

    def __init__(self, path: Path) -> None:
        super().__init__(sqlite3.connect("", isolation_level=None, check_same_thread=False), str(path))
        self._db.executescript(_TABLES)
        self.kind = "peer-export"
        self.broken: str | None = None
        self.manifest: dict[str, Any] | None = None  #: what the export says of itself, if it does
        self.claimed: object = None  #: how many records the export says that it holds
        self.size = 0  #: how many it does hold

    @property
    def selection(self) -> bool:
        """Whether the export says that it holds chosen records only, so that the chain has gaps by intention."""
        return bool(self.manifest and self.manifest.get("complete") is False)

    def count(self) -> int:
        row = self._one("SELECT count(*) FROM record")
        return int(row[0]) if row else 0

    def head(self) -> tuple[int, str]:
        row = self._one("SELECT seq, hash FROM record ORDER BY place DESC LIMIT 1")
        return (row[0], row[1]) if row else (0, GENESIS)

    def packed(self, digest: str) -> bytes | None:
        row = self._one("SELECT data FROM attachment WHERE hash = ?", (digest,))
        return None if row is None else row[0]

    def attachments(self) -> Iterator[str]:
        with self._guard:
            found = self._db.execute("SELECT hash FROM attachment ORDER BY hash").fetchall()
        return (digest for (digest,) in found)

    def stored(self, after: int | None = None) -> Iterator[Stored]:
        """The records in the order of the file, whatever their sequences are."""
        place = 0
        while True:
            with self._guard, self._explained("read"):
                page = self._db.execute(f"{self._select} WHERE place > ? ORDER BY place LIMIT 200", (place,)).fetchall()
            if not page:
                return
            place = page[-1][0]
            for row in page:
                if after is None or row[1] > after:
                    yield self._stored(row)

    def _stored(self, row: tuple[Any, ...]) -> Stored:
        _place, sequence, identifier, digest, canon, fault = row
        return Stored(sequence, identifier, digest, canon, fault or "")

    def add_record(self, element: Any, raw: str) -> None:
        """Keep one record of the file; one that is none is kept as such, for the verifier to find."""
        members = element if isinstance(element, dict) else {}
        sequence, identifier, digest = members.get("sequence"), members.get("id"), members.get("hash")
        self.size += 1
        canon, fault = _canon(members, raw)
        text = ""
        if canon is not None:
            text = searchable(
                str(members["question"]), str(members["answer"]), _list(members, "claims"), _list(members, "operations")
            )
        known = isinstance(sequence, int) and not isinstance(sequence, bool) and abs(sequence) < 2**53
        self._db.execute(
            "INSERT INTO record (place, seq, id, hash, canon, fault, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                self.size,
                sequence if known else self.size,
                identifier if isinstance(identifier, str) and identifier.isprintable() else "",
                digest if isinstance(digest, str) and digest.isprintable() else "",
                canon,
                fault,
                text,
            ),
        )

    def add_attachment(self, digest: object, packed: object) -> None:
        """Keep one attachment: ``{"encoding": "zlib+base64", "data": …}``. Its hash is checked when it is used."""
        if not isinstance(digest, str) or not isinstance(packed, dict) or packed.get("encoding") != "zlib+base64":
            return
        try:
            data = base64.b64decode(packed["data"], validate=True)
        except (ValueError, KeyError, TypeError):
            data = b""
        self._db.execute("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)", (digest, data))


def open_export(path: Path) -> ExportLog:
    """The export at ``path``, to be browsed. Raises :class:`LogError` when it is none or does not end properly."""
    export = load_export(path)
    if export.broken:
        broken = export.broken
        export.close()
        raise LogError(f"{path} cannot be browsed: {broken}.", "Run `footnote verify` on it: it says what still holds.")
    return export


def load_export(path: Path, step: Callable[[int], None] | None = None) -> ExportLog:
    """Everything in ``path`` that can be read. ``step(records)`` is called now and then; it may raise to stop.

    Raises :class:`LogError` when the file is not an export at all.
    """
    export = ExportLog(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = _is_lines(Scanner(file))
            file.seek(0)
            scanner = Scanner(file, (lambda _characters: step(export.size)) if step else None)
            export._db.execute("BEGIN")
            try:
                recognised = _load_lines(export, scanner) if lines else _load(export, scanner)
            except BrokenJsonError as error:
                export.broken = str(error)
                recognised = export.size > 0
            export._db.execute("COMMIT")
    except OSError as error:
        export.close()
        raise LogError(f"{path} cannot be read: {error.strerror}.", "Check the rights of this account.") from None
    except BaseException:
        export.close()
        raise
    if not recognised:
        export.close()
        raise LogError(f"{path} is JSON, but not an export of a log.", "Choose another file.")
    return export


def _is_lines(scanner: Scanner) -> bool:
    """Whether the file holds one record a line rather than one document: its first key tells."""
    try:
        scanner.take("{")
        key, _ = scanner.value()
    except BrokenJsonError:
        return False
    return key in KEYS or key == "hash"


def _load(export: ExportLog, scanner: Scanner) -> bool:
    """Fill ``export`` from one document; False when it is something else."""
    recognised = False
    for key, value, raw in scanner.members(("records", "attachments")):
        if key == "format":
            recognised = isinstance(value, str) and value.startswith("footnote/")
        elif key == "generator" and value == GENERATOR:
            export.kind = "export"
        elif key == "records":
            export.add_record(value, raw)
        elif key == "attachments" and isinstance(value, tuple):
            export.add_attachment(*value)
        elif key == "manifest" and isinstance(value, dict):
            export.manifest = value
        elif key == "chainIntegrity" and isinstance(value, dict):
            export.claimed = value.get("count")
    if scanner.peek():
        raise BrokenJsonError("there is more after its end")
    return recognised


def _load_lines(export: ExportLog, scanner: Scanner) -> bool:
    """Fill ``export`` from JSON Lines: a record a line, then attachments, then the manifest."""
    export.kind = "export"
    while scanner.peek():
        value, raw = scanner.value()
        members = value if isinstance(value, dict) else {}
        if isinstance(members.get("attachment"), dict):
            export.add_attachment(members["attachment"].get("sha256"), members["attachment"])
        elif isinstance(members.get("manifest"), dict):
            export.manifest = members["manifest"]
        else:
            export.add_record(value, raw)
    return export.size > 0


def _canon(members: dict[str, Any], raw: str) -> tuple[bytes | None, str | None]:
    """The bytes that were hashed, or why there are none."""
    for key in KEYS:
        if key not in members:
            return None, f"it has no {key}"
    last = _HASH_LAST.search(raw)
    if last:  # as we write it: the bytes that were hashed, with the hash put behind them
        canon = (raw[: last.start()] + "}").encode()
        if hashlib.sha256(canon).hexdigest() == last[1]:
            return canon, None
    try:
        return canonical({key: as_doubles(members[key]) for key in KEYS}), None
    except ValueError as error:
        return None, f"it holds what no record can hold ({error})"


def _list(members: dict[str, Any], key: str) -> list[Any]:
    value = members[key]
    return value if isinstance(value, list) else []
