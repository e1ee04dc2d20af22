"""Opens the system of record that a URL names, read-only."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from footnote_desktop.erp.engine import Engine, EngineError


def is_postgres(url: str) -> bool:
    """Whether this is ``postgresql://…`` or libpq's ``host=… dbname=…``."""
    scheme = url.partition("://")[0].lower() if "://" in url else ""  # urlsplit fails on half an IPv6 address
    return scheme in ("postgres", "postgresql") or (not scheme and "=" in url and not Path(url).is_file())


def open_engine(
    url: str, *, password: str | None = None, ssh: str | None = None, refuse_writers: bool = False
) -> Engine:
    """``postgresql://…`` (or libpq's ``host=… dbname=…``), ``sqlite:///path``, or the path of a SQLite file.

    Connects lazily for PostgreSQL. ``password`` is used where the URL has none; ``ssh`` is the server of a tunnel.
    ``refuse_writers``: a PostgreSQL role that can do more than read is refused on every new connection, before
    anything is read (kind ``writer``). Raises :class:`EngineError`; its message never repeats the URL.
    """
    if is_postgres(url):
        from footnote_desktop.erp.postgres import PostgresEngine
        from footnote_desktop.erp.rights_words import refuse_writers as guard
        from footnote_desktop.erp.tunnel import Tunnel

        return PostgresEngine(
            url,
            password=password,
            guard=(lambda snapshot: guard(snapshot.query)) if refuse_writers else None,
            tunnel=Tunnel(ssh) if ssh else None,
        )
    from footnote_desktop.erp.log_place import file_of
    from footnote_desktop.erp.sqlite import SqliteEngine

    scheme = urlsplit(url).scheme if "://" in url or url.startswith("file:") else ""
    if scheme not in ("", "sqlite", "file"):
        raise EngineError(
            f"a database of the kind {scheme}:// cannot be read",
            "Give a postgresql:// URL or the path of a SQLite file.",
        )
    return SqliteEngine.open(str(file_of(url)))
