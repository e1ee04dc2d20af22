"""Nothing leaves the desk that the log does not hold."""

from __future__ import annotations

import datetime as dt
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from footnote_desktop.answers.desk import Desk, open_desk
from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.erp.sample import write_file
from footnote_desktop.provenance.errors import LogError
from footnote_desktop.provenance.record import Record
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify
from footnote_desktop.settings import data_folder, from_environment, override


def last(desk: Desk) -> Record:
    (record,) = desk.log.records(limit=1)
    return record


def test_an_answer_is_recorded_as_it_is_given(desk: Desk) -> None:
    reply = desk.ask("How much does Bergmann owe?", client={"name": "t", "version": "1", "transport": "test"})
    record = last(desk)
    assert reply.provenance == record.summary()
    assert record.question == "How much does Bergmann owe?"
    assert record.answer == reply.answer
    assert record.claims == [claim.to_json() for claim in reply.claims]
    assert record.evidence == [row.to_json() for row in reply.evidence]
    (entry,) = record.operations
    assert entry["name"] == "getOverdueInvoices"
    assert entry["kind"] == "operation"
    assert entry["outcome"] == "answered"
    assert "SUM(open_amount)" in entry["query"]["sql"]
    assert entry["query"]["params"] == {"customer_id": 4471, "as_of": "2026-08-14"}
    assert {q["purpose"] for q in entry["queries"]} >= {"totals", "rows", "entity"}
    assert entry["client"] == {"name": "t", "version": "1", "transport": "test", "questionSeen": True}
    assert entry["asOf"] == {"date": "2026-08-14", "source": "the sample's date"}
    assert entry["values"] == reply.values
    assert entry["citations"] == [c.to_json() for c in reply.citations]
    assert entry["app"]["version"]
    assert verify(desk.log).ok


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much does Acme Corporation owe?", "not_found"),
        ("What will revenue be next quarter?", "forecast"),
        ("", "empty"),
        ("x" * 100_000, "too_long"),
        ("Show invoice INV-0", "unknown_entity"),
        ("Has Nordwind paid INV-2026-8812?", "other_customer"),
        ("\ud800 \x00 owe", "not_found"),
    ],
)
def test_a_refusal_is_recorded_with_its_reason(desk: Desk, question: str, kind: str) -> None:
    reply = desk.ask(question)
    record = last(desk)
    assert reply.refused
    assert reply.provenance == record.summary()
    assert record.answer == reply.reason
    assert record.claims == record.evidence == []
    assert record.operations[0]["outcome"] == "refused"
    assert record.operations[0]["kind"] == "refusal"
    assert record.operations[0]["reason"] == reply.reason
    assert record.operations[0]["reasonKind"] == kind
    assert reply.answer == ""
    assert reply.values == {}
    assert len(record.question) < 5_000
    assert verify(desk.log).ok


def test_an_invoice_of_another_customer_shows_no_figure(desk: Desk) -> None:
    reply = desk.ask("Has Nordwind paid INV-2026-8812?")
    assert (
        reply.reason == "INV-2026-8812 is not an invoice of Nordwind Marine AS; it belongs to Bergmann Logistik GmbH."
    )
    assert "18.450" not in json.dumps(reply.to_ask_json())


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("getOverdueInvoices", {"customer": "Bergmann", "x": 1}, "invalid_argument"),
        ("getOverdueInvoices", {}, "invalid_argument"),
        ("getOverdueInvoices", {"customer": "Bergmann", "asOfDate": "2026-02-31"}, "invalid_argument"),
        ("getOverdueInvoices", {"customer": "y" * 100_000}, "invalid_argument"),
        ("getOverdueInvoices", {"customer": "Nobody"}, "unknown_entity"),
        ("getOverdueInvoices", {"customer": ["a", {"b": 1e300}]}, "invalid_argument"),
        ("__class__", {}, "unknown_operation"),
    ],
)
def test_a_refused_call_is_recorded(desk: Desk, name: str, arguments: dict[str, Any], kind: str) -> None:
    reply = desk.call(name, arguments)
    record = last(desk)
    assert reply.is_error
    assert reply.kind == kind
    assert reply.to_call_json()["isError"] is True
    assert record.question == f"[direct tool call] {name}"
    assert record.operations[0]["client"]["questionSeen"] is False
    assert len(record.canon) < 20_000
    assert verify(desk.log).ok


def test_a_call_says_that_no_question_was_seen(desk: Desk) -> None:
    reply = desk.call("getCustomerSummary", {"customer": "Petrov"}, client={"transport": "stdio"})
    assert last(desk).operations[0]["client"] == {"transport": "stdio", "questionSeen": False}
    document = reply.to_call_json()
    assert document["isError"] is False
    assert document["values"]["openBalanceCents"] == 518700  # type: ignore[index]
    assert {"claims", "citations", "evidence", "emptyReason", "provenance", "answer", "message"} <= document.keys()


def test_the_keys_that_others_build_on(desk: Desk) -> None:
    document = desk.ask("How much does Bergmann owe?").to_ask_json()
    assert {"refused", "reason", "alternatives", "answer", "claims", "evidence", "operations", "provenance"} <= set(
        document
    )
    assert set(document["provenance"]) == {"id", "sequence", "timestamp", "hash", "previousHash", "actor"}  # type: ignore[arg-type]
    assert set(document["claims"][0]) == {"text", "span", "evidenceIds", "origin", "path"}  # type: ignore[index,arg-type]
    json.dumps(document)


def test_where_the_log_cannot_be_written_no_answer_leaves(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LogError("The disk is full.", "Make room.")

    monkeypatch.setattr(desk.log, "append", full)
    for act in (
        lambda: desk.ask("How much does Bergmann owe?"),
        lambda: desk.ask("How much does Acme owe?"),
        lambda: desk.call("getReceivablesAging", {}),
        lambda: desk.call("nothing", {}),
    ):
        with pytest.raises(LogError, match="disk is full"):
            act()


def test_a_log_that_cannot_be_opened_opens_no_desk(tmp_path: Path) -> None:
    with pytest.raises(LogError):
        open_desk(override(from_environment({}), log=str(tmp_path)))


def test_a_chosen_as_of_date_holds_for_every_operation(desk: Desk) -> None:
    day = dt.date(2026, 5, 31)
    for question in ("How much does Bergmann owe?", "Tell me about Bergmann", "Any open tickets for Bergmann?"):
        reply = desk.ask(question, as_of=day)
        assert reply.values["asOfDate"] == "2026-05-31"
        assert reply.operations[0]["asOf"] == {"date": "2026-05-31", "source": "chosen for the question"}
        assert "31.05.2026" in reply.answer
    assert desk.ask("How much does Bergmann owe?").values["asOfDate"] == "2026-08-14"


def test_a_date_in_the_question_goes_before_a_chosen_one(desk: Desk) -> None:
    reply = desk.ask("How much did Bergmann owe on 2026-05-03?", as_of=dt.date(2026, 6, 30))
    assert reply.operations[0]["asOf"] == {"date": "2026-05-03", "source": "the question"}


def test_a_customer_is_looked_up_by_id_so_that_the_answer_is_about_who_was_resolved(desk: Desk) -> None:
    assert desk.ask("How much does bergman owe?").operations[0]["arguments"] == {"customer": "4471"}


def test_a_database_that_does_not_answer_is_a_recorded_refusal(tmp_path: Path) -> None:
    profile = override(
        from_environment({"DATABASE_URL": "postgresql://u:geheim@127.0.0.1:1/none"}), log=str(tmp_path / "l.sqlite3")
    )
    with open_desk(profile) as desk:
        for reply in (desk.ask("How much does Bergmann owe?"), desk.call("getReceivablesAging", {})):
            assert reply.refused
            assert reply.kind == "unavailable"
            assert "geheim" not in json.dumps(reply.to_ask_json())
        assert desk.log.count() == 2
        assert all(b"geheim" not in record.canon for record in desk.log.records())


def test_many_at_once_are_all_recorded(desk: Desk) -> None:
    def ask(number: int) -> None:
        for _ in range(5):
            desk.ask("How much does Bergmann owe?" if number % 2 else "How much does Acme owe?")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.log.count() == 30
    assert verify(desk.log).ok


def test_the_chain_can_be_asked_about_from_within(desk: Desk) -> None:
    desk.ask("How much does Bergmann owe?")
    reply = desk.ask("Is the log intact?")
    assert reply.answer == "The log is unchanged since recorded: 1 record."


def test_the_rows_of_a_large_answer_are_stored_with_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row sets go to the log as attachments; the catalog makes them, here with a small limit."""
    import footnote_desktop.catalog.items as items

    monkeypatch.setattr(items, "MAX_ROWS_IN_RECORD", 2)
    reply = desk.call("getReceivablesAging", {})
    assert any(row.type == "rowset" for row in reply.evidence)
    verdict = verify(desk.log)
    assert verdict.ok
    assert verdict.unchecked == 0


def test_the_actor_is_the_account_and_a_label_is_only_stated(tmp_path: Path) -> None:
    profile = override(
        from_environment({"PROVENANCE_ACTOR": "zoran", "PROVENANCE_ROLE": "auditor"}), log=str(tmp_path / "l.sqlite3")
    )
    with open_desk(profile) as desk:
        reply = desk.ask("Who is Petrov?")
    actor = reply.provenance["actor"]
    assert isinstance(actor, dict)
    assert "(stated: zoran)" in str(actor["id"])
    assert actor["role"] == "auditor"


def test_the_log_outlives_the_desk(tmp_path: Path) -> None:
    profile = override(from_environment({}), log=str(tmp_path / "l.sqlite3"))
    for _ in range(2):
        with open_desk(profile) as desk:
            desk.ask("How much does Bergmann owe?")
    with open_log(profile.log, create=False) as log:
        assert log.count() == 2


def test_nothing_is_opened_before_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Catalog, "_open", lambda self: pytest.fail("the database was opened"))
    with open_desk(override(from_environment({}), log=str(tmp_path / "l.sqlite3"))):
        pass


def test_the_log_is_never_in_the_erp(tmp_path: Path) -> None:
    erp = tmp_path / "erp.sqlite3"
    write_file(data_folder("migrations"), erp)
    before = erp.read_bytes()
    for log in (str(erp), "postgresql://localhost/erp"):
        with pytest.raises(LogError):
            open_desk(from_environment({"DATABASE_URL": str(erp), "PROVENANCE_DB": log}))
    assert erp.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["erp.sqlite3"]


def test_a_fault_of_ours_is_recorded_and_gives_no_figure(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(desk.catalog, "run", fault)
    for reply in (desk.call("getReceivablesAging", {}), desk.ask("How much does Bergmann owe?")):
        assert reply.kind == "fault"
        assert "secret detail" not in reply.message
        record = desk.log.get(str(reply.provenance["id"]))
        assert record is not None
        assert record.operations[0]["outcome"] == "refused"
