"""Markdown and plain text. The text is the file as it stands; offsets and quotes are into it, markup included."""

from __future__ import annotations

import re
from dataclasses import dataclass

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.passages import Passages

_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|§\s?\d+\s?\.?|\(?[a-z]\))\s+\S")
_RULE = re.compile(r"^\s*(?:[-*_]\s*){3,}$|^\s*={3,}\s*$")
_SEPARATOR = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_LABEL = re.compile(r"^\s*[*_]{0,2}[^\W\d_][^:|.!?]{0,60}:[*_]{0,2}(?:\s|$)")
_NUMBERED_TITLE = re.compile(
    r"^\s*(?:§\s?\d+[a-z]?\.?|\d{1,2}\.|article\s+\d+|artikel\s+\d+|art\.\s*\d+\.?|[IVX]{1,5}\.)\s+[^\W\d_][^.:;]{1,70}$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def front_matter(text: str) -> tuple[tuple[tuple[str, str], ...], int]:
    """The scalar entries of YAML front matter, and where the document proper starts."""
    m = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", text, re.S | re.M)
    if not m:
        return (), 0
    entries = []
    for line in m.group(1).splitlines():
        pair = re.match(r"^([A-Za-z_][\w-]*)\s*:\s*(.*?)\s*$", line)
        if pair and pair.group(2):
            entries.append(
                (pair.group(1).lower(), re.sub(r"^([\"'])(.*)\1$", r"\2", re.sub(r"\s+#.*$", "", pair.group(2))))
            )
    return tuple(entries), m.end()


def read(text: str, *, markdown: bool = True) -> Extracted:
    """Units of a Markdown or plain text file."""
    meta, start = front_matter(text)
    out = Passages(text)
    passages(out, text, start, len(text), markdown=markdown)
    return out.done(meta=meta)


def passages(out: Passages, text: str, start: int, end: int, *, markdown: bool = True) -> None:
    """Adds the units of ``text[start:end]`` to ``out``."""
    lines = []
    position = start
    for raw in text[start:end].splitlines(keepends=True):
        stripped = raw.rstrip("\r\n\u2028\x0b\x0c\x85")
        lines.append(_Line(position, position + len(stripped), stripped))
        position += len(raw)
    index = 0
    caption = ""
    while index < len(lines):
        line = lines[index]
        heading = _HEADING.match(line.text) if markdown else None
        if not line.text.strip() or _RULE.match(line.text):
            index += 1
        elif heading:
            out.heading(line.start + heading.start(2), line.start + heading.end(2), len(heading.group(1)))
            caption = heading.group(2)
            index += 1
        elif not markdown and _plain_heading(lines, index):
            out.heading(line.start, line.end, 2)
            caption = line.text
            index += 1
        elif (
            "|" in line.text
            and index + 1 < len(lines)
            and _SEPARATOR.match(lines[index + 1].text)
            and "|" in lines[index + 1].text
        ):
            last = index + 2
            while last < len(lines) and "|" in lines[last].text and lines[last].text.strip():
                last += 1
            rows = [_cells(one) for one in [line, *lines[index + 2 : last]]]
            out.table(rows, caption=caption)
            index = last
        else:
            index, caption = _paragraph(out, lines, index, markdown)


def _plain_heading(lines: list[_Line], index: int) -> bool:
    text = lines[index].text.strip()
    if not 3 <= len(text) <= 80 or text[-1] in ".,;:" or not any(c.isalpha() for c in text):
        return False
    alone = index + 1 >= len(lines) or not lines[index + 1].text.strip()
    first = index == 0 or not lines[index - 1].text.strip()
    return first and (
        text.isupper() or bool(_NUMBERED_TITLE.match(text)) or (alone and bool(re.match(r"^§\s?\d+", text)))
    )


def _cells(line: _Line) -> list[tuple[int, int, str]]:
    out = []
    start = 1 if line.text.lstrip().startswith("|") else 0
    offset = len(line.text) - len(line.text.lstrip())
    cursor = offset + start
    for m in re.finditer(r"(?<!\\)\||$", line.text[cursor:]):
        a, b = cursor, offset + start + m.start()
        if m.group() == "" and not line.text[a:b].strip():
            break
        text = line.text[a:b]
        left = len(text) - len(text.lstrip())
        out.append((line.start + a + left, line.start + a + left + len(text.strip()), ""))
        cursor = b + 1
    return out


def _paragraph(out: Passages, lines: list[_Line], index: int, markdown: bool) -> tuple[int, str]:
    """One paragraph or list item with its continuation lines."""
    first = lines[index]
    item = bool(_ITEM.match(first.text))
    start, end = first.start, first.end
    index += 1
    hard = first.text.endswith(("  ", "\\")) or (not markdown and len(first.text) < 60)
    label = bool(_LABEL.match(first.text))
    while index < len(lines):
        line = lines[index]
        if (
            not line.text.strip()
            or (_HEADING.match(line.text) and markdown)
            or _RULE.match(line.text)
            or _ITEM.match(line.text)
        ):
            break
        if line.text.lstrip().startswith("|") and markdown:
            break
        if _LABEL.match(line.text) and (label or hard):
            break
        if hard and (markdown or line.text[:1].isupper()):
            if end > start:
                out.paragraph(start, end, item=item)
            start, item = line.start, True
        hard = line.text.endswith(("  ", "\\")) or (not markdown and len(line.text) < 60)
        label = bool(_LABEL.match(line.text))
        end = line.end
        index += 1
    out.paragraph(start, end, item=item)
    return index, lines[index - 1].text.strip() if end - start < 120 else ""
