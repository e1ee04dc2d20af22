"""Light stemming: folds the inflections of a word together, in English, German and Polish, without a dictionary."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DE_FOLD = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_PL_FOLD = str.maketrans({"ą": "a", "ć": "c", "ę": "e", "ł": "l", "ń": "n", "ó": "o", "ś": "s", "ź": "z", "ż": "z"})
_PL_ENDINGS = sorted(
    [
        "a",
        "ą",
        "e",
        "ę",
        "i",
        "o",
        "u",
        "y",
        "ach",
        "ami",
        "om",
        "ów",
        "owi",
        "em",
        "ie",
        "ia",
        "ią",
        "ię",
        "iu",
        "io",
        "iom",
        "iach",
        "iami",
        "ego",
        "emu",
        "ej",
        "ych",
        "ich",
        "ymi",
        "imi",
        "ym",
        "im",
        "iej",
        "iego",
        "iemu",
        "eg",
        "yc",
        "owie",
        "owa",
        "owe",
        "owy",
        "owego",
        "owej",
        "owych",
        "owym",
    ],
    key=len,
    reverse=True,
)
_DE_ENDINGS = ("ern", "nen", "em", "en", "er", "es", "e", "n", "s", "t")
_VOWELS = re.compile(r"[aeiouy]")


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """Lower case without diacritics, so that text typed without them still matches."""
    word = word.lower().translate(_DE_FOLD).translate(_PL_FOLD)
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def _english(w: str) -> str:
    if w.endswith("ies") and len(w) > 4:
        w = w[:-3] + "y"
    elif w.endswith(("sses", "ches", "shes", "xes")):
        w = w[:-2]
    elif w.endswith("s") and not w.endswith(("ss", "us", "is")) and len(w) > 3:
        w = w[:-1]
    for ending in ("ing", "ed"):
        if w.endswith(ending) and len(w) > len(ending) + 2 and _VOWELS.search(w[: -len(ending)]):
            w = w[: -len(ending)]
            break
    if len(w) > 3 and w[-1] == w[-2] and w[-1] not in "aeiou":
        w = w[:-1]
    return w.rstrip("e") if len(w) > 3 else w


def _german(w: str) -> str:
    for _ in range(3):
        for ending in _DE_ENDINGS:
            if w.endswith(ending) and len(w) - len(ending) >= 4:
                w = w[: -len(ending)]
                break
    return w


def _polish(w: str) -> str:
    for ending in _PL_ENDINGS:
        if w.endswith(ending) and len(w) - len(ending) >= 3:
            w = w[: -len(ending)]
            break
    return w


_PL_ENDINGS = sorted({fold(e) for e in _PL_ENDINGS}, key=lambda e: (-len(e), e))


@lru_cache(maxsize=200_000)
def stem(word: str, lang: str) -> str:
    """The stem of one word. Two forms of a word share it; different words hardly ever do."""
    w = fold(word)
    if lang == "de":
        return _german(w)
    if lang == "pl":
        return _polish(w)
    return _english(w)


@lru_cache(maxsize=200_000)
def international(word: str) -> str:
    """A spelling that words of Latin and Greek origin share across the three languages: cluster, Klaster, klastrów."""
    w = fold(word)
    for a, b in (
        ("ph", "f"),
        ("th", "t"),
        ("ck", "k"),
        ("qu", "kw"),
        ("x", "ks"),
        ("sch", "s"),
        ("sz", "s"),
        ("cz", "k"),
        ("c", "k"),
        ("z", "s"),
        ("y", "i"),
        ("w", "v"),
        ("j", "i"),
    ):
        w = w.replace(a, b)
    return w
