"""Who is meant: defined terms bind to names. "Acme Ltd (the "Supplier")" makes both one party, in that document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from footnote_desktop.documents.lexicon import Lexicon, Word
from footnote_desktop.documents.stem import fold

_LEGAL = (
    r"GmbH(?:\s*&\s*Co\.?\s*KG(?:aA)?)?|mbH|AG|KGaA|KG|SE|UG|OHG|eG|e\.V\.|Ltd\.?|Limited|PLC|plc|LLP|LLC|Inc\.?|Corp\.?|S\.A\.|SA|SAS|S\.à\s?r\.l\.|B\.V\.|BV|N\.V\.|NV|AB"
    r"|Oy|A/S|ApS|S\.p\.A\.|S\.r\.l\.|s\.c\.|S\.C\.|GbR|e\.K\.|Oyj|Pty\.?\s+Ltd\.?|sp\.\s?k\.|Sp\.\s?[jk]\.|Sp\.\s*z\s*o\.?\s*o\.?|sp\.\s*z\s*o\.?\s*o\.?|sp\.\s*[jk]\."
)
_NAME = re.compile(rf"((?:[A-ZÄÖÜĄĆŁŚŻŹ][\w&.’'-]*\s+){{1,6}}?(?:{_LEGAL}))(?!\w)")
_ALIAS = re.compile(r"[\"“„»«”]\s*\**([^\"“”„»«*\n]{2,40}?)\**\s*[\"”“«»]")
_LEGAL_WORDS = frozenset(
    [
        "gmbh",
        "mbh",
        "ag",
        "kgaa",
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
        "sa",
        "sas",
        "bv",
        "nv",
        "ab",
        "oy",
        "aps",
        "spa",
        "srl",
        "sp",
        "z",
        "o",
        "co",
        "publ",
    ]
)
#: Endings that inflection adds to a name, so that Frankfurtem and Frankfurt are one.
ENDINGS = frozenset(
    [
        "a",
        "y",
        "i",
        "e",
        "u",
        "em",
        "ie",
        "owi",
        "om",
        "ami",
        "ach",
        "ow",
        "s",
        "es",
        "n",
        "o",
        "iem",
        "ia",
        "ii",
        "ego",
        "emu",
    ]
) | {""}
_SAFE_ENDINGS = frozenset(("", "s", "es"))


#: Nobody is both in one document.
COUNTERPARTS = (
    ("supplier", "customer"),
    ("landlord", "tenant"),
    ("lender", "borrower"),
    ("licensor", "licensee"),
    ("insurer", "customer"),
)


@dataclass(slots=True)
class Parties:
    """The parties of one document. Keys are names as tuples of folded words without legal form."""

    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)  #: concept of a role -> party
    aliases: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)  #: short name -> party
    full: set[tuple[str, ...]] = field(default_factory=set)

    def roles_of(self, party: tuple[str, ...]) -> set[str]:
        return {role for role, name in self.roles.items() if name == party}


def words_of(text: str) -> tuple[str, ...]:
    return tuple(fold(w) for w in re.findall(r"[^\W_]+", text))


def core(name: str) -> tuple[str, ...]:
    """A company's name without its legal form."""
    words = list(words_of(name))
    while words and words[-1] in _LEGAL_WORDS:
        words.pop()
    return tuple(words)


def same_name(a: str, b: str, *, polish: bool) -> bool:
    """Whether two folded words are one name, inflection aside. Polish inflects names; English and German add an s."""
    if a == b:
        return True
    shared = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        shared += 1
    rest_a, rest_b = a[shared:], b[shared:]
    endings = ENDINGS if polish else _SAFE_ENDINGS
    if polish and {rest_a, rest_b} == {"t", "cie"} and shared >= 3:
        return True
    return (
        shared >= 3
        and shared >= max(len(a), len(b)) - 4
        and rest_a in endings
        and rest_b in endings
        and not (rest_a and rest_b and not polish)
    )


def find_parties(text: str, lexicon: Lexicon, lang: str) -> Parties:
    """Reads the definitions in the first part of a document."""
    out = Parties()
    head = re.sub(r"[*_]", " ", text[:12000])
    names = list(_NAME.finditer(head))
    for index, m in enumerate(names):
        party = core(m.group(1))
        if not party:
            continue
        known = next((p for p in out.full if p[-len(party) :] == party or party[-len(p) :] == p), None)
        party = known or party
        out.full.add(party)
        limit = names[index + 1].start() if index + 1 < len(names) else m.end() + 500
        window = head[m.end() : min(limit, m.end() + 500)]
        paragraph = re.split(r"\n\s*\n", window)[0]
        after = -1
        for alias in _ALIAS.finditer(paragraph):
            if after >= 0 and not re.fullmatch(
                r"[\s,/]*(?:or|oder|lub|und|and)?[\s,/]*(?:the|den|die|der)?\s*", paragraph[after : alias.start()]
            ):
                break  # the next definition is of another party, whose form the engine does not know
            _bind(out, alias.group(1), party, lexicon, lang)
            after = alias.end()
        label = re.search(r"(?:^|\n)[\s>#-]*([^\n:]{3,40}):\s*$", head[max(0, m.start() - 60) : m.start()])
        if label:
            _bind(out, label.group(1), party, lexicon, lang, name=False)
        else:
            above = [line.strip(" #>") for line in head[max(0, m.start() - 90) : m.start()].splitlines()]
            if above and not above[-1]:
                heading = next((line for line in reversed(above) if line), "")
                if 3 < len(heading) < 40:
                    _bind(out, heading, party, lexicon, lang, name=False)
    return out


def _bind(out: Parties, alias: str, party: tuple[str, ...], lexicon: Lexicon, lang: str, *, name: bool = True) -> None:
    words = [Word(m.start(), m.end(), m.group()) for m in re.finditer(r"[^\W\d_]+", alias)]
    for position in range(min(len(words), 4)):
        for language in (lang, "en", "de", "pl"):
            hit = lexicon.content.at(words, position, language, alias)
            if hit and lexicon.cls[hit.concepts[0]] == "party":
                for concept in hit.concepts:
                    if not any(
                        concept in pair and set(pair) & out.roles_of(party) - {concept} for pair in COUNTERPARTS
                    ):
                        out.roles.setdefault(concept, party)
                return
    if name and alias[:1].isupper() and words_of(alias)[0] in party:
        out.aliases[words_of(alias)] = party


def share(all_parties: list[Parties]) -> None:
    """Lets every document of a folder know the parties that the others define, where they agree on who has a role."""
    names: set[tuple[str, ...]] = set()
    roles: dict[str, set[tuple[str, ...]]] = {}
    for parties in all_parties:
        names |= parties.full
        for role, name in parties.roles.items():
            roles.setdefault(role, set()).add(name)
    for parties in all_parties:
        parties.full |= names
        taken = set(parties.roles.values())
        for role, holders in sorted(roles.items()):
            if len(holders) == 1 and role not in parties.roles:
                (holder,) = holders
                if holder not in taken or role in {r for p in all_parties for r, n in p.roles.items() if n == holder}:
                    parties.roles[role] = holder
