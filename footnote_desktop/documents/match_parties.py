"""Names and parties: is it the same one, and who acts?"""

from __future__ import annotations

import re
from itertools import pairwise

from footnote_desktop.documents.claim import Claim
from footnote_desktop.documents.comparison import Level
from footnote_desktop.documents.context import Document, name_runs
from footnote_desktop.documents.model import Unit
from footnote_desktop.documents.parties import core, same_name
from footnote_desktop.documents.reading import Clause, Reading, known


def _in_runs(name: tuple[str, ...], runs: set[tuple[str, ...]], polish: bool) -> bool:
    for run in runs:
        for start in range(len(run) - len(name) + 1):
            if all(same_name(a, b, polish=polish) for a, b in zip(name, run[start : start + len(name)], strict=True)):
                return True
    return False


def name_level(
    name: tuple[str, ...], document: Document, unit: Unit, reading: Reading, clause: Clause, mine: list[tuple[int, set[str]]],
    theirs: list[tuple[int, set[str]]], record: bool, polish: bool,
) -> Level:  # fmt: skip
    own = name_runs(reading.text)
    if _in_runs(name, own, polish) or " ".join(name) in " ".join(re.findall(r"[^\W_]+", reading.text.lower())):
        return "unit"
    party = party_key(name, document, polish)
    if party and any(party in keys for _, keys in theirs):
        return "unit"
    if party and clause.manner & {"either", "neither"}:
        return "unit"
    others = [t for t in reading.terms if t.cls == "name"]
    if unit.kind == "row":
        if _in_runs(name, document.table_names(unit.block), polish):
            return "missing"  # another row of the table is that party's
        return "document" if _in_runs(name, document.names, polish) else "missing"
    shared = any(a & b for _, a in mine for _, b in theirs)
    if theirs and party is not None and not record and not shared and any(party not in keys for _, keys in theirs):
        return "missing"
    early = [t for t in others if clause.start <= t.start < clause.end and t.start - clause.start < 40]
    # one capital word that the dictionary has is a common noun ("Dział Prawny"); two together are a person or a firm
    pair = any(b.start - a.end <= 2 for a, b in pairwise(early))
    subject = pair or any(not known(t.text, reading.lang) for t in early)
    if subject and not record:
        return "missing"
    if _in_runs(name, document.names, polish) or party is not None:
        return "document"
    if record and any(_in_runs(name, s, polish) for s in document.section_names):
        return "document"
    return "section" if _in_runs(name, document.section_names[unit.section], polish) else "missing"


def party_key(name: tuple[str, ...], document: Document, polish: bool) -> str | None:
    bare = core(" ".join(name)) or name
    for full in sorted(document.parties.full):
        if _in_runs(bare, {full}, polish):
            return f"e:{' '.join(full)}"
    return None


def mentions(reading: Reading, document: Document) -> list[tuple[int, set[str]]]:
    """Mentions of parties: where, and under which keys (role concepts and the party's name)."""
    out: list[tuple[int, set[str]]] = []
    polish = "pl" in (reading.lang, document.source.lang)
    previous_end = -9
    for term in reading.terms:
        if term.cls == "party":
            keys = set(term.alternatives)
            for concept in term.alternatives:
                if concept in document.parties.roles:
                    name = document.parties.roles[concept]
                    keys |= {f"e:{' '.join(name)}"} | document.parties.roles_of(name)
            out.append((term.start, keys))
        elif term.cls == "name":
            if term.start - previous_end < 3 and out:
                previous_end = term.end
                continue
            key = party_key((re.sub(r"[^\w]", "", folded(term.text)),), document, polish)
            if key:
                name = tuple(key[2:].split())
                out.append((term.start, {key} | document.parties.roles_of(name)))
                previous_end = term.end
    return out


def folded(text: str) -> str:
    from footnote_desktop.documents.stem import fold

    return fold(text)


def _attribute(reading: Reading, position: int) -> bool:
    """Whether a party only qualifies the noun after it: "Client data", "the Tenant's deposit"."""
    m = re.match(r"[^\W\d_]+(?:['’]s?)?\s+", reading.text[position:])
    if not m:
        return False
    after = position + m.end()
    return (
        "'" in m.group()
        or "’" in m.group()
        or any(t.start == after and t.cls in ("noun", "word") for t in reading.terms)
    )


def _subject(reading: Reading, mentions: list[tuple[int, set[str]]], start: int, end: int) -> set[str] | None:
    """The party that a clause speaks of as acting: named after "by", else the first that is not in an oblique case."""
    inside = [(p, keys) for p, keys in mentions if start <= p < end]
    for p, keys in inside:
        if re.search(
            r"(?:\bby|\bvon|\bdurch|\bseitens|\bprzez)\s+(?:the|dem|der|den)?\s*$",
            reading.text[max(0, p - 16) : p],
            re.I,
        ) and (
            not re.search(r"\b(?:von|by)\b", reading.text[max(0, p - 16) : p])
            or re.search(r"\b(?:wird|werden|wurde|is|are|was|were|be)\b", reading.text[start:p], re.I)
        ):
            return keys
    for p, keys in inside:
        before = reading.text[max(0, p - 14) : p].lower()
        if reading.lang == "de" and re.search(r"\b(?:dem|den|einem|zum|zur|gegenüber|an|des)\s+$", before):
            continue
        if reading.lang == "en" and _attribute(reading, p):
            continue
        if reading.lang == "en" and re.search(
            r"\b(?:to|from|with|of|against|for|on|upon)\s+(?:the\s+|its\s+)?$", before
        ):
            continue
        if reading.lang == "pl":
            word = folded(re.match(r"[^\W\d_]*", reading.text[p:]).group())  # type: ignore[union-attr]
            if not any(k.startswith("e:") for k in keys if False) and not (
                word.endswith(("ca", "acy", "nik", "ent", "iel"))
                or (reading.text[p].isupper() and word.endswith(("a", "t", "s", "x", "n", "l", "r", "m")))
            ):
                continue
        return keys
    return None


def party_too_often(mine: list[tuple[int, set[str]]], theirs: list[tuple[int, set[str]]], clause: Clause) -> bool:
    """Whether the claim names one party twice where the unit names two: "the Lender … without the Lender's consent"."""
    if len(mine) < 2 or len(theirs) < 2 or clause.manner & {"either", "neither"}:
        return False
    for _, keys in mine:
        named = sum(bool(keys & other) for _, other in mine)
        stated = sum(bool(keys & other) for _, other in theirs)
        if named > stated:
            return True
    return False


def party_differs(
    claim: Claim, mine: list[tuple[int, set[str]]], theirs: list[tuple[int, set[str]]], reading: Reading, clause: Clause
) -> bool:
    if not mine or not theirs or clause.manner & {"either", "neither"} or claim.manner & {"either", "neither"}:
        return False
    ours = _subject(claim.reading, mine, 0, len(claim.reading.text))
    other = _subject(reading, theirs, clause.start, clause.end)
    return ours is not None and other is not None and not ours & other
