"""Which relations of the canonical model each operation reads. A test compares this with what the catalog runs."""

from __future__ import annotations

#: Operation → relations; none: it does not read the database.
NEEDS: dict[str, tuple[str, ...]] = {
    "getOverdueInvoices": ("customer", "receivable_item", "excluded"),
    "getCustomerSummary": ("customer", "receivable_item", "ticket", "excluded"),
    "getPaymentHistory": ("customer", "payment"),
    "getOpenTickets": ("customer", "ticket"),
    "getReceivablesAging": ("receivable_item", "excluded"),
    "findCustomers": ("customer",),
    "getInvoice": ("customer", "invoice", "payment"),
    "getCustomerStatement": ("customer", "receivable_item", "payment"),
    "getTopDebtors": ("customer", "receivable_item"),
    "verifyProvenanceChain": (),
}
