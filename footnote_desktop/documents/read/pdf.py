"""PDF by page, with pypdfium2. A page without text is said to be scanned; an invoice's embedded XML is read with it."""

from __future__ import annotations

import re
from pathlib import Path

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read import einvoice
from footnote_desktop.documents.read.assemble import Assembler
from footnote_desktop.documents.read.limits import MAX_PAGES, UnreadableError

_COLUMNS = re.compile(r"\s{3,}|\t")
_TITLE = re.compile(
    r"^(?:§\s?\d+[a-z]?\.?\s+\S|\d{1,2}(?:\.\d{1,2})?\.?\s+[A-ZÄÖÜĄĆŁŚŻŹ][^.:;]{2,70}$|(?:Article|Artikel|Art\.)\s+\d+)"
)


def read(path: Path) -> Extracted:
    import pypdfium2  # type: ignore[import-untyped]

    try:
        document = pypdfium2.PdfDocument(str(path))
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableError("the PDF is protected by a password; save it without one") from error
        raise UnreadableError("the PDF is broken and cannot be opened") from error
    out = Assembler()
    notes: list[str] = []
    empty = 0
    try:
        pages = len(document)
        for number in range(min(pages, MAX_PAGES)):
            out.page = number + 1
            page = document[number]
            textpage = page.get_textpage()
            text = textpage.get_text_bounded()
            textpage.close()
            page.close()
            if not text.strip():
                empty += 1
            _page(out, text)
        if pages > MAX_PAGES:
            notes.append(f"only the first {MAX_PAGES} of {pages} pages were read")
        attached = _attached(document)
        meta = [(k.lower(), v) for k, v in document.get_metadata_dict().items() if k == "Title" and v.strip()]
    except pypdfium2.PdfiumError as error:
        raise UnreadableError("the PDF is damaged: a page cannot be read") from error
    finally:
        document.close()
    if attached is not None:
        out.page = None
        einvoice.feed(out, attached)
        meta.append(("type", "invoice"))
    elif pages and empty == pages:
        raise UnreadableError(
            "the PDF is scanned: its pages are pictures without text; run text recognition on it first"
        )
    if empty and empty < pages:
        notes.append(f"{empty} of {pages} pages hold no text (scanned?)")
    return out.done(pages=pages, meta=meta, notes=notes)


def _attached(document: object) -> bytes | None:
    """The XML of an electronic invoice inside the PDF, by the names that ZUGFeRD, Factur-X and XRechnung use."""
    names = ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml")
    try:
        for index in range(document.count_attachments()):  # type: ignore[attr-defined]
            attachment = document.get_attachment(index)  # type: ignore[attr-defined]
            if attachment.get_name().lower() in names:
                return bytes(attachment.get_data())
    except Exception:
        return None
    return None


def _page(out: Assembler, text: str) -> None:
    """Joins the lines of a page into paragraphs; a short line, a heading or a new item ends one."""
    buffer: list[str] = []
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    width = max((len(line) for line in lines), default=0)

    def flush() -> None:
        if buffer:
            joined = ""
            for line in buffer:
                if joined.endswith("-") and line[:1].islower():
                    joined = joined[:-1] + line
                else:
                    joined = f"{joined} {line}" if joined else line
            out.paragraph(joined)
            buffer.clear()

    for index, line in enumerate(lines):
        plain = line.replace("\ufffe", "-").replace("\x00", "").strip()
        if not plain:
            flush()
            continue
        following = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if (_TITLE.match(plain) and len(plain) < 80) or (plain.isupper() and 4 < len(plain) < 70):
            flush()
            out.heading(plain, 2)
            continue
        if re.match(r"^(?:[-•*–]|\(?\d{1,2}(?:\.\d+)*[.)]|\([a-z]\)|\d+\.\d+)\s", plain) or re.match(
            r"^[^\W\d_][^:.]{1,40}:\s+\S", plain
        ):
            flush()
        buffer.append(plain)
        if len(plain) < 0.6 * width and (plain[-1] in ".:;!?" or not following[:1].islower()):
            flush()
    flush()
