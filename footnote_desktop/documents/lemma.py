"""Lemmas from simplemma, loaded only when a text holds a word that the lexicon does not know (a second or two per language)."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def lemma(word: str, lang: str) -> str:
    """The dictionary form of ``word``, in lower case; the word itself if the dictionary lacks it."""
    import simplemma

    return simplemma.lemmatize(word, lang=lang).lower()


@lru_cache(maxsize=100_000)
def known(word: str, lang: str) -> bool:
    """Whether the dictionary has ``word``: what it lacks and has a capital letter is a name."""
    import simplemma

    return bool(simplemma.is_known(word, lang=lang))
