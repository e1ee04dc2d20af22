"""Where a connection leads, by libpq's rules, and the defaults that are added to them."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from footnote_desktop.erp.connect import is_postgres
from footnote_desktop.erp.conninfo import default_root_file, resolve, scrub
from footnote_desktop.erp.engine import EngineError


@pytest.fixture(autouse=True)
def no_libpq_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_pasted_url_is_decoded_and_shown_as_fields_without_its_password() -> None:
    address = resolve("postgresql://a%40b:p%2Fs%25%3A@db.example:5433/my%20erp?application_name=x")
    assert address.shown() == {
        "user": "a@b",
        "dbname": "my erp",
        "host": "db.example",
        "port": "5433",
        "application_name": "x",
        "sslmode": "require",
        "password": "(given)",
        **{k: v for k, v in address.shown().items() if k == "passfile"},
    }
    assert address.parameters["password"] == "p/s%:"
    assert "p/s%:" not in repr(address)


@pytest.mark.parametrize(
    ("url", "mode", "source"),
    [
        ("postgresql://u@localhost/d", "prefer", "this machine"),
        ("postgresql://u@127.0.0.1/d", "prefer", "this machine"),
        ("postgresql://u@[::1]/d", "prefer", "this machine"),
        ("postgresql:///d?host=/run/x", "prefer", "this machine"),
        ("dbname=d", "prefer", "this machine"),
        ("postgresql://u@db.example/d", "require", "no certificate authority is known"),
        ("postgresql://u@localhost,db.example/d", "require", "no certificate authority is known"),
        ("postgresql://u@db.example/d?sslmode=disable", "disable", "given in the connection"),
        ("postgresql://u@db.example/d?sslmode=prefer", "prefer", "given in the connection"),
        ("postgresql://u@db.example/d?sslrootcert=/x/ca.crt", "verify-full", "/x/ca.crt"),
    ],
)
def test_the_default_sslmode(url: str, mode: str, source: str) -> None:
    address = resolve(url)
    assert address.sslmode == address.parameters["sslmode"] == mode
    assert source in address.sslmode_source


def test_libpqs_own_ca_file_counts_as_known() -> None:
    default_root_file().parent.mkdir()
    default_root_file().write_text("")
    assert resolve("postgresql://u@db.example/d").sslmode == "verify-full"


def test_the_environment_and_a_service_file_are_applied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGPORT", "6000")
    monkeypatch.setenv("PGSSLMODE", "verify-ca")
    address = resolve("host=db.example dbname=d")
    assert (address.endpoints[0].port, address.sslmode, address.sslmode_source) == (
        6000,
        "verify-ca",
        "given by PGSSLMODE",
    )
    monkeypatch.delenv("PGSSLMODE")
    file = tmp_path / "services"
    file.write_text(
        "[erp]\nhost=one.example,two.example\nport=5001,5002\ndbname=books\nuser=reader\nchannel_binding=require\n"
        "target_session_attrs=prefer-standby\npassword=from-the-service\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    address = resolve("service=erp user=other")
    assert [(e.host, e.port) for e in address.endpoints] == [("one.example", 5001), ("two.example", 5002)]
    assert (address.database, address.user) == ("books", "other")
    assert address.parameters["target_session_attrs"] == "prefer-standby"
    assert address.parameters["channel_binding"] == "require"
    assert address.secrets() == ("from-the-service",)
    assert resolve("service=erp", "typed").parameters["password"] == "from-the-service"
    assert resolve("host=db.example", "typed").parameters["password"] == "typed"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2%zz@db.example/d",
        "host=db.example password=hunter2 nonsense",
        "host=db.example password=hunter2 nonsense=1",
        "postgresql://u:hunter2@db.example:port/d?x=y",
        "host=a,b port=1,2,3 password=hunter2",
        "host=a,b hostaddr=10.0.0.1 password=hunter2",
        "postgresql://u:hunter2@db.example/d?sslmode=hunter2",
        "service=nothere password=hunter2",
    ],
)
def test_what_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(EngineError) as caught:
        resolve(url)
    error = caught.value
    assert error.kind == "connection text"
    assert error.advice
    everything = "".join(traceback.format_exception(error)) + error.message + error.advice + error.details
    # The test's own call stands in the traceback; the error must not.
    assert "hunter2" not in everything.replace(url, "")


def test_scrub() -> None:
    assert scrub("a secret and secrets", ("secret", "secrets")) == "a … and …"


def test_what_is_postgres(tmp_path: Path) -> None:
    file = tmp_path / "a=b.db"
    file.write_text("")
    assert is_postgres("postgres://x/y")
    assert is_postgres("host=x dbname=y")
    assert not is_postgres(str(file))
    assert not is_postgres("sqlite:///x?mode=ro")
