from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from footnote_desktop.server.pipe import split_lines
from footnote_desktop.server.wire import Rejected, parse


@pytest.mark.parametrize(
    ("line", "identity", "code"),
    [
        (b"{", None, PARSE_ERROR),
        (b"hello", None, PARSE_ERROR),
        (b"{} {}", None, PARSE_ERROR),
        (b'{"id": 1, "a": NaN}', None, PARSE_ERROR),
        (b'{"id": 1, "a": Infinity}', None, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "a": "\xff\xfe"}', 1, INVALID_PARAMS),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "a": "\xed\xa0\x80"}', 1, INVALID_PARAMS),
        (b"\xff\xfe{\x00}\x00", None, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"a": "\\ud800"}}', 7, INVALID_PARAMS),
        (b'{"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"\\udfff": 1}}', "x", INVALID_PARAMS),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', None, INVALID_PARAMS),
        (
            b'{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": ' + b"[" * 300 + b"]" * 300 + b"}",
            8,
            INVALID_PARAMS,
        ),
        (b"[" * 100_000, None, PARSE_ERROR),
        (b'{"id": ' + b"1" * 5000 + b"}", None, PARSE_ERROR),
        (b"null", None, INVALID_REQUEST),
        (b"17", None, INVALID_REQUEST),
        (b'"text"', None, INVALID_REQUEST),
        (b"true", None, INVALID_REQUEST),
        (b"[]", None, INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None, INVALID_REQUEST),
        (b"{}", None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 3}', 3, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', 1.5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 4, "method": "ping"}', 4, INVALID_REQUEST),
        (b'{"id": 5, "method": "ping"}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 6, "method": 6}', 6, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', 7, INVALID_PARAMS),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": "x"}', 8, INVALID_PARAMS),
    ],
)
def test_what_is_not_a_message_is_answered(line: bytes, identity: object, code: int) -> None:
    rejected = parse(line)
    assert isinstance(rejected, Rejected)
    assert (rejected.id, rejected.code) == (identity, code)
    reply = json.loads(rejected.to_line())
    assert reply["id"] == identity
    assert reply["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]}',
        b'{"jsonrpc": "2.0", "method": "x", "params": {"a": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": 5}',
        b'{"jsonrpc": "2.0", "id": 1, "error": "x"}',
    ],
)
def test_what_needs_no_answer_gets_none(line: bytes) -> None:
    assert parse(line) is None


def test_messages_are_told_apart() -> None:
    request = parse(
        b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": "\\ud83d\\ude00\\u0000"}}\r'
    )
    assert isinstance(request, JSONRPCRequest)
    assert request.params == {"a": "😀\x00"}
    assert isinstance(parse(b'{"jsonrpc": "2.0", "id": "1", "method": "m"}'), JSONRPCRequest)
    assert isinstance(parse(b'{"jsonrpc": "2.0", "id": 99999999999999999999999, "method": "m"}'), JSONRPCRequest)
    assert isinstance(parse(b'{"jsonrpc": "2.0", "method": "m"}'), JSONRPCNotification)
    assert isinstance(parse(b'{"jsonrpc": "2.0", "id": 1, "result": {}}'), JSONRPCResponse)
    assert isinstance(parse(b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}'), JSONRPCError)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(line: bytes) -> None:
    parse(line)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {"id": json_values, "method": json_values}, optional={"jsonrpc": json_values, "params": json_values}
    )
)
def test_every_object_with_a_method_and_an_id_is_a_request_or_answered(message: dict[str, object]) -> None:
    result = parse(json.dumps(message, allow_nan=True).encode())
    assert isinstance(result, Rejected | JSONRPCRequest)
    if isinstance(result, Rejected) and isinstance(message["id"], int) and not isinstance(message["id"], bool):
        assert result.id in (message["id"], None)


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.integers(1, 40))
def test_lines_are_found_however_they_are_cut(lines: list[bytes], size: int) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    chunks = iter([whole[at : at + size] for at in range(0, len(whole), size)])
    assert list(split_lines(lambda: next(chunks, b""), 30)) == lines


def test_a_line_that_is_too_long_is_dropped_as_it_comes() -> None:
    chunks = iter([b"a\nbbbb", b"bbbb", b"bbbb\nc\ndddd", b"d"])
    assert list(split_lines(lambda: next(chunks, b""), 4)) == [b"a", None, b"c", None]


def test_the_last_line_may_lack_its_end() -> None:
    chunks = iter([b"a\nb"])
    assert list(split_lines(lambda: next(chunks, b""), math.inf)) == [b"a", b"b"]
