"""Large JSON is read piece by piece, and what is no JSON is noticed wherever it breaks."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_desktop.provenance import jsonstream
from footnote_desktop.provenance.jsonstream import BrokenJsonError, Scanner

_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=4), _json, max_size=5), st.lists(_json), st.integers(1, 40), st.booleans())
@settings(max_examples=200, deadline=None)
def test_pieces_make_the_whole(document: dict[str, Any], records: list[Any], chunk: int, spaced: bool) -> None:
    document = {**document, "records": records, "map": {str(n): value for n, value in enumerate(records)}}
    text = json.dumps(document, indent=2 if spaced else None, ensure_ascii=spaced)
    whole: dict[str, Any] = {"records": [], "map": {}}
    normal, jsonstream.CHUNK = jsonstream.CHUNK, chunk
    try:
        scanner = Scanner(io.StringIO(text))
        for key, value, raw in scanner.members(("records", "map")):
            if key == "records":
                whole[key].append(value)
                assert json.loads(raw) == value
            elif key == "map":
                whole[key][value[0]] = value[1]
            else:
                whole[key] = value
        assert scanner.peek() == ""
    finally:
        jsonstream.CHUNK = normal
    assert whole == document


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"records":[',
        '{"records":[1',
        '{"records":[1,',
        '{"a":"x',
        '{"a":tru',
        '{"a":1]',
    ],
)
def test_what_breaks_off(text: str) -> None:
    with pytest.raises(BrokenJsonError):
        list(Scanner(io.StringIO(text)).members(("records",)))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":NaN}',
        '{"a":Infinity}',
        "{1:2}",
        '{"a":"\n"}',
        '{"a":01}',
        "[1]",
        '{"a":' + "[" * 100_000,
        '{"a":' + "9" * 9999 + "}",
    ],
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(BrokenJsonError):
        list(Scanner(io.StringIO(text)).members(("records",)))


def test_wrong_json_is_given_up_at_once() -> None:
    file = io.StringIO('{"a": [1, nonsense, ' + "1," * 5_000_000)
    with pytest.raises(BrokenJsonError):
        list(Scanner(file).members(()))
    assert file.tell() < 2_000_000
