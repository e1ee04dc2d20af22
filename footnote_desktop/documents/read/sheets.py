"""CSV and XLSX: rows with their column heads, each cell with its reference."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from decimal import Decimal
from pathlib import Path

from footnote_desktop.documents.model import Cell, Extracted, Section, Unit
from footnote_desktop.documents.read.assemble import Assembler
from footnote_desktop.documents.read.limits import MAX_ROWS, UnreadableError, check_zip


def column(number: int) -> str:
    """A, B, … Z, AA for 0, 1, …"""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def read_csv(text: str, notes: tuple[str, ...]) -> Extracted:
    """A CSV file; its text is the file as it stands, and a quote is the row as it stands."""
    sample = text[:8192]
    first = next((line for line in sample.splitlines() if line.strip()), "")
    delimiter = max(";\t,|", key=lambda d: (first.count(d), ";\t,|".index(d) * -1))
    if not first.count(delimiter):
        raise UnreadableError("no columns were found in the file")
    units: list[Unit] = []
    heads: list[str] = []
    position = 0
    number = 0
    buffer = ""
    start = 0
    for raw in text.splitlines(keepends=True):
        if not buffer:
            start = position
        buffer += raw
        position += len(raw)
        if buffer.count('"') % 2 and len(buffer) < 100_000:
            continue
        line, buffer = buffer.rstrip("\r\n"), ""
        number += 1
        if number > MAX_ROWS:
            notes = (*notes, f"only the first {MAX_ROWS} rows were read")
            break
        if not line.strip(delimiter + " "):
            continue
        spans = _fields(line, start, delimiter)
        if not heads:
            heads = [_value(text[a:b]) for a, b in spans]
            continue
        cells = tuple(
            Cell(a, b, heads[i] if i < len(heads) else "", f"{column(i)}{number}") for i, (a, b) in enumerate(spans)
        )
        units.append(Unit("row", start, start + len(line), 0, 0, cells=cells))
    return Extracted(text, tuple(units), (Section((), 0),), None, (), notes)


def _value(text: str) -> str:
    row = next(csv.reader(io.StringIO(text)), [""]) if text.startswith('"') else [text]
    return " ".join(row[0].split()) if row else ""


def _fields(line: str, start: int, delimiter: str) -> list[tuple[int, int]]:
    out = []
    begin = 0
    inside = False
    for index, char in enumerate(line + delimiter):
        if char == '"':
            inside = not inside
        elif (char == delimiter and not inside) or index == len(line):
            out.append((start + begin, start + min(index, len(line))))
            begin = index + 1
    return out


def read_xlsx(path: Path) -> Extracted:
    """Every sheet of a workbook, values as shown where that can be told, with sheet name and cell references."""
    check_zip(path)
    try:
        import openpyxl  # type: ignore[import-untyped]

        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError("the workbook is broken or encrypted and cannot be opened") from error
    out = Assembler()
    notes = []
    try:
        for sheet in book.worksheets:
            out.sheet = sheet.title
            out.heading(sheet.title, 1)
            block: list[list[tuple[str, str]]] = []
            caption = ""
            for number, row in enumerate(sheet.iter_rows(), start=1):
                if number > MAX_ROWS:
                    notes.append(f"only the first {MAX_ROWS} rows of sheet {sheet.title} were read")
                    break
                cells = [
                    (_shown(c.value, getattr(c, "number_format", "") or ""), f"{column(i)}{number}")
                    for i, c in enumerate(row)
                ]
                filled = [c for c in cells if c[0]]
                if not filled:
                    _table(out, block, caption)
                    block = []
                elif len(filled) == 1 and not block:
                    out.paragraph(filled[0][0])
                    caption = filled[0][0]
                else:
                    while cells and not cells[-1][0]:
                        cells.pop()
                    block.append(cells)
            _table(out, block, caption)
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError("the workbook is damaged: a sheet cannot be read") from error
    finally:
        book.close()
    return out.done(notes=notes)


def _table(out: Assembler, rows: list[list[tuple[str, str]]], caption: str) -> None:
    if rows:
        out.table(rows, caption=caption)


def _shown(value: object, pattern: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(sep=" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (int, float)):
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if "%" in pattern:
            return f"{(exact * 100).normalize():f}%"
        places = re.search(r"0\.(0+)", pattern)
        text = f"{exact:.{len(places.group(1))}f}" if places else f"{exact.normalize():f}"
        whole, point, rest = text.partition(".")
        grouped = (
            re.sub(r"(?<=\d)(?=(?:\d{3})+$)", "\u00a0", whole)
            if "#,##0" in pattern and len(whole.lstrip("-")) > 3
            else whole
        )
        return grouped + (point + rest if rest else "")
    return str(value)
