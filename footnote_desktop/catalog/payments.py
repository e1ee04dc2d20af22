"""What a customer has paid."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from footnote_desktop.catalog.items import check
from footnote_desktop.catalog.reading import (
    MAX_LISTED,
    NOTHING,
    Reading,
    count,
    day,
    identifier,
    iso,
    make_evidence,
    text,
)
from footnote_desktop.catalog.result import Said
from footnote_desktop.provenance.evidence import Derivation


def payment_history(reading: Reading, customer: str, sinceDate: dt.date | None = None) -> dict[str, Any]:  # noqa: N803
    """Payments received from a customer up to the as-of date, latest first; totals per currency."""
    found, anchor = reading.customer(customer)
    window = "received_on <= :as_of" + (" AND received_on >= :since" if sinceDate else "")
    scope: dict[str, Any] = {"customer_id": found.id, "since": sinceDate}
    totals = reading.select(
        "totals",
        ("payment",),
        f"SELECT currency, SUM(amount) AS amount, COUNT(*) AS payments, MAX(received_on) AS latest\n"
        f"FROM payment WHERE {window} GROUP BY currency ORDER BY currency",
        scope,
        scoped=True,
    ).dicts()
    rows = reading.select(
        "rows",
        ("payment",),
        "SELECT id, invoice_id, invoice_number, received_on, currency, amount, method, kind\n"
        f"FROM payment WHERE {window} ORDER BY received_on DESC, id DESC",
        scope,
        scoped=True,
    ).dicts()
    undated = reading.select(
        "undated",
        ("payment",),
        "SELECT id, invoice_id, invoice_number, received_on, currency, amount, method, kind\n"
        "FROM payment WHERE received_on IS NULL ORDER BY id LIMIT 20",
        scope,
        scoped=True,
    ).dicts()
    ids: dict[str, list[str]] = {}
    sums: dict[str, Any] = {}
    for row in rows:
        row["evidence"] = cite_payment(reading, row)
        ids.setdefault(row["currency"], []).append(row["evidence"])
        sums[row["currency"]] = sums.get(row["currency"], 0) + row["amount"]
    check("payments", {t["currency"]: t["amount"] for t in totals}, sums)
    check("payments", {t["currency"]: t["payments"] for t in totals}, {c: len(i) for c, i in ids.items()})
    node: dict[str, Any] = {
        "customerName": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
        "sinceDate": Said(sinceDate.isoformat() if sinceDate else None),
        "paymentCount": count(len(rows), (row["evidence"] for row in rows), anchor),
        "mostRecentDate": day(rows[0]["received_on"], rows[0]["evidence"], "received_on") if rows else None,
        "payments": [_payment_row(reading, row) for row in rows[:MAX_LISTED]],
        "paymentsOmitted": Said(max(0, len(rows) - MAX_LISTED)),
        "dataErrors": [
            {
                "evidenceId": Said(cite_payment(reading, row)),
                "label": Said(str(row["invoice_number"])),
                "problem": Said("the payment has no calendar date; it is not counted here"),
            }
            for row in undated
        ],
        "totals": [],
    }
    if rows:
        check("the latest payment", max(iso(t["latest"]) for t in totals), iso(rows[0]["received_on"]))
    for stated in totals:
        currency = stated["currency"]
        entry: dict[str, Any] = {"currency": Said(currency)}
        amount = reading.amount(stated["amount"], currency)
        reading.put_money(entry, "received", amount, currency, ids[currency], Derivation("sum", "amount"))
        entry["paymentCount"] = count(int(stated["payments"]), ids[currency], anchor)
        node["totals"].append(entry)
    if len(totals) == 1:
        currency = totals[0]["currency"]
        amount = reading.amount(totals[0]["amount"], currency)
        reading.put_money(node, "totalReceived", amount, currency, ids[currency], Derivation("sum", "amount"))
    elif not totals:
        reading.put_money(node, "totalReceived", Decimal(0), reading.own_currency(), (anchor,), NOTHING)
        node["emptyReason"] = Said("No payment from this customer is on record in that period.")
        node["emptyCode"] = Said("no_payments")
    else:
        node.update(totalReceived=None, totalReceivedCents=None)
    return node


def _payment_row(reading: Reading, row: dict[str, Any]) -> dict[str, Any]:
    evidence, currency = row["evidence"], row["currency"]
    node: dict[str, Any] = {
        "receivedOn": day(row["received_on"], evidence, "received_on"),
        "currency": Said(currency),
        "invoice": text(row["invoice_number"], evidence, "invoice"),
        "method": text(row["method"], evidence, "method"),
        "kind": Said(row["kind"]),
        "evidenceId": Said(evidence),
    }
    amount = reading.amount(row["amount"], currency)
    reading.put_money(node, "amount", amount, currency, (evidence,), Derivation("field", "amount"))
    return node


def cite_payment(reading: Reading, row: dict[str, Any]) -> str:
    """A payment as a row of evidence; ``effect`` is what it does to the balance."""
    currency = row["currency"]
    return reading.add(
        make_evidence(
            "payment",
            row["id"],
            f"{row['invoice_number']}, {iso(row['received_on']) if row['received_on'] is not None else 'no date'}",
            {
                "received_on": None if row["received_on"] is None else iso(row["received_on"]),
                "currency": currency,
                "amount": reading.plain(row["amount"], currency),
                "effect": reading.plain(-row["amount"], currency),
                "invoice": str(row["invoice_number"]),
                "invoice_id": str(row["invoice_id"]),
                "method": row["method"],
                "kind": row["kind"],
            },
        )
    )
