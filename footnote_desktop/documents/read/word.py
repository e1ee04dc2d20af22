"""DOCX: headings, paragraphs, lists and tables in the order of the document."""

from __future__ import annotations

from pathlib import Path

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.assemble import Assembler
from footnote_desktop.documents.read.limits import UnreadableError, check_zip


def read(path: Path) -> Extracted:
    check_zip(path)
    try:
        import docx
        from docx.table import Table
        from docx.text.paragraph import Paragraph

        document = docx.Document(str(path))
        out = Assembler()
        caption = ""
        for block in document.iter_inner_content():
            if isinstance(block, Paragraph):
                style = (block.style.name or "").lower() if block.style is not None else ""
                text = block.text.strip()
                if not text:
                    continue
                if style.startswith(("heading", "title", "überschrift", "nagłówek")):
                    level = int(style[-1]) if style[-1].isdigit() else 1
                    out.heading(text, level)
                else:
                    for line in text.split("\n"):
                        out.paragraph(line)
                caption = text if len(text) < 160 else ""
            elif isinstance(block, Table):
                rows = [
                    [(cell.text, f"R{r + 1}C{c + 1}") for c, cell in enumerate(row.cells)]
                    for r, row in enumerate(block.rows)
                ]
                _table(out, rows, caption)
        meta = []
        if document.core_properties.title:
            meta.append(("title", document.core_properties.title))
        return out.done(meta=meta)
    except Exception as error:
        raise UnreadableError("the document is broken and cannot be opened") from error


def _table(out: Assembler, rows: list[list[tuple[str, str]]], caption: str) -> None:
    if (
        rows
        and all(len(row) == 2 for row in rows)
        and not any(c.isdigit() for c in rows[0][0][0])
        and any(ch.isdigit() for ch in rows[0][1][0])
    ):
        for (key, _), (value, _) in rows:  # a form: each row is a key with its value
            if key.strip() and value.strip():
                out.paragraph(f"{key.strip().rstrip(':')}: {value.strip()}")
        return
    out.table(rows, caption=caption)
