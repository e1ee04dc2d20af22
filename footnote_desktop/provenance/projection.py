"""The text that a search looks through. It is made from a record and can be made again; it is never hashed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

#: Characters of the answer, and of all claims together, that a search looks through. An answer that was given as
#: JSON can be long; what people look for stands at its beginning or is a claim.
LIMIT = 2000


def fold(text: str) -> str:
    """``text`` so that case, accents, kinds of space and compatibility forms make no difference."""
    plain = unicodedata.normalize("NFKD", text)
    if not plain.isascii():
        plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(plain.casefold().split())


def searchable(question: str, answer: str, claims: Iterable[Any], operations: Iterable[Any]) -> str:
    """One line of folded text for a record: its operations' names, question, answer and claims."""
    names = " ".join(str(entry.get("name", "")) for entry in operations if isinstance(entry, Mapping))
    said: list[str] = []
    length = 0
    for claim in claims:
        text = str(claim.get("text", "")) if isinstance(claim, Mapping) else ""
        length += len(text) + 1
        if length > LIMIT:
            break
        said.append(text)
    return fold("\n".join((names, question[:LIMIT], answer[:LIMIT], " ".join(said))))


def words(search: str) -> list[str]:
    """The folded words that must all occur."""
    return fold(search).split()
