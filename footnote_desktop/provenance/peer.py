"""The log file of the program whose answers we can compare with (table ``provenance``), opened to be read."""

from __future__ import annotations

from typing import Any

import orjson

from footnote_desktop.provenance.canonical import as_doubles, canonical
from footnote_desktop.provenance.log import Log, Stored
from footnote_desktop.provenance.projection import fold
from footnote_desktop.provenance.record import GENESIS

#: The peer's table, as it makes it; an export for its verifier has to have it exactly so.
TABLE = """CREATE TABLE provenance (
  id            TEXT    PRIMARY KEY,
  sequence      INTEGER NOT NULL UNIQUE,
  timestamp     TEXT    NOT NULL,
  actor_id      TEXT    NOT NULL,
  actor_role    TEXT    NOT NULL,
  question      TEXT    NOT NULL,
  answer        TEXT    NOT NULL,
  body          TEXT    NOT NULL,          -- canonical JSON of claims/operations/evidence
  previous_hash TEXT    NOT NULL,
  hash          TEXT    NOT NULL
)"""
INDEX = "CREATE INDEX provenance_seq ON provenance(sequence)"


class PeerLog(Log):
    """The peer keeps columns, not the bytes that it hashed: they are made again from the columns, as it does."""

    kind = "peer-log"
    _select = (
        "SELECT id, sequence, timestamp, actor_id, actor_role, question, answer, body, previous_hash, hash "
        "FROM provenance"
    )
    _sequence = "sequence"
    _match = "instr(folded(question || ' ' || answer || ' ' || body), ?)"

    def __init__(self, connection: Any, path: str) -> None:
        super().__init__(connection, path)
        connection.create_function("folded", 1, lambda text: fold(str(text)), deterministic=True)

    def count(self) -> int:
        row = self._one("SELECT count(*) FROM provenance")
        return int(row[0]) if row else 0

    def head(self) -> tuple[int, str]:
        row = self._one("SELECT sequence, hash FROM provenance ORDER BY sequence DESC LIMIT 1")
        return (row[0], row[1]) if row else (0, GENESIS)

    def _stored(self, row: tuple[Any, ...]) -> Stored:
        identifier, sequence, timestamp, actor, role, question, answer, body, previous, digest = row
        try:
            members = orjson.loads(body)
            canon = canonical(
                {
                    "id": identifier,
                    "sequence": sequence,
                    "timestamp": timestamp,
                    "actor": {"id": actor, "role": role},
                    "question": question,
                    "answer": answer,
                    "claims": as_doubles(members["claims"]),
                    "operations": as_doubles(members["operations"]),
                    "evidence": as_doubles(members["evidence"]),
                    "previousHash": previous,
                }
            )
        except (ValueError, KeyError, TypeError) as error:
            return Stored(sequence, str(identifier), str(digest), None, f"its columns make no record ({error})")
        return Stored(sequence, identifier, str(digest), canon)
