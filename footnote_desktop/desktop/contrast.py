"""The contrast: the same sentence with made-up numbers, as a model would write it. No Qt.

The digits simply count up, so that nobody can take them for a company's figures. Nothing of it is recorded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import cycle

from footnote_desktop.desktop.answer import Answer, utf16_length, utf16_slice

TITLE = "Invented — not from your data"
SENTENCE = (
    "This is what a language model produces when it writes the numbers itself: the same sentence, the same"
    " confidence, and nothing behind any number."
)
LACKS = ("No row behind it", "No query ran", "Not in the log")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    invented: bool


_DIGIT = re.compile(r"\d")


def invent(answer: Answer, limit: int = 1) -> list[Piece]:
    """The first ``limit`` paragraphs of the answer, each figure's digits replaced by 1, 2, 3 …; a figure without
    digits (a name) stays, since a model gets those right."""
    text = answer.text
    paragraphs = text.split("\n\n")
    end = utf16_length("\n\n".join(paragraphs[:limit]).rstrip())
    pieces: list[Piece] = []
    at = 0
    for figure in answer.figures:
        if figure.start == figure.end or figure.end > end:
            continue
        pieces.append(Piece(utf16_slice(text, at, figure.start), False))
        # A single digit is a 9: "1 invoices" would look like a slip of ours.
        digits = cycle("123456789" if len(_DIGIT.findall(figure.text)) > 1 else "9")
        fake = figure.text
        if _is_quantity(figure.text):
            fake = _DIGIT.sub(lambda _: next(digits), figure.text)  # noqa: B023 (used at once)
        pieces.append(Piece(fake, fake != figure.text))
        at = figure.end
    pieces.append(Piece(utf16_slice(text, at, end), False))
    return [piece for piece in pieces if piece.text]


def _is_quantity(text: str) -> bool:
    """Numbers and dates, not the digits of a name such as 3M."""
    return bool(_DIGIT.search(text)) and bool(re.match(r"^[\W_]*\d|^[A-Z]{2,5}-?\d|^\D{0,3}\d", text))
