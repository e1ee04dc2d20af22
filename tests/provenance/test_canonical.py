"""The canonical form equals RFC 8785's reference implementation, and what it cannot hold is replaced first."""

from __future__ import annotations

import json
import math
import struct
from types import MappingProxyType
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from footnote_desktop.provenance.canonical import MAX_DEPTH, TOO_DEEP, canonical, clean

# Keys and text from everywhere that matters to the order: below the surrogates, between them and U+FFFF, and beyond.
_edges = st.sampled_from('a\u00e9\u20ac\ud7ff\ue000\ufb33\uffff\U00010000\U0001f600\U0010ffff\x7f\x1f"\\/\b\f')
_text = st.text(alphabet=st.one_of(_edges, st.characters(exclude_categories=["Cs"])), max_size=8)
_numbers = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.0, -0.0, 1.0, -1.0, 1e15, 1e16, 1e20, 1e21, 1e22, 9007199254740992.0, 1e-6, 1e-7, 5e-324, 1e308]
    ),
)
_json = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _text),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(_text, inner, max_size=5)),
    max_leaves=25,
)


@given(_json)
@settings(max_examples=600, deadline=None)
@example({"\ue000": 1, "\U0001f600": 2, "a": -0.0, "": [1.0, 1e21, 1e-7, 0.1, 333333333.33333329]})
def test_equals_the_reference(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(st.binary(min_size=8, max_size=8))
@settings(max_examples=3000, deadline=None)
def test_every_double_is_written_as_ecmascript_does(pattern: bytes) -> None:
    (number,) = struct.unpack("<d", pattern)
    if math.isfinite(number):
        assert canonical(number) == rfc8785.dumps(number)


@pytest.mark.parametrize(
    "value",
    [
        2**53,
        -(2**53),
        10**30,
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        {"\udfff": 1},
        {1: 2},
        {"\ue000": 1, 2: 3},
        b"x",
        {1},
    ],
    ids=repr,
)
def test_what_is_not_i_json_is_rejected(value: Any) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        canonical(value)
    with pytest.raises(ValueError, match=r"\S"):
        canonical({"deep": [value]})


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(alphabet=st.characters(), max_size=6)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(st.text(alphabet=st.characters(), max_size=4), inner, max_size=4),
        ),
        max_leaves=20,
    )
)
@settings(max_examples=400, deadline=None)
def test_whatever_is_cleaned_can_be_recorded(value: Any) -> None:
    cleaned, replaced = clean(value)
    assert json.loads(canonical(cleaned)) == cleaned
    assert clean(cleaned) == (cleaned, False)
    if not replaced:
        assert cleaned == value


@pytest.mark.parametrize(
    ("given_", "expected", "replaced"),
    [
        ("Lumi\u00e8re \U0001f600", "Lumi\u00e8re \U0001f600", False),
        ("a\ud800b", "a\ufffdb", True),
        ("a\x00b", "a\ufffdb", True),
        ("\ud83d\ude00", "\U0001f600", True),  # two halves of one character belong together
        (9007199254740991, 9007199254740991, False),
        (9007199254740993, "9007199254740993", True),
        (-(10**40), str(-(10**40)), True),
        (37219385932637590.0, "37219385932637590", True),  # which an integer reader would keep as another number
        (-1e300, "-1e+300", True),
        (math.nan, "NaN", True),
        (-math.inf, "-Infinity", True),
        (True, True, False),
        ((1, 2), [1, 2], False),
        (MappingProxyType({"a": 1}), {"a": 1}, False),
        ({"a\x00": 1, "a\ufffd": 2}, {"a\ufffd": 1, "a\ufffd\ufffd": 2}, True),
    ],
)
def test_clean(given_: Any, expected: Any, replaced: bool) -> None:
    cleaned, said = clean(given_)
    assert cleaned == expected
    assert type(cleaned) is type(expected)
    assert said is replaced


def test_clean_survives_hostile_nesting_and_numbers() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    cleaned, replaced = clean(deep)
    assert replaced
    assert canonical(cleaned) == b"[" * MAX_DEPTH + json.dumps(TOO_DEEP).encode() + b"]" * MAX_DEPTH
    number, replaced = clean(10**100_000)
    assert replaced
    assert isinstance(number, str)
    while deep:  # or the interpreter takes it apart recursively
        deep = deep.pop()


def test_clean_does_not_guess() -> None:
    with pytest.raises(TypeError, match="set"):
        clean({"a": {1}})
    with pytest.raises(TypeError, match="not text"):
        clean({1: 2})


def test_clean_copies() -> None:
    original = {"rows": [1]}
    cleaned, _ = clean(original)
    original["rows"].append(2)
    assert cleaned == {"rows": [1]}
