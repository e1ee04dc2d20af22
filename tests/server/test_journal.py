from __future__ import annotations

import logging
from pathlib import Path

import pytest

from footnote_desktop.server import journal


def test_it_rotates_and_keeps_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SIZE", 2_000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    path = journal.start_journal()
    try:
        assert path
        for number in range(500):
            logging.info("line %d at postgresql://ana:s3cret@db/erp", number)
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["server.log", "server.log.1", "server.log.2", "server.log.3"]
        assert all(file.stat().st_size <= 2_000 for file in files)
        assert "line 499" in path.read_text()
        assert not any("s3cret" in file.read_text() for file in files)
    finally:
        for handler in [handler for handler in root.handlers if handler not in before]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
