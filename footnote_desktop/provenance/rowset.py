"""Row sets: all the rows behind a figure, when they are more than a record should hold.

The rows stand in attachments as JSON Lines: a first line that says how to read them (:class:`Layout`), then one row
a line, as the database gave it. Where one attachment ends and the next begins is decided by each row's
own id, not by counting, so that a row more or less changes the attachment that it falls into and no other: rows
that did not change since the last answer are stored already.
"""

from __future__ import annotations

import decimal
import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from footnote_desktop.provenance.canonical import clean
from footnote_desktop.provenance.evidence import Evidence, JsonValue, RowSet

#: An attachment ends behind a row whose id's CRC-32 has this many zero bits at its end: 256 rows on average.
BOUNDARY = 0xFF
#: An attachment never holds more rows, whatever their ids are.
MOST_ROWS = 4096

#: Exact or an error: no sum of amounts is ever rounded.
EXACT = decimal.Context(prec=200, traps=[decimal.InvalidOperation, decimal.Inexact, decimal.Overflow])

_LINE = orjson.OPT_APPEND_NEWLINE | orjson.OPT_STRICT_INTEGER


class RowSetError(ValueError):
    """The rows of a row set cannot be had as they were stored; the message says which part, and why."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a row set are read: the first line of every attachment.

    ``columns`` names the fields of a row in order; the first is the row's own id, without its ``kind``. ``label``
    is the column that names a row for people. The columns in ``amounts`` are whole minor units with ``places``
    decimals, or, where ``places`` is null, decimal text in the currency's unit.
    """

    kind: str
    columns: tuple[str, ...]
    label: str
    amounts: tuple[str, ...] = ()
    places: int | None = None

    def line(self) -> bytes:
        return orjson.dumps(
            {
                "amounts": self.amounts,
                "columns": self.columns,
                "kind": self.kind,
                "label": self.label,
                "places": self.places,
            },
            option=_LINE,
        )

    def row(self, values: list[Any]) -> dict[str, Any]:
        """One row as evidence has it: ``id``, ``label`` and the fields, amounts as decimal text."""
        fields = dict(zip(self.columns, values, strict=True))
        if self.places is not None:
            for name in self.amounts:
                fields[name] = _unit(fields[name], self.places)
        fields["label"] = fields[self.label]
        fields["id"] = f"{self.kind}:{fields[self.columns[0]]}"
        return fields


def build_rowset(
    rows: Iterable[Sequence[Any]], layout: Layout, *, what: str, order: str, sum_field: str, sums: Mapping[str, str]
) -> RowSet:
    """The row set of ``rows`` as the driver gave them, in their order.

    A row is a tuple in the layout's order; its first value is its id, unique and stable. ``sums``: per currency, the
    exact sum of ``sum_field`` as decimal text; verification adds the stored rows again and compares. ``what`` names
    the rows for people, ``order`` says how they are sorted.
    """
    chunks: list[bytes] = []
    head = layout.line()
    lines = [head]
    dumps, crc, count = orjson.dumps, zlib.crc32, 0
    for row in rows:
        try:
            lines.append(dumps(row, str, _LINE))
        except TypeError:  # a lone surrogate, or an integer that not every reader keeps
            lines.append(dumps([clean(v)[0] if isinstance(v, str | int) else v for v in row], str, _LINE))
        count += 1
        if not crc(b"%a" % row[0]) & BOUNDARY or len(lines) > MOST_ROWS:
            chunks.append(b"".join(lines))
            lines = [head]
    if len(lines) > 1:
        chunks.append(b"".join(lines))
    manifest = orjson.dumps([hashlib.sha256(chunk).hexdigest() for chunk in chunks])
    digest = hashlib.sha256(manifest).hexdigest()
    fields: dict[str, JsonValue] = {
        "what": what,
        "count": count,
        "sums": dict[str, JsonValue](sums),
        "sumField": sum_field,
        "order": order,
        "manifest": digest,
    }
    evidence = Evidence(
        id=f"rowset:{digest[:16]}",
        type="rowset",
        record_id=digest,
        label=what,
        uri=f"erp://rowset/{digest}",
        fields=fields,
    )
    return RowSet(evidence, manifest, tuple(chunks))


def read_rowset(
    get_attachment: Callable[[str], bytes | None], evidence: Evidence | Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The rows that a record's entry of type ``rowset`` stands for, in their order, one attachment in memory at a time.

    ``get_attachment`` is :meth:`Log.attachment`. Raises :class:`RowSetError` when an attachment is missing or is not
    what was recorded, and at the end when there are more or fewer rows than recorded.
    """
    fields = evidence.fields if isinstance(evidence, Evidence) else evidence.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(fields.get("manifest"), str):
        raise RowSetError("the entry of the row set names no manifest")
    found = 0
    for chunk in read_chunks(get_attachment, str(fields["manifest"])):
        head, *lines = chunk.splitlines()
        layout = _layout(head)
        for line in lines:
            try:
                row = layout.row(orjson.loads(line))
            except (ValueError, TypeError, KeyError, decimal.DecimalException):
                raise RowSetError("a line of the row set's attachments is not a row") from None
            found += 1
            yield row
    if fields.get("count") != found:
        raise RowSetError(f"the record says that there are {fields.get('count')} rows, stored are {found}")


def read_chunks(get_attachment: Callable[[str], bytes | None], manifest: str) -> Iterator[bytes]:
    """The attachments that the manifest with this SHA-256 lists. Raises :class:`RowSetError`."""
    for digest in manifest_of(get_attachment, manifest):
        yield _checked(get_attachment, digest, "an attachment with rows")


def manifest_of(get_attachment: Callable[[str], bytes | None], manifest: str) -> list[str]:
    """The SHA-256s that the manifest with this SHA-256 lists. Raises :class:`RowSetError`."""
    try:
        listed = orjson.loads(_checked(get_attachment, manifest, "the list of attachments with rows"))
    except orjson.JSONDecodeError:
        listed = None
    if not isinstance(listed, list) or not all(isinstance(digest, str) for digest in listed):
        raise RowSetError("the list of attachments with rows is not a list")
    return listed


def _checked(get_attachment: Callable[[str], bytes | None], digest: str, what: str) -> bytes:
    data = get_attachment(digest)
    if data is None:
        raise RowSetError(f"{what} is missing ({digest[:12]}…)")
    if hashlib.sha256(data).hexdigest() != digest:
        raise RowSetError(f"{what} was changed ({digest[:12]}…)")
    return data


def _layout(line: bytes) -> Layout:
    try:
        told = orjson.loads(line)
        layout = Layout(told["kind"], tuple(told["columns"]), told["label"], tuple(told["amounts"]), told["places"])
    except (ValueError, TypeError, KeyError):
        raise RowSetError("an attachment with rows does not say how they are read") from None
    if not layout.columns or layout.label not in layout.columns or not set(layout.amounts) <= set(layout.columns):
        raise RowSetError("an attachment with rows does not say how they are read")
    return layout


def _unit(minor: int | str, places: int) -> str:
    """Whole minor units as decimal text in the unit: ``1845000, 2`` → ``18450.00``."""
    if not isinstance(minor, int | str) or isinstance(minor, bool):
        raise TypeError(minor)
    return format(Decimal(minor).scaleb(-places, EXACT), "f")
