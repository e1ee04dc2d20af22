"""The wizard's state machine, without Qt: which page comes next, what is missing on this one, what was typed.

Going back loses nothing. What rests on the connection (the check's report, what was found, an override) is dropped when
the connection changes, and only then; a reply to an earlier question is told by its generation number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from footnote_desktop.desktop.wizard.preview import Preview
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.log_place import log_item
from footnote_desktop.erp.report import CheckReport
from footnote_desktop.settings import (
    AsOfRule,
    PasswordFrom,
    Profile,
    SettingsError,
    check_name,
    default_log,
    edit_profile,
    load_profile,
    new_profile,
    profile_file,
)


class Page(StrEnum):
    START = "start"  #: sample data or my database
    CONNECTION = "connection"
    TEST = "test"  #: the stages, as they finish
    RESULT = "result"  #: the check's result, with the DBA's SQL
    ERP = "erp"  #: which ERP, which company, what was found
    LOG = "log"
    CLIENT = "client"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person typed or chose. ``url`` holds no password: it is taken out, into ``password``."""

    source: str | None = None  #: "sample", "tricky" or "database"
    name: str = ""
    url: str = ""
    password: str = field(default="", repr=False)
    password_from: PasswordFrom = "keyring"
    ssh: str = ""
    override_by: str = ""  #: who lets a role that can write be used, and why
    override_reason: str = ""
    company: str = ""
    mapping: str = ""
    as_of_rule: AsOfRule = "today"
    documents: str = ""
    log: str = ""
    clients: tuple[str, ...] = ()


_CONNECTION = ("source", "url", "password", "ssh")


@dataclass(frozen=True, slots=True)
class Replies:
    """What was found out about the connection."""

    report: CheckReport | None = None
    preview: Preview | None = None
    preview_fault: str = ""


class Wizard:
    """One run through the pages. ``generation`` counts the connections that were tried."""

    def __init__(self, typed: Typed | None = None, page: Page = Page.START, *, editing: str | None = None):
        self.typed = typed or Typed()
        self.editing = editing  #: the name of the saved profile that is being changed
        self.page = page
        self.replies = Replies()
        self.generation = 0
        self.testing = False
        self._been: list[Page] = []

    # -- what is typed ---------------------------------------------------------------------------------------------

    def set(self, **changes: Any) -> None:
        """Take over what was typed. A password inside a pasted URL is moved out of it at once."""
        before = self.typed
        typed = replace(before, **changes)
        if "url" in changes:
            url, password = _without_password(typed.url)
            typed = replace(typed, url=url, password=password or typed.password)
        self.typed = typed
        if any(getattr(before, key) != getattr(typed, key) for key in _CONNECTION):
            self.generation += 1
            self.testing = False
            self.replies = Replies()
            self.typed = replace(typed, override_by="", override_reason="")
        elif before.company != typed.company or before.mapping != typed.mapping:
            self.look_again()

    def look_again(self) -> None:
        """What was found no longer holds, for another company or another day."""
        self.replies = replace(self.replies, preview=None, preview_fault="")

    # -- the test --------------------------------------------------------------------------------------------------

    def start_test(self) -> int:
        """The test begins; its generation."""
        self.testing = True
        self.replies = Replies()
        return self.generation

    def finish_test(self, generation: int, report: CheckReport) -> bool:
        """The test ended. False, and nothing happens, when it was for an earlier connection."""
        if generation != self.generation or not self.testing:
            return False
        self.testing = False
        if not report.cancelled:
            self.replies = Replies(report)
        return True

    def cancel_test(self) -> None:
        """The person does not want to wait; a report that still comes is not taken."""
        self.testing = False
        self.generation += 1

    def finish_preview(self, generation: int, preview: Preview | None, fault: str = "") -> bool:
        """What was found in the database, or why nothing was. False when it was for an earlier connection."""
        if generation != self.generation:
            return False
        self.replies = replace(self.replies, preview=preview, preview_fault=fault)
        return True

    # -- going on and back -----------------------------------------------------------------------------------------

    def missing(self) -> list[str]:
        """Why the next page cannot come yet, in sentences; empty when it can."""
        return _MISSING[self.page](self)

    def next(self) -> Page:
        """Go on. Raises :class:`SettingsError` with what is missing."""
        if missing := self.missing():
            raise SettingsError(" ".join(missing))
        self._been.append(self.page)
        self.page = self._following()
        return self.page

    def back(self) -> Page:
        """Go back to the page before; a running test is cancelled."""
        if self.testing:
            self.cancel_test()
        if self._been:
            self.page = self._been.pop()
        return self.page

    @property
    def can_go_back(self) -> bool:
        return bool(self._been) and self.page is not Page.DONE

    def _following(self) -> Page:
        if self.page is Page.START and self.typed.source != "database":
            return Page.LOG
        order = list(Page)
        return order[order.index(self.page) + 1]

    # -- the end ---------------------------------------------------------------------------------------------------

    @property
    def needs_override(self) -> bool:
        """Whether the role can write, so that a person has to answer for using it."""
        report = self.replies.report
        return report is not None and report.can_write

    @property
    def worth_keeping(self) -> bool:
        """Whether closing now should offer to keep a draft."""
        return self.page not in (Page.START, Page.DONE) or bool(self.typed.url)

    def profile(self) -> tuple[Profile, str | None]:
        """The profile as typed, not saved, without the override that has to be recorded first; and the password."""
        typed = self.typed
        if self.editing:
            return self._edited(load_profile(self.editing)), typed.password or None
        common: dict[str, Any] = {
            "company": typed.company or None,
            "mapping": typed.mapping or None,
            "as_of_rule": typed.as_of_rule,
            "documents": typed.documents or None,
            "ssh": typed.ssh or None,
        }
        if typed.source == "database":
            profile, _ = new_profile(typed.name, typed.url, password_from=typed.password_from, **common)
            password = typed.password or None
        else:
            profile, _ = new_profile(typed.name, "unused")
            profile = replace(
                profile, database_url=None, sample=typed.source or "sample", documents=common["documents"]
            )
            password = None
        return replace(profile, log=typed.log or default_log(profile.name)), password

    def _edited(self, before: Profile) -> Profile:
        """The saved profile with what was typed; what the wizard does not ask for stays."""
        typed = self.typed
        changes: dict[str, Any] = {
            "company": typed.company or None,
            "mapping": typed.mapping or None,
            "documents": typed.documents or None,
            "ssh": typed.ssh or None,
            "password_from": typed.password_from,
            "log": typed.log or before.log,
        }
        if before.database_url is not None:
            changes["database_url"] = new_profile(before.name, typed.url)[0].database_url
        if typed.as_of_rule != "fixed":
            changes |= {"as_of_rule": typed.as_of_rule, "as_of": None, "as_of_source": "today"}
        return edit_profile(before, **changes)


def edit(profile: Profile) -> Wizard:
    """A wizard that changes a saved profile, at its connection."""
    typed = Typed(
        source=profile.sample or "database",
        name=profile.name,
        url=profile.database_url or "",
        password_from=profile.password_from,
        ssh=profile.ssh or "",
        company=profile.company or "",
        mapping=profile.mapping or "",
        as_of_rule="fixed" if profile.as_of is not None else profile.as_of_rule,
        documents=profile.documents or "",
        log=profile.log,
    )
    return Wizard(typed, Page.LOG if profile.sample else Page.CONNECTION, editing=profile.name)


def _without_password(url: str) -> tuple[str, str | None]:
    from footnote_desktop.settings.connection import join, split_password

    try:
        fields, password = split_password(url.strip())
    except SettingsError:
        return url, None  # said on the page; it stays in the field as it was typed
    return (join(fields), password) if password is not None else (url.strip(), None)


# -- what each page needs ------------------------------------------------------------------------------------------


def _start(wizard: Wizard) -> list[str]:
    return [] if wizard.typed.source in ("sample", "tricky", "database") else ["Choose sample data or your database."]


def _connection(wizard: Wizard) -> list[str]:
    typed = wizard.typed
    missing = []
    if not typed.url:
        missing.append("Give the connection: the host, the database and the user that IT named.")
    else:
        from footnote_desktop.erp.connect import is_postgres

        if is_postgres(typed.url):
            from footnote_desktop.erp.conninfo import resolve

            try:
                resolve(typed.url)
            except EngineError as error:
                missing.append(f"{error.message[:1].upper()}{error.message[1:]}. {error.advice}")
    if typed.password and typed.password_from == "libpq":
        missing.append("Say where the password is to be kept: in the keyring, or asked for each time.")
    if typed.password and typed.password_from == "keyring":
        from footnote_desktop.secrets import keyring_state

        state = keyring_state()
        if not state.usable:
            missing.append(f"{state.sentence} {state.advice}")
    return missing


def _test(wizard: Wizard) -> list[str]:
    if wizard.testing:
        return ["The test is running."]
    return [] if wizard.replies.report is not None else ["Run the test first."]


def _result(wizard: Wizard) -> list[str]:
    report = wizard.replies.report
    if report is None:
        return ["Run the test first."]
    others = [item for item in report.items if item.state in ("fail", "unchecked") and item.stage != "role"]
    # The log's place is chosen on a later page.
    blocking = [item for item in others if item.stage != "log location"]
    missing = [f"{item.sentence} {item.advice}".strip() for item in blocking[:3]]
    if wizard.needs_override and not (wizard.typed.override_by.strip() and wizard.typed.override_reason.strip()):
        missing.append(
            "The role can do more than read. Let IT run the SQL and test again; or state who lets it be used all the"
            " same, and why: both are recorded."
        )
    elif not wizard.needs_override and any(i.stage == "role" and i.state == "unchecked" for i in report.items):
        missing.append("It could not be shown that the role can only read.")
    return missing


def _erp(wizard: Wizard) -> list[str]:
    replies = wizard.replies
    if replies.preview_fault:
        return [replies.preview_fault]
    if replies.preview is None:
        return ["The database is being read."]
    return []


def _log(wizard: Wizard) -> list[str]:
    typed = wizard.typed
    missing = []
    try:
        file = profile_file(check_name(typed.name))
        if file.exists() and (wizard.editing is None or file != profile_file(wizard.editing)):
            missing.append("There is a profile of that name already; choose another name.")
    except SettingsError as error:
        missing.append(f"{error}.")
        return missing
    url = typed.url if typed.source == "database" else None
    item = log_item(typed.log or default_log(typed.name), url=url)
    if item.state == "fail":
        missing.append(f"{item.sentence} {item.advice}".strip())
    return missing


def _nothing(wizard: Wizard) -> list[str]:
    return []


def _end(wizard: Wizard) -> list[str]:
    return ["This is the last page."]


_MISSING: dict[Page, Callable[[Wizard], list[str]]] = {
    Page.START: _start,
    Page.CONNECTION: _connection,
    Page.TEST: _test,
    Page.RESULT: _result,
    Page.ERP: _erp,
    Page.LOG: _log,
    Page.CLIENT: _nothing,
    Page.DONE: _end,
}
