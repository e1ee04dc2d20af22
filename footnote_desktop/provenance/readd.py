"""Every figure derived again, from the rows that were stored with it."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote_desktop.provenance.rowset import EXACT, RowSetError, read_rowset

#: Row sets whose results are kept while a log is verified; the next answer mostly cites the same one.
KEPT = 32

_NOT_MONEY = frozenset({"count", "days", "date", "text"})


class FigureError(ValueError):
    """A figure does not follow from its rows, or they cannot be had; the message is a sentence without its subject."""


@dataclass(slots=True)
class Column:
    """One field over some rows."""

    rows: int = 0
    total: Decimal | None = Decimal(0)  #: None: a value is not a number
    currencies: set[str] = field(default_factory=set)
    least: Any = None
    most: Any = None

    def add(self, row: Mapping[str, Any], name: str | None) -> None:
        self.rows += 1
        if name is None:
            return
        if name not in row:
            raise FigureError(f"a row that it cites has no field {name}")
        value = row[name]
        if value is None:
            return
        number = _number(value)
        if number is None:
            self.total = None
        elif self.total is not None:
            self.total = EXACT.add(self.total, number)
        if isinstance(row.get("currency"), str):
            self.currencies.add(row["currency"])
        order = value if number is None else number
        try:
            if self.least is None or order < self.least:
                self.least = order
            if self.most is None or order > self.most:
                self.most = order
        except TypeError:
            raise FigureError(f"the values of {name} in the rows that it cites cannot be compared") from None

    def merge(self, other: Column) -> None:
        self.rows += other.rows
        self.total = None if self.total is None or other.total is None else EXACT.add(self.total, other.total)
        self.currencies |= other.currencies
        try:
            self.least = min((value for value in (self.least, other.least) if value is not None), default=None)
            self.most = max((value for value in (self.most, other.most) if value is not None), default=None)
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
        """Derive every figure of a record (its ten keys) again. Raises :class:`FigureError` for the first that fails."""
        evidence = {entry["id"]: entry for entry in _objects(members.get("evidence")) if isinstance(entry.get("id"), str)}
        if self._attachment is not None:
            for entry in evidence.values():
                if entry.get("type") == "rowset":
                    self._check_rowset(entry)
        for operation in _objects(members.get("operations")):
            for citation in _objects(operation.get("citations")):
                try:
                    self._check(citation, evidence)
                except FigureError as error:
                    name = f"{citation.get('text')} ({citation.get('path')})"
                    raise FigureError(f"the stored figure {name} does not follow from its stored rows: {error}") from None
                except decimal.DecimalException:
                    name = f"{citation.get('text')} ({citation.get('path')})"
                    raise FigureError(f"the stored figure {name} cannot be added up again") from None

    def _check(self, citation: Mapping[str, Any], evidence: Mapping[str, Mapping[str, Any]]) -> None:
        derivation = citation.get("derivation")
        kind = derivation.get("kind") if isinstance(derivation, Mapping) else None
        name = derivation.get("field") if isinstance(derivation, Mapping) else None
        exact, unit = citation.get("exact"), citation.get("unit")
        cited = citation.get("evidenceIds")
        if not isinstance(exact, str) or not isinstance(unit, str) or not isinstance(cited, list) or not cited:
            raise FigureError("it does not say what it is or which rows it cites")
        entries = []
        for identifier in cited:
            entry = evidence.get(identifier) if isinstance(identifier, str) else None
            if entry is None:
                raise FigureError(f"it cites {identifier}, which is not stored")
            entries.append(entry)
        if kind == "none":
            number = _number(exact)
            if number is not None and number != 0:
                raise FigureError("it says that there is nothing, and gives an amount")
        elif kind == "field" and isinstance(name, str):
            for entry in entries:
                value = _fields(entry).get(name, entry)  # the entry itself stands for "absent"
                if value is entry or not _same(exact, value):
                    shown = "absent" if value is entry else value
                    raise FigureError(f"the field {name} of {entry['id']} is {shown}, not {exact}")
        elif kind == "count" or (kind in ("sum", "max", "min") and isinstance(name, str)):
            if self._attachment is None and any(entry.get("type") == "rowset" for entry in entries):
                self.unchecked += 1
                return
            self._derive(kind, name, exact, unit, entries)
        else:
            raise FigureError(f"how it was derived ({kind}) is not known")
        self.checked += 1

    def _derive(
        self, kind: str, name: str | None, exact: str, unit: str, entries: Iterable[Mapping[str, Any]]
    ) -> None:
        column = Column()
        name = None if kind == "count" else name
        for entry in entries:
            if entry.get("type") == "rowset":
                column.merge(self._column(entry, name))
            else:
                column.add(_fields(entry), name)
        if kind == "count":
            found: Any = column.rows
        elif kind == "sum":
            if unit not in _NOT_MONEY and not column.currencies <= {unit}:
                raise FigureError(f"it is in {unit}, and cites rows in {', '.join(sorted(column.currencies - {unit}))}")
            found = column.total
        else:
            found = column.most if kind == "max" else column.least
        if found is None or not _same(exact, found):
            what = {"count": "their number", "sum": "their sum", "max": "the largest", "min": "the smallest"}[kind]
            of = f" of {name}" if name else ""
            shown = "not a number" if found is None else format(found, "f") if isinstance(found, Decimal) else found
            raise FigureError(f"{what}{of} is {shown}, not {exact}")

    def _column(self, entry: Mapping[str, Any], name: str | None) -> Column:
        """A field over all rows of a row set; the rows are read once for each field while a log is verified."""
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
        """What the entry says of its rows (number and sum per currency) is what the stored rows give."""
        fields = _fields(entry)
        label = entry.get("label") or entry["id"]
        name = fields.get("sumField")
        column = self._column(entry, None)
        if fields.get("count") != column.rows:
            raise FigureError(f"{label}: the record says {fields.get('count')} rows, stored are {column.rows}")
        sums = fields.get("sums")
        if not isinstance(name, str) or not isinstance(sums, Mapping):
            return
        for currency, exact in sums.items():
            found = self._currency(entry, name).get(currency)
            if found is None or not _same(str(exact), found):
                raise FigureError(f"{label}: the stored rows in {currency} do not add up to {exact}")

    def _rows(self, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        assert self._attachment is not None
        try:
            yield from read_rowset(self._attachment, entry)
        except RowSetError as error:
            raise FigureError(f"of {entry.get('label') or entry['id']}, {error}") from None
