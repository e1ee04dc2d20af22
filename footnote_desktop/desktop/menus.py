"""Everything that a person can do, each with its place in a menu and its shortcut."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from footnote_desktop.desktop.answer_pair import AnswerPair
from footnote_desktop.desktop.frame import PAGES
from footnote_desktop.desktop.shortcuts import show_shortcuts
from footnote_desktop.desktop.theme import MODES

if TYPE_CHECKING:
    from footnote_desktop.desktop.main_window import MainWindow

#: text, keys, what it does, whether the evidence panel's own menu has it too
_COPIES: tuple[tuple[str, str, Callable[[AnswerPair], None], bool], ...] = (
    ("&Figure", "Ctrl+Shift+C", AnswerPair.copy_figure, True),
    ("Exact &value", "Ctrl+Shift+X", AnswerPair.copy_exact, True),
    ("Selected &row", "Ctrl+Shift+R", AnswerPair.copy_row, True),
    ("Rows as &text", "Ctrl+Shift+T", AnswerPair.copy_rows_text, True),
    ("Rows as &CSV", "Ctrl+Shift+V", AnswerPair.copy_rows_csv, True),
    ("Rows as &JSON", "Ctrl+Shift+J", AnswerPair.copy_rows_json, True),
    ("&SQL, filled in", "Ctrl+Shift+S", AnswerPair.copy_sql, True),
    ("SQL as r&un", "Ctrl+Shift+O", AnswerPair.copy_sql_exact, True),
    ("&Hash of the record", "Ctrl+Shift+H", AnswerPair.copy_hash, True),
    ("&Answer", "Ctrl+Shift+A", AnswerPair.copy_answer, False),
)


class Menus:
    """Builds the window's menu bar. ``actions`` are found by their text without the ampersand."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._file()
        self._copy()
        self._answer()
        self._log()
        self._view()
        bar = window.menuBar()
        self._add(bar.addMenu("&Help"), "&Keyboard shortcuts", "F1", partial(show_shortcuts, window, bar))

    def show_profile(self, name: str, *, on_sample: bool, saved: bool = False) -> None:
        """Mark the profile that is open. The contrast is for sample data only; only what is saved can be changed."""
        for action in self._profiles.actions():
            action.setChecked(action.data() == name)
        for action in self._manage[1:]:
            action.setEnabled(saved)
        self.contrast.setChecked(False)
        self.contrast.setVisible(on_sample)
        self.contrast.setEnabled(on_sample)

    def show_look(self, mode: str) -> None:
        for action in self._looks.actions():
            action.setChecked(action.data() == mode)

    def _file(self) -> None:
        window = self._window
        file = window.menuBar().addMenu("&File")
        self._profile_menu = file.addMenu("Open &profile")
        self._profiles = QActionGroup(window)
        # Made once, and kept at the end of the profile switch as well.
        self._manage = [
            self._add(file, "&Connect a database …", "Ctrl+N", window.profile_switch.connect_database),
            self._add(file, "Cha&nge this profile …", "Ctrl+Shift+E", window.profile_switch.change),
            self._add(file, "D&uplicate this profile", "Ctrl+Shift+D", window.profile_switch.duplicate),
            self._add(file, "De&lete this profile …", "Ctrl+Shift+Del", window.profile_switch.delete),
        ]
        self.show_profiles()
        file.addSeparator()
        self._add(file, "&Export the log …", "Ctrl+E", window.export)
        file.addSeparator()
        self._add(file, "&Quit", "Ctrl+Q", window.close)

    def show_profiles(self) -> None:
        """The profiles to choose from, as they are now."""
        window = self._window
        switch = window.sidebar.profile_menu
        for old in self._profiles.actions():
            self._profiles.removeAction(old)
            self.actions.pop(old.text().replace("&", ""), None)
            old.deleteLater()
        switch.clear()
        for number, (name, profile) in enumerate(window.profiles.items(), 1):
            # Alt+Shift, since Ctrl+Shift+3 takes a picture of the screen on macOS.
            keys = f"Alt+Shift+{number}" if number < 10 else ""
            action = self._add(self._profile_menu, name.replace("&", "&&"), keys, partial(window.open_profile, profile))
            self._choice(action, self._profiles, profile.name)
            switch.addAction(action)
        switch.addSeparator()
        switch.addActions(self._manage)

    def _copy(self) -> None:
        window = self._window
        menu = window.menuBar().addMenu("&Copy")
        for text, keys, method, in_panel in _COPIES:
            action = self._add(menu, text, keys, partial(self._on_pair, method))
            if in_panel:
                for pair in (window.ask_page.pair, window.answers_page.pair):
                    pair.evidence.add_copy_action(action)

    def _answer(self) -> None:
        window = self._window
        menu = window.menuBar().addMenu("&Answer")
        self._add(menu, "Go to the &question", "Ctrl+L", window.go_to_question)
        self._add(menu, "Choose the as-of &date", "Ctrl+D", window.choose_date)
        self._add(menu, "&Stop waiting", "Esc", window.ask_page.cancel)
        menu.addSeparator()
        self._add(menu, "&Next figure", "Ctrl+Down", partial(self._on_pair, lambda pair: pair.step(1)))
        self._add(menu, "&Previous figure", "Ctrl+Up", partial(self._on_pair, lambda pair: pair.step(-1)))
        how = self._on_pair
        self._add(menu, "&How this was computed", "Ctrl+J", partial(how, lambda pair: pair.card.computed.flip()))
        menu.addSeparator()
        self.contrast = self._add(
            menu, "What this looks like when the model &makes up the numbers", "Ctrl+I", window.show_contrast
        )
        self.contrast.setCheckable(True)

    def _log(self) -> None:
        menu = self._window.menuBar().addMenu("&Log")
        self._add(menu, "&Check the log now", "F5", self._window.verify)
        self._add(menu, "&Search earlier answers", "Ctrl+F", self._window.go_to_search)

    def _view(self) -> None:
        window = self._window
        menu = window.menuBar().addMenu("&View")
        for number, (page, _) in enumerate(PAGES):
            self._add(menu, page, f"Alt+{number + 1}", partial(window.show_page, number))
        menu.addSeparator()
        self._looks = QActionGroup(window)
        for mode, text, keys in zip(MODES, ("As the &system", "&Light", "&Dark"), ("F6", "F7", "F8"), strict=True):
            self._choice(self._add(menu, text, keys, partial(window.look, mode)), self._looks, mode)

    def _on_pair(self, method: Callable[[AnswerPair], None]) -> None:
        method(self._window.pair())

    def _choice(self, action: QAction, group: QActionGroup, data: str) -> None:
        action.setCheckable(True)
        action.setData(data)
        group.addAction(action)

    def _add(self, menu: QMenu, text: str, keys: str, run: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda *_: run())
        menu.addAction(action)
        self.actions[text.replace("&", "")] = action
        return action
