"""Writes an answer into a text document: paragraphs and grids, with room for the figures' chips and marks.

Everything is inserted as plain text with formats; text that came from data can never become markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTextBoundaryFinder
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextTableFormat,
)

from footnote_desktop.desktop.answer import Answer, utf16_length, utf16_slice
from footnote_desktop.desktop.flow import Grid, Paragraph, Run, blocks
from footnote_desktop.desktop.theme import theme

PAD = 3.0  #: how far a chip reaches beyond its text, in logical pixels
_NUMBERED = re.compile(r"\d+\. ?")
_MARK_SPACE = 7.0  #: round a figure's footnote mark
_LONGEST_CELL = 260.0  #: longer cells break into lines
_WORDS_CELL = 150.0  #: the same for cells without a figure
_CELL_ROOM = 20.0
_UNBROKEN = 16  #: a figure of so many characters stays on one line
_PROPORTIONAL = int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a figure stands in the document."""

    figure: int
    start: int
    end: int
    mark: str  #: the footnote mark after it; nothing in lists
    quiet: bool  #: without a ground of its own: a name or a date in a grid, where amounts come first


def mark_font(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(10)
    return small


def mark_room(mark: str, font: QFont) -> float:
    """The room after a figure, for its chip's edge and its mark."""
    if not mark:
        return PAD
    return QFontMetricsF(mark_font(font)).horizontalAdvance(mark) + _MARK_SPACE


class AnswerDocument:
    """An answer's layout in a document that is ``width`` wide. ``font`` is the application's."""

    def __init__(self, answer: Answer, font: QFont) -> None:
        self._answer = answer
        self._font = font
        self._blocks: list[Paragraph | Grid] = blocks(answer)
        self._places: list[Place] = []
        self._needed = self._grid_width()

    def is_tight(self, width: float) -> bool:
        """Too narrow for grids: their rows become lines of text."""
        return self._needed > width > 0

    def write(self, document: QTextDocument, width: float) -> list[Place]:
        """Replace the document's content; where each figure stands in it."""
        document.clear()
        self._places = []
        tight = self.is_tight(width)
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        fresh = True  # the cursor stands in an empty block: at the start, and after a table
        for block in self._blocks:
            if isinstance(block, Paragraph):
                self._insert_paragraph(cursor, block.runs, fresh=fresh, bullet=block.bullet)
                fresh = False
            elif tight:
                for line in block.lines:
                    self._insert_paragraph(cursor, line, fresh=fresh, bullet=True)
                    fresh = False
            else:
                self._insert_grid(cursor, block)
                fresh = True
        cursor.endEditBlock()
        return self._places

    def _grid_width(self) -> float:
        """How wide the widest grid must be; words may break into lines, figures may not."""
        metrics = QFontMetricsF(self._format("ink").font())
        widest = 0.0
        for block in self._blocks:
            if isinstance(block, Grid):
                columns = zip(*block.rows, strict=True)
                widest = max(widest, sum(_cell_width(cells, metrics) + _CELL_ROOM for cells in columns) + 16)
        return widest

    def _insert_paragraph(self, cursor: QTextCursor, runs: Sequence[Run], *, fresh: bool, bullet: bool) -> None:
        form = QTextBlockFormat()
        form.setLineHeight(150.0 if bullet else 165.0, _PROPORTIONAL)
        form.setBottomMargin(3)
        if not bullet and cursor.position() > 0:
            form.setTopMargin(7)
        numbered = bullet and bool(runs) and runs[0].figure is None and bool(_NUMBERED.fullmatch(runs[0].text))
        if bullet:
            hang = 20 if numbered else 14
            form.setLeftMargin(6 + hang)
            form.setTextIndent(-hang)
        if fresh:
            cursor.setBlockFormat(form)
        else:
            cursor.insertBlock(form)
        if bullet and not numbered:
            cursor.insertText("·\u2002", self._format("muted"))
        self._insert_runs(cursor, runs, marks=not bullet)

    def _insert_runs(self, cursor: QTextCursor, runs: Sequence[Run], *, marks: bool, muted: bool = False) -> None:
        for number, run in enumerate(runs):
            if run.figure is None:
                form = self._format("muted" if muted else "ink")
                before_figure = number + 1 < len(runs) and runs[number + 1].figure is not None
                if not before_figure:
                    cursor.insertText(run.text, form)
                    continue
                # Room for the edge of the chip that follows.
                head, last_one = _split_last(run.text)
                cursor.insertText(head, form)
                form.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
                form.setFontLetterSpacing(PAD)
                cursor.insertText(last_one, form)
                continue
            start = cursor.position()
            # A short figure stays on one line ("104 days"); a long name may break.
            shown = run.text.replace(" ", "\u00a0") if len(run.text) <= _UNBROKEN else run.text
            cursor.insertText(shown, self._format("ink"))
            end = cursor.position()
            mark = str(run.figure + 1) if marks else ""
            # Room for the mark and the chip's edge, without a character that does not stand in the answer.
            last = QTextCursor(cursor)
            last.setPosition(end - utf16_length(_split_last(run.text)[1]))
            last.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            spaced = self._format("ink")
            spaced.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
            spaced.setFontLetterSpacing(mark_room(mark, self._font))
            last.setCharFormat(spaced)
            quiet = muted and not self._answer.figures[run.figure].is_number
            self._places.append(Place(run.figure, start, end, mark, quiet))

    def _insert_grid(self, cursor: QTextCursor, grid: Grid) -> None:
        metrics = QFontMetricsF(self._format("ink").font())
        columns = max(len(row) for row in grid.rows)
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellPadding(2)
        form.setCellSpacing(0)
        form.setTopMargin(4)
        form.setBottomMargin(8)
        form.setLeftMargin(2)
        table = cursor.insertTable(len(grid.rows), columns, form)
        for r, row in enumerate(grid.rows):
            for c, cell in enumerate(row):
                inner = table.cellAt(r, c).firstCursorPosition()
                block = QTextBlockFormat()
                block.setLineHeight(135.0, _PROPORTIONAL)
                block.setLeftMargin(4 if c == 0 else 10)
                block.setRightMargin(4)
                figures = [self._answer.figures[run.figure] for run in cell if run.figure is not None]
                longest = _LONGEST_CELL if figures else _WORDS_CELL
                block.setNonBreakableLines(metrics.horizontalAdvance(_text(cell)) <= longest)
                if c and figures and all(figure.is_number for figure in figures):
                    block.setAlignment(Qt.AlignmentFlag.AlignRight)
                inner.setBlockFormat(block)
                self._insert_runs(inner, cell, marks=False, muted=True)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # Cells are filled in reading order, but positions recorded before later cells were filled stay right only
        # because every cell lies after those before it.

    def _format(self, role: str) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setForeground(theme.color(role))
        font = QFont(self._font)
        font.setPixelSize(theme.size("lead"))
        font.setFeature(QFont.Tag("tnum"), 1)
        form.setFont(font)
        return form


def _cell_width(cells: Sequence[Sequence[Run]], metrics: QFontMetricsF) -> float:
    longest = _LONGEST_CELL if any(run.figure is not None for cell in cells for run in cell) else _WORDS_CELL
    return min(longest, max(metrics.horizontalAdvance(_text(cell)) for cell in cells))


def _text(cell: Sequence[Run]) -> str:
    return "".join(run.text for run in cell)


def _split_last(text: str) -> tuple[str, str]:
    """The text without its last character, and that character with all that is drawn as one with it."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    finder.toEnd()
    at = max(0, finder.toPreviousBoundary())
    return utf16_slice(text, 0, at), utf16_slice(text, at, utf16_length(text))
