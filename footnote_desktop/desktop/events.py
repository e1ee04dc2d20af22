"""What the background work reports: one frozen object per event, each with the generation of its request. No Qt."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from footnote_desktop.desktop.answer import Answer, Outcome
from footnote_desktop.desktop.chain import ChainState, Saying


@dataclass(frozen=True, slots=True)
class Fault:
    """Why something could not be done, and what to do about it. ``bug`` tells our own mistakes from what the
    environment lacks: the first are to be reported, the second to be put right."""

    title: str
    message: str
    advice: str
    bug: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A profile is ready."""

    generation: int
    as_of: dt.date
    as_of_source: str
    examples: tuple[str, ...]
    read_only: Saying
    connection: Saying


@dataclass(frozen=True, slots=True)
class Answered:
    generation: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Line:
    """One earlier answer in the list."""

    id: str
    sequence: int
    timestamp: str
    question: str
    outcome: Outcome
    figures: int
    summary: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of earlier answers, newest first; ``before`` is where it starts, ``more`` whether older ones follow."""

    generation: int
    lines: tuple[Line, ...]
    before: int | None
    more: bool
    total: int


@dataclass(frozen=True, slots=True)
class Found:
    """One earlier answer; ``answer`` is None when the log has none of that name."""

    generation: int
    key: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Progressed:
    generation: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Verified:
    generation: int
    chain: ChainState


@dataclass(frozen=True, slots=True)
class Exported:
    generation: int
    path: str
    records: int


@dataclass(frozen=True, slots=True)
class Failed:
    generation: int
    doing: str  #: ``open``, ``ask``, ``list``, ``find``, ``verify``, ``export``
    fault: Fault
