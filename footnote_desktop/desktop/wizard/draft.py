"""What was typed in a wizard that was closed half-way, kept in the configuration folder, without the password."""

from __future__ import annotations

import contextlib
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from footnote_desktop.desktop.wizard.state import Page, Typed, Wizard
from footnote_desktop.settings import AsOfRule, PasswordFrom, profiles_folder
from footnote_desktop.settings.files import write_private

_NOT_KEPT = ("password", "override_by", "override_reason")


def draft_file() -> Path:
    return profiles_folder().parent / "wizard-draft.toml"


def keep_draft(wizard: Wizard) -> Path:
    """Write what was typed. A connection whose password cannot be taken out is left out whole."""
    import tomlkit

    from footnote_desktop.settings.connection import split_password
    from footnote_desktop.settings.profile import SettingsError

    typed = wizard.typed
    try:
        if typed.url and split_password(typed.url)[1] is not None:
            typed = replace(typed, url="")
    except SettingsError:
        typed = replace(typed, url="")
    values: dict[str, Any] = {f.name: getattr(typed, f.name) for f in fields(Typed) if f.name not in _NOT_KEPT}
    document = tomlkit.document()
    for key, value in values.items():
        if value:
            document[key] = list(value) if isinstance(value, tuple) else value
    write_private(draft_file(), tomlkit.dumps(document).encode("utf-8"))
    return draft_file()


def read_draft() -> Wizard | None:
    """A wizard that goes on with the draft, at the connection; None when there is none that can be read."""
    try:
        data = tomllib.loads(draft_file().read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    known = {f.name: f for f in fields(Typed) if f.name not in _NOT_KEPT}
    values: dict[str, Any] = {key: value for key, value in data.items() if key in known and isinstance(value, str)}
    if isinstance(clients := data.get("clients"), list):
        values["clients"] = tuple(str(client) for client in clients)
    for key, allowed in (("password_from", get_args(PasswordFrom)), ("as_of_rule", get_args(AsOfRule))):
        if values.get(key) not in allowed:
            values.pop(key, None)
    wizard = Wizard(Typed(**values))
    if not wizard.missing():
        wizard.next()
    return wizard


def discard_draft() -> None:
    """Forget the draft, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        draft_file().unlink()


def for_the_log(wizard: Wizard) -> dict[str, Any]:
    """What a log of the application may say about a wizard: by a list of what may be shown."""
    from footnote_desktop.settings.redact import redact

    shown = redact({f.name: getattr(wizard.typed, f.name) for f in fields(Typed)})
    return {"page": Page(wizard.page).value, "testing": wizard.testing, "generation": wizard.generation, **shown}
