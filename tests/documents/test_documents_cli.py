"""``footnote documents`` and ``footnote eval`` as processes: verdicts, exit codes, and a record for each verification."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footnote_desktop.answers.documents_desk import DocumentsDesk, evidence_id
from footnote_desktop.documents.library import Library
from footnote_desktop.provenance.actor import current_actor
from footnote_desktop.provenance.errors import LogError
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify
from footnote_desktop.settings import from_environment

DEV = Path(__file__).parent / "corpora" / "dev"
LEASE = DEV / "lease_de"
TRUE, FALSE, OPEN = "Gerichtsstand ist Hamburg.", "Gerichtsstand ist Berlin.", "Der Hausmeister heißt Krause."
KEYS = {"id", "status", "reasonCodes", "quote", "file", "page", "tier", "explanation", "conflicting", "nearest"}


class Terminal:
    """Runs the command with a log and an index of its own."""

    def __init__(self, folder: Path):
        self.log = folder / "log.sqlite3"
        self.env = {
            **os.environ,
            "PROVENANCE_DB": str(self.log),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTHONWARNINGS": "error",
        }

    def run(self, *args: str, text: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "footnote_desktop", *args],
            env={**self.env, **env},
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=240,
        )

    def json(self, *args: str, code: int = 0, text: str | None = None, **env: str) -> Any:
        done = self.run(*args, "--json", text=text, **env)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def folder(name: Path = LEASE) -> tuple[str, str]:
    return "--folder", str(name)


# -- one statement, and lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "status", "code"), [(TRUE, "GROUNDED", 0), (FALSE, "CONTRADICTED", 1), (OPEN, "UNSUPPORTED", 1)]
)
def test_one_statement(terminal: Terminal, claim: str, status: str, code: int) -> None:
    verdict = terminal.json("documents", "verify", *folder(), claim, code=code)
    assert verdict.keys() >= KEYS
    assert verdict["status"] == status
    if status != "UNSUPPORTED":
        assert (verdict["quote"], verdict["file"], verdict["tier"]) == (TRUE, "mietvertrag.md", 1)
        assert verdict["quote"] in (LEASE / verdict["file"]).read_text(encoding="utf-8")
    said = terminal.run("documents", "verify", *folder(), claim)
    assert said.returncode == code
    assert said.stdout.startswith(status)
    assert terminal.json("verify")["count"] == 2


def test_a_list_keeps_its_order_and_ids(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "claims.json"
    claims = [{"id": 7, "claim": TRUE}, {"id": "b", "claim": FALSE}, TRUE]
    file.write_text(json.dumps(claims), encoding="utf-8")
    verdicts = terminal.json("documents", "verify", *folder(), "--claims", str(file), code=1)
    assert [(v["id"], v["status"]) for v in verdicts] == [(7, "GROUNDED"), ("b", "CONTRADICTED"), (None, "GROUNDED")]
    assert [v["provenance"]["sequence"] for v in verdicts] == [1, 2, 3]
    from_stdin = terminal.json("documents", "verify", *folder(), "--claims", "-", text=json.dumps({"claims": [TRUE]}))
    assert from_stdin[0]["status"] == "GROUNDED"


def test_the_folder_and_language_of_the_reference_carry_over(terminal: Terminal) -> None:
    env = {"MCP_REDLINE_CORPUS_DIR": str(LEASE), "MCP_REDLINE_LANG": "pl"}
    assert terminal.json("documents", "verify", TRUE, **env)["explanation"].startswith("Tak stanowi")
    assert terminal.json("documents", "verify", "--lang", "en", TRUE, **env)["explanation"].startswith("Stated in")


def test_published_claims_of_the_reference(terminal: Terminal, shared: Path) -> None:
    reference = shared / "peers" / "redline"
    corpus = folder(reference / "corpus")
    measured = terminal.json("eval", str(reference / "claims.json"), *corpus)
    assert [(s["split"], s["correct"], s["claims"]) for s in measured["splits"]] == [
        ("legacy", 10, 10),
        ("dev", 31, 31),
    ]
    assert measured["total"]["falseGrounded"] == 0
    assert not terminal.log.exists(), "an evaluation records nothing"
    verdicts = terminal.json("documents", "verify", *corpus, "--claims", str(reference / "claims.json"), code=1)
    expected = json.loads((reference / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert [(v["id"], v["status"]) for v in verdicts] == [(c["id"], c["expected"]) for c in expected]
    assert terminal.json("verify")["count"] == 41


# -- what is recorded ------------------------------------------------------------------------------------------------


def test_the_record_holds_quote_pointer_and_hash_and_can_be_verified(terminal: Terminal) -> None:
    shown = terminal.json("documents", "verify", *folder(), FALSE, code=1)
    record = terminal.json("records")["records"][0]
    assert (record["id"], record["question"]) == (shown["provenance"]["id"], FALSE)
    operation = record["operations"][0]
    assert (operation["kind"], operation["outcome"]) == ("document_verification", "CONTRADICTED")
    assert operation["reasonCodes"] == shown["reasonCodes"]
    assert operation["client"]["transport"] == "cli"
    (evidence,) = record["evidence"]
    assert evidence["id"].startswith("doc:mietvertrag.md#")
    assert evidence["type"] == "quote"
    assert evidence["uri"] == shown["evidence"]["uri"]
    assert (evidence["fields"]["quote"], evidence["fields"]["file"]) == (TRUE, "mietvertrag.md")
    assert len(evidence["fields"]["sha256"]) == 64
    for claim in record["claims"]:
        units = record["answer"].encode("utf-16-le")
        assert units[claim["span"]["start"] * 2 : claim["span"]["end"] * 2].decode("utf-16-le") == claim["text"] == TRUE
        assert claim["evidenceIds"] == [evidence["id"]]
    verdict = verify(terminal.log)
    assert (verdict.state, verdict.count) == ("intact", 1)
    assert "4 figures follow" in verdict.reason


def desk(path: Path, documents: Path, library: Library) -> DocumentsDesk:
    profile = from_environment({"PROVENANCE_DB": str(path)})
    return DocumentsDesk(library, open_log(str(path)), profile, current_actor(None, "controller"))


def test_every_verdict_on_every_corpus_can_be_recorded(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite3"
    recorded = 0
    for corpus in sorted(DEV.iterdir()):
        claims = json.loads((corpus / "claims.json").read_text(encoding="utf-8"))["claims"]
        with Library(corpus, memory=True) as library:
            documents = desk(log, corpus, library)
            for found in documents.verify_many(claims):
                recorded += 1
                quotes = (found.verdict.quote, found.verdict.conflicting, found.verdict.nearest)
                ids = {evidence_id(quote) for quote in quotes if quote is not None}
                assert ids <= {entry.id for entry in found.evidence}
            documents.log.close()
    verdict = verify(log)
    assert (verdict.state, verdict.count) == ("intact", recorded)


def test_names_with_spaces_and_control_characters(tmp_path: Path) -> None:
    corpus = tmp_path / "docs"
    corpus.mkdir()
    (corpus / "Vertrag Müller #1.md").write_text("Die Miete beträgt 900\u202e EUR 😀.\n", encoding="utf-8")
    with Library(corpus, memory=True) as library:
        documents = desk(tmp_path / "log.sqlite3", corpus, library)
        found = documents.verify("Die Miete beträgt 800 EUR\u0000.")
        assert found.evidence
        assert found.evidence[0].uri.startswith("doc://Vertrag%20M%C3%BCller%20%231.md#char=")
        documents.log.close()
    assert verify(tmp_path / "log.sqlite3").state == "intact"


def test_a_statement_that_is_too_long_is_never_confirmed(terminal: Terminal) -> None:
    verdict = terminal.json("documents", "verify", *folder(), "-", code=1, text=f"{TRUE} " * 400)
    assert (verdict["status"], verdict["reasonCodes"]) == ("UNSUPPORTED", ["CLAIM_TOO_LONG"])
    assert terminal.json("verify")["state"] == "intact"


def test_without_a_record_there_is_no_verdict(terminal: Terminal, tmp_path: Path) -> None:
    terminal.log.mkdir()
    done = terminal.run("documents", "verify", *folder(), TRUE, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout).keys() == {"error"}

    class Full:
        def append(self, *_: object) -> None:
            raise LogError("The disk is full.")

    with Library(LEASE, memory=True) as library:
        documents = DocumentsDesk(
            library,
            Full(),
            from_environment({}),
            current_actor(None, "controller"),  # type: ignore[arg-type]
        )
        with pytest.raises(LogError):
            documents.verify(TRUE)


# -- list, search, quote ---------------------------------------------------------------------------------------------


def test_list_says_where_tier_date_and_title_come_from(terminal: Terminal, tmp_path: Path) -> None:
    sources = terminal.json("documents", "list", *folder())["sources"]
    assert [s["file"] for s in sources] == sorted(p.name for p in LEASE.iterdir())
    contract = next(s for s in sources if s["file"] == "mietvertrag.md")
    assert (contract["tier"], contract["tierOrigin"], contract["date"]) == (1, "front matter", "2022-03-14")
    assert "no reader for .json" in terminal.run("documents", "list", *folder()).stdout


def test_search_and_quote(terminal: Terminal) -> None:
    hits = terminal.json("documents", "search", *folder(), "jurisdiction", "--limit", "3")["hits"]
    assert hits[0]["quote"] == TRUE
    quotes = terminal.json("documents", "quote", *folder(), "Gerichtsstand", "--file", "mietvertrag.md")["quotes"]
    assert quotes[0]["quote"] == TRUE
    assert terminal.json("documents", "search", *folder(), "Xyzzyx", code=1) == {"hits": []}
    assert "“Gerichtsstand ist Hamburg.”" in terminal.run("documents", "quote", *folder(), "Gerichtsstand").stdout
    assert not terminal.log.exists(), "only verifications are recorded"


# -- could not run ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("verify", "x"), "No folder of documents is named"),
        (("verify", "x", "--folder", "missing"), "missing is no folder"),
        (("verify", *folder()), "Give a statement or --claims"),
        (("verify", *folder(), "x", "--claims", "y"), "Give a statement or --claims"),
        (("verify", *folder(), "--claims", "missing.json"), "missing.json cannot be read"),
        (("verify", *folder(), "--claims", "-"), "is not JSON"),
        (("quote", *folder(), "x", "--file", "missing.md"), "no document missing.md"),
        (("search", *folder(), "x", "--limit", "0"), "is not a number from 1 to 200"),
        ((), "Say what to do"),
    ],
)
def test_what_cannot_run_says_why(terminal: Terminal, args: tuple[str, ...], message: str) -> None:
    done = terminal.run("documents", *args, "--json", text="{")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert message in error["message"]
    assert error["advice"]
    assert "Traceback" not in done.stderr


# -- eval ------------------------------------------------------------------------------------------------------------


def test_eval_counts_per_split(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "claims.json"
    claims = [
        {"id": "1", "split": "one", "claim": TRUE, "expected": "GROUNDED"},
        {"id": "2", "split": "one", "claim": FALSE, "expected": "CONTRADICTED"},
        {"id": "3", "split": "two", "claim": OPEN, "expected": "CONTRADICTED"},
        {"id": "4", "split": "two", "claim": TRUE, "expected": "UNSUPPORTED"},
    ]
    file.write_text(json.dumps({"claims": claims}), encoding="utf-8")
    measured = terminal.json("eval", str(file), *folder(), code=1)
    one, two = measured["splits"]
    assert (one["accuracy"], one["falseGrounded"], one["factsConfirmed"], one["nonFactsRefused"]) == (1.0, 0, 1, 1)
    assert (two["accuracy"], two["falseGrounded"], two["nonFacts"], two["nonFactsRefused"]) == (0.0, 1, 2, 1)
    assert [entry["id"] for entry in measured["wrong"]] == ["3", "4"]
    table = terminal.run("eval", str(file), *folder())
    assert table.returncode == 1
    assert "false GROUNDED" in table.stdout.splitlines()[0]
    file.write_text(json.dumps([{"claim": TRUE}]), encoding="utf-8")
    assert "expected" in terminal.json("eval", str(file), *folder(), code=2)["error"]["message"]


def test_two_libraries_over_one_index_see_the_same(tmp_path: Path) -> None:
    """Another process may read a changed file first; the index it left must not be taken for one's own."""
    corpus = tmp_path / "docs"
    corpus.mkdir()
    file = corpus / "a.md"
    file.write_text("The rent is EUR 900 per month.", encoding="utf-8")
    with Library(corpus, tmp_path / "cache") as one, Library(corpus, tmp_path / "cache") as two:
        assert one.verify("The rent is EUR 900 per month.").status == "GROUNDED"
        assert two.verify("The rent is EUR 900 per month.").status == "GROUNDED"
        file.write_text("The rent is EUR 1,200 per month.", encoding="utf-8")
        assert two.verify("The rent is EUR 900 per month.").status == "CONTRADICTED"
        assert one.verify("The rent is EUR 900 per month.").status == "CONTRADICTED"


def test_an_index_built_anew_by_another_process_never_mixes_files_up(tmp_path: Path) -> None:
    corpus = tmp_path / "docs"
    corpus.mkdir()
    for name, rent in (("b", 900), ("c", 700)):
        (corpus / f"{name}.md").write_text(f"The rent of {name.upper()} Ltd is EUR {rent} per month.", encoding="utf-8")
    with Library(corpus, tmp_path / "cache") as one:
        assert one.verify("The rent of B Ltd is EUR 900 per month.").status == "GROUNDED"
        one._store.forget()
        one._store.db.executescript("DELETE FROM docs; DELETE FROM terms;")  # as a later version does on opening it
        (corpus / "a.md").write_text("The rent of A Ltd is EUR 500 per month.", encoding="utf-8")
        with Library(corpus, tmp_path / "cache") as two:
            assert [s.file for s in two.sources()] == ["a.md", "b.md", "c.md"]
            (corpus / "a.md").unlink()
            for name, rent in (("B", 900), ("C", 700)):
                verdict = one.verify(f"The rent of {name} Ltd is EUR {rent} per month.")
                assert verdict.status == "GROUNDED"
                assert verdict.quote is not None
                assert verdict.quote.file == f"{name.lower()}.md"
                assert verdict.quote.text in (corpus / verdict.quote.file).read_text(encoding="utf-8")
