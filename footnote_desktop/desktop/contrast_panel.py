"""The contrast to a cited answer: the same sentence with invented numbers, unmistakably marked as false."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.contrast import LACKS, SENTENCE, TITLE, Piece, invent
from footnote_desktop.desktop.controls import Picture, column, label, row
from footnote_desktop.desktop.theme import theme


class ContrastPanel(QWidget):
    """Hatched, red-bordered, and saying so in words."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[Piece] = []
        outer = column(self, margins=(18, 14, 18, 14), gap=6)
        head = row(gap=8)
        head.addWidget(Picture("warning", "bad", 18))
        self.title = label(TITLE, "invented")
        head.addWidget(self.title)
        head.addStretch(1)
        outer.addLayout(head)
        self.text = _Inert()
        outer.addWidget(self.text)
        self.lacks = label("   ".join(f"✕\u00a0{lack}" for lack in LACKS), "invented", wrap=True)
        outer.addWidget(self.lacks)
        self.sentence = label(SENTENCE, "muted", wrap=True)
        outer.addWidget(self.sentence)
        self.setAccessibleName(f"{TITLE}. {SENTENCE}")
        theme.changed.connect(self._draw)

    def show_answer(self, answer: Answer) -> None:
        self._pieces = invent(answer)
        self._draw()

    def plain_text(self) -> str:
        return self.text.toPlainText()

    def _draw(self) -> None:
        self.text.clear()
        cursor = self.text.textCursor()
        for piece in self._pieces:
            form = QTextCharFormat()
            form.setForeground(theme.color("bad" if piece.invented else "ink"))
            if piece.invented:
                form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
                form.setUnderlineColor(theme.color("bad"))
            cursor.insertText(piece.text, form)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.text.fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("badSoft"))
        painter.drawRoundedRect(frame, 6, 6)
        hatch = theme.color("bad")
        hatch.setAlphaF(0.13)
        painter.save()
        painter.setClipRect(frame)
        painter.setPen(QPen(hatch, 3))
        height = self.height()
        for x in range(-height, self.width(), 12):
            painter.drawLine(x, height, x + height, 0)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("bad"), 2))
        painter.drawRoundedRect(frame, 6, 6)
        # The words lie on quiet ground, or the hatching would make them hard to read.
        painter.setPen(Qt.PenStyle.NoPen)
        ground = theme.color("badSoft")
        ground.setAlphaF(0.86)
        painter.setBrush(ground)
        painter.drawRoundedRect(frame.adjusted(9, 8, -9, -8), 4, 4)


class _Inert(QTextEdit):
    """Text that offers nothing: no chip, no link, no focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextEdit { background: transparent; border: none; padding: 0; }")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        font = self.font()
        font.setPixelSize(theme.size("lead"))
        self.document().setDefaultFont(font)
        self.document().documentLayout().documentSizeChanged.connect(lambda *_: self.fit())

    def fit(self) -> None:
        self.setFixedHeight(max(20, min(160, int(self.document().size().height()) + 2)))
