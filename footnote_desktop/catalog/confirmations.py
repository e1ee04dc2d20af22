"""What a named person confirms about a profile, as records of the log: a tie-out, and the use of a role that can write.

The record comes first; the profile then names it, so that a profile alone can claim nothing.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.record import Draft, Record
from footnote_desktop.settings import Confirmation, Profile, SettingsError


def tie_out_draft(
    profile: Profile, actor: Actor, *, by: str, as_of: dt.date, control: Sequence[Mapping[str, Any]], reason: str = ""
) -> Draft:
    """The record that ``by`` compared open items with the ledger's receivable accounts at the period end ``as_of``.

    ``control``: one entry for each company and currency, ``{company, currency, items, ledger, difference}``, amounts
    as exact text. Raises :class:`SettingsError` without a name or anything that was compared.
    """
    _require(by, "who compared them")
    if not control:
        raise SettingsError("nothing was compared: the ledger's balances are missing")
    differing = [row for row in control if str(row.get("difference", "")).strip("-0.") != ""]
    verdict = "They agree." if not differing else f"They differ in {len(differing)} of {len(control)} cases."
    answer = (
        f"{by} compared the open items of {profile.name} with the ledger's receivable accounts as of"
        f" {as_of.isoformat()} and confirmed them. {verdict}"
    )
    return _draft(
        "confirmTieOut",
        f"[confirmation] open items and ledger, {profile.name}, {as_of.isoformat()}",
        answer,
        actor,
        {
            "profile": profile.name,
            "connection": _connection(profile),
            "by": by,
            "asOf": as_of.isoformat(),
            "reason": reason,
            "control": [dict(row) for row in control],
        },
    )


def writer_override_draft(profile: Profile, actor: Actor, *, by: str, reason: str, findings: Sequence[str]) -> Draft:
    """The record that ``by`` lets this profile use a role that can do more than read, and why; ``findings`` are the
    check's sentences. Raises :class:`SettingsError` without a name or a reason."""
    _require(by, "who decides it")
    _require(reason, "why a role that can write is used")
    answer = f"{by} lets the profile {profile.name} use a database role that can do more than read: {reason}"
    return _draft(
        "overrideWriterRefusal",
        f"[confirmation] a role that can write, {profile.name}",
        answer,
        actor,
        {
            "profile": profile.name,
            "connection": _connection(profile),
            "by": by,
            "reason": reason,
            "findings": list(findings),
        },
    )


def with_tie_out(profile: Profile, record: Record) -> Profile:
    """The profile that names the tie-out's record. Raises :class:`SettingsError` for another kind of record."""
    arguments = _arguments(record, "confirmTieOut", profile)
    found = _confirmation(record, arguments, "compared with the ledger")
    return replace(profile, tie_out=replace(found, as_of=dt.date.fromisoformat(arguments["asOf"])))


def with_writer_override(profile: Profile, record: Record) -> Profile:
    """The profile that names the override's record. Raises :class:`SettingsError` for another kind of record."""
    arguments = _arguments(record, "overrideWriterRefusal", profile)
    return replace(profile, writer_override=_confirmation(record, arguments, ""))


def only_recorded(profile: Profile, look_up: Callable[[str], Record | None]) -> Profile:
    """The profile without the confirmations that its log (``look_up``: id → record) does not hold, or that were given
    for another connection: a file that anyone can edit confirms nothing by itself."""
    tie_out, override = profile.tie_out, profile.writer_override
    bare = replace(profile, tie_out=None, writer_override=None)
    for claimed, again in ((tie_out, with_tie_out), (override, with_writer_override)):
        record = look_up(claimed.record) if claimed is not None else None
        if record is not None:
            with contextlib.suppress(SettingsError, KeyError, ValueError):
                bare = again(bare, record)
    return bare


def _confirmation(record: Record, arguments: Mapping[str, Any], otherwise: str) -> Confirmation:
    return Confirmation(
        by=str(arguments["by"]),
        at=record.timestamp,
        reason=str(arguments.get("reason") or otherwise),
        record=record.id,
    )


def _arguments(record: Record, name: str, profile: Profile) -> Mapping[str, Any]:
    operation = record.operations[0] if record.operations else {}
    arguments = operation.get("arguments", {})
    if operation.get("name") != name or arguments.get("connection") != _connection(profile):
        raise SettingsError(f"the record {record.id} is not a confirmation of this kind for {profile.name}")
    return arguments  # type: ignore[no-any-return]


def _connection(profile: Profile) -> str:
    """What was confirmed for: a stored connection holds no password."""
    return profile.database_url or f"sample:{profile.sample}"


def _draft(name: str, question: str, answer: str, actor: Actor, arguments: dict[str, Any]) -> Draft:
    return Draft(
        question=question,
        answer=answer,
        claims=[],
        operations=[{"name": name, "arguments": arguments}],
        evidence=[],
        actor=actor,
    )


def _require(value: str, what: str) -> None:
    if not value.strip():
        raise SettingsError(f"say {what}; it stands in the record")
