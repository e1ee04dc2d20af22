"""Who asked: the account that the operating system vouches for, not a name that someone typed."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote_desktop.provenance.evidence import JsonValue


@dataclass(frozen=True, slots=True)
class Actor:
    """``id`` and ``role`` stand in the record; ``details`` says inside its operations how they are known."""

    id: str
    role: str
    details: Mapping[str, JsonValue] = field(default_factory=dict)


def current_actor(label: str | None = None, role: str = "controller") -> Actor:
    """The account and machine that this process runs under.

    ``label`` (PROVENANCE_ACTOR) is a name that was stated and that nobody checked: it is shown as exactly that,
    behind the account. ``role`` is stated as well.
    """
    account, known_by = _account()
    machine = socket.gethostname() or "unknown machine"
    name = f"{account}@{machine}"
    label = " ".join((label or "").split()) or None
    return Actor(
        id=f"{name} (stated: {label})" if label else name,
        role=role,
        details={
            "account": account,
            "machine": machine,
            "knownBy": known_by,
            "stated": label,
            "roleIs": "stated",
        },
    )


def _account() -> tuple[str, str]:
    """The account's name, and how it is known. Environment variables, which anyone can set, are not asked."""
    if sys.platform == "win32":
        try:
            return os.getlogin(), "the Windows session of the process"
        except OSError:
            return "unknown account", "not known"
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name, "the operating system's user id of the process"
    except KeyError:
        return f"uid {os.getuid()}", "the operating system's user id of the process, which has no name here"
