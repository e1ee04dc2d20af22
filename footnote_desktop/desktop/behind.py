"""What stands behind one figure: its rows, and whether they give the figure when added again. No Qt."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from footnote_desktop.desktop import words
from footnote_desktop.desktop.answer import CURRENCY, Answer, Figure
from footnote_desktop.figures.money import Formatter, formatter, total

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DECIMAL = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    label: str
    right: bool
    rank: int  #: what is left out first when there is little room: the highest


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    id: str
    label: str
    type: str
    uri: str
    cells: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]  #: as stored, unformatted


@dataclass(frozen=True, slots=True)
class SumLine:
    """The line under the rows. ``state``: ``equal`` (the rows give the figure), ``differs``, or ``stated`` (there is
    nothing to compare here: the rows stand outside the record, or no derivation was recorded)."""

    label: str
    value: str
    state: Literal["equal", "differs", "stated"]


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """What the evidence panel shows for one figure."""

    title: str
    exact: str  #: the exact value with its unit
    caption: str
    position: str  #: "Figure 2 of 21"
    columns: tuple[Column, ...]
    rows: tuple[EvidenceRow, ...]
    row_count: int  #: how many rows stand behind the figure; more than ``rows`` when the rest is attached
    line: SumLine | None
    cited_field: str | None
    hint: str  #: the first evidence, for a tooltip
    missing: tuple[str, ...]  #: evidence ids that the record does not hold


#: Which fields a table shows, in this order, as far as the rows have them and they differ from the row's label; and
#: how soon each is left out when there is little room (all fields stand below the table anyway).
_SHOWN = {
    "customer_name": 1,
    "kind": 4,
    "invoice_number": 2,
    "subject": 1,
    "severity": 1,
    "method": 3,
    "received_on": 1,
    "opened_on": 2,
    "date": 1,
    "due_on": 1,
    "days_overdue": 3,
    "amount": 4,
    "paid": 2,
    "paid_amount": 2,
    "outstanding": 1,
    "open_amount": 1,
}


def evidence_for(answer: Answer, index: int) -> EvidenceView:
    """What stands behind figure ``index``. Raises ``IndexError`` when there is no such figure."""
    figure = answer.figures[index]
    fmt = formatter(answer.locale)
    entries = [answer.evidence[i] for i in figure.evidence_ids if i in answer.evidence]
    missing = tuple(i for i in figure.evidence_ids if i not in answer.evidence)
    rowsets = [e for e in entries if e.get("type") == "rowset"]
    plain = [e for e in entries if e.get("type") != "rowset"]
    alone = len(plain)
    for rowset in rowsets:
        plain += answer.members.get(str(rowset.get("id")), ())
    listed = len(plain)
    row_count = sum(_whole(e.get("fields", {}).get("count")) for e in rowsets) + alone
    columns = _columns(plain, figure)
    rows = tuple(
        EvidenceRow(
            id=str(e.get("id", "")),
            label=str(e.get("label", "")),
            type=str(e.get("type", "")),
            uri=str(e.get("uri", "")),
            cells=tuple(
                str(e.get("label", "")) if c.key == "" else cell_text(c.key, e.get("fields", {}), fmt) for c in columns
            ),
            fields=tuple((name, stored(value)) for name, value in _in_order(e.get("fields") or {})),
        )
        for e in plain
    )
    kinds = {row.type for row in rows}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return EvidenceView(
        title=figure.text,
        exact=_exact(figure),
        caption=_caption(figure, plain, row_count, kind, fmt)
        + (f" · the first {fmt.count(listed)} are listed" if listed < row_count else ""),
        position=f"Figure {fmt.count(index + 1)} of {fmt.count(len(answer.figures))}",
        columns=columns,
        rows=rows,
        row_count=row_count,
        line=_sum_line(figure, plain[:alone], rowsets, row_count, kind, fmt),
        cited_field=figure.field if figure.derivation == "field" else None,
        hint=_hint(rows, row_count, fmt),
        missing=missing,
    )


#: The order in which fields are read; a record keeps them by the alphabet. Others follow.
_ORDER = (
    *("number", "name", "id", "customer_id", "customer_name", "invoice_id", "invoice_number", "subject", "kind"),
    *("country", "segment", "payment_terms_days", "owner", "severity", "method"),
    *("date", "issued_on", "due_on", "received_on", "opened_on", "closed_on"),
    *("currency", "amount", "paid", "outstanding", "status", "days_overdue"),
)
_PLACE = {name: place for place, name in enumerate(_ORDER)}


def _in_order(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(fields.items(), key=lambda item: (_PLACE.get(item[0], len(_ORDER)), item[0]))


def stored(value: Any) -> str:
    """A field's value as it stands in the record."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def cell_text(key: str, fields: Mapping[str, Any], fmt: Formatter) -> str:
    """A field's value for people: amounts with their currency, dates in the locale's order."""
    value = fields.get(key)
    if value is None:
        return "–"
    if isinstance(value, str):
        if _DAY.fullmatch(value):
            try:
                return fmt.date(dt.date.fromisoformat(value))
            except ValueError:
                return value
        currency = fields.get("currency")
        if isinstance(currency, str) and _DECIMAL.fullmatch(value):
            return fmt.money(Decimal(value), currency)
    if isinstance(value, int) and not isinstance(value, bool):
        return fmt.count(value) if not key.endswith("id") else str(value)
    return stored(value).replace("_", " ") if key in ("kind", "status") else stored(value)


def _columns(entries: Sequence[Mapping[str, Any]], figure: Figure) -> tuple[Column, ...]:
    if not entries:
        return ()
    every = [e.get("fields") or {} for e in entries]
    label = {e.get("type") for e in entries}
    heading = words.TYPES.get(str(next(iter(label))), ("record", ""))[0].capitalize() if len(label) == 1 else "Record"
    cited = figure.field if figure.field and any(figure.field in f for f in every) else None
    chosen = []
    for key in _SHOWN:
        if key == cited or not any(f.get(key) is not None for f in every):
            continue
        if all(str(f.get(key)) == str(e.get("label")) for f, e in zip(every, entries, strict=True)):
            continue
        if key == "kind" and len({f.get(key) for f in every}) == 1:
            continue
        chosen.append(key)
    ranked = [(key, _SHOWN[key]) for key in chosen] + ([(cited, 0)] if cited else [])
    return (
        Column("", heading, False, 0),
        *(Column(key, words.field_label(key), _right(key, every), rank) for key, rank in ranked),
    )


def _right(key: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [f[key] for f in rows if f.get(key) is not None]
    return bool(values) and all(
        (isinstance(v, int) and not isinstance(v, bool)) or (isinstance(v, str) and bool(_DECIMAL.fullmatch(v)))
        for v in values
    )


def _exact(figure: Figure) -> str:
    if not figure.exact:
        return ""
    if CURRENCY.fullmatch(figure.unit):
        return f"{figure.exact}\u00a0{figure.unit}"
    return {
        "days": f"{figure.exact}\u00a0{'day' if figure.exact == '1' else 'days'}",
    }.get(figure.unit, figure.exact)


def _caption(figure: Figure, entries: Sequence[Mapping[str, Any]], row_count: int, kind: str, fmt: Formatter) -> str:
    many = words.counted(row_count, kind, fmt.count(row_count))
    name = f"“{words.field_label(figure.field).lower()}”" if figure.field else ""
    label = str(entries[0].get("label", "")) if entries else ""
    how = {
        "sum": f"sum of {name} over {many}",
        "max": f"largest {name} of {many}",
        "min": f"smallest {name} of {many}",
        "count": f"count of {many}",
        "field": f"{name} of {label}",
        "none": f"nothing found under {label}",
    }.get(figure.derivation, f"rests on {many}")
    return f"{figure.label} · {how}" if figure.label else how


def _sum_line(
    figure: Figure,
    entries: Sequence[Mapping[str, Any]],
    rowsets: Sequence[Mapping[str, Any]],
    row_count: int,
    kind: str,
    fmt: Formatter,
) -> SumLine | None:
    """Derives the figure again from the rows that stand here, and says whether it comes out the same."""
    many = words.counted(row_count, kind, fmt.count(row_count))
    if figure.derivation == "count":
        same = figure.exact == str(row_count)
        return SumLine(f"Count of {many}", fmt.count(row_count), "equal" if same else "differs")
    if figure.derivation not in ("sum", "max", "min") or figure.field is None:
        return None
    name = {"sum": "Sum", "max": "Largest", "min": "Smallest"}[figure.derivation]
    try:
        values = [Decimal(str(e["fields"][figure.field])) for e in entries]
        currencies = {e["fields"].get("currency") for e in entries}
        for rowset in rowsets:
            if figure.derivation != "sum" or rowset["fields"].get("sumField") != figure.field:
                return SumLine(f"{name} of {many}, all stored with the record", figure.text, "stated")
            values += [Decimal(str(part)) for part in rowset["fields"]["sums"].values()]
            currencies |= set(rowset["fields"]["sums"])
        expected = Decimal(figure.exact)
    except (KeyError, InvalidOperation, TypeError, AttributeError):
        return SumLine(f"{name} of {many}", figure.text, "stated")
    if not values:
        return None
    again = total(values) if figure.derivation == "sum" else (max if figure.derivation == "max" else min)(values)
    same = again == expected and (not CURRENCY.fullmatch(figure.unit) or currencies == {figure.unit})
    if CURRENCY.fullmatch(figure.unit):
        shown = fmt.money(again, figure.unit)
    else:
        shown = fmt.count(int(again)) if again == int(again) else str(again)
    return SumLine(f"{name} of {many}", shown, "equal" if same else "differs")


def _hint(rows: Sequence[EvidenceRow], row_count: int, fmt: Formatter) -> str:
    if not rows:
        return ""
    first = " · ".join(cell for cell in rows[0].cells if cell and cell != "–")
    return first if row_count <= 1 else f"{first}\nand {fmt.count(row_count - 1)} more"


def _whole(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0
