"""The one place where a profile's database is opened or checked: passwords, tunnels, and the gate for writers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from footnote_desktop.erp.engine import Engine, EngineError
from footnote_desktop.settings import (
    Profile,
    SettingsError,
    data_folder,
    duplicate_profile,
    load_profile,
    profile_file,
    remove_profile,
    rename_profile,
    save_profile,
)

if TYPE_CHECKING:
    from footnote_desktop.erp.mapping import Mapping
    from footnote_desktop.erp.report import CheckItem, CheckReport


def open_profile_engine(profile: Profile) -> Engine:
    """The engine of a profile, read-only.

    A saved profile whose role can do more than read is refused, unless an override is recorded in it: by the engine
    itself, on every new connection, before anything is read. Raises :class:`EngineError`.
    """
    if profile.database_url is None:
        from footnote_desktop.erp.sample import in_memory

        return in_memory(data_folder("migrations"), profile.sample or "sample")
    from footnote_desktop.erp.connect import open_engine

    if profile.seed and not profile.saved:
        from footnote_desktop.erp.sample import seed

        seed(profile.database_url, data_folder("migrations"))
    return open_engine(
        profile.database_url,
        password=profile_password(profile),
        ssh=profile.ssh,
        refuse_writers=profile.refuses_writers,
    )


def profile_password(profile: Profile) -> str | None:
    """The password of a saved profile from where it says; None where libpq finds it. Raises :class:`EngineError`
    (kind ``password``)."""
    if not profile.saved:
        return None
    from footnote_desktop.secrets import SecretError, password_for

    try:
        return password_for(profile.name, profile.password_from)
    except SecretError as error:
        raise EngineError(error.message, error.advice, kind="password") from error


def known_mappings(profile: Profile | None = None) -> list[Mapping]:
    """The mappings that are installed, or the one that the profile names. Raises ``MappingError``."""
    from footnote_desktop.erp.mapping import load_mapping

    found = [load_mapping(file) for file in sorted((data_folder("resources") / "erp").glob("*.toml"))]
    named = [m for m in found if profile is not None and m.name == profile.mapping]
    return named or found


def check_profile(
    profile: Profile,
    *,
    url: str | None = None,
    password: str | None = None,
    progress: Callable[[CheckItem], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> CheckReport:
    """The read-only check of a profile's database, or of ``url`` with the profile's log.

    ``password`` is what a person just typed. Raises :class:`EngineError` only for a password that is not there.
    """
    from footnote_desktop.erp.check import run_check

    target: str | Engine
    if url is None and profile.database_url is None:
        from footnote_desktop.erp.sample import in_memory

        target = in_memory(data_folder("migrations"), profile.sample or "sample")
    else:
        target = url or profile.database_url or ""
    if url is None and password is None:
        password = profile_password(profile)
    return run_check(
        target,
        mappings=known_mappings(profile),
        log_location=str(profile.log) if "://" in profile.log else str(Path(profile.log)),
        password=password,
        ssh=profile.ssh if url is None else None,
        progress=progress,
        cancel=cancel,
    )


# -- profiles together with their passwords ------------------------------------------------------------------------


def add_profile(profile: Profile, password: str | None = None) -> Path:
    """Save a new profile, and its password where the profile says; the file. ``password_from`` decides: the keyring
    keeps it, ``ask`` keeps it in memory for this session, ``libpq`` takes none.

    Raises :class:`SettingsError` for a name that is taken or a password that would have nowhere to go, and
    :class:`SecretError` when the keyring does not keep it; the profile is not saved then.
    """
    from footnote_desktop import secrets

    if profile_file(profile.name).exists():
        raise SettingsError(f"there is a profile {profile.name!r} already; choose another name")
    if password is not None and profile.password_from == "libpq":
        raise SettingsError("say where the password is to be kept: in the keyring, or asked for each time")
    if password is not None and profile.password_from == "keyring":
        secrets.set_password(profile.name, password)
    elif password is not None:
        secrets.keep_for_session(profile.name, password)
    return save_profile(profile, new=True)


def change_profile(name: str, profile: Profile, password: str | None = None, *, name_after: str = "") -> Profile:
    """Save the changed profile ``name``, under ``name_after`` if that is another name; what was saved. A new password
    replaces the old one; None leaves it. Raises :class:`SettingsError` and :class:`SecretError`; nothing is saved
    then."""
    from footnote_desktop import secrets

    moving = name_after and name_after != name
    if moving and profile_file(name_after) != profile_file(name) and profile_file(name_after).exists():
        raise SettingsError(f"there is a profile {name_after!r} already; choose another name")
    if password is not None and profile.password_from == "libpq":
        raise SettingsError("say where the password is to be kept: in the keyring, or asked for each time")
    if password is not None and profile.password_from == "keyring":
        secrets.set_password(profile.name, password)
        secrets.forget(profile.name)
    elif password is not None:
        secrets.keep_for_session(profile.name, password)
    save_profile(profile)
    return move_profile(name, name_after) if moving else profile


def delete_profile(name: str) -> Profile:
    """Delete a profile and its password, and never its log; what it was. Raises :class:`SettingsError`."""
    from footnote_desktop import secrets

    profile = load_profile(name)
    remove_profile(name)
    with contextlib.suppress(secrets.SecretError):
        secrets.delete_password(profile.name)
    return profile


def copy_profile(name: str, to: str) -> Profile:
    """A copy with a log of its own, without confirmations, and with the password if the keyring gives it."""
    from footnote_desktop import secrets

    copy = duplicate_profile(name, to)
    if copy.password_from == "keyring":
        with contextlib.suppress(secrets.SecretError):
            if (password := secrets.get_password(profile_file(name).stem)) is not None:
                secrets.set_password(copy.name, password)
    return copy


def move_profile(name: str, to: str) -> Profile:
    """Rename a profile and move its password; the log stays where it is. Raises :class:`SettingsError`."""
    from footnote_desktop import secrets

    old = profile_file(name).stem
    moved = rename_profile(name, to)
    if moved.password_from == "keyring" and old != moved.name:
        with contextlib.suppress(secrets.SecretError):
            if (password := secrets.get_password(old)) is not None:
                secrets.set_password(moved.name, password)
                secrets.delete_password(old)
    return moved
