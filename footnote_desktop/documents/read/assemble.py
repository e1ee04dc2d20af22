"""Builds the extracted text of formats that are no text themselves: lines are appended, and units point into the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.limits import MAX_TEXT
from footnote_desktop.documents.read.passages import Passages


@dataclass(slots=True)
class _Line:
    kind: str
    text: str = ""
    level: int = 2
    page: int | None = None
    sheet: str | None = None
    quoted: bool = False
    rows: Sequence[Sequence[tuple[str, str]]] = ()
    caption: str = ""
    head_rows: int = 1


@dataclass(slots=True)
class Assembler:
    """Collects paragraphs, headings and tables; :meth:`done` lays them out as one text."""

    lines: list[_Line] = field(default_factory=list)
    page: int | None = None
    sheet: str | None = None

    def heading(self, text: str, level: int = 2) -> None:
        self.lines.append(_Line("heading", " ".join(text.split()), level, self.page, self.sheet))

    def paragraph(self, text: str, *, quoted: bool = False) -> None:
        if text.strip():
            self.lines.append(_Line("paragraph", text.strip(), 0, self.page, self.sheet, quoted))

    def table(self, rows: Sequence[Sequence[tuple[str, str]]], *, caption: str = "", head_rows: int = 1) -> None:
        """Rows of (text, reference)."""
        self.lines.append(_Line("table", "", 0, self.page, self.sheet, False, rows, caption, head_rows))

    def done(
        self, *, pages: int | None = None, meta: Sequence[tuple[str, str]] = (), notes: Sequence[str] = ()
    ) -> Extracted:
        parts: list[str] = []
        length = 0
        places: list[tuple[_Line, int, int, list[list[tuple[int, int, str]]]]] = []

        def add(text: str) -> tuple[int, int]:
            nonlocal length
            start = length
            parts.append(text)
            length += len(text)
            return start, length

        notes = list(notes)
        for line in self.lines:
            if length > MAX_TEXT:
                notes.append(f"only the first {MAX_TEXT} characters were read")
                break
            if line.kind == "table":
                cells = []
                for row in line.rows:
                    spans = []
                    for number, (text, ref) in enumerate(row):
                        if number:
                            add(" | ")
                        a, b = add(" ".join(text.split()))
                        spans.append((a, b, ref))
                    add("\n")
                    cells.append(spans)
                add("\n")
                places.append((line, 0, 0, cells))
            else:
                a, b = add(line.text)
                add("\n\n")
                places.append((line, a, b, []))
        out = Passages("".join(parts))
        for line, a, b, cells in places:
            out.page, out.sheet = line.page, line.sheet
            if line.kind == "heading":
                out.heading(a, b, line.level)
            elif line.kind == "table":
                out.table(cells, caption=line.caption, head_rows=line.head_rows)
            else:
                out.paragraph(a, b, item=True, quoted=line.quoted)
        return out.done(pages=pages, meta=meta, notes=notes)
