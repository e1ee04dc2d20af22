"""A reply as text for a terminal: footnote marks in the answer, and under it the rows behind each figure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from footnote_desktop.answers.desk import Reply
from footnote_desktop.answers.words import visible
from footnote_desktop.figures.money import EXACT, Formatter
from footnote_desktop.provenance.evidence import Citation, Evidence

#: Rows shown under one footnote; the rest stands in the record.
MAX_ROWS = 20
#: Text of a field is shown up to here, in characters.
MAX_FIELD = 48

_MONEY = {"amount", "paid", "outstanding", "effect", "settled"}
_HIDDEN = {"id", "customer_id", "invoice_id", "currency", "number", "name", "subject", "invoice"}
_FIELDS = {
    "issued_on": "issued", "due_on": "due", "received_on": "received", "opened_on": "opened",
    "days_overdue": "days past due", "payment_terms_days": "terms, days", "data_error": "data error",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """Escape sequences for a terminal; empty where none are wanted."""

    bold: str = ""
    dim: str = ""
    warn: str = ""
    end: str = ""


COLOURS = Style("\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m")


@dataclass(slots=True)
class _Note:
    number: int
    evidence_ids: tuple[str, ...]
    citations: list[Citation]


def printed(reply: Reply, formatter: Formatter, style: Style, chain: str) -> str:
    """The whole reply. ``chain``: what is known of the log as a whole, in words."""
    if reply.refused:
        body = [f"{style.bold}Not answered.{style.end} {visible(reply.reason or '')}"]
        offered = reply.suggestions or reply.alternatives
        if offered:
            body += ["", "You could ask:" if reply.suggestions else "Did you mean:"]
            body += [f"  {visible(text)}" for text in offered]
    else:
        notes, marked = _marked(reply, style)
        body = [marked, "", f"{style.bold}Evidence{style.end}"]
        for note in notes:
            body += _note(note, reply.evidence, formatter, style)
        body += _computed(reply, style)
    if reply.reconciliation:
        body += ["", f"{style.warn}{reply.reconciliation.capitalize()}.{style.end}"]
    body += ["", chain_line(reply, chain)]
    return "\n".join(body)


def _marked(reply: Reply, style: Style) -> tuple[list[_Note], str]:
    """The answer with a number behind each figure; figures on the same evidence share one."""
    by_path = {citation.path: citation for citation in reply.citations}
    notes: dict[tuple[str, ...], _Note] = {}
    units = reply.answer.encode("utf-16-le")
    pieces, at = [], 0
    for claim in sorted(reply.claims, key=lambda c: c.start):
        note = notes.setdefault(claim.evidence_ids, _Note(len(notes) + 1, claim.evidence_ids, []))
        citation = by_path[claim.path]
        if all(known.text != citation.text or known.derivation != citation.derivation for known in note.citations):
            note.citations.append(citation)
        pieces.append(units[2 * at : 2 * claim.start].decode("utf-16-le"))
        pieces.append(f"{style.bold}{claim.text}{style.end}{style.dim}[{note.number}]{style.end}")
        at = claim.end
    pieces.append(units[2 * at :].decode("utf-16-le"))
    return list(notes.values()), "".join(pieces)


def _note(note: _Note, evidence: Iterable[Evidence], formatter: Formatter, style: Style) -> list[str]:
    by_id = {entry.id: entry for entry in evidence}
    rows = [by_id[i] for i in note.evidence_ids]
    figures = ", ".join(visible(_shown(c, formatter)) for c in note.citations)
    lines = [f"\n  [{note.number}] {style.bold}{figures}{style.end}"]
    single = [row for row in rows if row.type != "rowset"]
    lines += _table(single[:MAX_ROWS], formatter)
    if len(single) > MAX_ROWS:
        lines.append(f"      and {formatter.count(len(single) - MAX_ROWS)} more rows, which stand in the record")
    for row in rows:
        if row.type == "rowset":
            lines.append(f"      {visible(row.label)}: all stored with the record")
    for citation in note.citations:
        lines += _sum(citation, rows, formatter, style)
    return lines


def _shown(citation: Citation, formatter: Formatter) -> str:
    if citation.unit == "date":
        return formatter.date(dt.date.fromisoformat(citation.exact))
    return f"{citation.text} days" if citation.unit == "days" else citation.text


def _table(rows: Sequence[Evidence], formatter: Formatter) -> list[str]:
    """One line for each row, fields of the same name below each other."""
    names = list(dict.fromkeys(n for row in rows for n, v in row.fields.items() if n not in _HIDDEN and v is not None))
    head = ["", *(_FIELDS.get(name, name.replace("_", " ")) for name in names)]
    body = [[f"{row.id}  {_cut(row.label)}", *(_field(row.fields, name, formatter) for name in names)] for row in rows]
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    right = [name in _MONEY or name.endswith("days") or name == "days_overdue" for name in ["", *names]]
    lines = []
    for line in [head, *body] if names else body:
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True))
        lines.append(f"      {'  '.join(cells)}".rstrip())
    return lines


def _field(fields: Mapping[str, Any], name: str, formatter: Formatter) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if name in _MONEY and fields.get("currency"):
        try:
            return formatter.money(Decimal(str(value)), str(fields["currency"]))
        except InvalidOperation:
            return _cut(str(value))
    if name.endswith("_on") or name == "as_of":
        try:
            return formatter.date(dt.date.fromisoformat(str(value)))
        except ValueError:
            return _cut(str(value))
    return _cut(str(value))


def _cut(text: str) -> str:
    text = visible(text)
    return text if len(text) <= MAX_FIELD else text[: MAX_FIELD - 1] + "…"


def _sum(citation: Citation, rows: Sequence[Evidence], formatter: Formatter, style: Style) -> list[str]:
    """What the rows come to, added here and now, beside the figure that was stated."""
    name = citation.derivation.field
    if citation.derivation.kind == "count":
        found = sum(int(str(row.fields["count"])) if row.type == "rowset" else 1 for row in rows)
        same, text = found == int(citation.exact), f"{formatter.count(found)} {'row' if found == 1 else 'rows'}"
    elif citation.derivation.kind == "sum" and name is not None:
        total = Decimal(0)
        for row in rows:
            sums = row.fields.get("sums") if row.type == "rowset" else {citation.unit: row.fields.get(name)}
            part = sums.get(citation.unit) if isinstance(sums, dict) else None
            total = EXACT.add(total, Decimal(str(part or 0)))
        same, text = total == Decimal(citation.exact), f"Sum of {name} {formatter.money(total, citation.unit)}"
    else:
        return []
    if same:
        return [f"      {text} = the figure"]
    return [f"      {style.warn}{text}, which is NOT the figure {visible(citation.text)}{style.end}"]


def _computed(reply: Reply, style: Style) -> list[str]:
    lines = ["", f"{style.bold}How it was computed{style.end}"]
    for entry in reply.operations:
        arguments = ", ".join(f"{k}={v}" for k, v in entry.get("arguments", {}).items())
        as_of = entry.get("asOf", {})
        lines.append(f"  {entry['name']}({visible(arguments)}), {entry.get('durationMs')} ms")
        lines.append(f"  as of {as_of.get('date')} ({as_of.get('source')})")
        queries = entry.get("queries") or []
        chosen = next((q for q in queries if q.get("purpose") == "totals"), queries[0] if queries else None)
        if chosen:
            lines.append("")
            lines += [f"    {line}" for line in str(chosen["sql"]).splitlines()]
            params = ", ".join(f":{k} = {v!r}" for k, v in chosen["params"].items())
            lines += ["", f"    with {params}"] if params else []
            others = [f"{q['purpose']} ({q['rows']})" for q in queries if q is not chosen]
            if others:
                lines.append(f"    and, in the same snapshot: {', '.join(others)}; --json has them")
    return lines


def chain_line(reply: Reply, chain: str) -> str:
    """The record's place in the log."""
    record = reply.provenance
    digest, previous = str(record["hash"]), str(record["previousHash"])
    return f"Record {record['sequence']} · {digest[:12]}… · follows {previous[:12]}… · {chain}"
