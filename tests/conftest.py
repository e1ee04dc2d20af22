"""What every test may use: files beside the checkout, a real PostgreSQL, and an environment of its own."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import postgres
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Before any test imports Qt: no test needs a screen. FOOTNOTE_TEST_SCREEN=1 shows the windows.
if os.environ.get("FOOTNOTE_TEST_SCREEN") != "1":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

#: What a developer may have set for their own use; no test may see it.
OWN_SETTINGS = (
    "DATABASE_URL",
    "PROVENANCE_DB",
    "PROVENANCE_ACTOR",
    "PROVENANCE_ROLE",
    "AS_OF_DATE",
    "FOOTNOTE_COMPANY",
    "FOOTNOTE_LOCALE",
    "FOOTNOTE_SEED",
    "MCP_REDLINE_CORPUS_DIR",
    "MCP_REDLINE_LANG",
)

_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No setting of the developer's is seen, and no test writes to the developer's data folder."""
    for name in OWN_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path_factory.getbasetemp() / "home"
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Material for comparison that lies beside the checkout on the project's own machines."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder 'shared' beside the checkout, which is not there")
    return folder


@pytest.fixture(scope="session")
def pg_url() -> Iterator[str]:
    """The URL of a real PostgreSQL's maintenance database, one server for the whole run. Use ``pg_database``
    unless the test makes its own databases."""
    server = postgres.start()
    yield server.url
    server.stop()


@pytest.fixture
def pg_database(pg_url: str) -> Iterator[str]:
    """The URL of a fresh, empty database that this test alone uses."""
    import psycopg

    name = f"footnote_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(pg_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
        yield urlsplit(pg_url)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
