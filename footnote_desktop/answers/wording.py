"""What is said for each operation's result. The words stand in ``resources/lexicon/wording.LANGUAGE.toml``."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_desktop.answers.slots import Claim, Composer
from footnote_desktop.catalog.result import OperationResult
from footnote_desktop.figures.money import formatter
from footnote_desktop.settings import data_folder

#: Rows of one list that the prose shows; the rest is counted and stands in the values and the evidence.
MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in words, and the claims in it."""

    text: str
    claims: tuple[Claim, ...]


@functools.cache
def table(language: str) -> Mapping[str, Any]:
    """The words of a language: sections of templates, ``nouns`` and ``labels``."""
    with (data_folder("resources") / "lexicon" / f"wording.{language}.toml").open("rb") as file:
        return tomllib.load(file)


class Teller(Composer):
    """A composer that knows the language's templates, and the result that it tells of."""

    def __init__(self, result: OperationResult, language: str, locale: str, focus: str | None):
        self.words = table(language)
        nouns = {word: (one, many) for word, (one, many) in self.words["nouns"].items()}
        super().__init__(result, formatter(locale), nouns)
        self.values: Mapping[str, Any] = result.values
        self.focus = focus
        self.as_of = self.date(str(result.values["asOfDate"]))

    def tell(self, key: str, at: str = "", **plain: str) -> None:
        """Append the template ``section.name``; the as-of date is at hand in every one."""
        section, name = key.split(".")
        self.say(self.words[section][name], at, asOf=self.as_of, **plain)

    def label(self, key: str) -> str:
        """A code of the catalog in words; the code itself where none are known."""
        return str(self.words["labels"].get(key, key.replace("_", " ")))

    def cites(self, path: str) -> bool:
        return path in self._result.by_path

    def rows(self, key: str, path: str, tell_row: Callable[[str, Mapping[str, Any]], None]) -> None:
        """Tell the first rows of a list, and say how many more there are."""
        rows: Sequence[Mapping[str, Any]] = self.values[path]
        for index, row in enumerate(rows[:MAX_SHOWN]):
            tell_row(f"{path}[{index}]", row)
        more = len(rows) - MAX_SHOWN if len(rows) > MAX_SHOWN else 0
        more += int(self.values.get(f"{path}Omitted") or 0)
        if more > 0:
            self.tell("common.more", count=self._formatter.count(more))


def compose(
    result: OperationResult,
    *,
    language: str = "en",
    locale: str = "de_DE",
    intent: str | None = None,
    focus: str | None = None,
    notes: Sequence[str] = (),
) -> Told:
    """The answer for a result in words, each figure in it a claim with its evidence.

    ``intent``: ``risk`` tells a summary as an interpretation; ``focus``: the one fact of a summary asked for;
    ``notes``: keys of the section ``notes``, said at the end.
    """
    teller = Teller(result, language, locale, focus)
    tell = _risk if intent == "risk" else _BY_OPERATION[result.operation]
    tell(teller)
    _asides(teller, notes)
    return Told(teller.text.rstrip("\n"), tuple(teller.claims))


# -- what every answer may need ------------------------------------------------------------------------------------


def _asides(t: Teller, notes: Sequence[str]) -> None:
    """Notes of the catalog and of the question, documents left out, and rows whose data contradict themselves."""
    said = []
    for note in t.values.get("notes") or ():
        said.append(t.words["notes"].get(note["code"], note["text"]))
    for key in notes:
        if key != "open_list" or t.values["openInvoiceCount"] > t.values["invoiceCount"] > 0:
            said.append(t.words["notes"][key])
    excluded = t.values.get("excluded") or ()
    faults = t.values.get("dataErrors") or ()
    if not (said or excluded or faults) or (t.focus is not None and not notes):
        return
    t.say("\n")
    for sentence in dict.fromkeys(said):
        t.say("{=note}\n", note=sentence.replace("{asOf}", t.as_of))
    for index, entry in enumerate(excluded):
        t.tell("common.excluded", f"excluded[{index}]", reason=str(entry["reason"]))
    if faults:
        t.tell("common.data_errors")
        for fault in faults:
            t.tell("common.data_error", label=str(fault["label"]), problem=str(fault["problem"]))
        if t.values.get("dataErrorsOmitted"):
            t.tell("common.more", count=str(t.values["dataErrorsOmitted"]))


def _balance_key(entry: Mapping[str, Any], overdue_count: int) -> str:
    """Which template tells a balance: credits and what is overdue decide."""
    if entry["credits"] is not None:
        if not entry["openInvoiceCount"]:
            return "only_credits"
        return "with_credits" if overdue_count else "with_credits_not_overdue"
    return "overdue" if overdue_count else "not_overdue"


# -- operations ----------------------------------------------------------------------------------------------------


def _overdue(t: Teller) -> None:
    totals = t.values["totals"]
    if not totals:
        t.tell("owe.nothing_open")
    elif len(totals) == 1:
        t.tell(f"owe.{_balance_key(totals[0], t.values['invoiceCount'])}")
        if t.values["oldestDaysOverdue"] is not None:
            t.tell("owe.oldest")
    else:
        t.tell("owe.currencies")
        for index, entry in enumerate(totals):
            t.tell(f"owe.in_{_balance_key(entry, entry['overdueInvoiceCount'])}", f"totals[{index}]")
        if t.values["oldestDaysOverdue"] is not None:
            t.tell("owe.oldest_of_all")
    t.say("\n")
    if t.values["invoices"]:
        t.say("\n")
        t.rows("owe", "invoices", lambda at, row: t.tell("owe.row", at))
    if t.values["credits"]:
        t.tell("owe.credits")
        t.rows("owe", "credits", lambda at, row: t.tell("owe.credit_row", at, kind=t.label(str(row["kind"]))))


def _facts(t: Teller) -> None:
    """The facts of a summary, one line each; what the ERP does not hold is left out."""
    for path in ("segment", "country", "accountOwner"):
        if t.cites(path):
            t.tell(f"summary.{path}")
    if t.cites("paymentTermsDays"):
        t.tell("summary.paymentTermsDays")
    _balances(t)
    t.tell("summary.tickets")


def _balances(t: Teller) -> None:
    totals = t.values["totals"]
    if not totals:
        t.tell("summary.nothing_open")
    for index, entry in enumerate(totals):
        t.tell(f"summary.in_{_balance_key(entry, entry['overdueInvoiceCount'])}", f"totals[{index}]")
    if t.values["oldestDaysOverdue"] is not None:
        t.tell("summary.oldest")


_FOCUS = {"terms": "paymentTermsDays", "owner": "accountOwner", "country": "country", "segment": "segment"}


def _summary(t: Teller) -> None:
    if t.focus is not None:
        known = t.cites(_FOCUS[t.focus])
        t.tell(f"summary.only_{t.focus}" if known else f"summary.no_{t.focus}")
        return
    t.tell("summary.head")
    _facts(t)


def _risk(t: Teller) -> None:
    """The conclusion as an interpretation, and under it each premise as a fact with evidence of its own."""
    overdue = any(entry["overdueInvoiceCount"] for entry in t.values["totals"])
    tickets = bool(t.values["openTicketCount"])
    key = "both" if overdue and tickets else "overdue" if overdue else "tickets" if tickets else "none"
    t.tell(f"risk.{key}")
    t.tell("risk.premises")
    _balances(t)
    t.tell("summary.tickets")
    if t.cites("paymentTermsDays"):
        t.tell("summary.paymentTermsDays")
    if t.cites("accountOwner"):
        t.tell("summary.accountOwner")
    t.tell("risk.close")


def _payments(t: Teller) -> None:
    since = t.values["sinceDate"]
    plain = {"since": t.date(since)} if since else {}
    suffix = "_since" if since else ""
    totals = t.values["totals"]
    if not totals:
        t.tell(f"payments.none{suffix}", **plain)
        return
    if len(totals) == 1:
        t.tell(f"payments.total{suffix}", **plain)
    else:
        t.tell(f"payments.currencies{suffix}", **plain)
        for index in range(len(totals)):
            t.tell("payments.in_currency", f"totals[{index}]")
    t.tell("payments.latest")
    t.rows("payments", "payments", lambda at, row: _payment_row(t, at, row))


def _payment_row(t: Teller, at: str, row: Mapping[str, Any]) -> None:
    t.tell("payments.row", at)
    if row["method"] is not None:
        t.tell("payments.method", at)
    if row["kind"] not in ("payment", "cash"):
        t.tell("payments.kind", at, kind=t.label(str(row["kind"])))
    t.say("\n")


def _tickets(t: Teller) -> None:
    if not t.values["openCount"]:
        t.tell("tickets.none")
        return
    t.tell("tickets.head")
    t.rows("tickets", "tickets", lambda at, row: _ticket_row(t, at, row))


def _ticket_row(t: Teller, at: str, row: Mapping[str, Any]) -> None:
    t.tell("tickets.subject" if row["subject"] is not None else "tickets.no_subject", at)
    if row["severity"] is not None:
        t.tell("tickets.severity", at)
    if row["openedOn"] is not None:
        t.tell("tickets.opened", at)
    t.say("\n")


def _aging(t: Teller) -> None:
    totals = t.values["totals"]
    if not totals:
        t.tell("aging.none")
        return
    if len(totals) == 1:
        t.tell("aging.total")
    else:
        t.tell("aging.currencies")
    for number, total in enumerate(totals):
        if len(totals) > 1:
            t.tell("aging.in_currency", f"totals[{number}]")
        for index, bucket in enumerate(t.values["buckets"]):
            if bucket["currency"] == total["currency"]:
                t.tell("aging.row", f"buckets[{index}]", label=_bucket(t, str(bucket["bucket"])))


def _bucket(t: Teller, key: str) -> str:
    if key in t.words["labels"]:
        return t.label(key)
    days = f">{key[:-1]}" if key.endswith("+") else key.replace("-", "–")
    return str(t.words["labels"]["days_past_due"]).replace("{days}", days)


def _find(t: Teller) -> None:
    query = str(t.values["query"])
    if not t.values["matchCount"]:
        t.tell("find.none", query=query)
        if t.values["nearest"]:
            t.tell("find.nearest", names=", ".join(map(str, t.values["nearest"])))
        return
    t.tell("find.head", query=query)
    t.rows("find", "customers", lambda at, row: _customer_row(t, at, row))


def _customer_row(t: Teller, at: str, row: Mapping[str, Any]) -> None:
    t.tell("find.row" if row["country"] is not None else "find.row_no_country", at)


def _invoice(t: Teller) -> None:
    t.tell("invoice.head", kind=t.label(str(t.values["kind"])))
    for path in ("issuedOn", "dueOn"):
        if t.values[path] is not None:
            t.tell(f"invoice.{path}")
    t.tell("invoice.amounts")
    if t.values["daysOverdue"] is not None:
        t.tell("invoice.overdue")
    t.say("\n")
    if t.values["payments"]:
        t.tell("invoice.payments")
        t.rows("invoice", "payments", lambda at, row: _invoice_payment(t, at, row))


def _invoice_payment(t: Teller, at: str, row: Mapping[str, Any]) -> None:
    t.tell("invoice.payment" if row["receivedOn"] is not None else "invoice.payment_undated", at)
    if row["method"] is not None:
        t.tell("payments.method", at)
    t.say("\n")


def _statement(t: Teller) -> None:
    period = {"first": t.date(str(t.values["fromDate"])), "last": t.date(str(t.values["toDate"]))}
    if not t.values["totals"]:
        t.tell("statement.none", **period)
        return
    t.tell("statement.head", **period)
    for index, total in enumerate(t.values["totals"]):
        at = f"totals[{index}]"
        t.tell("statement.opening", at)
        t.tell("statement.moved", at)
        if total["settledEarlier"] is not None:
            t.tell("statement.earlier", at)
        t.tell("statement.closing", at)
    if t.values["lines"]:
        t.say("\n")
    t.rows("statement", "lines", lambda at, row: t.tell("statement.row", at, type=t.label(str(row["type"]))))


def _top(t: Teller) -> None:
    debtors = t.values["debtors"]
    if not debtors:
        t.tell("top.none")
        return
    t.tell("top.head" if t.values["customerCount"] != 1 else "top.head_one")
    several = len({row["currency"] for row in debtors}) > 1
    if not several:
        t.tell("top.first")
    t.say("\n\n")
    for index, row in enumerate(debtors):
        if several and row["rank"] == 1:
            t.tell("top.currency", currency=str(row["currency"]))
        key = "row" if row["overdueCents"] not in (0, "0") else "row_not_overdue"
        t.tell(f"top.{key}", f"debtors[{index}]", rank=str(row["rank"]))


def _chain(t: Teller) -> None:
    if t.values["ok"]:
        t.tell("chain.ok")
    else:
        t.tell("chain.broken", reason=str(t.values["reason"] or ""))


_BY_OPERATION: Mapping[str, Callable[[Teller], None]] = {
    "getOverdueInvoices": _overdue,
    "getCustomerSummary": _summary,
    "getPaymentHistory": _payments,
    "getOpenTickets": _tickets,
    "getReceivablesAging": _aging,
    "findCustomers": _find,
    "getInvoice": _invoice,
    "getCustomerStatement": _statement,
    "getTopDebtors": _top,
    "verifyProvenanceChain": _chain,
}
