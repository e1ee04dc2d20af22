"""One run of an operation: what it reads in its snapshot, and the evidence it gathers while it reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from footnote_desktop.catalog.entities import Customer, resolve
from footnote_desktop.catalog.result import Cited, Query, Refusal, Said
from footnote_desktop.erp.engine import Rows, Snapshot, used_parameters
from footnote_desktop.erp.mapping import BoundMapping, exact
from footnote_desktop.figures import money
from footnote_desktop.provenance.evidence import Derivation, Evidence, JsonValue, RowSet

#: Rows of evidence that stand in a record one by one; beyond, they stand in row sets.
MAX_ROWS_IN_RECORD = 1_000
#: Rows that a list in a result shows; the rest is counted, and stands in the evidence.
MAX_LISTED = 100
#: JSON integers are exact up to here in every reader (RFC 7493, I-JSON).
MAX_JSON_INTEGER = 2**53 - 1

SUM_OUTSTANDING = Derivation("sum", "outstanding")
COUNT = Derivation("count")
NOTHING = Derivation("none")

DerivationKind = Literal["field", "sum", "count", "max", "min", "none"]


@dataclass(slots=True)
class Reading:
    """Everything that one run of an operation reads and cites."""

    snapshot: Snapshot
    bound: BoundMapping
    as_of: dt.date
    locale: str
    aging_bounds: tuple[int, ...]
    queries: list[Query] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    rowsets: list[RowSet] = field(default_factory=list)

    # -- reading ---------------------------------------------------------------------------------------------------

    def select(
        self,
        purpose: str,
        relations: tuple[str, ...],
        sql: str,
        params: Mapping[str, Any] | None = None,
        *,
        scoped: bool = False,
    ) -> Rows:
        """Run one SELECT over the canonical relations; ``scoped``: for the customer in ``params``."""
        given = {"as_of": self.as_of, **(params or {})}
        statement = self.bound.with_relations(relations, sql, scoped=scoped)
        rows = self.snapshot.query(statement, given)
        used = {k: as_json(v) for k, v in used_parameters(statement, given).items()}
        self.queries.append(Query(purpose, statement, used, len(rows.rows), rows.ms))
        return rows

    def customers(self) -> list[Customer]:
        """All customers, in record order: where the first match matters, this order is the contract."""
        rows = self.select("entity", ("customer",), "SELECT id, name FROM customer ORDER BY id")
        return [Customer(_id(row[0]), str(row[1])) for row in rows.rows]

    def customer(self, text: str) -> tuple[Customer, str]:
        """The one customer that ``text`` means, and the id of the evidence for it. Raises :class:`Refusal`."""
        found = resolve(self.customers(), text)
        if found.customer is None:
            shown = text if len(text) <= 80 else text[:80] + "…"
            if found.ambiguous:
                raise Refusal(
                    "ambiguous_entity",
                    f'"{shown}" may mean several customers. Say which: {_either(found.alternatives)}.',
                    found.alternatives,
                    self.queries,
                )
            near = f" Did you mean: {_either(found.alternatives)}?" if found.alternatives else ""
            raise Refusal("unknown_entity", f'No customer matches "{shown}".{near}', found.alternatives, self.queries)
        rows = self.select(
            "customer",
            ("customer",),
            "SELECT id, name, country, segment, payment_terms_days, owner FROM customer WHERE id = :customer_id",
            {"customer_id": found.customer.id},
            scoped=True,
        ).dicts()
        return found.customer, self.cite_customer(rows[0])

    # -- evidence --------------------------------------------------------------------------------------------------

    def add(self, evidence: Evidence) -> str:
        """Gather a row of evidence once; its id."""
        known = self.evidence.setdefault(evidence.id, evidence)
        if known is not evidence and dict(known.fields) != dict(evidence.fields):
            raise AssertionError(f"two different rows call themselves {evidence.id}")
        return evidence.id

    def cite_customer(self, row: Mapping[str, Any]) -> str:
        return self.add(
            make_evidence(
                "customer",
                row["id"],
                str(row["name"]),
                {k: as_json(row[k]) for k in ("id", "name", "country", "segment", "payment_terms_days", "owner")},
            )
        )

    def cite_ledger(self, **counted: int) -> str:
        """The evidence for what is said of the whole book: all receivables of the company, as they were looked
        through, with what was ``counted`` in them."""
        company = self.bound.mapping.company
        fields: dict[str, JsonValue] = {
            "company": company,
            "currency": self.bound.mapping.company_currency,
            "as_of": self.as_of.isoformat(),
            **counted,
        }
        version = "".join(f"@{name}" for name in counted)
        return self.add(make_evidence("ledger", company, f"All receivables of {company}", fields, version))

    def amount(self, raw: Any, currency: str) -> Decimal:
        """An amount as the database gave it, in the currency's unit."""
        number = exact(raw)
        if self.bound.mapping.amounts == "minor":
            return money.from_minor(number, currency)
        return Decimal(number)

    def plain(self, raw: Any, currency: str) -> str:
        """An amount as the database gave it, as exact text in the currency's unit: ``18450.00``."""
        if self.bound.mapping.amounts == "minor" and type(raw) is int:
            return money.plain_minor(raw, money.digits(currency))
        return money.plain(self.amount(raw, currency), currency)

    def own_currency(self) -> str:
        return self.bound.mapping.company_currency

    # -- values ----------------------------------------------------------------------------------------------------

    def put_money(
        self, node: dict[str, Any], key: str, amount: Decimal, currency: str, ids: Sequence[str], derivation: Derivation
    ) -> None:
        """Set ``key`` (as shown) and ``keyCents`` (whole minor units) to one cited amount."""
        evidence_ids = tuple(ids)
        exact_text = money.plain(amount, currency)
        shown = money.formatter(self.locale).money(amount, currency)
        minor = money.to_minor(amount, currency)
        cents: JsonValue = minor if abs(minor) <= MAX_JSON_INTEGER else str(minor)
        node[key] = Cited(shown, shown, exact_text, currency, evidence_ids, derivation)
        node[f"{key}Cents"] = Cited(cents, str(minor), exact_text, currency, evidence_ids, derivation)


# -- values without a currency -------------------------------------------------------------------------------------


def text(value: Any, evidence_id: str, field_name: str) -> Cited | None:
    """A field of one row, as text. None where the row has none."""
    if value is None:
        return None
    shown = str(value)
    return Cited(shown, shown, shown, "text", (evidence_id,), Derivation("field", field_name))


def day(value: Any, evidence_id: str, field_name: str) -> Cited | None:
    """A calendar date of one row, ISO 8601. None where the row has none."""
    if value is None:
        return None
    shown = iso(value)
    return Cited(shown, shown, shown, "date", (evidence_id,), Derivation("field", field_name))


def identifier(value: int | str, evidence_id: str) -> Cited:
    return Cited(value, str(value), str(value), "text", (evidence_id,), Derivation("field", "id"))


def count(number: int, ids: Iterable[str], otherwise: str) -> Cited:
    """How many rows are cited; with none, ``otherwise`` is the record that was looked under."""
    evidence_ids = tuple(ids)
    if not evidence_ids:
        return Cited(number, str(number), str(number), "count", (otherwise,), NOTHING)
    return Cited(number, str(number), str(number), "count", evidence_ids, COUNT)


def counted(number: int, evidence_id: str, field_name: str) -> Cited:
    """A count that stands in a field of its evidence."""
    return Cited(number, str(number), str(number), "count", (evidence_id,), Derivation("field", field_name))


def days(number: int, ids: Iterable[str], kind: DerivationKind = "field", field_name: str = "days_overdue") -> Cited:
    return Cited(number, str(number), str(number), "days", tuple(ids), Derivation(kind, field_name))


def note(code: str, sentence: str) -> dict[str, Any]:
    return {"code": Said(code), "text": Said(sentence)}


def make_evidence(kind: str, record_id: Any, label: str, fields: dict[str, JsonValue], version: str = "") -> Evidence:
    """Evidence for one row. ``version`` tells two readings of one row apart: ``@2026-03-31`` for another day."""
    rid = str(record_id)
    return Evidence(f"{kind}:{rid}{version}", kind, rid, label, f"erp://{kind}/{_uri_part(rid)}", fields)


def iso(value: Any) -> str:
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _uri_part(record_id: str) -> str:
    from urllib.parse import quote

    return quote(record_id, safe="")


def _id(value: Any) -> int | str:
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def as_json(value: Any) -> JsonValue:
    """A value as the database gave it, as JSON: dates as ISO 8601, what JSON cannot hold exactly as text."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_JSON_INTEGER else str(value)
    return iso(value)


def _either(names: Sequence[str]) -> str:
    return ", ".join(names)
