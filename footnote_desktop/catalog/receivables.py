"""What is owed to us: one customer's open and overdue items, the whole book by age, who owes most."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
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
    put_excluded,
    rows_sql,
)
from footnote_desktop.catalog.reading import (
    NOTHING,
    SUM_OUTSTANDING,
    Reading,
    count,
    day,
    days,
    identifier,
    iso,
    make_evidence,
    note,
    text,
)
from footnote_desktop.catalog.result import Cited, Said
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


# -- the whole book ------------------------------------------------------------------------------------------------


def bucket_keys(bounds: tuple[int, ...]) -> list[str]:
    """The keys of an aging in the order in which they are shown: ``90+``, ``61-90``, …, then what has no age."""
    starts = [1, *(bound + 1 for bound in bounds)]
    keys = [f"{low}-{high}" for low, high in zip(starts, bounds, strict=False)]
    return [f"{bounds[-1]}+", *reversed(keys), "not_yet_due", "no_due_date", "unallocated_credits"]


_LABELS = {
    "not_yet_due": "not yet due (due today included)",
    "no_due_date": "no due date",
    "unallocated_credits": "unallocated credits",
}


def bucket_label(key: str) -> str:
    """A bucket for people: ``>90 days past due``."""
    return _LABELS.get(key) or f"{'>' + key[:-1] if key.endswith('+') else key.replace('-', '–')} days past due"


def _bucket_of(row: ItemRow, bounds: tuple[int, ...], aged: list[str]) -> str:
    if row[OPEN] < 0:
        return "unallocated_credits"
    past = row[DAYS]
    if past is None:
        return "no_due_date"
    if past <= 0:
        return "not_yet_due"
    for index, bound in enumerate(bounds):
        if past <= bound:
            return aged[index]
    return aged[-1]


def receivables_aging(reading: Reading, asOfDate: dt.date | None = None) -> dict[str, Any]:  # noqa: N803
    """All open items by days past due, per currency; credits inside the total, in a bucket of their own."""
    bounds = reading.aging_bounds
    keys = bucket_keys(bounds)
    aged = [*reversed(keys[1 : len(bounds) + 1]), keys[0]]
    past = reading.bound.dialect.days(":as_of", "due_on")
    cases = "\n".join(f"            WHEN {past} <= :bound{i} THEN '{aged[i]}'" for i in range(len(bounds)))
    params: dict[str, Any] = {f"bound{i}": bound for i, bound in enumerate(bounds)}
    totals = reading.select(
        "totals",
        ("receivable_item",),
        f"""SELECT currency, bucket, SUM(open_amount) AS outstanding, COUNT(*) AS items
FROM (SELECT currency, open_amount,
       CASE WHEN open_amount < 0 THEN 'unallocated_credits'
            WHEN due_on IS NULL THEN 'no_due_date'
            WHEN due_on >= :as_of THEN 'not_yet_due'
{cases}
            ELSE '{aged[-1]}' END AS bucket
      FROM receivable_item WHERE open_amount <> 0) aged
GROUP BY currency, bucket""",
        params,
    ).dicts()
    rows = reading.select("rows", ("receivable_item",), rows_sql(reading)).rows
    groups: dict[tuple[str, str], Group] = {}
    for row in rows:
        groups.setdefault((row[CURRENCY], _bucket_of(row, bounds, aged)), Group()).rows.append(row)
    check("buckets", {(t["currency"], t["bucket"]) for t in totals}, set(groups))
    for stated in totals:
        group = groups[(stated["currency"], stated["bucket"])]
        check(f"the bucket {stated['bucket']}", stated["outstanding"], group.sum())
        check(f"the bucket {stated['bucket']}", stated["items"], len(group.rows))
    cite_groups(reading, groups)

    stated_by = {(t["currency"], t["bucket"]): t for t in totals}
    currencies = sorted({currency for currency, _ in groups})
    node: dict[str, Any] = {"bucketBounds": Said(list(bounds))}
    node["buckets"] = [
        _bucket(reading, currency, key, stated_by[currency, key], groups[currency, key])
        for currency in currencies
        for key in keys
        if (currency, key) in groups
    ]
    per_currency = _currency_totals(reading) if groups else {}
    node["totals"] = []
    for currency in currencies:
        parts = [groups[currency, key] for key in keys if (currency, key) in groups]
        check("all buckets", per_currency[currency][0], sum((part.sum() for part in parts), 0))
        entry: dict[str, Any] = {"currency": Said(currency)}
        _put_outstanding(reading, entry, "outstanding", per_currency[currency], currency, keys, groups)
        node["totals"].append(entry)
    ledger = reading.cite_ledger() if not groups else ""
    if len(currencies) == 1:
        only = currencies[0]
        _put_outstanding(reading, node, "totalOutstanding", per_currency[only], only, keys, groups)
    else:
        if currencies:
            node.update(totalOutstanding=None, totalOutstandingCents=None)
        else:
            reading.put_money(node, "totalOutstanding", Decimal(0), reading.own_currency(), (ledger,), NOTHING)
        positive = [k for k in groups if k[1] != "unallocated_credits"]
        node["invoiceCount"] = count(
            sum(len(groups[k].rows) for k in positive), (i for k in positive for i in groups[k].ids), ledger
        )
    node["notes"] = [
        note("aging_basis", "Ages are calendar days past the due date in the ERP; an item due today is not yet due.")
    ]
    if any(key == "unallocated_credits" for _, key in groups):
        node["notes"].append(
            note(
                "credits_inside_total",
                "Unallocated credits (credit notes, overpayments) are inside the total, in a bucket of their own.",
            )
        )
    put_data_errors(reading, node, rows)
    put_excluded(reading, node)
    if not groups:
        node["emptyReason"] = Said("There are no open items on that date.")
        node["emptyCode"] = Said("no_open_items")
    return node


def _currency_totals(reading: Reading) -> dict[str, tuple[Any, int]]:
    rows = reading.select(
        "currency totals",
        ("receivable_item",),
        "SELECT currency, SUM(open_amount) AS outstanding, SUM(CASE WHEN open_amount > 0 THEN 1 ELSE 0 END) AS items\n"
        "FROM receivable_item WHERE open_amount <> 0 GROUP BY currency",
    ).rows
    return {currency: (outstanding, int(items)) for currency, outstanding, items in rows}


def _bucket(reading: Reading, currency: str, key: str, stated: dict[str, Any], group: Group) -> dict[str, Any]:
    node: dict[str, Any] = {
        "bucket": Said(key),
        "label": Said(bucket_label(key)),
        "currency": Said(currency),
        "invoiceCount": count(int(stated["items"]), group.ids, ""),
    }
    amount = reading.amount(stated["outstanding"], currency)
    reading.put_money(node, "outstanding", amount, currency, group.ids, SUM_OUTSTANDING)
    return node


def _put_outstanding(
    reading: Reading,
    node: dict[str, Any],
    key: str,
    stated: tuple[Any, int],
    currency: str,
    keys: list[str],
    groups: dict[tuple[str, str], Group],
) -> None:
    present = [k for k in keys if (currency, k) in groups]
    ids = [i for k in present for i in groups[currency, k].ids]
    positive = [i for k in present if k != "unallocated_credits" for i in groups[currency, k].ids]
    reading.put_money(node, key, reading.amount(stated[0], currency), currency, ids, SUM_OUTSTANDING)
    node["invoiceCount"] = count(stated[1], positive, ids[0])


_DEBTORS = """SELECT d.customer_id, c.name, c.country, c.segment, c.payment_terms_days, c.owner,
       d.currency, d.open_amount, d.overdue, d.items
FROM (
  SELECT customer_id, currency, SUM(open_amount) AS open_amount,
         SUM(CASE WHEN open_amount > 0 AND due_on < :as_of THEN open_amount ELSE 0 END) AS overdue,
         SUM(CASE WHEN open_amount > 0 THEN 1 ELSE 0 END) AS items,
         ROW_NUMBER() OVER (PARTITION BY currency ORDER BY SUM(open_amount) DESC, customer_id) AS rank
  FROM receivable_item WHERE open_amount <> 0
  GROUP BY customer_id, currency
  HAVING SUM(open_amount) > 0
) d
JOIN customer c ON c.id = d.customer_id
WHERE d.rank <= :top
ORDER BY d.currency, d.rank"""


def top_debtors(reading: Reading, asOfDate: dt.date | None = None, limit: int = 10) -> dict[str, Any]:  # noqa: N803
    """The customers with the largest open balances, ranked within each currency: currencies are never compared."""
    totals = reading.select("totals", ("receivable_item", "customer"), _DEBTORS, {"top": limit}).dicts()
    owing = reading.select(
        "count",
        ("receivable_item",),
        "SELECT COUNT(DISTINCT customer_id) AS customers FROM (SELECT customer_id FROM receivable_item"
        " WHERE open_amount <> 0 GROUP BY customer_id, currency HAVING SUM(open_amount) > 0) owing",
    ).rows[0][0]
    ledger = reading.cite_ledger()
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
    position: dict[str, int] = {}
    for stated in totals:
        currency, customer_id = stated["currency"], stated["customer_id"]
        parts = {p: groups.get((currency, str(customer_id), p), Group()) for p in ("overdue", "other", "credit")}
        check("a customer's open items", stated["open_amount"], sum((p.sum() for p in parts.values()), 0))
        check("a customer's overdue items", stated["overdue"], parts["overdue"].sum())
        anchor = reading.cite_customer({**stated, "id": customer_id})
        position[currency] = position.get(currency, 0) + 1
        node: dict[str, Any] = {
            "rank": Said(position[currency]),
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
        "customerCount": Cited(int(owing), str(owing), str(owing), "count", (ledger,), NOTHING),
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


# -- a customer's statement ----------------------------------------------------------------------------------------

_BALANCE = "SELECT currency, SUM(open_amount) AS balance FROM receivable_item WHERE open_amount <> 0 GROUP BY currency"
_INVOICED = """SELECT id, number, kind, posted_on, due_on, currency, amount, status
FROM receivable_item WHERE posted_on >= :from_date ORDER BY posted_on, id"""
_RECEIVED = """SELECT p.id, p.invoice_id, p.invoice_number, p.received_on, p.currency, p.amount, p.method, p.kind
FROM payment p JOIN receivable_item i ON i.id = p.invoice_id
WHERE p.received_on >= :from_date AND p.received_on <= :as_of ORDER BY p.received_on, p.id"""
_EARLIER = """SELECT i.id, i.number, i.posted_on, i.currency, i.amount - i.open_amount - COALESCE(w.amount, 0) AS settled
FROM receivable_item i
LEFT JOIN (SELECT invoice_id, SUM(amount) AS amount FROM payment
           WHERE received_on >= :from_date AND received_on <= :as_of GROUP BY invoice_id) w ON w.invoice_id = i.id
WHERE i.posted_on >= :from_date AND i.amount - i.open_amount - COALESCE(w.amount, 0) <> 0
ORDER BY i.posted_on, i.id"""


def _sums(
    reading: Reading, purpose: str, relations: tuple[str, ...], sql: str, params: dict[str, Any]
) -> dict[str, Any]:
    """Per-currency sums, computed in SQL, of the rows that ``sql`` lists (its last selected amount is ``summed``)."""
    rows = reading.select(purpose, relations, sql, params, scoped=True).rows
    return {currency: amount for currency, amount in rows}


def _summed(rows_statement: str, column: str) -> str:
    body = rows_statement.split("ORDER BY")[0].strip()
    return f"SELECT currency, SUM({column}) AS amount FROM (\n{body}\n) moved GROUP BY currency"


def customer_statement(reading: Reading, customer: str, fromDate: dt.date, toDate: dt.date) -> dict[str, Any]:  # noqa: N803
    """Opening balance, documents and payments of a period, closing balance; per currency."""
    from footnote_desktop.catalog.result import Refusal

    if fromDate > toDate:
        raise Refusal("invalid_argument", f"fromDate {fromDate} is after toDate {toDate}; give the earlier day first.")
    found, anchor = reading.customer(customer)
    scope: dict[str, Any] = {"customer_id": found.id}
    before = fromDate - dt.timedelta(days=1)
    period = {**scope, "from_date": fromDate, "as_of": toDate}
    at_start = {**scope, "as_of": before}

    both = ("receivable_item", "payment")
    opening = _sums(reading, "opening balance", both[:1], _BALANCE, at_start)
    closing = _sums(reading, "totals", both[:1], _BALANCE, period)
    invoiced = _sums(reading, "invoiced", both[:1], _summed(_INVOICED, "amount"), period)
    received = _sums(reading, "received", both, _summed(_RECEIVED, "amount"), period)
    earlier = _sums(reading, "settled earlier", both, _summed(_EARLIER, "settled"), period)

    groups: dict[tuple[str, str], list[str]] = {}
    sums: dict[tuple[str, str], Any] = {}
    lines: list[tuple[str, int, dict[str, Any]]] = []

    def gather(kind: str, currency: str, raw: Any, evidence: str) -> None:
        groups.setdefault((kind, currency), []).append(evidence)
        sums[kind, currency] = sums.get((kind, currency), 0) + raw

    def line(order: int, on: Any, kind: str, document: Any, raw: Any, currency: str, evidence: str, field: str) -> None:
        node: dict[str, Any] = {
            "date": day(on, evidence, "received_on" if kind == "payment" else "issued_on"),
            "type": Said(kind),
            "document": text(document, evidence, "invoice" if kind == "payment" else "number"),
            "currency": Said(currency),
            "evidenceId": Said(evidence),
        }
        reading.put_money(
            node, "amount", reading.amount(raw, currency), currency, (evidence,), Derivation("field", field)
        )
        lines.append((iso(on), order, node))

    for row in reading.select("opening rows", both[:1], rows_sql(reading), at_start, scoped=True).rows:
        gather("opening", row[CURRENCY], row[OPEN], cite_item(reading, row, f"@{before.isoformat()}"))
    for row in reading.select("rows", both[:1], rows_sql(reading), period, scoped=True).rows:
        gather("closing", row[CURRENCY], row[OPEN], cite_item(reading, row, f"@{toDate.isoformat()}"))
    for row in reading.select("invoiced rows", both[:1], _INVOICED, period, scoped=True).dicts():
        currency = row["currency"]
        evidence = reading.add(
            make_evidence(
                "invoice",
                row["id"],
                str(row["number"]),
                {
                    "number": str(row["number"]),
                    "kind": row["kind"],
                    "issued_on": iso(row["posted_on"]),
                    "due_on": None if row["due_on"] is None else iso(row["due_on"]),
                    "currency": currency,
                    "amount": reading.plain(row["amount"], currency),
                    "status": row["status"],
                },
                "@issued",
            )
        )
        gather("invoiced", currency, row["amount"], evidence)
        line(0, row["posted_on"], row["kind"], row["number"], row["amount"], currency, evidence, "amount")
    for row in reading.select("received rows", both, _RECEIVED, period, scoped=True).dicts():
        currency = row["currency"]
        evidence = cite_payment(reading, row)
        gather("received", currency, row["amount"], evidence)
        line(1, row["received_on"], "payment", row["invoice_number"], -row["amount"], currency, evidence, "effect")
    for row in reading.select("settled earlier rows", both, _EARLIER, period, scoped=True).dicts():
        currency = row["currency"]
        evidence = reading.add(
            make_evidence(
                "invoice",
                row["id"],
                str(row["number"]),
                {
                    "number": str(row["number"]),
                    "issued_on": iso(row["posted_on"]),
                    "currency": currency,
                    "settled": reading.plain(row["settled"], currency),
                    "effect": reading.plain(-row["settled"], currency),
                },
                "@settled",
            )
        )
        gather("earlier", currency, row["settled"], evidence)
        line(2, row["posted_on"], "settled_earlier", row["number"], -row["settled"], currency, evidence, "effect")

    stated = {"opening": opening, "closing": closing, "invoiced": invoiced, "received": received, "earlier": earlier}
    for kind, per_currency in stated.items():
        from_rows = {c: amount for (k, c), amount in sums.items() if k == kind}
        for c in per_currency.keys() | from_rows.keys():
            check(kind, per_currency.get(c) or 0, from_rows.get(c, 0))
    currencies = sorted({c for per_currency in stated.values() for c in per_currency})
    totals = []
    for c in currencies:
        parts = {kind: per_currency.get(c) or 0 for kind, per_currency in stated.items()}
        check(
            "the statement",
            parts["closing"],
            parts["opening"] + parts["invoiced"] - parts["received"] - parts["earlier"],
        )
        entry: dict[str, Any] = {"currency": Said(c)}
        for key, kind, sum_field in (
            ("openingBalance", "opening", "outstanding"),
            ("invoiced", "invoiced", "amount"),
            ("received", "received", "amount"),
            ("settledEarlier", "earlier", "settled"),
            ("closingBalance", "closing", "outstanding"),
        ):
            ids = groups.get((kind, c), [])
            if kind == "earlier" and not ids:
                entry.update(settledEarlier=None, settledEarlierCents=None)
                continue
            derivation = Derivation("sum", sum_field) if ids else NOTHING
            reading.put_money(entry, key, reading.amount(parts[kind], c), c, ids or (anchor,), derivation)
        totals.append(entry)
    lines.sort(key=lambda entry: entry[:2])
    node: dict[str, Any] = {
        "customerName": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
        "fromDate": Said(fromDate.isoformat()),
        "toDate": Said(toDate.isoformat()),
        "totals": totals,
        "lines": [entry for _, _, entry in lines[:500]],
        "linesOmitted": Said(max(0, len(lines) - 500)),
        "notes": [],
    }
    if any(kind == "earlier" for kind, _ in groups):
        node["notes"].append(
            note(
                "settled_earlier",
                "Some invoices of the period were paid before it, or without a payment date; those amounts stand in"
                " lines of their own.",
            )
        )
    if not lines and not any(opening.values()):
        node["emptyReason"] = Said("This customer has no open items and no movements in that period.")
        node["emptyCode"] = Said("no_movements")
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
