"""The published types: arguments that a model may give, and results that it gets. Keys are the wire's own."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _calendar_date(value: Any) -> Any:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        raise ValueError(f"{value!r} is not a date in the form YYYY-MM-DD, for example 2026-08-14")
    try:
        return dt.date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{value} is not a day of the calendar; dates are written YYYY-MM-DD") from None


#: A calendar date, written YYYY-MM-DD.
Date = Annotated[
    dt.date,
    BeforeValidator(_calendar_date),
    WithJsonSchema({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
]
CustomerName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The customer's id, whole name, or the start of a word of it (at least three letters).",
    ),
]
AsOf = Annotated[
    Date | None, Field(description="The day for which the figures hold, YYYY-MM-DD. Left out: the profile's date.")
]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CustomerArguments(Arguments):
    customer: CustomerName


class CustomerAsOfArguments(CustomerArguments):
    asOfDate: AsOf = None


class PaymentArguments(CustomerArguments):
    sinceDate: Annotated[
        Date | None, Field(description="The first day that counts, YYYY-MM-DD. Left out: all payments on record.")
    ] = None


class PortfolioArguments(Arguments):
    asOfDate: AsOf = None


class TopDebtorsArguments(PortfolioArguments):
    limit: Annotated[int, Field(ge=1, le=100, description="How many customers per currency, 1 to 100.")] = 10


class FindArguments(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=200, description="An id, a name, or the start of a word.")]


class InvoiceArguments(Arguments):
    number: Annotated[str, Field(min_length=1, max_length=100, description="The invoice's number, or its id.")]


class StatementArguments(CustomerArguments):
    fromDate: Annotated[Date, Field(description="The first day of the period, YYYY-MM-DD.")]
    toDate: Annotated[Date, Field(description="The last day of the period, YYYY-MM-DD.")]


class NoArguments(Arguments):
    pass


#: Minor units of the currency: an integer, or digits as text beyond 2^53 - 1.
Cents = Annotated[int | str, Field(description="Whole minor units of the currency; digits as text beyond 2^53-1.")]
Id = int | str


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Note(Part):
    code: str
    text: str


class DataError(Part):
    evidenceId: str
    label: str
    problem: str


class Excluded(Part):
    reason: str
    count: int


class Result(Part):
    asOfDate: str
    emptyReason: str | None = None
    emptyCode: str | None = None
    notes: list[Note] = []
    dataErrors: list[DataError] = []
    dataErrorsOmitted: int = 0


class Balance(Part):
    currency: str
    openBalance: str
    openBalanceCents: Cents
    openInvoiceCount: int
    overdue: str
    overdueCents: Cents
    overdueInvoiceCount: int
    credits: str | None
    creditsCents: Cents | None


class ReceivablesResult(Result):
    """What both questions about a customer's receivables answer."""

    openBalance: str | None
    openBalanceCents: Cents | None
    openInvoiceCount: int
    oldestDaysOverdue: int | None
    totals: list[Balance]
    excluded: list[Excluded] = []


class OverdueInvoice(Part):
    number: str
    dueOn: str
    outstanding: str
    outstandingCents: Cents
    currency: str
    daysOverdue: int
    evidenceId: str


class Credit(Part):
    number: str
    kind: str
    amount: str
    amountCents: Cents
    currency: str
    evidenceId: str


class OverdueResult(ReceivablesResult):
    customerName: str
    customerId: Id
    invoiceCount: int
    totalOutstanding: str | None
    totalOutstandingCents: Cents | None
    invoices: list[OverdueInvoice]
    invoicesOmitted: int
    credits: list[Credit]
    creditsOmitted: int


class SummaryResult(ReceivablesResult):
    name: str
    customerId: Id
    country: str | None
    segment: str | None
    paymentTermsDays: int | None
    accountOwner: str | None
    overdue: str | None
    overdueCents: Cents | None
    overdueInvoiceCount: int
    openTicketCount: int
    highSeverityTicketCount: int


class Payment(Part):
    receivedOn: str
    amount: str
    amountCents: Cents
    currency: str
    invoice: str
    method: str | None
    kind: str
    evidenceId: str


class Received(Part):
    currency: str
    received: str
    receivedCents: Cents
    paymentCount: int


class PaymentsResult(Result):
    customerName: str
    customerId: Id
    sinceDate: str | None
    paymentCount: int
    totalReceived: str | None
    totalReceivedCents: Cents | None
    totals: list[Received]
    mostRecentDate: str | None
    payments: list[Payment]
    paymentsOmitted: int


class Ticket(Part):
    openedOn: str | None
    severity: str | None
    subject: str | None
    evidenceId: str


class TicketsResult(Result):
    customerName: str
    customerId: Id
    openCount: int
    highSeverityCount: int
    tickets: list[Ticket]
    ticketsOmitted: int


class Bucket(Part):
    bucket: str
    label: str
    currency: str
    invoiceCount: int
    outstanding: str
    outstandingCents: Cents


class Outstanding(Part):
    currency: str
    outstanding: str
    outstandingCents: Cents
    invoiceCount: int


class AgingResult(Result):
    totalOutstanding: str | None
    totalOutstandingCents: Cents | None
    invoiceCount: int
    bucketBounds: list[int]
    buckets: list[Bucket]
    totals: list[Outstanding]
    excluded: list[Excluded] = []


class FoundCustomer(Part):
    customerId: Id
    name: str
    country: str | None
    evidenceId: str


class FindResult(Result):
    query: str
    matchCount: int
    customers: list[FoundCustomer]
    customersOmitted: int
    nearest: list[str]


class InvoicePayment(Part):
    receivedOn: str | None
    amount: str
    amountCents: Cents
    method: str | None
    kind: str
    evidenceId: str


class InvoiceResult(Result):
    number: str
    invoiceId: Id
    kind: str
    customerName: str
    customerId: Id
    issuedOn: str | None
    dueOn: str | None
    currency: str
    amount: str
    amountCents: Cents
    paid: str
    paidCents: Cents
    outstanding: str
    outstandingCents: Cents
    status: str
    daysOverdue: int | None
    payments: list[InvoicePayment]
    paymentsOmitted: int


class StatementTotal(Part):
    currency: str
    openingBalance: str
    openingBalanceCents: Cents
    invoiced: str
    invoicedCents: Cents
    received: str
    receivedCents: Cents
    settledEarlier: str | None
    settledEarlierCents: Cents | None
    closingBalance: str
    closingBalanceCents: Cents


class StatementLine(Part):
    date: str
    type: str
    document: str
    amount: str
    amountCents: Cents
    currency: str
    evidenceId: str


class StatementResult(Result):
    customerName: str
    customerId: Id
    fromDate: str
    toDate: str
    totals: list[StatementTotal]
    lines: list[StatementLine]
    linesOmitted: int


class Debtor(Part):
    rank: int
    customerId: Id
    customerName: str
    currency: str
    openBalance: str
    openBalanceCents: Cents
    overdue: str
    overdueCents: Cents
    invoiceCount: int
    evidenceId: str


class TopDebtorsResult(Result):
    limit: int
    customerCount: int
    debtors: list[Debtor]


class ChainResult(Result):
    ok: bool
    count: int
    state: str
    reason: str | None
