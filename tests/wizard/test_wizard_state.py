"""Every branch of the wizard, without Qt."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from footnote_desktop import secrets
from footnote_desktop.desktop.wizard.draft import discard_draft, draft_file, for_the_log, keep_draft, read_draft
from footnote_desktop.desktop.wizard.finish import finish
from footnote_desktop.desktop.wizard.preview import Preview, look
from footnote_desktop.desktop.wizard.state import Page, Wizard
from footnote_desktop.erp.report import CheckItem, CheckReport
from footnote_desktop.erp.sample import write_file
from footnote_desktop.provenance.store import open_log
from footnote_desktop.settings import SettingsError, data_folder, load_profile, new_profile, profile_names, save_profile

URL = "postgresql://reader@erp.example/books"
GOOD = CheckReport([CheckItem("role", "pass", "It can read.", stage="role"), CheckItem("data", "pass", "All there.")])
WRITER = CheckReport(
    [CheckItem("role", "fail", "It can write.", "Run the SQL.", stage="role"), CheckItem("data", "pass", "All there.")]
)
UNKNOWN = CheckReport([CheckItem("role", "unchecked", "It cannot be asked.", stage="role")])
BROKEN = CheckReport([CheckItem("TCP", "fail", "Nothing listens there.", "Check the port.", stage="TCP")])
LOG_ONLY = CheckReport([*GOOD.items, CheckItem("log location", "unchecked", "No place.", stage="log location")])
FOUND = Preview("Sample schema", "Sample company", 5, 11, (), "2026-08-14", "today")


class Memory(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def ring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def at(page: Page, report: CheckReport | None = GOOD) -> Wizard:
    """A wizard that was led to that page."""
    wizard = Wizard()
    wizard.set(source="database", url=URL, password="s3cr3t", name="Books")
    while wizard.page is not page:
        if wizard.page is Page.TEST and report is not None:
            assert wizard.finish_test(wizard.start_test(), report)
        if wizard.page is Page.ERP:
            assert wizard.finish_preview(wizard.generation, FOUND)
        wizard.next()
    return wizard


def stuck(wizard: Wizard) -> str:
    """Why it cannot go on."""
    page = wizard.page
    with pytest.raises(SettingsError) as caught:
        wizard.next()
    assert wizard.page is page
    assert wizard.missing()
    return str(caught.value)


def test_it_imports_no_qt() -> None:
    code = (
        "import sys, footnote_desktop.desktop.wizard.draft, footnote_desktop.desktop.wizard.finish;"
        "print([m for m in sys.modules if 'PySide' in m])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_sample_data_needs_no_connection() -> None:
    wizard = Wizard()
    assert "Choose" in stuck(wizard)
    wizard.set(source="sample", name="Try it")
    assert [wizard.next(), wizard.next(), wizard.next()] == [Page.LOG, Page.CLIENT, Page.DONE]
    profile = finish(wizard)
    assert (profile.sample, profile.database_url) == ("sample", None)
    assert load_profile("Try it") == profile
    assert not wizard.can_go_back
    assert "last page" in stuck(wizard)


def test_a_database_from_start_to_end(ring: Memory) -> None:
    wizard = at(Page.DONE)
    profile = finish(wizard)
    assert ring.kept == {("Footnote", "Books"): "s3cr3t"}
    assert load_profile("Books") == profile
    assert profile.refuses_writers
    assert profile.password_from == "keyring"


def test_the_connection_page() -> None:
    wizard = at(Page.CONNECTION)
    wizard.set(url="")
    assert "Give the connection" in stuck(wizard)
    wizard.set(url="postgresql://u:hunter2%zz@h/d")
    assert "cannot be read" in stuck(wizard)
    assert "hunter2" not in " ".join(wizard.missing())
    wizard.set(url="service=no-such-service")
    assert "service" in stuck(wizard)
    wizard.set(url="/data/erp.sqlite3", password="")
    assert wizard.missing() == []
    wizard.set(url=URL, password="x", password_from="libpq")
    assert "where the password is to be kept" in stuck(wizard)
    wizard.set(password_from="ask")
    assert wizard.next() is Page.TEST


def test_without_a_keyring_the_other_ways_are_named() -> None:
    keyring.set_keyring(fail.Keyring())
    wizard = at(Page.CONNECTION)
    for word in ("pgpass", "service file", "ask"):
        assert word in stuck(wizard)
    wizard.set(password_from="ask")
    assert wizard.next() is Page.TEST


def test_a_password_in_a_pasted_url_is_taken_out() -> None:
    wizard = Wizard()
    wizard.set(source="database", url="  postgresql://u:p%40ss@h:5433/d  ")
    assert wizard.typed.password == "p@ss"
    assert "p@ss" not in wizard.typed.url
    assert "p%40ss" not in wizard.typed.url
    assert "p@ss" not in repr(wizard.typed)
    assert "port=5433" in wizard.typed.url


def test_the_test_page() -> None:
    wizard = at(Page.TEST)
    assert "Run the test first" in stuck(wizard)
    generation = wizard.start_test()
    assert "is running" in stuck(wizard)
    wizard.cancel_test()
    assert not wizard.finish_test(generation, GOOD)
    assert "Run the test first" in stuck(wizard)
    assert wizard.finish_test(wizard.start_test(), replace(GOOD, cancelled=True))
    assert "Run the test first" in stuck(wizard)
    assert wizard.finish_test(wizard.start_test(), GOOD)
    assert wizard.next() is Page.RESULT


def test_a_late_reply_is_dropped() -> None:
    wizard = at(Page.TEST)
    generation = wizard.start_test()
    wizard.set(url="postgresql://reader@other.example/books")
    assert not wizard.finish_test(generation, GOOD)
    assert wizard.replies.report is None
    wizard = at(Page.ERP)
    generation = wizard.generation
    wizard.set(ssh="bastion")
    assert not wizard.finish_preview(generation, FOUND)


def test_going_back_from_a_running_test_cancels_it() -> None:
    wizard = at(Page.TEST)
    generation = wizard.start_test()
    assert wizard.back() is Page.CONNECTION
    assert not wizard.finish_test(generation, GOOD)


def test_a_failed_check_stops_here() -> None:
    wizard = at(Page.RESULT, BROKEN)
    assert "Nothing listens there. Check the port." in stuck(wizard)
    wizard.set(override_by="Ada", override_reason="because")
    assert stuck(wizard)


def test_a_role_that_can_write_needs_a_name_and_a_reason() -> None:
    wizard = at(Page.RESULT, WRITER)
    assert wizard.needs_override
    assert "both are recorded" in stuck(wizard)
    wizard.set(override_by="Ada")
    assert stuck(wizard)
    wizard.set(override_reason="until IT has made the role")
    assert wizard.next() is Page.ERP
    wizard.finish_preview(wizard.generation, FOUND)
    for _ in range(3):
        wizard.next()
    profile = finish(wizard)
    assert not profile.refuses_writers
    assert profile.writer_override is not None
    log = open_log(profile.log)
    record = log.get(profile.writer_override.record)
    assert record is not None
    assert record.operations[0]["arguments"]["findings"] == ["It can write."]
    assert "until IT has made the role" in record.answer
    log.close()


def test_an_override_does_not_outlive_its_connection() -> None:
    wizard = at(Page.RESULT, WRITER)
    wizard.set(override_by="Ada", override_reason="because")
    wizard.set(url="postgresql://reader@production.example/books")
    assert (wizard.typed.override_by, wizard.typed.override_reason) == ("", "")
    assert "Run the test first" in stuck(wizard)


def test_a_role_that_cannot_be_judged_stops_here() -> None:
    assert "could not be shown" in stuck(at(Page.RESULT, UNKNOWN))


def test_the_logs_place_is_judged_on_its_own_page() -> None:
    assert at(Page.RESULT, LOG_ONLY).next() is Page.ERP


def test_the_erp_page() -> None:
    wizard = at(Page.ERP)
    assert "being read" in stuck(wizard)
    wizard.finish_preview(wizard.generation, None, "No figure is given: it is locked.")
    assert "it is locked" in stuck(wizard)
    wizard.finish_preview(wizard.generation, FOUND)
    wizard.set(company="2")  # other company, other figures
    assert "being read" in stuck(wizard)
    wizard.finish_preview(wizard.generation, FOUND)
    assert wizard.next() is Page.LOG


def test_the_log_page(tmp_path: Path) -> None:
    wizard = at(Page.LOG)
    wizard.set(name="a/b")
    assert "choose another" in stuck(wizard)
    save_profile(new_profile("Books", URL)[0])
    wizard.set(name="books")
    assert "already" in stuck(wizard)
    wizard.set(name="Other", log=URL)
    assert "the very database" in stuck(wizard)
    wizard.set(log=str(tmp_path / "log.sqlite3"))
    assert wizard.next() is Page.CLIENT


def test_back_and_forth_loses_nothing() -> None:
    wizard = at(Page.DONE)
    wizard = at(Page.CLIENT)
    wizard.set(clients=("claude-desktop",), documents="/contracts", as_of_rule="period_end")
    typed, replies = wizard.typed, wizard.replies
    pages = [wizard.page]
    while wizard.can_go_back:
        pages.append(wizard.back())
    assert pages == [Page.CLIENT, Page.LOG, Page.ERP, Page.RESULT, Page.TEST, Page.CONNECTION, Page.START]
    assert wizard.back() is Page.START
    for expected in reversed(pages[:-1]):
        assert wizard.next() is expected
    assert (wizard.typed, wizard.replies) == (typed, replies)


def test_choosing_sample_after_all_forgets_the_connections_report_but_not_what_was_typed() -> None:
    wizard = at(Page.ERP)
    while wizard.can_go_back:
        wizard.back()
    wizard.set(source="sample")
    assert wizard.next() is Page.LOG
    assert wizard.typed.url == URL
    profile, password = wizard.profile()
    assert (profile.sample, password) == ("sample", None)


def test_when_nothing_could_be_kept_nothing_is_saved() -> None:
    wizard = at(Page.DONE)
    keyring.set_keyring(fail.Keyring())
    with pytest.raises(secrets.SecretError):
        finish(wizard)
    assert profile_names() == []


# -- drafts --------------------------------------------------------------------------------------------------------


def test_a_draft_goes_on_where_it_was_without_the_password() -> None:
    assert not Wizard().worth_keeping
    assert read_draft() is None
    wizard = at(Page.RESULT, WRITER)
    wizard.set(override_by="Ada", override_reason="because", clients=("zed",), as_of_rule="period_end")
    assert wizard.worth_keeping
    keep_draft(wizard)
    text = draft_file().read_text()
    for word in ("s3cr3t", "Ada", "because"):
        assert word not in text
    again = read_draft()
    assert again is not None
    assert again.page is Page.CONNECTION
    assert again.typed == replace(wizard.typed, password="", override_by="", override_reason="")
    assert again.replies.report is None
    discard_draft()
    discard_draft()
    assert read_draft() is None
    assert profile_names() == []


def test_a_draft_with_a_connection_that_cannot_be_read_leaves_it_out() -> None:
    wizard = Wizard()
    wizard.set(source="database", url="postgresql://u:hunter2%zz@h/d", name="Books")
    keep_draft(wizard)
    assert "hunter2" not in draft_file().read_text()
    assert "Books" in draft_file().read_text()


@pytest.mark.parametrize(
    "text", ["not toml [", 'source = 3\nunknown = "x"\n', "\x00", 'source = "x"\nas_of_rule = "y"\n']
)
def test_a_broken_draft_is_no_draft_or_an_empty_one(text: str) -> None:
    draft_file().parent.mkdir(parents=True, exist_ok=True)
    draft_file().write_text(text)
    wizard = read_draft()
    assert wizard is None or wizard.page is Page.START


def test_what_a_log_may_say() -> None:
    shown = for_the_log(at(Page.RESULT, WRITER))
    text = str(shown)
    for word in ("erp.example", "s3cr3t", "Books"):
        assert word not in text
    assert shown["page"] == "result"
    assert shown["password_from"] == "keyring"


# -- what is found -------------------------------------------------------------------------------------------------


def test_what_is_found_in_a_database(tmp_path: Path) -> None:
    file = tmp_path / "erp.sqlite3"
    write_file(data_folder("migrations"), file)
    wizard = Wizard()
    wizard.set(source="database", url=str(file), name="File")
    profile, password = wizard.profile()
    preview = look(profile, password, refuse_writers=True)
    assert (preview.erp, preview.customers, preview.open_invoices) == ("Sample schema", 5, 11)
    assert len(preview.figures) == 3
    assert preview.figures[0].shown.endswith("€")
    assert profile_names() == []
