"""The whole book by age: open items by calendar days past their due date, per currency."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from footnote_desktop.catalog.items import (
    COLUMNS,
    CURRENCY,
    DUE,
    ID,
    OPEN,
    PAID,
    PROBLEM,
    Group,
    check,
    cite_groups,
    is_many,
    put_data_errors,
    put_excluded,
)
from footnote_desktop.catalog.reading import NOTHING, SUM_OUTSTANDING, Reading, count, iso, note
from footnote_desktop.catalog.result import Said


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


# One pass over the book: the open items with their bucket, then a row for each bucket, then one for each currency.
# In the added rows ``open_amount`` is the sum and ``paid`` the number of items.
_BOOK = """, open_item AS MATERIALIZED (
  SELECT {columns},
         CASE WHEN open_amount < 0 THEN 'unallocated_credits'
              WHEN due_on IS NULL THEN 'no_due_date'
              WHEN due_on >= :as_of THEN 'not_yet_due'
{cases}
              ELSE '{oldest}' END AS bucket
  FROM receivable_item WHERE open_amount <> 0
), bucket_total AS MATERIALIZED (
  SELECT currency, bucket, SUM(open_amount) AS outstanding, COUNT(*) AS items FROM open_item GROUP BY currency, bucket
)
SELECT * FROM open_item
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, currency, NULL, outstanding, NULL, NULL, NULL, items, bucket
FROM bucket_total
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, currency, NULL, SUM(outstanding), NULL, NULL, NULL,
       SUM(CASE WHEN bucket = 'unallocated_credits' THEN 0 ELSE items END), NULL
FROM bucket_total GROUP BY currency"""
BUCKET = PAID + 1


def receivables_aging(reading: Reading, asOfDate: dt.date | None = None) -> dict[str, Any]:  # noqa: N803
    """All open items by days past due, per currency; credits inside the total, in a bucket of their own."""
    bounds = reading.aging_bounds
    keys = bucket_keys(bounds)
    aged = [*reversed(keys[1 : len(bounds) + 1]), keys[0]]
    cutoffs = {f"cutoff{i}": reading.as_of - dt.timedelta(days=bound) for i, bound in enumerate(bounds)}
    cases = "\n".join(f"              WHEN due_on >= :{name} THEN '{aged[i]}'" for i, name in enumerate(cutoffs))
    sql = _BOOK.format(columns=COLUMNS, cases=cases, oldest=aged[-1])
    read = reading.select("totals", ("receivable_item",), sql, cutoffs).rows
    rows = [row for row in read if row[ID] is not None]
    totals = {(row[CURRENCY], row[BUCKET]): (row[OPEN], int(row[PAID])) for row in read if row[ID] is None}
    if not is_many(len(rows)):
        rows.sort(key=lambda row: (row[DUE] is None, iso(row[DUE]), row[ID]))
    groups: dict[tuple[str, str], Group] = {}
    for row in rows:
        place = (row[CURRENCY], row[BUCKET])
        group = groups.get(place)
        if group is None:
            group = groups[place] = Group()
        group.rows.append(row[:BUCKET])
    check("buckets", {place for place in totals if place[1] is not None}, set(groups))
    for place, group in groups.items():
        check(f"the bucket {place[1]}", totals[place], (group.sum(), len(group.rows)))
    cite_groups(reading, groups)

    per_currency = {currency: stated for (currency, bucket), stated in totals.items() if bucket is None}
    currencies = sorted(per_currency)
    node: dict[str, Any] = {"bucketBounds": Said(list(bounds))}
    node["buckets"] = [
        _bucket(reading, currency, key, totals[currency, key], groups[currency, key])
        for currency in currencies
        for key in keys
        if (currency, key) in groups
    ]
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
    put_data_errors(reading, node, (row[:BUCKET] for row in rows if row[PROBLEM] is not None))
    put_excluded(reading, node)
    if not groups:
        node["emptyReason"] = Said("There are no open items on that date.")
        node["emptyCode"] = Said("no_open_items")
    return node


def _bucket(reading: Reading, currency: str, key: str, stated: tuple[Any, int], group: Group) -> dict[str, Any]:
    node: dict[str, Any] = {
        "bucket": Said(key),
        "label": Said(bucket_label(key)),
        "currency": Said(currency),
        "invoiceCount": count(stated[1], group.ids, ""),
    }
    amount = reading.amount(stated[0], currency)
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
