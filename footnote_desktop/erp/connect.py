"""Opens the system of record that a URL names, read-only."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from footnote_desktop.erp.engine import Engine, EngineError


def open_engine(url: str) -> Engine:
    """``postgresql://…`` (or libpq's ``host=… dbname=…``), ``sqlite:///path``, or the path of a SQLite file.

    Connects lazily for PostgreSQL. Raises :class:`EngineError`; its message never repeats the URL.
    """
    scheme = urlsplit(url).scheme if "://" in url else ""
    if scheme in ("postgres", "postgresql") or (not scheme and "=" in url):
        from footnote_desktop.erp.postgres import PostgresEngine

        return PostgresEngine(url)
    from footnote_desktop.erp.sqlite import SqliteEngine

    if scheme == "sqlite":
        path = unquote(url.partition("://")[2])
        relative = path.removeprefix("/")
        return SqliteEngine.open(relative if Path(relative).is_file() else path)
    if scheme == "file" or not scheme:
        return SqliteEngine.open(unquote(urlsplit(url).path) if scheme else url)
    raise EngineError(
        f"a database of the kind {scheme}:// cannot be read", "Give a postgresql:// URL or the path of a SQLite file."
    )
