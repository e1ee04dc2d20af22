"""``footnote://record/ID#claim-3``: a link to one answer, or to one figure of it. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINK = re.compile(r"(?:footnote|provenance)://record/(?P<key>[0-9A-Za-z-]{1,64})/?(?:#claim-(?P<claim>\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Link:
    key: str  #: a record's id or its sequence
    claim: int | None  #: from 1, in the order of the record's claims


def parse(text: str) -> Link | None:
    """The link that ``text`` is, or None when it is none of ours."""
    match = _LINK.fullmatch(text.strip())
    if match is None:
        return None
    claim = match.group("claim")
    return Link(match.group("key"), int(claim) if claim else None)


def link_to(record_id: str, claim: int | None = None) -> str:
    return f"footnote://record/{record_id}" + (f"#claim-{claim}" if claim else "")
