"""Saved profiles: one readable TOML file each, in the user's configuration folder.

What this version does not know stays in the file as it is, comments included. A file of an older version is migrated
when it is read, and what it was is kept beside it.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote_desktop.settings.connection import join, refuse_secrets, split_password
from footnote_desktop.settings.files import write_private
from footnote_desktop.settings.names import check_name
from footnote_desktop.settings.paths import default_log, profiles_folder
from footnote_desktop.settings.profile import (
    SAMPLE_AS_OF,
    Confirmation,
    Profile,
    SettingsError,
    from_environment,
    with_environment,
)

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

VERSION = 1


def profile_names() -> list[str]:
    """The names of the saved profiles, in order, readable or not."""
    folder = profiles_folder()
    if not folder.is_dir():
        return []
    names = (file.stem for file in folder.glob("*.toml") if not file.name.startswith("."))
    return sorted(names, key=str.casefold)


def profile_file(name: str) -> Path:
    """The file of that profile, under whatever capitals it was saved. Raises :class:`SettingsError` for a bad name."""
    wanted = check_name(name)
    for known in profile_names():
        if known.casefold() == wanted.casefold():
            return profiles_folder() / f"{known}.toml"
    return profiles_folder() / f"{wanted}.toml"


def load_profile(name: str) -> Profile:
    """Read a saved profile. Raises :class:`SettingsError` when there is none, or when it cannot be used."""
    file = profile_file(name)
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        known = ", ".join(profile_names()) or "none yet"
        raise SettingsError(f"there is no profile {name!r}; saved profiles: {known}") from None
    except OSError as error:
        raise SettingsError(f"the profile {file} cannot be read: {error.strerror}") from error
    try:
        data: Mapping[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"the profile {file} is not readable TOML: {error}") from error
    version = data.get("version", 0)
    if not isinstance(version, int) or version > VERSION:
        raise SettingsError(f"the profile {file} was written by a newer version of Footnote; update Footnote")
    if version < VERSION:
        data = _migrate(file, content, version)
    return _parse(file, data)


def save_profile(profile: Profile, *, new: bool = False) -> Path:
    """Write the profile; its file. ``new``: refuse to write over one. Raises :class:`SettingsError`."""
    import tomlkit

    file = profile_file(profile.name)
    if new and file.exists():
        raise SettingsError(f"there is a profile {file.stem!r} already; choose another name, or remove that one first")
    document = tomlkit.parse(file.read_text(encoding="utf-8")) if file.exists() else tomlkit.document()
    _fill(document, profile)
    write_private(file, tomlkit.dumps(document).encode("utf-8"))
    return file


def remove_profile(name: str) -> Path:
    """Delete the profile's file, and nothing else: the log stays. The file. Raises :class:`SettingsError`."""
    file = profile_file(name)
    try:
        file.unlink()
    except FileNotFoundError:
        raise SettingsError(f"there is no profile {name!r}") from None
    return file


def duplicate_profile(name: str, to: str) -> Profile:
    """A copy under another name, with a log of its own, and with nothing that somebody confirmed for the first."""
    original = load_profile(name)
    copy = replace(original, name=check_name(to), log=default_log(check_name(to)), writer_override=None, tie_out=None)
    save_profile(copy, new=True)
    return copy


def rename_profile(name: str, to: str) -> Profile:
    """The profile under another name; its log stays where it is. A password in the keyring has to be moved as well."""
    profile = replace(load_profile(name), name=check_name(to))
    old = profile_file(name)
    if profile_file(to) != old and profile_file(to).exists():
        raise SettingsError(f"there is a profile {to!r} already; choose another name")
    import tomlkit

    document = tomlkit.parse(old.read_text(encoding="utf-8"))
    _fill(document, profile)
    old.unlink()
    write_private(profiles_folder() / f"{profile.name}.toml", tomlkit.dumps(document).encode("utf-8"))
    return profile


def edit_profile(profile: Profile, **changes: Any) -> Profile:
    """The profile with the changes, not saved yet. What was confirmed for another connection, mapping or company does
    not hold for the new one."""
    edited = replace(profile, **changes)
    if (edited.database_url, edited.mapping, edited.company) != (
        profile.database_url,
        profile.mapping,
        profile.company,
    ):
        edited = replace(edited, tie_out=None)
    if edited.database_url != profile.database_url:
        edited = replace(edited, writer_override=None)
    return edited


def new_profile(name: str, url: str, **settings: Any) -> tuple[Profile, str | None]:
    """A profile for this connection, not saved yet, and the password that the URL held, which the profile does not."""
    fields, password = split_password(url)
    name = check_name(name)
    values: dict[str, Any] = {
        "log": default_log(name),
        "as_of": None,
        "as_of_source": "today",
        "locale": "de_DE",
        "actor_label": None,
        "role": "controller",
        "company": None,
        **settings,
    }
    return Profile(name=name, database_url=join(fields), sample=None, saved=True, **values), password


def choose_profile(
    name: str | None = None, environ: Mapping[str, str] | None = None, *, sample: str = "sample"
) -> Profile:
    """The saved profile of that name, with what the environment says instead of it; without a name, what the
    environment describes. Raises :class:`SettingsError`."""
    if name:
        return with_environment(load_profile(name), environ)
    return from_environment(environ, sample=sample)


# -- the file's form -----------------------------------------------------------------------------------------------


def _parse(file: Path, data: Mapping[str, Any]) -> Profile:
    try:
        connection = {str(key): str(value) for key, value in _table(data, "connection").items()}
        refuse_secrets(connection)
        sample = connection.pop("sample", None)
        as_of = _table(data, "as_of")
        rule = as_of.get("rule", "today")
        day = as_of.get("date")
        if rule not in ("today", "fixed", "period_end") or (rule == "fixed") != isinstance(day, dt.date):
            raise SettingsError('as_of.rule is "today", "period_end", or "fixed" with a date')
        source = "today"
        if rule == "fixed":
            source = "the sample's date" if sample and day == SAMPLE_AS_OF else "the profile"
        password_from = data.get("password_from", "libpq")
        if password_from not in ("keyring", "libpq", "ask"):
            raise SettingsError('password_from is "keyring", "libpq" or "ask"')
        if not sample and not connection:
            raise SettingsError("the table [connection] is missing")
        return Profile(
            name=file.stem,
            database_url=None if sample else join(connection),
            log=_text(data, "log") or default_log(file.stem),
            as_of=day,
            as_of_source=source,
            locale=_text(data, "locale") or "de_DE",
            actor_label=_text(data, "actor"),
            role=_text(data, "role") or "controller",
            company=_text(data, "company"),
            sample=sample,
            aging_bounds=tuple(int(days) for days in data.get("aging_bounds", (30, 60, 90))),
            saved=True,
            mapping=_text(data, "mapping"),
            as_of_rule=rule,
            documents=_text(data, "documents"),
            ssh=_text(data, "ssh"),
            password_from=password_from,
            writer_override=_confirmation(data, "writer_override"),
            tie_out=_confirmation(data, "tie_out"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(f"the profile {file} cannot be used: {error}") from error


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, Mapping):
        raise SettingsError(f"{key} is not a table")
    return table


def _text(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise SettingsError(f"{key} is not text")
    return value or None


def _confirmation(data: Mapping[str, Any], key: str) -> Confirmation | None:
    """A confirmation counts only whole: a name, a time, a reason and the record that says so."""
    table = _table(data, key)
    if not table:
        return None
    found = Confirmation(
        str(table["by"]), str(table["at"]), str(table["reason"]), str(table["record"]), table.get("as_of")
    )
    if not all((found.by, found.at, found.reason, found.record)):
        raise SettingsError(f"{key} names no person, time, reason or record")
    return found


def _fill(document: TOMLDocument, profile: Profile) -> None:
    import tomlkit

    if profile.database_url is None:
        connection: dict[str, str] = {"sample": profile.sample or "sample"}
    else:
        connection, password = split_password(profile.database_url)
        if password is not None:
            raise SettingsError("a profile never stores a password; give the connection without it")
    as_of: dict[str, Any] = {"rule": "fixed" if profile.as_of is not None else profile.as_of_rule}
    if profile.as_of is not None:
        as_of["date"] = profile.as_of
    if as_of["rule"] == "fixed" and profile.as_of is None:
        raise SettingsError("the as-of rule is fixed, but there is no date")
    values: dict[str, Any] = {
        "version": VERSION,
        "log": profile.log,
        "locale": profile.locale,
        "actor": profile.actor_label,
        "role": profile.role,
        "company": profile.company,
        "mapping": profile.mapping,
        "documents": profile.documents,
        "ssh": profile.ssh,
        "password_from": profile.password_from,
        "aging_bounds": list(profile.aging_bounds),
    }
    tables: dict[str, dict[str, Any] | None] = {
        "connection": dict(connection),
        "as_of": as_of,
        "writer_override": _as_table(profile.writer_override),
        "tie_out": _as_table(profile.tie_out),
    }
    for key, value in values.items():
        if value is None:
            document.pop(key, None)
        elif document.get(key) != value:
            document[key] = value
    for key, table in tables.items():
        if table is None:
            document.pop(key, None)
        elif key not in document:
            document[key] = tomlkit.item(table)
        else:
            _update(document[key], table, replace_all=key == "connection")


def _update(existing: Any, table: Mapping[str, Any], *, replace_all: bool) -> None:
    # The keys of a connection are libpq's, all known; elsewhere an unknown key is a later version's.
    for key in list(existing):
        if key not in table and (replace_all or key in ("date", "as_of")):
            del existing[key]
    for key, value in table.items():
        if existing.get(key) != value:
            existing[key] = value


def _as_table(confirmation: Confirmation | None) -> dict[str, Any] | None:
    if confirmation is None:
        return None
    table: dict[str, Any] = {
        "by": confirmation.by,
        "at": confirmation.at,
        "reason": confirmation.reason,
        "record": confirmation.record,
    }
    if confirmation.as_of is not None:
        table["as_of"] = confirmation.as_of
    return table


# -- older versions ------------------------------------------------------------------------------------------------


def _from_0(document: TOMLDocument) -> None:
    """Version 0 had the connection as one URL."""
    import tomlkit

    url = document.pop("database_url", None)
    if url is not None:
        fields, password = split_password(str(url))
        if password is not None:
            raise SettingsError("database_url holds a password; take it out, and give it when you are asked")
        document["connection"] = tomlkit.item(fields)


_MIGRATIONS: dict[int, Callable[[TOMLDocument], None]] = {0: _from_0}


def _migrate(file: Path, content: bytes, version: int) -> Mapping[str, Any]:
    """Bring the file to this version, keeping what it was as ``NAME.toml.vN.bak``."""
    import tomlkit

    document = tomlkit.parse(content.decode("utf-8"))
    try:
        for number in range(version, VERSION):
            _MIGRATIONS[number](document)
    except SettingsError as error:
        raise SettingsError(f"the profile {file} cannot be used: {error}") from error
    document["version"] = VERSION
    migrated = tomlkit.dumps(document).encode("utf-8")
    write_private(file.with_name(f"{file.name}.v{version}.bak"), content)
    write_private(file, migrated)
    return tomllib.loads(migrated.decode("utf-8"))
