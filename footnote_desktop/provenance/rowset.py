"""Row sets: all the rows behind a figure, when they are more than a record should hold.

The rows stand in attachments as JSON Lines. Where one attachment ends and the next begins is decided by each row's
own id, not by counting, so that a row more or less changes the attachment that it falls into and no other: rows
that did not change since the last answer are stored already.
"""

from __future__ import annotations

import decimal
import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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

_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE | orjson.OPT_STRICT_INTEGER


class RowSetError(ValueError):
    """The rows of a row set cannot be had as they were stored; the message says which part, and why."""


def build_rowset(rows: Sequence[Mapping[str, JsonValue]], *, what: str, sum_field: str | None, order: str) -> RowSet:
    """The row set of ``rows``, in their order.

    Each row has ``id`` (unique, stable) and ``label`` beside its fields; with ``sum_field``, also ``currency`` and a
    decimal string (or null, which adds nothing) in that field. ``what`` names the rows for people, ``order``
    says how they are sorted. Raises ``ValueError`` for a row that lacks these.
    """
    chunks: list[bytes] = []
    lines: list[bytes] = []
    dumps, crc = orjson.dumps, zlib.crc32
    for row in rows:
        try:
            lines.append(dumps(row, option=_LINE))
        except TypeError:  # a read-only mapping, or something that a record cannot hold as it is
            lines.append(dumps(clean(row)[0], option=_LINE))
        identifier = row.get("id")
        if not isinstance(identifier, str):
            raise ValueError("a row of a row set has no id")
        if not crc(identifier.encode("utf-8", "replace")) & BOUNDARY or len(lines) == MOST_ROWS:
            chunks.append(b"".join(lines))
            lines.clear()
    if lines:
        chunks.append(b"".join(lines))
    manifest = orjson.dumps([hashlib.sha256(chunk).hexdigest() for chunk in chunks])
    digest = hashlib.sha256(manifest).hexdigest()
    fields: dict[str, JsonValue] = {
        "what": what,
        "count": len(rows),
        "sums": dict[str, JsonValue](_sums(rows, sum_field)) if sum_field else {},
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
        for line in chunk.splitlines():
            try:
                row = orjson.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise RowSetError("a line of the row set's attachments is not a row")
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


def _sums(rows: Sequence[Mapping[str, JsonValue]], field: str) -> dict[str, str]:
    totals: dict[str, Decimal] = {}
    add = EXACT.add
    for row in rows:
        currency, amount = row.get("currency"), row.get(field, row)  # the row itself stands for "absent"
        if not isinstance(currency, str):
            raise ValueError(f"the row {row['id']} has no currency")
        if amount is None:
            continue
        try:
            exact = Decimal(amount)  # type: ignore[arg-type]
        except (decimal.InvalidOperation, TypeError, ValueError):
            raise ValueError(f"the row {row['id']} has no decimal amount in {field}") from None
        known = totals.get(currency)
        totals[currency] = exact if known is None else add(known, exact)
    return {currency: format(total, "f") for currency, total in sorted(totals.items())}
