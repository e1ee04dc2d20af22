"""Servers of the tests' own that may be reconfigured, stopped and broken."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import postgres
import psycopg
import pytest

from footnote_desktop.erp.mapping import Mapping, load_mapping
from footnote_desktop.settings import data_folder


def known_mappings() -> list[Mapping]:
    return [load_mapping(file) for file in sorted((data_folder("resources") / "erp").glob("*.toml"))]


#: URL of a server → the superuser's way in by its socket, whatever pg_hba.conf says of the network.
_admins: dict[str, str] = {}


def own_server(version: int | None = None, settings: dict[str, str] | None = None) -> postgres.Server:
    """A server that this test alone uses; skips, saying so, where there is none to start."""
    if os.environ.get("TEST_PG_URL"):
        pytest.skip("needs a server of its own to reconfigure; TEST_PG_URL names somebody's")
    try:
        server = postgres.start(version, settings=settings)
    except LookupError as error:
        pytest.skip(str(error))
    if settings and "port" in settings:
        split = urlsplit(server.url)
        url = split._replace(netloc=f"{split.username}@{split.hostname}:{settings['port']}").geturl()
        server = postgres.Server(url, server.stop, server.version)
    folder = setting(server.url, "unix_socket_directories")
    _admins[server.url] = f"host={folder} port={urlsplit(server.url).port} user=postgres dbname=postgres"
    return server


def with_user(url: str, user: str, password: str | None = None, **parts: str) -> str:
    """The URL for another user, and with other query options."""
    split = urlsplit(url)
    who = user if password is None else f"{user}:{password}"
    query = "&".join(f"{key}={value}" for key, value in parts.items())
    return split._replace(netloc=f"{who}@{split.hostname}:{split.port}", query=query).geturl()


def run_sql(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


def setting(url: str, name: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
    assert row is not None
    return str(row[0])


def allow_only(url: str, *lines: str) -> None:
    """Replace pg_hba.conf; the superuser keeps its way in by the socket."""
    admin = admin_url(url)
    Path(setting(admin, "hba_file")).write_text("\n".join(["local all postgres trust", *lines, ""]))
    reload(url)


def reload(url: str) -> None:
    """Make the server read its configuration again, and wait until a new connection is judged by it."""
    admin = admin_url(url)
    run_sql(admin, "SELECT pg_reload_conf()")
    time.sleep(0.3)  # the postmaster's answer to the signal cannot be seen from outside


def admin_url(url: str) -> str:
    """The superuser's way in by the server's socket."""
    return _admins.get(url, url)


def owned_by_server(url: str, file: Path) -> None:
    """Give a key file to the account that the server runs as, as it demands."""
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, Path(setting(url, "data_directory")).stat().st_uid, -1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Relay:
    """A TCP relay to a server that can fall silent, as a dead network does: connections stay open, nothing passes."""

    def __init__(self, port: int):
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.passing = threading.Event()
        self.passing.set()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
                there = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._open += [here, there]
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self.passing.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def close(self) -> None:
        self._listener.close()
        for end in self._open:
            end.close()
        self.passing.set()


def in_background(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
