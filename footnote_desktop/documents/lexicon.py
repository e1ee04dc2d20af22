"""The lexicon: words to concepts, in three languages, read from resources/lexicon/*.toml and from a profile's own files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from footnote_desktop.documents.stem import fold, stem
from footnote_desktop.settings import data_folder

LANGS = ("en", "de", "pl")
_WORD = re.compile(r"[^\W\d_]+")
CONTENT = ("contract.toml", "finance.toml", "places.toml")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: its offsets and its form."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """Concepts that ``length`` words spell from some position on."""

    length: int
    concepts: tuple[str, ...]
    rank: int  #: 3 exact form, 2 open ending, 1 stem


@dataclass(slots=True)
class _Table:
    """The forms of one language, each a list of patterns, by the first pattern's key."""

    exact: dict[str, list[tuple[tuple[tuple[str, str], ...], str]]] = field(default_factory=dict)
    prefix: dict[str, list[tuple[tuple[tuple[str, str], ...], str]]] = field(default_factory=dict)
    stems: dict[str, list[tuple[tuple[tuple[str, str], ...], str]]] = field(default_factory=dict)


def _pattern(form: str, lang: str) -> tuple[tuple[str, str], ...]:
    out = []
    for piece in form.split():
        exact = piece.startswith("=")
        for part in _WORD.finditer(piece):
            after = piece[part.end() : part.end() + 1]
            word = part.group()
            if after == "*":
                out.append(("*", fold(word)))
            elif exact:
                out.append(("=", word.lower()))
            else:
                out.append(("~", stem(word, lang)))
    return tuple(out)


class Matcher:
    """Finds the forms of a set of concepts in a row of words."""

    def __init__(self) -> None:
        self.tables = {lang: _Table() for lang in LANGS}
        self.longest = 1
        self._cache: dict[tuple[str, str], list[tuple[int, int, tuple[tuple[str, str], ...], str]]] = {}

    def add(self, concept: str, lang: str, forms: str) -> None:
        for form in forms.split(","):
            pattern = _pattern(form.strip(), lang)
            if not pattern:
                continue
            table = self.tables[lang]
            kind, key = pattern[0]
            bucket = {"=": table.exact, "*": table.prefix, "~": table.stems}[kind]
            bucket.setdefault(key, []).append((pattern, concept))
            self.longest = max(self.longest, len(pattern))

    def _entries(self, word: str, lang: str) -> list[tuple[int, int, tuple[tuple[str, str], ...], str]]:
        """The forms that can start with ``word``: (rank, length of an open form, pattern, concept)."""
        key = (word, lang)
        found = self._cache.get(key)
        if found is None:
            table = self.tables[lang]
            folded = fold(word)
            buckets = [(3, 0, table.exact.get(word.lower(), ())), (1, 0, table.stems.get(stem(word, lang), ()))]
            buckets += [(2, cut, table.prefix.get(folded[:cut], ())) for cut in range(2, len(folded) + 1)]
            found = [(rank, cut, pattern, concept) for rank, cut, entries in buckets for pattern, concept in entries]
            if len(self._cache) > 100_000:
                self._cache.clear()
            self._cache[key] = found
        return found

    def _fits(self, word: str, pattern: tuple[str, str], lang: str) -> bool:
        kind, key = pattern
        if kind == "=":
            return word.lower() == key
        if kind == "*":
            return fold(word).startswith(key)
        return stem(word, lang) == key

    def at(self, words: list[Word], position: int, lang: str, text: str) -> Hit | None:
        """The longest, then most exact, hit that starts at ``position``."""
        entries = self._entries(words[position].text, lang)
        if not entries:
            return None
        single = len(words) == position + 1
        found: dict[tuple[int, int, int], list[str]] = {}
        for rank, cut, pattern, concept in entries:
            length = len(pattern)
            if length > 1 and (single or not self._follows(words, position, pattern, lang, text)):
                continue
            found.setdefault((length, rank, cut), []).append(concept)
        if not found:
            return None
        best = max(found)
        return Hit(best[0], tuple(sorted(set(found[best]))), best[1])

    def _follows(
        self, words: list[Word], position: int, pattern: tuple[tuple[str, str], ...], lang: str, text: str
    ) -> bool:
        if position + len(pattern) > len(words):
            return False
        for offset in range(1, len(pattern)):
            previous, word = words[position + offset - 1], words[position + offset]
            if text[previous.end : word.start].strip(" \t\n\u00a0-–.'’/&*_()") or not self._fits(
                word.text, pattern[offset], lang
            ):
                return False
        return True


class Lexicon:
    """Concepts with their classes and relations, and the signals. Read-only once loaded."""

    def __init__(self, folder: Path, more: Iterable[Path] = ()) -> None:
        self.content = Matcher()
        self.signals = Matcher()
        self.cls: dict[str, str] = {}
        self.country: dict[str, str] = {}
        broader: dict[str, list[str]] = {}
        same: list[list[str]] = []
        self.exclusive: dict[str, list[frozenset[str]]] = {}
        for path in [*(folder / n for n in CONTENT), folder / "relations.toml", folder / "signals.toml", *sorted(more)]:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
            for table, entries in data.items():
                if table == "broader":
                    for narrow, wide in entries.items():
                        broader.setdefault(narrow, []).extend(wide)
                elif table == "same":
                    same.extend(entries.values())
                elif table == "exclusive":
                    for group in entries.values():
                        for member in group:
                            self.exclusive.setdefault(member, []).append(frozenset(group) - {member})
                elif path.name == "signals.toml":
                    target = self.content if table == "light" else self.signals
                    for lang, forms in entries.items():
                        target.add(table, lang, forms)
                    self.cls["light"] = "light"
                else:
                    for concept, forms in entries.items():
                        name = f"p:{concept}" if table in ("place", "city") else concept
                        self.cls[name] = "place" if table in ("place", "city") else table
                        if table == "city":
                            self.country[name] = f"p:{forms['in']}"
                        for lang in LANGS:
                            if lang in forms:
                                self.content.add(name, lang, forms[lang])
        self._wide = {c: self._closure(c, broader, same) for c in self.cls}

    def _closure(self, concept: str, broader: dict[str, list[str]], same: list[list[str]]) -> frozenset[str]:
        out = {concept}
        queue = [concept]
        while queue:
            for wide in broader.get(queue.pop(), []):
                if wide not in out:
                    out.add(wide)
                    queue.append(wide)
        for member in [concept, *broader.get(concept, [])]:
            for group in same:
                if member in group:
                    out.update(group)
        if concept in self.country:
            country = self.country[concept]
            out |= {country, "p:" + country[2:].split("-")[0]}
        elif concept.startswith("p:"):
            out.add("p:" + concept[2:].split("-")[0])
        return frozenset(out)

    def wide(self, concept: str) -> frozenset[str]:
        """Everything that has been said where ``concept`` was said: itself, the broader, the synonyms."""
        return self._wide.get(concept, frozenset((concept,)))

    def compound(self, word: str) -> list[tuple[str, ...]] | None:
        """The concepts of the parts of a German compound; None unless every part is in the lexicon."""
        return _split(self, fold(word), word)

    def part(self, piece: str, original: str) -> tuple[str, ...] | None:
        table = self.content.tables["de"]
        for bucket, key in ((table.exact, original.lower()), (table.stems, stem(original, "de"))):
            found = [c for pattern, c in bucket.get(key, ()) if len(pattern) == 1 and c != "light"]
            if found:
                return tuple(sorted(set(found)))
        return None


def _split(lexicon: Lexicon, folded: str, word: str) -> list[tuple[str, ...]] | None:
    lower = word.lower()
    if len(lower) < 8:
        return None
    for cut in range(len(lower) - 3, 2, -1):
        tail = lexicon.part("", lower[cut:])
        if not tail:
            continue
        head = lower[:cut]
        for link in ("", "s", "es", "n", "en", "-"):
            if link and not head.endswith(link):
                continue
            stripped = head[: len(head) - len(link)] if link else head
            if len(stripped) < 3:
                continue
            found = lexicon.part("", head) if not link else lexicon.part("", stripped)
            if found:
                return [found, tail]
            deeper = _split(lexicon, fold(stripped), stripped)
            if deeper:
                return [*deeper, tail]
    return None


@lru_cache(maxsize=4)
def load(more: tuple[Path, ...] = ()) -> Lexicon:
    """The lexicon that ships with the program, with ``more`` files of the same form (a profile's own)."""
    return Lexicon(data_folder("resources") / "lexicon", more)
