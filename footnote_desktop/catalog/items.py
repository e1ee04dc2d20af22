"""Open receivable items: totals from SQL, the rows that they cite, and the check that both agree."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from operator import itemgetter
from typing import Any

from footnote_desktop.catalog.reading import (
    COUNT,
    MAX_LISTED,
    MAX_ROWS_IN_RECORD,
    NOTHING,
    SUM_OUTSTANDING,
    Reading,
    count,
    days,
    iso,
    make_evidence,
    note,
)
from footnote_desktop.catalog.result import Cited, Refusal, Said
from footnote_desktop.erp.mapping import exact
from footnote_desktop.figures import money
from footnote_desktop.provenance.evidence import JsonValue

# The columns of an item row, in this order; positions are used where there may be 100,000 of them.
COLUMNS = (
    "id, customer_id, number, kind, posted_on, due_on, currency, amount, open_amount, status, problem, problem_value,"
    " amount - open_amount AS paid"
)
ID, CUSTOMER, NUMBER, KIND, POSTED, DUE, CURRENCY, AMOUNT, OPEN, STATUS, PROBLEM = range(11)
PROBLEM_VALUE, PAID, DAYS = range(11, 14)

ItemRow = tuple[Any, ...]


def rows_sql(reading: Reading, where: str = "open_amount <> 0") -> str:
    """Open items with their days past due, oldest due date first; those without a due date last."""
    past = reading.bound.dialect.days(":as_of", "due_on")
    return (
        f"SELECT {COLUMNS}, {past} AS days_overdue\nFROM receivable_item\nWHERE {where}\n"
        "ORDER BY CASE WHEN due_on IS NULL THEN 1 ELSE 0 END, due_on, id"
    )


def item_fields(reading: Reading, row: ItemRow) -> dict[str, JsonValue]:
    """The fields of an item as evidence, without what depends on the day alone."""
    currency = row[CURRENCY]
    amount, outstanding = row[AMOUNT], row[OPEN]
    fields: dict[str, JsonValue] = {
        "number": row[NUMBER],
        "customer_id": _record_id(row[CUSTOMER]),
        "kind": row[KIND],
        "issued_on": None if row[POSTED] is None else iso(row[POSTED]),
        "due_on": None if row[DUE] is None else iso(row[DUE]),
        "currency": currency,
        "amount": reading.plain(amount, currency),
        "paid": reading.plain(row[PAID], currency),
        "outstanding": reading.plain(outstanding, currency),
        "status": row[STATUS],
    }
    if row[PROBLEM] is not None:
        fields["data_error"] = problem_words(row[PROBLEM], row[PROBLEM_VALUE])
    return fields


def cite_item(reading: Reading, row: ItemRow, version: str = "") -> str:
    """An item as a row of evidence of its own; its id."""
    fields = item_fields(reading, row)
    past = row[DAYS] if len(row) > DAYS else days_past(reading, row)
    fields["days_overdue"] = past if past is not None and past > 0 and row[OPEN] > 0 else None
    return reading.add(make_evidence("invoice", row[ID], str(row[NUMBER]), fields, version))


def days_past(reading: Reading, row: ItemRow) -> int | None:
    """Calendar days past the due date of a row that was read without them."""
    due = row[DUE]
    return None if due is None else (reading.as_of - dt.date.fromisoformat(iso(due))).days


def problem_words(problem: str, value: Any) -> str:
    """What is wrong with a row, and how it was counted."""
    if problem == "paid amount":
        return "the paid amount differs from the payments recorded; a past date may be off by the difference"
    if problem == "payment date":
        return "a payment has no calendar date; it is counted as received"
    what = f"the {problem} {str(value)!r} is not a calendar date" if value else f"the {problem} is missing"
    return f"{what}; {'listed as without a due date' if problem == 'due date' else 'counted as issued'}"


@dataclass(slots=True)
class Group:
    """Item rows of one currency that are counted together, and the evidence ids that stand for them."""

    rows: list[ItemRow] = field(default_factory=list)
    ids: tuple[str, ...] = ()
    _sum: int | Decimal | None = None

    def sum(self) -> int | Decimal:
        """The open amounts of the rows together, exactly; asked for once the rows are complete."""
        if self._sum is None:
            if self.rows and type(self.rows[0][OPEN]) is int:
                self._sum = sum(row[OPEN] for row in self.rows)
            else:
                self._sum = money.total(Decimal(exact(row[OPEN])) for row in self.rows)
        return self._sum


def is_many(rows: int) -> bool:
    """Whether so many rows stand in row sets rather than in the record itself."""
    return rows > MAX_ROWS_IN_RECORD


def cite_groups(reading: Reading, groups: Mapping[Any, Group]) -> None:
    """Give every group its evidence: its rows one by one while a record can hold them, else row sets."""
    many = is_many(sum(len(group.rows) for group in groups.values()))
    for key, group in groups.items():
        if many:
            group.ids = (_cite_rowset(reading, key, group),)
        else:
            group.ids = tuple(cite_item(reading, row) for row in group.rows)


# The fields of a row in a row set: COLUMNS, under the names that evidence has.
_STORED = (
    "record_id", "customer_id", "number", "kind", "issued_on", "due_on", "currency", "amount", "outstanding", "status",
    "data_error", "data_error_value", "paid",
)  # fmt: skip
_AMOUNTS = ("amount", "outstanding", "paid")


def _cite_rowset(reading: Reading, key: tuple[Any, ...], group: Group) -> str:
    """A group, all of one currency, as a row set; its id. Rows stand in it as the database gave them."""
    from footnote_desktop.provenance.rowset import Layout, build_rowset

    # What depends on the day alone is left out: it would keep one day's attachments from serving the next.
    rows = sorted(group.rows, key=itemgetter(ID))
    if len(rows[0]) > DAYS:
        rows = [row[:DAYS] for row in rows]
    currency = rows[0][CURRENCY]
    minor = reading.bound.mapping.amounts == "minor"
    layout = Layout("invoice", _STORED, "number", _AMOUNTS, money.digits(currency) if minor else None)
    rowset = build_rowset(
        rows,
        layout,
        what=f"{len(rows)} receivable items, {' '.join(str(part) for part in key if part)}",
        order="id",
        sum_field="outstanding",
        sums={currency: money.plain(reading.amount(group.sum(), currency), currency)},
    )
    reading.rowsets.append(rowset)
    return reading.add(rowset.evidence)


def check(what: str, stated: Any, rows: Any) -> None:
    """Refuse a total that differs from its rows. Raises :class:`Refusal`; both come from one snapshot, so this is
    a fault of ours or of the database, never a figure to show."""
    if stated != rows:
        raise Refusal(
            "inconsistent",
            f"No figure is given: the total of {what} that the database computed differs from the sum of its rows.",
        )


# -- one customer --------------------------------------------------------------------------------------------------

_TOTALS = """SELECT currency,
       SUM(open_amount) AS open_amount,
       SUM(CASE WHEN open_amount > 0 THEN 1 ELSE 0 END) AS open_count,
       SUM(CASE WHEN open_amount > 0 AND due_on < :as_of THEN open_amount ELSE 0 END) AS overdue,
       SUM(CASE WHEN open_amount > 0 AND due_on < :as_of THEN 1 ELSE 0 END) AS overdue_count,
       MAX(CASE WHEN open_amount > 0 AND due_on < :as_of THEN {days} END) AS oldest_days,
       SUM(CASE WHEN open_amount < 0 THEN open_amount ELSE 0 END) AS credits
FROM receivable_item
WHERE open_amount <> 0
GROUP BY currency
ORDER BY currency"""


def item_class(row: ItemRow) -> str:
    """``credit``, ``overdue``, ``not_yet_due`` or ``no_due_date``: every open item is exactly one of these."""
    if row[OPEN] < 0:
        return "credit"
    if row[DAYS] is None:
        return "no_due_date"
    return "overdue" if row[DAYS] > 0 else "not_yet_due"


@dataclass(slots=True)
class CustomerItems:
    """A customer's open items: what SQL totalled, per currency, and the groups of rows behind each total."""

    totals: list[dict[str, Any]]
    rows: list[ItemRow]
    groups: dict[tuple[str, str], Group]

    def ids(self, currency: str, *classes: str) -> tuple[str, ...]:
        return tuple(i for c in classes for i in self.groups.get((currency, c), _NO_ROWS).ids)

    def of(self, item_class_name: str) -> list[ItemRow]:
        return [row for row in self.rows if item_class(row) == item_class_name]


_NO_ROWS = Group()
ALL_CLASSES = ("overdue", "not_yet_due", "no_due_date", "credit")
OPEN_CLASSES = ALL_CLASSES[:3]


def customer_items(reading: Reading, customer_id: int | str) -> CustomerItems:
    """Read a customer's open items: totals in SQL, the rows that they cite, and both checked against each other."""
    scope = {"customer_id": customer_id}
    past = reading.bound.dialect.days(":as_of", "due_on")
    totals = reading.select("totals", ("receivable_item",), _TOTALS.format(days=past), scope, scoped=True).dicts()
    rows = list(reading.select("rows", ("receivable_item",), rows_sql(reading), scope, scoped=True).rows)
    groups: dict[tuple[str, str], Group] = {}
    for row in rows:
        groups.setdefault((row[CURRENCY], item_class(row)), Group()).rows.append(row)
    items = CustomerItems(totals, rows, groups)
    for stated in totals:
        currency = stated["currency"]
        parts = {c: groups.get((currency, c), _NO_ROWS) for c in ALL_CLASSES}
        check("open items", stated["open_amount"], sum((p.sum() for p in parts.values()), 0))
        check("overdue items", stated["overdue"], parts["overdue"].sum())
        check("credits", stated["credits"], parts["credit"].sum())
        check("overdue invoices", stated["overdue_count"], len(parts["overdue"].rows))
        check("open invoices", stated["open_count"], sum(len(parts[c].rows) for c in OPEN_CLASSES))
        check("days overdue", stated["oldest_days"], max((r[DAYS] for r in parts["overdue"].rows), default=None))
    check("currencies", {t["currency"] for t in totals}, {row[CURRENCY] for row in rows})
    cite_groups(reading, groups)
    return items


def put_balances(reading: Reading, node: dict[str, Any], items: CustomerItems, customer: str) -> None:
    """Set the keys that every answer about a customer's receivables has: the open balance first, then what of it
    is overdue, per currency; the single keys only where there is one currency."""
    totals = []
    for stated in items.totals:
        currency = stated["currency"]
        entry: dict[str, Any] = {"currency": Said(currency)}
        _put_balance(reading, entry, stated, currency, items, customer)
        totals.append(entry)
    node["totals"] = totals
    single = items.totals[0] if len(items.totals) == 1 else None
    if single is not None:
        currency = single["currency"]
        _put_open(reading, node, single, currency, items)
        _put_overdue(reading, node, "overdue", single, currency, items, customer)
    elif not items.totals:
        own = reading.own_currency()
        for key in ("openBalance", "overdue"):
            reading.put_money(node, key, Decimal(0), own, (customer,), NOTHING)
    else:
        node.update(openBalance=None, openBalanceCents=None, overdue=None, overdueCents=None)
    currencies = [t["currency"] for t in items.totals]
    node["openInvoiceCount"] = count(
        sum(int(t["open_count"]) for t in items.totals),
        (i for c in currencies for i in items.ids(c, *OPEN_CLASSES)),
        customer,
    )
    node["overdueInvoiceCount"] = count(
        sum(int(t["overdue_count"]) for t in items.totals),
        (i for c in currencies for i in items.ids(c, "overdue")),
        customer,
    )
    node["oldestDaysOverdue"] = oldest(reading, items.of("overdue"))
    node["notes"] = [credit_note()] if any(t["credits"] for t in items.totals) else []
    put_data_errors(reading, node, items.rows)
    put_excluded(reading, node, scoped={"customer_id": _anchor_id(reading, customer)})


def _anchor_id(reading: Reading, customer: str) -> Any:
    return reading.evidence[customer].fields["id"]


def _put_open(
    reading: Reading, node: dict[str, Any], stated: Mapping[str, Any], currency: str, items: CustomerItems
) -> None:
    amount = reading.amount(stated["open_amount"], currency)
    reading.put_money(node, "openBalance", amount, currency, items.ids(currency, *ALL_CLASSES), SUM_OUTSTANDING)


def _put_overdue(
    reading: Reading,
    node: dict[str, Any],
    key: str,
    stated: Mapping[str, Any],
    currency: str,
    items: CustomerItems,
    customer: str,
) -> None:
    ids = items.ids(currency, "overdue")
    amount = reading.amount(stated["overdue"], currency)
    reading.put_money(node, key, amount, currency, ids or (customer,), SUM_OUTSTANDING if ids else NOTHING)


def _put_balance(
    reading: Reading,
    node: dict[str, Any],
    stated: Mapping[str, Any],
    currency: str,
    items: CustomerItems,
    customer: str,
) -> None:
    _put_open(reading, node, stated, currency, items)
    node["openInvoiceCount"] = count(int(stated["open_count"]), items.ids(currency, *OPEN_CLASSES), customer)
    _put_overdue(reading, node, "overdue", stated, currency, items, customer)
    node["overdueInvoiceCount"] = count(int(stated["overdue_count"]), items.ids(currency, "overdue"), customer)
    if stated["credits"]:
        amount = reading.amount(stated["credits"], currency)
        reading.put_money(node, "credits", amount, currency, items.ids(currency, "credit"), SUM_OUTSTANDING)
    else:
        node.update(credits=None, creditsCents=None)


def oldest(reading: Reading, overdue: Sequence[ItemRow]) -> Cited | None:
    """Days past due of the oldest item, citing that item alone. None when nothing is overdue."""
    if not overdue:
        return None
    row = max(overdue, key=lambda r: r[DAYS])
    return days(int(row[DAYS]), (cite_item(reading, row),))


def listed(rows: Sequence[ItemRow]) -> tuple[Sequence[ItemRow], Said]:
    """The rows that a list shows, and how many it leaves out (they stand in the evidence all the same)."""
    return rows[:MAX_LISTED], Said(max(0, len(rows) - MAX_LISTED))


# -- what else is said of the rows ---------------------------------------------------------------------------------


def credit_note() -> dict[str, Any]:
    return note(
        "credits_reduce_open_balance",
        "Credit notes and overpayments are listed as credits: they reduce the open balance, not the overdue amount.",
    )


def put_data_errors(reading: Reading, node: dict[str, Any], rows: Iterable[ItemRow]) -> None:
    """List the rows whose own data contradict themselves, up to 20; the rest is counted."""
    faulty = [row for row in rows if row[PROBLEM] is not None]
    node["dataErrors"] = [
        {
            "evidenceId": Said(cite_item(reading, row)),
            "label": Said(str(row[NUMBER])),
            "problem": Said(problem_words(row[PROBLEM], row[PROBLEM_VALUE])),
        }
        for row in faulty[:20]
    ]
    node["dataErrorsOmitted"] = Said(max(0, len(faulty) - 20))


def put_excluded(reading: Reading, node: dict[str, Any], scoped: Mapping[str, Any] | None = None) -> None:
    """Say which documents were left out and why, with how many."""
    rows = reading.select(
        "excluded",
        ("excluded",),
        "SELECT id, number, reason FROM excluded ORDER BY reason, id LIMIT 1000",
        scoped,
        scoped=scoped is not None,
    ).rows
    reasons: dict[str, list[str]] = {}
    for record_id, number, reason in rows:
        fields: dict[str, JsonValue] = {"number": str(number), "status": str(reason)}
        reasons.setdefault(str(reason), []).append(
            reading.add(make_evidence("invoice", record_id, str(number), fields, "@excluded"))
        )
    node["excluded"] = [
        {"reason": Said(reason), "count": Cited(len(ids), str(len(ids)), str(len(ids)), "count", tuple(ids), COUNT)}
        for reason, ids in reasons.items()
    ]


def _record_id(value: Any) -> JsonValue:
    return value if isinstance(value, int | str) else str(value)
