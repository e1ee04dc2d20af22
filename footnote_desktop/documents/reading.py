"""Reads one text: its terms (concepts, names, words), its typed numbers, its clauses with polarity and manner.

A claim and a unit are read the same way; what decides later is only how the two readings compare.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from footnote_desktop.documents.lexicon import LANGS, Hit, Lexicon, Word
from footnote_desktop.documents.stem import fold, international, stem
from footnote_desktop.figures.numbers import Quantity, find

#: What a clause can say about how it says it; ``negative`` is kept apart.
Manner = frozenset[str]


@dataclass(frozen=True, slots=True)
class Term:
    """Something that a claim says and a source must say too. ``alternatives`` are concepts or word keys; one is enough."""

    start: int
    end: int
    text: str
    alternatives: tuple[str, ...]
    cls: str  #: class of the lexicon, or "word", "name"
    clause: int
    bare: bool = False  #: after "without"
    keys: tuple[str, ...] = ()  #: of a word outside the lexicon: stem, lemma, international spelling


@dataclass(frozen=True, slots=True)
class Clause:
    start: int
    end: int
    negative: bool
    manner: Manner
    doubtful: bool = False  #: more than one negation whose scope the engine cannot tell


@dataclass(slots=True)
class Reading:
    """A text as the engine understands it. ``text`` has markup blanked out, so offsets are those of the original."""

    text: str
    lang: str
    terms: list[Term]
    quantities: list[Quantity]
    clauses: list[Clause]
    said: set[str] = field(default_factory=set)  #: everything the terms imply, for quick tests

    def clause_at(self, position: int) -> int:
        for number, clause in enumerate(self.clauses):
            if clause.start <= position < clause.end:
                return number
        return len(self.clauses) - 1


_MARKUP = re.compile(r"\*+|`+|~~|(?<!\w)_+|_+(?!\w)|</?\w[^>\n]*>|\|")
_ENUMERATOR = re.compile(
    r"^(?:[\s>]*)(?:[-*+•–]\s+|#+\s+|(?:\(?\d{1,3}(?:\.\d{1,3})*[.)](?!\s+(?:jan|feb|m[äa]r|apr|ma[ijy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]))|\d{1,3}(?:\.\d{1,3})+|§\s?\d+[a-z]?\.?|\(?[a-zA-Z][.)]|\(?[ivxIVX]{1,5}[.)])\s+)+",
    re.I,
)
_WORDS = re.compile(r"[^\W\d_]+")
#: Bounds are no negations: "not less than", "shall not exceed", "darf 25 % nicht unterschreiten".
_BOUNDS = re.compile(
    r"\b(?:not?\s+(?:less|more|fewer|later|earlier|longer|greater|lower|higher)\s+than|not\s+(?:to\s+)?(?:exceed(?:ing|ed)?|be\s+(?:less|more)\s+than)|not\s+only"
    r"|nicht\s+(?:weniger|mehr|später|länger|höher|niedriger)\s+als|nicht\s+(?:unter|über)schr\w+|nicht\s+über(?:steigen|steigt)|nicht\s+nur"
    r"|nie\s+(?:mniej|więcej|później|dłużej|wcześniej|niższ\w+|wyższ\w+|większ\w+|mniejsz\w+)\s+niż|nie\s+(?:może|mogą)?\s*(?:być\s+\w+\s+niż|przekr\w+)|nie\s+tylko"
    r"|unless\s+otherwise|soweit\s+nicht\s+anders|o\s+ile\s+nie)\b",
    re.I,
)
_CONJUNCTION = (
    r"and|but|or|which|whereas|while|unless|except|if|provided|that|because|although|when|where|who|as"
    r"|und|aber|sondern|wobei|wenn|falls|sofern|dass|weil|die|der|das|es sei denn|sowie|oder|soweit|jedoch|welche\w?"
    r"|a|ale|lecz|oraz|że|jeśli|jeżeli|który|która|które|których|którego|co|chyba że|gdy|przy czym|natomiast|bo|ponieważ|mimo|zaś|i"
)
_BREAK = re.compile(
    rf"[;:]\s|\s[–—]\s|\s\|\s|(?<=[^\d\s][.!?])\s+(?=[A-ZÄÖÜĄĆŁŚŻŹ])|,\s+(?=(?:{_CONJUNCTION})\b)|\s+(?=(?:but|whereas|unless|provided that|sondern|jedoch|natomiast|chyba że)\b)"
    r"|\s+(?=and\s+(?:does|do|is|are|shall|may|will|must|has|have|was|were|can|cannot|not)\b|und\s+(?:wird|ist|kann|darf|hat|sind|werden|muss|nicht|keine?)\b"
    r"|(?:i|oraz|a)\s+(?:nie|jest|może|musi|ma|są|został\w*)\b)",
    re.I,
)
#: "sind anzuzeigen", "hat zu zahlen": German for must.
_TO_BE_DONE = re.compile(
    r"\b(?:ist|sind|hat|haben)\b[^;]*?\b(?:zu\s+[a-zäöüß]{3,}en|(?:an|ab|auf|aus|ein|mit|vor|zurück)zu[a-zäöüß]{3,}en)\b"
)
_WITHOUT = frozenset(("without", "ohne", "bez"))
_LEGAL = frozenset(
    [
        "gmbh",
        "ag",
        "kg",
        "se",
        "ug",
        "ohg",
        "eg",
        "ev",
        "ltd",
        "limited",
        "plc",
        "llp",
        "llc",
        "inc",
        "corp",
        "co",
        "sa",
        "sas",
        "sarl",
        "bv",
        "nv",
        "ab",
        "oy",
        "as",
        "aps",
        "spa",
        "srl",
        "sp",
        "zoo",
        "spzoo",
        "kgaa",
        "mbh",
        "publ",
    ]
)


def blank(text: str) -> str:
    """The text with its markup as blanks, letter for letter as long."""
    out = _MARKUP.sub(lambda m: ";" if m.group() == "|" else " " * len(m.group()), text)
    out = re.sub(r"[\n\r\t]", " ", out)
    lead = _ENUMERATOR.match(out)
    return " " * lead.end() + out[lead.end() :] if lead else out


def read(text: str, lang: str, lexicon: Lexicon, *, lemmas: bool = True) -> Reading:
    """Reads ``text``, whose language is ``lang`` ("en", "de" or "pl"). Without ``lemmas`` the dictionary is not loaded."""
    clean = blank(text)
    quantities = find(clean, lang)
    spans = [(q.start, q.end) for q in quantities]
    words = [
        Word(m.start(), m.end(), m.group())
        for m in _WORDS.finditer(clean)
        if not any(a < m.end() and m.start() < b for a, b in spans)
    ]
    signals = _signals(clean, words, lang, lexicon)
    clauses = _clauses(clean, words, signals)
    terms = _terms(clean, words, signals, clauses, lang, lexicon, lemmas)
    reading = Reading(clean, lang, terms, quantities, clauses)
    for term in terms:
        for alternative in term.alternatives:
            reading.said |= lexicon.wide(alternative)
        reading.said.update(term.keys)
    return reading


@dataclass(frozen=True, slots=True)
class _Signal:
    start: int
    end: int
    kinds: frozenset[str]


def _signals(text: str, words: list[Word], lang: str, lexicon: Lexicon) -> list[_Signal]:
    masked = [m.span() for m in _BOUNDS.finditer(text)]
    out: list[_Signal] = []
    position = 0
    while position < len(words):
        hit = lexicon.signals.at(words, position, lang, text)
        if hit is None and lang != "en":
            hit = lexicon.signals.at(words, position, "en", text) if len(words[position].text) > 4 else None
        if hit is None:
            position += 1
            continue
        start, end = words[position].start, words[position + hit.length - 1].end
        position += hit.length
        if not any(a <= start < b for a, b in masked):
            out.append(_Signal(start, end, frozenset(hit.concepts)))
    return out


def _clauses(text: str, words: list[Word], signals: list[_Signal]) -> list[Clause]:
    cuts = [0]
    inside = 0
    opened: list[tuple[int, int]] = []
    for position, char in enumerate(text):  # a break inside brackets breaks nothing
        if char in "([":
            opened.append((position, -1))
            inside += 1
        elif char in ")]" and inside:
            inside -= 1
            start = next(i for i in range(len(opened) - 1, -1, -1) if opened[i][1] < 0)
            opened[start] = (opened[start][0], position)
    for m in _BREAK.finditer(text):
        if not any(a < m.start() < b for a, b in opened) and m.end() > cuts[-1] + 3:
            cuts.append(m.end())
    if any("condition" in s.kinds and not text[: s.start].strip() for s in signals):
        comma = next(
            (m.end() for m in re.finditer(r",\s", text) if not any(a < m.start() < b for a, b in opened)), None
        )
        if comma and comma not in cuts:
            cuts = sorted({*cuts, comma})
    cuts.append(len(text) + 1)
    out = []
    for start, end in pairwise(cuts):
        inner = [s for s in signals if start <= s.start < end]
        kinds = frozenset(k for s in inner for k in s.kinds)
        if any(start <= m.start() < end and m.group().lower().startswith("nicht") for m in _BOUNDS.finditer(text)):
            kinds -= {"permission"}  # "darf 25 % nicht unterschreiten" sets a bound, it permits nothing
        lower = text[start:end].lower()
        if _TO_BE_DONE.search(lower):
            kinds |= {"obligation"}
        negations = [s for s in inner if "negation" in s.kinds and text[s.start : s.end].lower() not in _WITHOUT]
        denied = bool(kinds & {"denial", "refusal"})
        negated = bool(negations) or "neither" in kinds
        twice = "neither" in kinds and bool(re.search(r"\b(?:not|nicht)\b", lower))
        twice = twice or len(re.findall(r"\b(?:not|nicht)\b", _BOUNDS.sub(" ", lower))) > 1
        doubtful = twice or (
            denied and negated and not re.search(r"\b(?:not|nicht|nie|never)\s+(?:\w+\s+){0,2}\w+", lower)
        )
        # Polish negation is concordant (nigdy nie, żaden nie): several words, one negation
        out.append(Clause(start, end, negated != denied, kinds, doubtful))
    return out


def _terms(
    text: str,
    words: list[Word],
    signals: list[_Signal],
    clauses: list[Clause],
    lang: str,
    lexicon: Lexicon,
    lemmas: bool,
) -> list[Term]:
    out: list[Term] = []
    others = [other for other in LANGS if other != lang]
    bounds = [c.start for c in clauses]

    def clause_of(position: int) -> int:
        number = 0
        for index, start in enumerate(bounds):
            if position >= start:
                number = index
        return number

    position = 0
    bare_until = -1
    while position < len(words):
        word = words[position]
        lower = word.text.lower()
        if lower in _WITHOUT:
            bare_until = position + 6
        if (
            lower in ("non", "nicht")
            and text[word.end : word.end + 1] == "-"
            and not lexicon.content.at(words, position, lang, text)
        ):
            following = words[position + 1].text if position + 1 < len(words) else ""
            key = f"w:non-{stem(following, lang)}"  # "non-structural" is another thing than "structural"
            out.append(
                Term(
                    word.start,
                    word.end,
                    f"{word.text}-{following}",
                    (key,),
                    "word",
                    clause_of(word.start),
                    False,
                    (key,),
                )
            )
            position += 2
            continue
        hit: Hit | None = lexicon.content.at(words, position, lang, text)
        if hit is None or hit.length == 1:
            for other in others:  # a term of another language, given in brackets or as a title
                longer = lexicon.content.at(words, position, other, text)
                if longer and longer.length > 1 and longer.rank != 2 and "light" not in longer.concepts:
                    hit = longer
                    break
        signal = next((s for s in signals if s.start <= word.start < s.end), None)
        compound = None
        if hit is None or (hit.rank == 2 and lang == "de"):
            compound = lexicon.compound(word.text) if lang == "de" else None
        if hit is None and compound is None and signal is None:
            for other in others:
                hit = lexicon.content.at(words, position, other, text)
                if (
                    hit
                    and hit.rank < 3
                    and hit.length == 1
                    and (hit.rank == 2 or len(lower) < 5 or hit.concepts == ("light",))
                ):
                    hit = None
                if hit:
                    break
        if compound:
            for part in compound:
                if "light" not in part:
                    cls = lexicon.cls[part[0]]
                    out.append(
                        Term(word.start, word.end, word.text, part, cls, clause_of(word.start), position < bare_until)
                    )
            position += 1
            continue
        if hit is not None:
            end = words[position + hit.length - 1].end
            named = _names(word, words, position, text) and hit.length == 1 and lower in _LEGAL
            if "light" not in hit.concepts and not named:
                cls = _class(hit.concepts, lexicon)
                out.append(
                    Term(
                        word.start,
                        end,
                        text[word.start : end],
                        hit.concepts,
                        cls,
                        clause_of(word.start),
                        position < bare_until,
                    )
                )
            position += hit.length
            continue
        if signal is None and (len(word.text) > 1 or word.text.isupper()) and lower not in ("cf", "eg", "ie", "nbsp"):
            keys = word_keys(word.text, lang, lemmas)
            named = _names(word, words, position, text) or lower in _LEGAL
            if not named and word.text[0].isupper() and lemmas:
                named = not known(word.text, lang)  # a sentence starts with it, and no dictionary has it
            if named and lang == "de" and lower not in _LEGAL:
                beside = _beside_name(words, position, text, lexicon)
                named = beside or not known(word.text, "de") if lemmas else True  # a surname may be a common noun
            cls = "name" if named else "word"
            out.append(
                Term(
                    word.start, word.end, word.text, (keys[0],), cls, clause_of(word.start), position < bare_until, keys
                )
            )
        position += 1
    return out


def _class(concepts: tuple[str, ...], lexicon: Lexicon) -> str:
    """A word that may name a document ("invoice") is no event ("to invoice")."""
    classes = [lexicon.cls[c] for c in concepts]
    return "doc" if "doc" in classes else classes[0]


def _beside_name(words: list[Word], position: int, text: str, lexicon: Lexicon) -> bool:
    """German writes every noun with a capital; two together that the lexicon does not know are first name and surname."""
    for step in (-1, 1):
        other = position + step
        if not 0 <= other < len(words) or not words[other].text[0].isupper():
            continue
        first, second = sorted((words[position], words[other]), key=lambda w: w.start)
        if text[first.end : second.start].strip() or lexicon.signals.at(words, other, "de", text):
            continue
        if not lexicon.content.at(words, other, "de", text) and not lexicon.compound(words[other].text):
            return True
    return False


def _names(word: Word, words: list[Word], position: int, text: str) -> bool:
    """A capital letter that no sentence start explains."""
    if not word.text[0].isupper():
        return False
    if len(word.text) > 1 and any(c.isupper() for c in word.text[1:]) and not word.text.isupper():
        return True
    before = text[: word.start].rstrip(" \t\n\"“„'(*#>-")
    return (bool(before) and before[-1] not in ".!?:|") or (
        position + 1 < len(words) and words[position + 1].text[0].isupper()
    )


def word_keys(word: str, lang: str, lemmas: bool) -> tuple[str, ...]:
    """What a word outside the lexicon may be matched by: its stem, its lemma's stem, and its international spelling."""
    keys = [f"w:{stem(word, lang)}"]
    if lemmas:
        from footnote_desktop.documents.lemma import lemma

        base = f"w:{stem(lemma(word, lang), lang)}"
        if base not in keys:
            keys.append(base)
    if len(word) >= 6:
        keys.append(f"i:{international(word)[:6]}")
    return tuple(keys)


def known(word: str, lang: str) -> bool:
    from footnote_desktop.documents.lemma import known as is_known

    return is_known(word, lang)


def plain(text: str) -> str:
    return fold(re.sub(r"\s+", " ", text)).strip()
