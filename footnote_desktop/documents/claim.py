"""A claim, read for comparison: what must be covered, what it asserts, of whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from footnote_desktop.documents.language import detect
from footnote_desktop.documents.lexicon import LANGS, Lexicon, Word
from footnote_desktop.documents.parties import words_of
from footnote_desktop.documents.reading import Reading, Term, read
from footnote_desktop.figures.numbers import Quantity

#: Concepts that a figure or the document itself implies; a claim need not find them in words.
SOFT = frozenset(("amount", "party_word", "comprise", "perform", "achieve"))
_PAST = {
    "en": re.compile(
        r"\b(?:was|were|has been|have been|has|have|had|did)\b|\b(?!exceed|proceed|succeed|indeed|need|agreed\b)\w{2,}ed\b",
        re.I,
    ),
    "de": re.compile(
        r"\b(?:hat|haben|hatte|hatten|wurde|wurden|worden)\b|\b(?!erste|letzte|gesamte|heute|beste|weite|zweite|dritte)[a-zäöüß]{4,}te\b"
    ),
    "pl": re.compile(
        r"\b(?!jeżeli|jeśli|czyli)\w{2,}(?:ł|ła|ło|ały|iły|yły|ali|yli|ili|eli|ano|ono|yto|ęto|ito)\b", re.I
    ),
}
_PRESENT_PASSIVE = re.compile(
    r"\b(?:is|are|be|will be|must be|shall be|may be)\s+(?:not\s+)?(?:\w+ly\s+)?\w+ed\b", re.I
)


@dataclass(slots=True)
class Claim:
    """``terms`` must all be said by a source, ``quantities`` all be stated; ``names`` are runs of words of one name."""

    text: str
    reading: Reading
    terms: list[Term]
    names: list[tuple[str, ...]]
    event: Term | None
    past: bool
    inherited: list[Term] = field(default_factory=list)

    @property
    def quantities(self) -> list[Quantity]:
        return self.reading.quantities

    @property
    def manner(self) -> frozenset[str]:
        return frozenset(k for c in self.reading.clauses for k in c.manner)

    @property
    def negative(self) -> bool:
        clauses = self.reading.clauses
        return clauses[self.event.clause].negative if self.event else any(c.negative for c in clauses)


def prepare(text: str, lexicon: Lexicon, lang: str | None = None) -> Claim:
    """Reads one claim or one part of it. ``lang``: "en", "de", "pl", else detected."""
    language = lang or guess(text, lexicon)
    reading = read(text, language, lexicon)
    terms: list[Term] = []
    runs: list[list[Term]] = []
    for term in reading.terms:
        if term.cls == "name":
            gap = reading.text[runs[-1][-1].end : term.start] if runs else "x"
            if runs and not gap.strip(" .&-'’") and len(gap) < 4:
                runs[-1].append(term)
            else:
                runs.append([term])
        elif not set(term.alternatives) <= SOFT and not any(
            t.alternatives == term.alternatives and t.text == term.text for t in terms
        ):
            terms.append(term)
    if any(q.kind in ("date", "duration") for q in reading.quantities):
        # "is valid until", "lasts for": the figure with its bound says it
        terms = [
            t
            for t in terms
            if not set(t.alternatives) & {"valid", "survive"} or set(t.alternatives) - {"valid", "survive", "govern"}
        ] or terms
    names = []
    for run in runs:
        words = words_of(reading.text[run[0].start : run[-1].end])
        # the legal form that follows belongs to the name: "Sp. z o.o." is read as small words
        tail = re.match(
            r"[\s.,]*((?:sp\.?\s*z\s*o\.?\s*o\.?|s\.?\s?a\.?|z\s*o\.?\s*o\.?)(?!\w))", reading.text[run[-1].end :], re.I
        )
        names.append(words + words_of(tail.group(1)) if tail else words)
    events = [t for t in terms if t.cls == "event"]
    main = [t for t in events if not _NOMINAL.search(t.text)] or events
    event = next((t for t in main if not set(t.alternatives) <= _WEAK_EVENTS), main[0] if main else None)
    return Claim(text, reading, terms, names, event, past(text, language))


#: Participles and nouns made of verbs: they qualify, the finite verb asserts.
_NOMINAL = re.compile(
    r"(?:ąc[yaeą]|ącego|ącej|ących|ącym|ing|ments?|[st]ions?|ungs?|ungen|ni[eau]|niem|ci[eau]|ciem)$|^(?:zakup|sprzedaż|dostaw|spłat|wypłat|płatnoś|zmian|Zahlung|Kauf|Lieferung|delivery|payment|purchase|renewal)",
    re.I,
)


def guess(text: str, lexicon: Lexicon) -> str:
    """The language of a short text: by its small words, and by the lexicon that knows most of it."""
    words = [Word(m.start(), m.end(), m.group()) for m in re.finditer(r"[^\W\d_]+", text)]
    likely = detect(text, "en") if detect(text, "en") == detect(text, "de") else ""
    known = {}
    for lang in LANGS:
        hits = sum(
            1
            for i in range(len(words))
            if lexicon.content.at(words, i, lang, text) or lexicon.signals.at(words, i, lang, text)
        )
        if lang == "de":
            hits += sum(
                1
                for i, w in enumerate(words)
                if not lexicon.content.at(words, i, "de", text) and lexicon.compound(w.text)
            )
        known[lang] = hits + (1.5 if lang == likely else 0)
    return max(LANGS, key=lambda lang: (known[lang], lang == detect(text)))


_WEAK_EVENTS = frozenset(("comprise", "perform", "valid", "achieve", "cost_event", "guarantee_event"))


def past(text: str, lang: str) -> bool:
    if lang == "en":
        text = _PRESENT_PASSIVE.sub(" ", text)
    return bool(_PAST[lang].search(text))


_JOIN = re.compile(
    r"(?<=[\w)%.])\s*;\s+|(?<=\w)\.\s+(?=[A-ZÄÖÜĄĆŁŚŻŹ])|,?\s+(?:and|und|oraz|i|while|whereas|während|podczas gdy|but|aber|sondern|ale|lecz|natomiast|zaś)\s+|,\s+a\s+|,\s+(?:wobei|przy czym)\s+",
    re.I,
)


def split_claim(text: str, lexicon: Lexicon, lang: str | None = None) -> list[Claim]:
    """The parts of a compound claim, each read; one part if it is simple. A part without a subject takes the first part's."""
    language = lang or guess(text, lexicon)
    pieces: list[str] = []
    start = 0
    for m in _JOIN.finditer(text):
        left, right = text[start : m.start()], text[m.end() :]
        if _assertive(left, language, lexicon) and _assertive(right, language, lexicon):
            pieces.append(left)
            start = m.end()
    pieces.append(text[start:])
    claims = [prepare(p, lexicon, language) for p in pieces]
    for part in claims[1:]:
        subject = [t for t in part.terms if t.cls in ("noun", "party", "doc", "word", "place")]
        if not subject and not part.names and claims[0].terms:
            part.inherited = [t for t in claims[0].terms if t.cls in ("doc", "party", "noun")][:1]
            if not part.inherited:
                part.names = claims[0].names[:1]
    return claims


def _assertive(text: str, lang: str, lexicon: Lexicon) -> bool:
    """Whether a piece says something of its own: a verb, and something that it is said of or a figure."""
    claim = prepare(text, lexicon, lang)
    copula = any("copula" in c.manner for c in claim.reading.clauses)
    verb = copula or (
        claim.event is not None
        and bool(
            re.search(r"\b(?:shall|may|must|can|muss|kann|darf|może|musi)\b", text, re.I)
            or claim.past
            or claim.event.text[:1].islower()
        )
    )
    return verb and (len(claim.terms) >= 2 or bool(claim.quantities and (claim.terms or copula)))
