"""Where a connection leads, by libpq's own rules.

libpq and ``psycopg.conninfo`` parse; nothing here does. What is added is the default of ``sslmode`` for a server that
is not this machine: libpq's own, ``prefer``, sends figures in the clear to whoever answers without TLS.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from footnote_desktop.erp.engine import EngineError

#: libpq's keywords whose values are secret (https://www.postgresql.org/docs/current/libpq-connect.html).
SECRET = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server to try: a host name, an address, or the folder of a Unix socket."""

    host: str
    address: str
    port: int

    @property
    def is_socket(self) -> bool:
        return not self.address and (not self.host or self.host.startswith(("/", "@")))

    @property
    def is_this_machine(self) -> bool:
        return self.is_socket or _is_this_machine(self.host or self.address)

    @property
    def label(self) -> str:
        if self.is_socket:
            return f"the socket in {self.host or 'the default folder'}"
        return f"{self.host or self.address}, port {self.port}"


@dataclass(frozen=True, slots=True)
class Address:
    """A connection as libpq understands it, service file, environment and defaults included.

    ``parameters`` go to libpq and may hold a password, so that they are never printed.
    """

    parameters: Mapping[str, str] = field(repr=False)
    endpoints: tuple[Endpoint, ...]
    sslmode: str
    sslmode_source: str  #: where it came from, in words

    @property
    def database(self) -> str:
        return self.parameters.get("dbname", "")

    @property
    def user(self) -> str:
        return self.parameters.get("user", "")

    @property
    def is_this_machine(self) -> bool:
        return all(endpoint.is_this_machine for endpoint in self.endpoints)

    def shown(self) -> dict[str, str]:
        """The parsed fields for people to look over: everything but secrets, of which only the presence is shown."""
        fields = {key: value for key, value in self.parameters.items() if key not in SECRET}
        return {**fields, **{key: "(given)" for key in SECRET if self.parameters.get(key)}}

    def secrets(self) -> tuple[str, ...]:
        return tuple(self.parameters[key] for key in SECRET if self.parameters.get(key))


def resolve(url: str, password: str | None = None) -> Address:
    """Everything libpq would use for ``url`` (a URL or ``key=value`` text). Opens nothing.

    ``password`` is used where the URL has none. Raises :class:`EngineError`, which never repeats the URL.
    """
    try:
        given = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError as error:
        raise EngineError(
            "the connection cannot be read",
            "Write it as postgresql://USER@HOST:5432/DATABASE; in a user name or a password, write @ as %40, : as %3A,"
            " / as %2F and % as %25.",
            kind="connection text",
        ) from _without_text(error)
    full = _libpq_view(given)
    if password is not None and not full.get("password"):
        full["password"] = password
    endpoints = _endpoints(full)
    full["sslmode"], source = _sslmode(given, full, endpoints)
    return Address(full, endpoints, full["sslmode"], source)


def _without_text(error: Exception) -> Exception:
    # libpq quotes the part it could not read, which may be a password; a traceback would print it.
    return type(error)("the text is left out: it may hold a password")


def _libpq_view(given: Mapping[str, str]) -> dict[str, str]:
    """Service file, environment and defaults applied by libpq itself.

    An option that libpq finds invalid ends the attempt after the options were gathered and before anything is looked
    up or opened, which is what makes this a way to ask.
    """
    view, defaults = _ask(given, "channel_binding")
    other, _ = _ask(given, "gssencmode")
    view["channel_binding"] = other["channel_binding"]
    view.pop("service", None)  # its content stands in the other options now
    view.pop("servicefile", None)
    needed = ("user", "dbname", "port", "sslmode")
    return {key: value for key, value in view.items() if value and (value != defaults[key] or key in needed)}


def _ask(given: Mapping[str, str], option: str) -> tuple[dict[str, str], dict[str, str]]:
    """All options as libpq gathered them, but for ``option``, and libpq's defaults."""
    probe = make_conninfo("", **{**given, option: "only-asking"})
    connection = pq.PGconn.connect_start(probe.encode())
    try:
        text = connection.error_message.decode(errors="replace")
        if option not in text:
            service = "service" in text
            secret = any(given[key] in text for key in SECRET if given.get(key))
            raise EngineError(
                "the service is not in the service file" if service else "the connection's options do not fit together",
                "Check the name of the service and the service file (PGSERVICEFILE, ~/.pg_service.conf)."
                if service
                else "Check the options of the connection.",
                details="" if secret else text.strip(),
                kind="connection text",
            )
        view = {o.keyword.decode(): (o.val or b"").decode() for o in connection.info}
        defaults = {o.keyword.decode(): (o.compiled or b"").decode() for o in connection.info}
    finally:
        connection.finish()
    view[option] = ""
    return view, defaults


def _endpoints(full: Mapping[str, str]) -> tuple[Endpoint, ...]:
    hosts = full.get("host", "").split(",")
    addresses = full.get("hostaddr", "").split(",")
    count = max(len(hosts), len(addresses))
    ports = (full.get("port") or "5432").split(",")
    if len(ports) == 1:
        ports *= count
    hosts += [""] * (count - len(hosts))
    addresses += [""] * (count - len(addresses))
    try:
        return tuple(Endpoint(h, a, int(p or 5432)) for h, a, p in zip(hosts, addresses, ports, strict=True))
    except ValueError as error:
        raise EngineError(
            "hosts and ports do not fit together",
            "Give one port for all hosts, or one for each, as a number.",
            kind="connection text",
        ) from error


def _sslmode(given: Mapping[str, str], full: Mapping[str, str], endpoints: tuple[Endpoint, ...]) -> tuple[str, str]:
    if "sslmode" in given:
        return given["sslmode"], "given in the connection"
    if os.environ.get("PGSSLMODE"):
        return full["sslmode"], "given by PGSSLMODE"
    if full["sslmode"] != "prefer":
        return full["sslmode"], "given by the service"
    if all(endpoint.is_this_machine for endpoint in endpoints):
        return "prefer", "this machine"
    if ca := full.get("sslrootcert"):
        return "verify-full", f"a certificate authority is named ({ca})"
    if default_root_file().is_file():
        return "verify-full", f"a certificate authority is known ({default_root_file()})"
    return "require", "no certificate authority is known"


def default_root_file() -> Path:
    """Where libpq looks for certificate authorities when none is named."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "")) / "postgresql" / "root.crt"
    return Path.home() / ".postgresql" / "root.crt"


def _is_this_machine(host: str) -> bool:
    if host.lower().rstrip(".") in ("localhost", "localhost.localdomain", socket.gethostname().lower()):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def scrub(text: str, secrets: tuple[str, ...]) -> str:
    """The text without the secrets, for the rare message that repeats what it was given."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "…")
    return text
