"""The words that the application puts to keys: fields, figures, operations, outcomes. No Qt.

Nothing here says that a figure is right. The log says "unchanged since recorded", and the words keep to that.
"""

from __future__ import annotations

import re

#: Fields of evidence rows, as column headings.
FIELDS = {
    "number": "Number",
    "invoice_number": "Invoice",
    "customer_name": "Customer",
    "name": "Name",
    "kind": "Kind",
    "status": "Status",
    "posted_on": "Posted",
    "issued_on": "Issued",
    "due_on": "Due",
    "received_on": "Received",
    "opened_on": "Opened",
    "closed_on": "Closed",
    "date": "Date",
    "amount": "Amount",
    "paid": "Paid",
    "paid_amount": "Paid",
    "open_amount": "Outstanding",
    "outstanding": "Outstanding",
    "overdue": "Overdue",
    "open_balance": "Open balance",
    "days_overdue": "Days past due",
    "method": "Method",
    "severity": "Severity",
    "subject": "Subject",
    "country": "Country",
    "segment": "Segment",
    "payment_terms_days": "Payment terms, days",
    "owner": "Account owner",
    "account_owner": "Account owner",
    "currency": "Currency",
}

#: The last part of a citation's path, as the name of the figure.
FIGURES = {
    "openBalance": "Open balance",
    "overdue": "Overdue receivables",
    "totalOutstanding": "Outstanding receivables",
    "outstanding": "Outstanding",
    "credits": "Credits not yet set off",
    "openInvoiceCount": "Open invoices",
    "overdueInvoiceCount": "Overdue invoices",
    "invoiceCount": "Invoices",
    "oldestDaysOverdue": "Oldest item, days past due",
    "daysOverdue": "Days past due",
    "dueOn": "Due date",
    "issuedOn": "Date of issue",
    "receivedOn": "Date received",
    "openedOn": "Date opened",
    "mostRecentDate": "Most recent payment",
    "totalReceived": "Payments received",
    "received": "Payments received",
    "paymentCount": "Payments",
    "customerName": "Customer",
    "name": "Customer",
    "customerId": "Customer number",
    "number": "Document number",
    "openCount": "Open tickets",
    "openTicketCount": "Open tickets",
    "highSeverityCount": "Open tickets of high severity",
    "highSeverityTicketCount": "Open tickets of high severity",
    "paymentTermsDays": "Payment terms, days",
    "accountOwner": "Account owner",
    "customerCount": "Customers",
    "matchCount": "Customers found",
    "amount": "Amount",
    "paid": "Paid",
    "openingBalance": "Opening balance",
    "closingBalance": "Closing balance",
    "invoiced": "Invoiced",
    "severity": "Severity",
    "subject": "Subject",
}

#: Where one key means different things in different operations.
FIGURES_OF = {
    ("getOverdueInvoices", "totalOutstanding"): "Overdue receivables",
    ("getOverdueInvoices", "invoiceCount"): "Overdue invoices",
    ("getReceivablesAging", "totalOutstanding"): "All open receivables",
    ("getReceivablesAging", "invoiceCount"): "Open invoices",
    ("getPaymentHistory", "amount"): "Payment received",
}

TYPES = {
    "invoice": ("invoice", "invoices"),
    "credit_note": ("credit note", "credit notes"),
    "customer": ("customer", "customers"),
    "payment": ("payment", "payments"),
    "ticket": ("ticket", "tickets"),
    "item": ("item", "items"),
    "receivable_item": ("item", "items"),
    "rowset": ("set of rows", "sets of rows"),
}

OUTCOMES = {"answered": "Answered", "refused": "Declined", "empty": "Nothing found", "error": "Failed"}

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_INDEX = re.compile(r"\[\d+\]")


def spoken(key: str) -> str:
    """A key as words: ``daysOverdue`` and ``days_overdue`` become ``Days overdue``."""
    words = _HUMP.sub(" ", key).replace("_", " ").strip().lower()
    return words[:1].upper() + words[1:]


def field_label(name: str) -> str:
    return FIELDS.get(name) or spoken(name)


def figure_label(operation: str, path: str) -> str:
    """What the figure at ``path`` of an operation's result is called."""
    key = _INDEX.sub("", path).rsplit(".", 1)[-1]
    return FIGURES_OF.get((operation, path)) or FIGURES.get(key) or spoken(key)


def counted(number: int, kind: str, shown: str | None = None) -> str:
    """``4 invoices``; ``shown`` is the number as it should be written."""
    one, many = TYPES.get(kind, (spoken(kind).lower(), spoken(kind).lower() + "s")) if kind else ("row", "rows")
    return f"{shown or number}\u00a0{one if number == 1 else many}"
