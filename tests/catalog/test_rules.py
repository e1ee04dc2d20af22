"""The finance rules: dates, currencies, credits, statuses, ages, what is empty and what is wrong."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.catalog.result import Refusal


def refusal(catalog: Catalog, name: str, arguments: dict[str, Any]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        catalog.run(name, arguments)
    return refused.value


# -- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "day",
    [
        "2026-02-31", "2026-13-45", "14.08.2026", "2026-8-14", "2026-08-14T00:00:00Z", "", "2026-08-14\n",
        "２０２６-08-14", "20260814", "2026-W33-5", "0000-01-01", "9999-99-99", 20260814, True, ["2026-08-14"],
    ],
)  # fmt: skip
def test_what_is_no_calendar_date_is_refused(sample: Catalog, day: Any) -> None:
    for name, arguments in (
        ("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": day}),
        ("getReceivablesAging", {"asOfDate": day}),
        ("getPaymentHistory", {"customer": "Bergmann", "sinceDate": day}),
        ("getCustomerStatement", {"customer": "Bergmann", "fromDate": day, "toDate": "2026-08-14"}),
    ):
        refused = refusal(sample, name, arguments)
        assert refused.kind == "invalid_argument"
        assert "YYYY-MM-DD" in refused.message


def test_a_leap_day_is_a_date(sample: Catalog) -> None:
    assert sample.run("getReceivablesAging", {"asOfDate": "2024-02-29"}).values["asOfDate"] == "2024-02-29"
    assert refusal(sample, "getReceivablesAging", {"asOfDate": "2026-02-29"}).kind == "invalid_argument"


def test_arguments_are_refused_in_our_words(sample: Catalog) -> None:
    extra = refusal(sample, "getOverdueInvoices", {"customer": "Bergmann", "limit": 1})
    assert extra.message == '"limit" is not an argument of getOverdueInvoices; it takes customer, asOfDate.'
    assert refusal(sample, "getOverdueInvoices", {}).message.startswith("customer is missing")
    assert refusal(sample, "getOverdueInvoices", {"customer": ""}).message == "customer is empty."
    for value in (4471, None, ["Bergmann"], {"a": 1}):
        message = refusal(sample, "getOverdueInvoices", {"customer": value}).message
        assert "pydantic" not in message
        assert message.startswith("customer: ")
    assert refusal(sample, "getTopDebtors", {"limit": 0}).kind == "invalid_argument"
    assert refusal(sample, "getTopDebtors", {"limit": 101}).kind == "invalid_argument"
    assert refusal(sample, "dropEverything", {}).kind == "unknown_operation"
    swapped = {"customer": "Bergmann", "fromDate": "2026-08-02", "toDate": "2026-08-01"}
    assert "earlier day first" in refusal(sample, "getCustomerStatement", swapped).message


def test_the_as_of_date_is_today_unless_something_sets_it(ledger: Callable[..., Catalog]) -> None:
    catalog = ledger(as_of=None)
    result = catalog.run("getReceivablesAging", {})
    assert result.values["asOfDate"] == dt.date.today().isoformat()
    assert result.snapshot["asOfSource"] == "today"


# -- money ---------------------------------------------------------------------------------------------------------


def test_currencies_are_never_added(tricky: Catalog) -> None:
    values = tricky.run("getOverdueInvoices", {"customer": "Tokyo"}).values
    assert values["totalOutstanding"] is None
    assert values["totalOutstandingCents"] is None
    assert values["openBalance"] is None
    totals = {t["currency"]: t["overdueCents"] for t in values["totals"]}  # type: ignore
    assert totals == {"EUR": 100000, "JPY": 1500000, "USD": 200000}
    shown = {t["currency"]: t["overdue"] for t in values["totals"]}  # type: ignore
    assert shown["JPY"] == "1.500.000\u00a0¥"
    aging = tricky.run("getReceivablesAging", {}).values
    assert aging["totalOutstanding"] is None
    assert [t["currency"] for t in aging["totals"]] == ["EUR", "JPY", "USD"]  # type: ignore
    debtors = tricky.run("getTopDebtors", {"limit": 1}).values["debtors"]
    assert [(d["currency"], d["rank"]) for d in debtors] == [("EUR", 1), ("JPY", 1), ("USD", 1)]  # type: ignore


def test_beyond_two_to_the_53_nothing_is_rounded(tricky: Catalog) -> None:
    result = tricky.run("getOverdueInvoices", {"customer": "Großbetrag"})
    assert result.values["openBalanceCents"] == "9007199254740993"
    assert result.values["openBalance"] == "90.071.992.547.409,93\u00a0€"
    assert result.by_path["openBalance"].exact == "90071992547409.93"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 2**53), min_size=1, max_size=6))
def test_sums_are_exact(ledger: Callable[..., Catalog], amounts: list[int]) -> None:
    result = ledger(invoices=[{"amount_cents": a} for a in amounts]).run("getReceivablesAging", {})
    assert int(str(result.values["totalOutstandingCents"])) == sum(amounts)
    assert Decimal(result.by_path["totalOutstanding"].exact) == Decimal(sum(amounts)) / 100


def test_an_amount_too_large_to_add_is_refused(ledger: Callable[..., Catalog]) -> None:
    catalog = ledger(invoices=[{"amount_cents": 2**63 - 1}, {"amount_cents": 2**63 - 1}])
    assert refusal(catalog, "getReceivablesAging", {}).kind == "unavailable"


def test_a_float_is_no_amount(ledger: Callable[..., Catalog]) -> None:
    catalog = ledger(invoices=[{"amount_cents": 0.1 + 0.2}])
    assert "not as an exact number" in refusal(catalog, "getReceivablesAging", {}).message


# -- credits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("customer", "open_cents", "overdue_cents", "credit_cents", "kind"),
    [("Gutschrift", 50000, 80000, -30000, "credit_note"), ("Überzahler", 58000, 70000, -12000, "overpayment")],
)
def test_credits_are_shown_and_reduce_the_open_balance_only(
    tricky: Catalog, customer: str, open_cents: int, overdue_cents: int, credit_cents: int, kind: str
) -> None:
    values = tricky.run("getOverdueInvoices", {"customer": customer}).values
    assert values["openBalanceCents"] == open_cents
    assert values["totalOutstandingCents"] == overdue_cents
    assert values["totals"][0]["creditsCents"] == credit_cents  # type: ignore
    assert [(c["kind"], c["amountCents"]) for c in values["credits"]] == [(kind, credit_cents)]  # type: ignore
    assert [n["code"] for n in values["notes"]] == ["credits_reduce_open_balance"]  # type: ignore


def test_aging_has_credits_inside_the_total_in_a_bucket_of_their_own(ledger: Callable[..., Catalog]) -> None:
    rows = [{"amount_cents": 1000}, {"amount_cents": -300}, {"amount_cents": 500, "paid_cents": 600}]
    values = ledger(invoices=rows, payments=[(1, 3, "2026-02-02", 600)]).run("getReceivablesAging", {}).values
    buckets = {b["bucket"]: (b["outstandingCents"], b["invoiceCount"]) for b in values["buckets"]}  # type: ignore
    assert buckets == {"90+": (1000, 1), "unallocated_credits": (-400, 2)}
    assert values["totalOutstandingCents"] == 600
    assert values["invoiceCount"] == 1
    assert "credits_inside_total" in [n["code"] for n in values["notes"]]  # type: ignore


# -- status, ages, data errors --------------------------------------------------------------------------------------


def test_what_is_no_receivable_never_counts_and_is_said(tricky: Catalog) -> None:
    values = tricky.run("getOverdueInvoices", {"customer": "Entwurf"}).values
    assert values["openBalanceCents"] == 80000
    left_out = {e["reason"]: e["count"] for e in values["excluded"]}  # type: ignore
    assert left_out == {"draft": 1, "cancelled": 1, "credited": 1, "on-hold?": 1}
    assert [n["code"] for n in tricky.run("getInvoice", {"number": "RE-7026"}).values["notes"]] == [  # type: ignore
        "not_a_receivable"
    ]


@pytest.mark.parametrize(
    ("due_days_ago", "bucket"),
    [(-30, "not_yet_due"), (0, "not_yet_due"), (1, "1-30"), (30, "1-30"), (31, "31-60"), (60, "31-60"), (61, "61-90"),
     (90, "61-90"), (91, "90+"), (5000, "90+")],
)  # fmt: skip
def test_bucket_boundaries(ledger: Callable[..., Catalog], due_days_ago: int, bucket: str) -> None:
    due = dt.date(2026, 8, 14) - dt.timedelta(days=due_days_ago)
    catalog = ledger(invoices=[{"due_on": due.isoformat(), "issued_on": "2000-01-01"}])
    assert [b["bucket"] for b in catalog.run("getReceivablesAging", {}).values["buckets"]] == [bucket]  # type: ignore
    overdue = catalog.run("getOverdueInvoices", {"customer": "Alpha"}).values
    assert overdue["invoiceCount"] == (1 if due_days_ago > 0 else 0)
    assert overdue["oldestDaysOverdue"] == (due_days_ago if due_days_ago > 0 else None)


def test_bucket_bounds_are_configurable_and_stated(ledger: Callable[..., Catalog]) -> None:
    rows = [{"due_on": "2026-08-09"}, {"due_on": "2026-07-31"}, {"due_on": "2026-01-01"}]
    values = ledger(invoices=rows, aging_bounds=(7, 14)).run("getReceivablesAging", {}).values
    assert values["bucketBounds"] == [7, 14]
    assert [b["bucket"] for b in values["buckets"]] == ["14+", "8-14", "1-7"]  # type: ignore
    with pytest.raises(ValueError, match="ascending"):
        ledger(aging_bounds=(30, 30)).run("getReceivablesAging", {})


def test_malformed_dates_are_listed_and_abort_nothing(tricky: Catalog) -> None:
    values = tricky.run("getOverdueInvoices", {"customer": "Datenfehler"}).values
    assert {e["label"] for e in values["dataErrors"]} == {"RE-7031", "RE-7032", "RE-7033", "RE-7034", "RE-7035"}  # type: ignore
    assert values["invoiceCount"] == 2
    aging = tricky.run("getReceivablesAging", {}).values
    buckets = {b["bucket"]: b["outstandingCents"] for b in aging["buckets"] if b["currency"] == "EUR"}  # type: ignore
    assert buckets["no_due_date"] == 10100 + 20200 + 40400
    problem = next(e["problem"] for e in values["dataErrors"] if e["label"] == "RE-7031")  # type: ignore
    assert "2026-13-45" in problem  # type: ignore


def test_a_payment_without_a_date_is_not_counted_in_a_period_but_listed(ledger: Callable[..., Catalog]) -> None:
    catalog = ledger(
        invoices=[{"amount_cents": 1000, "paid_cents": 700}],
        payments=[(1, 1, "2026-03-01", 500), (2, 1, "31.03.2026", 200)],
    )
    values = catalog.run("getPaymentHistory", {"customer": "Alpha"}).values
    assert values["totalReceivedCents"] == 500
    assert [e["evidenceId"] for e in values["dataErrors"]] == ["payment:2"]  # type: ignore


def test_empty_results_say_why(tricky: Catalog, sample: Catalog) -> None:
    for catalog, name, arguments, code in [
        (tricky, "getOverdueInvoices", {"customer": "Leerkunde"}, "no_open_items"),
        (sample, "getOverdueInvoices", {"customer": "Lumière"}, "nothing_overdue"),
        (sample, "getPaymentHistory", {"customer": "Adriatic"}, "no_payments"),
        (sample, "getOpenTickets", {"customer": "Nordwind"}, "no_open_tickets"),
        (sample, "getReceivablesAging", {"asOfDate": "2020-01-01"}, "no_open_items"),
        (sample, "getTopDebtors", {"asOfDate": "2020-01-01"}, "no_open_items"),
        (sample, "findCustomers", {"query": "Acme"}, "no_match"),
        (sample, "getCustomerStatement", {"customer": "Nordwind", "fromDate": "2020-01-01", "toDate": "2020-02-01"},
         "no_movements"),
    ]:  # fmt: skip
        result = catalog.run(name, arguments)
        assert result.values["emptyCode"] == code
        assert result.empty_reason == result.values["emptyReason"]
        assert str(result.values["emptyReason"]).endswith(".")


def test_an_invoice_number_at_two_customers_is_ambiguous(tricky: Catalog) -> None:
    refused = refusal(tricky, "getInvoice", {"number": "RE-DOPPELT"})
    assert refused.kind == "ambiguous_entity"
    assert refused.alternatives == ("7040", "7041")
    assert tricky.run("getInvoice", {"number": "7040"}).values["customerId"] == 5010
    assert refusal(tricky, "getInvoice", {"number": "RE-7o01"}).alternatives[0] == "RE-7001"


def test_a_total_that_differs_from_its_rows_is_refused(sample: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    from footnote_desktop.erp.sqlite import SqliteSnapshot

    honest = SqliteSnapshot.query

    def crooked(self: Any, sql: str, params: Any) -> Any:
        rows = honest(self, sql, params)
        if "GROUP BY currency" in sql and rows.rows:
            last = list(rows.rows[-1])
            index = next(i for i, v in enumerate(last) if isinstance(v, int) and v > 1000)
            last[index] += 1
            return type(rows)(rows.names, [*rows.rows[:-1], tuple(last)], rows.ms)
        return rows

    monkeypatch.setattr(SqliteSnapshot, "query", crooked)
    for name, arguments in [
        ("getOverdueInvoices", {"customer": "Bergmann"}),
        ("getCustomerSummary", {"customer": "Bergmann"}),
        ("getReceivablesAging", {}),
        ("getPaymentHistory", {"customer": "Bergmann"}),
        ("getCustomerStatement", {"customer": "Bergmann", "fromDate": "2026-06-01", "toDate": "2026-07-31"}),
    ]:
        assert refusal(sample, name, arguments).kind == "inconsistent", name


# -- any ledger, at any date ----------------------------------------------------------------------------------------

DAYS = st.integers(0, 400).map(lambda n: dt.date(2026, 1, 1) + dt.timedelta(days=n))


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[tuple[int, int, str, int]]]:
    invoices, payments = [], []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        issued, amount = draw(DAYS), draw(st.integers(-5_000, 50_000).filter(bool))
        paid = 0
        for _ in range(draw(st.integers(0, 3)) if amount > 0 else 0):
            part = draw(st.integers(1, amount))
            paid += part
            received = issued + dt.timedelta(days=draw(st.integers(0, 90)))
            payments.append((len(payments) + 1, number, received.isoformat(), part))
        invoices.append(
            {
                "customer_id": draw(st.integers(1, 2)),
                "issued_on": issued.isoformat(),
                "due_on": (issued + dt.timedelta(days=draw(st.integers(0, 60)))).isoformat(),
                "currency": draw(st.sampled_from(["EUR", "USD", "JPY"])),
                "amount_cents": amount,
                "paid_cents": paid,
                "status": draw(st.sampled_from(["open", "OPEN", "paid", "draft", "cancelled"])),
            }
        )
    return invoices, payments


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(ledgers(), DAYS)
def test_sql_agrees_with_an_obvious_model_of_a_ledger(
    ledger: Callable[..., Catalog], made: tuple[list[dict[str, Any]], list[tuple[int, int, str, int]]], day: dt.date
) -> None:
    invoices, payments = made
    catalog = ledger(invoices=invoices, payments=payments, as_of=day)
    as_of = day.isoformat()
    for customer in (1, 2):
        expected: dict[str, list[int]] = {}
        for number, row in enumerate(invoices, 1):
            if row["customer_id"] != customer or row["status"].lower() in ("draft", "cancelled"):
                continue
            if row["issued_on"] > as_of:
                continue
            remaining = row["amount_cents"] - sum(p[3] for p in payments if p[1] == number and p[2] <= as_of)
            if remaining:
                total = expected.setdefault(row["currency"], [0, 0, 0])
                total[0] += remaining
                if remaining > 0 and row["due_on"] < as_of:
                    total[1] += remaining
                    total[2] += 1
        values = catalog.run("getOverdueInvoices", {"customer": str(customer)}).values
        found = {
            t["currency"]: [t["openBalanceCents"], t["overdueCents"], t["overdueInvoiceCount"]]  # type: ignore
            for t in values["totals"]  # type: ignore
        }
        assert found == expected
        before = (day - dt.timedelta(days=45)).isoformat()
        statement = {"customer": str(customer), "fromDate": before, "toDate": as_of}
        closing = catalog.run("getCustomerStatement", statement).values["totals"]
        assert {
            t["currency"]: t["closingBalanceCents"]  # type: ignore
            for t in closing  # type: ignore
            if t["closingBalanceCents"]  # type: ignore
        } == {currency: total[0] for currency, total in expected.items() if total[0]}
    catalog.close()
