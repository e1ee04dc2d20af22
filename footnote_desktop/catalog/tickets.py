"""Support tickets, where the ERP has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from footnote_desktop.catalog.items import check
from footnote_desktop.catalog.reading import MAX_LISTED, Reading, count, day, identifier, make_evidence, text
from footnote_desktop.catalog.result import Cited, Said

_OPEN = "(opened_on <= :as_of OR opened_on IS NULL) AND (closed_on IS NULL OR closed_on > :as_of)"
_HIGH = ("high", "critical", "urgent")
_TOTALS = f"""SELECT COUNT(*) AS open_count,
       SUM(CASE WHEN severity IN ('high', 'critical', 'urgent') THEN 1 ELSE 0 END) AS high_count
FROM ticket WHERE {_OPEN}"""
_ROWS = f"SELECT id, opened_on, severity, subject FROM ticket WHERE {_OPEN} ORDER BY opened_on, id"


@dataclass(frozen=True, slots=True)
class OpenTickets:
    open_count: Cited
    high_count: Cited
    rows: list[dict[str, Any]]  #: each with its evidence id


def open_tickets(reading: Reading, customer_id: int | str, anchor: str) -> OpenTickets:
    """Tickets open on the as-of date, oldest first; those of high, critical or urgent severity counted apart."""
    scope = {"customer_id": customer_id}
    stated = reading.select("ticket totals", ("ticket",), _TOTALS, scope, scoped=True).dicts()[0]
    rows = reading.select("ticket rows", ("ticket",), _ROWS, scope, scoped=True).dicts()
    high = [row for row in rows if row["severity"] in _HIGH]
    check("open tickets", stated["open_count"], len(rows))
    check("high-severity tickets", stated["high_count"] or 0, len(high))
    for row in rows:
        row["evidence"] = reading.add(
            make_evidence(
                "ticket",
                row["id"],
                str(row["subject"]),
                {
                    "opened_on": None if row["opened_on"] is None else str(row["opened_on"]),
                    "severity": row["severity"],
                    "subject": row["subject"],
                },
            )
        )
    return OpenTickets(
        count(len(rows), [row["evidence"] for row in rows], anchor),
        count(len(high), [row["evidence"] for row in high], anchor),
        rows,
    )


def list_open_tickets(reading: Reading, customer: str) -> dict[str, Any]:
    """A customer's open tickets."""
    found, anchor = reading.customer(customer)
    tickets = open_tickets(reading, found.id, anchor)
    node: dict[str, Any] = {
        "customerName": text(found.name, anchor, "name"),
        "customerId": identifier(found.id, anchor),
        "openCount": tickets.open_count,
        "highSeverityCount": tickets.high_count,
        "tickets": [
            {
                "openedOn": day(row["opened_on"], row["evidence"], "opened_on"),
                "severity": text(row["severity"], row["evidence"], "severity"),
                "subject": text(row["subject"], row["evidence"], "subject"),
                "evidenceId": Said(row["evidence"]),
            }
            for row in tickets.rows[:MAX_LISTED]
        ],
        "ticketsOmitted": Said(max(0, len(tickets.rows) - MAX_LISTED)),
    }
    if not tickets.rows:
        node["emptyReason"] = Said("This customer has no open tickets on that date.")
        node["emptyCode"] = Said("no_open_tickets")
    return node
