"""An answer over 100,000 invoices stays small, and so does the log that holds every row of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import made_ledger
import pytest

from footnote_desktop.answers.desk import open_desk
from footnote_desktop.provenance.verify import verify
from footnote_desktop.settings import data_folder, from_environment


@pytest.mark.slow
def test_aging_over_100_000_invoices(tmp_path: Path) -> None:
    erp, log = tmp_path / "erp.sqlite3", tmp_path / "log.sqlite3"
    made_ledger.make(erp, data_folder("migrations"), 100_000)
    profile = from_environment({"DATABASE_URL": str(erp), "AS_OF_DATE": "2026-08-14", "PROVENANCE_DB": str(log)})
    sizes = []
    for _ in range(3):
        with open_desk(profile) as desk:
            reply = desk.call("getReceivablesAging", {})
        assert not reply.refused
        assert len(json.dumps(reply.to_call_json())) < 100_000
        sizes.append(os.path.getsize(log))
    assert sizes[0] < 6_000_000
    assert sizes[2] - sizes[1] < 20_000
    verdict = verify(log)
    assert (verdict.state, verdict.count) == ("intact", 3)
    total = reply.values["totalOutstandingCents"]
    import sqlite3

    by_hand = sqlite3.connect(erp).execute("SELECT SUM(amount_cents - paid_cents) FROM invoices").fetchone()[0]
    late = "SELECT COALESCE(SUM(amount_cents), 0) FROM payments WHERE received_on > '2026-08-14'"
    assert total == by_hand + sqlite3.connect(erp).execute(late).fetchone()[0]
