"""The answer's text with its figures: each one can be pointed at, walked to with the keyboard, and opened."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QToolTip, QWidget

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.answer_document import PAD, AnswerDocument, Place, mark_font, mark_room
from footnote_desktop.desktop.plain import announce, tooltip
from footnote_desktop.desktop.theme import theme


class AnswerText(QTextEdit):
    """Shows one answer. ``figure_opened`` carries the index of the figure that a person chose."""

    figure_opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setStyleSheet("QTextEdit { background: transparent; border: none; padding: 0; }")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.document().setDocumentMargin(6)
        self.document().setUndoRedoEnabled(False)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Answer")
        self._answer: Answer | None = None
        self._document: AnswerDocument | None = None
        self._places: list[Place] = []
        self._hints: Sequence[str] = ()
        self._rects: list[list[QRectF]] | None = None
        self._tight = False
        self._hovered = -1
        self._focused = -1
        self._selected = -1
        self._visited: set[int] = set()
        self._pressed_at: QPointF | None = None
        theme.changed.connect(self._themed)
        self.document().documentLayout().documentSizeChanged.connect(self._moved)

    # --- content ---

    def show_answer(self, answer: Answer, hints: Sequence[str] = ()) -> None:
        """Show an answer from the start; ``hints`` are the first evidence of each figure, for pointing at it."""
        self._answer = answer
        self._document = AnswerDocument(answer, self.font())
        self._hints = hints
        self._visited = set()
        self._hovered = self._focused = self._selected = -1
        self._build()
        self.verticalScrollBar().setValue(0)

    def places(self) -> int:
        """How many figures stand in the text."""
        return len(self._places)

    def select(self, figure: int) -> None:
        """Mark a figure as the one whose evidence is shown; -1 marks none."""
        self._selected = figure
        if figure >= 0:
            self._visited.add(figure)
            self._focused = self._order_of(figure)
            self._reveal(self._focused)
        self._mark_selected()
        self.viewport().update()

    @property
    def selected(self) -> int:
        return self._selected

    @property
    def focused_figure(self) -> int:
        """The index of the figure that has the keyboard; -1 when none has."""
        return self._places[self._focused].figure if 0 <= self._focused < len(self._places) else -1

    def figure_rect(self, figure: int) -> QRectF:
        """Where a figure is painted in the viewport (its first line), empty when it does not stand in the text."""
        order = self._order_of(figure)
        rects = self._figure_rects()
        if order < 0 or not rects[order]:
            return QRectF()
        return rects[order][0].translated(0, -self.verticalScrollBar().value())

    def _build(self) -> None:
        if self._document is None:
            return
        width = self.viewport().width()
        self._tight = self._document.is_tight(width)
        self._places = self._document.write(self.document(), width)
        self._moved()
        self._mark_selected()

    def _themed(self) -> None:
        self._build()

    def _mark_selected(self) -> None:
        order = self._order_of(self._selected)
        extra = []
        if order >= 0:
            place = self._places[order]
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(place.start)
            cursor.setPosition(place.end, QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            form = QTextCharFormat()
            form.setForeground(theme.color("onAccent"))
            selection.format = form
            extra.append(selection)
        self.setExtraSelections(extra)

    # --- where the figures are ---

    def _order_of(self, figure: int) -> int:
        return next((n for n, place in enumerate(self._places) if place.figure == figure), -1)

    def _moved(self) -> None:
        self._rects = None
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._document is not None and self._document.is_tight(self.viewport().width()) != self._tight:
            self._build()
        self._moved()

    def _figure_rects(self) -> list[list[QRectF]]:
        """For each figure its chips (one for each line that it reaches over), in document coordinates."""
        if self._rects is None:
            self._rects = [self._rects_of(place) for place in self._places]
        return self._rects

    def _rects_of(self, place: Place) -> list[QRectF]:
        document = self.document()
        block: QTextBlock = document.findBlock(place.start)
        layout = block.layout()
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        first, last = place.start - block.position(), place.end - block.position()
        rects = []
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            start, end = line.textStart(), line.textStart() + line.textLength()
            if end <= first or start >= last:
                continue
            left = _x(line.cursorToX(max(start, first)))
            right = _x(line.cursorToX(min(end, last)))
            if last <= end:
                right -= mark_room(place.mark, self.font())
            top = line.y() + line.ascent()
            rects.append(
                QRectF(
                    origin.x() + left - PAD,
                    origin.y() + top - line.ascent() - 1,
                    right - left + 2 * PAD,
                    line.ascent() + line.descent() + 3,
                )
            )
        return rects

    def _at(self, point: QPointF) -> int:
        """The order of the figure at a point of the viewport; -1 when there is none."""
        spot = QPointF(point.x(), point.y() + self.verticalScrollBar().value())
        for order, rects in enumerate(self._figure_rects()):
            if any(rect.adjusted(-1, -2, 1, 2).contains(spot) for rect in rects):
                return order
        return -1

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(0, -self.verticalScrollBar().value())
        seen = QRectF(event.rect()).translated(0, self.verticalScrollBar().value()).adjusted(-20, -20, 20, 20)
        for order, rects in enumerate(self._figure_rects()):
            for number, rect in enumerate(rects):
                if rect.intersects(seen):
                    self._paint_chip(painter, order, rect, last=number == len(rects) - 1)
        painter.end()
        super().paintEvent(event)

    def _paint_chip(self, painter: QPainter, order: int, rect: QRectF, *, last: bool) -> None:
        place = self._places[order]
        chosen = place.figure == self._selected
        painter.setPen(Qt.PenStyle.NoPen)
        background = "accent" if chosen else ("accentHover" if order == self._hovered else "accentSoft")
        if chosen or order == self._hovered or not place.quiet:
            painter.setBrush(theme.color(background))
            painter.drawRoundedRect(rect, 3, 3)
        if not chosen:
            self._paint_underline(painter, rect, visited=place.figure in self._visited, hovered=order == self._hovered)
        if order == self._focused and self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            gap = 2.4 if chosen else 1.2
            painter.drawRoundedRect(rect.adjusted(-gap, -gap, gap, gap), 4, 4)
        if last and place.mark:
            painter.setPen(theme.color("accent"))
            painter.setFont(mark_font(self.font()))
            painter.drawText(QPointF(rect.right() + 3.5, rect.top() + 8), place.mark)

    def _paint_underline(self, painter: QPainter, rect: QRectF, *, visited: bool, hovered: bool) -> None:
        color = QColor(theme.color("muted" if visited and not hovered else "accent"))
        pen = QPen(color, 1.2)
        if hovered:
            pen.setStyle(Qt.PenStyle.SolidLine)
        elif visited:
            pen.setDashPattern([4.0, 2.5])
        else:
            pen.setDashPattern([1.0, 1.8])
        painter.setPen(pen)
        y = rect.bottom() - 1.2
        painter.drawLine(QPointF(rect.left() + PAD, y), QPointF(rect.right() - PAD, y))

    # --- mouse ---

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        order = self._at(event.position())
        if order != self._hovered:
            self._hovered = order
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if order >= 0 else Qt.CursorShape.IBeamCursor)
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = event.position() if event.button() == Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed_at = self._pressed_at, None
        if pressed is None or self.textCursor().hasSelection():
            return  # text was being selected
        order = self._at(event.position())
        if order >= 0 and order == self._at(pressed):
            self._focused = order
            self._open(order)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave and self._hovered >= 0:
            self._hovered = -1
            self.viewport().update()
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            order = self._at(QPointF(event.pos()))
            hint = self.hint(self._places[order].figure) if order >= 0 else ""
            if hint:
                QToolTip.showText(event.globalPos(), tooltip(hint), self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def hint(self, figure: int) -> str:
        """The first evidence of a figure, as plain text."""
        return self._hints[figure] if 0 <= figure < len(self._hints) else ""

    # --- keyboard ---

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._places:
            if event.reason() == Qt.FocusReason.BacktabFocusReason:
                self._focus(len(self._places) - 1)
            elif event.reason() == Qt.FocusReason.TabFocusReason or self._focused < 0:
                self._focus(max(0, self._order_of(self._selected)))
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def focusNextPrevChild(self, forward: bool) -> bool:
        order = self._focused + (1 if forward else -1)
        if self.hasFocus() and 0 <= order < len(self._places):
            self._focus(order)
            return True
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if plain and self._places:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
                self._open(max(0, self._focused))
                return
            steps = {
                Qt.Key.Key_Right: self._focused + 1,
                Qt.Key.Key_Left: self._focused - 1,
                Qt.Key.Key_Home: 0,
                Qt.Key.Key_End: len(self._places) - 1,
            }
            if key in steps:
                self._focus(max(0, min(steps[Qt.Key(key)], len(self._places) - 1)))
                return
            if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self._focus(self._vertical(-1 if key == Qt.Key.Key_Up else 1))
                return
        super().keyPressEvent(event)

    def _vertical(self, direction: int) -> int:
        """The nearest figure in the line above or below."""
        rects = self._figure_rects()
        if not 0 <= self._focused < len(rects) or not rects[self._focused]:
            return 0
        here = rects[self._focused][0]
        best, best_distance = self._focused, float("inf")
        for order, others in enumerate(rects):
            if not others:
                continue
            there = others[0]
            down = (there.center().y() - here.center().y()) * direction
            if down <= here.height() / 2:
                continue
            distance = down * 4 + abs(there.center().x() - here.center().x())
            if distance < best_distance:
                best, best_distance = order, distance
        return best

    def _focus(self, order: int) -> None:
        self._focused = order
        self._reveal(order)
        self.viewport().update()
        place = self._places[order]
        assert self._answer is not None
        figure = self._answer.figures[place.figure]
        said = f"{figure.label}: {figure.text}. Figure {place.figure + 1} of {len(self._answer.figures)}."
        self.setAccessibleDescription(said)
        announce(self, said)

    def _reveal(self, order: int) -> None:
        if not 0 <= order < len(self._places):
            return
        rects = self._figure_rects()[order]
        if not rects:
            return
        bar = self.verticalScrollBar()
        top, bottom = rects[0].top() - 8, rects[-1].bottom() + 8
        if top < bar.value():
            bar.setValue(int(top))
        elif bottom > bar.value() + self.viewport().height():
            bar.setValue(int(bottom - self.viewport().height()))

    def _open(self, order: int) -> None:
        self.figure_opened.emit(self._places[order].figure)

    def sizeHint(self) -> QSize:
        return QSize(420, 260)


def _x(value: object) -> float:
    """``cursorToX`` returns a number, or a number with the position that it settled on."""
    return float(value[0]) if isinstance(value, tuple) else float(value)  # type: ignore[arg-type]
