"""Saved profiles: readable, written whole or not at all, migrated with a backup, and without any secret."""

from __future__ import annotations

import datetime as dt
import os
import stat
import threading
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_desktop import settings
from footnote_desktop.settings import (
    NOT_RECONCILED,
    Confirmation,
    Profile,
    SettingsError,
    choose_profile,
    duplicate_profile,
    edit_profile,
    from_environment,
    last_period_end,
    load_profile,
    new_profile,
    profile_file,
    profile_names,
    profiles_folder,
    remove_profile,
    rename_profile,
    save_profile,
)
from footnote_desktop.settings import files as files_module
from footnote_desktop.settings.redact import REDACTED, redact

URL = "postgresql://reader@erp.example:5433/books?sslmode=verify-full&sslrootcert=/etc/ca.crt"
CONFIRMED = Confirmation("Ada", "2026-08-01T10:00:00.000Z", "compared", "a-record", dt.date(2026, 7, 31))


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


def saved(name: str = "Production", **changes: object) -> Profile:
    profile, _ = new_profile(name, URL)
    profile = replace(profile, **changes)  # type: ignore[arg-type]
    save_profile(profile, new=True)
    return profile


def test_a_profile_comes_back_as_it_was_saved() -> None:
    profile = saved(
        as_of_rule="period_end",
        mapping="Odoo 17",
        documents="/srv/ada/contracts",
        ssh="ada@bastion",
        password_from="keyring",
        actor_label="Ada",
        company="1",
        locale="en_GB",
        aging_bounds=(15, 45),
        writer_override=replace(CONFIRMED, as_of=None),
        tie_out=CONFIRMED,
    )
    assert load_profile("Production") == profile
    assert load_profile("production") == profile  # file systems differ about capitals; we do not
    assert profile_names() == ["Production"]
    data = tomllib.loads(profile_file("Production").read_text())
    assert data["connection"]["host"] == "erp.example"
    assert data["version"] == 1


def test_sample_sqlite_and_fixed_date() -> None:
    base = saved("Files")
    for profile in (
        replace(base, name="One", database_url="/data/erp.sqlite3"),
        replace(base, name="Two", database_url=None, sample="tricky"),
        replace(base, name="Three", as_of=dt.date(2026, 1, 31), as_of_source="the profile", as_of_rule="fixed"),
    ):
        save_profile(profile)
        assert load_profile(profile.name) == profile


def test_the_as_of_rules() -> None:
    assert last_period_end(dt.date(2026, 3, 1)) == dt.date(2026, 2, 28)
    assert last_period_end(dt.date(2024, 3, 31)) == dt.date(2024, 2, 29)
    assert last_period_end(dt.date(2026, 1, 1)) == dt.date(2025, 12, 31)
    today = dt.date.today()
    assert saved("A", as_of_rule="period_end").as_of_today() == (
        last_period_end(today),
        "the last period end before today",
    )
    assert saved("B").as_of_today() == (today, "today")
    assert saved("C", as_of=dt.date(2026, 1, 31), as_of_source="the profile").as_of_today()[1] == "the profile"


def test_unknown_keys_and_comments_stay() -> None:
    profile = saved()
    file = profile_file(profile.name)
    file.write_text(
        "# Ada's own remark\n" + file.read_text() + '\n[from_a_later_version]\nkey = "value"  # why\n', encoding="utf-8"
    )
    save_profile(replace(load_profile(profile.name), locale="fr_FR"))
    text = file.read_text(encoding="utf-8")
    assert "# Ada's own remark" in text
    assert 'key = "value"  # why' in text
    assert load_profile(profile.name).locale == "fr_FR"


def test_what_is_taken_away_is_gone() -> None:
    profile = saved(ssh="bastion", tie_out=CONFIRMED, as_of=dt.date(2026, 1, 1), documents="/d")
    save_profile(replace(profile, ssh=None, tie_out=None, as_of=None, as_of_source="today", documents=None))
    text = profile_file(profile.name).read_text()
    for word in ("bastion", "tie_out", "2026-01-01", "documents"):
        assert word not in text
    save_profile(replace(load_profile(profile.name), database_url="host=other dbname=d"))
    assert "sslmode" not in profile_file(profile.name).read_text()


@pytest.mark.skipif(os.name == "nt", reason="permissions are another matter on Windows")
def test_nobody_else_may_read_it() -> None:
    saved()
    assert stat.S_IMODE(profile_file("Production").stat().st_mode) == 0o600
    assert stat.S_IMODE(profiles_folder().stat().st_mode) == 0o700


def test_a_crash_while_writing_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = saved()
    before = profile_file(profile.name).read_bytes()
    for call in ("fsync", "replace"):

        def crash(*args: object) -> None:
            raise OSError("power cut")

        with monkeypatch.context() as patched:
            patched.setattr(files_module.os, call, crash)
            with pytest.raises(OSError, match="power cut"):
                save_profile(replace(profile, locale="xx_XX"))
        assert profile_file(profile.name).read_bytes() == before
        assert [file.name for file in profiles_folder().iterdir()] == ["Production.toml"]


def test_readers_never_see_half_a_file() -> None:
    profile = saved()
    stop = threading.Event()
    faults: list[Exception] = []

    def read() -> None:
        while not stop.is_set():
            try:
                load_profile("Production")
            except Exception as error:
                faults.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(100):
        save_profile(replace(profile, company="x" * (number * 50)))
    stop.set()
    thread.join()
    assert not faults


# -- secrets -------------------------------------------------------------------------------------------------------


def test_a_password_is_split_off_and_never_written(own_folder: Path) -> None:
    profile, password = new_profile("P", "postgresql://u:s3cr3t%40@h/d?application_name=x")
    assert password == "s3cr3t@"
    assert "s3cr3t" not in repr(profile)
    save_profile(profile)
    for file in own_folder.rglob("*"):
        assert not file.is_file() or b"s3cr3t" not in file.read_bytes()
    for url in ("postgresql://u:s3cr3t@h/d", "host=h password=s3cr3t"):
        with pytest.raises(SettingsError, match="never stores a password") as caught:
            save_profile(replace(profile, database_url=url))
        assert "s3cr3t" not in str(caught.value)
    with pytest.raises(SettingsError) as caught:
        new_profile("P", "postgresql://u:s3cr3t%zz@h/d")
    assert "s3cr3t" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    with pytest.raises(SettingsError, match="sslpassword"):
        new_profile("P", "postgresql://u@h/d?sslpassword=x")


def test_a_file_with_a_password_in_it_is_not_used() -> None:
    saved()
    file = profile_file("Production")
    file.write_text(file.read_text().replace("[connection]", '[connection]\npassword = "s3cr3t"'))
    with pytest.raises(SettingsError, match="never stores a secret") as caught:
        load_profile("Production")
    assert "s3cr3t" not in str(caught.value)


def test_redaction_is_by_a_list_of_what_may_be_shown() -> None:
    data = {
        "locale": "de_DE",
        "log": "/srv/ada/log",
        "connection": {"host": "erp.example", "sslmode": "require", "brand_new_secret": "x"},
        "writer_override": {"by": "Ada", "date": "2026-08-14"},
    }
    assert redact(data) == {
        "locale": "de_DE",
        "log": REDACTED,
        "connection": {"host": REDACTED, "sslmode": "require", "brand_new_secret": REDACTED},
        "writer_override": {"by": REDACTED, "date": "2026-08-14"},
    }


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", " ", "a/b", "..", ".hidden", "-x", "a\\b", "a:b", "con", "LPT1.x", "x.", " x", "x ", "a\nb", "a\x00b",
     "environment", "Sample", "x" * 61, "a\u202eb"],
)  # fmt: skip
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(SettingsError, match="choose another"):
        new_profile(name, URL)
    assert not profiles_folder().exists()


@given(st.text(max_size=70))
def test_no_name_leaves_the_folder(name: str) -> None:
    try:
        file = profile_file(name)
    except SettingsError:
        return
    assert file.parent == profiles_folder()
    assert file.name.endswith(".toml")


@pytest.mark.parametrize("name", ["Müller & Söhne", "売掛金", "Q3 2026 (test)", "a.b"])
def test_names_that_can_be(name: str) -> None:
    saved(name)
    assert profile_names() == [name]
    assert load_profile(name).name == name


# -- listing, copying, removing ------------------------------------------------------------------------------------


def test_a_copy_has_its_own_log_and_no_confirmations() -> None:
    original = saved(tie_out=CONFIRMED, writer_override=CONFIRMED)
    copy = duplicate_profile("Production", "Test")
    assert load_profile("Test") == copy
    assert (copy.tie_out, copy.writer_override) == (None, None)
    assert copy.log != original.log
    with pytest.raises(SettingsError, match="already"):
        duplicate_profile("Production", "test")


def test_another_connection_loses_what_was_confirmed() -> None:
    profile = saved(tie_out=CONFIRMED, writer_override=CONFIRMED)
    assert edit_profile(profile, locale="xx_XX").tie_out == CONFIRMED
    moved = edit_profile(profile, database_url="host=other")
    assert (moved.tie_out, moved.writer_override) == (None, None)
    company = edit_profile(profile, company="2")
    assert (company.tie_out, company.writer_override) == (None, CONFIRMED)


def test_removing_never_removes_a_log(own_folder: Path) -> None:
    log = own_folder / "log.sqlite3"
    log.write_bytes(b"the log")
    saved(log=str(log))
    remove_profile("Production")
    assert profile_names() == []
    assert log.read_bytes() == b"the log"
    with pytest.raises(SettingsError, match="no profile"):
        remove_profile("Production")
    with pytest.raises(SettingsError, match="saved profiles: none yet"):
        load_profile("Production")


def test_renaming_keeps_log_and_remarks() -> None:
    profile = saved()
    file = profile_file("Production")
    file.write_text("# a remark\n" + file.read_text())
    renamed = rename_profile("Production", "Books")
    assert profile_names() == ["Books"]
    assert renamed.log == profile.log
    assert "# a remark" in profile_file("Books").read_text()
    rename_profile("Books", "books")
    assert profile_names() == ["books"]


def test_a_new_one_does_not_overwrite() -> None:
    saved()
    with pytest.raises(SettingsError, match="already"):
        saved("production")


# -- broken and older files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version = 1\n[connection", "not readable TOML"),
        ("\xff".encode("latin-1").decode("latin-1") + "=", "not readable TOML"),
        ("version = 1\n", "connection"),
        ("version = 99\n", "newer version"),
        ('version = 1\nconnection = "x"\n', "not a table"),
        ('version = 1\nlocale = 3\n[connection]\nhost = "x"\n', "locale"),
        ('version = 1\naging_bounds = ["x"]\n[connection]\nhost = "x"\n', "cannot be used"),
        ('version = 1\npassword_from = "post-it"\n[connection]\nhost = "x"\n', "password_from"),
        ('version = 1\n[as_of]\nrule = "fixed"\n[connection]\nhost = "x"\n', "as_of"),
        ('version = 1\n[tie_out]\nby = "Ada"\n[connection]\nhost = "x"\n', "cannot be used"),
        (
            'version = 1\n[tie_out]\nby = ""\nat = "x"\nreason = "x"\nrecord = "x"\n[connection]\nhost = "x"\n',
            "names no person",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text: str, words: str) -> None:
    profiles_folder().mkdir(parents=True)
    (profiles_folder() / "Broken.toml").write_text(text)
    assert profile_names() == ["Broken"]
    with pytest.raises(SettingsError, match=words):
        load_profile("Broken")
    assert (profiles_folder() / "Broken.toml").read_text() == text


def test_an_older_file_is_migrated_and_kept() -> None:
    profiles_folder().mkdir(parents=True)
    old = '# mine\ndatabase_url = "postgresql://u@h/d"\nlocale = "en_GB"\nsomething = 1\n'
    (profiles_folder() / "Old.toml").write_text(old)
    profile = load_profile("Old")
    assert profile.locale == "en_GB"
    assert "host=h" in (profile.database_url or "")
    assert (profiles_folder() / "Old.toml.v0.bak").read_text() == old
    new = (profiles_folder() / "Old.toml").read_text()
    assert "# mine" in new
    assert "something = 1" in new
    assert profile_names() == ["Old"]
    assert load_profile("Old") == profile


def test_an_older_file_with_a_password_is_neither_used_nor_copied() -> None:
    profiles_folder().mkdir(parents=True)
    (profiles_folder() / "Old.toml").write_text('database_url = "postgresql://u:s3cr3t@h/d"\n')
    with pytest.raises(SettingsError, match="password"):
        load_profile("Old")
    assert [file.name for file in profiles_folder().iterdir()] == ["Old.toml"]


# -- choosing ------------------------------------------------------------------------------------------------------


def test_the_environment_goes_before_the_profile() -> None:
    profile = saved(company="1")
    assert choose_profile("Production", {}) == profile
    chosen = choose_profile(
        "Production",
        {"PROVENANCE_DB": "/x.sqlite3", "AS_OF_DATE": "2026-01-31", "FOOTNOTE_COMPANY": "2", "DATABASE_URL": "host=no"},
    )
    assert (chosen.log, chosen.company, chosen.as_of_today()) == (
        "/x.sqlite3",
        "2",
        (dt.date(2026, 1, 31), "AS_OF_DATE"),
    )
    assert chosen.database_url == profile.database_url
    assert choose_profile(None, {}) == from_environment({})


def test_who_has_to_say_not_reconciled() -> None:
    assert saved().reconciliation == NOT_RECONCILED
    assert saved("B", tie_out=CONFIRMED).reconciliation is None
    assert from_environment({}).reconciliation is None
    assert from_environment({"DATABASE_URL": "postgresql://h/d"}).reconciliation == NOT_RECONCILED


def test_who_refuses_writers() -> None:
    assert saved().refuses_writers
    assert not saved("B", writer_override=CONFIRMED).refuses_writers
    assert not from_environment({"DATABASE_URL": "postgresql://h/d"}).refuses_writers


def test_importing_settings_imports_no_driver_and_no_toml_writer() -> None:
    import subprocess
    import sys

    names = ("psycopg", "tomlkit", "keyring")
    code = f"import sys, footnote_desktop.settings; print([m for m in {names} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_everything_that_others_use_is_there() -> None:
    for name in settings.__all__:
        assert hasattr(settings, name)
