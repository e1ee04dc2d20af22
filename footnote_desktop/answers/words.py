"""A question as words: what each says for matching, and where it stood in what was typed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

#: Stand for a recognised date or period, and for a name, in the text that forms are matched against. Noncharacters
#: (Unicode keeps them out of interchange), and replaced where they are typed, so that nothing can pass for them.
WHEN, NAME = "\uffff", "\ufffe"

_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ`´′"), "'")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_OPENING = '"“”„«»‚¿¡'
_CLOSING = '"“”„«»?!.,;:…'


@dataclass(frozen=True, slots=True)
class Word:
    """One word: ``core`` folded for matching, ``start`` and ``end`` in code points of the question."""

    core: str
    start: int
    end: int


def fold(text: str) -> str:
    """Case, accents and typographic variants of apostrophes and dashes taken away. Length may change."""
    text = text.casefold().translate(_APOSTROPHES).translate(_DASHES)
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def words(question: str) -> list[Word]:
    """The words of a question in order. Sentence marks at the edge of a word are dropped; a mark that stands alone
    is kept as a word unless it only ends a sentence, because ``--`` or ``<`` is something that was said."""
    found = []
    for match in re.finditer(r"\S+", question.replace(WHEN, "\ufffd").replace(NAME, "\ufffd")):
        raw = match.group()
        # Some characters decompose into a space and an accent; a word stays one word.
        core = "".join(fold(raw.lstrip(_OPENING).rstrip(_CLOSING)).split())
        if core:
            found.append(Word(core, match.start(), match.end()))
        elif raw.strip("?!.,;:…"):
            found.append(Word(raw, match.start(), match.end()))
    return found


def slice_of(question: str, span: list[Word]) -> str:
    """What was typed for these neighbouring words, without sentence marks and quotes round it."""
    text = question[span[0].start : span[-1].end]
    return text.strip(_OPENING).rstrip('?!…"“”„«»').rstrip(",;:").strip()


def visible(text: str) -> str:
    """Text of others, fit to stand in prose: one line, nothing that hides or reorders what is shown.

    Line breaks and tabs become spaces; other control and format characters (bidirectional overrides, zero-width
    spaces, tag characters) are written out as ``⟨U+202E⟩``; the joiners that emoji and some scripts need stay.
    A lone surrogate, which no log can hold, becomes U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    out = []
    for c in text:
        category = unicodedata.category(c)
        if category == "Cs":
            out.append("\ufffd")
        elif c in "\t\n\r\v\f\x85" or category in ("Zl", "Zp"):
            out.append(" ")
        elif category == "Cc" or (category == "Cf" and c not in "\u200c\u200d"):
            out.append(f"⟨U+{ord(c):04X}⟩")
        else:
            out.append(c)
    return "".join(out)
