"""Opening a profile's database: the gate for roles that can write, passwords, and what was confirmed."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import keyring
import psutil
import psycopg
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from footnote_desktop import secrets
from footnote_desktop.catalog.confirmations import (
    only_recorded,
    tie_out_draft,
    with_tie_out,
    with_writer_override,
    writer_override_draft,
)
from footnote_desktop.catalog.connecting import (
    add_profile,
    check_profile,
    copy_profile,
    delete_profile,
    move_profile,
    open_profile_engine,
    profile_password,
)
from footnote_desktop.catalog.opening import open_catalog
from footnote_desktop.catalog.registry import OPERATIONS
from footnote_desktop.catalog.result import Refusal
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.needs import NEEDS
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.store import open_log
from footnote_desktop.settings import (
    Profile,
    SettingsError,
    data_folder,
    from_environment,
    load_profile,
    new_profile,
    profile_names,
    save_profile,
)

PASSWORD = "c0rrect-h0rse-battery"
ADA = Actor("ada@desk", "controller")


class Memory(KeyringBackend):
    priority = 1  # type: ignore[assignment]
    kept: dict[tuple[str, str], str]

    def __init__(self) -> None:
        self.kept = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[Memory]:
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


@pytest.fixture
def books(pg_database: str) -> Iterator[str]:
    """The URL of a role that can only read; another, ``can_write_…``, can do more."""
    seed_postgres(pg_database, data_folder("migrations"))
    database = urlsplit(pg_database).path[1:]
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC")
        for name in (f"reads_{database}", f"can_write_{database}"):
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
            connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
        connection.execute(f"GRANT UPDATE (paid_cents) ON invoices TO can_write_{database}")
        yield as_user(pg_database, f"reads_{database}")
        for name in (f"reads_{database}", f"can_write_{database}"):
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


def as_user(url: str, user: str) -> str:
    split = urlsplit(url)
    return split._replace(netloc=f"{user}@{split.hostname}:{split.port}").geturl()


def writer_of(books: str) -> str:
    return as_user(books, (urlsplit(books).username or "").replace("reads_", "can_write_"))


def overdue(profile: Profile) -> object:
    catalog = open_catalog(profile, lambda: None)  # type: ignore[arg-type, return-value]
    try:
        return catalog.run("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": "2026-08-14"}).values[
            "totalOutstandingCents"
        ]
    finally:
        catalog.close()


# -- the gate ------------------------------------------------------------------------------------------------------


def test_a_saved_profile_with_a_role_that_can_write_is_refused(home: Path, books: str) -> None:
    profile, _ = new_profile("Books", writer_of(books))
    save_profile(profile)
    with pytest.raises(Refusal, match="can do more than read") as caught:
        overdue(load_profile("Books"))
    assert "No figure is given" in str(caught.value)
    good, _ = new_profile("Good", books)
    assert overdue(good) == 4380500


def test_the_gate_stands_on_every_new_connection(home: Path, books: str, pg_url: str) -> None:
    """A right that was granted later is found when the connection is opened again."""
    profile, _ = new_profile("Books", books)
    engine = open_profile_engine(profile)
    with engine.snapshot() as snapshot:
        pid = snapshot.query("SELECT pg_backend_pid()", {}).rows[0][0]
    admin = urlsplit(pg_url)._replace(path=urlsplit(books).path).geturl()
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"GRANT DELETE ON invoices TO {urlsplit(books).username}")  # type: ignore[arg-type]
        connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
    with pytest.raises(EngineError) as caught, engine.snapshot():
        pass
    assert caught.value.kind == "writer"
    engine.close()


def test_with_a_recorded_override_it_is_used(home: Path, books: str) -> None:
    profile, _ = new_profile("Books", writer_of(books))
    report = check_profile(profile)
    assert report.can_write
    assert not report.ok
    log = open_log(str(home / "log.sqlite3"))
    findings = [item.sentence for item in report.items if item.state == "fail"]
    record = log.append(writer_override_draft(profile, ADA, by="Ada", reason="IT needs until May", findings=findings))
    allowed = with_writer_override(profile, record)
    save_profile(allowed)
    loaded = load_profile("Books")
    assert loaded == allowed
    assert overdue(only_recorded(loaded, log.get)) == 4380500
    assert "IT needs until May" in record.answer
    assert record.operations[0]["arguments"]["findings"]
    log.close()


def test_an_override_that_no_log_holds_is_none(home: Path, books: str) -> None:
    profile, _ = new_profile("Books", writer_of(books))
    log = open_log(str(home / "log.sqlite3"))
    record = log.append(writer_override_draft(profile, ADA, by="Ada", reason="because", findings=[]))
    allowed = with_writer_override(profile, record)
    assert allowed.writer_override is not None
    forged = replace(allowed, writer_override=replace(allowed.writer_override, record="made-up"))
    elsewhere = replace(allowed, database_url="host=production dbname=books")
    for bad in (forged, elsewhere):
        checked = only_recorded(bad, log.get)
        assert checked.writer_override is None
        assert checked.refuses_writers
    log.close()


def test_what_the_environment_names_is_not_gated(books: str) -> None:
    profile = from_environment({"DATABASE_URL": writer_of(books)})
    assert overdue(profile) == 4380500


# -- tie-out -------------------------------------------------------------------------------------------------------


def test_a_tie_out_is_a_record(home: Path, books: str) -> None:
    profile, _ = new_profile("Books", books)
    assert profile.reconciliation == "not reconciled to the ledger"
    control = [{"company": "1", "currency": "EUR", "items": "10.00", "ledger": "10.00", "difference": "0.00"}]
    day = dt.date(2026, 7, 31)
    log = open_log(str(home / "log.sqlite3"))
    draft = tie_out_draft(profile, ADA, by="Ada Lovelace", as_of=day, control=control)
    record = log.append(draft)
    confirmed = with_tie_out(profile, record)
    save_profile(confirmed)
    loaded = load_profile("Books")
    assert loaded.reconciliation is None
    assert loaded.tie_out is not None
    assert (loaded.tie_out.by, loaded.tie_out.as_of, loaded.tie_out.record) == ("Ada Lovelace", day, record.id)
    assert only_recorded(loaded, log.get) == loaded
    assert only_recorded(loaded, lambda _: None).reconciliation is not None
    assert "They agree." in record.answer
    control[0] |= {"ledger": "9.00", "difference": "1.00"}
    assert "They differ in 1 of 1 cases." in tie_out_draft(profile, ADA, by="A", as_of=day, control=control).answer
    with pytest.raises(SettingsError, match="who compared"):
        tie_out_draft(profile, ADA, by=" ", as_of=day, control=control)
    with pytest.raises(SettingsError, match="nothing was compared"):
        tie_out_draft(profile, ADA, by="A", as_of=day, control=[])
    with pytest.raises(SettingsError, match="not a confirmation"):
        with_writer_override(profile, record)
    log.close()


# -- passwords -----------------------------------------------------------------------------------------------------


def test_the_password_is_asked_for_only_where_the_profile_says(home: Path, ring: Memory, books: str) -> None:
    profile, _ = new_profile("Books", books, password_from="keyring")
    with pytest.raises(EngineError) as caught:
        profile_password(profile)
    assert caught.value.kind == "password"
    secrets.set_password("Books", PASSWORD)
    assert profile_password(profile) == PASSWORD
    assert profile_password(replace(profile, saved=False)) is None


def test_the_password_is_in_no_file_no_argument_and_no_environment(
    home: Path, ring: Memory, books: str, capfd: pytest.CaptureFixture[str]
) -> None:
    from footnote_desktop.answers.desk import open_desk

    split = urlsplit(books)
    url = split._replace(netloc=f"{split.username}:{PASSWORD}@{split.hostname}:{split.port}").geturl()
    profile, password = new_profile("Books", url, password_from="keyring")
    assert password == PASSWORD
    secrets.set_password(profile.name, password)
    save_profile(profile)
    report = check_profile(load_profile("Books"))
    assert report.ok, report.to_text()
    desk = open_desk(load_profile("Books"))
    reply = desk.ask("What does Bergmann owe?", as_of=dt.date(2026, 8, 14))
    assert not reply.refused, reply.reason
    written = [str(report.to_json()), report.to_text(), str(reply.to_ask_json()), *capfd.readouterr()]
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # a server's processes come and go
            written += [" ".join(process.cmdline()), *process.environ().values()]
    desk.close()
    files = [file for file in home.rglob("*") if file.is_file()]
    assert any(file.suffix == ".toml" for file in files)
    assert any("sqlite3" in file.name for file in files)
    for file in files:
        assert PASSWORD.encode() not in file.read_bytes(), file
    for text in written:
        assert PASSWORD not in text
    assert PASSWORD not in "".join(os.environ.values())
    assert list(ring.kept.values()) == [PASSWORD]


def test_profiles_and_passwords_go_together(home: Path, ring: Memory) -> None:
    profile, password = new_profile("One", "postgresql://u:s3cr3t@h/d", password_from="keyring")
    add_profile(profile, password)
    with pytest.raises(SettingsError, match="already"):
        add_profile(profile, password)
    copy_profile("one", "Two")
    move_profile("One", "Three")
    assert ring.kept == {("Footnote", "Two"): "s3cr3t", ("Footnote", "Three"): "s3cr3t"}
    assert profile_names() == ["Three", "Two"]
    log = Path(load_profile("Three").log)
    log.parent.mkdir(parents=True)
    log.write_bytes(b"the log")
    assert delete_profile("Three").log == str(log)
    assert log.read_bytes() == b"the log"
    assert ring.kept == {("Footnote", "Two"): "s3cr3t"}
    with pytest.raises(SettingsError, match="where the password is to be kept"):
        add_profile(replace(profile, name="Four", password_from="libpq"), password)
    add_profile(replace(profile, name="Four", password_from="ask"), "typed")
    assert profile_password(load_profile("Four")) == "typed"
    secrets.forget("Four")


def test_a_password_that_is_not_kept_saves_no_profile(home: Path, ring: Memory) -> None:
    keyring.set_keyring(fail.Keyring())
    profile, password = new_profile("One", "postgresql://u:s3cr3t@h/d", password_from="keyring")
    with pytest.raises(secrets.SecretError):
        add_profile(profile, password)
    assert profile_names() == []


# -- what each operation needs -------------------------------------------------------------------------------------


def test_the_check_knows_what_each_operation_reads() -> None:
    from footnote_desktop.catalog.reading import Reading

    assert set(NEEDS) == set(OPERATIONS)
    read: dict[str, set[str]] = {name: set() for name in OPERATIONS}
    current = ""
    original = Reading.select

    def recording(self: Reading, purpose: str, relations: tuple[str, ...], *args: object, **kwargs: object) -> object:
        read[current].update(relations)
        return original(self, purpose, relations, *args, **kwargs)  # type: ignore[arg-type]

    arguments: dict[str, dict[str, object]] = {
        "findCustomers": {"query": "Berg"},
        "getInvoice": {"number": "INV-2026-8812"},
        "getCustomerStatement": {"customer": "Bergmann", "fromDate": "2026-01-01", "toDate": "2026-08-14"},
        "getReceivablesAging": {},
        "getTopDebtors": {},
    }
    catalog = open_catalog(from_environment({}), lambda: None)  # type: ignore[arg-type, return-value]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reading, "select", recording)
        for name in OPERATIONS:
            if name == "verifyProvenanceChain":
                continue
            current = name
            catalog.run(name, arguments.get(name, {"customer": "Bergmann"}))
    catalog.close()
    assert read == {name: set(needs) for name, needs in NEEDS.items()}
