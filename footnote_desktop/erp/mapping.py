"""A mapping supplies the canonical model as SELECTs over one ERP's schema.

The canonical model, in which plus is owed to us and everything is as of a date:

=================  ==============================================================================================
relation           columns
=================  ==============================================================================================
customer           id, name, country, segment, payment_terms_days, owner
receivable_item    id, customer_id, number, kind, posted_on, due_on, currency, amount, open_amount, status, problem,
                   problem_value
invoice            id, customer_id, number, kind, issued_on, due_on, currency, amount, open_amount, status
payment            id, customer_id, invoice_id, invoice_number, received_on, currency, amount, method, kind
ticket             id, customer_id, opened_on, closed_on, severity, subject
excluded           id, customer_id, number, reason
=================  ==============================================================================================

A read-only role can create no views, so an operation inlines the relations that it needs as CTEs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from footnote_desktop.erp.engine import Dialect, EngineError

RELATIONS = ("customer", "receivable_item", "invoice", "payment", "ticket", "excluded")

_DATE = re.compile(r"@date\((\w+)\.(\w+), (\w+)\)")
_SCOPED = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


class MappingError(ValueError):
    """A mapping file cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """One ERP's schema as the canonical model. ``amounts``: whole minor units, or exact numbers in the unit."""

    name: str
    version: str
    amounts: Literal["minor", "unit"]
    company: str
    company_currency: str
    fingerprint: MappingType[str, tuple[str, ...]]
    relations: MappingType[str, str]

    def missing(self, columns: MappingType[str, MappingType[str, str]]) -> list[str]:
        """What the fingerprint needs and the database does not show: ``table`` or ``table.column``."""
        lacking = []
        for table, needed in self.fingerprint.items():
            if table not in columns:
                lacking.append(table)
            else:
                lacking.extend(f"{table}.{column}" for column in needed if column not in columns[table])
        return lacking


@dataclass(frozen=True, slots=True)
class BoundMapping:
    """A mapping on one database: column types are known, so that each relation is SQL that this engine runs."""

    mapping: Mapping
    dialect: Dialect
    columns: MappingType[str, MappingType[str, str]]

    def with_relations(self, names: tuple[str, ...], select: str, *, scoped: bool) -> str:
        """``select`` over the named relations. ``scoped``: for one customer, whose id is ``:customer_id``.

        ``select`` may begin with further CTEs of its own (``, name AS (…) SELECT …``). The relations are not
        materialised, so that the planner can push conditions into them.
        """
        ctes = ",\n".join(f"{name} AS NOT MATERIALIZED (\n{self._relation(name, scoped)}\n)" for name in names)
        return f"WITH {ctes}\n{select}"

    def _relation(self, name: str, scoped: bool) -> str:
        sql = self.mapping.relations[name].strip()
        sql = _SCOPED.sub(lambda block: block[1] if scoped else "", sql).replace("@once", self.dialect.once)
        return _DATE.sub(lambda m: self.dialect.date(f"{m[3]}.{m[2]}", self.columns[m[1]][m[2]]), sql)


def load_mapping(file: Path) -> Mapping:
    """Read a mapping file. Raises :class:`MappingError`."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        mapping = Mapping(
            name=data["name"],
            version=data["version"],
            amounts=data["amounts"],
            company=data["company"],
            company_currency=data["company_currency"],
            fingerprint={table: tuple(columns) for table, columns in data["fingerprint"].items()},
            relations=data["relations"],
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError, AttributeError) as error:
        raise MappingError(f"the mapping {file.name} cannot be read: {error}") from error
    if lacking := [name for name in RELATIONS if name not in mapping.relations]:
        raise MappingError(f"the mapping {file.name} lacks {', '.join(lacking)}")
    return mapping


def recognise(
    mappings: list[Mapping], dialect: Dialect, columns: MappingType[str, MappingType[str, str]]
) -> BoundMapping:
    """The first mapping whose fingerprint the database shows. Raises :class:`EngineError` saying what is missing."""
    nearest: list[str] | None = None
    for mapping in mappings:
        missing = mapping.missing(columns)
        if not missing:
            return BoundMapping(mapping, dialect, columns)
        if nearest is None or len(missing) < len(nearest):
            nearest = missing
    raise EngineError(
        "this database is laid out like no ERP that Footnote knows; of the nearest it lacks "
        + ", ".join((nearest or [])[:5]),
        "Check that the connection names the right database and schema, and that the role may read its tables.",
    )


def exact(value: Any) -> int | Decimal:
    """A number read from the database, exactly. Raises :class:`EngineError` for a float or anything else."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return value
    raise EngineError(
        f"the amount {value!r} is stored as {type(value).__name__}, not as an exact number",
        "No rounded figure is given. Ask IT to store amounts as whole minor units or numeric.",
    )
