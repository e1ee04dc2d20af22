"""Which of the three languages a text is in, by its small words and its letters."""

from __future__ import annotations

import re
from functools import lru_cache

_COMMON = {
    "en": "the of and to in is for by on with that this shall be any are or from at an was which not may its it as will has per been under between",
    "de": "der die das und den dem des ein eine einer ist sind wird werden nicht mit von zu zum zur für auf im in am an bis nach bei aus durch "
    "sich hat wurde beträgt oder als auch über unter vom kann je es ab",
    "pl": "i w z na do nie jest się że o za od po przez dla oraz lub ze są to został została zostały wynosi wyniósł roku r dnia umowy umowa kwota "
    "jako przy nad pod który która które ma może spółka spółki zł rok wyniosła wyniosły",
}
_WORDS: dict[str, tuple[str, ...]] = {}
for _lang, _words in _COMMON.items():
    for _word in _words.split():
        _WORDS[_word] = (*_WORDS.get(_word, ()), _lang)
_TOKEN = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=20_000)
def detect(text: str, default: str = "en") -> str:
    """ "en", "de" or "pl"; ``default`` where the text says too little."""
    score = {"en": 0.0, "de": 0.0, "pl": 0.0}
    for word in _TOKEN.findall(text.lower()):
        for lang in _WORDS.get(word, ()):
            score[lang] += 1 / len(_WORDS[word])
        if any(c in "ąćęłńśźż" for c in word):
            score["pl"] += 0.8
        elif any(c in "äöüß" for c in word):
            score["de"] += 0.8
        elif word.endswith(("ung", "keit", "schaft", "lich", "ungen")):
            score["de"] += 0.5
        elif word.endswith(("owej", "owych", "ego", "ości", "ania", "enia", "nych")):
            score["pl"] += 0.5
    best = max(score, key=lambda k: (score[k], k == default))
    return best if score[best] >= 0.8 and score[best] > score[default] else default
