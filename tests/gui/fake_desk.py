"""A desk made by hand: replies in the form of ``footnote ask --json``, with no database behind them."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import time
from collections.abc import Callable
from typing import Any

from footnote_desktop.desktop.answer import Answer, from_record, from_reply
from footnote_desktop.desktop.asking import examples
from footnote_desktop.desktop.chain import ChainState, Saying
from footnote_desktop.desktop.events import Exported, Line, Listed, Opened
from footnote_desktop.settings import Profile

CUSTOMER = {
    "id": "customer:4471",
    "type": "customer",
    "recordId": "4471",
    "label": "Bergmann Logistik GmbH",
    "uri": "erp://customer/4471",
    "fields": {
        "id": 4471,
        "name": "Bergmann Logistik GmbH",
        "country": "DE",
        "segment": "enterprise",
        "payment_terms_days": 30,
        "owner": "Ana Kovač",
    },
}

INVOICES = (
    (8812, "2026-04-02", "2026-05-02", "18450.00", "0.00", "18450.00", 104, "18.450,00\u00a0€", "02.05.2026"),
    (8834, "2026-04-18", "2026-05-18", "9625.00", "0.00", "9625.00", 88, "9.625,00\u00a0€", "18.05.2026"),
    (8901, "2026-05-06", "2026-06-05", "12400.00", "4000.00", "8400.00", 70, "8.400,00\u00a0€", "05.06.2026"),
    (8977, "2026-05-29", "2026-06-28", "7330.00", "0.00", "7330.00", 47, "7.330,00\u00a0€", "28.06.2026"),
    (9088, "2026-07-30", "2026-08-29", "11000.00", "0.00", "11000.00", None, "11.000,00\u00a0€", "29.08.2026"),
)

SQL = """WITH receivable_item AS (
  SELECT i.id, i.number, i.due_on, i.amount_cents - i.paid_cents AS open_amount
  FROM invoices i
  WHERE i.customer_id = :customer_id AND i.issued_on <= :as_of
)
SELECT currency, SUM(open_amount) AS open_amount,
       SUM(CASE WHEN due_on < :as_of THEN open_amount ELSE 0 END) AS overdue
FROM receivable_item
WHERE open_amount <> 0
GROUP BY currency
ORDER BY currency"""


def sample_profile(**changes: Any) -> Profile:
    values: dict[str, Any] = {
        "name": "sample-erp",
        "database_url": None,
        "log": "unused.sqlite3",
        "as_of": dt.date(2026, 8, 14),
        "as_of_source": "the sample's date",
        "locale": "de_DE",
        "actor_label": None,
        "role": "controller",
        "company": None,
        "sample": "sample",
    }
    return Profile(**{**values, **changes})


def invoice_evidence(number: int, customer: str = "4471") -> dict[str, Any]:
    id_, issued, due, amount, paid, outstanding, days, _, _ = next(i for i in INVOICES if i[0] == number)
    return {
        "id": f"invoice:{id_}",
        "type": "invoice",
        "recordId": str(id_),
        "label": f"INV-2026-{id_}",
        "uri": f"erp://invoice/{id_}",
        "fields": {
            "number": f"INV-2026-{id_}",
            "customer_id": customer,
            "kind": "invoice",
            "issued_on": issued,
            "due_on": due,
            "currency": "EUR",
            "amount": amount,
            "paid": paid,
            "outstanding": outstanding,
            "status": "open",
            "days_overdue": days,
        },
    }


class Composer:
    """Builds an answer's text with its claims and citations; positions count UTF-16 code units."""

    def __init__(self) -> None:
        self.text = ""
        self.claims: list[dict[str, Any]] = []
        self.citations: list[dict[str, Any]] = []

    def say(self, text: str) -> Composer:
        self.text += text
        return self

    def cite(
        self, text: str, path: str, exact: str, unit: str, ids: list[str], kind: str, field: str | None = None
    ) -> Composer:
        start = len(self.text.encode("utf-16-le")) // 2
        self.text += text
        end = len(self.text.encode("utf-16-le")) // 2
        derivation = {"kind": kind} if field is None else {"kind": kind, "field": field}
        self.claims.append(
            {
                "text": text,
                "span": {"start": start, "end": end},
                "evidenceIds": ids,
                "origin": "structured",
                "path": path,
            }
        )
        self.citations.append(
            {
                "path": path,
                "text": text,
                "exact": exact,
                "unit": unit,
                "evidenceIds": ids,
                "derivation": derivation,
            }
        )
        return self


def overdue_reply(customer: str = "Bergmann Logistik GmbH") -> dict[str, Any]:
    overdue = [f"invoice:{i[0]}" for i in INVOICES[:4]]
    every = [f"invoice:{i[0]}" for i in INVOICES]
    c = Composer()
    c.cite(customer, "customerName", customer, "text", ["customer:4471"], "field", "name")
    c.say(" has an open balance of ")
    c.cite("54.805,00\u00a0€", "openBalance", "54805.00", "EUR", every, "sum", "outstanding")
    c.say(" as of 14.08.2026. Of this, ")
    c.cite("43.805,00\u00a0€", "totalOutstanding", "43805.00", "EUR", overdue, "sum", "outstanding")
    c.say(" is overdue across ")
    c.cite("4", "invoiceCount", "4", "count", overdue, "count")
    c.say(" invoices; the oldest is ")
    c.cite("104\u00a0days", "oldestDaysOverdue", "104", "days", overdue[:1], "field", "days_overdue")
    c.say(" past its due date.\n\n")
    for n, (id_, _, due, _, _, out, days, money, day) in enumerate(INVOICES[:4]):
        ids = [f"invoice:{id_}"]
        c.say("· ")
        c.cite(f"INV-2026-{id_}", f"invoices[{n}].number", f"INV-2026-{id_}", "text", ids, "field", "number")
        c.say(" — ")
        c.cite(money, f"invoices[{n}].outstanding", out, "EUR", ids, "field", "outstanding")
        c.say(", due ")
        c.cite(day, f"invoices[{n}].dueOn", due, "date", ids, "field", "due_on")
        c.say(" (")
        c.cite(f"{days}\u00a0days", f"invoices[{n}].daysOverdue", str(days), "days", ids, "field", "days_overdue")
        c.say(")\n")
    evidence = [{**CUSTOMER, "label": customer, "fields": {**CUSTOMER["fields"], "name": customer}}]
    evidence += [invoice_evidence(i[0]) for i in INVOICES]
    return {
        "refused": False,
        "reason": None,
        "alternatives": [],
        "answer": c.text.rstrip("\n"),
        "claims": c.claims,
        "evidence": evidence,
        "operations": [operation(c.citations)],
    }


def operation(citations: list[dict[str, Any]], name: str = "getOverdueInvoices") -> dict[str, Any]:
    params = {"customer_id": 4471, "as_of": "2026-08-14"}
    return {
        "name": name,
        "arguments": {"customer": "Bergmann", "asOfDate": "2026-08-14"},
        "query": {"sql": SQL, "params": params},
        "queries": [
            {"purpose": "totals", "sql": SQL, "params": params, "rows": 1, "ms": 0.31},
            {
                "purpose": "rows",
                "sql": "SELECT *\nFROM invoices\nWHERE customer_id = :customer_id",
                "params": {"customer_id": 4471},
                "rows": 5,
                "ms": 0.12,
            },
        ],
        "citations": citations,
        "durationMs": 0.9,
        "snapshot": {
            "engine": "SQLite 3.40.1",
            "database": "sample ERP",
            "role": "read-only (query_only)",
            "isolation": "one read transaction",
            "time": "2026-08-14T09:12:03.120Z",
        },
    }


def refused_reply() -> dict[str, Any]:
    return {
        "refused": True,
        "reason": "No customer is called “Acme Corporation”. No query was run, rather than guessing which customer"
        " was meant.",
        "alternatives": ["Adriatic Foods d.d.", "Bergmann Logistik GmbH", "Petrov Components d.o.o."],
        "answer": None,
        "claims": [],
        "evidence": [],
        "operations": [
            {
                "name": "getOverdueInvoices",
                "arguments": {"customer": "Acme Corporation"},
                "outcome": "refused",
                "durationMs": 0.2,
            }
        ],
    }


def empty_reply() -> dict[str, Any]:
    c = Composer()
    customer = "Lumière Packaging SARL"
    c.cite(customer, "customerName", customer, "text", ["customer:4474"], "field", "name")
    c.say(" owes nothing as of 14.08.2026: the open balance is ")
    c.cite("0,00\u00a0€", "openBalance", "0.00", "EUR", ["customer:4474"], "none")
    c.say(".")
    evidence = {
        **CUSTOMER,
        "id": "customer:4474",
        "label": customer,
        "recordId": "4474",
        "uri": "erp://customer/4474",
        "fields": {"id": 4474, "name": customer, "country": "FR"},
    }
    return {
        "refused": False,
        "reason": None,
        "emptyReason": "All of this customer's invoices were paid before the as-of date.",
        "alternatives": [],
        "answer": c.text,
        "claims": c.claims,
        "evidence": [evidence],
        "operations": [operation(c.citations)],
    }


class FakeBackend:
    """Answers from the replies above, and remembers them as a log would. ``delay`` holds each answer back."""

    def __init__(self, profile: Profile | None = None, *, delay: float = 0.0) -> None:
        self.profile = profile or sample_profile()
        self.delay = delay
        self.asked: list[tuple[str, dt.date | None]] = []
        self.records: list[dict[str, Any]] = []
        self.chain = ChainState("intact", checked_at=dt.datetime(2026, 8, 14, 9, 12))
        self.fail: Exception | None = None
        self.replies: dict[str, Callable[[], dict[str, Any]]] = {}
        self.closed = False
        self.actor = "ana@office"

    def open(self, generation: int) -> Opened:
        day, source = self.profile.as_of_today()
        sample = self.profile.sample is not None
        return Opened(
            generation,
            day,
            source,
            examples(self.profile.sample, ["Bergmann Logistik GmbH", "Nordwind Marine AS"]),
            Saying("ok", "Read-only · checked 09:12", "A write was tried and refused."),
            Saying("ok", "Sample data · 2\u00a0ms" if sample else "Connected · 2\u00a0ms"),
        )

    def warm(self) -> None:
        """Nothing here takes time."""

    def ask(self, question: str, as_of: dt.date | None) -> Answer:
        if self.delay:
            time.sleep(self.delay)
        self.asked.append((question, as_of))
        if self.fail is not None:
            raise self.fail
        reply = self._reply(question)
        record = self._record(question, reply)
        return from_reply({**reply, "provenance": record}, question, self.profile.locale)

    def _reply(self, question: str) -> dict[str, Any]:
        if question in self.replies:
            return self.replies[question]()
        if "Acme" in question or "revenue" in question:
            return refused_reply()
        if "Lumi" in question:
            return empty_reply()
        return overdue_reply()

    def _record(self, question: str, reply: dict[str, Any]) -> dict[str, Any]:
        sequence = len(self.records) + 1
        refused = bool(reply["refused"])
        first = dict(reply["operations"][0])
        if refused:
            first |= {"outcome": "refused", "reason": reply["reason"], "alternatives": reply["alternatives"]}
        elif reply.get("emptyReason"):
            first |= {"outcome": "empty", "emptyReason": reply["emptyReason"]}
        record = {
            "id": f"00000000-0000-4000-8000-{sequence:012d}",
            "sequence": sequence,
            "timestamp": f"2026-08-14T07:{sequence // 60:02d}:{sequence % 60:02d}.000Z",
            "actor": {"id": self.actor, "role": "controller"},
            "question": question,
            "answer": reply["answer"] or reply["reason"],
            "claims": reply["claims"],
            "operations": [first, *reply["operations"][1:]],
            "evidence": reply["evidence"],
            "previousHash": self.records[-1]["hash"] if self.records else "0" * 64,
        }
        record["hash"] = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
        self.records.append(record)
        return record

    def list(self, generation: int, search: str | None, before: int | None, limit: int) -> Listed:
        chosen = [r for r in reversed(self.records) if before is None or r["sequence"] < before]
        if search:
            chosen = [r for r in chosen if search.lower() in f"{r['question']} {r['answer']}".lower()]
        lines = []
        for record in chosen[:limit]:
            answer = from_record(record, self.profile.locale)
            lines.append(
                Line(
                    record["id"],
                    record["sequence"],
                    record["timestamp"],
                    record["question"],
                    answer.outcome,
                    len(answer.figures),
                    answer.summary,
                )
            )
        return Listed(generation, tuple(lines), before, len(chosen) > limit, len(self.records))

    def find(self, key: str) -> Answer | None:
        for record in self.records:
            if key in (record["id"], str(record["sequence"])):
                return from_record(record, self.profile.locale)
        return None

    def export(self, generation: int, path: str) -> Exported:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"records": self.records}, file)
        return Exported(generation, path, len(self.records))

    def verify(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> ChainState:
        count = len(self.records)
        chain = self.chain
        return ChainState(chain.state, count, chain.failed_at, chain.reason, checked_at=chain.checked_at)

    def close(self) -> None:
        self.closed = True
