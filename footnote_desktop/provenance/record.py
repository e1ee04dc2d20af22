"""What the log stores: one record for each call, whatever came of it.

A record has the peer's ten keys, and its hash beside them. What Footnote adds stands inside the entries of
``operations``, ``claims`` and ``evidence``, so that the peer's verifier rebuilds the same bytes.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.canonical import canonical, clean, clean_text
from footnote_desktop.provenance.evidence import JsonValue

#: ``previousHash`` of the first record.
GENESIS = "0" * 64

#: The ten keys that are hashed, in canonical order.
KEYS = (
    "actor",
    "answer",
    "claims",
    "evidence",
    "id",
    "operations",
    "previousHash",
    "question",
    "sequence",
    "timestamp",
)

_KINDS = {
    "actor": dict,
    "answer": str,
    "claims": list,
    "evidence": list,
    "id": str,
    "operations": list,
    "previousHash": str,
    "question": str,
    "sequence": int,
    "timestamp": str,
}

Entries = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be recorded. ``id`` makes appending idempotent: the same draft twice is one record."""

    question: str
    answer: str
    claims: Entries
    operations: Entries
    evidence: Entries
    actor: Actor
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the log. ``canon`` are the bytes that were hashed, as they are stored; treat lists as read-only."""

    id: str  #: UUID version 4
    sequence: int  #: from 1, without gaps; it orders the log, the clock does not
    timestamp: str  #: UTC, ISO 8601 with milliseconds, ending in Z: the writer's clock, whatever it said
    actor: dict[str, str]  #: ``id`` and ``role``
    question: str
    answer: str
    claims: list[dict[str, Any]]
    operations: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    previous_hash: str  #: 64 hex digits
    hash: str  #: 64 hex digits: SHA-256 of ``canon``
    canon: bytes = field(repr=False)

    def to_json(self) -> dict[str, JsonValue]:
        """The ten keys and ``hash``, in the peer's order."""
        return {
            "id": self.id,
            "sequence": self.sequence,
            "timestamp": self.timestamp,
            "actor": dict(self.actor),
            "question": self.question,
            "answer": self.answer,
            "claims": list(self.claims),
            "operations": list(self.operations),
            "evidence": list(self.evidence),
            "previousHash": self.previous_hash,
            "hash": self.hash,
        }

    def summary(self) -> dict[str, JsonValue]:
        """The record's place in the chain: ``id, sequence, timestamp, hash, previousHash, actor``."""
        return {
            "id": self.id,
            "sequence": self.sequence,
            "timestamp": self.timestamp,
            "hash": self.hash,
            "previousHash": self.previous_hash,
            "actor": dict(self.actor),
        }


def parse(canon: bytes, digest: str) -> Record:
    """The record whose canonical bytes are ``canon``.

    Raises ``ValueError`` when they are not JSON or not a record: a file from elsewhere may hold anything.
    """
    members = orjson.loads(canon)
    if not isinstance(members, dict):
        raise ValueError("it is not an object")
    for key, kind in _KINDS.items():
        if type(members.get(key)) is not kind:
            raise ValueError(f"its {key} is missing or of the wrong kind")
    actor = members["actor"]
    if not all(isinstance(actor.get(key), str) for key in ("id", "role")):
        raise ValueError("its actor has no id or role")
    for key in ("claims", "operations", "evidence"):
        if not all(isinstance(entry, dict) for entry in members[key]):
            raise ValueError(f"an entry of its {key} is not an object")
    return Record(
        id=members["id"],
        sequence=members["sequence"],
        timestamp=members["timestamp"],
        actor=actor,
        question=members["question"],
        answer=members["answer"],
        claims=members["claims"],
        operations=members["operations"],
        evidence=members["evidence"],
        previous_hash=members["previousHash"],
        hash=digest,
        canon=canon,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft made storable and canonical, lacking only what is known under the lock: its place in the chain."""

    id: str
    actor: dict[str, str]
    question: str
    answer: str
    claims: list[dict[str, Any]]
    operations: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    parts: Mapping[str, bytes]  #: key → canonical bytes of its value

    def canon(self, sequence: int, timestamp: str, previous_hash: str) -> tuple[bytes, dict[str, tuple[int, int]]]:
        """The record's canonical bytes, and where each key's value stands in them (start, end)."""
        values = dict(self.parts)
        values["previousHash"] = canonical(previous_hash)
        values["sequence"] = canonical(sequence)
        values["timestamp"] = canonical(timestamp)
        pieces = bytearray(b"{")
        spans: dict[str, tuple[int, int]] = {}
        for key in KEYS:
            pieces += b',"%s":' % key.encode() if len(pieces) > 1 else b'"%s":' % key.encode()
            spans[key] = (len(pieces), len(pieces) + len(values[key]))
            pieces += values[key]
        pieces += b"}"
        return bytes(pieces), spans

    def record(self, sequence: int, timestamp: str, previous_hash: str) -> tuple[Record, dict[str, tuple[int, int]]]:
        canon, spans = self.canon(sequence, timestamp, previous_hash)
        record = Record(
            id=self.id,
            sequence=sequence,
            timestamp=timestamp,
            actor=self.actor,
            question=self.question,
            answer=self.answer,
            claims=self.claims,
            operations=self.operations,
            evidence=self.evidence,
            previous_hash=previous_hash,
            hash=hashlib.sha256(canon).hexdigest(),
            canon=canon,
        )
        return record, spans


def prepare(draft: Draft) -> Prepared:
    """Make ``draft`` storable, and say inside ``operations[0]`` who recorded it and whether anything was replaced."""
    identifier, id_changed = clean_text(draft.id)
    question, question_changed = clean_text(draft.question)
    answer, answer_changed = clean_text(draft.answer)
    actor, actor_changed = clean({"id": draft.actor.id, "role": draft.actor.role})
    claims, claims_changed = clean(draft.claims)
    operations, operations_changed = clean(draft.operations)
    evidence, evidence_changed = clean(draft.evidence)
    details, details_changed = clean(draft.actor.details)
    replaced = [
        name
        for name, changed in (
            ("id", id_changed),
            ("actor", actor_changed or details_changed),
            ("question", question_changed),
            ("answer", answer_changed),
            ("claims", claims_changed),
            ("operations", operations_changed),
            ("evidence", evidence_changed),
        )
        if changed
    ]
    assert isinstance(actor, dict)
    assert isinstance(claims, list)
    assert isinstance(operations, list)
    assert isinstance(evidence, list)
    first, *others = operations or [{"name": "none", "arguments": {}}]
    if not isinstance(first, dict):
        raise TypeError("an entry of operations is not an object")
    first = dict(first)
    operations = [first, *others]
    if details:
        first.setdefault("actor", details)
    if replaced:
        # Whoever reads the record must know that it does not hold, character for character, what came in.
        first["replaced"] = list[JsonValue](replaced)
    values: dict[str, object] = {
        "actor": actor,
        "answer": answer,
        "claims": claims,
        "evidence": evidence,
        "id": identifier,
        "operations": operations,
        "question": question,
    }
    return Prepared(
        id=identifier,
        actor=actor,  # type: ignore[arg-type]
        question=question,
        answer=answer,
        claims=claims,  # type: ignore[arg-type]
        operations=operations,  # type: ignore[arg-type]
        evidence=evidence,  # type: ignore[arg-type]
        parts={key: canonical(value) for key, value in values.items()},
    )
