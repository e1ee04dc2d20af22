"""What goes to the clipboard: rows as text, CSV and JSON. No Qt."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.behind import EvidenceRow, EvidenceView

# A spreadsheet takes a cell that begins so for a formula; data must never run.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def row_text(row: EvidenceRow) -> str:
    """One row as ``field: value`` lines, as stored."""
    return "\n".join([f"{row.label} ({row.uri})", *(f"{name}: {value}" for name, value in row.fields)])


def rows_text(view: EvidenceView) -> str:
    """The table as shown, tab-separated, with its sum line."""
    lines = ["\t".join(column.label for column in view.columns)]
    lines += ["\t".join(_one_line(cell) for cell in row.cells) for row in view.rows]
    if view.line:
        lines.append("\t".join([view.line.label, *[""] * max(0, len(view.columns) - 2), view.line.value]))
    return "\n".join(lines)


def rows_csv(view: EvidenceView) -> str:
    """Every field as stored, one row a line (RFC 4180). Amounts are exact and keep their decimal point; text that a
    spreadsheet would run as a formula gets an apostrophe in front."""
    names = list(dict.fromkeys(name for row in view.rows for name, _ in row.fields))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["evidence_id", "label", *names])
    for row in view.rows:
        fields = dict(row.fields)
        writer.writerow([_inert(row.id), _inert(row.label), *(_inert(fields.get(name, "")) for name in names)])
    return out.getvalue()


def rows_json(answer: Answer, view: EvidenceView) -> str:
    """The evidence entries as they stand in the record."""
    entries = [answer.evidence[row.id] for row in view.rows if row.id in answer.evidence]
    return json.dumps(entries, ensure_ascii=False, indent=2)


def answer_text(answer: Answer, notes: Iterable[str] = ()) -> str:
    """The answer with the place where it is recorded."""
    lines = [answer.text or answer.reason, *notes]
    if answer.record:
        lines.append(f"[record {answer.record.sequence}, {answer.record.hash}]")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _inert(text: str) -> str:
    if text.startswith(_FORMULA) and not _is_number(text):
        return "'" + text
    return text


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit() and text.isascii()
