"""Drafts of records as the application makes them, for the tests of the log."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.evidence import Citation, Derivation, Evidence, RowSet
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.rowset import Layout, build_rowset

ACTOR = Actor("ana@desk", "controller", {"account": "ana", "machine": "desk", "knownBy": "the test"})
AMOUNTS = {"8812": "18450.00", "8834": "9625.00", "8901": "8400.00", "8977": "7330.00"}


def invoice(number: str, outstanding: str, currency: str = "EUR") -> dict[str, Any]:
    fields = {"number": f"INV-2026-{number}", "outstanding": outstanding, "currency": currency, "dueOn": "2026-05-02"}
    return Evidence(
        f"invoice:{number}", "invoice", number, f"INV-2026-{number}", f"erp://invoice/{number}", fields
    ).to_json()


def total(**changes: Any) -> dict[str, Any]:
    """The citation of Bergmann's 43.805,00 €, with what is to be wrong in it."""
    citation = Citation(
        path="totalOutstanding",
        text="43.805,00\u00a0€",
        exact="43805.00",
        unit="EUR",
        evidence_ids=tuple(f"invoice:{number}" for number in AMOUNTS),
        derivation=Derivation("sum", "outstanding"),
    ).to_json()
    return {**citation, **changes}


def answer(question: str = "How much does Bergmann owe?", **changes: Any) -> Draft:
    """A draft as the application makes one: a cited total over four invoices."""
    given: dict[str, Any] = {
        "question": question,
        "answer": "Bergmann Logistik GmbH owes 43.805,00\u00a0€.",
        "claims": [
            {
                "text": "43.805,00\u00a0€",
                "span": {"start": 28, "end": 39},
                "evidenceIds": [f"invoice:{number}" for number in AMOUNTS],
                "origin": "structured",
                "path": "totalOutstanding",
            }
        ],
        "operations": [
            {
                "name": "getOverdueInvoices",
                "arguments": {"customer": "Bergmann"},
                "citations": [total()],
                "durationMs": 1.25,
            }
        ],
        "evidence": [invoice(number, amount) for number, amount in AMOUNTS.items()],
        "actor": ACTOR,
    }
    return Draft(**{**given, **changes})


def rowset_of(rows: list[dict[str, Any]], what: str, amount: str = "outstanding") -> RowSet:
    """A row set of rows that are alike: ``id`` as evidence has it, a ``currency``, decimal text in ``amount``."""
    names = [name for name in rows[0] if name not in ("id", "label")]
    layout = Layout("invoice", ("record_id", "number", *names), "number", (amount,), None)
    given = [(row["id"].partition(":")[2], row["label"], *(row[name] for name in names)) for row in rows]
    sums = {"EUR": str(sum((Decimal(row[amount]) for row in rows), Decimal(0)))}
    return build_rowset(given, layout, what=what, order="id", sum_field=amount, sums=sums)
