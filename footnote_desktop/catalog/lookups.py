"""Finding a customer, or one invoice."""

from __future__ import annotations

from typing import Any

from footnote_desktop.catalog.entities import fold, is_legal_form, matching, nearest
from footnote_desktop.catalog.payments import cite_payment
from footnote_desktop.catalog.reading import (
    MAX_LISTED,
    Reading,
    count,
    counted,
    day,
    days,
    identifier,
    iso,
    make_evidence,
    note,
    text,
)
from footnote_desktop.catalog.result import Refusal, Said
from footnote_desktop.figures import money
from footnote_desktop.provenance.evidence import Derivation


def find_customers(reading: Reading, query: str) -> dict[str, Any]:
    """All customers that a text may mean, in record order; for none, the nearest names."""
    customers = reading.customers()
    found = matching(customers, query)
    ledger = reading.cite_ledger(customers_matching=len(found))
    ids: list[str] = []
    listed = []
    for customer in found[:MAX_LISTED]:
        row = reading.select(
            "customer",
            ("customer",),
            "SELECT id, name, country, segment, payment_terms_days, owner FROM customer WHERE id = :customer_id",
            {"customer_id": customer.id},
            scoped=True,
        ).dicts()[0]
        evidence = reading.cite_customer(row)
        ids.append(evidence)
        listed.append(
            {
                "customerId": identifier(customer.id, evidence),
                "name": text(customer.name, evidence, "name"),
                "country": text(row["country"], evidence, "country"),
                "evidenceId": Said(evidence),
            }
        )
    near = () if found else nearest(customers, query)
    node: dict[str, Any] = {
        "query": Said(query),
        "matchCount": count(len(found), ids, ledger)
        if len(ids) == len(found)
        else counted(len(found), ledger, "customers_matching"),
        "customers": listed,
        "customersOmitted": Said(len(found) - len(listed)),
        "nearest": [Said(name) for name in near],
    }
    if not found:
        letters = sum(c.isalnum() for c in fold(query))
        node["emptyCode"] = Said("no_match")
        if is_legal_form(fold(query)):
            node["emptyReason"] = Said("A legal form alone names no customer.")
        elif letters < 3:
            node["emptyReason"] = Said("No customer has that id or name; the start of a word needs three letters.")
        else:
            node["emptyReason"] = Said("No customer has that id or name, and no word of a name starts like that.")
    return node


# -- one invoice ---------------------------------------------------------------------------------------------------

_RECEIVABLE = ("draft", "cancelled", "canceled", "void", "voided", "credited")


def invoice(reading: Reading, number: str) -> dict[str, Any]:
    """One invoice or credit note by its number (or id): amounts, dates, status, and the payments on it."""
    wanted = number.strip()
    rows = _invoices(reading, "number = :number", wanted)
    if not rows:  # written otherwise, or an id: no index serves these
        rows = _invoices(reading, "UPPER(number) = UPPER(:number) OR CAST(id AS TEXT) = :number", wanted)
        exactly = [row for row in rows if fold(str(row["number"])) == fold(wanted)]
        rows = exactly or rows
    if len(rows) != 1:
        raise _not_one_invoice(reading, wanted, rows)
    row = rows[0]
    currency = row["currency"]
    customer = reading.select(
        "customer",
        ("customer",),
        "SELECT id, name, country, segment, payment_terms_days, owner FROM customer WHERE id = :customer_id",
        {"customer_id": row["customer_id"]},
        scoped=True,
    ).dicts()[0]
    anchor = reading.cite_customer(customer)
    paid = row["amount"] - row["open_amount"]
    overdue = row["days_overdue"] if row["open_amount"] > 0 and (row["days_overdue"] or 0) > 0 else None
    evidence = reading.add(
        make_evidence(
            "invoice",
            row["id"],
            str(row["number"]),
            {
                "id": row["id"] if isinstance(row["id"], int) else str(row["id"]),
                "number": str(row["number"]),
                "customer_id": customer["id"] if isinstance(customer["id"], int) else str(customer["id"]),
                "kind": row["kind"],
                "issued_on": None if row["issued_on"] is None else iso(row["issued_on"]),
                "due_on": None if row["due_on"] is None else iso(row["due_on"]),
                "currency": currency,
                "amount": reading.plain(row["amount"], currency),
                "paid": reading.plain(paid, currency),
                "outstanding": reading.plain(row["open_amount"], currency),
                "days_overdue": overdue,
                "status": row["status"],
            },
        )
    )
    payments = reading.select(
        "payments",
        ("payment",),
        "SELECT id, invoice_id, invoice_number, received_on, currency, amount, method, kind FROM payment\n"
        "WHERE invoice_id = :invoice_id AND (received_on <= :as_of OR received_on IS NULL)\n"
        "ORDER BY received_on, id",
        {"invoice_id": row["id"], "customer_id": row["customer_id"]},
        scoped=True,
    ).dicts()
    node: dict[str, Any] = {
        "number": text(row["number"], evidence, "number"),
        "invoiceId": identifier(row["id"] if isinstance(row["id"], int) else str(row["id"]), evidence),
        "kind": Said(row["kind"]),
        "customerName": text(customer["name"], anchor, "name"),
        "customerId": identifier(customer["id"] if isinstance(customer["id"], int) else str(customer["id"]), anchor),
        "issuedOn": day(row["issued_on"], evidence, "issued_on"),
        "dueOn": day(row["due_on"], evidence, "due_on"),
        "currency": Said(currency),
        "status": text(row["status"], evidence, "status"),
        "daysOverdue": None if overdue is None else days(int(overdue), (evidence,)),
        "payments": [],
        "paymentsOmitted": Said(max(0, len(payments) - MAX_LISTED)),
        "notes": [],
    }
    for key, field_name, raw in (
        ("amount", "amount", row["amount"]),
        ("paid", "paid", paid),
        ("outstanding", "outstanding", row["open_amount"]),
    ):
        value = reading.amount(raw, currency)
        reading.put_money(node, key, value, currency, (evidence,), Derivation("field", field_name))
    for payment in payments[:MAX_LISTED]:
        payment_id = cite_payment(reading, payment)
        entry: dict[str, Any] = {
            "receivedOn": day(payment["received_on"], payment_id, "received_on"),
            "method": text(payment["method"], payment_id, "method"),
            "kind": Said(payment["kind"]),
            "evidenceId": Said(payment_id),
        }
        value = reading.amount(payment["amount"], currency)
        reading.put_money(entry, "amount", value, currency, (payment_id,), Derivation("field", "amount"))
        node["payments"].append(entry)
    if row["status"] in _RECEIVABLE:
        node["notes"].append(
            note("not_a_receivable", f"The ERP calls this document {row['status']}: it counts in no receivable.")
        )
    elif row["issued_on"] is not None and iso(row["issued_on"]) > reading.as_of.isoformat():
        node["notes"].append(
            note("not_yet_issued", "This document was issued after the as-of date: it does not count on that date.")
        )
    if row["open_amount"] < 0:
        node["notes"].append(
            note("is_credit", "This document is a credit to the customer: it reduces what the customer owes.")
        )
    if payments and money.total(reading.amount(p["amount"], currency) for p in payments) != reading.amount(
        paid, currency
    ):
        node["notes"].append(
            note("paid_differs", "The paid amount in the ERP differs from the payments recorded for this document.")
        )
    return node


def _invoices(reading: Reading, where: str, number: str) -> list[dict[str, Any]]:
    past = reading.bound.dialect.days(":as_of", "due_on")
    return reading.select(
        "rows",
        ("invoice",),
        "SELECT id, customer_id, number, kind, issued_on, due_on, currency, amount, open_amount, status,\n"
        f"       {past} AS days_overdue\n"
        f"FROM invoice WHERE {where} ORDER BY id LIMIT 20",
        {"number": number},
    ).dicts()


def _not_one_invoice(reading: Reading, wanted: str, rows: list[dict[str, Any]]) -> Refusal:
    shown = wanted if len(wanted) <= 80 else wanted[:80] + "…"
    if rows:
        choices = [f"id {row['id']} (customer {row['customer_id']})" for row in rows[:5]]
        return Refusal(
            "ambiguous_entity",
            f'The number "{shown}" stands on several documents. Ask by id: {", ".join(choices)}.',
            [str(row["id"]) for row in rows[:5]],
            reading.queries,
        )
    from rapidfuzz import fuzz, process

    numbers = [str(r[0]) for r in reading.select("entity", ("invoice",), "SELECT number FROM invoice ORDER BY id").rows]
    near = [name for name, _, _ in process.extract(wanted, numbers, scorer=fuzz.ratio, limit=5)]
    return Refusal(
        "unknown_entity",
        f'No invoice has the number "{shown}".' + (f" Did you mean: {', '.join(near)}?" if near else ""),
        near,
        reading.queries,
    )
