"""Cuts a passage into sentences, with offsets; abbreviations, ordinals and numbers of the three languages do not end one."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    [
        "e.g",
        "i.e",
        "etc",
        "cf",
        "vs",
        "no",
        "nos",
        "art",
        "sec",
        "para",
        "approx",
        "incl",
        "excl",
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "inc",
        "ltd",
        "co",
        "corp",
        "st",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "p",
        "pp",
        "nr",
        "abs",
        "ziff",
        "ggf",
        "bzw",
        "z.b",
        "u.a",
        "d.h",
        "usw",
        "vgl",
        "ca",
        "inkl",
        "exkl",
        "zzgl",
        "str",
        "tel",
        "evtl",
        "mio",
        "mrd",
        "tsd",
        "p.a",
        "v.h",
        "gem",
        "lt",
        "sog",
        "hr",
        "fr",
        "i.h.v",
        "max",
        "min",
        "bspw",
        "np",
        "itd",
        "itp",
        "tj",
        "m.in",
        "tzw",
        "ul",
        "al",
        "pl",
        "ust",
        "pkt",
        "lit",
        "poz",
        "dz",
        "sp",
        "o.o",
        "z.o.o",
        "s.a",
        "r",
        "w",
        "ds",
        "mec",
        "mgr",
        "inż",
        "tys",
        "mln",
        "mld",
        "godz",
        "zob",
        "por",
        "ww",
        "im",
        "św",
        "pn",
        "tel",
        "kw",
        "wg",
        "lp",
    ]
)
_MONTH = re.compile(
    r"(?:jan|feb|m[äa]r|apr|ma[ijy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|styc|lut|kwie|czer|lip|sier|wrze|paź|list|grud)",
    re.I,
)
_END = re.compile(r"[.!?…](?:[\"”“»')\]*_]*)(?=\s+|$)")
_WORD_BEFORE = re.compile(r"([^\s(\[„“\"*]+)$")


def split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Offsets of the sentences of ``text[start:end]``, trimmed of blanks."""
    out: list[tuple[int, int]] = []
    begin = start
    for m in _END.finditer(text, start, end):
        if text[m.start()] == "." and not _ends(text, start, m.start(), m.end(), end):
            continue
        out.append((begin, m.end()))
        begin = m.end()
    out.append((begin, end))
    trimmed = []
    for a, b in out:
        while a < b and text[a].isspace():
            a += 1
        while b > a and text[b - 1].isspace():
            b -= 1
        if b > a:
            trimmed.append((a, b))
    return trimmed


def _ends(text: str, start: int, dot: int, after: int, end: int) -> bool:
    rest = text[after:end].lstrip()
    if not rest:
        return True
    found = _WORD_BEFORE.search(text[max(start, dot - 30) : dot])
    word = found.group(1).lower().strip("*_") if found else ""
    if len(text[start:dot].strip(" *_>#-(")) <= 4 and not text[start:dot].strip(" *_>#-(").isalpha():
        return False  # the number of a list item
    following = rest.lstrip("\"“„'(*_[")[:1]
    if following and following.islower():
        return False
    if word in _ABBREVIATIONS:
        # "2025 r. Spółka": an abbreviation can end a sentence when a capital follows and it is one that often does
        return (
            word in ("r", "etc", "usw", "itd", "itp", "p.a", "o.o", "s.a", "inc", "ltd")
            and following.isupper()
            and not _name_goes_on(text, dot, rest)
        )
    if len(word) == 1 and word.isalpha() and word not in "ia":
        return False
    if word.isdigit() and len(word) <= 2 and _MONTH.match(rest):
        return False
    # "15. Januar", "§ 3. Miete": a short number before a dot is an ordinal
    return not (word.isdigit() and len(word) <= 2 and not re.match(r"[A-ZÄÖÜ]\w+\s+\w+\s", rest)) or (
        following.isupper() and len(word) > 2
    )


def _name_goes_on(text: str, dot: int, rest: str) -> bool:
    return text[max(0, dot - 4) : dot].lower().endswith(("o.o", "s.a", "ltd", "inc")) and not re.match(
        r"[A-ZĄĆŁŚŻŹ]\w+\s+[a-ząćęłńóśźż]", rest
    )
