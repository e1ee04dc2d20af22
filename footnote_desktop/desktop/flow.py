"""An answer's text as paragraphs and grids, so that the figures of a list stand one under the other. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from footnote_desktop.desktop.answer import Answer, utf16_length, utf16_slice


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text; a figure when ``figure`` is its index."""

    text: str
    figure: int | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    runs: tuple[Run, ...]
    bullet: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines of a list whose figures stand one under the other: each cell holds one figure and the words about it."""

    rows: tuple[tuple[tuple[Run, ...], ...], ...]


_BULLET = re.compile(r"^\s*[·•\-–*]\s+")
_BETWEEN = " \u00a0\t,;:·—–()|"


def blocks(answer: Answer) -> list[Paragraph | Grid]:
    """The text as paragraphs and grids. Only the separators between the cells of a grid (a comma, a dash, brackets)
    are left out: they become columns. No word and no figure is changed."""
    result: list[Paragraph | Grid] = []
    pending: list[tuple[Run, ...]] = []

    def flush() -> None:
        if not pending:
            return
        rows = [_cells(line) for line in pending]
        widths = {len(row) for row in rows}
        if len(rows) > 1 and len(widths) == 1 and widths.pop() > 1:
            result.append(Grid(tuple(rows)))
        else:
            result.extend(Paragraph(line, bullet=True) for line in pending)
        pending.clear()

    for line in _lines(answer):
        text = "".join(run.text for run in line)
        marker = _BULLET.match(text)
        if marker and line and line[0].figure is None:
            first = line[0].text[marker.end() :] if len(line[0].text) >= marker.end() else ""
            pending.append(((Run(first),) if first else ()) + line[1:])
            continue
        flush()
        if text.strip():
            result.append(Paragraph(line))
    flush()
    return result


def _lines(answer: Answer) -> list[tuple[Run, ...]]:
    runs: list[Run] = []
    at = 0
    for figure in answer.figures:
        if figure.start == figure.end:
            continue
        if figure.start > at:
            runs.append(Run(utf16_slice(answer.text, at, figure.start)))
        runs.append(Run(figure.text, figure.index))
        at = figure.end
    rest = utf16_slice(answer.text, at, utf16_length(answer.text))
    if rest:
        runs.append(Run(rest))
    lines: list[list[Run]] = [[]]
    for run in runs:
        if run.figure is not None:
            lines[-1].append(run)
            continue
        for number, part in enumerate(run.text.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(Run(part))
    return [tuple(line) for line in lines]


def _cells(line: tuple[Run, ...]) -> tuple[tuple[Run, ...], ...]:
    cells: list[list[Run]] = []
    before = ""
    for run in line:
        if run.figure is not None:
            cells.append(([Run(before + " ")] if before else []) + [run])
            before = ""
        else:
            words_between = run.text.strip(_BETWEEN)
            # Words that close a bracket or precede a comma belong to the figure before them.
            closes = run.text.lstrip(" \u00a0")[:1] not in (",", ";", "—", "–", "(", ":", "|", "·")
            if words_between and cells and closes:
                head, comma, tail = run.text.partition(",")
                cells[-1].append(Run(" " + head.strip(_BETWEEN)))
                before = tail.strip(_BETWEEN) if comma else ""
            else:
                before = words_between
    if before and cells:
        cells[-1].append(Run(" " + before))
    elif before:
        cells.append([Run(before)])
    return tuple(tuple(cell) for cell in cells)
