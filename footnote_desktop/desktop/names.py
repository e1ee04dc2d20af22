"""Names of profiles as people see them. No Qt."""

from __future__ import annotations

from footnote_desktop.settings import Profile


def display_name(profile: Profile) -> str:
    if profile.saved:
        return profile.name
    return {"sample": "Sample ERP", "tricky": "Tricky cases"}.get(profile.sample or "", profile.name)
