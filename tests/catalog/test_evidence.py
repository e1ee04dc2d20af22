"""Every value that leaves an operation names the evidence behind that value alone, and follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.catalog.result import Cited, OperationResult, Said, flatten
from footnote_desktop.provenance.evidence import Citation, Derivation

# Keys that code says and no row does: echoes, reasons, names of currencies and of evidence.
SAID = {
    "asOfDate", "currency", "evidenceId", "kind", "type", "bucket", "label", "query", "nearest", "limit", "rank",
    "sinceDate", "fromDate", "toDate", "emptyReason", "emptyCode", "notes", "dataErrors", "bucketBounds", "reason",
    "dataErrorsOmitted", "invoicesOmitted", "creditsOmitted", "paymentsOmitted", "ticketsOmitted", "linesOmitted",
    "customersOmitted",
}  # fmt: skip


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    if isinstance(node, dict):
        for key, child in node.items():
            if key not in SAID:
                yield from leaves(child, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for i, child in enumerate(node):
            yield from leaves(child, f"{path}[{i}]")
    elif node is not None:
        yield path, path.rpartition(".")[2], node


def derive(citation: Citation, fields: dict[str, Any]) -> str:
    """What the figure should be, from the fields of the evidence that it cites."""
    rows = [fields[i] for i in citation.evidence_ids]
    kind, name = citation.derivation.kind, citation.derivation.field
    if kind == "count":
        return str(len(rows))
    assert name is not None
    values = [row[name] for row in rows]
    if kind == "field":
        assert len(values) == 1
        return str(values[0])
    if kind == "sum":
        assert all(row["currency"] == citation.unit for row in rows), "currencies are never added"
        return str(sum((Decimal(v) for v in values), Decimal(0)))
    return str(max(values) if kind == "max" else min(values))


def check_everything(result: OperationResult) -> None:
    cited = {c.path: c for c in result.citations}
    for path, _, _ in leaves(result.values):
        assert path in cited, f"{path} names no evidence"
    fields = {e.id: dict(e.fields) for e in result.evidence}
    for citation in result.citations:
        assert set(citation.evidence_ids) <= set(fields), citation
        assert len(set(citation.evidence_ids)) == len(citation.evidence_ids), citation
        if citation.derivation.kind == "none":
            assert Decimal(citation.exact) == 0
        elif "Cents" in citation.path:
            continue  # the same amount as its sibling, in minor units
        else:
            assert derive(citation, fields) in (citation.exact, citation.exact.removesuffix(".00")), citation


def every_call(catalog: Catalog) -> Iterator[OperationResult]:
    for as_of in ("2026-08-14", "2026-06-10", "2020-01-01"):
        yield catalog.run("getReceivablesAging", {"asOfDate": as_of})
        yield catalog.run("getTopDebtors", {"asOfDate": as_of})
        for customer in catalog.customers():
            yield catalog.run("getOverdueInvoices", {"customer": str(customer.id), "asOfDate": as_of})
    for customer in catalog.customers():
        who = {"customer": str(customer.id)}
        for name in ("getCustomerSummary", "getOpenTickets", "getPaymentHistory"):
            yield catalog.run(name, who)
        yield catalog.run("getCustomerStatement", {**who, "fromDate": "2026-06-01", "toDate": "2026-07-31"})
    yield catalog.run("findCustomers", {"query": "zzz"})
    yield catalog.run("findCustomers", {"query": "GmbH"})
    yield catalog.run("verifyProvenanceChain", {})


def test_every_value_of_the_sample_cites_its_own_rows(sample: Catalog) -> None:
    for result in every_call(sample):
        check_everything(result)
    check_everything(sample.run("getInvoice", {"number": "INV-2026-8901"}))


def test_every_value_of_the_tricky_set_cites_its_own_rows(tricky: Catalog) -> None:
    for result in every_call(tricky):
        check_everything(result)
    check_everything(tricky.run("getInvoice", {"number": "RE-7007"}))


def test_a_figure_cites_its_rows_and_not_everybodys(sample: Catalog) -> None:
    result = sample.run("getOverdueInvoices", {"customer": "Bergmann"})
    by_path = result.by_path
    overdue = ("invoice:8812", "invoice:8834", "invoice:8901", "invoice:8977")
    assert by_path["totalOutstanding"].evidence_ids == overdue
    assert by_path["openBalance"].evidence_ids == (*overdue, "invoice:9088")
    assert by_path["oldestDaysOverdue"].evidence_ids == ("invoice:8812",)
    assert by_path["invoices[2].outstanding"].evidence_ids == ("invoice:8901",)
    assert by_path["customerName"].evidence_ids == ("customer:4471",)
    aging = sample.run("getReceivablesAging", {}).by_path
    assert aging["buckets[0].outstanding"].evidence_ids == ("invoice:8812",)
    assert len(aging["totalOutstanding"].evidence_ids) == 11


def test_an_outstanding_amount_shows_its_payments_as_a_field(sample: Catalog) -> None:
    evidence = {e.id: e.fields for e in sample.run("getOverdueInvoices", {"customer": "Bergmann"}).evidence}
    assert evidence["invoice:8901"]["paid"] == "4000.00"
    assert evidence["invoice:8901"]["amount"] == "12400.00"
    assert evidence["invoice:8901"]["outstanding"] == "8400.00"


def test_a_value_without_evidence_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="names no evidence"):
        Cited("43.805,00 €", "43.805,00 €", "43805.00", "EUR", (), Derivation("none"))
    with pytest.raises(ValueError, match="names no evidence"):
        Citation("total", "1", "1", "count", (), Derivation("count"))


@given(st.one_of(st.integers(), st.text(), st.floats(allow_nan=False), st.booleans()))
def test_a_bare_value_cannot_leave(value: Any) -> None:
    with pytest.raises(TypeError, match=r"rows\[0\]\.amount"):
        flatten({"rows": [{"amount": value}]})
    assert flatten({"rows": [{"amount": Said(value)}]})[1] == []


def test_many_rows_stand_in_row_sets(ledger: Callable[..., Catalog]) -> None:
    rows = [{"amount_cents": 100 + i, "due_on": "2026-08-01" if i % 2 else "2026-09-01"} for i in range(1_500)]
    result = ledger(invoices=rows).run("getOverdueInvoices", {"customer": "Alpha"})
    total = sum(100 + i for i in range(1_500))
    assert result.values["openBalanceCents"] == total
    assert len(result.values["invoices"]) == 100  # type: ignore[arg-type]
    assert result.values["invoicesOmitted"] == 650
    cited = result.by_path["openBalance"].evidence_ids
    assert len(cited) == 2
    assert all(i.startswith("rowset:") for i in cited)
    fields = {e.id: e.fields for e in result.evidence}
    assert sum(int(str(fields[i]["count"])) for i in cited) == 1_500
    assert sum(Decimal(fields[i]["sums"]["EUR"]) for i in cited) == Decimal(total) / 100  # type: ignore
    exactly = ledger(invoices=rows[:1_000]).run("getOverdueInvoices", {"customer": "Alpha"})
    assert exactly.rowsets == ()
    assert len(exactly.by_path["openBalance"].evidence_ids) == 1_000
