"""What becomes of a desk's reply: the marks in the text, and the bounds of everything."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from footnote_desktop.answers.slots import Claim
from footnote_desktop.provenance.evidence import Citation, Derivation, Evidence
from footnote_desktop.server.replies import answered, declined
from footnote_desktop.server.text import cited_text, named, untold_values

FIELD = Derivation("field", "x")
PROVENANCE = {"id": "11111111-1111-4111-8111-111111111111", "sequence": 7, "hash": "a" * 64}


def claim(text: str, whole: str, *ids: str, path: str = "x") -> Claim:
    start = len(whole[: whole.index(text)].encode("utf-16-le")) // 2
    return Claim(text, start, start + len(text.encode("utf-16-le")) // 2, ids, path)


def test_marks_stand_behind_figures_whatever_stands_before_them() -> None:
    whole = "Paket 📦 Express\u00a0é owes 888,00\u00a0€ in 1 invoice; 𝄞 5 tickets."
    claims = [
        claim("Paket 📦 Express\u00a0é", whole, "customer:1"),
        claim("888,00\u00a0€", whole, "invoice:1"),
        claim("1", whole, "invoice:1"),
        claim("5", whole, "ticket:1", "ticket:2"),
    ]
    assert cited_text(whole, claims) == (
        "Paket 📦 Express\u00a0é[1] owes 888,00\u00a0€ in 1[2] invoice; 𝄞 5[3] tickets.\n\n"
        "[1] customer:1\n[2] invoice:1\n[3] ticket:1, ticket:2"
    )


def test_each_line_bears_its_own_mark() -> None:
    whole = "A 1\nB 2\n"
    claims = [claim("1", whole, "i:1"), claim("2", whole, "i:1")]
    assert cited_text(whole, claims) == "A 1[1]\nB 2[1]\n\n\n[1] i:1"


def test_prose_without_figures_stays_as_it_is() -> None:
    assert cited_text("Nothing.", []) == "Nothing."


def test_a_claim_outside_the_answer_is_a_fault() -> None:
    with pytest.raises(ValueError, match="does not stand"):
        cited_text("short", [Claim("x", 3, 99, ("i:1",), "x")])


def test_many_ids_are_counted() -> None:
    assert named([f"i:{n}" for n in range(1000)], 2) == "i:0, i:1 and 998 more"
    assert named(["i:1"]) == "i:1"


def test_only_what_the_prose_does_not_tell_is_listed() -> None:
    values = {
        "name": "A",
        "total": "5,00 €",
        "totalCents": 500,
        "terms": 30,
        "totals": [{"sum": "5,00 €"}],
        "rows": [{"amount": "1,00 €", "evidenceId": "i:1"}, {"amount": "4,00 €", "evidenceId": "i:2"}],
        "notes": [{"code": "n", "text": "note"}],
    }
    citations = [
        Citation("name", "A", "A", "text", ("c:1",), FIELD),
        Citation("total", "5,00 €", "5.00", "EUR", ("i:1", "i:2"), FIELD),
        Citation("totalCents", "500", "5.00", "EUR", ("i:1", "i:2"), FIELD),
        Citation("terms", "30", "30", "days", ("c:1",), FIELD),
        Citation("totals[0].sum", "5,00 €", "5.00", "EUR", ("i:1", "i:2"), FIELD),
        Citation("rows[0].amount", "1,00 €", "1.00", "EUR", ("i:1",), FIELD),
        Citation("rows[1].amount", "4,00 €", "4.00", "EUR", ("i:2",), FIELD),
    ]
    claims = [Claim(c.text, 0, 0, c.evidence_ids, c.path) for c in citations if c.path in ("total", "rows[0].amount")]
    assert untold_values(values, citations, claims, 1000) == [
        "name: A [c:1]",
        "terms: 30 [c:1]",
        "rows[1]: amount 4,00 € [i:2]",
    ]
    assert untold_values(values, citations, claims, 14) == [
        "name: A [c:1]",
        "… and 2 more lines; the record has them all",
    ]


def large_reply(rows: int) -> Any:
    """As an operation over ``rows`` invoices answers: 100 rows listed, and every id behind the total."""
    ids = tuple(f"invoice:{1_000_000 + n}" for n in range(rows))
    evidence = [Evidence(i, "invoice", i[8:], f"RE-{i[8:]}", f"erp://invoice/{i[8:]}", {}) for i in ids[:1000]]
    evidence.append(Evidence("rowset:1", "rowset", "1", "all", "erp://rowset/1", {"count": rows}))
    keys = ("number", "dueOn", "outstanding", "currency", "daysOverdue")
    listed = [{**{key: f"{key}-{n:020d}" for key in keys}, "evidenceId": ids[n]} for n in range(100)]
    citations = [
        Citation("total", "1.234.567,89 €", "1234567.89", "EUR", ids, Derivation("sum", "x")),
        *[
            Citation(f"invoices[{n}].{key}", listed[n][key], "x", "text", (ids[n],), FIELD)
            for n in range(100)
            for key in keys
        ],
    ]
    return SimpleNamespace(
        answer="The total is 1.234.567,89 €.",
        claims=[Claim("1.234.567,89 €", 13, 27, ids, "total")],
        values={"asOfDate": "2026-08-14", "total": "1.234.567,89 €", "invoices": listed},
        citations=citations,
        evidence=evidence,
        reconciliation=None,
        provenance=PROVENANCE,
    )


def test_a_reply_over_100_000_rows_stays_below_100_kb() -> None:
    result = answered(large_reply(100_000))
    size = len(result.model_dump_json(by_alias=True))
    assert size < 100_000
    meta = result.meta or {}
    assert meta["footnote/evidenceCount"] == 101_000  # what the links page through, rows of the row set included
    assert len(meta["footnote/evidenceIds"]) == 100
    assert meta["footnote/claimCount"] == 501
    first = meta["footnote/claims"][0]
    assert first["path"] == "total"
    assert first["evidenceCount"] == 100_000
    assert 100 < len(meta["footnote/claims"]) < 501
    links = result.content[1:]
    assert len(links) == 22
    assert links[20].uri.endswith("/evidence?page=1")  # type: ignore[union-attr]


def test_a_refusal_names_alternatives_once() -> None:
    reply: Any = SimpleNamespace(message="Which? Did you mean: A, B?", alternatives=("A", "B"), provenance=PROVENANCE)
    text = json.dumps(declined(reply).model_dump(mode="json"))
    assert "Alternatives" not in text
    reply.message = "Which?"
    assert "Alternatives: A; B" in json.dumps(declined(reply).model_dump(mode="json"))
