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
    lines: tuple[tuple[Run, ...], ...]  #: the same as lines of text, for where there is too little room


_BULLET = re.compile(r"^\s*(?:[·•\-–*]|(\d+\.))\s+")
_BETWEEN = " \u00a0\t,;:·—–()|"
_SEPARATOR = re.compile(r"[,;:(—–|·]")


def blocks(answer: Answer) -> list[Paragraph | Grid]:
    """The text as paragraphs and grids. Only the separators between the cells of a grid (a comma, a dash, brackets)
    are left out: they become columns. No word and no figure is changed."""
    result: list[Paragraph | Grid] = []
    pending: list[tuple[Run, ...]] = []

    def flush() -> None:
        grid = _grid(pending)
        if grid is not None:
            result.append(grid)
        else:
            result.extend(Paragraph(line, bullet=True) for line in pending)
        pending.clear()

    for line in _lines(answer):
        text = "".join(run.text for run in line)
        marker = _BULLET.match(text)
        if marker and line and line[0].figure is None and len(line[0].text) >= marker.end():
            number = (Run(marker.group(1) + " "),) if marker.group(1) else ()
            first = line[0].text[marker.end() :]
            pending.append(number + ((Run(first),) if first else ()) + line[1:])
            continue
        flush()
        if text.strip():
            result.append(Paragraph(_stripped(line)))
    flush()
    loose = [figure for figure in answer.figures if figure.start == figure.end]
    if loose:
        # Recorded without a place in the text (another program's records): shown all the same.
        result.append(Paragraph((Run("Recorded with this answer:"),)))
        rows = tuple(((Run(figure.label),), (Run(figure.text, figure.index),)) for figure in loose)
        lines = tuple((Run(f"{figure.label}: "), Run(figure.text, figure.index)) for figure in loose)
        result.append(Grid(rows, lines))
    return result


def _stripped(line: tuple[Run, ...]) -> tuple[Run, ...]:
    """Without the spaces that indent a line."""
    if line[0].figure is not None:
        return line
    first = line[0].text.lstrip(" ")
    return ((Run(first),) if first else ()) + line[1:]


def _grid(lines: list[tuple[Run, ...]]) -> Grid | None:
    """The lines of a list as a grid, when they have the same cells (one may be missing at the end)."""
    if len(lines) < 2:
        return None
    rows = [_cells(line) for line in lines]
    most, fewest = max(map(len, rows)), min(map(len, rows))
    if fewest < 2 or most - fewest > 1:
        return None
    return Grid(tuple(row + ((),) * (most - len(row)) for row in rows), tuple(lines))


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


def _between(text: str) -> str:
    """The words between two figures, without what separates; a bracket that opens among them is closed."""
    inner = text.strip(_BETWEEN)
    return inner + ")" * max(0, inner.count("(") - inner.count(")"))


def _cells(line: tuple[Run, ...]) -> tuple[tuple[Run, ...], ...]:
    """One cell for each figure, with the words about it; words before the first figure are a cell of their own."""
    cells: list[list[Run]] = []
    before = ""
    for run in line:
        if run.figure is not None:
            if before and not cells:
                cells.append([Run(before)])
                before = ""
            cells.append(([Run(before + " ")] if before else []) + [run])
            before = ""
            continue
        if not cells:
            before = f"{before} {_between(run.text)}".strip()
            continue
        # Up to a comma or a bracket words belong to the figure before them, after it to the one that follows.
        separator = _SEPARATOR.search(run.text)
        after = _between(run.text[: separator.start()]) if separator else ""
        if after:
            cells[-1].append(Run(" " + after))
        before = _between(run.text[separator.start() :] if separator else run.text)
    if before and cells:
        cells[-1].append(Run(" " + before))
    elif before:
        cells.append([Run(before)])
    return tuple(tuple(cell) for cell in cells)
