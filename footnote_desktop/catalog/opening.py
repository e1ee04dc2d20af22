"""The catalog of a profile: which database it reads, through which mapping."""

from __future__ import annotations

from collections.abc import Callable

from footnote_desktop.catalog.registry import Catalog, Verdict
from footnote_desktop.erp.engine import Engine
from footnote_desktop.erp.mapping import Mapping
from footnote_desktop.settings import Profile, data_folder


def open_catalog(profile: Profile, verify_log: Callable[[], Verdict]) -> Catalog:
    """The catalog over the profile's database. Nothing is opened, and no driver imported, before the first call."""

    def engine() -> Engine:
        if profile.database_url is None:
            from footnote_desktop.erp.sample import in_memory

            return in_memory(data_folder("migrations"), profile.sample or "sample")
        from footnote_desktop.erp.connect import open_engine

        if profile.seed:
            from footnote_desktop.erp.sample import seed_postgres

            seed_postgres(profile.database_url, data_folder("migrations"))
        return open_engine(profile.database_url)

    def mappings() -> list[Mapping]:
        from footnote_desktop.erp.mapping import load_mapping

        return [load_mapping(file) for file in sorted((data_folder("resources") / "erp").glob("*.toml"))]

    return Catalog(
        engine,
        mappings,
        as_of=profile.as_of_today,
        verify_log=verify_log,
        locale=profile.locale,
        aging_bounds=profile.aging_bounds,
    )
