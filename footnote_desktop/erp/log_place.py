"""Whether the provenance log stands apart from the database whose figures it proves."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from urllib.parse import unquote, urlsplit

from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.report import CheckItem, State

_NAME = "log location"
_ADVICE = "Choose a place of the log's own: a file on this machine, or a database on another server."


def log_item(log: str | None, *, url: str | None, ms: float = 0.0) -> CheckItem:
    """The report item. ``url``: the database that is read, None for the sample in memory. Writes and opens nothing."""
    if not log:
        return _item("unchecked", "No place for the log was given.", "Choose where the log lives.", ms)
    if _is_postgres(log):
        return _on_a_server(log, url, ms)
    path = file_of(log)
    if url is not None and not _is_postgres(url) and _same_file(path, file_of(url)):
        return _item("fail", "The log would be written into the very file whose figures it proves.", _ADVICE, ms)
    folder = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    if not os.access(folder, os.W_OK):
        return _item("fail", f"This account may not write to {folder}.", "Choose another folder for the log.", ms)
    return _item("pass", f"The log is a file of its own: {path}.", "", ms)


def _on_a_server(log: str, url: str | None, ms: float) -> CheckItem:
    if url is None or not _is_postgres(url):
        return _item("pass", "The log is on a database server, apart from the data.", "", ms)
    from footnote_desktop.erp.conninfo import resolve

    try:
        log_address, erp_address = resolve(log), resolve(url)
    except EngineError:
        return _item("fail", "The log's connection cannot be read.", "Check the log's address.", ms)
    places = _places(log_address.endpoints), _places(erp_address.endpoints)
    if places[0] & places[1]:
        same = log_address.database == erp_address.database
        where = "in the very database" if same else "on the same server as the database"
        return _item("fail", f"The log would be {where} whose figures it proves.", _ADVICE, ms)
    return _item("pass", "The log is on another server than the data.", "", ms)


def _places(endpoints: tuple[object, ...]) -> set[tuple[str, int]]:
    from footnote_desktop.erp.conninfo import Endpoint

    found: set[tuple[str, int]] = set()
    for endpoint in endpoints:
        assert isinstance(endpoint, Endpoint)
        if endpoint.is_this_machine:
            found.add(("this machine", endpoint.port))
            continue
        found.add(((endpoint.host or endpoint.address).lower(), endpoint.port))
        with contextlib.suppress(OSError):
            answers = socket.getaddrinfo(endpoint.address or endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
            found |= {(str(answer[4][0]), endpoint.port) for answer in answers}
    return found


def file_of(location: str) -> Path:
    """The file that a path, a ``sqlite:`` or a ``file:`` URL names."""
    if "://" not in location and not location.startswith("file:"):
        return Path(location)
    path = unquote(urlsplit(location).path if location.startswith("file:") else location.partition("://")[2])
    relative = path.removeprefix("/")
    return Path(relative) if Path(relative).is_file() and not Path(path).is_file() else Path(path)


def _same_file(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.absolute().resolve() == other.absolute().resolve()


def _is_postgres(location: str) -> bool:
    scheme = urlsplit(location).scheme if "://" in location else ""
    return scheme in ("postgres", "postgresql") or (not scheme and "=" in location and not Path(location).exists())


def _item(state: State, sentence: str, advice: str, ms: float) -> CheckItem:
    return CheckItem(_NAME, state, sentence, advice, ms, stage=_NAME)
