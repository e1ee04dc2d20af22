"""Is a log, or an export, unchanged since it was recorded? Reads; never writes, never creates.

The bytes that were hashed are hashed again as they are stored, each record must continue the one before it, and every
figure is derived again from the rows stored with it. What a plain chain cannot show is said, not passed over.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import orjson

from footnote_desktop.provenance.browse import ExportLog, load_export
from footnote_desktop.provenance.errors import DamagedError, LogCancelledError, LogError, NewerFormatError
from footnote_desktop.provenance.evidence import JsonValue
from footnote_desktop.provenance.log import Log, Stored
from footnote_desktop.provenance.readd import FigureError, Readder
from footnote_desktop.provenance.record import GENESIS
from footnote_desktop.provenance.store import connect_read_only, local_path, open_log, sniff

#: ``progress(done, total)`` in records; total is 0 while it is not known.
Progress = Callable[[int, int], None]
#: Returns True to stop; asked a few hundred times a second at most.
Cancel = Callable[[], bool]

State = Literal["intact", "contentChanged", "linkBroken", "unknownFormat", "missing"]

#: How often progress is reported and cancelling asked for, in records.
STEP = 250

_KEEP = "Keep this file as it is, note the number of the record, and compare it with a backup or an export."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found. ``count`` records are in the file, ``proven`` of them were found good before the first bad one.

    ``kind``: ``footnote-log``, ``peer-log``, ``export``, ``peer-export``, or ``none``. ``figures`` were derived again
    from their rows; ``unchecked`` ones could not be, because this kind of file does not carry their rows.
    """

    state: State
    count: int
    failed_at: int | None  #: sequence of the first bad record, or of the one that is missing
    reason: str  #: one or two sentences for people
    kind: str
    checkpoint: str | None = None
    advice: str = ""
    proven: int = 0
    figures: int = 0
    unchecked: int = 0

    @property
    def ok(self) -> bool:
        return self.state == "intact"

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "ok": self.ok,
            "state": self.state,
            "count": self.count,
            "failedAt": self.failed_at,
            "reason": self.reason,
            "advice": self.advice,
            "checkpoint": self.checkpoint,
            "kind": self.kind,
            "proven": self.proven,
            "figures": self.figures,
            "figuresUnchecked": self.unchecked,
        }


def verify(
    source: str | os.PathLike[str] | Log, progress: Progress | None = None, cancel: Cancel | None = None
) -> Verdict:
    """Verify a log or export file, recognised by its content, or a log that is open.

    A log in use can be verified; it is judged as it is when the end is reached. Raises :class:`LogCancelledError`
    when ``cancel`` says so, and :class:`LogError` when the file cannot be read at all (a folder, no right, a URL).
    """
    if isinstance(source, Log):
        return _Walk(source, progress, cancel).verdict()
    path = local_path(os.fspath(source))
    for _ in range(3):
        before = _state_of(path)
        verdict = _verify_file(path, progress, cancel)
        # A file without a WAL is read as it stands. When somebody opened and wrote it meanwhile, what looked broken
        # may only have been half seen: look again, now through the WAL that is there.
        if verdict.ok or _state_of(path) == before:
            break
    return verdict


def _verify_file(path: Path, progress: Progress | None, cancel: Cancel | None) -> Verdict:
    try:
        content = sniff(path)
    except DamagedError:
        return _unknown(f"{path} cannot be read as a database: it is damaged, or no log at all.", _KEEP)
    if content == "missing":
        advice = "Check the path. If the log was here, look for it in a backup."
        return Verdict("missing", 0, None, f"There is no log at {path}; nothing was created.", "none", advice=advice)
    if content == "new":
        return _unknown(f"{path} is empty: there is no log in it.", "If a log was here, look for it in a backup.")
    if content not in ("footnote-log", "peer-log", "json"):
        return _unknown(f"{path} is neither a log nor an export of one.", "Choose a log or an export.")
    try:
        if content == "json":
            log: Log = load_export(path, _stopper(progress, cancel))
        else:
            log = open_log(path, create=False, read_only=True)
    except NewerFormatError as error:
        return _unknown(error.message, error.advice)
    except DamagedError:
        return Verdict(
            "contentChanged", 0, 1, "The file is damaged: no record in it can be read.", content, advice=_KEEP
        )
    except LogError as error:
        if content != "json":
            raise
        return _unknown(error.message, error.advice)
    with log:
        verdict = _Walk(log, progress, cancel).verdict()
    if verdict.ok and content != "json" and _is_cut(path):
        reason = f"The file is damaged: its end is missing, though not of its {verdict.count} records."
        return replace(verdict, state="contentChanged", failed_at=verdict.count + 1, reason=reason, advice=_KEEP)
    return verdict


def _is_cut(path: Path) -> bool:
    """Whether the database is shorter than it says; SQLite notices that only for pages that it happens to need."""
    connection = connect_read_only(path)
    try:
        ((pages,), (page,)) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
        wal = Path(f"{path}-wal")
        return not (wal.exists() and wal.stat().st_size) and path.stat().st_size < pages * page
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()


def _unknown(reason: str, advice: str) -> Verdict:
    return Verdict("unknownFormat", 0, None, reason, "none", advice=advice)


def _state_of(path: Path) -> tuple[Any, ...]:
    def look(name: str) -> tuple[int, int] | None:
        try:
            found = os.stat(name)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    return look(str(path)), look(f"{path}-wal")


def _stopper(progress: Progress | None, cancel: Cancel | None) -> Callable[[int], None]:
    def step(done: int) -> None:
        if cancel and cancel():
            raise LogCancelledError("verification was cancelled")
        if progress:
            progress(done, 0)

    return step


class _Bad(Exception):  # noqa: N818 (a finding, not an error)
    def __init__(self, state: State, at: int, reason: str) -> None:
        self.state: State = state
        self.at = at
        self.reason = reason


class _Walk:
    """One pass over a log, record by record."""

    def __init__(self, log: Log, progress: Progress | None, cancel: Cancel | None) -> None:
        self._log = log
        self._progress = progress
        self._cancel = cancel
        self._readder = Readder(None if log.kind in ("peer-log", "peer-export") else log.attachment)
        self._selection = isinstance(log, ExportLog) and log.selection
        self._previous = GENESIS
        self._last = 0  # sequence of the last good record
        self._proven = 0

    def verdict(self) -> Verdict:
        try:
            total = self._log.count()
            for stored in self._log.stored():
                if self._proven % STEP == 0:
                    self._report(total)
                self._check(stored)
                self._proven += 1
            self._check_end()
            total = max(total, self._proven)
            self._report(total)
        except _Bad as bad:
            return self._found(bad.state, bad.at, bad.reason)
        except DamagedError:
            reason = f"The file is damaged after record {self._last}: what follows cannot be read."
            return self._found("contentChanged", self._last + 1, reason)
        return Verdict(
            "intact",
            self._proven,
            None,
            self._intact(),
            self._log.kind,
            proven=self._proven,
            figures=self._readder.checked,
            unchecked=self._readder.unchecked,
        )

    def _check(self, stored: Stored) -> None:
        at = stored.sequence if isinstance(stored.sequence, int) else self._last + 1
        if stored.canon is None:
            raise _Bad("contentChanged", at, f"Record {at} was changed: {stored.fault}.")
        if hashlib.sha256(stored.canon).hexdigest() != stored.hash:
            raise _Bad(
                "contentChanged", at, f"Record {at} was changed after it was recorded: its content and hash differ."
            )
        try:
            members = orjson.loads(stored.canon)
            sequence, identifier, previous = members["sequence"], members["id"], members["previousHash"]
        except (ValueError, KeyError, TypeError):
            raise _Bad("contentChanged", at, f"Record {at} was changed: it is not a record.") from None
        if identifier != stored.id:
            raise _Bad("contentChanged", at, f"Record {at} was changed: it is filed under another id than its own.")
        if sequence != stored.sequence:
            raise _Bad("linkBroken", at, f"The record filed as number {at} says that it is number {sequence}.")
        self._check_place(at, previous)
        try:
            self._readder.check(members)
        except FigureError as error:
            raise _Bad("contentChanged", at, f"In record {at}, {error}.") from None
        self._previous, self._last = stored.hash, at

    def _check_place(self, at: int, previous: object) -> None:
        expected = self._last + 1
        if self._selection and at > expected:
            return  # between chosen records there are others; their hashes are not here
        if at > expected:
            missing = f"Record {expected} is" if at == expected + 1 else f"Records {expected} to {at - 1} are"
            raise _Bad("linkBroken", expected, f"{missing} missing: record {self._last} is followed by {at}.")
        if at < expected:
            raise _Bad("linkBroken", at, f"Record {at} stands after record {self._last}: the order was changed.")
        if previous != self._previous:
            raise _Bad(
                "linkBroken",
                at,
                f"Record {at} does not continue record {self._last}: one of them was replaced."
                if self._last
                else f"Record {at} is not the first of its log: what was before it is missing.",
            )

    def _check_end(self) -> None:
        log = self._log
        if not isinstance(log, ExportLog):
            return
        if log.broken:
            raise _Bad("contentChanged", self._last + 1, f"The file cannot be read to its end: {log.broken}.")
        claims = [log.claimed]
        if log.manifest is not None:
            claims.append(log.manifest.get("records"))
            head = log.manifest.get("headHash")
            if head is not None and head != self._previous:
                raise _Bad(
                    "linkBroken", self._last + 1, "The export does not end with the record that it names as its last."
                )
        for claimed in claims:
            if claimed is not None and claimed != self._proven:
                raise _Bad(
                    "linkBroken",
                    self._last + 1,
                    f"The export says that it holds {claimed} records, and holds {self._proven}.",
                )

    def _found(self, state: State, at: int, reason: str) -> Verdict:
        if self._proven:
            reason += (
                f" The {self._proven} before it are unchanged."
                if self._proven > 1
                else " The one before it is unchanged."
            )
        return Verdict(
            state,
            max(self._log_count(), self._proven),
            at,
            reason,
            self._log.kind,
            advice=_KEEP,
            proven=self._proven,
            figures=self._readder.checked,
            unchecked=self._readder.unchecked,
        )

    def _log_count(self) -> int:
        try:
            return self._log.count()
        except LogError:
            return 0

    def _intact(self) -> str:
        if not self._proven:
            return "The log is empty: no record was made, or all of them were removed; a plain hash chain cannot tell."
        records = f"{self._proven} records are" if self._proven > 1 else "1 record is"
        parts = [f"{records} unchanged since recorded, as far as a plain hash chain can tell"]
        if self._readder.checked:
            figures = "figures follow" if self._readder.checked > 1 else "figure follows"
            parts.append(f", and {self._readder.checked} {figures} from the rows stored with them")
        parts.append(". ")
        if self._readder.unchecked:
            parts.append(f"{self._readder.unchecked} figures stand on rows that this kind of file does not carry. ")
        if self._selection:
            parts.append("This is a selection: whether records between them are missing cannot be seen here.")
        else:
            parts.append("Whether records at the end were cut off cannot be seen from a plain hash chain.")
        return "".join(parts)

    def _report(self, total: int) -> None:
        if self._cancel and self._cancel():
            raise LogCancelledError("verification was cancelled")
        if self._progress:
            self._progress(self._proven, total)
