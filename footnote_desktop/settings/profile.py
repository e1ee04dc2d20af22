"""A profile: everything that decides where figures come from and how they are shown."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from footnote_desktop.settings.paths import default_log

#: The day for which the sample's published figures hold.
SAMPLE_AS_OF = dt.date(2026, 8, 14)

#: What every answer says until somebody has compared the open items with the ledger.
NOT_RECONCILED = "not reconciled to the ledger"

AsOfRule = Literal["today", "fixed", "period_end"]
#: Where the password comes from: the OS keyring, libpq's own ways (pgpass, service file, certificate, environment), or
#: a person, each time.
PasswordFrom = Literal["keyring", "libpq", "ask"]


class SettingsError(ValueError):
    """A setting cannot be used; the message says which, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a named person decided. ``record`` is the id of the record in the log that says so."""

    by: str
    at: str  #: UTC, ISO 8601
    reason: str
    record: str
    as_of: dt.date | None = None  #: of a tie-out: the period end that was compared


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that decides where figures come from and how they are shown. Holds no password of its own making:
    ``database_url`` is what the environment gave, or a stored connection, which never has one."""

    name: str
    database_url: str | None  #: None: the sample ERP
    log: str  #: path of the provenance log
    as_of: dt.date | None  #: None: by the rule
    as_of_source: str  #: where the date came from, in words
    locale: str
    actor_label: str | None  #: PROVENANCE_ACTOR: a stated label, not an identity
    role: str
    company: str | None
    sample: str | None  #: None, "sample" or "tricky"
    seed: bool = False  #: FOOTNOTE_SEED=1: create and fill the sample tables in ``database_url``
    aging_bounds: tuple[int, ...] = (30, 60, 90)
    saved: bool = False  #: it came from a file; its role has to be one that can only read
    mapping: str | None = None  #: the name of the ERP mapping; None: recognised by its tables
    as_of_rule: AsOfRule = "today"
    documents: str | None = None  #: the folder of documents
    ssh: str | None = None  #: the server of an SSH tunnel
    password_from: PasswordFrom = "libpq"
    writer_override: Confirmation | None = None  #: why a role that can write is used all the same
    tie_out: Confirmation | None = None  #: who compared the open items with the ledger

    def as_of_today(self) -> tuple[dt.date, str]:
        """The as-of date that holds now, and where it comes from."""
        if self.as_of is not None:
            return self.as_of, self.as_of_source
        today = dt.date.today()
        if self.as_of_rule == "period_end":
            return last_period_end(today), "the last period end before today"
        return today, "today"

    @property
    def refuses_writers(self) -> bool:
        """Whether a role that can do more than read must be refused: for every saved profile without an override."""
        return self.saved and self.writer_override is None

    @property
    def reconciliation(self) -> str | None:
        """What answers, exports and receipts have to say about the tie-out; None when there is nothing to say."""
        if self.database_url is None or self.tie_out is not None:
            return None
        return NOT_RECONCILED


def last_period_end(today: dt.date) -> dt.date:
    """The last day of the month before."""
    return today.replace(day=1) - dt.timedelta(days=1)


def parse_date(text: str, what: str) -> dt.date:
    """A calendar date written YYYY-MM-DD. Raises :class:`SettingsError` saying what is expected."""
    if len(text) == 10 and text.isascii():
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            pass
    raise SettingsError(
        f"{what} is {text!r}, which is not a calendar date; write it as YYYY-MM-DD, for example 2026-08-14"
    )


def from_environment(environ: Mapping[str, str] | None = None, *, sample: str = "sample") -> Profile:
    """The profile that the environment describes (DATABASE_URL, PROVENANCE_DB, PROVENANCE_ACTOR, PROVENANCE_ROLE,
    AS_OF_DATE, FOOTNOTE_COMPANY, FOOTNOTE_LOCALE, FOOTNOTE_SEED, MCP_REDLINE_CORPUS_DIR); with no DATABASE_URL, the
    sample ERP."""
    env = os.environ if environ is None else environ
    url = env.get("DATABASE_URL") or None
    name = "environment" if url else f"{sample}-erp"
    profile = Profile(
        name=name,
        database_url=url,
        log=env.get("PROVENANCE_DB") or default_log(name),
        as_of=None if url else SAMPLE_AS_OF,
        as_of_source="today" if url else "the sample's date",
        locale="de_DE",
        actor_label=None,
        role="controller",
        company=None,
        sample=None if url else sample,
        seed=env.get("FOOTNOTE_SEED") == "1",
    )
    return with_environment(profile, env)


def with_environment(profile: Profile, environ: Mapping[str, str] | None = None) -> Profile:
    """The profile with what the environment says instead of it; DATABASE_URL is not looked at."""
    env = os.environ if environ is None else environ
    if env.get("AS_OF_DATE"):
        profile = replace(profile, as_of=parse_date(env["AS_OF_DATE"], "AS_OF_DATE"), as_of_source="AS_OF_DATE")
    return replace(
        profile,
        log=env.get("PROVENANCE_DB") or profile.log,
        locale=env.get("FOOTNOTE_LOCALE") or profile.locale,
        actor_label=env.get("PROVENANCE_ACTOR") or profile.actor_label,
        role=env.get("PROVENANCE_ROLE") or profile.role,
        company=env.get("FOOTNOTE_COMPANY") or profile.company,
        documents=env.get("MCP_REDLINE_CORPUS_DIR") or profile.documents,
    )


def override(
    profile: Profile,
    *,
    log: str | None = None,
    as_of: str | None = None,
    company: str | None = None,
    locale: str | None = None,
) -> Profile:
    """The profile with what the command line says instead."""
    changes: dict[str, object] = {}
    if log:
        changes["log"] = log
    if as_of:
        changes["as_of"] = parse_date(as_of, "--as-of")
        changes["as_of_source"] = "--as-of"
    if company:
        changes["company"] = company
    if locale:
        changes["locale"] = locale
    return replace(profile, **changes)  # type: ignore[arg-type]
