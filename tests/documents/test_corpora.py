"""The claims: the published ones of the reference, and our own in three languages. Above all: no false GROUNDED."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from footnote_desktop.documents.library import Library

CORPORA = Path(__file__).parent / "corpora"
FOLDERS = sorted(p.parent for p in CORPORA.glob("*/*/claims.json"))


def judged(folder: Path, claims: list[dict[str, str]]) -> tuple[list[str], list[str]]:
    """Ids of the claims judged wrongly, and of those that are falsely GROUNDED."""
    wrong, false = [], []
    with Library(folder, memory=True) as library:
        for claim in claims:
            verdict = library.verify(claim["claim"], id=claim["id"])
            if verdict.status != claim["expected"]:
                wrong.append(claim["id"])
                if verdict.status == "GROUNDED":
                    false.append(claim["id"])
            for quote in (verdict.quote, verdict.nearest, verdict.conflicting):
                if quote is not None:
                    text, start, end = library.passage(quote.file, quote.spans[0][0], quote.spans[-1][1], 0)
                    assert (start, end) == (0, len(text))
                    assert quote.text.split(" […] ")[0] in text
    return wrong, false


def test_published_claims_of_the_reference(shared: Path) -> None:
    folder = shared / "peers" / "redline"
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert len(claims) == 41
    assert judged(folder / "corpus", claims) == ([], [])


def test_further_claims_on_the_corpus_of_the_reference(shared: Path) -> None:
    claims = json.loads((CORPORA / "held_out_3" / "reference_claims.json").read_text(encoding="utf-8"))["claims"]
    wrong, false = judged(shared / "peers" / "redline" / "corpus", claims)
    assert not false
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_own_claims(folder: Path) -> None:
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))["claims"]
    wrong, false = judged(folder, claims)
    assert not false, "falsely GROUNDED"
    allowed = 0.0 if folder.parent.name == "dev" else 0.21
    assert len(wrong) <= allowed * len(claims), wrong


def test_the_sets_are_large_enough_and_a_third_are_traps() -> None:
    claims = [c for f in FOLDERS for c in json.loads((f / "claims.json").read_text(encoding="utf-8"))["claims"]]
    assert len(claims) >= 150
    assert sum("trap" in c for c in claims) * 3 >= len(claims)
    assert len({c["id"] for c in claims}) == len(claims)


def test_nothing_of_the_sample_corpus_is_in_code_or_lexicon(shared: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    files = [*(root / "footnote_desktop" / "documents").rglob("*.py"), *(root / "resources" / "lexicon").glob("*.toml")]
    text = "\n".join(f.read_text(encoding="utf-8") for f in files).lower()
    for word in (
        "apex",
        "velonova",
        "meridian",
        "rogowski",
        "harrington",
        "barclays",
        "thermoking",
        "inv-2024",
        "48 000",
        "48,000",
        "99.8",
    ):
        assert not re.search(rf"(?<!\w){re.escape(word)}", text), word
