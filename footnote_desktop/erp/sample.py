"""The sample ERP: built in memory for the desktop and the terminal, or seeded, when asked, into an empty database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.sqlite import SqliteEngine

TABLES = ("customers", "invoices", "payments", "tickets")
SETS = ("sample", "tricky")


def _scripts(migrations: Path, sample: str) -> Iterator[str]:
    if sample not in SETS:
        raise EngineError(f"there is no sample set {sample!r}", f"Choose one of: {', '.join(SETS)}.")
    for name in ("001_schema.sql", f"002_{sample}.sql"):
        yield (migrations / "erp" / name).read_text(encoding="utf-8")


def in_memory(migrations: Path, sample: str = "sample") -> SqliteEngine:
    """The sample ERP in memory. ``migrations``: the folder of that name."""
    connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    for script in _scripts(migrations, sample):
        connection.executescript(script)
    return SqliteEngine(connection, "Sample ERP" if sample == "sample" else "Sample ERP, tricky cases")


def write_file(migrations: Path, to: Path, sample: str = "sample") -> None:
    """The sample ERP as a new SQLite file. Raises ``FileExistsError`` when there is something already."""
    with to.open("xb"):
        pass
    connection = sqlite3.connect(to)
    try:
        for script in _scripts(migrations, sample):
            connection.executescript(script)
        connection.commit()
    finally:
        connection.close()


def seed(url: str, migrations: Path, sample: str = "sample") -> bool:
    """Create and fill the sample tables in the database of ``url``, which must hold no table of anyone's; a SQLite
    file that is not there is made.

    Only ever called for ``FOOTNOTE_SEED=1``. Returns False when the sample is there already. Raises
    :class:`EngineError` when the database holds tables that are not the sample's; nothing is changed then.
    """
    from footnote_desktop.erp.connect import is_postgres
    from footnote_desktop.erp.log_place import file_of

    if is_postgres(url):
        return seed_postgres(url, migrations, sample)
    file = file_of(url)
    if not file.exists():
        write_file(migrations, file, sample)
        return True
    engine = SqliteEngine.open(str(file))
    try:
        return _may_be_seeded([("main", table) for table in engine.columns()])
    finally:
        engine.close()


def _may_be_seeded(tables: list[tuple[str, str]]) -> bool:
    """Whether a database with these tables (schema, name) lacks the sample. Raises :class:`EngineError`."""
    present = {name for _, name in tables}
    if foreign := sorted(f"{schema}.{name}" for schema, name in tables if name not in TABLES):
        raise EngineError(
            f"FOOTNOTE_SEED=1 was refused: the database already holds tables that are not the sample's"
            f" ({', '.join(foreign[:5])})",
            "Nothing was changed. Unset FOOTNOTE_SEED, or name an empty database.",
        )
    if present and present != set(TABLES):
        raise EngineError(
            "FOOTNOTE_SEED=1 was refused: the database holds some of the sample's tables but not all",
            "Nothing was changed. Name an empty database.",
        )
    return not present


def seed_postgres(url: str, migrations: Path, sample: str = "sample") -> bool:
    """:func:`seed` for PostgreSQL, in one transaction."""
    import psycopg

    from footnote_desktop.erp.postgres import translate

    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            rows = connection.execute(
                "SELECT n.nspname::text, c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema'"
                r" AND n.nspname NOT LIKE 'pg\_%'"
            ).fetchall()
            if not _may_be_seeded([(str(schema), str(name)) for schema, name in rows]):
                return False
            for script in _scripts(migrations, sample):
                connection.execute(script.encode())
    except psycopg.Error as error:
        raise translate(error) from error
    return True
