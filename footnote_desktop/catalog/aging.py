"""The whole book by age: open items by calendar days past their due date, per currency."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from footnote_desktop.catalog.items import (
    CURRENCY,
    DUE,
    OPEN,
    Group,
    ItemRow,
    check,
    cite_groups,
    is_many,
    many_rows_sql,
    put_data_errors,
    put_excluded,
    rows_sql,
)
from footnote_desktop.catalog.reading import NOTHING, SUM_OUTSTANDING, Reading, count, note
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


_TOTALS = """SELECT currency, bucket, SUM(open_amount) AS outstanding, COUNT(*) AS items,
       SUM(SUM(open_amount)) OVER (PARTITION BY currency) AS currency_outstanding,
       SUM(SUM(CASE WHEN open_amount > 0 THEN 1 ELSE 0 END)) OVER (PARTITION BY currency) AS currency_items
FROM (SELECT currency, open_amount,
       CASE WHEN open_amount < 0 THEN 'unallocated_credits'
            WHEN due_on IS NULL THEN 'no_due_date'
            WHEN due_on >= :as_of THEN 'not_yet_due'
{cases}
            ELSE '{oldest}' END AS bucket
      FROM receivable_item WHERE open_amount <> 0) aged
GROUP BY currency, bucket"""


def receivables_aging(reading: Reading, asOfDate: dt.date | None = None) -> dict[str, Any]:  # noqa: N803
    """All open items by days past due, per currency; credits inside the total, in a bucket of their own."""
    bounds = reading.aging_bounds
    keys = bucket_keys(bounds)
    aged = [*reversed(keys[1 : len(bounds) + 1]), keys[0]]
    cutoffs = {f"cutoff{i}": reading.as_of - dt.timedelta(days=bound) for i, bound in enumerate(bounds)}
    cases = "\n".join(f"            WHEN due_on >= :{name} THEN '{aged[i]}'" for i, name in enumerate(cutoffs))
    sql = _TOTALS.format(cases=cases, oldest=aged[-1])
    totals = reading.select("totals", ("receivable_item",), sql, cutoffs).dicts()
    many = is_many(sum(int(t["items"]) for t in totals))
    rows = reading.select("rows", ("receivable_item",), many_rows_sql() if many else rows_sql(reading)).rows
    groups = _group(reading, rows, list(cutoffs.values()), aged)
    check("buckets", {(t["currency"], t["bucket"]) for t in totals}, set(groups))
    for stated in totals:
        group = groups[(stated["currency"], stated["bucket"])]
        check(f"the bucket {stated['bucket']}", stated["outstanding"], group.sum())
        check(f"the bucket {stated['bucket']}", stated["items"], len(group.rows))
    cite_groups(reading, groups)

    stated_by = {(t["currency"], t["bucket"]): t for t in totals}
    per_currency = {t["currency"]: (t["currency_outstanding"], int(t["currency_items"])) for t in totals}
    currencies = sorted(per_currency)
    node: dict[str, Any] = {"bucketBounds": Said(list(bounds))}
    node["buckets"] = [
        _bucket(reading, currency, key, stated_by[currency, key], groups[currency, key])
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
    put_data_errors(reading, node, rows)
    put_excluded(reading, node)
    if not groups:
        node["emptyReason"] = Said("There are no open items on that date.")
        node["emptyCode"] = Said("no_open_items")
    return node


def _group(
    reading: Reading, rows: Sequence[ItemRow], cutoffs: list[dt.date], aged: list[str]
) -> dict[tuple[str, str], Group]:
    """The rows by currency and bucket, sorted here once more, so that SQL's sorting is checked against them."""
    as_read = reading.bound.dialect.parameter
    today, edges = as_read(reading.as_of), [(as_read(edge), key) for edge, key in zip(cutoffs, aged, strict=False)]
    oldest = aged[-1]
    groups: dict[tuple[str, str], Group] = {}
    for row in rows:
        due = row[DUE]
        if row[OPEN] < 0:
            bucket = "unallocated_credits"
        elif due is None:
            bucket = "no_due_date"
        elif due >= today:
            bucket = "not_yet_due"
        else:
            bucket = oldest
            for edge, key in edges:
                if due >= edge:
                    bucket = key
                    break
        place = (row[CURRENCY], bucket)
        group = groups.get(place)
        if group is None:
            group = groups[place] = Group()
        group.rows.append(row)
    return groups


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
