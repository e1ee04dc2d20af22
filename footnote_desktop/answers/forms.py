"""Forms of questions, written as data in ``resources/lexicon/questions.LANGUAGE.toml``, compiled to patterns.

A form is a whole question in a small notation::

    how much [money] (does|do) <cust> [still] owe [us]

``[…]`` may be absent, ``(…|…)`` is one of, ``<name>`` is a macro of the file, ``{customer}`` a slot. A question is
understood only when a form covers all of it, from its first word to its last; so whatever a form does not provide
for (a period, a second customer, "not") is never skipped over. Between any two words one recognised date or period
may stand; which operation can honour it is decided by the router.
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from footnote_desktop.answers.words import WHEN, fold
from footnote_desktop.settings import data_folder

LANGUAGES = ("en", "de")

#: What each slot may take. Slots take whole words; ``name`` slots are decided by the customers that exist.
_SLOTS = {
    "customer": rf"(?P<customer>(?:[^ {WHEN}]+ )+?)",
    "owner": rf"(?P<owner>(?:[^ {WHEN}]+ )+?)",  # a customer in the genitive: "Bergmann's"
    "invoice": r"(?P<invoice>(?=\S*\d)(?=\S*[^\W\d])\S+ )",  # letters and digits: INV-2026-8812
    "number": r"(?P<number>(?=\S*[\d/-])\S+ )",  # after the word "invoice", digits alone will do
    "n": r"(?P<n>\d{1,3} )",
    # A condition ("in Germany", "with overdue invoices") is no name to look for.
    "text": r"(?P<text>(?!(?:called|named|matching|like|in|from|with|without|who|that|which|whose|by|over|under|and"
    rf"|namens|genannt|mit|wie|aus|ohne|die|der|deren) )(?:[^ {WHEN}]+ )+)",
}
_PIECE = re.compile(r"\s*(\[|\]|\(|\)|\||<[a-z_]+>|\{[a-z]+\}|[^\s\[\]()|<>{}]+)")


@dataclass(frozen=True, slots=True)
class Form:
    """One compiled form. ``focus``: which fact of the operation is asked for. ``note``: a key of the wording that
    says what the answer does and does not contain."""

    intent: str
    focus: str | None
    note: str | None
    source: str
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All that one language's file says."""

    language: str
    lead: re.Pattern[str]  #: what may be said before a question without changing it
    tail: re.Pattern[str]  #: and after it
    forms: tuple[Form, ...]
    past: frozenset[str]  #: words that put a question into the past
    items: frozenset[str]  #: words for single invoices
    listing: frozenset[str]  #: words that ask for a list
    open: frozenset[str]  #: words for what is owed, whether overdue or not
    overdue: frozenset[str]  #: words for what is overdue
    vocabulary: frozenset[str]  #: every word that any form knows, folded
    topics: Mapping[str, frozenset[str]]  #: intent → words that speak of it
    unserved: tuple[tuple[str, re.Pattern[str]], ...]  #: kind of refusal, pattern over folded words
    reasons: Mapping[str, str]
    suggestions: Mapping[str, str]


class FormError(ValueError):
    """A form in the lexicon is not well written."""


def compile_form(source: str, macros: Mapping[str, str], vocabulary: set[str]) -> str:
    """The pattern of a form over folded words, each followed by one space. Adds its words to ``vocabulary``.

    Raises :class:`FormError` on an unknown macro or slot, and on brackets that do not pair.
    """
    pieces = _PIECE.findall(source)
    if "".join(pieces) != "".join(source.split()):
        raise FormError(f"{source!r} holds something that is neither a word nor a bracket")
    at = 0

    def sequence(end: str | None) -> str:
        nonlocal at
        branches: list[str] = []
        current = ""
        while at < len(pieces):
            piece = pieces[at]
            at += 1
            if piece in ("]", ")"):
                if piece != end:
                    raise FormError(f"{source!r}: {piece} without its opening bracket")
                return "|".join([*branches, current])
            if piece == "[":
                current += f"(?:{sequence(']')})?"
            elif piece == "(":
                current += f"(?:{sequence(')')})"
            elif piece == "|":
                branches.append(current)
                current = ""
            elif piece[0] == "<":
                name = piece[1:-1]
                if name not in macros:
                    raise FormError(f"{source!r}: no macro is called {name}")
                current += f"(?:{compile_form(macros[name], macros, vocabulary)})"
            elif piece[0] == "{":
                if piece[1:-1] not in _SLOTS:
                    raise FormError(f"{source!r}: no slot is called {piece}")
                current += _SLOTS[piece[1:-1]] + f"(?:{WHEN} )?"
            else:
                spelt = spellings(piece)
                vocabulary.update(spelt)
                current += f"(?:{'|'.join(map(re.escape, spelt))}) (?:{WHEN} )?"
        if end is not None:
            raise FormError(f"{source!r}: {end} is missing")
        return "|".join([*branches, current])

    return sequence(None)


def spellings(word: str) -> list[str]:
    """A word as it may be typed, folded: ``überfällig`` is also written ``ueberfaellig``."""
    plain = fold(word)
    digraph = fold("".join({"ä": "ae", "ö": "oe", "ü": "ue"}.get(c, c) for c in unicodedata.normalize("NFC", word)))
    return [plain] if digraph == plain else [plain, digraph]


@functools.cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language (``en``, ``de``), read once. Raises :class:`FormError` where the file is wrong."""
    with (data_folder("resources") / "lexicon" / f"questions.{language}.toml").open("rb") as file:
        data = tomllib.load(file)
    macros: dict[str, str] = data["macros"]
    vocabulary: set[str] = set()
    lead, tail = (re.compile(compile_form(macros[name], macros, vocabulary)) for name in ("lead", "tail"))
    forms = []
    topics: dict[str, frozenset[str]] = {}
    for entry in data["intent"]:
        words_of_entry: set[str] = set()
        for source in entry["forms"]:
            body = compile_form(source, macros, words_of_entry)
            pattern = re.compile(f"(?:{WHEN} )?(?:{body})")
            forms.append(Form(entry["name"], entry.get("focus"), entry.get("note"), source, pattern))
        vocabulary |= words_of_entry
    for intent, spoken in data["topics"].items():
        topics[intent] = _words(spoken)
    vocabulary |= _words(data["harmless"]["words"])
    unserved: list[tuple[str, re.Pattern[str]]] = []
    hints = data["hints"]
    for kind, patterns in data["unserved"].items():
        unserved.extend((kind, re.compile(rf"(?<!\S){_folded(p)}(?!\S)")) for p in patterns)
    return Lexicon(
        language,
        lead,
        tail,
        tuple(forms),
        _words(hints["past"]),
        _words(hints["items"]),
        _words(hints["listing"]),
        _words(hints["open"]),
        _words(hints["overdue"]),
        frozenset(vocabulary),
        topics,
        tuple(unserved),
        data["reasons"],
        data["suggestions"],
    )


def _words(listed: list[str]) -> frozenset[str]:
    return frozenset(spelling for word in listed for spelling in spellings(word))


def _folded(pattern: str) -> str:
    """A pattern of the file with the letters of its words folded; ``ä`` also as ``ae``."""
    out = pattern
    for umlaut, digraph in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        plain = fold(umlaut)
        out = out.replace(umlaut, plain if plain == digraph else f"(?:{plain}|{digraph})")
    return out
