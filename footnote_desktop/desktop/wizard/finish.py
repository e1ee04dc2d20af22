"""The end of the wizard: the decision is recorded first, then the profile is saved, then the password is kept."""

from __future__ import annotations

from footnote_desktop.catalog.confirmations import with_writer_override, writer_override_draft
from footnote_desktop.catalog.connecting import add_profile, change_profile
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.provenance.actor import current_actor
from footnote_desktop.settings import Profile, SettingsError


def finish(wizard: Wizard) -> Profile:
    """Save what the wizard holds; the profile. Raises :class:`SettingsError`, ``SecretError`` or ``LogError``: nothing
    is saved then, and the wizard can go on where it is."""
    profile, password = wizard.profile()
    if wizard.needs_override:
        from footnote_desktop.provenance.store import open_log

        report = wizard.replies.report
        assert report is not None
        if not (wizard.typed.override_by.strip() and wizard.typed.override_reason.strip()):
            raise SettingsError("state who lets a role that can write be used, and why")
        actor = current_actor(profile.actor_label, profile.role)
        draft = writer_override_draft(
            profile,
            actor,
            by=wizard.typed.override_by,
            reason=wizard.typed.override_reason,
            findings=[item.sentence for item in report.items if item.stage == "role" and item.state == "fail"],
        )
        log = open_log(profile.log)
        try:
            profile = with_writer_override(profile, log.append(draft))
        finally:
            log.close()
    if wizard.editing:
        return change_profile(wizard.editing, profile, password, name_after=wizard.typed.name)
    add_profile(profile, password)
    return profile
