"""A log with something in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from log_drafts import answer

from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import SqliteLog, open_log


@pytest.fixture
def draft() -> Callable[..., Draft]:
    return answer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite3"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    with open_log(path) as opened:
        assert isinstance(opened, SqliteLog)
        yield opened


@pytest.fixture
def five(path: Path) -> Path:
    """A closed log of five records."""
    with open_log(path) as log:
        for number in range(1, 6):
            log.append(answer(f"Question {number}"))
    return path


@pytest.fixture
def attack() -> Callable[..., None]:
    """Change a log file as somebody would who knows SQL: without its triggers."""

    def change(path: Path, *statements: str, **values: Any) -> None:
        database = sqlite3.connect(path, isolation_level=None)
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement, values)
        database.close()

    return change
