"""Picks the reader by suffix and content."""

from __future__ import annotations

from pathlib import Path

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.limits import MAX_BYTES, MAX_TEXT, UnreadableError, decode

SUFFIXES = frozenset(
    [
        ".md",
        ".markdown",
        ".txt",
        ".text",
        ".csv",
        ".tsv",
        ".pdf",
        ".docx",
        ".xlsx",
        ".xlsm",
        ".eml",
        ".msg",
        ".html",
        ".htm",
        ".xml",
    ]
)


def extract(path: Path, data: bytes) -> Extracted:
    """The text and units of a file. Raises :class:`UnreadableError` with one sentence that says why not; never anything else."""
    try:
        out = _extract(path, data)
    except UnreadableError:
        raise
    except RecursionError as error:
        raise UnreadableError("the file is nested too deeply") from error
    except MemoryError as error:
        raise UnreadableError("the file is too large to be read") from error
    except Exception as error:
        raise UnreadableError(f"the file cannot be read ({type(error).__name__})") from error
    if not out.units:
        raise UnreadableError("the file holds no text")
    return out


def _extract(path: Path, data: bytes) -> Extracted:
    if len(data) > MAX_BYTES:
        raise UnreadableError(f"the file is larger than {MAX_BYTES // 1024 // 1024} MB")
    if not data:
        raise UnreadableError("the file is empty")
    suffix = path.suffix.lower()
    if suffix == ".pdf" or data[:5] == b"%PDF-":
        from footnote_desktop.documents.read import pdf

        return pdf.read(path)
    if suffix == ".docx":
        from footnote_desktop.documents.read import word

        return word.read(path)
    if suffix in (".xlsx", ".xlsm"):
        from footnote_desktop.documents.read import sheets

        return sheets.read_xlsx(path)
    if suffix == ".msg":
        from footnote_desktop.documents.read import mail

        return mail.read_msg(path)
    if suffix == ".eml":
        from footnote_desktop.documents.read import mail

        return mail.read_eml(data)
    if suffix == ".xml":
        from footnote_desktop.documents.read import einvoice

        return einvoice.read(data)
    text, notes = decode(data)
    if len(text) > MAX_TEXT:
        raise UnreadableError(f"the file holds more than {MAX_TEXT} characters")
    if suffix in (".html", ".htm"):
        from footnote_desktop.documents.read import html

        return html.read(text, notes)
    if suffix in (".csv", ".tsv"):
        from footnote_desktop.documents.read import sheets

        return sheets.read_csv(text, notes)
    from footnote_desktop.documents.read import markdown

    out = markdown.read(text, markdown=suffix in (".md", ".markdown"))
    return Extracted(out.text, out.units, out.sections, out.pages, out.meta, notes)
