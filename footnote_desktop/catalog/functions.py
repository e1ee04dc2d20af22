"""Which function computes which operation. Apart from the registry, so that listing the catalog imports no SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from footnote_desktop.catalog.aging import receivables_aging
from footnote_desktop.catalog.lookups import find_customers, invoice
from footnote_desktop.catalog.payments import payment_history
from footnote_desktop.catalog.receivables import customer_summary, overdue_invoices, top_debtors
from footnote_desktop.catalog.statement import customer_statement
from footnote_desktop.catalog.tickets import list_open_tickets

FUNCTIONS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "getOverdueInvoices": overdue_invoices,
    "getCustomerSummary": customer_summary,
    "getPaymentHistory": payment_history,
    "getOpenTickets": list_open_tickets,
    "getReceivablesAging": receivables_aging,
    "findCustomers": find_customers,
    "getInvoice": invoice,
    "getCustomerStatement": customer_statement,
    "getTopDebtors": top_debtors,
}
