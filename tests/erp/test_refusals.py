"""Servers that refuse, and what the user is told to do about it: on real servers, in the server's own words."""

from __future__ import annotations

import contextlib
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import servers
from certificates import Authority, authority

from footnote_desktop.erp.check import run_check
from footnote_desktop.erp.connect import open_engine
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.faults import translate

PASSWORD = "Tr0ub4dor-and-3"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    own = servers.own_server()
    servers.run_sql(own.url, f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'", "CREATE ROLE nobody_here")
    yield own.url
    own.stop()


@pytest.fixture(scope="module")
def ca(server: str, tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The server gets a certificate for ``localhost``, from an authority made here."""
    if not servers.setting(servers.admin_url(server), "ssl_library"):
        pytest.skip("needs a PostgreSQL that was built with TLS; Debian's is, the wheel's is not")
    folder = tmp_path_factory.mktemp("ca")
    made = authority(folder)
    certificate, key = made.issue(folder, "localhost")
    use_certificate(server, certificate, key, made)
    return made


def use_certificate(url: str, certificate: Path, key: Path, ca: Authority) -> None:
    admin = servers.admin_url(url)
    data = Path(servers.setting(admin, "data_directory"))
    for source, name in ((certificate, "server.crt"), (key, "server.key"), (ca.file, "root.crt")):
        shutil.copyfile(source, data / name)
        servers.owned_by_server(admin, data / name)
    servers.run_sql(admin, "ALTER SYSTEM SET ssl = on", "ALTER SYSTEM SET ssl_ca_file = 'root.crt'")
    servers.reload(url)


def opens(url: str, password: str | None = None) -> bool:
    engine = open_engine(url, password=password)
    try:
        engine.columns()
    finally:
        engine.close()
    return True


def refused(url: str, password: str | None = None) -> EngineError:
    engine = open_engine(url, password=password)
    with pytest.raises(EngineError) as caught, engine.snapshot():
        pass
    engine.close()
    error = caught.value
    assert error.advice
    for text in (error.message, error.advice, error.details, repr(error)):
        assert PASSWORD not in text
    return error


def test_unknown_host() -> None:
    error = refused("postgresql://reader@no-such-host.invalid/db")
    assert (error.kind, error.message) == ("name", "the server's name is not known on this network")
    assert "no-such-host.invalid" in error.details


def test_refused() -> None:
    error = refused(f"postgresql://reader@127.0.0.1:{servers.free_port()}/db")
    assert error.kind == "tcp"
    assert "nothing listens" in error.message


def test_no_socket(tmp_path: Path) -> None:
    error = refused(f"host={tmp_path} user=reader dbname=db")
    assert error.kind == "tcp"
    assert "socket" in error.message


def test_a_server_that_takes_the_call_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = refused(f"postgresql://reader@127.0.0.1:{silent.getsockname()[1]}/db?connect_timeout=2")
    assert error.kind == "timeout"
    assert "did not answer in time" in error.message


def test_something_else_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as web:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = web.accept()
                    with connection:
                        connection.recv(100)
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        servers.in_background(answer)
        error = refused(f"postgresql://reader@127.0.0.1:{web.getsockname()[1]}/db")
    assert error.kind == "tcp"
    assert "not a PostgreSQL server" in error.message


def test_wrong_password_no_password_no_user_no_database(server: str) -> None:
    servers.allow_only(server, "host all all 127.0.0.1/32 scram-sha-256")
    wrong = refused(servers.with_user(server, "reader", PASSWORD + "x"))
    assert (wrong.kind, wrong.message) == ("login", "the database refused the user name or the password")
    none = refused(servers.with_user(server, "reader"))
    assert "wants a password" in none.message
    unknown = refused(servers.with_user(server, "stranger", PASSWORD))
    assert unknown.kind == "login"
    url = urlsplit(servers.with_user(server, "reader", PASSWORD))._replace(path="/nothere").geturl()
    missing = refused(url)
    assert (missing.kind, missing.message) == ("database", "the server has no database of that name")
    assert opens(servers.with_user(server, "reader"), password=PASSWORD)


def test_a_role_that_may_not_log_in(server: str) -> None:
    servers.allow_only(server, "host all all 127.0.0.1/32 trust")
    assert "does not let it log in" in refused(servers.with_user(server, "nobody_here")).message


def test_no_pg_hba_entry(server: str) -> None:
    servers.allow_only(server, "host all somebody_else 127.0.0.1/32 trust")
    error = refused(servers.with_user(server, "reader", PASSWORD))
    assert error.kind == "login"
    assert "no rule" in error.message
    assert "pg_hba.conf" in error.details


def test_no_pg_hba_entry_without_encryption(server: str, ca: Authority) -> None:
    servers.allow_only(server, "hostssl all all 127.0.0.1/32 trust")
    error = refused(servers.with_user(server, "reader", sslmode="disable"))
    assert "without encryption" in error.message
    assert "sslmode=require" in error.advice
    servers.allow_only(server, "hostssl all somebody_else 127.0.0.1/32 trust")
    assert "without encryption" not in refused(servers.with_user(server, "reader")).message


def test_too_many_connections(server: str) -> None:
    servers.allow_only(server, "host all all 127.0.0.1/32 trust")
    servers.run_sql(servers.admin_url(server), "ALTER ROLE reader CONNECTION LIMIT 1")
    with psycopg.connect(servers.with_user(server, "reader")):
        error = refused(servers.with_user(server, "reader"))
    servers.run_sql(servers.admin_url(server), "ALTER ROLE reader CONNECTION LIMIT -1")
    assert (error.kind, error.message) == ("busy", "the server has no connection left for this user")


# -- TLS -----------------------------------------------------------------------------------------------------------


def by_name(server: str, host: str, **options: str) -> str:
    """The server under another name; the address is given, so that nothing is looked up."""
    url = urlsplit(servers.with_user(server, "reader", hostaddr="127.0.0.1", **options))
    return url._replace(netloc=f"reader@{host}:{url.port}").geturl()


def test_the_server_offers_no_tls(server: str) -> None:
    own = servers.own_server()
    try:
        error = refused(by_name(own.url, "db.example"))  # not this machine: require
        assert error.kind == "tls"
        assert "offers no encryption" in error.message
        report = run_check(by_name(own.url, "db.example"), mappings=servers.known_mappings())
        states = {item.name: item.state for item in report.items}
        assert states["TLS"] == "fail"
        assert states["login"] == "unchecked"
    finally:
        own.stop()


def test_verify_full_proves_the_name(server: str, ca: Authority) -> None:
    servers.allow_only(server, "hostssl all all 127.0.0.1/32 trust")
    good = by_name(server, "localhost", sslmode="verify-full", sslrootcert=str(ca.file))
    assert opens(good)
    item = run_check(good, mappings=servers.known_mappings()).item("TLS")
    assert item is not None
    assert item.state == "pass"
    assert "verify-full" in item.sentence
    assert opens(by_name(server, "localhost", sslrootcert=str(ca.file)))

    wrong = refused(by_name(server, "db.example", sslrootcert=str(ca.file)))  # a CA is known: verify-full
    assert wrong.kind == "tls"
    assert "another name" in wrong.message
    # verify-ca proves the authority alone; the check says so.
    item = run_check(
        by_name(server, "db.example", sslmode="verify-ca", sslrootcert=str(ca.file)),
        mappings=servers.known_mappings(),
    ).item("TLS")
    assert item is not None
    assert (item.state, "but not its name" in item.sentence) == ("warn", True)


def test_require_warns_that_nobody_was_proved(server: str, ca: Authority) -> None:
    servers.allow_only(server, "hostssl all all 127.0.0.1/32 trust")
    item = run_check(by_name(server, "db.example"), mappings=servers.known_mappings()).item("TLS")
    assert item is not None
    assert item.state == "warn"
    assert "no certificate authority is known" in item.sentence


def test_another_authority_an_expired_certificate_a_missing_ca_file(server: str, ca: Authority, tmp_path: Path) -> None:
    servers.allow_only(server, "hostssl all all 127.0.0.1/32 trust")
    other = authority(tmp_path, "Other CA")
    error = refused(by_name(server, "localhost", sslmode="verify-full", sslrootcert=str(other.file)))
    assert (error.kind, "not signed by a known authority" in error.message) == ("tls", True)
    error = refused(by_name(server, "localhost", sslmode="verify-full", sslrootcert=str(tmp_path / "none.crt")))
    assert (error.kind, "cannot be read" in error.message) == ("tls", True)
    use_certificate(server, *ca.issue(tmp_path, "localhost", expired=True), ca)
    error = refused(by_name(server, "localhost", sslmode="verify-full", sslrootcert=str(ca.file)))
    assert (error.kind, "expired" in error.message) == ("tls", True), error.details
    use_certificate(server, *ca.issue(tmp_path, "localhost"), ca)


def test_client_certificates(server: str, ca: Authority, tmp_path: Path) -> None:
    servers.allow_only(server, "hostssl all all 127.0.0.1/32 cert")
    without = refused(by_name(server, "localhost", sslmode="verify-full", sslrootcert=str(ca.file)))
    assert (without.kind, "client certificate" in without.message) == ("tls", True), without.details
    certificate, key = ca.issue(tmp_path, "reader", client=True)
    given = {"sslmode": "verify-full", "sslrootcert": str(ca.file), "sslcert": str(certificate), "sslkey": str(key)}
    assert opens(by_name(server, "localhost", **given))
    key.chmod(0o644)
    error = refused(by_name(server, "localhost", **given))
    assert (error.kind, "key cannot be used" in error.message) == ("tls", True)


# -- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("FATAL:  the database system is starting up", "busy", "starting up"),
        ("FATAL:  das Datenbanksystem startet gerade", "busy", "starting up"),
        ("FATAL:  the database system is shutting down", "busy", "shutting down"),
        ("FATAL:  sorry, too many clients already", "busy", "no connection left"),
        ("FATAL:  tut mir leid, schon zu viele Verbindungen", "busy", "no connection left"),
        ("FATAL:  remaining connection slots are reserved for roles with SUPERUSER", "busy", "no connection left"),
        ("FATAL:  Passwort-Authentifizierung für Benutzer »x« fehlgeschlagen", "login", "refused"),
        (
            "FATAL:  kein pg_hba.conf-Eintrag für Host »10.0.0.1«, Benutzer »x«, Datenbank »d«, keine Verschlüsselung",
            "login",
            "without encryption",
        ),
        ("FATAL:  Datenbank »d« existiert nicht", "database", "no database"),
        ("FATAL:  unsupported startup parameter: options", "pooler", "pooler"),
        ("FATAL: unsupported frontend protocol 3.0: server supports 1.0 to 2.0", "version", "too old"),
        ("connection to server failed: No route to host", "tcp", "no way"),
        ("session is not read-only", "tcp", "none of the servers"),
        ("something that nobody has seen before", "lost", "the connection to the database failed"),
    ],
)
def test_servers_words(text: str, kind: str, words: str) -> None:
    error = translate(psycopg.OperationalError(f"connection failed: {text}"))
    assert error.kind == kind
    assert words in error.message
    assert text in error.details
    assert error.advice
