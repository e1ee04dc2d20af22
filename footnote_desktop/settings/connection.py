"""A connection as it is stored: libpq's own keywords and values, and never a password.

libpq's parser reads what people paste (``psycopg.conninfo``); nothing here does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from footnote_desktop.settings.profile import SettingsError

#: libpq's other secrets: they have no place in a profile, and none in the keyring either.
_OTHER_SECRETS = ("sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")


def split_password(url: str) -> tuple[dict[str, str], str | None]:
    """What may be stored of a URL or ``key=value`` text, and the password that it held, or None.

    A SQLite file gives ``{"file": path}``. Raises :class:`SettingsError`, which never repeats the text.
    """
    scheme = url.partition("://")[0].lower() if "://" in url else ""  # urlsplit fails on half an IPv6 address
    if scheme not in ("postgres", "postgresql") and (scheme or "=" not in url or Path(url).is_file()):
        return {"file": url}, None
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        fields = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError:
        # Its text may repeat a part of the password, and so would the traceback.
        raise SettingsError(
            "the connection cannot be read; write it as postgresql://USER@HOST:5432/DATABASE, with @ as %40, : as %3A,"
            " / as %2F and % as %25 inside a user name or a password"
        ) from None
    password = fields.pop("password", None)
    refuse_secrets(fields)
    return fields, password


def refuse_secrets(fields: Mapping[str, object]) -> None:
    """Raises :class:`SettingsError` when a stored connection holds a secret."""
    for key in ("password", *_OTHER_SECRETS):
        if key in fields:
            raise SettingsError(
                f"the connection holds {key}, and a profile never stores a secret: take it out; the password belongs in"
                " the keyring, in pgpass or in a service file"
            )


def join(fields: Mapping[str, str]) -> str:
    """The stored connection as one text for the engine."""
    if "file" in fields:
        return str(fields["file"])
    from psycopg.conninfo import make_conninfo

    return make_conninfo("", **{key: str(value) for key, value in fields.items()})
