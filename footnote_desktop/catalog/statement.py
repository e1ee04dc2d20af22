"""A customer's account over a period: what was open before, what moved, what is open at its end.

closing = opening + invoiced - received - settled earlier, in each currency, or nothing is said.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from footnote_desktop.catalog.items import CURRENCY, OPEN, check, cite_item, rows_sql
from footnote_desktop.catalog.payments import cite_payment
from footnote_desktop.catalog.reading import NOTHING, Reading, day, identifier, iso, make_evidence, note, text
from footnote_desktop.catalog.result import Refusal, Said
from footnote_desktop.provenance.evidence import Derivation, JsonValue

#: Lines that a statement shows; the rest is counted, and stands in the evidence.
MAX_LINES = 500

_OPEN_ITEMS = "SELECT currency, open_amount FROM receivable_item WHERE open_amount <> 0"
_INVOICED = """SELECT id, number, kind, posted_on, due_on, currency, amount, status
FROM receivable_item WHERE posted_on >= :from_date"""
_RECEIVED = """SELECT p.id, p.invoice_id, p.invoice_number, p.received_on, p.currency, p.amount, p.method, p.kind
FROM payment p JOIN receivable_item i ON i.id = p.invoice_id
WHERE p.received_on >= :from_date AND p.received_on <= :as_of"""
# An invoice of the period that was paid before it was issued, or without a payment date: no movement explains it.
_EARLIER = """SELECT i.id, i.number, i.posted_on, i.currency,
       i.amount - i.open_amount - COALESCE(w.amount, 0) AS settled
FROM receivable_item i
LEFT JOIN (SELECT invoice_id, SUM(amount) AS amount FROM payment
           WHERE received_on >= :from_date AND received_on <= :as_of GROUP BY invoice_id) w ON w.invoice_id = i.id
WHERE i.posted_on >= :from_date AND i.amount - i.open_amount - COALESCE(w.amount, 0) <> 0"""


@dataclass(slots=True)
class Part:
    """One kind of movement or balance: what SQL summed, and the rows it was summed from, per currency."""

    key: str  #: the key in the result
    summed_field: str  #: the evidence's field that adds up to the sum
    sums: dict[str, Any]
    row_sums: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)

    def gather(self, currency: str, raw: Any, evidence_id: str) -> None:
        self.ids.setdefault(currency, []).append(evidence_id)
        self.row_sums[currency] = self.row_sums.get(currency, 0) + raw

    def of(self, currency: str) -> Any:
        return self.sums.get(currency) or 0


def _sums(
    reading: Reading, sql: str, column: str, relations: tuple[str, ...], params: dict[str, Any]
) -> dict[str, Any]:
    statement = f"SELECT currency, SUM({column}) AS amount FROM (\n{sql}\n) moved GROUP BY currency"
    rows = reading.select("totals", relations, statement, params, scoped=True).rows
    return {str(currency): amount for currency, amount in rows}


def customer_statement(reading: Reading, customer: str, fromDate: dt.date, toDate: dt.date) -> dict[str, Any]:  # noqa: N803
    """Opening balance, documents and payments of a period, closing balance; per currency."""
    if fromDate > toDate:
        raise Refusal("invalid_argument", f"fromDate {fromDate} is after toDate {toDate}; give the earlier day first.")
    found, anchor = reading.customer(customer)
    before = fromDate - dt.timedelta(days=1)
    at_start = {"customer_id": found.id, "as_of": before}
    period = {"customer_id": found.id, "as_of": toDate, "from_date": fromDate}
    items, both = ("receivable_item",), ("receivable_item", "payment")
    opening = Part("openingBalance", "outstanding", _sums(reading, _OPEN_ITEMS, "open_amount", items, at_start))
    invoiced = Part("invoiced", "amount", _sums(reading, _INVOICED, "amount", items, period))
    received = Part("received", "amount", _sums(reading, _RECEIVED, "amount", both, period))
    earlier = Part("settledEarlier", "settled", _sums(reading, _EARLIER, "settled", both, period))
    closing = Part("closingBalance", "outstanding", _sums(reading, _OPEN_ITEMS, "open_amount", items, period))
    parts = (opening, invoiced, received, earlier, closing)

    for part, params in ((opening, at_start), (closing, period)):
        for row in reading.select("rows", items, rows_sql(reading), params, scoped=True).rows:
            part.gather(row[CURRENCY], row[OPEN], cite_item(reading, row, f"@{params['as_of']}"))
    lines: list[dict[str, Any]] = []
    movements: tuple[tuple[Part, str, tuple[str, ...], str, Callable[..., dict[str, Any]]], ...] = (
        (invoiced, _INVOICED, items, "amount", _invoiced_line),
        (received, _RECEIVED, both, "amount", _received_line),
        (earlier, _EARLIER, both, "settled", _earlier_line),
    )
    for part, sql, relations, column, line in movements:
        for row_dict in reading.select("rows", relations, f"{sql}\nORDER BY 4, 1", period, scoped=True).dicts():
            entry = line(reading, row_dict)
            part.gather(row_dict["currency"], row_dict[column], entry["evidenceId"].value)
            lines.append(entry)
    lines.sort(key=lambda entry: str(entry["date"].value))

    currencies = sorted({currency for part in parts for currency in part.sums})
    for part in parts:
        for currency in {*part.sums, *part.row_sums}:
            check(part.key, part.of(currency), part.row_sums.get(currency, 0))
    for c in currencies:
        check("the movements", closing.of(c), opening.of(c) + invoiced.of(c) - received.of(c) - earlier.of(c))
    node: dict[str, Any] = {
        "customerName": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
        "fromDate": Said(fromDate.isoformat()),
        "toDate": Said(toDate.isoformat()),
        "totals": [_total(reading, currency, parts, anchor) for currency in currencies],
        "lines": lines[:MAX_LINES],
        "linesOmitted": Said(max(0, len(lines) - MAX_LINES)),
        "notes": [],
    }
    if earlier.ids:
        node["notes"].append(
            note(
                "settled_earlier",
                "Some invoices of the period were paid before it, or without a payment date; those amounts stand in"
                " lines of their own.",
            )
        )
    if not lines and not opening.ids:
        node["emptyReason"] = Said("This customer has no open items and no movements in that period.")
        node["emptyCode"] = Said("no_movements")
    return node


def _total(reading: Reading, currency: str, parts: tuple[Part, ...], anchor: str) -> dict[str, Any]:
    node: dict[str, Any] = {"currency": Said(currency)}
    for part in parts:
        ids = part.ids.get(currency, [])
        if part.key == "settledEarlier" and not ids:
            node.update(settledEarlier=None, settledEarlierCents=None)
            continue
        amount = reading.amount(part.of(currency), currency)
        derivation = Derivation("sum", part.summed_field) if ids else NOTHING
        reading.put_money(node, part.key, amount, currency, ids or (anchor,), derivation)
    return node


def _line(
    reading: Reading, kind: str, row: dict[str, Any], evidence: str, fields: tuple[str, str, str], effect: Any
) -> dict[str, Any]:
    """A line of the statement; ``fields``: the evidence's fields of its date, its document and its effect."""
    currency = row["currency"]
    on_field, document_field, effect_field = fields
    stored = reading.evidence[evidence].fields
    node: dict[str, Any] = {
        "date": day(stored[on_field], evidence, on_field),
        "type": Said(kind),
        "document": text(stored[document_field], evidence, document_field),
        "currency": Said(currency),
        "evidenceId": Said(evidence),
    }
    amount = reading.amount(effect, currency)
    reading.put_money(node, "amount", amount, currency, (evidence,), Derivation("field", effect_field))
    return node


def _invoiced_line(reading: Reading, row: dict[str, Any]) -> dict[str, Any]:
    currency = row["currency"]
    fields: dict[str, JsonValue] = {
        "number": str(row["number"]),
        "kind": row["kind"],
        "issued_on": iso(row["posted_on"]),
        "due_on": None if row["due_on"] is None else iso(row["due_on"]),
        "currency": currency,
        "amount": reading.plain(row["amount"], currency),
        "status": row["status"],
    }
    evidence = reading.add(make_evidence("invoice", row["id"], str(row["number"]), fields, "@issued"))
    return _line(reading, row["kind"], row, evidence, ("issued_on", "number", "amount"), row["amount"])


def _received_line(reading: Reading, row: dict[str, Any]) -> dict[str, Any]:
    evidence = cite_payment(reading, row)
    return _line(reading, "payment", row, evidence, ("received_on", "invoice", "effect"), -row["amount"])


def _earlier_line(reading: Reading, row: dict[str, Any]) -> dict[str, Any]:
    currency = row["currency"]
    fields: dict[str, JsonValue] = {
        "number": str(row["number"]),
        "issued_on": iso(row["posted_on"]),
        "currency": currency,
        "settled": reading.plain(row["settled"], currency),
        "effect": reading.plain(-row["settled"], currency),
    }
    evidence = reading.add(make_evidence("invoice", row["id"], str(row["number"]), fields, "@settled"))
    return _line(reading, "settled_earlier", row, evidence, ("issued_on", "number", "effect"), -row["settled"])
