"""The index on disk: one SQLite file per folder, keyed by the hash of each file, so that an unchanged folder opens at once.

A cache and nothing else: it may be deleted at any time, and is rebuilt whenever engine or lexicon change.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, overload

import orjson

from footnote_desktop.documents.context import Document
from footnote_desktop.documents.model import Cell, Extracted, Section, Source, Unit
from footnote_desktop.documents.parties import Parties
from footnote_desktop.figures.numbers import Quantity

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS docs (
  id INTEGER PRIMARY KEY, file TEXT UNIQUE, stamp TEXT, sha256 TEXT, listed TEXT, source BLOB, parties BLOB, body BLOB);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5(said, detail=none, tokenize="unicode61");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(terms, 'row');
"""
PER_DOC = 10_000_000  #: rowid of a unit in ``terms``: id of its document times this, plus its number
CACHED_UNITS = 600_000


class Units(Sequence[Unit]):
    """The units of a stored document, made one by one as they are asked for."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self._rows = rows
        self._made: dict[int, Unit] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Unit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Unit]: ...
    def __getitem__(self, index: int | slice) -> Unit | list[Unit]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        found = self._made.get(index)
        if found is None:
            found = unpack_unit(self._rows[index])
            if len(self._made) > 20_000:
                self._made.clear()
            self._made[index] = found
        return found

    def __iter__(self) -> Iterator[Unit]:
        return (self[i] for i in range(len(self)))


_KINDS: tuple[Literal["sentence", "pair", "row", "heading"], ...] = ("sentence", "pair", "row", "heading")


def pack_unit(u: Unit) -> list[Any]:
    row: list[Any] = [
        _KINDS.index(u.kind),
        u.start,
        u.end,
        u.section,
        u.block,
        u.page,
        int(u.quoted),
        list(u.lead) if u.lead else None,
    ]
    if u.kind == "row" or u.sheet:
        row += [u.sheet, [[c.start, c.end, c.head, c.ref] for c in u.cells], u.caption]
    return row


def unpack_unit(row: list[Any]) -> Unit:
    sheet, cells, caption = row[8:11] if len(row) > 8 else (None, [], "")
    lead = (row[7][0], row[7][1]) if row[7] else None
    return Unit(
        _KINDS[row[0]],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        sheet,
        tuple(Cell(*c) for c in cells),
        caption,
        lead,
        bool(row[6]),
    )


def _dates(found: list[Quantity]) -> list[list[Any]]:
    seen = dict.fromkeys((q.text, q.first, q.last, q.precision, q.bound) for q in found)
    return [[t, f.isoformat() if f else None, last.isoformat() if last else None, p, b] for t, f, last, p, b in seen]


def _undates(rows: list[list[Any]]) -> list[Quantity]:
    import datetime as dt

    return [
        Quantity(
            "date",
            0,
            len(t),
            t,
            first=dt.date.fromisoformat(f) if f else None,
            last=dt.date.fromisoformat(last) if last else None,
            precision=p,
            bound=b,
        )
        for t, f, last, p, b in rows
    ]


def pack(d: Document) -> bytes:
    body = {
        "text": d.extracted.text, "units": [pack_unit(u) for u in d.extracted.units], "pages": d.extracted.pages,
        "sections": [[list(s.path), s.start] for s in d.extracted.sections], "head": sorted(d.head), "said": [sorted(s) for s in d.sections],
        "paths": [sorted(s) for s in d.paths], "dates": _dates(d.dates), "path_dates": [_dates(x) for x in d.path_dates],
        "section_dates": [_dates(x) for x in d.section_dates], "identifiers": sorted(d.identifiers), "names": sorted(map(list, d.names)),
        "section_names": [sorted(map(list, s)) for s in d.section_names], "scale": d.scale_note, "amends": d.amends, "effective": d.effective,
    }  # fmt: skip
    return zlib.compress(orjson.dumps(body), 1)


def unpack(blob: bytes, source: Source, parties: Parties) -> Document:
    body = orjson.loads(zlib.decompress(blob))
    extracted = Extracted(
        body["text"], Units(body["units"]), tuple(Section(tuple(p), s) for p, s in body["sections"]), body["pages"]
    )
    d = Document(source, extracted, parties, amends=body["amends"], effective=body["effective"])
    d.head = set(body["head"])
    d.sections = [set(s) for s in body["said"]]
    d.paths = [set(s) for s in body["paths"]]
    d.dates = _undates(body["dates"])
    d.path_dates = [_undates(x) for x in body["path_dates"]]
    d.section_dates = [_undates(x) for x in body["section_dates"]]
    d.identifiers = set(body["identifiers"])
    d.names = {tuple(n) for n in body["names"]}
    d.section_names = [{tuple(n) for n in s} for s in body["section_names"]]
    d.scale_note = body["scale"]
    return d


def _pack_parties(p: Parties) -> bytes:
    return orjson.dumps({"roles": {k: list(v) for k, v in sorted(p.roles.items())}, "aliases": sorted([list(k), list(v)] for k, v in p.aliases.items()),
                         "full": sorted(map(list, p.full))})  # fmt: skip


def _unpack_parties(blob: bytes) -> Parties:
    body = orjson.loads(blob)
    return Parties(
        {k: tuple(v) for k, v in body["roles"].items()},
        {tuple(k): tuple(v) for k, v in body["aliases"]},
        {tuple(n) for n in body["full"]},
    )


class StaleIndexError(Exception):
    """Another process that shares the index has read the folder anew since; what is known of it must be loaded again."""


class Store:
    """The index file. All methods may be called from any thread; one at a time."""

    def __init__(self, path: Path | None, version: str) -> None:
        self.lock = threading.RLock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.db = self._open(str(path) if path else ":memory:", version)
        self._loaded: OrderedDict[int, Document] = OrderedDict()

    @staticmethod
    def _open(path: str, version: str) -> sqlite3.Connection:
        for attempt in (1, 2):
            db = sqlite3.connect(path, check_same_thread=False, timeout=30)
            try:
                db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + SCHEMA)
                row = db.execute("SELECT value FROM meta WHERE name='version'").fetchone()
                if row is None or row[0] != version:
                    db.executescript("DELETE FROM docs; DELETE FROM terms;")
                    db.execute("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (version,))
                    db.commit()
                return db
            except sqlite3.DatabaseError as error:
                db.close()  # a damaged cache is no loss; one that another process writes to is not damaged
                if attempt == 2 or path == ":memory:" or "locked" in str(error):
                    raise
                for suffix in ("", "-wal", "-shm"):
                    Path(path + suffix).unlink(missing_ok=True)
        raise AssertionError("unreachable")

    def close(self) -> None:
        with self.lock:
            self.db.close()

    def stamps(self) -> dict[str, tuple[str, str, str]]:
        """file -> (size and time, hash, entry of sources.toml) as last read."""
        with self.lock:
            return {r[0]: (r[1], r[2], r[3]) for r in self.db.execute("SELECT file, stamp, sha256, listed FROM docs")}

    def restamp(self, file: str, stamp: str) -> None:
        with self.lock:
            self.db.execute("UPDATE docs SET stamp=? WHERE file=?", (stamp, file))

    def remove(self, file: str) -> None:
        with self.lock:
            row = self.db.execute("SELECT id FROM docs WHERE file=?", (file,)).fetchone()
            if row:
                self.db.execute(
                    "DELETE FROM terms WHERE rowid >= ? AND rowid < ?", (row[0] * PER_DOC, (row[0] + 1) * PER_DOC)
                )
                self.db.execute("DELETE FROM docs WHERE id=?", (row[0],))
                self._loaded.pop(row[0], None)

    def put(self, source: Source, stamp: str, listed: str, document: Document | None, said: list[str]) -> None:
        with self.lock:
            self.remove(source.file)
            parties = _pack_parties(document.parties if document else Parties())
            body = pack(document) if document else b""
            cursor = self.db.execute(
                "INSERT INTO docs (file, stamp, sha256, listed, source, parties, body) VALUES (?,?,?,?,?,?,?)",
                (source.file, stamp, source.sha256, listed, orjson.dumps(asdict(source)), parties, body),
            )
            identity = cursor.lastrowid or 0
            self.db.executemany(
                "INSERT INTO terms (rowid, said) VALUES (?, ?)",
                ((identity * PER_DOC + n, text) for n, text in enumerate(said) if text),
            )

    def commit(self) -> None:
        with self.lock:
            self.db.commit()

    def sources(self) -> dict[int, Source]:
        with self.lock:
            rows = self.db.execute("SELECT id, source FROM docs ORDER BY file").fetchall()
        out = {}
        for identity, blob in rows:
            body = orjson.loads(blob)
            body["notes"] = tuple(body["notes"])
            out[identity] = Source(**body)
        return out

    def parties(self) -> dict[int, Parties]:
        with self.lock:
            return {
                i: _unpack_parties(blob) for i, blob in self.db.execute("SELECT id, parties FROM docs ORDER BY file")
            }

    def document(self, identity: int, source: Source, parties: Parties) -> Document:
        with self.lock:
            found = self._loaded.get(identity)
            if found is None:
                row = self.db.execute(
                    "SELECT body FROM docs WHERE id=? AND file=? AND sha256=?", (identity, source.file, source.sha256)
                ).fetchone()
                if row is None:  # never the text of one file under the name of another
                    raise StaleIndexError
                found = unpack(row[0], source, parties)
                self._loaded[identity] = found
                while (
                    len(self._loaded) > 1 and sum(len(d.extracted.units) for d in self._loaded.values()) > CACHED_UNITS
                ):
                    self._loaded.popitem(last=False)
            else:
                self._loaded.move_to_end(identity)
                if len(found.readings) > 4000:
                    found.readings.clear()
            return found

    def forget(self) -> None:
        """Drops what is loaded: parties were shared anew."""
        with self.lock:
            self._loaded.clear()

    def rarity(self, tokens: list[str]) -> dict[str, int]:
        with self.lock:
            out = {}
            for token in tokens:
                row = self.db.execute("SELECT doc FROM vocabulary WHERE term=?", (token,)).fetchone()
                if row:
                    out[token] = row[0]
            return out

    def find(self, tokens: list[str], limit: int) -> list[tuple[int, int, float]]:
        """(document, unit, score) of the units that say most of ``tokens``, best first; ties by file and place."""
        if not tokens:
            return []
        query = " OR ".join(f'"{t}"' for t in tokens)
        with self.lock:
            rows = self.db.execute(
                "SELECT terms.rowid / ?1 AS doc, terms.rowid % ?1 AS unit, bm25(terms) AS score FROM terms JOIN docs ON docs.id = terms.rowid / ?1"
                " WHERE terms MATCH ?2 ORDER BY score, docs.file, unit LIMIT ?3",
                (PER_DOC, query, limit),
            ).fetchall()
        return [(r[0], r[1], -r[2]) for r in rows]
