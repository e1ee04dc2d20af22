"""The profiles in the profile switch: connecting, changing, duplicating and deleting. A log is never deleted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox

from footnote_desktop.desktop.names import display_name, saved_profiles
from footnote_desktop.desktop.wizard.dialog import WizardDialog
from footnote_desktop.desktop.wizard.draft import read_draft
from footnote_desktop.desktop.wizard.state import Wizard, edit
from footnote_desktop.desktop.wizard.work import Done, Work
from footnote_desktop.settings import Profile

if TYPE_CHECKING:
    from footnote_desktop.desktop.main_window import MainWindow


class Profiles(QObject):
    """What a person does to profiles in a window; the keyring is asked off the GUI thread."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.wizard: WizardDialog | None = None
        self._work = Work(self)
        self._work.reported.connect(self._reported)

    def connect_database(self) -> None:
        """Open the wizard, on the draft where there is one."""
        self._open(read_draft() or Wizard())

    def change(self) -> None:
        """Change the profile that is open."""
        self._open(edit(self._window.profile))

    def _open(self, wizard: Wizard) -> None:
        if self.wizard is not None:
            self.wizard.raise_()
            return
        self.wizard = WizardDialog(wizard, self._window)
        self.wizard.saved.connect(self._saved)
        self.wizard.finished.connect(self._closed)
        self.wizard.open()

    def _closed(self) -> None:
        self.wizard = None

    def _saved(self, profile: Profile) -> None:
        self.reload()
        self._window.open_profile(profile)

    def reload(self) -> None:
        """Read the saved profiles anew, and show them in the menus."""
        window = self._window
        others = {name: profile for name, profile in window.profiles.items() if not profile.saved}
        window.profiles = saved_profiles() | others
        window.menus.show_profiles()

    def duplicate(self) -> None:
        """A copy of the open profile, with a log of its own."""
        from footnote_desktop.catalog.connecting import copy_profile

        name = self._window.profile.name
        taken = {known.casefold() for known in saved_profiles()}
        copies = (f"{name} copy{f' {number}' if number > 1 else ''}" for number in range(1, 1000))
        to = next(copy for copy in copies if copy.casefold() not in taken)
        self._work.do("duplicate", partial(copy_profile, name, to))

    def delete(self) -> None:
        """Delete the open profile after asking."""
        from footnote_desktop.catalog.connecting import delete_profile

        profile = self._window.profile
        if profile.saved and self.confirm_deleting(profile):
            self._work.do("delete", partial(delete_profile, profile.name))

    def confirm_deleting(self, profile: Profile) -> bool:
        answer = QMessageBox.question(
            self._window,
            "Delete the profile?",
            f"Delete the profile {profile.name} and forget its password?\n\nIts log stays: {profile.log}",
        )
        return answer == QMessageBox.StandardButton.Yes

    def _reported(self, event: object) -> None:
        if not isinstance(event, Done):
            return
        window = self._window
        if event.fault:
            window.say(event.fault)
            return
        profile = event.result
        assert isinstance(profile, Profile)
        self.reload()
        if event.doing == "duplicate":
            window.say(f"Duplicated as {profile.name}, with a log of its own.")
        else:
            if window.profile.name == profile.name and window.profile.saved:
                window.open_profile(next(p for p in (*window.profiles.values(), window.sample()) if p != profile))
            window.say(f"{profile.name} is deleted. Its log stays: {profile.log}")

    # -- passwords that are asked for each time --------------------------------------------------------------------

    def ask_where_wanted(self, profile: Profile) -> None:
        """Ask for the password once the window is there, and connect again with it."""
        from footnote_desktop.secrets import SecretError, password_for

        if not profile.saved or profile.password_from != "ask":
            return
        try:
            password_for(profile.name, "ask")
        except SecretError:
            QTimer.singleShot(0, self, partial(self._ask, profile))

    def _ask(self, profile: Profile) -> None:
        if self._window.profile != profile:
            return
        password = self.ask_password(profile)
        if password and self._window.profile == profile:
            from footnote_desktop.secrets import keep_for_session

            keep_for_session(profile.name, password)
            self._window.check_again()

    def ask_password(self, profile: Profile) -> str:
        text, given = QInputDialog.getText(
            self._window, display_name(profile), f"Password of {profile.name}:", QLineEdit.EchoMode.Password
        )
        return text if given else ""
