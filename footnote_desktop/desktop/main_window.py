"""The one window: sidebar, state chips, pages; and everything that a person can do, with its shortcut."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFileDialog,
    QFrame,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QWidget,
)

from footnote_desktop.desktop import chain as chains
from footnote_desktop.desktop import links
from footnote_desktop.desktop.answer_pair import AnswerPair
from footnote_desktop.desktop.answer_text import announce
from footnote_desktop.desktop.answers_page import AnswersPage
from footnote_desktop.desktop.ask_page import AskPage
from footnote_desktop.desktop.backend import Backend
from footnote_desktop.desktop.chain import ChainState, Saying
from footnote_desktop.desktop.chips import Chip
from footnote_desktop.desktop.client import Client
from footnote_desktop.desktop.controls import Button, Elided, column, label, row
from footnote_desktop.desktop.events import Exported, Failed, Opened, Progressed, Verified
from footnote_desktop.desktop.names import display_name
from footnote_desktop.desktop.shortcuts import show_shortcuts
from footnote_desktop.desktop.theme import MODES, theme
from footnote_desktop.figures.money import formatter
from footnote_desktop.settings import Profile

PAGES = ("Ask", "Answers")
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
        self._profiles = profiles or {display_name(profile): profile}
        self._profile = profile
        self._client: Client | None = None
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
        self._make_actions()
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
        outer.addWidget(self._sidebar())
        right = column(gap=0)
        right.addWidget(self._topbar())
        self.pages = QStackedWidget()
        self.pages.addWidget(self.ask_page)
        self.pages.addWidget(self.answers_page)
        right.addWidget(self.pages, 1)
        outer.addLayout(right, 1)
        self.setCentralWidget(central)

    def _sidebar(self) -> QWidget:
        bar = QFrame()
        bar.setObjectName("sidebar")
        bar.setFixedWidth(196)
        layout = column(bar, margins=(12, 16, 12, 16), gap=2)
        brand = row(margins=(10, 0, 0, 0), gap=1)
        name = label("Footnote")
        name.setObjectName("brand")
        mark = label("1")
        mark.setStyleSheet("font-size: 11px; font-weight: 700;")
        mark.setProperty("role", "mark")
        brand.addWidget(name)
        brand.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        brand.addStretch(1)
        layout.addLayout(brand)
        layout.addSpacing(10)
        self.profile_button = Button("", symbol="down")
        self.profile_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.profile_menu = QMenu(self)
        self.profile_button.setMenu(self.profile_menu)
        layout.addWidget(self.profile_button)
        layout.addSpacing(14)
        self._nav = QButtonGroup(self)
        self.nav_buttons: list[Button] = []
        for number, (page, symbol) in enumerate(zip(PAGES, ("ask", "answers"), strict=True)):
            button = Button(page, "nav", symbol=symbol, pressed=partial(self.show_page, number))
            button.setCheckable(True)
            button.setToolTip(f"{page} (Alt+{number + 1})")
            self._nav.addButton(button, number)
            layout.addWidget(button)
            self.nav_buttons.append(button)
        layout.addStretch(1)
        self._note = label("", "muted", wrap=True)
        self._note.setContentsMargins(10, 0, 0, 0)
        layout.addWidget(self._note)
        return bar

    def _topbar(self) -> QWidget:
        bar = QFrame()
        bar.setObjectName("topbar")
        bar.setFixedHeight(48)
        layout = row(bar, margins=(20, 0, 20, 0), gap=8)
        self._page_title = label("", "title")
        self._message = Elided(role="muted")
        layout.addWidget(self._page_title)
        layout.addSpacing(8)
        layout.addWidget(self._message, 1)
        self.read_only_chip = Chip(
            {"ok": "lock", "idle": "lock", "warn": "warning", "bad": "warning"}, "Check again", self.check_again
        )
        self.chain_chip = Chip(
            {"ok": "check", "idle": "chain", "busy": "clock", "warn": "warning", "bad": "broken"},
            "Check the log now (F5)",
            self.verify,
        )
        self.connection_chip = Chip(
            {"ok": "database", "idle": "database", "warn": "warning", "bad": "warning"},
            "Connect again",
            self.check_again,
        )
        for chip in (self.read_only_chip, self.chain_chip, self.connection_chip):
            layout.addWidget(chip)
        self._message_timer = QTimer(self)
        self._message_timer.setSingleShot(True)
        self._message_timer.setInterval(4000)
        self._message_timer.timeout.connect(lambda: self._message.put(""))
        return bar

    # --- actions and menus ---

    def _make_actions(self) -> None:
        self.actions_by_name: dict[str, QAction] = {}
        bar = self.menuBar()
        file = bar.addMenu("&File")
        profiles = file.addMenu("Open &profile")
        group = QActionGroup(self)
        for number, (name, profile) in enumerate(self._profiles.items(), 1):
            action = self._action(profiles, name, f"Ctrl+Shift+{number}", partial(self.open_profile, profile))
            action.setCheckable(True)
            action.setData(profile.name)
            group.addAction(action)
            self.profile_menu.addAction(action)
        file.addSeparator()
        self._action(file, "&Export the log …", "Ctrl+E", self.export)
        file.addSeparator()
        self._action(file, "&Quit", QKeySequence.StandardKey.Quit, self.close)

        edit = bar.addMenu("&Copy")
        for text, keys, method, in_panel in (
            ("&Figure", "Ctrl+Shift+C", AnswerPair.copy_figure, True),
            ("Exact &value", "Ctrl+Shift+X", AnswerPair.copy_exact, True),
            ("Selected &row", "Ctrl+Shift+R", AnswerPair.copy_row, True),
            ("Rows as &text", "Ctrl+Shift+T", AnswerPair.copy_rows_text, True),
            ("Rows as &CSV", "Ctrl+Shift+V", AnswerPair.copy_rows_csv, True),
            ("Rows as &JSON", "Ctrl+Shift+J", AnswerPair.copy_rows_json, True),
            ("&SQL, filled in", "Ctrl+Shift+S", AnswerPair.copy_sql, True),
            ("SQL as r&un", "Ctrl+Shift+U", AnswerPair.copy_sql_exact, True),
            ("&Hash of the record", "Ctrl+Shift+H", AnswerPair.copy_hash, True),
            ("&Answer", "Ctrl+Shift+A", AnswerPair.copy_answer, False),
        ):
            action = self._action(edit, text, keys, partial(self._on_pair, method))
            if in_panel:
                for pair in (self.ask_page.pair, self.answers_page.pair):
                    pair.evidence.add_copy_action(action)

        ask = bar.addMenu("&Answer")
        self._action(ask, "Go to the &question", "Ctrl+L", self._focus_question)
        self._action(ask, "Choose the as-of &date", "Ctrl+D", self._choose_date)
        self._action(ask, "&Stop waiting", "Esc", self.ask_page.cancel)
        ask.addSeparator()
        self._action(ask, "&Next figure", "Ctrl+Down", lambda: self._pair().step(1))
        self._action(ask, "&Previous figure", "Ctrl+Up", lambda: self._pair().step(-1))
        self._action(ask, "&How this was computed", "Ctrl+H", lambda: self._pair().card.computed.flip())
        ask.addSeparator()
        self.contrast_action = self._action(
            ask, "What this looks like when the model &makes up the numbers", "Ctrl+I", self._contrast
        )
        self.contrast_action.setCheckable(True)

        log = bar.addMenu("&Log")
        self._action(log, "&Check the log now", "F5", self.verify)
        self._action(log, "&Search earlier answers", "Ctrl+F", self._search)

        view = bar.addMenu("&View")
        for number, page in enumerate(PAGES):
            self._action(view, page, f"Alt+{number + 1}", partial(self.show_page, number))
        view.addSeparator()
        looks = QActionGroup(self)
        for mode, text, keys in zip(
            MODES, ("As the &system", "&Light", "&Dark"), ("Ctrl+Alt+0", "Ctrl+Alt+1", "Ctrl+Alt+2"), strict=True
        ):
            action = self._action(view, text, keys, partial(self._look, mode))
            action.setCheckable(True)
            action.setData(mode)
            looks.addAction(action)
        self._looks = looks
        help_menu = bar.addMenu("&Help")
        self._action(help_menu, "&Keyboard shortcuts", "F1", lambda: show_shortcuts(self, self.menuBar()))

    def _action(
        self, menu: QMenu, text: str, keys: str | QKeySequence.StandardKey, run: Callable[[], object]
    ) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda *_: run())
        menu.addAction(action)
        self.actions_by_name[text.replace("&", "")] = action
        return action

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
            self._client.deleteLater()
        self._profile = profile
        self._client = client = Client(self._backends(profile))
        client.opened.connect(self._opened)
        client.verified.connect(self._verified)
        client.progressed.connect(self._progressed)
        client.exported.connect(self._exported)
        client.failed.connect(self._failed)
        self.ask_page.use(client, profile.locale)
        self.answers_page.use(client, profile.locale)
        name = display_name(profile)
        self.profile_button.put(name)
        self.profile_button.setAccessibleName(f"Profile: {name}")
        self.setWindowTitle(f"{name} — Footnote")
        for action in self.profile_menu.actions():
            action.setChecked(action.data() == profile.name)
        self.profile_button.setVisible(True)
        on_sample = profile.sample is not None
        self.contrast_action.setVisible(on_sample)
        self.contrast_action.setEnabled(on_sample)
        self.contrast_action.setChecked(False)
        self._contrast()
        self._note.setText("Invented companies and invoices, to look around in." if on_sample else "")
        self._show_chain(ChainState())
        self.read_only_chip.show_saying(Saying("idle", "Read-only: not checked yet"))
        self.connection_chip.show_saying(Saying("idle", "Opening …"))
        self._opening = client.open()
        self._refresh_answers()
        self.show_page(0)
        self.ask_page.focus_question()

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
        self.connection_chip.show_saying(Saying("idle", "Opening …"))
        self._opening = self.client.open()

    def _opened(self, event: Opened) -> None:
        if event.generation != self._opening:
            return
        self.ask_page.show_opened(event)
        self.read_only_chip.show_saying(event.read_only)
        self.connection_chip.show_saying(event.connection)
        self.verify()

    # --- pages ---

    def show_page(self, number: int) -> None:
        self.pages.setCurrentIndex(number)
        self.nav_buttons[number].setChecked(True)
        self._page_title.setText(PAGES[number])
        if number == 1:
            self._refresh_answers()

    def _pair(self) -> AnswerPair:
        return self.ask_page.pair if self.pages.currentIndex() == 0 else self.answers_page.pair

    def _on_pair(self, method: Callable[[AnswerPair], None]) -> None:
        method(self._pair())

    def _refresh_answers(self) -> None:
        self.answers_page.refresh()

    def _focus_question(self) -> None:
        self.show_page(0)
        self.ask_page.focus_question()

    def _choose_date(self) -> None:
        self.show_page(0)
        self.ask_page.date.open_popup()

    def _search(self) -> None:
        self.show_page(1)
        self.answers_page.focus_search()

    def _ask_from_answers(self, question: str) -> None:
        self.show_page(0)
        self.ask_page.ask_this(question)

    def _asked(self, _answer: object) -> None:
        if self._check_ms < CHECK_AGAIN_UNDER_MS:
            self.verify()

    def _contrast(self) -> None:
        wanted = self.contrast_action.isChecked() and self._profile.sample is not None
        for pair in (self.ask_page.pair, self.answers_page.pair):
            pair.card.want_contrast(wanted)

    def say(self, text: str) -> None:
        """A word at the top, for a moment."""
        self._message.put(text)
        self._message_timer.start()
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
            self.chain_chip.show_saying(Saying("busy", f"Checking the log … {share}\u00a0%"))

    def _verified(self, event: Verified) -> None:
        if event.generation != self._checking:
            return
        if self._check_began is not None:
            self._check_ms = (dt.datetime.now() - self._check_began).total_seconds() * 1000
        self._show_chain(event.chain)

    def _show_chain(self, chain: ChainState) -> None:
        self._chain = chain
        saying = chains.chip(chain, formatter(self._profile.locale).count(chain.count))
        self.chain_chip.show_saying(replace(saying, detail=chains.explained(chain)))
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
            self.connection_chip.show_saying(Saying("bad", "Not connected", f"{fault.message}\n{fault.advice}"))
            self.read_only_chip.show_saying(Saying("idle", "Read-only: not checked"))
            self.ask_page.show_unopened(fault)
            self.verify()
        elif event.doing == "verify" and event.generation == self._checking:
            self._show_chain(ChainState("missing", reason=fault.message))
            self.chain_chip.show_saying(Saying("warn", "Log not checked", f"{fault.message}\n{fault.advice}"))
        elif event.doing == "export":
            self.say(f"Not exported. {fault.message} {fault.advice}")

    # --- look and window ---

    def _look(self, mode: str) -> None:
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
        for action in self._looks.actions():
            action.setChecked(action.data() == mode)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._settings is not None:
            self._settings.setValue("geometry", self.saveGeometry())
        QApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)
        try:
            if self._client is not None:
                self._client.close()
        finally:
            QApplication.restoreOverrideCursor()
        super().closeEvent(event)
