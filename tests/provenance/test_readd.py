"""A figure that does not follow from the rows stored with it is found, though every hash is right."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from log_drafts import invoice, rowset_of, total

from footnote_desktop.provenance.evidence import Citation, Derivation
from footnote_desktop.provenance.readd import FigureError, Readder
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

Make = Callable[..., Draft]
ALL = ["invoice:8812", "invoice:8834", "invoice:8901", "invoice:8977"]
ROWS = [invoice("8812", "18450.00"), invoice("8834", "9625.00"), invoice("8901", "8400.00"), invoice("8977", "7330.00")]


def check(citation: dict[str, Any], evidence: list[dict[str, Any]] | None = None) -> Readder:
    readder = Readder({}.get)
    readder.check({"operations": [{"citations": [citation]}], "evidence": ROWS if evidence is None else evidence})
    return readder


def cite(exact: str, unit: str, kind: str, field: str | None = None, ids: list[str] | None = None) -> dict[str, Any]:
    derivation = Derivation(kind, field)  # type: ignore[arg-type]
    return Citation("path", f"<{exact}>", exact, unit, tuple(ids or ALL), derivation).to_json()


@pytest.mark.parametrize(
    "citation",
    [
        total(),
        cite("43805", "EUR", "sum", "outstanding"),
        cite("43805.0000", "EUR", "sum", "outstanding"),
        cite("4", "count", "count"),
        cite("1", "count", "count", ids=["invoice:8812", "invoice:8812"]),
        cite("18450.00", "EUR", "max", "outstanding"),
        cite("7330.00", "EUR", "min", "outstanding"),
        cite("2026-05-02", "date", "min", "dueOn"),
        cite("18450.00", "EUR", "field", "outstanding", ["invoice:8812"]),
        cite("INV-2026-8812", "text", "field", "number", ["invoice:8812"]),
        cite("2026-05-02", "date", "field", "dueOn"),
        cite("0.00", "EUR", "none", ids=["invoice:8812"]),
    ],
)
def test_figures_that_follow(citation: dict[str, Any]) -> None:
    assert check(citation).checked == 1


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        (total(exact="43805.01"), r"43\.805,00\u00a0€ \(totalOutstanding\).*adds up to 43805\.00, not 43805\.01"),
        (cite("36475.00", "EUR", "sum", "outstanding", ALL[:3]), "adds up to 36475.00"),
        (cite("43805.00", "USD", "sum", "outstanding"), "in USD, and cites rows in EUR"),
        (cite("5", "count", "count"), "number of its stored rows is 4, not 5"),
        (cite("9625.00", "EUR", "max", "outstanding"), "largest outstanding of its stored rows is 18450.00"),
        (cite("2026-05-03", "date", "min", "dueOn"), "smallest dueOn of its stored rows is 2026-05-02"),
        (cite("18450.01", "EUR", "field", "outstanding", ["invoice:8812"]), "outstanding of invoice:8812 is 18450.00"),
        (cite("18450.00", "EUR", "field", "outstanding"), "outstanding of invoice:8834 is 9625.00"),
        (cite("x", "text", "field", "colour", ["invoice:8812"]), "no field colour"),
        (cite("0", "EUR", "sum", "colour"), "no field colour"),
        (cite("0", "EUR", "sum", "dueOn"), "dueOn of a row that it cites is not a number"),
        (cite("1", "count", "count", ids=["invoice:9999"]), "invoice:9999, which is not stored"),
        ({**cite("0.00", "EUR", "none", ids=["invoice:8812"]), "exact": "5.00"}, "nothing, and gives an amount"),
        ({**total(), "derivation": {"kind": "guess"}}, "does not know how it was derived"),
        ({**total(), "derivation": None}, "does not know how it was derived"),
        ({**total(), "evidenceIds": []}, "does not say"),
        ({**total(), "exact": 43805}, "does not say"),
    ],
)
def test_figures_that_do_not_follow(citation: dict[str, Any], reason: str) -> None:
    if citation["text"] == "<36475.00>":
        citation["exact"] = "36475.01"
    with pytest.raises(FigureError, match=reason):
        check(citation)


def test_nothing_is_rounded() -> None:
    rows = [invoice("1", "90071992547409931234567890123456789.01"), invoice("2", "0.01")]
    ids = ["invoice:1", "invoice:2"]
    check(cite("90071992547409931234567890123456789.02", "EUR", "sum", "outstanding", ids), rows)
    with pytest.raises(FigureError):
        check(cite("90071992547409931234567890123456789.00", "EUR", "sum", "outstanding", ids), rows)


def test_numbers_are_not_taken_for_what_they_look_like() -> None:
    rows = [invoice("1", "1e3"), invoice("2", "NaN")]
    for identifier in ("invoice:1", "invoice:2"):
        with pytest.raises(FigureError, match="not a number"):
            check(cite("1000", "EUR", "sum", "outstanding", [identifier]), rows)


def test_null_adds_nothing() -> None:
    rows = [*ROWS, invoice("1", None)]  # type: ignore[arg-type]
    check(cite("43805.00", "EUR", "sum", "outstanding", [*ALL, "invoice:1"]), rows)
    check(cite("5", "count", "count", ids=[*ALL, "invoice:1"]), rows)


def large() -> tuple[list[dict[str, Any]], Any]:
    rows = [
        {"id": f"invoice:{n}", "label": str(n), "currency": "EUR", "outstanding": f"{n}.01", "daysOverdue": n % 90}
        for n in range(1, 3001)
    ]
    return rows, rowset_of(rows, "3000 open invoices")


@pytest.mark.parametrize(
    ("exact", "unit", "kind", "field", "ok"),
    [
        ("4501530.00", "EUR", "sum", "outstanding", True),
        ("4501530.01", "EUR", "sum", "outstanding", False),
        ("3000", "count", "count", None, True),
        ("2999", "count", "count", None, False),
        ("89", "days", "max", "daysOverdue", True),
        ("90", "days", "max", "daysOverdue", False),
    ],
)
def test_row_sets_are_added_up_with_all_their_rows(
    path: Path, draft: Make, exact: str, unit: str, kind: str, field: str | None, ok: bool
) -> None:
    rows, rowset = large()
    citation = cite(exact, unit, kind, field, [rowset.evidence.id])
    evidence = [*({"id": row["id"], "fields": row} for row in rows[:1000]), rowset.evidence.to_json()]
    with open_log(path) as log:
        log.append(draft())
        log.append(
            draft(evidence=evidence, operations=[{"name": "x", "citations": [citation]}], claims=[]),
            [rowset.manifest, *rowset.chunks],
        )
    verdict = verify(path)
    assert verdict.ok is ok
    if not ok:
        assert (verdict.state, verdict.failed_at) == ("contentChanged", 2)
        assert f"<{exact}>" in verdict.reason


def test_what_a_row_set_says_of_itself_is_checked(path: Path, draft: Make) -> None:
    _, rowset = large()
    for number, change in enumerate([{"count": 2999}, {"sums": {"EUR": "1.00"}}, {"sums": {"USD": "1.00"}}]):
        entry = rowset.evidence.to_json()
        entry["fields"] = {**entry["fields"], **change}
        file = path.with_name(f"{number}.sqlite3")
        with open_log(file) as log:
            log.append(draft(evidence=[entry], operations=[], claims=[]), [rowset.manifest, *rowset.chunks])
        verdict = verify(file)
        assert (verdict.state, verdict.failed_at) == ("contentChanged", 1), change
        assert "3000 open invoices" in verdict.reason


def test_missing_and_changed_rows_are_found(path: Path, draft: Make, attack: Callable[..., None]) -> None:
    _, rowset = large()
    with open_log(path) as log:
        log.append(draft())
        log.append(draft(evidence=[rowset.evidence.to_json()], operations=[]), [rowset.manifest, *rowset.chunks])
    original = path.read_bytes()
    chunk = hashlib.sha256(rowset.chunks[3]).digest()
    for statement, reason in [
        ("DELETE FROM attachment WHERE hash = :hash", "missing"),
        ("UPDATE attachment SET data = x'0011' WHERE hash = :hash", "changed"),
        (
            "UPDATE attachment SET data = (SELECT data FROM attachment WHERE hash <> :hash) WHERE hash = :hash",
            "changed",
        ),
    ]:
        path.write_bytes(original)
        attack(path, statement, hash=chunk)
        verdict = verify(path)
        assert (verdict.state, verdict.failed_at) == ("contentChanged", 2), statement
        assert reason in verdict.reason
        assert chunk.hex()[:12] in verdict.reason
        assert "The one before it is unchanged." in verdict.reason
