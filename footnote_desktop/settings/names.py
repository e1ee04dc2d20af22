"""What a profile may be called: its name is the name of a file on every system, and an argument of a command."""

from __future__ import annotations

import unicodedata

from footnote_desktop.settings.profile import SettingsError

_FORBIDDEN = set('/\\:*?"<>|')
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10)}
#: Names that mean something else on the command line and in the folder of logs.
_RESERVED = {"environment", "sample", "tricky", "sample-erp", "tricky-erp"}
MAX_LENGTH = 60


def check_name(name: str) -> str:
    """The name in its normal form. Raises :class:`SettingsError` saying what is wrong with it."""
    name = unicodedata.normalize("NFC", name)
    wrong = None
    if not name.strip():
        wrong = "is empty"
    elif len(name) > MAX_LENGTH:
        wrong = f"is longer than {MAX_LENGTH} characters"
    elif name != name.strip() or name.endswith("."):
        wrong = "begins or ends with a space, or ends with a full stop"
    elif name[0] in ".-":
        wrong = "begins with a full stop or a hyphen"
    elif any(c in _FORBIDDEN or not c.isprintable() for c in name):
        wrong = 'holds a character that no file name may have (/ \\ : * ? " < > | or an invisible one)'
    elif name.split(".")[0].casefold() in _DEVICES:
        wrong = "is the name of a device on Windows"
    elif name.casefold() in _RESERVED:
        wrong = "is used by Footnote itself"
    if wrong:
        raise SettingsError(f"the profile's name {name[:80]!r} {wrong}; choose another, for example: Production")
    return name
