"""The one window: sidebar, state chips, pages; and everything that a person can do, with its shortcut."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from footnote_desktop.desktop import chain as chains
from footnote_desktop.desktop import links
from footnote_desktop.desktop.answer_pair import AnswerPair
from footnote_desktop.desktop.answers_page import AnswersPage
from footnote_desktop.desktop.ask_page import AskPage
from footnote_desktop.desktop.backend import Backend
from footnote_desktop.desktop.chain import ChainState, Saying
from footnote_desktop.desktop.client import Client
from footnote_desktop.desktop.controls import column, row
from footnote_desktop.desktop.events import Exported, Failed, Opened, Progressed, Verified
from footnote_desktop.desktop.frame import PAGES, Sidebar, TopBar
from footnote_desktop.desktop.menus import Menus
from footnote_desktop.desktop.names import display_name
from footnote_desktop.desktop.plain import announce
from footnote_desktop.desktop.profiles import Profiles
from footnote_desktop.desktop.theme import theme
from footnote_desktop.figures.money import formatter
from footnote_desktop.settings import Profile, from_environment

#: A log that took longer than this to check is checked again only when asked to (F5).
CHECK_AGAIN_UNDER_MS = 1500


class MainWindow(QMainWindow):
    """Shows one profile at a time. ``backends`` opens the background of a profile; ``profiles`` are those to choose
    from, by the name that people see."""

    def __init__(
        self,
        profile: Profile,
        backends: Callable[[Profile], Backend],
        profiles: dict[str, Profile] | None = None,
        settings: QSettings | None = None,
    ) -> None:
        super().__init__()
        self._backends, self._settings = backends, settings
        self.profiles = profiles or {display_name(profile): profile}
        self._profile = profile
        self._client: Client | None = None
        self._retired: list[Client] = []  #: clients whose threads may still be ending
        self._chain = ChainState()
        self._opening = self._checking = 0
        self._check_began: dt.datetime | None = None
        self._check_ms = 0.0
        self.setWindowTitle("Footnote")
        self.resize(1280, 800)
        self.setMinimumSize(880, 560)
        self.ask_page = AskPage()
        self.answers_page = AnswersPage()
        self._build()
        self.profile_switch = Profiles(self)
        self.menus = Menus(self)
        for pair in (self.ask_page.pair, self.answers_page.pair):
            pair.copied.connect(self.say)
        self.ask_page.answered.connect(self._asked)
        self.answers_page.asked.connect(self._ask_from_answers)
        self._restore()
        self.open_profile(profile)

    # --- layout ---

    def _build(self) -> None:
        central = QWidget()
        outer = row(central, gap=0)
        self.sidebar = Sidebar()
        self.sidebar.page_chosen.connect(self.show_page)
        outer.addWidget(self.sidebar)
        right = column(gap=0)
        self.topbar = TopBar(self.check_again, self.verify)
        right.addWidget(self.topbar)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.ask_page)
        self.pages.addWidget(self.answers_page)
        right.addWidget(self.pages, 1)
        outer.addLayout(right, 1)
        self.setCentralWidget(central)

    # --- profile ---

    @property
    def profile(self) -> Profile:
        return self._profile

    @property
    def client(self) -> Client:
        assert self._client is not None
        return self._client

    def open_profile(self, profile: Profile) -> None:
        """Leave the profile that is open, and open another. What was under way for the old one is dropped."""
        if self._client is not None:
            self._client.close()
            self._retired.append(self._client)
        self._profile = profile
        self._check_ms = 0.0
        self._client = client = Client(self._backends(profile))
        client.opened.connect(self._opened)
        client.verified.connect(self._verified)
        client.progressed.connect(self._progressed)
        client.exported.connect(self._exported)
        client.failed.connect(self._failed)
        self.ask_page.use(client, profile.locale)
        self.answers_page.use(client, profile.locale)
        name = display_name(profile)
        self.setWindowTitle(f"{name} — Footnote")
        on_sample = profile.sample is not None
        self.menus.show_profile(profile.name, on_sample=on_sample, saved=profile.saved)
        note = profile.reconciliation or ""
        if on_sample:
            note = "Invented companies and invoices, to look around in."
        self.sidebar.show_profile(name, note[:1].upper() + note[1:])
        self.show_contrast()
        self._show_chain(ChainState())
        self.topbar.read_only.show_saying(Saying("idle", "Read-only: not checked yet"))
        self.topbar.connection.show_saying(Saying("idle", "Opening …"))
        self._opening = client.open()
        self._refresh_answers()
        self.show_page(0)
        self.ask_page.focus_question()
        self.profile_switch.ask_where_wanted(profile)

    def sample(self) -> Profile:
        """The sample, for when the profile that is open is gone."""
        return from_environment({})

    def open_link(self, text: str) -> None:
        """Show what a link points at, or say that it points at nothing here."""
        link = links.parse(text)
        if link is None:
            self.say(f"This is not a link to a recorded answer: {text[:80]}")
            return
        self.show_page(1)
        self.answers_page.open_record(link.key, link.claim - 1 if link.claim else None)

    def check_again(self) -> None:
        """Connect and look again at what the chips say."""
        self.topbar.connection.show_saying(Saying("idle", "Opening …"))
        self._opening = self.client.open()

    def _opened(self, event: Opened) -> None:
        if event.generation != self._opening:
            return
        self.ask_page.show_opened(event)
        self.topbar.read_only.show_saying(event.read_only)
        self.topbar.connection.show_saying(event.connection)
        self.client.warm()
        self.verify()

    # --- pages ---

    def show_page(self, number: int) -> None:
        self.pages.setCurrentIndex(number)
        self.sidebar.page_buttons[number].setChecked(True)
        self.topbar.show_title(PAGES[number][0])
        if number == 1:
            self._refresh_answers()

    def pair(self) -> AnswerPair:
        return self.ask_page.pair if self.pages.currentIndex() == 0 else self.answers_page.pair

    def _refresh_answers(self) -> None:
        self.answers_page.refresh()

    def go_to_question(self) -> None:
        self.show_page(0)
        self.ask_page.focus_question()

    def choose_date(self) -> None:
        self.show_page(0)
        self.ask_page.date.open_popup()

    def go_to_search(self) -> None:
        self.show_page(1)
        self.answers_page.focus_search()

    def _ask_from_answers(self, question: str) -> None:
        self.show_page(0)
        self.ask_page.ask_this(question)

    def _asked(self, _answer: object) -> None:
        if self._check_ms < CHECK_AGAIN_UNDER_MS:
            self.verify()

    def show_contrast(self) -> None:
        wanted = self.menus.contrast.isChecked() and self._profile.sample is not None
        for pair in (self.ask_page.pair, self.answers_page.pair):
            pair.card.want_contrast(wanted)

    def say(self, text: str) -> None:
        """A word at the top, for a moment."""
        self.topbar.say(text)
        announce(self, text)

    # --- the log ---

    def verify(self) -> None:
        """Check the whole log, in the background."""
        self._checking = self.client.verify()
        self._check_began = dt.datetime.now()

    def _progressed(self, event: Progressed) -> None:
        if event.generation != self._checking:
            return
        if self._chain.state != "checking":
            self._show_chain(replace(self._chain, state="checking"))
        if event.total:
            share = event.done * 100 // event.total
            self.topbar.chain.show_saying(Saying("busy", f"Checking the log … {share}\u00a0%"))

    def _verified(self, event: Verified) -> None:
        if event.generation != self._checking:
            return
        if self._check_began is not None:
            self._check_ms = (dt.datetime.now() - self._check_began).total_seconds() * 1000
        self._show_chain(event.chain)

    def _show_chain(self, chain: ChainState) -> None:
        self._chain = chain
        saying = chains.chip(chain, formatter(self._profile.locale).count(chain.count))
        self.topbar.chain.show_saying(replace(saying, detail=chains.explained(chain)))
        for pair in (self.ask_page.pair, self.answers_page.pair):
            pair.show_chain(chain)

    @property
    def chain(self) -> ChainState:
        return self._chain

    def export(self) -> None:
        """Write the log as JSON to a file that a person chooses."""
        path, _ = QFileDialog.getSaveFileName(
            self, "Export the log", f"footnote-{dt.date.today():%Y-%m-%d}.json", "JSON (*.json)"
        )
        if path:
            self.export_to(path)

    def export_to(self, path: str) -> None:
        self.client.export(path)
        self.say("Exporting …")

    def _exported(self, event: Exported) -> None:
        noun = "record" if event.records == 1 else "records"
        self.say(f"Exported {formatter(self._profile.locale).count(event.records)} {noun} to {event.path}")

    def _failed(self, event: Failed) -> None:
        fault = event.fault
        if event.doing == "open" and event.generation == self._opening:
            self.topbar.connection.show_saying(Saying("bad", "Not connected", f"{fault.message}\n{fault.advice}"))
            self.topbar.read_only.show_saying(Saying("idle", "Read-only: not checked"))
            self.ask_page.show_unopened(fault)
            self.verify()
        elif event.doing == "verify" and event.generation == self._checking:
            self._show_chain(ChainState("missing", reason=fault.message))
            self.topbar.chain.show_saying(Saying("warn", "Log not checked", f"{fault.message}\n{fault.advice}"))
        elif event.doing == "export":
            self.say(f"Not exported. {fault.message} {fault.advice}")

    # --- look and window ---

    def look(self, mode: str) -> None:
        theme.use(mode)
        if self._settings is not None:
            self._settings.setValue("look", mode)

    def _restore(self) -> None:
        mode = str(self._settings.value("look", "system")) if self._settings is not None else theme.mode
        if self._settings is not None:
            geometry = self._settings.value("geometry")
            if isinstance(geometry, QByteArray):
                self.restoreGeometry(geometry)
            if mode != theme.mode:
                theme.use(mode)
        self.menus.show_look(mode)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._settings is not None:
            self._settings.setValue("geometry", self.saveGeometry())
        QApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)
        try:
            if self._client is not None:
                self._client.close(wait=1.5)
        finally:
            QApplication.restoreOverrideCursor()
        super().closeEvent(event)
