"""A log, or chosen records of it, handed over as a file: streamed, complete or not there at all.

Every function writes to a temporary file beside ``to`` and puts it in place when it is whole. Each returns a
manifest: ``file``, ``format``, ``bytes``, ``sha256`` (of the file), ``records``, ``complete`` (all records of the log,
none chosen), ``firstSequence``, ``lastSequence``, ``headHash`` and ``attachments``. ``chosen`` are sequences or ids;
without, everything. :class:`LogError` says why a file could not be written.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import orjson

from footnote_desktop.provenance.browse import GENERATOR
from footnote_desktop.provenance.canonical import canonical
from footnote_desktop.provenance.errors import LogCancelledError, LogError
from footnote_desktop.provenance.log import Log, Stored
from footnote_desktop.provenance.peer import INDEX, TABLE
from footnote_desktop.provenance.record import GENESIS
from footnote_desktop.provenance.rowset import RowSetError, manifest_of

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]
Chosen = Iterable[int | str]

FORMAT = "footnote/v0"

#: Evidence ids that stand in one cell of a CSV file; JSON has them all.
CELL_IDS = 100

CSV_COLUMNS = (
    "sequence",
    "timestamp",
    "actor",
    "role",
    "question",
    "operation",
    "path",
    "figure",
    "exact",
    "unit",
    "evidence",
    "record",
    "hash",
    "reconciliation",
)

_PLAIN_NUMBER = re.compile(r"-?[0-9]+([.,][0-9]+)?\Z")


def export_file(
    log: Log,
    to: str | os.PathLike[str],
    *,
    chosen: Chosen | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, Any]:
    """Export in the format that the suffix of ``to`` names: .json, .jsonl, .csv or .sqlite3 (the peer's table)."""
    suffix = Path(to).suffix.lower()
    writers = {".json": export_json, ".jsonl": export_jsonl, ".csv": export_csv, ".sqlite3": export_peer_sqlite}
    if suffix not in writers:
        raise LogError(
            f"A file that ends in {suffix or 'no suffix'} cannot be exported.", f"Use one of {', '.join(writers)}."
        )
    return writers[suffix](log, to, chosen=chosen, progress=progress, cancel=cancel)


def export_json(
    log: Log,
    to: str | os.PathLike[str],
    *,
    chosen: Chosen | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, Any]:
    """One JSON document as the peer exports it, with the attachments and a manifest beside its members."""
    walk = _Walk(log, chosen, progress, cancel)
    with _whole_file(log, to) as file:
        head = {"format": FORMAT, "generator": GENERATOR, "exportedAt": _now()}
        file.write(orjson.dumps(head)[:-1] + b',\n"records":[')
        separator = b"\n"
        for stored in walk.records():
            file.write(separator + _line(stored))
            separator = b",\n"
        file.write(b'\n],\n"attachments":{')
        separator = b"\n"
        for digest, packed in walk.attachments():
            file.write(separator + orjson.dumps(digest) + b":" + orjson.dumps(packed))
            separator = b",\n"
        file.write(b'\n},\n"chainIntegrity":' + orjson.dumps(walk.integrity()))
        file.write(b',\n"manifest":' + orjson.dumps(walk.manifest()) + b"}\n")
    return {"file": str(to), "format": FORMAT, **file.result(), **walk.manifest()}


def export_jsonl(
    log: Log,
    to: str | os.PathLike[str],
    *,
    chosen: Chosen | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, Any]:
    """A record a line; after them ``{"attachment": …}`` lines, and last ``{"manifest": …}``."""
    walk = _Walk(log, chosen, progress, cancel)
    with _whole_file(log, to) as file:
        for stored in walk.records():
            file.write(_line(stored) + b"\n")
        for digest, packed in walk.attachments():
            file.write(orjson.dumps({"attachment": {"sha256": digest, **packed}}) + b"\n")
        file.write(orjson.dumps({"manifest": walk.manifest()}) + b"\n")
    return {"file": str(to), "format": f"{FORMAT} lines", **file.result(), **walk.manifest()}


def export_csv(
    log: Log,
    to: str | os.PathLike[str],
    *,
    chosen: Chosen | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, Any]:
    """The figures for a spreadsheet: a line for each, and one for each record that has none (a refusal)."""
    walk = _Walk(log, chosen, progress, cancel)
    with _whole_file(log, to) as file:
        text = io.StringIO()
        lines = csv.writer(text)
        text.write("\ufeff")  # or Excel takes it for something else than UTF-8
        lines.writerow(CSV_COLUMNS)
        for stored in walk.records():
            lines.writerows(_cells(stored))
            file.write(text.getvalue().encode())
            text.seek(0)
            text.truncate()
        file.write(text.getvalue().encode())
    return {"file": str(to), "format": "csv", **file.result(), **walk.manifest()}


def export_peer_sqlite(
    log: Log,
    to: str | os.PathLike[str],
    *,
    chosen: Chosen | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, Any]:
    """The peer's table, on which its own verification passes. It has no place for attachments."""
    walk = _Walk(log, chosen, progress, cancel)
    with _whole_file(log, to) as file:
        database = sqlite3.connect(file.path, isolation_level=None)
        try:
            # Until the file is put in place nobody knows it: no journal is needed to be able to take it back.
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.execute("BEGIN")
            database.execute(TABLE)
            for stored in walk.records():
                database.execute("INSERT INTO provenance VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _peer_row(stored))
            database.execute(INDEX)
            database.execute("COMMIT")
        except sqlite3.Error as error:
            raise LogError(f"{to} could not be written: {error}.", "Check the space on the disk.") from error
        finally:
            database.close()
    return {"file": str(to), "format": "peer sqlite3", **file.result(), **walk.manifest(), "attachments": 0}


class _Walk:
    """Goes through the records once, checks the chain on the way, and remembers what the manifest needs."""

    def __init__(self, log: Log, chosen: Chosen | None, progress: Progress | None, cancel: Cancel | None) -> None:
        self._log = log
        self._chosen = None if chosen is None else self._resolve(chosen)
        self._progress = progress
        self._cancel = cancel
        self._total = log.count() if self._chosen is None else len(self._chosen)
        self._count = 0
        self._first = self._last = 0
        self._head = GENESIS
        self._fault: dict[str, Any] | None = None
        self._manifests: dict[str, None] = {}
        self._attachments = 0

    def records(self) -> Iterator[Stored]:
        for stored in self._source():
            if self._count % 100 == 0:
                self._report()
            members = self._readable(stored)
            self._check(stored, members)
            self._count += 1
            self._first = self._first or stored.sequence
            self._last, self._head = stored.sequence, stored.hash
            if self._chosen is not None:
                self._note_rowsets(members)
            yield stored
        self._report()

    def attachments(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The attachments of the records that were walked through."""
        for digest in self._digests():
            packed = self._log.packed(digest)
            if packed is None:
                raise LogError(
                    f"Rows that belong to the records are missing from {self._log.path} ({digest[:12]}…).",
                    "Run `footnote verify` on it.",
                )
            self._attachments += 1
            if self._cancel and self._cancel():
                raise LogCancelledError("the export was cancelled")
            yield digest, {"encoding": "zlib+base64", "data": base64.b64encode(packed).decode()}

    def integrity(self) -> dict[str, Any]:
        """What the walk found of the chain, in the peer's words."""
        return self._fault or {"ok": True, "count": self._count}

    def manifest(self) -> dict[str, Any]:
        return {
            "records": self._count,
            "complete": self._chosen is None,
            "firstSequence": self._first,
            "lastSequence": self._last,
            "headHash": self._head,
            "attachments": self._attachments,
        }

    def _resolve(self, chosen: Chosen) -> list[int]:
        sequences: set[int] = set()
        for key in chosen:
            stored = self._log.find(key)
            if stored is None:
                raise LogError(f"There is no record {key} in {self._log.path}.", "`footnote records` lists them.")
            sequences.add(stored.sequence)
        return sorted(sequences)

    def _source(self) -> Iterator[Stored]:
        if self._chosen is None:
            yield from self._log.stored()
            return
        for sequence in self._chosen:
            stored = self._log.find(sequence)
            if stored is not None:
                yield stored

    def _readable(self, stored: Stored) -> dict[str, Any]:
        try:
            if stored.canon is None:
                raise ValueError(stored.fault)
            members = orjson.loads(stored.canon)
            if not isinstance(members, dict) or not isinstance(members["previousHash"], str):
                raise ValueError("it is not a record")
        except (ValueError, KeyError) as error:
            raise LogError(
                f"Record {stored.sequence} of {self._log.path} cannot be exported: {error}.",
                "Run `footnote verify` on the log; export the records before it by their numbers.",
            ) from None
        return members

    def _check(self, stored: Stored, members: dict[str, Any]) -> None:
        if self._fault:
            return
        neighbours = self._chosen is None or stored.sequence == self._last + 1
        if hashlib.sha256(stored.canon or b"").hexdigest() != stored.hash:
            reason = "its content does not give its hash"
        elif neighbours and members["previousHash"] != self._head:
            reason = "it does not continue the record before it"
        else:
            return
        self._fault = {"ok": False, "failedAt": stored.sequence, "reason": reason}

    def _note_rowsets(self, members: dict[str, Any]) -> None:
        for entry in members.get("evidence") or ():
            if isinstance(entry, dict) and entry.get("type") == "rowset" and isinstance(entry.get("fields"), dict):
                self._manifests[str(entry["fields"].get("manifest"))] = None

    def _digests(self) -> Iterator[str]:
        if self._chosen is None:
            yield from self._log.attachments()
            return
        seen: set[str] = set()
        for manifest in self._manifests:
            try:
                digests = [manifest, *manifest_of(self._log.attachment, manifest)]
            except RowSetError as error:
                raise LogError(f"Rows cannot be exported: {error}.", "Run `footnote verify` on the log.") from None
            for digest in digests:
                if digest not in seen:
                    seen.add(digest)
                    yield digest

    def _report(self) -> None:
        if self._cancel and self._cancel():
            raise LogCancelledError("the export was cancelled")
        if self._progress:
            self._progress(self._count, max(self._total, self._count))


class _Output:
    """The temporary file that becomes ``to``."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = str(path)
        self._file = file
        self._result: dict[str, Any] = {}

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def finish(self) -> None:
        """Bring it to disk, and take its size and hash from what is on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        with open(self.path, "rb") as written:
            digest = hashlib.file_digest(written, "sha256")
            self._result = {"bytes": written.tell(), "sha256": digest.hexdigest()}

    def result(self) -> dict[str, Any]:
        return self._result


@contextmanager
def _whole_file(log: Log, to: str | os.PathLike[str]) -> Iterator[_Output]:
    target = Path(os.path.abspath(to))
    if log.path != ":memory:" and target in [Path(log.path + suffix) for suffix in ("", "-wal", "-shm", ".lock")]:
        raise LogError(f"{target} is the log itself.", "Choose another file to export to.")
    if target.is_dir():
        raise LogError(f"{target} is a folder.", "Give the name of a file in it.")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "w+b") as file:
            output = _Output(temporary, file)
            yield output
            output.finish()
        os.replace(temporary, target)
    except OSError as error:
        raise LogError(
            f"{target} could not be written: {error.strerror}.",
            "Check the folder, its rights and the space on the disk.",
        ) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _line(stored: Stored) -> bytes:
    """The record as it was hashed, with its hash put behind the last key."""
    assert stored.canon is not None
    return stored.canon[:-1] + b',"hash":' + orjson.dumps(stored.hash) + b"}"


def _peer_row(stored: Stored) -> tuple[Any, ...]:
    members = orjson.loads(stored.canon or b"")
    body = b",".join(
        b'"%s":%s' % (key.encode(), canonical(members[key])) for key in ("claims", "operations", "evidence")
    )
    return (
        members["id"],
        members["sequence"],
        members["timestamp"],
        members["actor"]["id"],
        members["actor"]["role"],
        members["question"],
        members["answer"],
        "{" + body.decode() + "}",
        members["previousHash"],
        stored.hash,
    )


def _cells(stored: Stored) -> Iterator[list[str]]:
    members = orjson.loads(stored.canon or b"")
    actor = members["actor"]
    found = False
    said = next((text for operation in members["operations"] if (text := operation.get("reconciliation"))), "")
    end = [stored.id, stored.hash, said]
    start = [str(stored.sequence), members["timestamp"], actor.get("id"), actor.get("role"), members["question"]]
    for operation, entry in _figures(members):
        found = True
        ids = [str(identifier) for identifier in entry.get("evidenceIds") or ()]
        shown = " ".join(ids[:CELL_IDS]) + (f" … and {len(ids) - CELL_IDS} more" if len(ids) > CELL_IDS else "")
        figure = [operation, *(entry.get(key) for key in ("path", "text", "exact", "unit")), shown]
        yield [_cell(value) for value in (*start, *figure, *end)]
    if not found:
        names = " ".join(str(operation.get("name", "")) for operation in members["operations"])
        yield [_cell(value) for value in (*start, names, "", "", "", "", "", *end)]


def _figures(members: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The figures of a record: its citations, or, in a record of the peer, its claims."""
    cited = False
    for operation in members["operations"]:
        for citation in operation.get("citations") or ():
            cited = True
            yield str(operation.get("name", "")), citation
    if not cited:
        names = " ".join(str(operation.get("name", "")) for operation in members["operations"])
        for claim in members["claims"]:
            yield names, claim


def _cell(value: object) -> str:
    """Text that a spreadsheet shows and never runs: what could be a formula gets an apostrophe in front."""
    text = "" if value is None else str(value)
    if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and not _PLAIN_NUMBER.match(text):
        return "'" + text
    return text


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
