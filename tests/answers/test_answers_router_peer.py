"""The peer's 74 questions: what it answered wrongly is answered rightly here, or declined for the right reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answers_sample import asked

from footnote_desktop.answers.router import Declined, Route

B, N, P, L, A = "4471", "4472", "4473", "4474", "4475"


def owe(customer: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "getOverdueInvoices", {"customer": customer, **more}


def paid(customer: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "getPaymentHistory", {"customer": customer, **more}


def summary(customer: str) -> tuple[str, dict[str, Any]]:
    return "getCustomerSummary", {"customer": customer}


#: In the file's order: an operation with its arguments, or what the reason of the refusal must hold.
EXPECTED: list[tuple[str, dict[str, Any]] | str] = [
    owe(B), summary(B), ("getReceivablesAging", {}), "“Acme Corporation”", "“next quarter”",
    paid(N, sinceDate="2026-01-01"), ("getOpenTickets", {"customer": A}), owe(N), summary(L), summary(L),
    paid(P), paid(B), paid(L), paid(A), owe(P), owe(L), owe(A), owe(B), owe(B), owe(B),
    "“Bergmnan”", "“ow”", summary(B), summary(P), summary(N), owe(B), owe(N), summary(B), paid(P),
    ("getReceivablesAging", {}), summary(B), owe(B), "“4480”", "“9999”", "“Bergmann Shipping Ltd”",
    "“Adriatic Airlines”", "“Nordwind Capital”", "“Petrov Bank”", "“Bergmann Logistics AG”", "“Bergmann”",
    "“Lumière”", "“more than”", owe(B), owe(B), "“Acme Corporation”", "“Acme”",
    owe(B, asOfDate="2026-05-31"), "“last year”", "“next quarter”", "“not”", "“will”", "“last year”",
    ("getInvoice", {"number": "INV-2026-8812"}), "“delivery”", "“CEO”", "“profit”", "names no customer",
    ("getTopDebtors", {}), "names no customer", "“office chairs”", "names no customer", "“List all customers”",
    "“Delete”", "“Ignore previous instructions”", "“in USD”", "“address”", "no question", "no question",
    "no question", "“Bergmann”", "names no customer", "“1=1 --”", "<img src=x onerror=alert(1)>", "xxxxxx",
]  # fmt: skip


def test_every_question_of_the_peer(shared: Path) -> None:
    questions = json.loads((shared / "peers/footnote/answers-web.json").read_text("utf-8"))
    assert len(questions) == len(EXPECTED) == 74
    wrong = []
    for entry, expected in zip(questions, EXPECTED, strict=True):
        answer = asked(entry["question"])
        if isinstance(expected, str):
            fine = isinstance(answer, Declined) and expected in answer.reason
        else:
            fine = isinstance(answer, Route) and (answer.operation, dict(answer.arguments)) == expected
        if not fine:
            wrong.append((entry["question"], expected, answer))
    assert not wrong


def test_the_peers_questions_get_real_alternatives() -> None:
    for name, first in [
        ("Bergmann Shipping Ltd", "Bergmann Logistik GmbH"),
        ("Adriatic Airlines", "Adriatic Foods d.d."),
        ("Nordwind Capital", "Nordwind Marine AS"),
        ("Petrov Bank", "Petrov Components d.o.o."),
    ]:
        answer = asked(f"How much does {name} owe?")
        assert isinstance(answer, Declined)
        assert answer.alternatives[0] == first


def test_fifty_thousand_letters_are_declined() -> None:
    answer = asked("x" * 50_000 + " overdue Bergmann")
    assert isinstance(answer, Declined)
    assert answer.kind == "too_long"


@pytest.mark.parametrize(
    ("question", "intent", "focus"),
    [
        ("Is Bergmann Logistik at risk?", "risk", None),
        ("Ist Bergmann ein Risiko?", "risk", None),
        ("What are Nordwind's payment terms?", "summary", "terms"),
        ("Who is Petrov?", "summary", None),
    ],
)
def test_how_a_summary_is_told(question: str, intent: str, focus: str | None) -> None:
    answer = asked(question)
    assert isinstance(answer, Route)
    assert (answer.intent, answer.focus) == (intent, focus)
