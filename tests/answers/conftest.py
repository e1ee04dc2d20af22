"""Desks over both sample sets, each with a log of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote_desktop.answers.desk import Desk, open_desk
from footnote_desktop.settings import from_environment, override


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk over the sample ERP, with a log in a file."""
    with open_desk(override(from_environment({}), log=str(tmp_path / "log.sqlite3"))) as opened:
        yield opened


@pytest.fixture
def tricky(tmp_path: Path) -> Iterator[Desk]:
    """A desk over the sample set of difficult cases."""
    profile = override(from_environment({}, sample="tricky"), log=str(tmp_path / "tricky.sqlite3"))
    with open_desk(profile) as opened:
        yield opened
