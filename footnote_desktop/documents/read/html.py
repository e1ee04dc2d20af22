"""HTML: headings, paragraphs, lists and tables; scripts and styles are left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.assemble import Assembler

_BLOCKS = frozenset(
    [
        "p",
        "div",
        "li",
        "dd",
        "dt",
        "blockquote",
        "section",
        "article",
        "header",
        "footer",
        "td",
        "th",
        "tr",
        "table",
        "ul",
        "ol",
        "br",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "title",
        "caption",
        "pre",
        "hr",
    ]
)
_HIDDEN = frozenset(("script", "style", "template", "noscript", "head"))


class _Parser(HTMLParser):
    def __init__(self, out: Assembler) -> None:
        super().__init__(convert_charrefs=True)
        self.out = out
        self.buffer: list[str] = []
        self.hidden = 0
        self.heading: int | None = None
        self.quoted = 0
        self.rows: list[list[tuple[str, str]]] | None = None
        self.head_rows = 0
        self.row: list[tuple[str, str]] | None = None
        self.row_heads = True
        self.caption = ""
        self.title = ""
        self.in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self.in_title = True
        if tag in _HIDDEN:
            self.hidden += 1
        if tag in _BLOCKS and self.row is None:
            self._flush()
        if re.fullmatch(r"h[1-6]", tag):
            self.heading = int(tag[1])
        elif tag == "blockquote":
            self.quoted += 1
        elif tag == "table" and self.rows is None:
            self.rows, self.head_rows = [], 0
        elif tag == "tr" and self.rows is not None:
            self.row, self.row_heads = [], True
        elif tag in ("td", "th") and self.row is not None:
            self.buffer = []
            if tag == "td":
                self.row_heads = False
        elif tag == "br":
            self.buffer.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self.in_title = False
        if tag in _HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        if tag in ("td", "th") and self.row is not None:
            self.row.append(
                (" ".join("".join(self.buffer).split()), f"R{len(self.rows or []) + 1}C{len(self.row) + 1}")
            )
            self.buffer = []
        elif tag == "tr" and self.row is not None and self.rows is not None:
            if self.row:
                if self.row_heads and self.head_rows == len(self.rows):
                    self.head_rows += 1
                self.rows.append(self.row)
            self.row = None
        elif tag == "table" and self.rows is not None:
            if self.rows:
                self.out.table(self.rows, caption=self.caption, head_rows=max(1, self.head_rows))
            self.rows, self.row, self.buffer = None, None, []
        elif tag in _BLOCKS and self.row is None:
            self._flush()
            if tag == "blockquote":
                self.quoted = max(0, self.quoted - 1)

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title += data
        if not self.hidden:
            self.buffer.append(data)

    def _flush(self) -> None:
        text = "".join(self.buffer)
        self.buffer = []
        for line in text.split("\n") if self.heading is None else [text]:
            line = " ".join(line.split())
            if line and self.heading is not None:
                self.out.heading(line, self.heading)
                self.caption = line
            elif line:
                self.out.paragraph(line, quoted=self.quoted > 0)
                self.caption = line if len(line) < 160 else ""
        self.heading = None


def feed(out: Assembler, text: str) -> str:
    """Adds the page to ``out``; the title of the page."""
    parser = _Parser(out)
    parser.feed(text)
    parser.close()
    parser._flush()
    return " ".join(parser.title.split())


def read(text: str, notes: tuple[str, ...] = ()) -> Extracted:
    out = Assembler()
    title = feed(out, text)
    return out.done(meta=[("title", title)] if title else [], notes=notes)
