"""The state of the log's chain, in words. No Qt.

"Unchanged since recorded" is all that a chain can say; none of these words says that a figure is right.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from footnote_desktop.desktop.answer import RecordLine

Mood = Literal["ok", "warn", "bad", "idle", "busy"]


@dataclass(frozen=True, slots=True)
class ChainState:
    """The last check of the whole log. ``state`` is the verifier's word, or ``unchecked`` or ``checking``."""

    state: str = "unchecked"
    count: int = 0
    failed_at: int | None = None
    reason: str = ""
    advice: str = ""
    checked_at: dt.datetime | None = None  #: local time
    recorded: int = 0  #: how many records there were when last looked


@dataclass(frozen=True, slots=True)
class Saying:
    """What a chip or a box shows."""

    mood: Mood
    title: str
    detail: str = ""


#: What each broken state means and what to do: title, meaning.
BROKEN = {
    "contentChanged": ("Content changed", "A record is not as it was written."),
    "linkBroken": ("Link broken", "A record was removed or moved: what follows no longer fits what stands before."),
    "tailMissing": ("Records missing at the end", "The log once held more records than it does now."),
    "rolledBack": ("Rolled back", "The log is older than one that was seen before, as after restoring a backup."),
    "forked": ("Forked", "The log differs from a copy that was seen before."),
    "unknownFormat": ("Cannot be checked", "The log was written by a newer version, or is not a log."),
    "missing": ("Log missing", "There is no log at its place."),
}
WHAT_TO_DO = "Keep the file as it is, make a copy, and tell whoever answers for it. New answers are still recorded."


def chip(chain: ChainState, count_text: str) -> Saying:
    """The chip at the top right. ``count_text`` is the number of records as people write it."""
    if chain.state == "checking":
        return Saying("busy", "Checking the log …")
    if chain.state == "unchecked":
        return Saying("idle", "Log not checked yet")
    if chain.state == "intact" and not chain.count:
        return Saying("idle", "Log: nothing recorded yet")
    if chain.state == "intact":
        when = f" · {clock(chain.checked_at)}" if chain.checked_at else ""
        noun = "record" if chain.count == 1 else "records"
        return Saying("ok", f"Unchanged · {count_text}\u00a0{noun}{when}")
    title, meaning = BROKEN.get(chain.state, ("Log problem", chain.reason))
    if chain.failed_at is not None:
        title = f"{title} at record {chain.failed_at}"
    return Saying("warn" if chain.state in ("unknownFormat", "missing") else "bad", title, meaning)


def record(chain: ChainState, line: RecordLine, number: str) -> Saying:
    """The box under the evidence: what the last check says about one record. ``number`` is its sequence, as shown."""
    if chain.state == "checking":
        return Saying("busy", f"Record {number} · the log is being checked …")
    if chain.state == "intact" and line.sequence <= chain.count:
        return Saying("ok", f"Record {number} is unchanged since it was recorded")
    if chain.state in ("intact", "unchecked"):
        return Saying("idle", f"Record {number} · not checked since it was recorded")
    if chain.failed_at is None:
        title, meaning = BROKEN.get(chain.state, ("Log problem", chain.reason))
        return Saying("bad", f"Record {number} · {title[0].lower()}{title[1:]}", meaning)
    if line.sequence < chain.failed_at:
        return Saying(
            "warn",
            f"Record {number} is unchanged since it was recorded",
            f"The log is broken further on, at record {chain.failed_at}.",
        )
    if line.sequence == chain.failed_at:
        title, meaning = BROKEN.get(chain.state, ("Log problem", ""))
        return Saying("bad", f"Record {number} · {title[0].lower()}{title[1:]}", chain.reason or meaning)
    return Saying(
        "bad",
        f"Record {number} cannot be vouched for",
        f"It follows record {chain.failed_at}, where the log is broken.",
    )


def explained(chain: ChainState) -> str:
    """What the state means, in full: paragraphs."""
    if chain.state == "intact":
        when = f" at {clock(chain.checked_at)}" if chain.checked_at else ""
        return (
            f"Every record was hashed again{when} and continues the one before it; every figure was added again from"
            " the rows stored with it.\nThat says that nothing was changed since it was recorded, not that a figure is"
            " right. A log alone cannot show that records were cut off at its end."
        )
    if chain.state == "unchecked":
        return "The log has not been checked since this window opened."
    if chain.state == "checking":
        return "Every record is hashed again, and every figure added again from its rows."
    meaning = BROKEN.get(chain.state, ("", ""))[1]
    return "\n".join(part for part in (meaning, chain.reason, chain.advice or WHAT_TO_DO) if part)


def clock(moment: dt.datetime | None) -> str:
    return moment.strftime("%H:%M") if moment else ""


def local(timestamp: str) -> dt.datetime | None:
    """A record's UTC timestamp in local time."""
    try:
        return dt.datetime.fromisoformat(timestamp.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return None
