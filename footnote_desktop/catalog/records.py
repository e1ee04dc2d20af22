"""The row behind an ``erp://`` link, as it is now."""

from __future__ import annotations

from footnote_desktop.catalog.reading import Reading
from footnote_desktop.provenance.evidence import Evidence

_SELECTS = {
    "customer": "SELECT id, name, country, segment, payment_terms_days, owner FROM customer",
    "invoice": "SELECT id, number, customer_id, kind, issued_on, due_on, currency, amount, open_amount, status"
    " FROM invoice",
    "payment": "SELECT id, invoice_id, invoice_number, received_on, currency, amount, method, kind FROM payment",
    "ticket": "SELECT id, customer_id, opened_on, closed_on, severity, subject FROM ticket",
}
_LABEL = {"customer": "name", "invoice": "number", "payment": "invoice_number", "ticket": "subject"}
_AMOUNTS = ("amount", "open_amount")


def read_record(reading: Reading, kind: str, record_id: str) -> Evidence | None:
    """One row of the canonical model by its id, exactly as the ERP has it. None where there is none."""
    from footnote_desktop.catalog.reading import as_json, make_evidence

    if kind == "ledger":
        evidence = reading.evidence[reading.cite_ledger()]
        return evidence if evidence.record_id == record_id else None
    if kind not in _SELECTS:
        return None
    rows = reading.select(
        "record", (kind,), f"{_SELECTS[kind]} WHERE CAST(id AS TEXT) = :record_id", {"record_id": record_id}
    ).dicts()
    if not rows:
        return None
    row = rows[0]
    fields = {name: as_json(value) for name, value in row.items()}
    for name in _AMOUNTS:
        if name in row:
            fields[name] = reading.plain(row[name], row["currency"])
    if "open_amount" in fields:
        fields["outstanding"] = fields.pop("open_amount")
    return make_evidence(kind, row["id"], str(row[_LABEL[kind]]), fields)
