"""Profiles and paths: which database, which log, which as-of date, in which locale.

Until profiles can be saved there are two: the sample ERP, and whatever ``DATABASE_URL`` names.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

#: The day for which the sample's published figures hold.
SAMPLE_AS_OF = dt.date(2026, 8, 14)


def data_folder(name: str) -> Path:
    """The folder ``resources`` or ``migrations``: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parent
    for candidate in (package.parent / name, package / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder {name} is missing from this installation; install it again")


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that decides where figures come from and how they are shown. Holds no password of its own making:
    ``database_url`` is what the environment gave, and nothing writes it anywhere."""

    name: str
    database_url: str | None  #: None: the sample ERP
    log: str  #: path of the provenance log
    as_of: dt.date | None  #: None: today
    as_of_source: str  #: where the date came from, in words
    locale: str
    actor_label: str | None  #: PROVENANCE_ACTOR: a stated label, not an identity
    role: str
    company: str | None
    sample: str | None  #: None, "sample" or "tricky"
    seed: bool = False  #: FOOTNOTE_SEED=1: create and fill the sample tables in ``database_url``
    aging_bounds: tuple[int, ...] = (30, 60, 90)

    def as_of_today(self) -> tuple[dt.date, str]:
        """The as-of date that holds now, and where it comes from."""
        if self.as_of is not None:
            return self.as_of, self.as_of_source
        return dt.date.today(), "today"


class SettingsError(ValueError):
    """A setting cannot be used; the message says which, and what to write instead."""


def default_log(name: str) -> str:
    """The log of a profile that names none: in the user's data folder, never in memory."""
    import platformdirs

    return str(Path(platformdirs.user_data_dir("Footnote", appauthor=False)) / "logs" / f"{name}.sqlite3")


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
    AS_OF_DATE, FOOTNOTE_COMPANY, FOOTNOTE_LOCALE, FOOTNOTE_SEED); with no DATABASE_URL, the sample ERP."""
    env = os.environ if environ is None else environ
    url = env.get("DATABASE_URL") or None
    name = "environment" if url else f"{sample}-erp"
    if env.get("AS_OF_DATE"):
        as_of, source = parse_date(env["AS_OF_DATE"], "AS_OF_DATE"), "AS_OF_DATE"
    elif url:
        as_of, source = None, "today"
    else:
        as_of, source = SAMPLE_AS_OF, "the sample's date"
    return Profile(
        name=name,
        database_url=url,
        log=env.get("PROVENANCE_DB") or default_log(name),
        as_of=as_of,
        as_of_source=source,
        locale=env.get("FOOTNOTE_LOCALE") or "de_DE",
        actor_label=env.get("PROVENANCE_ACTOR") or None,
        role=env.get("PROVENANCE_ROLE") or "controller",
        company=env.get("FOOTNOTE_COMPANY") or None,
        sample=None if url else sample,
        seed=env.get("FOOTNOTE_SEED") == "1",
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
