"""Names of profiles as people see them. No Qt."""

from __future__ import annotations

from footnote_desktop.settings import Profile, SettingsError, load_profile, profile_names


def display_name(profile: Profile) -> str:
    if profile.saved:
        return profile.name
    return {"sample": "Sample ERP", "tricky": "Tricky cases"}.get(profile.sample or "", profile.name)


def saved_profiles() -> dict[str, Profile]:
    """The saved profiles that can be used, by name; those that cannot are said by ``footnote profile list``."""
    found: dict[str, Profile] = {}
    for name in profile_names():
        try:
            found[name] = load_profile(name)
        except SettingsError:
            continue
    return found
