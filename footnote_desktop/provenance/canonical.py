"""The canonical form of a record: RFC 8785 (JSON Canonicalization Scheme), which is what is hashed.

orjson with sorted keys is close to it and fast, but differs in numbers (``1.0``, ``-0.0``, exponents), in integers
beyond 2^53-1, and in the order of keys beyond U+FFFF (RFC 8785 sorts by UTF-16 code units). Those are fixed up here
before orjson sees them. The tests compare with the ``rfc8785`` package.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from footnote_desktop.provenance.evidence import JsonValue

#: The largest integer that every JSON reader keeps exactly (I-JSON, RFC 7493).
MAX_INTEGER = 2**53 - 1
#: Deeper than this, a value is not kept: some JSON parsers stop at about a hundred levels.
MAX_DEPTH = 64
TOO_DEEP = "[nested too deeply, not kept]"

_NOT_FINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def canonical(value: object) -> bytes:
    """RFC 8785 bytes of ``value`` (dict, list, tuple, str, int, float, bool or None).

    Raises ``ValueError`` for what I-JSON does not allow: integers beyond 2^53-1, non-finite numbers, lone
    surrogates, other types, keys that are not text, and nesting beyond orjson's limit of 254 levels.
    """
    ordinary = _ordinary(value)
    if ordinary is not None:
        return ordinary
    try:
        return orjson.dumps(_prepare(value), option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not a value that a record can hold: {error}") from None


def _ordinary(value: object) -> bytes | None:
    """The canonical bytes of a value that needs no fixing up, which is what nearly every record is; else None.

    Ordinary are plain objects and lists, text without NUL or lone surrogates, integers that every reader keeps,
    doubles that orjson writes as ECMAScript does, ASCII keys, and no more than :data:`MAX_DEPTH` levels.
    """
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                for key in item:
                    if type(key) is not str or not key.isascii():
                        return None
                deeper.extend(item.values())
            elif kind is list or kind is tuple:
                deeper.extend(item)
            elif kind is float:
                if not 1e-4 <= abs(item) < 1e15 or item.is_integer():
                    return None
            elif kind is not str and kind is not int and kind is not bool and item is not None:
                return None
        if not deeper:
            break
        level = deeper
    else:
        return None
    try:
        raw = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
    except (TypeError, RecursionError):
        return None
    return None if b"\\u0000" in raw else raw


def _prepare(value: Any) -> Any:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return value
        raise ValueError(f"the integer {value} is beyond 2^53-1; write it as text")
    if kind is float:
        return orjson.Fragment(_number(value).encode())
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise ValueError(f"the key {key!r} is not text")
            # Up to U+D7FF the order by code point, by UTF-8 byte and by UTF-16 code unit is the same.
            if not key.isascii() and max(key) >= "\ue000":
                return _by_code_unit(value)
        return {key: _prepare(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_prepare(item) for item in value]
    raise ValueError(f"a {kind.__name__} is not a JSON value")


def _by_code_unit(value: dict[str, Any]) -> orjson.Fragment:
    if not all(type(key) is str for key in value):
        raise ValueError("a key is not text")
    members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
    return orjson.Fragment(b"{" + b",".join(orjson.dumps(key) + b":" + canonical(item) for key, item in members) + b"}")


def _number(value: float) -> str:
    """A double as ECMAScript writes it (ECMA-262, Number::toString), which RFC 8785 asks for."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number that JSON can hold")
    if value == 0:
        return "0"  # -0 as well
    sign, digits = ("-", repr(value)[1:]) if value < 0 else ("", repr(value))
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    # The value is 0.DIGITS times ten to the power of ``point``; repr already gives the shortest digits.
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def clean_text(text: str) -> tuple[str, bool]:
    """``text`` with each NUL and lone surrogate replaced by U+FFFD, and whether anything was."""
    if not _UNSTORABLE.search(text):
        return text, False
    # A pair of surrogates that arrived as two characters is one character; only lone ones are lost.
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\x00", "\ufffd"), True


def clean(value: object) -> tuple[JsonValue, bool]:
    """A copy of ``value`` that a record can hold, and whether anything in it had to be replaced.

    NUL and lone surrogates become U+FFFD; numbers beyond 2^53-1 and non-finite ones become text; what is nested
    deeper than :data:`MAX_DEPTH` becomes :data:`TOO_DEEP`. Mappings become dicts, tuples lists. Raises ``TypeError``
    for anything else, such as a Decimal or a date: how those are written is not the log's to decide.
    """
    if _ordinary(value) is not None:
        return orjson.loads(orjson.dumps(value)), False  # not from the sorted bytes: people read the order
    replaced = False

    def text(item: str) -> str:
        nonlocal replaced
        cleaned, changed = clean_text(item)
        replaced = replaced or changed
        return cleaned

    def walk(item: Any, depth: int) -> JsonValue:
        nonlocal replaced
        if item is None or item is True or item is False:
            return item
        if isinstance(item, str):
            return text(item if type(item) is str else str.__str__(item))
        if isinstance(item, int):
            if -MAX_INTEGER <= item <= MAX_INTEGER:
                return int(item)
            replaced = True
            return _integer_text(int(item))
        if isinstance(item, float):
            if -MAX_INTEGER <= item <= MAX_INTEGER:
                return float(item)
            replaced = True  # a large double is written like an integer, and read back as one that it is not
            return _number(float(item)) if math.isfinite(item) else _NOT_FINITE.get(item, "NaN")
        if isinstance(item, Mapping):
            if depth >= MAX_DEPTH:
                replaced = True
                return TOO_DEEP
            members: dict[str, JsonValue] = {}
            for key, member in item.items():
                if not isinstance(key, str):
                    raise TypeError(f"the key {key!r} is not text")
                name = text(key)
                while name in members:  # two keys that differed only in what was replaced: keep both
                    name += "\ufffd"
                members[name] = walk(member, depth + 1)
            return members
        if isinstance(item, (list, tuple)):
            if depth >= MAX_DEPTH:
                replaced = True
                return TOO_DEEP
            return [walk(member, depth + 1) for member in item]
        raise TypeError(f"a {type(item).__name__} is not a JSON value; write it as text or a number")

    return walk(value, 0), replaced


def as_doubles(value: Any) -> Any:
    """``value`` as JavaScript reads it, for records that the peer hashed: integers beyond 2^53-1 are doubles there."""
    if isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
        try:
            return float(value)
        except OverflowError:
            return math.inf
    if isinstance(value, dict):
        return {key: as_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_doubles(member) for member in value]
    return value


def _integer_text(value: int) -> str:
    # Python refuses to write integers of more than 4,300 digits in decimal (a guard against slow conversions).
    return str(value) if value.bit_length() < 10_000 else hex(value)
