"""Evidence, and the citation that binds one figure to it.

A figure never leaves an operation as a bare number: it is a :class:`Citation`, which names the evidence behind that
figure alone and says how the figure follows from the fields of that evidence, so that a verifier can derive it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One row of the system of record as it was read.

    ``fields`` are self-contained: amounts are decimal strings in the currency's unit ("18450.00") beside a
    ``currency`` field, dates are ISO 8601 calendar dates, everything else is text, a whole number or null.
    """

    id: str  #: ``type:recordId``, e.g. ``invoice:8812``
    type: str
    record_id: str  #: the ERP's own id, as text, exactly as the ERP has it
    label: str
    uri: str  #: ``erp://type/recordId``
    fields: Mapping[str, JsonValue]

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "id": self.id,
            "type": self.type,
            "recordId": self.record_id,
            "label": self.label,
            "uri": self.uri,
            "fields": dict(self.fields),
        }


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a figure follows from the evidence it cites.

    ``field``: the one evidence row's field itself. ``sum``, ``max``, ``min``: over ``field`` of all cited rows.
    ``count``: how many rows are cited. ``none``: the figure says that there is nothing (its evidence is the record
    that was looked under, for example the customer). A cited row set counts and adds with all of its rows.
    """

    kind: Literal["field", "sum", "count", "max", "min", "none"]
    field: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        return {"kind": self.kind} if self.field is None else {"kind": self.kind, "field": self.field}


@dataclass(frozen=True, slots=True)
class Citation:
    """A value of a result, with the evidence behind that value alone.

    Raises ``ValueError`` when no evidence is named, or when a figure other than nothing does not say how it follows
    from it: a figure without evidence cannot be built.
    """

    path: str  #: where the value stands in the result, e.g. ``invoices[0].dueOn``
    text: str  #: the value as shown
    exact: str  #: the value exactly: ``43805.00``, ``4``, ``2026-05-02``
    unit: str  #: ISO 4217 code, or ``count``, ``days``, ``date``, ``text``
    evidence_ids: tuple[str, ...]
    derivation: Derivation

    def __post_init__(self) -> None:
        if not self.evidence_ids:
            raise ValueError(f"the value at {self.path} names no evidence")
        if self.derivation.kind == "none" and self.exact.strip("-0.") != "":
            raise ValueError(f"the value at {self.path} is not nothing, but does not follow from its evidence")

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "path": self.path,
            "text": self.text,
            "exact": self.exact,
            "unit": self.unit,
            "evidenceIds": list(self.evidence_ids),
            "derivation": self.derivation.to_json(),
        }


@dataclass(frozen=True, slots=True)
class RowSet:
    """More rows than a record should hold: they stand in attachments, content-addressed.

    ``chunks`` are JSON Lines whose first line says how the rows are read, cut by the rows' ids so that one new row
    changes one chunk only. ``evidence`` is the entry of type ``rowset`` that stands in the record; its fields hold
    ``count``, ``sums`` (currency → decimal text of ``sumField``), ``order`` and ``manifest``, the SHA-256 of the list
    of the chunks' SHA-256s.
    """

    evidence: Evidence
    manifest: bytes  #: JSON array of the chunks' SHA-256 in hex, in order
    chunks: tuple[bytes, ...]
