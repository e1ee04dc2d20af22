"""JSON, with comments and trailing commas where a client allows them, as a tree that knows every offset.

Nothing is normalised and nothing is written here: the tree is for splicing the text itself. Scalars keep their text,
so that two numbers are the same only where they are written the same.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from footnote_desktop.clients.faults import TextError

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_LINE_COMMENT = re.compile(r"//[^\r\n]*")

#: Deeper nesting is no configuration; Python's own recursion would end soon after.
MAX_DEPTH = 200


@dataclass(slots=True)
class Node:
    """A value in the text: ``text[start:end]``."""

    kind: str  #: object, array, string, scalar
    start: int
    end: int = 0
    raw: str = ""  #: of a string or scalar
    members: list[Member] = field(default_factory=list)  #: of an object; of an array with no keys
    last_end: int = 0  #: of an object or array: where the last member or its comma ends, or the opening bracket

    def value(self) -> object:
        """Strings decoded, numbers as ``(text,)``, so that nothing that is compared was rounded."""
        if self.kind == "object":
            # A list of pairs: the order and a key that occurs twice count too.
            return {"": [(m.name, m.value.value()) for m in self.members]}
        if self.kind == "array":
            return [m.value.value() for m in self.members]
        return json.loads(self.raw) if self.kind == "string" else (self.raw,)

    def plain(self) -> object:
        """The value as Python's ``json`` reads it."""
        if self.kind == "object":
            return {m.name: m.value.plain() for m in self.members}
        if self.kind == "array":
            return [m.value.plain() for m in self.members]
        return json.loads(self.raw)


@dataclass(slots=True)
class Member:
    """``key: value`` of an object, or a value of an array; ``comma`` is the offset of the one after it, or None."""

    name: str
    start: int
    value: Node
    comma: int | None = None

    @property
    def end(self) -> int:
        """After the comma, where there is one."""
        return self.value.end if self.comma is None else self.comma + 1


@dataclass(slots=True)
class Document:
    """A parsed text. ``comments`` are their spans, in order."""

    text: str
    root: Node
    comments: list[tuple[int, int]]


def parse(text: str, *, comments: bool) -> Document:
    """The tree of a text. Raises :class:`TextError` at the first character that is not allowed.

    ``comments`` allows ``//`` and ``/* */`` comments and a comma after the last member.
    """
    return _Parser(text, comments).document()


class _Parser:
    def __init__(self, text: str, lenient: bool):
        self.text = text
        self.lenient = lenient
        self.at = 0
        self.depth = 0
        self.comments: list[tuple[int, int]] = []

    def document(self) -> Document:
        self._space()
        root = self._value()
        self._space()
        if self.at < len(self.text):
            raise self._fault("the file goes on after its end")
        return Document(self.text, root, self.comments)

    def _fault(self, message: str, offset: int | None = None) -> TextError:
        return TextError(message, self.at if offset is None else offset)

    def _space(self) -> None:
        """Go past white space and comments."""
        while True:
            match = _SPACE.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            if not self.text.startswith(("//", "/*"), self.at):
                return
            if not self.lenient:
                raise self._fault("a comment, which this client does not read")
            if self.text[self.at + 1] == "/":
                line = _LINE_COMMENT.match(self.text, self.at)
                assert line is not None
                end = line.end()
            else:
                end = self.text.find("*/", self.at + 2) + 2
                if end == 1:
                    raise self._fault("a comment that does not end")
            self.comments.append((self.at, end))
            self.at = end

    def _value(self) -> Node:
        start = self.at
        opening = self.text[start : start + 1]
        if opening in ("{", "["):
            return self._bracket(opening)
        if opening == '"':
            return self._string()
        match = _SCALAR.match(self.text, start)
        if match is None:
            raise self._fault("the file ends too early" if not opening else f"{opening!r} where a value is expected")
        self.at = match.end()
        return Node("scalar", start, self.at, match.group())

    def _string(self) -> Node:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self._fault("a string that does not end on its line, or holds a wrong escape")
        node = Node("string", self.at, match.end(), match.group())
        self.at = match.end()
        return node

    def _bracket(self, opening: str) -> Node:
        closing, kind = ("}", "object") if opening == "{" else ("]", "array")
        node = Node(kind, self.at)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._fault(f"nesting deeper than {MAX_DEPTH} levels")
        self.at += 1
        node.last_end = self.at
        self._space()
        while not self.text.startswith(closing, self.at):
            if node.members and node.members[-1].comma is None:
                raise self._fault(self._instead(f"a comma or {closing}"))
            node.members.append(self._member(kind))
            node.last_end = node.members[-1].value.end
            self._space()
            if self.text.startswith(",", self.at):
                node.members[-1].comma = self.at
                self.at += 1
                node.last_end = self.at
                self._space()
        if node.members and (comma := node.members[-1].comma) is not None and not self.lenient:
            raise self._fault(f"a comma before {closing}", comma)
        self.at += 1
        self.depth -= 1
        node.end = self.at
        return node

    def _member(self, kind: str) -> Member:
        start = self.at
        if kind == "array":
            return Member("", start, self._value())
        if not self.text.startswith('"', start):
            raise self._fault(self._instead("a key in double quotes"))
        name = str(json.loads(self._string().raw))
        self._space()
        if not self.text.startswith(":", self.at):
            raise self._fault(self._instead("a colon"))
        self.at += 1
        self._space()
        return Member(name, start, self._value())

    def _instead(self, expected: str) -> str:
        found = self.text[self.at : self.at + 1]
        return f"{found!r} where {expected} is expected" if found else f"the file ends where {expected} is expected"
