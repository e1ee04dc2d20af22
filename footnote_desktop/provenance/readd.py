"""Every figure derived again, from the rows that were stored with it."""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote_desktop.provenance.rowset import EXACT, RowSetError, read_rowset

#: Columns of row sets that are kept while a log is verified: the next answer mostly cites the same rows.
KEPT = 32

_DECIMAL = re.compile(r"-?[0-9]{1,80}(\.[0-9]{1,80})?\Z")
_NOT_MONEY = frozenset({"count", "days", "date", "text"})


class FigureError(ValueError):
    """A figure does not follow from its rows, or they cannot be had; the message says which, and why."""


@dataclass(slots=True)
class Column:
    """One field over some rows."""

    rows: int = 0
    numeric: bool = True  #: every value so far was a number (or null, which adds nothing)
    totals: dict[str, Decimal] = field(default_factory=dict)  #: currency, or "" where a row names none → sum
    least: Any = None
    most: Any = None

    def add(self, row: Mapping[str, Any], name: str | None) -> None:
        """Take in one row; without ``name`` it is only counted."""
        self.rows += 1
        if name is None:
            return
        value = row.get(name, row)  # the row itself stands for "absent"
        if value is row:
            raise FigureError(f"a row that it cites has no field {name}")
        if value is None:
            return
        number = _number(value)
        if number is None:
            self.numeric = False
        else:
            currency = row.get("currency")
            self._total(currency if isinstance(currency, str) else "", number)
        self._order(value if number is None else number)

    def merge(self, other: Column) -> None:
        """Take in another column's rows."""
        self.rows += other.rows
        self.numeric = self.numeric and other.numeric
        for currency, total in other.totals.items():
            self._total(currency, total)
        self._order(other.least)
        self._order(other.most)

    def _total(self, currency: str, number: Decimal) -> None:
        known = self.totals.get(currency)
        self.totals[currency] = number if known is None else EXACT.add(known, number)

    def _order(self, value: Any) -> None:
        if value is None:
            return
        try:
            if self.least is None or value < self.least:
                self.least = value
            if self.most is None or value > self.most:
                self.most = value
        except TypeError:
            raise FigureError("the values of the rows that it cites cannot be compared") from None


class Readder:
    """Derives the figures of records again. ``attachment`` gives an attachment by its SHA-256; None: the file kind
    carries none, and figures over row sets are counted as ``unchecked`` instead."""

    def __init__(self, attachment: Callable[[str], bytes | None] | None) -> None:
        self._attachment = attachment
        self._columns: dict[tuple[str, str | None], Column] = {}
        self.checked = 0  #: figures that follow from their rows
        self.unchecked = 0  #: figures whose rows this kind of file does not carry

    def check(self, members: Mapping[str, Any]) -> None:
        """Derive every figure of a record (its ten keys) again; :class:`FigureError` for the first that fails."""
        evidence = {str(entry.get("id")): entry for entry in _objects(members.get("evidence"))}
        if self._attachment is not None:
            for entry in evidence.values():
                if entry.get("type") == "rowset":
                    self._check_rowset(entry)
        for operation in _objects(members.get("operations")):
            for citation in _objects(operation.get("citations")):
                try:
                    self._check(citation, evidence)
                except (FigureError, decimal.DecimalException) as error:
                    why = str(error) if isinstance(error, FigureError) else "its rows cannot be added up"
                    raise FigureError(
                        f"the stored figure {citation.get('text')} ({citation.get('path')}) "
                        f"does not follow from its stored rows: {why}"
                    ) from None

    def _check(self, citation: Mapping[str, Any], evidence: Mapping[str, Mapping[str, Any]]) -> None:
        exact, unit, cited = citation.get("exact"), citation.get("unit"), citation.get("evidenceIds")
        if not isinstance(exact, str) or not isinstance(unit, str) or not isinstance(cited, list) or not cited:
            raise FigureError("it does not say what it is or which rows it cites")
        entries = []
        for identifier in dict.fromkeys(map(str, cited)):
            entry = evidence.get(identifier)
            if entry is None:
                raise FigureError(f"it cites {identifier}, which is not stored")
            entries.append(entry)
        derivation = citation.get("derivation")
        kind, name = (derivation.get("kind"), derivation.get("field")) if isinstance(derivation, dict) else (None, None)
        if kind == "none":
            number = _number(exact)
            if number:
                raise FigureError("it says that there is nothing, and gives an amount")
        elif kind == "field" and isinstance(name, str):
            for entry in entries:
                fields = _fields(entry)
                if name not in fields:
                    raise FigureError(f"{entry.get('id')} has no field {name}")
                if not _same(exact, fields[name]):
                    raise FigureError(f"{name} of {entry.get('id')} is {fields[name]}, not {exact}")
        elif kind == "count" or (kind in ("sum", "max", "min") and isinstance(name, str)):
            if self._attachment is None and any(entry.get("type") == "rowset" for entry in entries):
                self.unchecked += 1
                return
            self._derive(kind, name, exact, unit, entries)
        else:
            raise FigureError(f"this version does not know how it was derived ({kind})")
        self.checked += 1

    def _derive(self, kind: str, name: str | None, exact: str, unit: str, entries: Iterable[Mapping[str, Any]]) -> None:
        name = None if kind == "count" else name
        column = Column()
        for entry in entries:
            if entry.get("type") == "rowset":
                column.merge(self._column(entry, name))
            else:
                column.add(_fields(entry), name)
        if kind == "count":
            what, found = "the number of its stored rows is", Decimal(column.rows)
        elif kind == "sum":
            foreign = column.totals.keys() - {unit, ""}
            if foreign and unit not in _NOT_MONEY:
                raise FigureError(f"it is in {unit}, and cites rows in {', '.join(sorted(foreign))}")
            if not column.numeric:
                raise FigureError(f"{name} of a row that it cites is not a number")
            what, found = f"{name} of its stored rows adds up to", Decimal(0)
            for total in column.totals.values():
                found = EXACT.add(found, total)
        else:
            what = f"the {'largest' if kind == 'max' else 'smallest'} {name} of its stored rows is"
            found = column.most if kind == "max" else column.least
        if not _same(exact, found):
            raise FigureError(f"{what} {_shown(found)}, not {exact}")

    def _column(self, entry: Mapping[str, Any], name: str | None) -> Column:
        """A field over all rows of a row set; they are read once for each field, not for each record."""
        key = (str(_fields(entry).get("manifest")), name)
        column = self._columns.pop(key, None)
        if column is None:
            column = Column()
            for row in self._rows(entry):
                column.add(row, name)
        self._columns[key] = column
        while len(self._columns) > KEPT:
            del self._columns[next(iter(self._columns))]
        return column

    def _check_rowset(self, entry: Mapping[str, Any]) -> None:
        """What the entry says of its rows, their number and their sum per currency, is what the stored rows give."""
        fields = _fields(entry)
        label = entry.get("label")
        name, sums = fields.get("sumField"), fields.get("sums")
        column = self._column(entry, name if isinstance(name, str) else None)
        if not _same(str(fields.get("count")), Decimal(column.rows)):
            raise FigureError(f"of {label}, {column.rows} rows are stored")
        for currency, exact in (sums if isinstance(sums, dict) else {}).items():
            found = column.totals.get(currency)
            if not _same(str(exact), found):
                raise FigureError(f"of {label}, the stored rows add up to {_shown(found)} {currency}, not {exact}")

    def _rows(self, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        assert self._attachment is not None
        try:
            yield from read_rowset(self._attachment, entry)
        except RowSetError as error:
            raise FigureError(f"of {entry.get('label')}, {error}") from None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _fields(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = entry.get("fields")
    return fields if isinstance(fields, dict) else {}


def _number(value: Any) -> Decimal | None:
    """The exact number that ``value`` is, if it is one: a date, a name and "1e9" are not."""
    if isinstance(value, str):
        return Decimal(value) if _DECIMAL.match(value) else None
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return Decimal(str(value))


def _same(exact: str, value: Any) -> bool:
    """Whether a figure's exact value is ``value``, however many zeros either is written with."""
    if isinstance(value, str) and value == exact:
        return True
    if value is None:
        return exact == ""
    if isinstance(value, bool):
        return exact == ("true" if value else "false")
    number, other = _number(value), _number(exact)
    return number is not None and number == other


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return format(value, "f") if isinstance(value, Decimal) else str(value)
