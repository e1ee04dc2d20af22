"""All rows behind a large figure: stored once, cut by their own ids, read back as they were."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
from decimal import Decimal
from typing import Any

import orjson
import pytest

from footnote_desktop.provenance.rowset import MOST_ROWS, Layout, RowSetError, build_rowset, read_rowset

LAYOUT = Layout("invoice", ("record_id", "number", "currency", "outstanding", "due_on"), "number", ("outstanding",), 2)
Row = tuple[Any, ...]


def rows(many: int, start: int = 0) -> list[Row]:
    chance = random.Random(many)
    return [
        (number, f"INV-{number}", "EUR", chance.randrange(-(10**6), 10**7), "2026-05-02")
        for number in range(start, start + many)
    ]


def build(given: list[Row], layout: Layout = LAYOUT) -> Any:
    sums = {"EUR": str(Decimal(sum(row[3] for row in given)).scaleb(-2))}
    what = "open invoices"
    return build_rowset(given, layout, what=what, order="due date, number", sum_field="outstanding", sums=sums)


@pytest.fixture(scope="module")
def many() -> list[Row]:
    return rows(100_000)


def store(rowset: Any) -> dict[str, bytes]:
    return {hashlib.sha256(data).hexdigest(): data for data in (rowset.manifest, *rowset.chunks)}


def test_rows_come_back_as_they_were(many: list[Row]) -> None:
    given = many[:5000]
    rowset = build(given)
    stored = store(rowset)
    expected = [
        {
            "id": f"invoice:{number}",
            "record_id": number,
            "label": name,
            "number": name,
            "currency": currency,
            "outstanding": f"{'-' if minor < 0 else ''}{abs(minor) // 100}.{abs(minor) % 100:02d}",
            "due_on": due,
        }
        for number, name, currency, minor, due in given
    ]
    assert list(read_rowset(stored.get, rowset.evidence)) == expected
    assert list(read_rowset(stored.get, rowset.evidence.to_json())) == expected
    digest = hashlib.sha256(rowset.manifest).hexdigest()
    assert rowset.evidence.id == f"rowset:{digest[:16]}"
    assert rowset.evidence.uri == f"erp://rowset/{digest}"
    assert rowset.evidence.type == "rowset"
    assert rowset.evidence.fields["count"] == 5000
    assert rowset.evidence.fields["manifest"] == digest
    assert rowset.evidence.fields["order"] == "due date, number"
    assert orjson.loads(rowset.manifest) == [hashlib.sha256(chunk).hexdigest() for chunk in rowset.chunks]
    assert orjson.loads(rowset.chunks[0].splitlines()[1]) == list(given[0])


def test_values_are_kept_as_the_driver_gave_them() -> None:
    layout = Layout("invoice", LAYOUT.columns, "number", ("outstanding",), None)
    row = ("A-7", "INV", "EUR", Decimal("0.30"), dt.date(2026, 5, 2))
    rowset = build_rowset([row], layout, what="x", order="", sum_field="outstanding", sums={"EUR": "0.30"})
    (back,) = read_rowset(store(rowset).get, rowset.evidence)
    assert (back["id"], back["outstanding"], back["due_on"]) == ("invoice:A-7", "0.30", "2026-05-02")
    minor = build_rowset([(*row[:3], Decimal(30), row[4])], LAYOUT, what="", order="", sum_field="", sums={})
    assert next(read_rowset(store(minor).get, minor.evidence))["outstanding"] == "0.30"


@pytest.mark.parametrize("place", [0, 1, 49_999, 99_999, 100_000])
def test_one_row_more_changes_at_most_two_attachments(many: list[Row], place: int) -> None:
    before = set(build(many).chunks)
    assert 200 < len(before) < 800
    new = ("new", *many[0][1:])
    assert len(set(build([*many[:place], new, *many[place:]]).chunks) - before) <= 2


@pytest.mark.parametrize("place", [0, 49_999, 99_999])
def test_one_row_changed_or_gone_changes_at_most_two_attachments(many: list[Row], place: int) -> None:
    before = set(build(many).chunks)
    changed = [*many[:place], (*many[place][:3], 1, many[place][4]), *many[place + 1 :]]
    assert len(set(build(changed).chunks) - before) == 1
    assert len(set(build(many[:place] + many[place + 1 :]).chunks) - before) <= 2


def test_no_attachment_grows_without_end() -> None:
    rowset = build([("same", "", "EUR", 100, None)] * (3 * MOST_ROWS))
    assert max(len(chunk.splitlines()) for chunk in rowset.chunks) <= MOST_ROWS + 1


def test_hostile_text_in_rows_is_stored() -> None:
    given = [(1, "\ud800 \U0001f600\n\u2028", "EUR", 2**60, None), (2, "b", "EUR", 1, None)]
    back = list(read_rowset(store(rowset := build(given)).get, rowset.evidence))
    assert back[0]["label"] == "\ufffd \U0001f600\n\u2028"
    assert back[0]["outstanding"] == "11529215046068469.76"


def test_an_attachment_that_does_not_say_how_it_is_read_is_refused(many: list[Row]) -> None:
    rowset = build(many[:10])
    for head in (b"{}", b"[]", b"x", rowset.chunks[0].splitlines()[0].replace(b'"label":"number"', b'"label":"none"')):
        chunk = head + b"\n" + b"\n".join(rowset.chunks[0].splitlines()[1:])
        manifest = orjson.dumps([hashlib.sha256(chunk).hexdigest()])
        stored = {hashlib.sha256(data).hexdigest(): data for data in (chunk, manifest)}
        fields = {"manifest": hashlib.sha256(manifest).hexdigest(), "count": 10}
        with pytest.raises(RowSetError, match="how they are read"):
            list(read_rowset(stored.get, {"fields": fields}))
    for row in (b"[1]", b"{}", b"7", b'[1,"a","EUR",1.5,null]', b'[1,"a","EUR",null,null]', b"x"):
        chunk = LAYOUT.line() + row
        manifest = orjson.dumps([hashlib.sha256(chunk).hexdigest()])
        stored = {hashlib.sha256(data).hexdigest(): data for data in (chunk, manifest)}
        fields = {"manifest": hashlib.sha256(manifest).hexdigest(), "count": 1}
        with pytest.raises(RowSetError, match="not a row"):
            list(read_rowset(stored.get, {"fields": fields}))


def test_what_is_missing_or_changed_is_noticed(many: list[Row]) -> None:
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
