"""Starts the application. Qt is imported only once it is known that there is a screen to open it on."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from footnote_desktop.settings import Profile


def display_available(environ: Mapping[str, str] | None = None, platform: str | None = None) -> bool:
    """Whether a window can be opened here. Does not import Qt, which would abort the process where it cannot."""
    env = os.environ if environ is None else environ
    if (sys.platform if platform is None else platform) in ("win32", "darwin"):
        return True
    chosen = env.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    if chosen in ("offscreen", "minimal", "vnc", "linuxfb", "eglfs"):
        return True
    return bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("WAYLAND_SOCKET"))


NO_DISPLAY = (
    "footnote: there is no screen to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set).\n"
    'Ask in the terminal instead: footnote ask "How much does Bergmann owe?"'
)


def run(profile: Profile, link: str | None = None) -> int:
    """Open the window on a profile, at a link if one is given, until it is closed. Exit code 2 when it cannot be."""
    if not display_available():
        print(NO_DISPLAY, file=sys.stderr)
        return 2
    from PySide6.QtCore import QEvent, QSettings
    from PySide6.QtWidgets import QApplication

    from footnote_desktop.desktop.collector import Collector
    from footnote_desktop.desktop.desk_backend import DeskBackend
    from footnote_desktop.desktop.main_window import MainWindow
    from footnote_desktop.desktop.theme import theme

    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    Collector(app)
    app.setApplicationName("Footnote")
    app.setApplicationDisplayName("Footnote")
    app.setOrganizationName("Footnote")
    settings = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Footnote", "desktop")
    theme.install(app, str(settings.value("look", "system")))
    window = MainWindow(profile, DeskBackend, profiles_beside(profile), settings)
    if link:
        window.open_link(link)
    window.show()
    code = app.exec()
    # In this order: a window that outlives the application may end it with a crash.
    window.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return code


def profiles_beside(profile: Profile) -> dict[str, Profile]:
    """The profiles to choose from: the one given, the saved ones, and the two sample sets."""
    from footnote_desktop.desktop.names import display_name, saved_profiles
    from footnote_desktop.settings import from_environment

    environment = {key: value for key, value in os.environ.items() if key not in _NOT_THE_SAMPLES}
    samples = [from_environment(environment, sample=name) for name in ("sample", "tricky")]
    found = {display_name(profile): profile}
    for name, saved in saved_profiles().items():
        found.setdefault(name, saved)
    for sample in samples:
        found.setdefault(display_name(sample), sample)
    return found


#: Settings that describe another database must not reach the samples, whose answers get logs of their own.
_NOT_THE_SAMPLES = ("DATABASE_URL", "PROVENANCE_DB", "AS_OF_DATE", "FOOTNOTE_SEED", "FOOTNOTE_COMPANY")
