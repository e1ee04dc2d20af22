"""The wizard's work off the GUI thread: the check, the look into the database, saving. Each has a thread of its own, so
that a server that never answers holds up nothing that comes after it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from footnote_desktop.catalog.connecting import check_profile, profile_password
from footnote_desktop.catalog.result import Refusal
from footnote_desktop.desktop import faults
from footnote_desktop.desktop.wizard.finish import finish
from footnote_desktop.desktop.wizard.preview import Preview, look
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.desktop.worker import Worker
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.report import CheckItem, CheckReport
from footnote_desktop.settings import Profile, SettingsError, load_profile

#: Qt's objects must end in the thread that made them. A worker that only its own thread still knew would end there, so
#: each is known here until its thread is long over and what it reported has arrived.
_kept: list[Worker] = []
MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class Staged:
    generation: int
    item: CheckItem


@dataclass(frozen=True, slots=True)
class Checked:
    generation: int
    report: CheckReport


@dataclass(frozen=True, slots=True)
class Looked:
    generation: int
    preview: Preview | None
    fault: str


@dataclass(frozen=True, slots=True)
class Finished:
    profile: Profile | None
    fault: str


@dataclass(frozen=True, slots=True)
class Done:
    """Something else that was asked for: what came of it, or why nothing did."""

    doing: str
    result: object
    fault: str


class Work(QObject):
    """Starts what takes time; ``reported`` brings :class:`Staged`, :class:`Checked`, :class:`Looked` and
    :class:`Finished` in the GUI thread."""

    reported = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stop = threading.Event()

    def warm(self) -> None:
        """Load what the pages would otherwise wait for: the keyring and the driver."""

        def job() -> None:
            with contextlib.suppress(Exception):
                from footnote_desktop.erp import conninfo
                from footnote_desktop.secrets import keyring_state

                keyring_state()
                conninfo.resolve("host=localhost dbname=x user=x")

        self._start(job)

    def check(self, wizard: Wizard, generation: int) -> None:
        """Check the connection as it is typed now; a check that still runs is stopped."""
        self.stop()
        self._stop = stop = threading.Event()
        profile, password = _as_typed(wizard)
        worker = self._worker()

        def job() -> object:
            def progress(item: CheckItem) -> None:
                worker.report(Staged(generation, item))

            try:
                report = check_profile(profile, password=password, progress=progress, cancel=stop.is_set)
            except EngineError as error:
                report = _fault_report(faults.sentence(error.message), error.advice, error.details)
            except Exception as error:  # a mistake of ours must not leave the page waiting for ever
                report = _fault_report(f"Footnote made a mistake: {type(error).__name__}.", "Report this.", "")
            return Checked(generation, report)

        self._start(job, worker)

    def look(self, wizard: Wizard, generation: int) -> None:
        """Read what is in the database, for the person to compare."""
        profile, password = _as_typed(wizard)
        refuse_writers = not wizard.needs_override

        def job() -> object:
            try:
                if password is None:
                    found = look(profile, profile_password(profile), refuse_writers=refuse_writers)
                else:
                    found = look(profile, password, refuse_writers=refuse_writers)
                return Looked(generation, found, "")
            except (Refusal, EngineError) as error:
                return Looked(generation, None, faults.sentence(error.message))
            except Exception as error:
                return Looked(generation, None, f"Footnote made a mistake: {type(error).__name__}. Report this.")

        self._start(job)

    def finish(self, wizard: Wizard) -> None:
        """Save the profile: the log, the keyring and the disk may all be slow."""

        def job() -> object:
            saved, fault = _tried(lambda: finish(wizard))
            return Finished(saved if isinstance(saved, Profile) else None, fault)

        self._start(job)

    def do(self, doing: str, job: Callable[[], object]) -> None:
        """Run anything else that may wait for the keyring or the disk; :class:`Done` tells of it."""
        self._start(lambda: Done(doing, *_tried(job)))

    def stop(self) -> None:
        """Ask the check that runs to end."""
        self._stop.set()

    def _worker(self) -> Worker:
        worker = Worker("footnote-wizard")
        worker.reported.connect(self.reported)
        _kept.append(worker)
        while len(_kept) > MOST_KEPT and _kept[0].wait(0):
            del _kept[0]
        return worker

    def _start(self, job: Callable[[], object], worker: Worker | None = None) -> None:
        worker = worker or self._worker()
        worker.submit(job)
        worker.end_when_done()


def _as_typed(wizard: Wizard) -> tuple[Profile, str | None]:
    """The profile under a name that may still be missing, and the password. Without a password typed libpq is asked
    for one, except for a profile that has one already."""
    before = load_profile(wizard.editing) if wizard.editing else None
    held = Wizard(replace(wizard.typed, name=wizard.typed.name or "new"), editing=wizard.editing)
    profile, password = held.profile()
    if password is None and (before is None or before.password_from == "libpq"):
        profile = replace(profile, password_from="libpq")
    return profile, password


def _tried(job: Callable[[], object]) -> tuple[object, str]:
    """The job's result, or None and what went wrong in words."""
    try:
        return job(), ""
    except SettingsError as error:
        return None, faults.sentence(str(error))
    except Exception as error:
        said = faults.describe(error)
        message, advice = getattr(error, "message", said.message), getattr(error, "advice", said.advice)
        return None, f"{faults.sentence(message)} {advice}".strip()


def _fault_report(sentence: str, advice: str, details: str) -> CheckReport:
    return CheckReport([CheckItem("login", "fail", sentence, advice, 0.0, "login", details)])
