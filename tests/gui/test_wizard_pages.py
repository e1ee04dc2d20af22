"""The wizard's pages, without a screen: what they show and hand over, and that nothing waits in the GUI thread."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import keyring
import psycopg
import pytest
from fake_desk import FakeBackend, overdue_reply, sample_profile
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QPlainTextEdit

from footnote_desktop import secrets
from footnote_desktop.desktop.desk_backend import DeskBackend
from footnote_desktop.desktop.wizard import work as work_module
from footnote_desktop.desktop.wizard.dialog import STEPS, WizardDialog
from footnote_desktop.desktop.wizard.draft import draft_file, read_draft
from footnote_desktop.desktop.wizard.preview import Figure, Preview
from footnote_desktop.desktop.wizard.state import Page, Wizard, edit
from footnote_desktop.erp.check import Cancelled
from footnote_desktop.erp.report import CheckItem, CheckReport, Serving
from footnote_desktop.erp.sample import seed_postgres, write_file
from footnote_desktop.settings import Confirmation, data_folder, load_profile, new_profile, profile_names, save_profile

pytestmark = pytest.mark.gui

URL = "postgresql://reader@erp.example/books"
SQL = "CREATE ROLE footnote LOGIN;\nGRANT SELECT ON ALL TABLES IN SCHEMA public TO footnote;"
ITEMS = [
    CheckItem("name resolution", "pass", "erp.example is 192.0.2.7.", ms=3, stage="name resolution"),
    CheckItem("TCP", "pass", "Something listens there.", ms=8, stage="TCP"),
    CheckItem("TLS", "warn", "It is encrypted, but the name is not checked.", "Give a CA file.", 21, "TLS"),
    CheckItem("login", "pass", "Logged in as reader.", ms=12, stage="login", details="SCRAM-SHA-256"),
    CheckItem("server and version", "pass", "PostgreSQL 15.4.", ms=1, stage="server and version"),
    CheckItem("role", "pass", "It can only read.", ms=9, stage="role"),
    CheckItem("session", "pass", "Transactions are read-only.", ms=2, stage="session"),
    CheckItem("schema", "pass", "The tables are those of Sample schema.", ms=5, stage="schema"),
    CheckItem("data", "pass", "Everything can be read.", ms=7, stage="data"),
    CheckItem("log location", "pass", "The log is elsewhere.", ms=0, stage="log location"),
]
GOOD = CheckReport(ITEMS, operations=[Serving("getInvoice", True), Serving("getOpenTickets", False, "no tickets")])
WRITES = CheckItem("role", "fail", "It can write to invoices.", "Let IT run the SQL below.", 9, "role")
WRITER = CheckReport([WRITES if item.name == "role" else item for item in ITEMS], role_sql=SQL)
FOUND = Preview(
    "Sample schema",
    "Sample company",
    5,
    11,
    (Figure("Open receivables in EUR", "54.805,00\u00a0€"), Figure("Owed by Bergmann", "43.805,00\u00a0€")),
    "2026-08-14",
    "today",
)


class Memory(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError


@pytest.fixture(autouse=True)
def ring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[CheckReport]:
    """What the check finds, without a server; the last one is found again and again."""
    found = [GOOD]

    def check(profile, *, password, progress, cancel):
        report = found[0] if len(found) == 1 else found.pop(0)
        for item in report.items:
            progress(item)
        return report

    monkeypatch.setattr(work_module, "check_profile", check)
    monkeypatch.setattr(work_module, "look", lambda *_, **__: FOUND)
    return found


@pytest.fixture
def dialog(qtbot, themed) -> Iterator[Callable[..., WizardDialog]]:
    opened: list[WizardDialog] = []

    def make(wizard: Wizard | None = None) -> WizardDialog:
        made = WizardDialog(wizard)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        made.ask_draft = lambda: "discard"  # type: ignore[method-assign]
        qtbot.addWidget(made)
        made.show()
        opened.append(made)
        return made

    yield make
    for one in opened:
        one.work.stop()


def press(qtbot, button: QAbstractButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def to_connection(qtbot, made: WizardDialog, url: str = "postgresql://reader:s3cr%20t@erp.example/books") -> None:
    press(qtbot, made.pages[Page.START].buttons["database"])
    press(qtbot, made.next)
    assert made.wizard.page is Page.CONNECTION
    page = made.pages[Page.CONNECTION]
    QApplication.clipboard().setText(url)
    page.line.paste()
    if not url:
        page.line.clear()


def to_result(qtbot, made: WizardDialog) -> None:
    to_connection(qtbot, made)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.report is not None)
    press(qtbot, made.next)
    assert made.wizard.page is Page.RESULT


def test_from_the_first_page_to_the_last(qtbot, dialog, reports, ring: Memory) -> None:
    made = dialog()
    assert [step.text()[3:] for step in made.steps.values()] == list(STEPS.values())
    press(qtbot, made.next)
    assert "Choose sample data or your database." in made.why.text()
    to_result(qtbot, made)
    press(qtbot, made.next)
    erp = made.pages[Page.ERP]
    qtbot.waitUntil(lambda: made.wizard.replies.preview is not None)
    assert "5 customers, 11 open invoices" in erp.words.text()
    assert erp.figures.itemAtPosition(0, 1).widget().text() == "54.805,00\u00a0€"
    press(qtbot, made.next)
    log = made.pages[Page.LOG]
    assert log.name.text() == "Books"
    assert log.log.placeholderText().endswith(".sqlite3")
    press(qtbot, made.next)
    assert 'footnote serve --profile "Books"' in made.pages[Page.CLIENT].command.text()
    assert made.next.text() == "Save"
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.page is Page.DONE)
    assert not made.back.isEnabled()
    with qtbot.waitSignal(made.saved) as saved:
        press(qtbot, made.next)
    assert saved.args[0].name == "Books"
    assert load_profile("Books").password_from == "keyring"
    assert ring.kept == {("Footnote", "Books"): "s3cr t"}


def test_a_pasted_line_becomes_fields_and_loses_its_password(qtbot, dialog) -> None:
    made = dialog()
    to_connection(
        qtbot, made, "postgresql://reader:s3cr%20t@erp.example:5433/books?sslmode=verify-full&application_name=x"
    )
    page = made.pages[Page.CONNECTION]
    assert {key: field.text() for key, field in page.fields.items()} == {
        "host": "erp.example", "port": "5433", "dbname": "books", "user": "reader", "sslrootcert": "",
    }  # fmt: skip
    assert page.ssl.currentData() == "verify-full"
    assert "s3cr" not in page.line.text()
    assert page.password.text() == "s3cr t"
    assert page.password.echoMode() == QLineEdit.EchoMode.Password
    assert page.other.text() == "Also: application_name = x"
    press(qtbot, page.reveal)
    assert page.password.echoMode() == QLineEdit.EchoMode.Normal


def test_fields_become_a_line(qtbot, dialog) -> None:
    made = dialog()
    to_connection(qtbot, made, "")
    page = made.pages[Page.CONNECTION]
    qtbot.keyClicks(page.fields["host"], "erp.example")
    qtbot.keyClicks(page.fields["dbname"], "my books")
    qtbot.keyClicks(page.fields["user"], "reader")
    assert page.line.text() == "user=reader dbname='my books' host=erp.example"
    page.fields["user"].selectAll()
    qtbot.keyClick(page.fields["user"], Qt.Key.Key_Backspace)
    assert made.wizard.typed.url == "dbname='my books' host=erp.example"


def test_a_line_that_cannot_be_read_says_so_without_repeating_it(qtbot, dialog) -> None:
    made = dialog()
    to_connection(qtbot, made, "postgresql://reader:s3cr3t@[erp/books")
    press(qtbot, made.next)
    assert made.wizard.page is Page.CONNECTION
    said = made.pages[Page.CONNECTION].fault.text() + made.why.text()
    assert "cannot be read" in said
    assert "s3cr3t" not in said


def test_back_loses_nothing(qtbot, dialog, reports) -> None:
    made = dialog()
    to_result(qtbot, made)
    typed, report = made.wizard.typed, made.wizard.replies.report
    for expected in (Page.TEST, Page.CONNECTION, Page.START):
        press(qtbot, made.back)
        assert made.wizard.page is expected
    for expected in (Page.CONNECTION, Page.TEST, Page.RESULT):
        press(qtbot, made.next)
        assert made.wizard.page is expected
    assert (made.wizard.typed, made.wizard.replies.report) == (typed, report)
    assert made.pages[Page.CONNECTION].password.text() == "s3cr t"


def test_the_stages_appear_as_they_finish_and_can_be_cancelled(qtbot, dialog, monkeypatch) -> None:
    go, ended = threading.Event(), threading.Event()

    def check(profile, *, password, progress, cancel):
        progress(ITEMS[0])
        progress(ITEMS[1])
        while not cancel():
            time.sleep(0.01)
        ended.set()
        go.wait(5)
        return CheckReport(ITEMS[:2], cancelled=True)

    monkeypatch.setattr(work_module, "check_profile", check)
    made = dialog()
    to_connection(qtbot, made)
    press(qtbot, made.next)
    page = made.test_page
    qtbot.waitUntil(lambda: page.rows["TCP"].state.text() == "passed")
    assert page.rows["name resolution"].sentence.text() == "erp.example is 192.0.2.7."
    assert page.rows["TLS"].state.text() == "running"
    assert page.rows["login"].state.text() == "not checked"
    assert not made.next.isEnabled()
    press(qtbot, page.cancel)
    assert not made.wizard.testing
    assert page.rows["TLS"].state.text() == "not checked"
    assert page.again.isVisible()
    qtbot.waitUntil(ended.is_set)
    go.set()
    qtbot.wait(50)
    assert made.wizard.replies.report is None


def test_a_server_that_never_answers_holds_up_nothing(qtbot, dialog, monkeypatch) -> None:
    hung = threading.Event()

    def check(profile, **_):
        hung.wait(10)
        raise Cancelled

    monkeypatch.setattr(work_module, "check_profile", check)
    made = dialog()
    to_connection(qtbot, made)
    beats: list[float] = []
    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    press(qtbot, made.next)
    timer.start()
    qtbot.wait(400)
    press(qtbot, made.test_page.cancel)
    press(qtbot, made.back)
    qtbot.wait(100)
    timer.stop()
    gaps = [after - before for before, after in itertools.pairwise(beats)]
    assert sorted(gaps)[-2] < 0.05  # one may be the machine's
    monkeypatch.setattr(work_module, "check_profile", lambda profile, **_: GOOD)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.report is GOOD)  # while the first one still hangs
    hung.set()


def test_a_mistake_in_the_check_leaves_no_page_waiting(qtbot, dialog, monkeypatch) -> None:
    def check(profile, **_):
        raise ZeroDivisionError

    monkeypatch.setattr(work_module, "check_profile", check)
    made = dialog()
    to_connection(qtbot, made)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: not made.wizard.testing)
    assert "ZeroDivisionError" in made.test_page.rows["login"].sentence.text()


def test_a_role_that_can_write_shows_the_sql_and_asks_who_decides(qtbot, dialog, reports) -> None:
    reports[:] = [WRITER]
    made = dialog()
    to_result(qtbot, made)
    page = made.result_page
    assert page.sql.toPlainText() == SQL
    press(qtbot, page.copy)
    assert QApplication.clipboard().text() == SQL
    press(qtbot, made.next)
    assert made.wizard.page is Page.RESULT
    assert "The role can do more than read" in made.why.text()
    qtbot.keyClicks(page.by, "Ada")
    qtbot.keyClicks(page.reason, "IT needs until May")
    press(qtbot, made.next)
    assert made.wizard.page is Page.ERP
    press(qtbot, made.back)
    assert page.by.text() == "Ada"


def test_details_open_on_request(qtbot, dialog, reports) -> None:
    made = dialog()
    to_result(qtbot, made)
    login = next(w for w in made.result_page.findChildren(QPlainTextEdit) if w.accessibleName() == "Details of login")
    assert not login.isVisible()
    line = login.parent()
    qtbot.waitUntil(line.open.isVisible)
    press(qtbot, line.open)
    assert login.isVisible()
    assert login.toPlainText() == "SCRAM-SHA-256"


def test_another_day_is_looked_at_again(qtbot, dialog, reports, monkeypatch) -> None:
    made = dialog()
    to_result(qtbot, made)
    rules: list[str] = []
    monkeypatch.setattr(work_module, "look", lambda profile, *_, **__: rules.append(profile.as_of_rule) or FOUND)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.preview is not None)
    rule = made.pages[Page.ERP].rule
    rule.setCurrentIndex(1)
    rule.activated.emit(1)
    qtbot.waitUntil(lambda: made.wizard.replies.preview is not None)
    assert rules == ["today", "period_end"]


def test_sample_data_is_three_pages(qtbot, dialog) -> None:
    made = dialog()
    press(qtbot, made.pages[Page.START].buttons["tricky"])
    press(qtbot, made.next)
    assert made.wizard.page is Page.LOG
    press(qtbot, made.next)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.page is Page.DONE)
    assert load_profile("Looking around").sample == "tricky"


def test_what_cannot_be_saved_is_said_and_can_be_put_right(qtbot, dialog, monkeypatch) -> None:
    made = dialog()
    press(qtbot, made.pages[Page.START].buttons["sample"])
    press(qtbot, made.next)
    press(qtbot, made.next)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(work_module, "finish", full)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: "No space left" in made.why.text())
    assert made.wizard.page is Page.CLIENT
    assert made.next.isEnabled()


@pytest.mark.parametrize(
    ("answer", "kept", "closed"),
    [("keep", True, True), ("discard", False, True), ("stay", False, False)],
)
def test_closing_half_way_offers_a_draft(qtbot, dialog, answer: str, kept: bool, closed: bool) -> None:
    made = dialog()
    to_connection(qtbot, made)
    made.ask_draft = lambda: answer
    made.close()
    qtbot.waitUntil(lambda: made.isVisible() != closed)
    qtbot.wait(20)
    assert made.isVisible() != closed
    assert draft_file().exists() == kept
    if kept:
        assert "s3cr" not in draft_file().read_text()
        again = dialog(read_draft())
        assert again.wizard.page is Page.CONNECTION
        assert again.pages[Page.CONNECTION].fields["host"].text() == "erp.example"


def test_closing_at_once_asks_nothing(qtbot, dialog) -> None:
    made = dialog()
    made.ask_draft = lambda: pytest.fail("asked")
    made.reject()
    assert not made.isVisible()


def test_every_control_has_a_name(qtbot, dialog, reports) -> None:
    reports[:] = [WRITER]
    made = dialog()
    to_result(qtbot, made)
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox)
    nameless = [
        widget
        for kind in kinds
        for widget in made.findChildren(kind)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text().strip()))
    ]
    assert not nameless


def test_a_profile_is_changed(qtbot, dialog, reports, ring: Memory) -> None:
    profile, _ = new_profile("Books", URL, password_from="keyring", locale="en_US", as_of_rule="period_end")
    save_profile(profile)
    ring.kept["Footnote", "Books"] = "old"
    made = dialog(edit(load_profile("Books")))
    page = made.pages[Page.CONNECTION]
    assert page.fields["host"].text() == "erp.example"
    assert page.password.text() == ""
    page.fields["host"].setText("other.example")
    page.fields["host"].textEdited.emit("other.example")
    for _ in range(3):
        qtbot.waitUntil(made.next.isEnabled)
        press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.preview is not None)
    press(qtbot, made.next)
    name = made.pages[Page.LOG].name
    name.setText("Ledger")
    name.textEdited.emit("Ledger")
    press(qtbot, made.next)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.page is Page.DONE)
    changed = load_profile("Ledger")
    assert profile_names() == ["Ledger"]
    assert "other.example" in (changed.database_url or "")
    assert (changed.locale, changed.as_of_rule, changed.log) == ("en_US", "period_end", profile.log)
    assert ring.kept == {("Footnote", "Ledger"): "old"}


def test_a_file_from_end_to_end(qtbot, dialog, tmp_path: Path) -> None:
    """Nothing is replaced here: the real check, the real figures."""
    file = tmp_path / "erp.sqlite3"
    write_file(data_folder("migrations"), file)
    made = dialog()
    to_connection(qtbot, made, str(file))
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.report is not None, timeout=10_000)
    press(qtbot, made.next)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.preview is not None, timeout=10_000)
    assert made.wizard.replies.preview.customers > 0


def test_a_real_server_whose_role_can_write(qtbot, dialog, pg_database: str) -> None:
    seed_postgres(pg_database, data_folder("migrations"))
    made = dialog()
    to_connection(qtbot, made, pg_database)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.replies.report is not None, timeout=20_000)
    assert made.test_page.rows["login"].state.text() == "passed"
    assert made.test_page.rows["role"].state.text() == "failed"
    press(qtbot, made.next)
    assert "GRANT SELECT" in made.result_page.sql.toPlainText()
    with psycopg.connect(pg_database) as connection:  # nothing was left behind
        assert connection.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()").fetchone()


# -- the profile switch --------------------------------------------------------------------------------------------


def test_profiles_in_the_switch(qtbot, open_window, tmp_path: Path, ring: Memory) -> None:
    window = open_window()
    actions = window.menus.actions
    assert not actions["Delete this profile …"].isEnabled()
    profile, _ = new_profile("Books", URL, log=str(tmp_path / "books.sqlite3"))
    save_profile(profile)
    (tmp_path / "books.sqlite3").write_bytes(b"a log")
    window.profile_switch.reload()
    actions["Books"].trigger()
    assert window.profile.name == "Books"
    assert window.sidebar.profile_button.text().strip() == "Books"
    assert window.sidebar._note.text() == "Not reconciled to the ledger"
    assert actions["Delete this profile …"].isEnabled()
    actions["Duplicate this profile"].trigger()
    qtbot.waitUntil(lambda: "Books copy" in actions)
    assert load_profile("Books copy").log != profile.log
    window.profile_switch.confirm_deleting = lambda _: False
    actions["Delete this profile …"].trigger()
    window.profile_switch.confirm_deleting = lambda _: True
    actions["Delete this profile …"].trigger()
    qtbot.waitUntil(lambda: profile_names() == ["Books copy"])
    qtbot.waitUntil(lambda: window.profile.name != "Books")
    assert "Books" not in actions
    assert (tmp_path / "books.sqlite3").read_bytes() == b"a log"


def test_the_wizard_opens_from_the_menu_and_opens_what_it_saved(qtbot, open_window) -> None:
    window = open_window()
    window.menus.actions["Connect a database …"].trigger()
    made = window.profile_switch.wizard
    assert made is not None
    window.menus.actions["Connect a database …"].trigger()
    assert window.profile_switch.wizard is made
    press(qtbot, made.pages[Page.START].buttons["sample"])
    press(qtbot, made.next)
    press(qtbot, made.next)
    press(qtbot, made.next)
    qtbot.waitUntil(lambda: made.wizard.page is Page.DONE)
    press(qtbot, made.next)
    assert window.profile.name == "Looking around"
    assert window.profile_switch.wizard is None
    assert any(action.text() == "Looking around" for action in window.sidebar.profile_menu.actions())


def test_a_password_that_is_asked_for_each_time(qtbot, open_window) -> None:
    profile, _ = new_profile("Asks", URL, password_from="ask")
    save_profile(profile)
    window = open_window()
    window.profile_switch.ask_password = lambda _: "s3cr3t"
    window.profile_switch.reload()
    try:
        window.menus.actions["Asks"].trigger()
        opening = window._opening
        qtbot.waitUntil(lambda: window._opening != opening)
        assert secrets.password_for("Asks", "ask") == "s3cr3t"
    finally:
        secrets.forget("Asks")


def test_beside_the_figure_it_says_that_it_is_not_tied_out(qtbot, open_window, ask) -> None:
    def reply() -> dict[str, Any]:
        made = overdue_reply()
        made["operations"][0]["reconciliation"] = "not reconciled to the ledger"
        return made

    backend = FakeBackend(sample_profile())
    backend.replies["How much?"] = reply
    window = open_window(backend)
    ask(window, "How much?")
    window.pair().select(1)
    assert window.pair().evidence.reconciliation.text() == "Not reconciled to the ledger"
    assert window.pair().evidence.reconciliation.isVisible()
    ask(window)
    window.pair().select(1)
    assert not window.pair().evidence.reconciliation.isVisible()


def test_real_work_on_a_hand_edited_profile_is_refused(qtbot, open_window, tmp_path: Path, pg_database: str) -> None:
    """The gate stands in the window as well."""
    seed_postgres(pg_database, data_folder("migrations"))
    profile, _ = new_profile("Books", pg_database, log=str(tmp_path / "log.sqlite3"))
    forged = Confirmation("Eve", "2026-01-01T00:00:00.000Z", "because", "no-such-record")
    profile = replace(profile, writer_override=forged)
    window = open_window(DeskBackend(profile), profile)
    qtbot.waitUntil(lambda: window.topbar.connection.saying.mood == "bad", timeout=10_000)
    assert "can do more than read" in window.topbar.connection.saying.detail
