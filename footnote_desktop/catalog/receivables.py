"""What is owed to us: one customer's open and overdue items, and who owes most."""

from __future__ import annotations

import datetime as dt
from typing import Any

from footnote_desktop.catalog.items import (
    CURRENCY,
    DAYS,
    DUE,
    KIND,
    NUMBER,
    OPEN,
    Group,
    ItemRow,
    check,
    cite_groups,
    cite_item,
    credit_note,
    customer_items,
    listed,
    put_balances,
    put_data_errors,
    rows_sql,
)
from footnote_desktop.catalog.reading import (
    NOTHING,
    SUM_OUTSTANDING,
    Reading,
    count,
    counted,
    day,
    days,
    identifier,
    note,
    text,
)
from footnote_desktop.catalog.result import Said
from footnote_desktop.catalog.tickets import open_tickets
from footnote_desktop.provenance.evidence import Derivation


def overdue_invoices(reading: Reading, customer: str, asOfDate: dt.date | None = None) -> dict[str, Any]:  # noqa: N803
    """A customer's open balance, and what of it is past the due date the ERP has."""
    found, anchor = reading.customer(customer)
    items = customer_items(reading, found.id)
    node: dict[str, Any] = {
        "customerName": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
    }
    put_balances(reading, node, items, anchor)
    node["totalOutstanding"], node["totalOutstandingCents"] = node.pop("overdue"), node.pop("overdueCents")
    node["invoiceCount"] = node.pop("overdueInvoiceCount")
    shown, node["invoicesOmitted"] = listed(items.of("overdue"))
    node["invoices"] = [_overdue_row(reading, row) for row in shown]
    shown, node["creditsOmitted"] = listed(items.of("credit"))
    node["credits"] = [_credit_row(reading, row) for row in shown]
    if not items.rows:
        node["emptyReason"] = Said("This customer has no open items on that date.")
        node["emptyCode"] = Said("no_open_items")
    elif not items.of("overdue"):
        node["emptyReason"] = Said("None of this customer's open items is past its due date on that date.")
        node["emptyCode"] = Said("nothing_overdue")
    return node


def _overdue_row(reading: Reading, row: ItemRow) -> dict[str, Any]:
    evidence = cite_item(reading, row)
    currency = row[CURRENCY]
    node: dict[str, Any] = {
        "number": text(row[NUMBER], evidence, "number"),
        "dueOn": day(row[DUE], evidence, "due_on"),
        "currency": Said(currency),
        "daysOverdue": days(int(row[DAYS]), (evidence,)),
        "evidenceId": Said(evidence),
    }
    amount = reading.amount(row[OPEN], currency)
    reading.put_money(node, "outstanding", amount, currency, (evidence,), Derivation("field", "outstanding"))
    return node


def _credit_row(reading: Reading, row: ItemRow) -> dict[str, Any]:
    evidence = cite_item(reading, row)
    kind = "credit_note" if row[KIND] == "credit_note" else "overpayment"
    node: dict[str, Any] = {
        "number": text(row[NUMBER], evidence, "number"),
        "kind": Said(kind),
        "currency": Said(row[CURRENCY]),
        "evidenceId": Said(evidence),
    }
    amount = reading.amount(row[OPEN], row[CURRENCY])
    reading.put_money(node, "amount", amount, row[CURRENCY], (evidence,), Derivation("field", "outstanding"))
    return node


def customer_summary(reading: Reading, customer: str) -> dict[str, Any]:
    """Who a customer is, what it owes, and how many tickets are open: all from one snapshot."""
    found, anchor = reading.customer(customer)
    fields = reading.evidence[anchor].fields
    items = customer_items(reading, found.id)
    terms = fields["payment_terms_days"]
    node: dict[str, Any] = {
        "name": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
        "country": text(fields["country"], anchor, "country"),
        "segment": text(fields["segment"], anchor, "segment"),
        "paymentTermsDays": days(int(str(terms)), (anchor,), "field", "payment_terms_days")
        if terms is not None
        else None,
        "accountOwner": text(fields["owner"], anchor, "owner"),
    }
    put_balances(reading, node, items, anchor)
    tickets = open_tickets(reading, found.id, anchor)
    node["openTicketCount"], node["highSeverityTicketCount"] = tickets.open_count, tickets.high_count
    if not items.rows:
        node["emptyReason"] = Said("This customer has no open items on that date.")
        node["emptyCode"] = Said("no_open_items")
    return node


# -- who owes most ----------------------------------------------------------------------------------------------------

_DEBTORS = """, owing AS MATERIALIZED (
  SELECT customer_id, currency, SUM(open_amount) AS open_amount,
         SUM(CASE WHEN open_amount > 0 AND due_on < :as_of THEN open_amount ELSE 0 END) AS overdue,
         SUM(CASE WHEN open_amount > 0 THEN 1 ELSE 0 END) AS items,
         ROW_NUMBER() OVER (PARTITION BY currency ORDER BY SUM(open_amount) DESC, customer_id) AS place
  FROM receivable_item WHERE open_amount <> 0
  GROUP BY customer_id, currency
  HAVING SUM(open_amount) > 0
)
SELECT o.customer_id, c.name, c.country, c.segment, c.payment_terms_days, c.owner,
       o.currency, o.open_amount, o.overdue, o.items, o.place,
       (SELECT COUNT(DISTINCT customer_id) FROM owing) AS customers
FROM owing o
JOIN customer c ON c.id = o.customer_id
WHERE o.place <= :top
ORDER BY o.currency, o.place"""


def top_debtors(reading: Reading, asOfDate: dt.date | None = None, limit: int = 10) -> dict[str, Any]:  # noqa: N803
    """The customers with the largest open balances, ranked within each currency: currencies are never compared."""
    totals = reading.select("totals", ("receivable_item", "customer"), _DEBTORS, {"top": limit}).dicts()
    owing = int(totals[0]["customers"]) if totals else 0
    ledger = reading.cite_ledger(customers_owing=owing)
    groups: dict[tuple[str, str, str], Group] = {}
    for stated in totals:
        rows = reading.select(
            "rows",
            ("receivable_item",),
            rows_sql(reading, "open_amount <> 0 AND currency = :currency"),
            {"customer_id": stated["customer_id"], "currency": stated["currency"]},
            scoped=True,
        ).rows
        for row in rows:
            part = "credit" if row[OPEN] < 0 else "overdue" if (row[DAYS] or 0) > 0 else "other"
            groups.setdefault((stated["currency"], str(stated["customer_id"]), part), Group()).rows.append(row)
    cite_groups(reading, groups)
    debtors = []
    for stated in totals:
        currency, customer_id = stated["currency"], stated["customer_id"]
        parts = {p: groups.get((currency, str(customer_id), p), Group()) for p in ("overdue", "other", "credit")}
        check("a customer's open items", stated["open_amount"], sum((p.sum() for p in parts.values()), 0))
        check("a customer's overdue items", stated["overdue"], parts["overdue"].sum())
        anchor = reading.cite_customer({**stated, "id": customer_id})
        node: dict[str, Any] = {
            "rank": Said(int(stated["place"])),
            "customerId": identifier(customer_id, anchor),
            "customerName": text(stated["name"], anchor, "name"),
            "currency": Said(currency),
            "evidenceId": Said(anchor),
        }
        every = tuple(i for p in parts.values() for i in p.ids)
        amount = reading.amount(stated["open_amount"], currency)
        reading.put_money(node, "openBalance", amount, currency, every, SUM_OUTSTANDING)
        overdue_ids = parts["overdue"].ids
        amount = reading.amount(stated["overdue"], currency)
        reading.put_money(
            node, "overdue", amount, currency, overdue_ids or (anchor,), SUM_OUTSTANDING if overdue_ids else NOTHING
        )
        positive = parts["overdue"].ids + parts["other"].ids
        check("a customer's open invoices", int(stated["items"]), len(parts["overdue"].rows) + len(parts["other"].rows))
        node["invoiceCount"] = count(int(stated["items"]), positive, anchor)
        debtors.append(node)
    result: dict[str, Any] = {
        "limit": Said(limit),
        "customerCount": counted(owing, ledger, "customers_owing"),
        "debtors": debtors,
        "notes": [note("ranked_per_currency", "Customers are ranked by open balance within each currency.")],
    }
    put_data_errors(reading, result, (row for group in groups.values() for row in group.rows))
    if any(key[2] == "credit" for key in groups):
        result["notes"].append(credit_note())
    if not debtors:
        result["emptyReason"] = Said("No customer has an open balance on that date.")
        result["emptyCode"] = Said("no_open_items")
    return result
