"""What to ask: examples for an empty page, and the questions behind a refusal's alternatives. No Qt."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from footnote_desktop.desktop.answer import Answer

#: For the sample's first set, whose customers are known. The last one is there to be declined.
SAMPLE = (
    "How much does Bergmann owe?",
    "How old are our receivables?",
    "Who owes us the most?",
    "What has Petrov paid?",
    "Any open tickets for Adriatic Foods?",
    "Is Lumière Packaging at risk?",
    "Wie viel schuldet Nordwind?",
    "What will revenue be next quarter?",
)


def examples(sample: str | None, customers: Sequence[str]) -> tuple[str, ...]:
    """Questions that the profile can answer: about its own first customers, and about the whole."""
    if sample == "sample":
        return SAMPLE
    asked = (
        "How much does {} owe?",
        "What has {} paid?",
        "Any open tickets for {}?",
        "Is {} at risk?",
    )
    # Short names read better on a button; the order of the records decides among them.
    names = [name for name in customers if 1 < len(name) <= 28][: len(asked)]
    return (
        *(question.format(name) for question, name in zip(asked, names, strict=False)),
        "How old are our receivables?",
        "Who owes us the most?",
    )


def instead(answer: Answer) -> tuple[tuple[str, str], ...]:
    """For each alternative of a refusal, what its button says and the question that it asks.

    An alternative that is a question is asked as it is; one that is a customer's name takes the place of the words
    in the question that are nearest to it.
    """
    pairs = [(question, question) for question in answer.suggestions]
    for alternative in answer.alternatives if not pairs else ():
        if not alternative.strip():
            continue
        question = alternative if _is_question(alternative) else with_name(answer.question, alternative)
        pairs.append((question, question))
    return tuple(dict.fromkeys(pairs))


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?") or bool(
        re.match(r"(?i)(how|who|what|which|is|are|any|show|list|wie|wer|was|welche|ist|gibt|zeige|hat)\b", text)
    )


_WORD = re.compile(r"[^\s?!,;:]+")


def with_name(question: str, name: str) -> str:
    """``How much does Bergman owe?`` with ``Bergmann Logistik GmbH``: the run of words most like the name gives way.

    Where nothing is like it, the capitalised words after the first one do; where there are none, the plain question
    about the name is asked.
    """
    words = list(_WORD.finditer(question))
    best: tuple[float, int, int] = (0.0, 0, 0)
    for first in range(len(words)):
        for last in range(first, min(first + len(name.split()) + 1, len(words))):
            part = question[words[first].start() : words[last].end()]
            short = " ".join(name.split()[: last - first + 1])
            likeness = difflib.SequenceMatcher(None, part.casefold(), short.casefold()).ratio()
            if likeness > best[0] + 1e-9 or (likeness >= best[0] - 1e-9 and last - first > best[2] - best[1]):
                best = (likeness, first, last)
    if best[0] < 0.6:
        capitals = [n for n, word in enumerate(words) if n and word.group()[0].isupper()]
        if not capitals:
            return f"How much does {name} owe?"
        first = last = capitals[0]
        while last + 1 in capitals:
            last += 1
        best = (1.0, first, last)
    start, end = words[best[1]].start(), words[best[2]].end()
    return question[:start] + name + question[end:]
