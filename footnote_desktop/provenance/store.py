"""The log in an SQLite file: append-only, durable, safe with several threads, programs and readers at once."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sqlite3
import stat
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from footnote_desktop.provenance.errors import DamagedError, LogError, NewerFormatError, NotADatabaseError
from footnote_desktop.provenance.lock import FileLock
from footnote_desktop.provenance.log import Log, Stored, assemble, explain, unpack
from footnote_desktop.provenance.projection import searchable
from footnote_desktop.provenance.record import GENESIS, KEYS, Draft, Prepared, Record, prepare

#: PRAGMA application_id of a log: "FtNt". It tells our files from all others, the peer's included.
APPLICATION_ID = 0x46744E74
#: PRAGMA user_version: the number of the last file in migrations/provenance/sqlite that was run.
VERSION = 1
#: A value of a record with at least this many canonical bytes is stored apart, compressed and once: the same rows
#: behind tomorrow's answer then cost nothing.
CUT_AT = 4096
CUTTABLE = frozenset({"answer", "claims", "evidence", "operations"})
#: How long to wait for another program that writes, in seconds.
TIMEOUT = 10.0


#: From so many new attachments on, they are compressed on all processors.
MANY = 16


def _compress(content: bytes) -> bytes:
    return zlib.compress(content, 1)


class SqliteLog(Log):
    """A log of ours. :func:`open_log` makes one."""

    kind = "footnote-log"
    _select = "SELECT seq, id, hash, canon, cuts FROM record"
    _sequence = "seq"
    _match = "instr(search.text, ?)"
    # From the newest search text on, until enough were found; only those records are fetched.
    _search = (
        "SELECT record.seq, record.id, hash, canon, cuts FROM search CROSS JOIN record ON record.seq = search.seq",
        "search.seq",
    )

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        lock: FileLock | None,
        *,
        read_only: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(connection, path)
        self.read_only = read_only
        self._lock = lock
        self._clock = clock
        self._identity = _identity(path)

    def append(self, draft: Draft, attachments: Iterable[bytes] = ()) -> Record:
        """Record ``draft`` with its ``attachments``; on disk when it returns.

        Appending a draft whose id is recorded already returns that record: a writer that was cut off before it
        heard can simply try again. Raises :class:`LogError` when nothing could be recorded.
        """
        if self.read_only:
            return super().append(draft)
        prepared = prepare(draft)
        large = {key: data for key, data in prepared.parts.items() if key in CUTTABLE and len(data) >= CUT_AT}
        with self._guard, self._explained("write"):
            # Compressing happens before the lock is taken, so that nobody waits for it, and only for what is new.
            rows = self._packed("attachment", attachments)
            parts = self._packed("part", large.values())
            with self._lock.held() if self._lock else nullcontext():
                self._require_same_file()
                return self._write(prepared, large, parts, rows)

    def count(self) -> int:
        return self.head()[0]

    def head(self) -> tuple[int, str]:
        row = self._one("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1")
        if row is None:
            return 0, GENESIS
        sequence, digest = row
        if type(sequence) is not int or type(digest) is not bytes:  # not the table that we make
            raise DamagedError(f"The log {self.path} is damaged.", "Run `footnote verify` on it.")
        return sequence, digest.hex()

    def packed(self, digest: str) -> bytes | None:
        return self._data("attachment", digest)

    def attachments(self) -> Iterator[str]:
        after = b""
        while True:
            with self._guard, self._explained("read"):
                page = self._db.execute(
                    "SELECT hash FROM attachment WHERE hash > ? ORDER BY hash LIMIT 1000", (after,)
                ).fetchall()
            if not page:
                return
            for (digest,) in page:
                yield digest.hex()
            after = page[-1][0]

    def close(self) -> None:
        with self._guard:
            if self._closed:
                return
            if self._lock is None:
                super().close()
                return
            try:
                with self._lock.held():  # the last one to close writes the WAL back into the file
                    super().close()
            except LogError:  # locked for too long: SQLite's own locks have to do
                super().close()
            finally:
                self._lock.close()

    def _write(
        self,
        prepared: Prepared,
        large: Mapping[str, bytes],
        parts: Mapping[bytes, tuple[int, bytes]],
        rows: Mapping[bytes, tuple[int, bytes]],
    ) -> Record:
        run = self._db.execute
        run("BEGIN IMMEDIATE")
        try:
            known = run(f"{self._select} WHERE id = ?", (prepared.id,)).fetchone()
            if known:
                run("ROLLBACK")
                return self._same(prepared, self._parsed(self._stored(known)))
            last, previous = self.head()
            sequence = last + 1
            record, spans = prepared.record(sequence, _timestamp(self._clock()), previous)
            canon, cuts = _cut(record.canon, spans, large)
            for digest, (_size, data) in parts.items():
                if not run("SELECT 1 FROM part WHERE hash = ?", (digest,)).fetchone():
                    run("INSERT INTO part (hash, data) VALUES (?, ?)", (digest, data))
            for digest, (size, data) in rows.items():
                if not run("SELECT 1 FROM attachment WHERE hash = ?", (digest,)).fetchone():
                    run("INSERT INTO attachment (hash, size, data) VALUES (?, ?, ?)", (digest, size, data))
            run(
                "INSERT INTO record (seq, id, hash, canon, cuts) VALUES (?, ?, ?, ?, ?)",
                (sequence, record.id, bytes.fromhex(record.hash), canon, cuts),
            )
            run(
                "INSERT INTO search (seq, text) VALUES (?, ?)",
                (sequence, searchable(record.question, record.answer, record.claims, record.operations)),
            )
            run("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                run("ROLLBACK")
            raise
        return record

    def _same(self, prepared: Prepared, record: Record) -> Record:
        canon, _ = prepared.canon(record.sequence, record.timestamp, record.previous_hash)
        if canon != record.canon:
            raise LogError(
                f"Another record of this log has the id {record.id} already.",
                "This is a fault in the program that writes it; nothing was recorded.",
            )
        return record

    def _packed(self, table: str, contents: Iterable[bytes]) -> dict[bytes, tuple[int, bytes]]:
        """SHA-256 → (size, compressed) of those ``contents`` that ``table`` lacks."""
        lacking: dict[bytes, bytes] = {}
        for content in contents:
            digest = hashlib.sha256(content).digest()
            if not self._db.execute(f"SELECT 1 FROM {table} WHERE hash = ?", (digest,)).fetchone():
                lacking[digest] = content
        compressed: Iterable[bytes]
        if len(lacking) < MANY:
            compressed = map(_compress, lacking.values())
        else:  # zlib lets other threads run meanwhile
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                compressed = list(pool.map(_compress, lacking.values()))
        return {digest: (len(lacking[digest]), data) for digest, data in zip(lacking, compressed, strict=True)}

    def _part(self, digest: str) -> bytes | None:
        packed = self._data("part", digest)
        return None if packed is None else unpack(packed)

    def _data(self, table: str, digest: str) -> bytes | None:
        try:
            key = bytes.fromhex(digest)
        except ValueError:
            return None
        row = self._one(f"SELECT data FROM {table} WHERE hash = ?", (key,))
        return None if row is None else row[0]

    def _stored(self, row: tuple[Any, ...]) -> Stored:
        sequence, identifier, digest, canon, cuts = row
        try:
            return Stored(sequence, identifier, digest.hex(), assemble(canon, cuts, self._part))
        except (ValueError, TypeError, AttributeError) as error:
            return Stored(sequence, str(identifier), "", None, str(error))

    def _require_same_file(self) -> None:
        """A log that was deleted or replaced while it is open would swallow records without a trace."""
        if self.path != ":memory:" and _identity(self.path) != self._identity:
            raise LogError(
                f"The log {self.path} was deleted or replaced while it was in use.",
                "Start Footnote again. If the file was moved, move it back first.",
            )


def open_log(
    path_or_url: str | os.PathLike[str],
    *,
    create: bool = True,
    read_only: bool = False,
    timeout: float = TIMEOUT,
    clock: Callable[[], float] = time.time,
) -> Log:
    """Open the log at a path, or the literal ``:memory:``.

    With ``create`` a missing file (0600) and its folder (0700) are made; without, a missing one is an error. A log or
    export that the peer wrote, and an export of ours, open to be read; so does a log of ours with ``read_only``,
    which changes nothing on disk. ``timeout`` is how many seconds to wait for other programs.

    Raises :class:`LogError`, whose message and advice can be shown as they are.
    """
    given = os.fspath(path_or_url)
    if given == ":memory:":
        return _in_memory(clock)
    path = local_path(given)
    content = sniff(path)
    if content == "missing":
        if not create or read_only:
            raise LogError(f"There is no log at {path}.", "Check the path; nothing was created.")
    elif content == "peer-log":
        from footnote_desktop.provenance.peer import PeerLog

        return PeerLog(connect_read_only(path), str(path))
    elif content == "json":
        from footnote_desktop.provenance.browse import open_export

        return open_export(path)
    elif content == "new" and (not create or read_only):
        raise LogError(f"The file {path} is empty; it is not a log.", "Choose the log's own path.")
    elif content not in ("footnote-log", "new"):
        raise LogError(f"{path} is not a Footnote log{_found(content)}.", "Choose another path; it was left as it is.")
    if read_only:
        connection = connect_read_only(path)
        _require_version(connection, path)
        return SqliteLog(connection, str(path), None, read_only=True)
    return _open_for_writing(path, timeout, clock)


def local_path(given: str) -> Path:
    """The absolute path that ``given`` names. Raises :class:`LogError` for URLs, without showing their passwords."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", given)
    if scheme and scheme[1].lower() in ("postgres", "postgresql"):
        raise LogError(
            "A log shared through PostgreSQL is not available yet in this version.",
            "Give the path of a file instead; several programs on one machine can share it.",
        )
    if scheme and scheme[1].lower() in ("sqlite", "file"):
        given = given[scheme.end() :]
        # sqlite:///relative and sqlite:////absolute, as database URLs have it; file:///absolute
        if scheme[1].lower() == "sqlite":
            given = given[1:]
    elif scheme:
        raise LogError(f"A log cannot be kept at a {scheme[1]}:// address.", "Give the path of a file.")
    if not given or "\x00" in given:
        raise LogError("The path of the log is empty or not a path.", "Give the path of a file.")
    return Path(os.path.abspath(os.path.expanduser(given)))


def sniff(path: Path) -> str:
    """What the file at ``path`` is, by its content: ``missing``, ``new`` (empty, to be made a log), ``footnote-log``,
    ``peer-log``, ``json``, ``sqlite`` (some other database) or ``unknown``. Creates nothing.

    Raises :class:`LogError` when the path is a folder or cannot be read.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return "missing"
    except NotADirectoryError:
        raise LogError(f"{path.parent} is a file, so there can be no log in it.", "Check the path.") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise LogError(f"{path} is a folder.", "Give the path of a file in it.")
    if found.st_size == 0:
        return "new"
    # SQLite looks first, and the file is opened directly only when it is no database: closing any handle of a file
    # makes POSIX drop all locks that this process has on it, also those of a log that is open here and in use.
    try:
        return _database(path)
    except NotADatabaseError:
        pass
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError as error:
        raise _unreadable(path, error) from None
    return "json" if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" else "unknown"


def _database(path: Path) -> str:
    connection = connect_read_only(path)
    try:
        # So that a file whose end is missing still tells what it was.
        connection.execute("PRAGMA writable_schema = ON")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application == APPLICATION_ID:
            return "footnote-log"
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        columns = {row[1] for row in connection.execute("PRAGMA table_info(provenance)")}
    except sqlite3.Error as error:
        raise explain(error, str(path), "read") from error
    finally:
        connection.close()
    if {"id", "sequence", "timestamp", "actor_id", "actor_role", "body", "previous_hash", "hash"} <= columns:
        return "peer-log"
    return "sqlite" if tables or application else "new"


def _unreadable(path: Path, error: OSError) -> LogError:
    return LogError(f"{path} cannot be read: {error.strerror}.", "Check the rights of this account.")


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection to the database at ``path`` that changes nothing on disk, not even its folder.

    SQLite makes two files beside a database in WAL mode just to read it. When there is no WAL nobody has it open, and
    the file can be read as it stands.
    """
    wal = path.with_name(path.name + "-wal")
    quiet = not wal.exists() or wal.stat().st_size == 0
    uri = path.as_uri() + ("?mode=ro&immutable=1" if quiet else "?mode=ro")
    try:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=TIMEOUT)
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anyone
        connection.execute("PRAGMA query_only = ON")
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # bad bytes: the hash will not match
    except sqlite3.Error as error:
        raise explain(error, str(path), "read") from error
    return connection


def _open_for_writing(path: Path, timeout: float, clock: Callable[[], float]) -> SqliteLog:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(f"{path}.lock", timeout)
    except (FileExistsError, NotADirectoryError):
        raise LogError(f"The folder {path.parent} cannot be made: part of it is a file.", "Check the path.") from None
    except OSError as error:
        raise LogError(
            f"The log cannot be kept in {path.parent}: {error.strerror}.",
            "Give this account the right to write there, or choose another folder.",
        ) from None
    connection: sqlite3.Connection | None = None
    try:
        with lock.held():
            _make_file(path)
            if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # SQLite would open it to be read
            connection = sqlite3.connect(
                path.as_uri() + "?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=timeout
            )
            _migrate(connection, path)
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "journal_size_limit = 4194304"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            return SqliteLog(connection, str(path), lock, read_only=False, clock=clock)
    except BaseException as error:
        if connection is not None:
            connection.close()
        lock.close()
        if isinstance(error, sqlite3.Error):
            raise explain(error, str(path), "open") from error
        if isinstance(error, OSError):
            raise LogError(
                f"The log {path} cannot be written: {error.strerror}.",
                "Give this account the right to write the file and its folder, or choose another path.",
            ) from None
        raise


def _in_memory(clock: Callable[[], float]) -> SqliteLog:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _migrate(connection, Path(":memory:"))
    return SqliteLog(connection, ":memory:", None, read_only=False, clock=clock)


def _make_file(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    os.close(handle)
    if os.name == "posix":  # the name itself must survive a power cut, too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the tables up to :data:`VERSION`, in one transaction, before WAL mode: the file then tells what it is."""
    connection.execute("PRAGMA trusted_schema = OFF")
    version = _require_version(connection, path)
    if version == VERSION:
        return
    scripts = sorted(_migrations().glob("[0-9][0-9][0-9]_*.sql"))
    pending = [script.read_text("utf-8") for script in scripts if version < int(script.name[:3]) <= VERSION]
    try:
        connection.executescript(
            "\n".join(
                (
                    "BEGIN IMMEDIATE;",
                    *pending,
                    f"PRAGMA application_id = {APPLICATION_ID};",
                    f"PRAGMA user_version = {VERSION};",
                    "COMMIT;",
                )
            )
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _require_version(connection: sqlite3.Connection, path: Path) -> int:
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error as error:
        connection.close()
        raise explain(error, str(path), "read") from error
    if version > VERSION:
        connection.close()
        raise NewerFormatError(
            f"The log {path} was written by a newer version of Footnote (format {version}, this one knows {VERSION}).",
            "Install the newer version to open it; it was left as it is.",
        )
    return version


def _migrations() -> Path:
    # settings.data_folder does the same; provenance stands on the same floor and does not import it.
    package = Path(__file__).resolve().parent.parent
    for root in (package.parent, package):
        folder = root / "migrations" / "provenance" / "sqlite"
        if folder.is_dir():
            return folder
    raise LogError("The folder migrations is missing from this installation.", "Install Footnote again.")


def _cut(canon: bytes, spans: Mapping[str, tuple[int, int]], large: Mapping[str, bytes]) -> tuple[bytes, str | None]:
    """``canon`` without its large values, and where which part belongs."""
    if not large:
        return canon, None
    pieces: list[bytes] = []
    cuts: list[tuple[int, str]] = []
    at = offset = 0
    for key in KEYS:
        if key in large:
            start, end = spans[key]
            pieces.append(canon[at:start])
            offset += start - at
            cuts.append((offset, hashlib.sha256(large[key]).hexdigest()))
            at = end
    pieces.append(canon[at:])
    return b"".join(pieces), orjson.dumps(cuts).decode()


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _found(content: str) -> str:
    return ": it is another program's database" if content == "sqlite" else ""
