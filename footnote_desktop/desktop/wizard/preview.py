"""What is found in a database before it is saved: how much there is, and three figures to compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from footnote_desktop.erp.engine import Engine
    from footnote_desktop.settings import Profile


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as an operation gave it: nothing is added up here."""

    label: str
    shown: str


@dataclass(frozen=True, slots=True)
class Preview:
    erp: str
    company: str
    customers: int
    open_invoices: int
    figures: tuple[Figure, ...]
    as_of: str  #: ISO 8601
    as_of_source: str


def look(profile: Profile, password: str | None, *, refuse_writers: bool) -> Preview:
    """Read the database of a profile that is not saved yet. Raises ``Refusal`` saying why it cannot be read."""
    from footnote_desktop.catalog.connecting import known_mappings
    from footnote_desktop.catalog.registry import Catalog
    from footnote_desktop.provenance.verify import Verdict

    def engine() -> Engine:
        if profile.database_url is None:
            from footnote_desktop.catalog.connecting import open_profile_engine

            return open_profile_engine(replace(profile, saved=False))
        from footnote_desktop.erp.connect import open_engine

        return open_engine(profile.database_url, password=password, ssh=profile.ssh, refuse_writers=refuse_writers)

    def no_log() -> Verdict:
        raise RuntimeError("a preview has no log")

    catalog = Catalog(
        engine,
        lambda: known_mappings(profile),
        as_of=profile.as_of_today,
        verify_log=no_log,
        locale=profile.locale,
        aging_bounds=profile.aging_bounds,
    )
    try:
        found = catalog.describe()
        customers = len(catalog.customers())
        aging = cast(dict[str, Any], catalog.run("getReceivablesAging", {}).values)
        debtors = cast(dict[str, Any], catalog.run("getTopDebtors", {"limit": 1}).values)
        day, source = profile.as_of_today()
        return Preview(
            erp=str(found["mapping"]),
            company=str(found["company"]),
            customers=customers,
            open_invoices=int(aging["invoiceCount"]),
            figures=tuple(_figures(aging, debtors)),
            as_of=day.isoformat(),
            as_of_source=source,
        )
    finally:
        catalog.close()


def _figures(aging: dict[str, Any], debtors: dict[str, Any]) -> list[Figure]:
    figures = [Figure(f"Open receivables in {t['currency']}", str(t["outstanding"])) for t in aging["totals"][:1]]
    figures += [Figure(str(b["label"]).capitalize(), str(b["outstanding"])) for b in aging["buckets"][:1]]
    figures += [Figure(f"Owed by {d['customerName']}", str(d["openBalance"])) for d in debtors["debtors"][:1]]
    return figures
