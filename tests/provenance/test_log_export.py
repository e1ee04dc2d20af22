"""Exports carry everything, verify by themselves, and are whole or not there."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import random
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from log_drafts import rowset_of

from footnote_desktop.provenance.errors import LogCancelledError, LogError
from footnote_desktop.provenance.export import export_csv, export_file, export_json, export_jsonl, export_peer_sqlite
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.rowset import read_rowset
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

Make = Callable[..., Draft]


@pytest.fixture
def rich(five: Path, draft: Make) -> Path:
    """Five records, one with emoji and hostile text, one over a row set."""
    rows = [{"id": f"invoice:{n}", "label": str(n), "currency": "EUR", "outstanding": f"{n}.00"} for n in range(1500)]
    rowset = rowset_of(rows, "open invoices")
    citation = {
        "path": "totals[0].outstanding",
        "text": "1.124.250,00\u00a0€",
        "exact": "1124250.00",
        "unit": "EUR",
        "evidenceIds": [rowset.evidence.id],
        "derivation": {"kind": "sum", "field": "outstanding"},
    }
    with open_log(five) as log:
        log.append(draft('\ud800 =HYPERLINK("x") \U0001f600\u2028\x1f', answer="@\x00" + "long " * 2000))
        log.append(
            draft(
                "Aging",
                claims=[],
                operations=[{"name": "aging", "citations": [citation]}],
                evidence=[rowset.evidence.to_json()],
            ),
            [rowset.manifest, *rowset.chunks],
        )
        log.append(draft("Refused", claims=[], operations=[], evidence=[]))
    return five


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_an_export_is_the_log(rich: Path, tmp_path: Path, suffix: str) -> None:
    to = tmp_path / f"out{suffix}"
    with open_log(rich, read_only=True) as log:
        manifest = export_file(log, to)
        content = to.read_bytes()
        assert manifest["sha256"] == hashlib.sha256(content).hexdigest()
        assert manifest["bytes"] == len(content)
        assert (manifest["records"], manifest["complete"]) == (8, True)
        assert (manifest["firstSequence"], manifest["lastSequence"], manifest["headHash"]) == (1, *log.head())
        assert manifest["attachments"] == len(list(log.attachments())) > 1
        verdict = verify(to)
        assert verdict.ok, verdict
        assert (verdict.kind, verdict.count, verdict.figures, verdict.unchecked) == ("export", 8, 7, 0)
        with open_log(to) as export:
            assert export.kind == "export"
            assert export.records() == log.records()
            assert export.get(6) == log.get(6)
            assert [record.sequence for record in export.records("aging")] == [7]
            assert sorted(export.attachments()) == sorted(log.attachments())
            record = export.get(7)
            assert record is not None
            assert len(list(read_rowset(export.attachment, record.evidence[0]))) == 1500
            again = export_file(export, tmp_path / f"again{suffix}")
            assert again["headHash"] == manifest["headHash"]
    assert verify(tmp_path / f"again{suffix}").ok


def test_the_json_export_is_the_peers_and_more(rich: Path, tmp_path: Path) -> None:
    with open_log(rich, read_only=True) as log:
        export_json(log, tmp_path / "out.json")
        document = json.loads((tmp_path / "out.json").read_text("utf-8"))
        assert document["format"] == "footnote/v0"
        assert document["exportedAt"].endswith("Z")
        assert document["chainIntegrity"] == {"ok": True, "count": 8}
        assert document["records"] == [record.to_json() for record in reversed(log.records())]
        for digest, packed in document["attachments"].items():
            assert hashlib.sha256(zlib.decompress(base64.b64decode(packed["data"]))).hexdigest() == digest
        assert document["manifest"]["records"] == 8


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_an_export_may_be_laid_out_anew(rich: Path, tmp_path: Path, suffix: str) -> None:
    to = tmp_path / f"out{suffix}"
    with open_log(rich, read_only=True) as log:
        export_file(log, to)
    text = to.read_text("utf-8")
    if suffix == ".json":
        to.write_text(json.dumps(json.loads(text), indent=3, sort_keys=True), "utf-8-sig")
    else:
        lines = [json.dumps(json.loads(line), ensure_ascii=True) for line in text.split("\n") if line]
        to.write_text("\r\n".join(lines), "utf-8")
    verdict = verify(to)
    assert verdict.ok, verdict
    assert (verdict.kind, verdict.count, verdict.figures) == ("export", 8, 7)


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize(
    ("change", "state", "at"),
    [
        (lambda r, d: r[2].update(answer="43.806,00 €"), "contentChanged", 3),
        (lambda r, d: r[2].pop("answer"), "contentChanged", 3),
        (lambda r, d: r[2].pop("hash"), "contentChanged", 3),
        (lambda r, d: r[2]["claims"].append({"text": "1"}), "contentChanged", 3),
        (lambda r, d: r[2].update(sequence=4), "contentChanged", 4),
        (lambda r, d: r.pop(2), "linkBroken", 3),
        (lambda r, d: r.pop(0), "linkBroken", 1),
        (lambda r, d: r.insert(2, r.pop(3)), "linkBroken", 3),
        (lambda r, d: r.insert(2, r[2]), "linkBroken", 3),
        (lambda r, d: r.pop(), "linkBroken", 8),
        (lambda r, d: d["attachments"].clear(), "contentChanged", 7),
        (lambda r, d: [v.update(data="") for v in d["attachments"].values()], "contentChanged", 7),
        (lambda r, d: [v.update(data="!") for v in d["attachments"].values()], "contentChanged", 7),
    ],
    ids=range(13),
)
def test_a_changed_export_is_found_whatever_it_claims(
    rich: Path, tmp_path: Path, change: Callable[..., Any], state: str, at: int, suffix: str
) -> None:
    to = tmp_path / f"out{suffix}"
    with open_log(rich, read_only=True) as log:
        export_json(log, to)
    document = json.loads(to.read_text("utf-8"))
    change(document["records"], document)
    assert document["chainIntegrity"]["ok"] is True
    if suffix == ".json":
        to.write_text(json.dumps(document), "utf-8")
    else:
        attachments = [{"attachment": {"sha256": digest, **data}} for digest, data in document["attachments"].items()]
        lines = [*document["records"], *attachments, {"manifest": document["manifest"]}]
        to.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    verdict = verify(to)
    assert (verdict.state, verdict.failed_at) == (state, at), verdict


def test_any_changed_byte_of_the_records_of_an_export_is_found(five: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.json"
    with open_log(five, read_only=True) as log:
        export_json(log, to)
    whole = to.read_bytes()
    start, end = whole.index(b'"records":[') + 12, whole.index(b'"attachments"')
    chance = random.Random(3)
    for _ in range(400):
        place = chance.randrange(start, end - 5)
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        if json_equal(bytes(changed), whole):
            continue  # one kind of space for another
        to.write_bytes(changed)
        assert not verify(to).ok, (place, whole[place - 20 : place + 20])


def json_equal(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_a_cut_export_is_found_and_says_what_still_holds(rich: Path, tmp_path: Path, suffix: str) -> None:
    to = tmp_path / f"out{suffix}"
    with open_log(rich, read_only=True) as log:
        export_file(log, to)
    whole = to.read_bytes()
    for place in [*range(1, 400, 37), *range(400, len(whole) - 3, len(whole) // 40)]:
        to.write_bytes(whole[:place])
        verdict = verify(to)
        if suffix == ".jsonl" and whole[place - 1 : place + 1] in (b"}\n", b"\n{"):
            continue  # cut between two lines, which a plain chain cannot tell
        assert not verdict.ok, place
        if verdict.proven:
            assert verdict.failed_at == verdict.proven + 1


def test_a_selection_says_that_it_is_one(rich: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.json"
    with open_log(rich, read_only=True) as log:
        record = log.get(7)
        assert record is not None
        manifest = export_json(log, to, chosen=[3, record.id, 2])
        assert (manifest["records"], manifest["complete"]) == (3, False)
        verdict = verify(to)
        assert verdict.ok, verdict
        assert "selection" in verdict.reason
        with pytest.raises(LogError, match="no record 99"):
            export_json(log, to, chosen=[99])
    document = json.loads(to.read_text("utf-8"))
    assert [entry["sequence"] for entry in document["records"]] == [2, 3, 7]
    assert len(document["attachments"]) == manifest["attachments"] > 1
    document["records"][1]["answer"] = "changed"
    to.write_text(json.dumps(document), "utf-8")
    assert verify(to).state == "contentChanged"
    with open_log(rich, read_only=True) as log:
        manifest = export_jsonl(log, to, chosen=[2])
    assert manifest["attachments"] == 0
    assert verify(to).ok


def test_figures_for_a_spreadsheet(rich: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.csv"
    with open_log(rich, read_only=True) as log:
        export_csv(log, to)
        hashes = {str(record.sequence): record.hash for record in log.records()}
    assert to.read_bytes().startswith(b"\xef\xbb\xbf")
    with to.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["sequence"] for line in lines] == [str(number) for number in range(1, 9)]
    assert all(line["hash"] == hashes[line["sequence"]] for line in lines)
    assert lines[0]["figure"] == "43.805,00\u00a0€"
    assert lines[0]["exact"] == "43805.00"
    assert lines[0]["evidence"] == "invoice:8812 invoice:8834 invoice:8901 invoice:8977"
    assert lines[7]["figure"] == ""
    assert lines[7]["operation"] == "none"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-500.00", "-500.00"),
        ("Bergmann", "Bergmann"),
    ],
)
def test_no_cell_is_a_formula(path: Path, draft: Make, tmp_path: Path, text: str, cell: str) -> None:
    to = tmp_path / "out.csv"
    with open_log(path) as log:
        log.append(draft(text, operations=[{"name": text}], claims=[{"text": text, "evidenceIds": [text]}]))
        export_csv(log, to)
    with to.open(encoding="utf-8-sig", newline="") as file:
        line = next(csv.DictReader(file))
    assert (line["question"], line["operation"], line["figure"], line["evidence"]) == (cell, cell, cell, cell)


def test_the_peers_table(rich: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.sqlite3"
    with open_log(rich, read_only=True) as log:
        manifest = export_peer_sqlite(log, to)
        assert manifest["attachments"] == 0
        verdict = verify(to)
        assert verdict.ok, verdict
        assert (verdict.kind, verdict.count, verdict.figures, verdict.unchecked) == ("peer-log", 8, 6, 1)
        assert "1 figures stand on rows that this kind of file does not carry" in verdict.reason
        with open_log(to) as peer:
            assert peer.records() == log.records()
    database = sqlite3.connect(to)
    body = database.execute("SELECT body FROM provenance WHERE sequence = 1").fetchone()[0]
    database.close()
    assert list(json.loads(body)) == ["claims", "operations", "evidence"]


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".sqlite3"])
def test_a_stopped_export_leaves_nothing(rich: Path, tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    to = folder / f"out{suffix}"
    to.write_bytes(b"the one before")
    with open_log(rich, read_only=True) as log:
        with pytest.raises(LogCancelledError):
            export_file(log, to, cancel=lambda: True)
        assert [(file.name, file.read_bytes()) for file in folder.iterdir()] == [(to.name, b"the one before")]
        seen: list[tuple[int, int]] = []
        export_file(log, to, progress=lambda done, total: seen.append((done, total)))
        assert seen[0] == (0, 8)
        assert seen[-1] == (8, 8)
        assert [file.name for file in folder.iterdir()] == [to.name]


def test_places_that_cannot_be_exported_to(rich: Path, tmp_path: Path) -> None:
    before = rich.read_bytes()
    with open_log(rich) as log:
        for to, message in [
            (rich, "is the log itself"),
            (tmp_path, "cannot be exported"),
            (tmp_path / "a.docx", "ends in .docx"),
            (tmp_path / "no" / "a.json", "could not be written"),
            (rich / "a.json", "could not be written"),
        ]:
            with pytest.raises(LogError, match=message):
                export_file(log, to)
    assert rich.read_bytes() == before


def test_a_broken_log_exports_as_broken(rich: Path, tmp_path: Path, attack: Callable[..., None]) -> None:
    attack(
        rich, "UPDATE record SET canon = cast(replace(cast(canon as text), '43.805', '43.806') as blob) WHERE seq = 3"
    )
    to = tmp_path / "out.json"
    with open_log(rich, read_only=True) as log:
        export_json(log, to)
    integrity = json.loads(to.read_text("utf-8"))["chainIntegrity"]
    assert (integrity["ok"], integrity["failedAt"]) == (False, 3)
    verdict = verify(to)
    assert (verdict.state, verdict.failed_at) == ("contentChanged", 3)
    attack(rich, "UPDATE record SET canon = x'00' WHERE seq = 3")
    with open_log(rich, read_only=True) as log, pytest.raises(LogError, match="Record 3"):
        export_json(log, to)
