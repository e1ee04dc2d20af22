"""All rows behind a large figure: stored once, cut by their own ids, read back as they were."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import orjson
import pytest

from footnote_desktop.provenance.rowset import MOST_ROWS, RowSetError, build_rowset, read_rowset


def rows(many: int, start: int = 0) -> list[dict[str, Any]]:
    chance = random.Random(many)
    return [
        {
            "id": f"invoice:{number}",
            "label": f"INV-{number}",
            "currency": chance.choice(["EUR", "EUR", "USD"]),
            "outstanding": f"{chance.randrange(1, 10**7) / 100:.2f}",
            "dueOn": "2026-05-02",
        }
        for number in range(start, start + many)
    ]


def build(given: list[dict[str, Any]]) -> Any:
    return build_rowset(given, what="open invoices", sum_field="outstanding", order="due date, number")


@pytest.fixture(scope="module")
def many() -> list[dict[str, Any]]:
    return rows(100_000)


def store(rowset: Any) -> dict[str, bytes]:
    return {hashlib.sha256(data).hexdigest(): data for data in (rowset.manifest, *rowset.chunks)}


def test_rows_come_back_as_they_were(many: list[dict[str, Any]]) -> None:
    given = many[:5000]
    rowset = build(given)
    stored = store(rowset)
    assert list(read_rowset(stored.get, rowset.evidence)) == given
    assert list(read_rowset(stored.get, rowset.evidence.to_json())) == given
    digest = hashlib.sha256(rowset.manifest).hexdigest()
    assert rowset.evidence.id == f"rowset:{digest[:16]}"
    assert rowset.evidence.uri == f"erp://rowset/{digest}"
    assert rowset.evidence.type == "rowset"
    assert rowset.evidence.fields["count"] == 5000
    assert rowset.evidence.fields["manifest"] == digest
    assert rowset.evidence.fields["order"] == "due date, number"
    for currency, total in rowset.evidence.fields["sums"].items():
        cents = sum(int(row["outstanding"].replace(".", "")) for row in given if row["currency"] == currency)
        assert total == f"{cents // 100}.{cents % 100:02d}"
    assert orjson.loads(rowset.manifest) == [hashlib.sha256(chunk).hexdigest() for chunk in rowset.chunks]
    assert orjson.loads(rowset.chunks[0].splitlines()[0]) == given[0]


@pytest.mark.parametrize("place", [0, 1, 49_999, 99_999, 100_000])
def test_one_row_more_changes_at_most_two_attachments(many: list[dict[str, Any]], place: int) -> None:
    before = set(build(many).chunks)
    assert 200 < len(before) < 800
    new = {**many[0], "id": "invoice:new"}
    assert len(set(build([*many[:place], new, *many[place:]]).chunks) - before) <= 2


@pytest.mark.parametrize("place", [0, 49_999, 99_999])
def test_one_row_changed_or_gone_changes_at_most_two_attachments(many: list[dict[str, Any]], place: int) -> None:
    before = set(build(many).chunks)
    changed = [*many[:place], {**many[place], "outstanding": "0.01"}, *many[place + 1 :]]
    assert len(set(build(changed).chunks) - before) == 1
    assert len(set(build(many[:place] + many[place + 1 :]).chunks) - before) <= 2


def test_no_attachment_grows_without_end() -> None:
    given = [{"id": "same", "label": "", "currency": "EUR", "outstanding": "1.00"}] * (3 * MOST_ROWS)
    rowset = build(given)
    assert max(len(chunk.splitlines()) for chunk in rowset.chunks) <= MOST_ROWS
    assert rowset.evidence.fields["sums"] == {"EUR": f"{3 * MOST_ROWS}.00"}


def test_sums_are_exact_whatever_their_size() -> None:
    given = rows(3)
    for row, amount in zip(given, ["90071992547409931234567890123456789.01", "0.0000001", "-5"], strict=True):
        row.update(outstanding=amount, currency="EUR")
    assert build(given).evidence.fields["sums"] == {"EUR": "90071992547409931234567890123456784.0100001"}


def test_a_null_amount_adds_nothing_and_an_absent_one_is_refused() -> None:
    given = rows(2)
    given[0]["outstanding"] = None
    given[1].update(currency="EUR", outstanding="1.50")
    assert build(given).evidence.fields["sums"] == {"EUR": "1.50"}
    for key, value in [("outstanding", "18.450,00"), ("outstanding", [1]), ("currency", None), ("id", None)]:
        with pytest.raises(ValueError, match=r"id|currency|amount"):
            build([{**given[1], key: value}])
    for key in ("outstanding", "currency", "id"):
        with pytest.raises(ValueError, match=r"id|currency|amount"):
            build([{name: value for name, value in given[1].items() if name != key}])
    assert build_rowset(given, what="x", sum_field=None, order="").evidence.fields["sums"] == {}


def test_hostile_text_in_rows_is_stored() -> None:
    given = rows(2)
    given[0]["label"] = "\ud800 \U0001f600\n\u2028"
    given[1]["number"] = 2**60
    rowset = build(given)
    back = list(read_rowset(store(rowset).get, rowset.evidence))
    assert back[0]["label"] == "\ufffd \U0001f600\n\u2028"
    assert back[1]["number"] == str(2**60)


def test_what_is_missing_or_changed_is_noticed(many: list[dict[str, Any]]) -> None:
    rowset = build(many[:2000])
    for digest in list(store(rowset)):
        stored = store(rowset)
        original = stored.pop(digest)
        with pytest.raises(RowSetError, match="missing"):
            list(read_rowset(stored.get, rowset.evidence))
        stored[digest] = original.replace(b"1", b"2", 1)
        with pytest.raises(RowSetError, match="changed"):
            list(read_rowset(stored.get, rowset.evidence))
    entry = rowset.evidence.to_json()
    entry["fields"]["count"] = 1999
    with pytest.raises(RowSetError, match="1999 rows, stored are 2000"):
        list(read_rowset(store(rowset).get, entry))
    with pytest.raises(RowSetError, match="no manifest"):
        list(read_rowset(store(rowset).get, {"fields": {}}))


def test_no_rows() -> None:
    rowset = build([])
    assert rowset.chunks == ()
    assert list(read_rowset(store(rowset).get, rowset.evidence)) == []
