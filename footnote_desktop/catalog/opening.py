"""The catalog of a profile: which database it reads, through which mapping."""

from __future__ import annotations

from collections.abc import Callable

from footnote_desktop.catalog.registry import Catalog, Verdict
from footnote_desktop.erp.engine import Engine
from footnote_desktop.erp.mapping import Mapping
from footnote_desktop.settings import Profile


def open_catalog(profile: Profile, verify_log: Callable[[], Verdict]) -> Catalog:
    """The catalog over the profile's database. Nothing is opened, and no driver imported, before the first call."""

    def engine() -> Engine:
        from footnote_desktop.catalog.connecting import open_profile_engine

        return open_profile_engine(profile)

    def mappings() -> list[Mapping]:
        from footnote_desktop.catalog.connecting import known_mappings

        return known_mappings(profile)

    return Catalog(
        engine,
        mappings,
        as_of=profile.as_of_today,
        verify_log=verify_log,
        locale=profile.locale,
        aging_bounds=profile.aging_bounds,
    )
