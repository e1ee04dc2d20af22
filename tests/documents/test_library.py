"""The library: authority, index on disk, determinism, languages, the rules one by one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footnote_desktop.documents.library import Library
from footnote_desktop.documents.reasons import Reason

DEV = Path(__file__).parent / "corpora" / "dev"


def library(folder: Path, **texts: str) -> Library:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return Library(folder, memory=True)


def status(lib: Library, claim: str) -> tuple[str, list[Reason]]:
    verdict = lib.verify(claim)
    return verdict.status, list(verdict.reasons)


def test_tiers_and_where_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text(
        '["note.md"]\ntier = 2\ntitle = "A list"\ndate = "2024-02-01"\n', encoding="utf-8"
    )
    with library(
        tmp_path,
        note="The fee is EUR 5.00.",
        deal="---\ntier: 1\ntitle: The deal\ndate: 2023-05-06\n---\nThe fee is EUR 6.00.",
        Contract_A="# Contract\nText here.",
    ) as lib:
        found = {s.file: s for s in lib.sources()}
        assert (found["deal.md"].tier, found["deal.md"].tier_origin, found["deal.md"].date) == (
            1,
            "front matter",
            "2023-05-06",
        )
        assert (found["note.md"].tier, found["note.md"].tier_origin, found["note.md"].title) == (
            2,
            "sources.toml",
            "A list",
        )
        assert found["Contract_A.md"].tier == 1
        assert found["Contract_A.md"].tier_origin.startswith("inferred")
        assert status(lib, "The fee is EUR 6.") == ("GROUNDED", [Reason.STATED, Reason.LOWER_TIER_DISAGREES])
        assert status(lib, "The fee is EUR 5.")[0] == "CONTRADICTED"


def test_polarity_and_manner(tmp_path: Path) -> None:
    text = """# Agreement
The Supplier shall not charge interest.
The Customer may cancel the order.
The Buyer proposed a discount of 7%.
According to the Supplier, the warranty has expired.
If the Customer defaults, the Supplier may terminate the agreement.
The board did not reject the dividend.
"""
    with library(tmp_path, agreement=text) as lib:
        assert status(lib, "The Supplier does not charge interest.")[0] != "CONTRADICTED"
        assert status(lib, "The discount is 7%.")[0] == "UNSUPPORTED"
        assert Reason.ONLY_PERMITTED in status(lib, "The Customer cancelled the order.")[1]
        assert Reason.ONLY_REPORTED in status(lib, "The warranty has expired.")[1]
        assert (
            Reason.CONDITION_OMITTED in status(lib, "The Customer defaults.")[1]
            or status(lib, "The Customer defaults.")[0] == "UNSUPPORTED"
        )
        assert status(lib, "The board rejected the dividend.")[0] == "CONTRADICTED"


def test_no_arithmetic_says_so(tmp_path: Path) -> None:
    with library(tmp_path, lease="# Lease\nThe monthly rent is EUR 1,000.00.") as lib:
        verdict = lib.verify("The annual rent is EUR 12,000.")
        assert verdict.status != "GROUNDED"
    with Library(DEV / "report_en", memory=True) as lib:
        verdict = lib.verify("Net profit increased by 30% in 2024.")
        assert verdict.status == "UNSUPPORTED"
        assert verdict.nearest is not None


def test_compound_claims_say_which_part() -> None:
    with Library(DEV / "loan_en", memory=True) as lib:
        verdict = lib.verify("The margin is 2.75% per annum and the agreement is governed by English law.")
        assert verdict.status == "CONTRADICTED"
        assert verdict.reasons[0] == Reason.PART_CONTRADICTED
        assert [p.status for p in verdict.parts] == ["GROUNDED", "CONTRADICTED"]
        assert "English law" in verdict.explanation


def test_amendment_supersedes_and_both_are_shown() -> None:
    with Library(DEV / "supply_pl", memory=True) as lib:
        new = lib.verify("Cena za tonę wynosi 4 950 zł netto.")
        assert new.status == "GROUNDED"
        assert Reason.SUPERSEDES_EARLIER in new.reasons
        assert new.conflicting is not None
        assert "4 720,00" in new.conflicting.text
        old = lib.verify("Cena za tonę wynosi 4 720 zł netto.")
        assert old.reasons[0] == Reason.SUPERSEDED


def test_explanations_in_three_languages() -> None:
    claim = "Rent is payable quarterly in advance."
    texts = set()
    for lang, word in (("en", "says otherwise"), ("de", "sagt etwas anderes"), ("pl", "mówi co innego")):
        with Library(DEV / "lease_de", memory=True, lang=lang) as lib:
            texts.add(lib.verify(claim).explanation)
            assert word in lib.verify(claim).explanation
    assert len(texts) == 3


def test_json_has_the_keys_of_the_surface() -> None:
    with Library(DEV / "lease_de", memory=True) as lib:
        made = lib.verify("Gerichtsstand ist Hamburg.", id="x1").to_json()
    assert {
        "id",
        "status",
        "reasonCodes",
        "quote",
        "file",
        "page",
        "tier",
        "explanation",
        "conflicting",
        "nearest",
    } <= made.keys()
    assert (made["id"], made["status"], made["quote"]) == ("x1", "GROUNDED", "Gerichtsstand ist Hamburg.")
    json.dumps(made)


def test_verify_many_reports_progress_and_can_be_cancelled() -> None:
    seen: list[tuple[int, int]] = []
    with Library(DEV / "lease_de", memory=True) as lib:
        claims = [{"id": 1, "claim": "Gerichtsstand ist Hamburg."}, "Gerichtsstand ist Berlin.", "x"]
        verdicts = lib.verify_many(claims, lambda a, b: seen.append((a, b)), lambda: len(seen) == 2)
    assert [v.status for v in verdicts] == ["GROUNDED", "CONTRADICTED"]
    assert seen == [(1, 3), (2, 3)]


def test_index_is_kept_and_changes_are_seen(tmp_path: Path) -> None:
    folder, cache = tmp_path / "docs", tmp_path / "cache"
    shutil.copytree(DEV / "lease_de", folder)
    with Library(folder, cache) as lib:
        assert lib.verify("Gerichtsstand ist Hamburg.").status == "GROUNDED"
    read: list[str] = []
    with Library(folder, cache) as lib:
        assert not lib.refresh(lambda a, b, f: read.append(f))
        assert read == []
        path = folder / "mietvertrag.md"
        path.write_text(
            path.read_text(encoding="utf-8").replace("Gerichtsstand ist Hamburg", "Gerichtsstand ist Bremen"),
            encoding="utf-8",
        )
        os.utime(path, (time.time() + 5, time.time() + 5))
        assert lib.verify("Gerichtsstand ist Hamburg.").status == "CONTRADICTED"
        path.unlink()
        assert "mietvertrag.md" not in {s.file for s in lib.sources()}
        assert lib.verify("Gerichtsstand ist Bremen.").status == "UNSUPPORTED"


def test_a_damaged_index_is_built_anew(tmp_path: Path) -> None:
    with Library(DEV / "lease_de", tmp_path) as lib:
        lib.sources()
    for path in tmp_path.glob("documents-*"):
        path.write_bytes(b"this is no database" * 500)
    with Library(DEV / "lease_de", tmp_path) as lib:
        assert lib.verify("Gerichtsstand ist Hamburg.").status == "GROUNDED"


SCRIPT = """
import json, sys
from footnote_desktop.documents.library import Library
lib = Library(sys.argv[1], memory=True)
claims = json.load(open(sys.argv[2], encoding="utf-8"))["claims"]
sys.stdout.buffer.write(json.dumps([lib.verify(c["claim"]).to_json() for c in claims], sort_keys=True).encode())
"""


def test_same_bytes_whatever_the_hash_seed_locale_and_file_order(tmp_path: Path) -> None:
    out = []
    claims = DEV / "lease_de" / "claims.json"
    for number, seed in enumerate(("0", "42")):
        folder = tmp_path / str(number) / "docs"
        folder.mkdir(parents=True)
        files = sorted((DEV / "lease_de").glob("*.md"), reverse=bool(number))
        for path in files:
            shutil.copy(path, folder / path.name)
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C" if number else "C.UTF-8", "PYTHONUTF8": "1"}
        done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder), str(claims)], env=env, capture_output=True, check=True,
                              cwd=Path(__file__).resolve().parents[2])  # fmt: skip
        out.append(done.stdout)
    assert out[0] == out[1]


def test_environment_of_the_reference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Library.from_environment(
        {"MCP_REDLINE_CORPUS_DIR": str(DEV / "lease_de"), "MCP_REDLINE_LANG": "pl"}, memory=True
    ) as lib:
        assert lib.lang == "pl"
        assert lib.verify("Gerichtsstand ist Hamburg.").explanation.startswith("Tak stanowi")


def test_a_profile_can_add_words(tmp_path: Path) -> None:
    extra = tmp_path / "own.toml"
    extra.write_text('[noun]\ngizmo = { en = "gizmo", de = "dingsbums", pl = "wihajster*" }\n', encoding="utf-8")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Contract\nThe price of the gizmo is EUR 12.00.", encoding="utf-8")
    with Library(folder, memory=True, lexicons=(extra,)) as lib:
        assert lib.verify("Der Preis des Dingsbums beträgt 12 EUR.").status == "GROUNDED"


def test_reason_codes_are_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "footnote_desktop" / "documents" / "RULES.md").read_text(
        encoding="utf-8"
    )
    assert not [r for r in Reason if str(r) not in page]


def test_search_across_languages() -> None:
    with Library(DEV / "lease_de", memory=True) as lib:
        assert "Hamburg" in lib.search("jurisdiction", 3)[0].quote.text
        assert lib.search("", 3) == []
