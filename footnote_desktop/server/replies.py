"""A recorded reply of the desk as the result of a tool call.

The binding of figures to evidence travels three times, because hosts differ in what they show to the model: as
numbered notes in the text, as ``structuredContent`` with the evidence ids in it, and as claims in ``_meta``. Each is
bounded, so that an answer over 100,000 invoices stays below 100 KB; whatever is left out is counted and stands in the
record, whose resource pages through all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mcp_types import Annotations, CallToolResult, ContentBlock, ResourceLink, TextContent

from footnote_desktop.server.text import cited_text, some, untold_values

if TYPE_CHECKING:
    from footnote_desktop.answers.desk import Reply

JSON = "application/json"
#: Links to evidence in one result; one more leads to the pages with all of it.
LINK_LIMIT = 20
#: Evidence ids that one claim names, and that ``footnote/evidenceIds`` holds.
CLAIM_IDS, EVIDENCE_IDS = 12, 100
#: Characters of text, and of all claims together.
TEXT_LIMIT, CLAIMS_LIMIT = 20_000, 24_000

FOR_THE_USER = Annotations(audience=["user"])


def record_uri(record_id: str) -> str:
    return f"provenance://record/{record_id}"


def evidence_uri(record_id: str, page: int) -> str:
    """One page of all the evidence of a record; pages count from 1."""
    return f"provenance://record/{record_id}/evidence?page={page}"


def answered(reply: Reply) -> CallToolResult:
    """The result of a call that was answered; ``reply.values`` must already have been validated."""
    record = reply.provenance
    total = evidence_count(reply.evidence)
    told = cited_text(reply.answer, reply.claims)
    also = untold_values(reply.values, reply.citations, reply.claims, TEXT_LIMIT - len(told))
    text = "\n".join(
        [
            told,
            *(["", "Also in the result:", *also] if also else []),
            "",
            *([f"These figures are {reply.reconciliation}."] if reply.reconciliation else []),
            f"As-of date {reply.values['asOfDate']}. Recorded as {record['sequence']}: {record['id']}, "
            f"SHA-256 {record['hash']}.",
        ]
    )
    claims, left = _claims(reply)
    ids = [entry.id for entry in reply.evidence[:EVIDENCE_IDS]]
    meta: dict[str, Any] = {
        **_record_meta(record),
        "footnote/claims": claims,
        "footnote/claimCount": len(claims) + left,
    }
    meta["footnote/evidenceIds"] = ids
    if reply.reconciliation:
        meta["footnote/reconciliation"] = reply.reconciliation
    meta["footnote/evidenceCount"] = total
    content: list[ContentBlock] = [TextContent(text=text), *_links(reply, total)]
    return CallToolResult(content=content, structured_content=reply.values, _meta=meta)


def declined(reply: Reply) -> CallToolResult:
    """The result of a call that was refused: what was declined and why, with the real alternatives."""
    record = reply.provenance
    lines = [reply.message]
    if not all(alternative in reply.message for alternative in reply.alternatives):
        lines.append("Alternatives: " + "; ".join(reply.alternatives))
    lines.append(f"No figure was computed. The refusal is record {record['sequence']}: {record['id']}.")
    meta = {**_record_meta(record), "footnote/alternatives": list(reply.alternatives)}
    return failed("\n".join(lines), meta)


def failed(text: str, meta: dict[str, Any] | None = None) -> CallToolResult:
    """A tool error in our own words."""
    return CallToolResult(content=[TextContent(text=text)], is_error=True, _meta=meta)


def evidence_count(evidence: Iterable[Any]) -> int:
    """How many rows stand behind a reply, those in row sets included."""
    return sum(int(entry.fields["count"]) if entry.type == "rowset" else 1 for entry in evidence)


def _record_meta(record: Any) -> dict[str, Any]:
    return {
        "footnote/recordId": record["id"],
        "footnote/recordHash": record["hash"],
        "footnote/recordSequence": record["sequence"],
    }


def _claims(reply: Reply) -> tuple[list[dict[str, Any]], int]:
    """As many claims as fit, and how many were left out. Values that stand for themselves come before those in long
    lists, which name their evidence in the list as well."""
    ordered = sorted(reply.citations, key=lambda citation: citation.path.count("["))
    claims: list[dict[str, Any]] = []
    room = CLAIMS_LIMIT
    for citation in ordered:
        claim: dict[str, Any] = {"path": citation.path, "text": citation.text}
        claim.update(_ids(citation.evidence_ids))
        room -= len(str(claim))
        if room < 0:
            break
        claims.append(claim)
    return claims, len(ordered) - len(claims)


def _ids(evidence_ids: Sequence[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {"evidenceIds": list(evidence_ids[:CLAIM_IDS])}
    if len(evidence_ids) > CLAIM_IDS:
        shown["evidenceCount"] = len(evidence_ids)
    return shown


def _links(reply: Reply, total: int) -> list[ResourceLink]:
    record_id = str(reply.provenance["id"])
    rows = [entry for entry in reply.evidence if entry.type != "rowset"][:LINK_LIMIT]
    links = [
        ResourceLink(uri=row.uri, name=row.id, title=row.label, mime_type=JSON, annotations=FOR_THE_USER)
        for row in rows
    ]
    if total > len(rows):
        links.append(
            ResourceLink(
                uri=evidence_uri(record_id, 1),
                name="all evidence",
                title=f"All {some(total, 'row')} of evidence, in pages",
                mime_type=JSON,
                annotations=FOR_THE_USER,
            )
        )
    links.append(
        ResourceLink(
            uri=record_uri(record_id),
            name=f"record {reply.provenance['sequence']}",
            title="This answer as recorded: claims, evidence, SQL and hash",
            mime_type=JSON,
            annotations=FOR_THE_USER,
        )
    )
    return links
