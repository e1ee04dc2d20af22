"""Profiles and paths: which database, which log, which as-of date, in which locale."""

from footnote_desktop.settings.names import check_name
from footnote_desktop.settings.paths import data_folder, default_log, profiles_folder
from footnote_desktop.settings.profile import (
    NOT_RECONCILED,
    SAMPLE_AS_OF,
    AsOfRule,
    Confirmation,
    PasswordFrom,
    Profile,
    SettingsError,
    from_environment,
    last_period_end,
    override,
    parse_date,
    with_environment,
)
from footnote_desktop.settings.store import (
    choose_profile,
    duplicate_profile,
    edit_profile,
    load_profile,
    new_profile,
    profile_file,
    profile_names,
    remove_profile,
    rename_profile,
    save_profile,
)

__all__ = [
    "NOT_RECONCILED",
    "SAMPLE_AS_OF",
    "AsOfRule",
    "Confirmation",
    "PasswordFrom",
    "Profile",
    "SettingsError",
    "check_name",
    "choose_profile",
    "data_folder",
    "default_log",
    "duplicate_profile",
    "edit_profile",
    "from_environment",
    "last_period_end",
    "load_profile",
    "new_profile",
    "override",
    "parse_date",
    "profile_file",
    "profile_names",
    "profiles_folder",
    "remove_profile",
    "rename_profile",
    "save_profile",
    "with_environment",
]
