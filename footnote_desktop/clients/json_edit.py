"""Our key put into a JSON or JSONC text and taken out again, by splicing at exact offsets: nothing else changes.

A member is inserted as the last one of its object: the comma right after the value before it, the member after the
comments that stand on that line, so that a comment stays beside what it is about. Removal is the exact inverse. What
cannot be read from the text afterwards, :class:`Undo` remembers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote_desktop.clients.faults import TextError
from footnote_desktop.clients.jsonc import Document, Member, Node, parse

_LAST_LINE = re.compile(r"(\r\n|\n|\r)([ \t]*)\Z")
_NEW_LINE = re.compile(r"\r\n|\n|\r")

Splice = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Undo:
    """What the removal has to know of the text before ours was added."""

    created: bool = False  #: the object that holds the servers was ours too
    before: str | None = None  #: what stood between the braces of an empty object; of TOML: what we put before ours


#: For an entry of which nothing is known.
NO_UNDO = Undo()


def read_entry(text: str, path: Sequence[str], *, comments: bool) -> object | None:
    """The value at the path, or None. Raises :class:`TextError`."""
    if not text.strip():
        return None
    node = parse(text, comments=comments).root
    for name in path:
        if node.kind != "object" or (member := _member(node, name)) is None:
            return None
        node = member.value
    return node.plain()


def add(text: str, path: tuple[str, str], entry: Mapping[str, object], *, comments: bool) -> tuple[str, Undo]:
    """The text with the entry at ``path`` (the servers' object, our name). Raises :class:`TextError`.

    An entry of ours that is there keeps what else a person wrote into it, such as ``disabled``.
    """
    if not text.strip():
        return json.dumps({path[0]: {path[1]: entry}}, indent=2, ensure_ascii=False) + "\n", Undo(created=True)
    document = parse(text, comments=comments)
    root = _object(document.root, "the file")
    unit = _unit(document)
    servers = _member(root, path[0])
    if servers is None:
        new, inner = _insert(document, root, path[0], {path[1]: entry}, "", unit)
        return new, Undo(created=True, before=inner)
    holder = _object(servers.value, path[0])
    ours = _member(holder, path[1])
    if ours is None:
        new, inner = _insert(document, holder, path[1], entry, _indent_of(text, servers.start), unit)
        return new, Undo(before=inner)
    return _update(document, ours, entry, unit, path, comments=comments), Undo()


def remove(text: str, path: tuple[str, str], undo: Undo = NO_UNDO, *, comments: bool) -> str:
    """The text without the entry at ``path``; the same text where it is not there. Raises :class:`TextError`."""
    if not text.strip():
        return text
    document = parse(text, comments=comments)
    root = _object(document.root, "the file")
    servers = _member(root, path[0])
    if servers is None or (ours := _member(_object(servers.value, path[0]), path[1])) is None:
        return text
    if undo.created and len(servers.value.members) == 1 and not _comments_in(document, servers.value):
        return _cut(document, root, servers, undo.before)
    return _cut(document, servers.value, ours, None if undo.created else undo.before)


# -- finding -------------------------------------------------------------------------------------------------------


def _object(node: Node, what: str) -> Node:
    if node.kind != "object":
        raise TextError(f"{what} is not an object in braces", node.start)
    return node


def _member(node: Node, name: str) -> Member | None:
    found = [member for member in node.members if member.name == name]
    if len(found) > 1:
        raise TextError(f"the key {name!r} occurs twice in one object", found[1].start)
    return found[0] if found else None


def _comments_in(document: Document, node: Node) -> bool:
    return any(node.start < start < node.end for start, _ in document.comments)


def _indent_of(text: str, offset: int) -> str:
    """The white space at the beginning of the line on which the offset is."""
    begin = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return text[begin : begin + len(text[begin:offset]) - len(text[begin:offset].lstrip(" \t"))]


def _unit(document: Document) -> str:
    """One step of indentation, as the file has it."""
    if document.root.members:
        first = document.root.members[0].start
        match = _LAST_LINE.search(document.text[:first])
        if match and match.group(2):
            return match.group(2)
    return "  "


def _line_end(text: str) -> str:
    match = _NEW_LINE.search(text)
    return match.group() if match else "\n"


# -- splicing ------------------------------------------------------------------------------------------------------


def _apply(text: str, splices: Sequence[Splice]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _rendered(value: object, unit: str, indent: str, line_end: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (line_end + indent).join(lines)


def _insert(document: Document, node: Node, name: str, value: object, indent: str, unit: str) -> tuple[str, str | None]:
    """The text with one member more at the end of an object, and what an empty object held between its braces.

    ``indent`` is that of the line on which the object's own key stands.
    """
    text = document.text
    key = json.dumps(name, ensure_ascii=False)
    at = _after_comments(document, node.last_end)
    if not node.members:
        end = _line_end(text)
        inner = text[node.start + 1 : node.end - 1]
        member = f"{end}{indent}{unit}{key}: {_rendered(value, unit, indent + unit, end)}"
        closing = "" if _NEW_LINE.search(text[at : node.end - 1]) else end + indent
        return _apply(text, [(at, at, member + closing)]), inner

    last = node.members[-1]
    gap = text[_end_before(document, node, last) : last.start]
    line = _LAST_LINE.search(gap)
    if line:
        before = line.group()
        member = f"{before}{key}: {_rendered(value, unit, line.group(2), line.group(1))}"
    else:
        spaced = text[last.value.start - 1] in " \t"
        before = gap if gap.strip(" \t") == "" and (gap or not spaced) else " "
        if _ends_line_comment(document, at):  # what follows it on its line would be a part of it
            before = _line_end(text[at:]) + _indent_of(text, at) + unit
        separators = None if spaced else (",", ":")
        colon = ": " if spaced else ":"
        member = f"{before}{key}{colon}{json.dumps(value, ensure_ascii=False, separators=separators)}"
    if last.comma is not None:
        return _apply(text, [(at, at, member + ",")]), None
    # Two splices at one offset would be applied in the order of their text; one is enough there.
    if at == last.value.end:
        return _apply(text, [(at, at, "," + member)]), None
    return _apply(text, [(last.value.end, last.value.end, ","), (at, at, member)]), None


def _after_comments(document: Document, at: int) -> int:
    """The end of the comments that follow on the same line."""
    for start, end in document.comments:
        if start >= at and not document.text[at:start].strip(" \t"):
            at = end
        elif start >= at:
            break
    return at


def _ends_line_comment(document: Document, at: int) -> bool:
    return any(stop == at and document.text.startswith("//", start) for start, stop in document.comments)


def _end_before(document: Document, node: Node, member: Member) -> int:
    """Where the token or comment before a member ends."""
    index = next(i for i, other in enumerate(node.members) if other is member)
    end = node.members[index - 1].end if index else node.start + 1
    return max([end, *(stop for start, stop in document.comments if end <= start < member.start)])


def _cut(document: Document, node: Node, member: Member, before: str | None) -> str:
    """The text without the member. ``before`` is what stood between the braces when the object was empty."""
    text = document.text
    start = _end_before(document, node, member)
    if _ends_line_comment(document, start):
        after = text[member.end :].lstrip(" \t")
        if after and after[0] not in "\r\n":  # what follows would become a part of the comment
            match = _NEW_LINE.match(text, start)
            start = match.end() if match else start
    splices: list[Splice] = [(start, member.end, "")]
    if len(node.members) == 1:
        rest = text[node.start + 1 : start] + text[member.end : node.end - 1]
        if before is not None and rest.split() == before.split():
            return _apply(text, [(node.start + 1, node.end - 1, before)])
        if not rest.strip():
            return _apply(text, [(node.start + 1, node.end - 1, "")])
    elif member is node.members[-1] and member.comma is None:
        comma = node.members[-2].comma
        assert comma is not None
        splices.append((comma, comma + 1, ""))
        if start == comma + 1:
            splices = [(comma, member.end, "")]
    return _apply(text, splices)


def _update(
    document: Document,
    ours: Member,
    entry: Mapping[str, object],
    unit: str,
    path: tuple[str, str],
    *,
    comments: bool,
) -> str:
    """Our entry brought up to date in place, key by key."""
    text = document.text
    indent = _indent_of(text, ours.start)
    node = ours.value
    if node.kind != "object" or _member(node, "command") is None:  # a remote server of the same name, or nothing of use
        new = _rendered(entry, unit, indent, _line_end(text))
        return _apply(text, [(node.start, node.end, new)])
    for name, value in entry.items():
        held = _member(node, name)
        if held is None:
            text, _ = _insert(document, node, name, value, indent, unit)
        elif held.value.plain() != value:
            inside = _indent_of(text, held.start)
            compact = not _NEW_LINE.search(text[held.value.start : held.value.end]) and held.value.kind != "string"
            new = json.dumps(value, ensure_ascii=False) if compact else _rendered(value, unit, inside, _line_end(text))
            text = _apply(text, [(held.value.start, held.value.end, new)])
        else:
            continue
        document = parse(text, comments=comments)
        holder = _member(document.root, path[0])
        assert holder is not None
        again = _member(holder.value, path[1])
        assert again is not None
        node = again.value
    return text
