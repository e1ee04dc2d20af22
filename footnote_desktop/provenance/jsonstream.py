"""Reads a large JSON file piece by piece: memory depends on its largest record, not on its length."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

#: Characters read at a time, at least.
CHUNK = 1 << 18
#: No single record or attachment of a file is longer, in characters.
LARGEST = 1 << 28

_SPACE = " \t\n\r"


class BrokenJsonError(ValueError):
    """The text is not JSON, or it breaks off; the message says which."""


def _refuse(constant: str) -> Any:
    raise BrokenJsonError(f"{constant} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)


class Scanner:
    """Walks through JSON text in ``file``. ``progress(characters)`` is called whenever more was read."""

    def __init__(self, file: IO[str], progress: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._buffer = ""
        self._at = 0
        self._ended = False
        self._read = 0
        self._progress = progress

    def peek(self) -> str:
        """The next character that is not space, or ``""`` at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Step over ``expected``, which must come next."""
        found = self.peek()
        if found != expected:
            raise BrokenJsonError("the file breaks off" if not found else f"{found!r} stands where {expected!r} should")
        self._at += 1

    def value(self) -> tuple[Any, str]:
        """The next value, and its text."""
        if not self.peek():
            raise BrokenJsonError("the file breaks off")
        while True:
            try:
                found, end = _decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                # Incomplete, or wrong? What is incomplete fails at the end of what was read, or in a string.
                incomplete = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - 16
                if not incomplete or len(self._buffer) - self._at > LARGEST:
                    raise BrokenJsonError(f"it is not JSON ({error.msg})") from None
                if not self._more():
                    raise BrokenJsonError("the file breaks off") from None
                continue
            except RecursionError:
                raise BrokenJsonError("it is nested too deeply") from None
            except BrokenJsonError:
                raise
            except ValueError:  # an integer of thousands of digits
                raise BrokenJsonError("it holds a number that is too long") from None
            # A number may go on, and be valid up to here: "1", "1." and "1e+" are beginnings of "1.5" and "1e+5".
            if end + 3 < len(self._buffer) or not self._more():
                raw = self._buffer[self._at : end]
                self._at = end
                return found, raw

    def members(self, streamed: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
        """The members of the object that comes next, as (key, value, text).

        A member named in ``streamed`` comes piece by piece: an array once for each element, an object once for
        each member, whose value is then ``(name, value)``.
        """
        self.take("{")
        for key in self._keys():
            if key in streamed and self.peek() == "[":
                for element, raw in self._elements():
                    yield key, element, raw
            elif key in streamed and self.peek() == "{":
                self.take("{")
                for name in self._keys():
                    element, raw = self.value()
                    yield key, (name, element), raw
            else:
                element, raw = self.value()
                yield key, element, raw

    def _keys(self) -> Iterator[str]:
        """The keys of an object whose brace was taken; the value of each must be read before the next."""
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            key, _ = self.value()
            if not isinstance(key, str):
                raise BrokenJsonError("a key is not text")
            self.take(":")
            yield key
            if self.peek() != ",":
                self.take("}")
                return
            self._at += 1

    def _elements(self) -> Iterator[tuple[Any, str]]:
        self.take("[")
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self.peek() != ",":
                self.take("]")
                return
            self._at += 1

    def _more(self) -> bool:
        if self._ended:
            return False
        rest = self._buffer[self._at :]
        try:
            found = self._file.read(max(CHUNK, len(rest)))
        except UnicodeDecodeError:
            raise BrokenJsonError("it is not UTF-8 text") from None
        if not found:
            self._ended = True
            return False
        self._buffer, self._at = rest + found, 0
        self._read += len(found)
        if self._progress:
            self._progress(self._read)
        return True
