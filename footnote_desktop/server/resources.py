"""Resources: the log's records, the evidence behind them, and the ERP's rows as they are now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from mcp_types import Annotations, Completion, Resource, ResourceTemplate
from pydantic_core import to_json

from footnote_desktop.server.replies import FOR_THE_USER, JSON, evidence_uri, record_uri

if TYPE_CHECKING:
    from footnote_desktop.answers.desk import Desk
    from footnote_desktop.provenance.record import Record

#: Records that a listing shows, newest first; older ones are found through the template.
LISTED = 50
#: Rows of evidence on one page.
PAGE = 100
#: Completions in one answer (the protocol's own limit).
COMPLETIONS = 100
ERP_TYPES = ("customer", "invoice", "payment", "ticket")

_RECORD, _EVIDENCE, _ROW = (
    "provenance://record/{id}",
    "provenance://record/{id}/evidence{?page}",
    "erp://{type}/{id}",
)

TEMPLATES = [
    ResourceTemplate(
        uri_template=_RECORD,
        name="record",
        title="An answer as recorded",
        description="Question, answer, claims, operations with their SQL, evidence and hashes of one record of the "
        "provenance log, byte for byte as it was hashed. The id is the record's id or its sequence number.",
        mime_type=JSON,
        annotations=FOR_THE_USER,
    ),
    ResourceTemplate(
        uri_template=_EVIDENCE,
        name="evidence",
        title="The evidence of an answer, in pages",
        description=f"All rows behind one recorded answer as they were read, {PAGE} on a page; pages count from 1.",
        mime_type=JSON,
        annotations=FOR_THE_USER,
    ),
    ResourceTemplate(
        uri_template=_ROW,
        name="erp-row",
        title="A row of the ERP as it is now",
        description="One row of the system of record, read now and read-only; a record shows it as it was when the "
        f"answer was given. Types: {', '.join(ERP_TYPES)}.",
        mime_type=JSON,
        annotations=FOR_THE_USER,
    ),
]


class NotFoundError(Exception):
    """There is nothing behind a URI; the message says what is missing."""


def read(desk: Desk, uri: str) -> str:
    """The JSON text behind ``uri``. Raises :class:`NotFoundError`; :class:`LogError` and :class:`Refusal` pass
    through."""
    scheme, separator, rest = uri.partition("://")
    if separator and scheme == "erp":
        return _row(desk, rest)
    if separator and scheme == "provenance":
        parts = urlsplit(uri)
        match [parts.netloc, *parts.path.split("/")[1:]]:
            case ["log"]:
                return _log(desk)
            case ["record", key]:
                return _record(desk, key).canon.decode()
            case ["record", key, "evidence"]:
                return _page(desk, _record(desk, key), parse_qs(parts.query).get("page", ["1"])[-1])
    raise NotFoundError(
        "There is no such resource. Resources are named " + ", ".join(t.uri_template for t in TEMPLATES)
    )


def listed(desk: Desk) -> list[Resource]:
    """The latest records."""
    return [
        Resource(
            uri=record_uri(record.id),
            name=f"record {record.sequence}",
            title=record.question[:200],
            description=record.answer[:300],
            mime_type=JSON,
            size=len(record.canon),
            annotations=Annotations(audience=["user"], last_modified=record.timestamp),
        )
        for record in desk.log.records(limit=LISTED)
    ]


def complete(desk: Desk, template: str, argument: str, typed: str, context: dict[str, str]) -> Completion:
    """What may stand for ``argument`` in a template, beginning with what is likeliest."""
    typed = typed.strip()
    if template in (_RECORD, _EVIDENCE) and argument == "id":
        return _completion(record.id for record in desk.log.records(limit=1000) if record.id.startswith(typed))
    if template == _EVIDENCE and argument == "page" and context.get("id"):
        try:
            pages = -(-_evidence_count(desk, _record(desk, context["id"])) // PAGE)
        except NotFoundError:
            pages = 0
        return _completion(str(page) for page in range(1, pages + 1) if str(page).startswith(typed))
    if template == _ROW and argument == "type":
        return _completion(kind for kind in ERP_TYPES if kind.startswith(typed.lower()))
    if template == _ROW and argument == "id" and context.get("type") == "customer":
        sought = typed.casefold()
        return _completion(
            str(customer.id)
            for customer in desk.catalog.customers()
            if str(customer.id).startswith(typed) or sought in customer.name.casefold()
        )
    return Completion(values=[], total=0, has_more=False)


def _completion(values: Iterator[str]) -> Completion:
    found = list(values)
    return Completion(values=found[:COMPLETIONS], total=len(found), has_more=len(found) > COMPLETIONS)


def _row(desk: Desk, rest: str) -> str:
    kind, _, key = rest.partition("/")
    if kind == "rowset":
        raise NotFoundError("Row sets stand in the log; read the evidence pages of the record that cites this one")
    # Our own links are percent-encoded; a client that fills the template may have left the id as it is.
    for candidate in dict.fromkeys((unquote(key), key)):
        evidence = desk.catalog.record(kind, candidate) if candidate else None
        if evidence is not None:
            return to_json(evidence.to_json()).decode()
    if kind not in ERP_TYPES:
        raise NotFoundError(f"The ERP has no rows of the type {kind[:80]!r}; there are: {', '.join(ERP_TYPES)}")
    raise NotFoundError(f"The ERP has no {kind} with the id {unquote(key)[:80]!r} now")


def _log(desk: Desk) -> str:
    sequence, digest = desk.log.head()
    return to_json({"records": sequence, "lastHash": digest}).decode()


def _record(desk: Desk, key: str) -> Record:
    record = desk.log.get(unquote(key))
    if record is None:
        raise NotFoundError(f"The log has no record {unquote(key)[:80]!r}")
    return record


def _evidence(desk: Desk, record: Record) -> Iterator[dict[str, Any]]:
    """Every row behind a record once: those in it, then those of its row sets that are not."""
    from footnote_desktop.provenance.rowset import read_rowset

    single = [entry for entry in record.evidence if entry.get("type") != "rowset"]
    yield from single
    seen = {entry["id"] for entry in single}
    for entry in record.evidence:
        if entry.get("type") == "rowset":
            for row in read_rowset(desk.log.attachment, entry):
                if row["id"] not in seen:
                    seen.add(row["id"])
                    yield row


def _evidence_count(desk: Desk, record: Record) -> int:
    return sum(1 for _ in _evidence(desk, record))


def _page(desk: Desk, record: Record, asked: str) -> str:
    if not (asked.isascii() and asked.isdigit() and len(asked) < 10 and int(asked)):
        raise NotFoundError(f"{asked[:20]!r} is not a page; pages count from 1")
    page, total = int(asked), 0
    entries: list[dict[str, Any]] = []
    for total, entry in enumerate(_evidence(desk, record), 1):
        if (page - 1) * PAGE < total <= page * PAGE:
            entries.append(entry)
    if not entries and page > 1:
        raise NotFoundError(f"The evidence of record {record.sequence} has no page {page}")
    document = {
        "recordId": record.id,
        "recordHash": record.hash,
        "page": page,
        "pages": max(1, -(-total // PAGE)),
        "total": total,
        "evidence": entries,
        "next": evidence_uri(record.id, page + 1) if total > page * PAGE else None,
    }
    return to_json(document).decode()
