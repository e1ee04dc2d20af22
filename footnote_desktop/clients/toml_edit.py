"""Our table put into a TOML text and taken out again.

tomlkit reads, finds faults and edits a table that is there. A new table goes to the end of the file as text, and comes
out as text: tomlkit counts the comment above a table as part of the one before, and would move it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from footnote_desktop.clients.faults import TextError
from footnote_desktop.clients.json_edit import NO_UNDO, Undo


def read(text: str) -> dict[str, Any]:
    """The values of the text. Raises :class:`TextError`."""
    try:
        tomlkit.parse(text)
    except ParseError as error:
        lines = text.splitlines(keepends=True)
        raise TextError(str(error), sum(map(len, lines[: error.line - 1])) + error.col) from None
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise TextError(str(error), 0) from None
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TextError(str(error), 0) from None


def read_entry(text: str, path: tuple[str, str]) -> object | None:
    """The value at the path, or None. Raises :class:`TextError`."""
    servers = read(text).get(path[0])
    return servers.get(path[1]) if isinstance(servers, dict) else None


def add(text: str, path: tuple[str, str], entry: Mapping[str, object]) -> tuple[str, Undo]:
    """The text with the table at ``path``. Raises :class:`TextError`."""
    held = read(text)
    servers = held.get(path[0], {})
    if not isinstance(servers, dict):
        raise TextError(f"{path[0]} is not a table", 0)
    wanted = _with(held, path, entry)
    if path[1] not in servers:
        end = "\r\n" if "\r\n" in text else "\n"
        before = "" if not text else end if text.endswith(("\n", "\r\n")) else end * 2
        lines = [
            f"[{path[0]}.{path[1]}]",
            *(f"{key} = {tomlkit.item(value).as_string()}" for key, value in entry.items()),
        ]
        new = text + before + "".join(line + end for line in lines)
        if _reads_as(new, wanted):
            return new, Undo(before=before)
    document = tomlkit.parse(text)
    table: Any = document[path[0]]
    ours = table.get(path[1])
    if isinstance(ours, dict) and "command" in ours:
        for key, value in entry.items():
            if ours.get(key) != value:
                ours[key] = value
        wanted = _with(held, path, {**servers[path[1]], **entry})
    else:
        inline = tomlkit.inline_table()
        inline.update(entry)
        table[path[1]] = inline
    new = _line_ends_of(text, tomlkit.dumps(document))
    if not _reads_as(new, wanted):
        raise TextError(f"{path[0]} is written in a way that cannot be added to", 0)
    return new, Undo()


def remove(text: str, path: tuple[str, str], undo: Undo = NO_UNDO) -> str:
    """The text without the table at ``path``; the same text where it is not there. Raises :class:`TextError`."""
    held = read(text)
    servers = held.get(path[0])
    if not isinstance(servers, dict) or path[1] not in servers:
        return text
    left = {key: value for key, value in servers.items() if key != path[1]}
    without = {key: value for key, value in held.items() if key != path[0]}
    wanted = [{**held, path[0]: left}] + ([without] if not left else [])
    for blank in (undo.before, None):
        new = _without_sections(text, path, blank)
        if any(_reads_as(new, each) for each in wanted):
            return new
    document = tomlkit.parse(text)
    table: Any = document[path[0]]
    del table[path[1]]
    new = _line_ends_of(text, tomlkit.dumps(document))
    if not any(_reads_as(new, each) for each in wanted):
        raise TextError(f"{path[0]}.{path[1]} is written in a way that cannot be taken out", 0)
    return new


def _with(held: Mapping[str, Any], path: tuple[str, str], entry: Mapping[str, object]) -> dict[str, Any]:
    return {**held, path[0]: {**held.get(path[0], {}), path[1]: dict(entry)}}


def _reads_as(text: str, wanted: object) -> bool:
    """Whether the text holds exactly these values; ``repr``, for which NaN is itself and 1 is not 1.0."""
    try:
        return _sorted(read(text)) == _sorted(wanted)
    except TextError:
        return False


def _sorted(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_sorted(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_sorted, value)) + "]"
    return repr(value)


def _line_ends_of(text: str, new: str) -> str:
    """tomlkit writes its own lines with a line feed; a file all in CR LF stays so."""
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        return new.replace("\r\n", "\n").replace("\n", "\r\n")
    return new


def _without_sections(text: str, path: tuple[str, str], blank: str | None) -> str:
    """The text without the tables at and below the path, and without ``blank`` before the first of them.

    None stands for one of two line ends, so that no blank line is left behind.

    A section ends with its last line that says something: the comment after it belongs to what follows.
    """
    spans: list[tuple[int, int]] = []
    ours = False
    for start, end, header in _statements(text):
        if header is not None:
            ours = _header_path(header)[:2] == path
            if ours:
                spans.append((start, end))
        elif ours:
            spans[-1] = (spans[-1][0], end)
    if blank is None:
        feed = "\r\n" if "\r\n" in text else "\n"
        blank = feed if spans and text.endswith(feed * 2, 0, spans[0][0]) else ""
    if spans and text.endswith(blank, 0, spans[0][0]):
        spans[0] = (spans[0][0] - len(blank), spans[0][1])
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text


def _header_path(header: str) -> tuple[str, ...]:
    """The keys of ``[a."b".c]``; the text is valid TOML."""
    node: Any = tomllib.loads(header)
    keys: list[str] = []
    while node:
        if isinstance(node, list):
            node = node[0]
            continue
        key, node = next(iter(node.items()))
        keys.append(key)
    return tuple(keys)


def _statements(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Each statement of a valid TOML text from its line's start to its line's end, and a header's own text."""
    at = 0
    while at < len(text):
        start = at
        at, blank = _line(text, at)
        if not blank:
            line = text[start:at]
            yield start, at, line if line.lstrip(" \t").startswith("[") else None


def _line(text: str, at: int) -> tuple[int, bool]:
    """The end of the statement that begins here, after its line feed, and whether it was blank or a comment."""
    depth, blank = 0, True
    while at < len(text):
        char = text[at]
        if char == "#":
            feed = text.find("\n", at)
            at = len(text) if feed < 0 else feed
            continue
        if char in "\"'":
            at, blank = _string_end(text, at), False
            continue
        at += 1
        if char == "\n" and depth == 0:
            break
        depth += (char in "[{") - (char in "]}")
        blank = blank and char in " \t\r\n"
    return at, blank


def _string_end(text: str, at: int) -> int:
    """Where the string that begins here ends."""
    quote = text[at]
    long = text.startswith(quote * 3, at)
    closing = quote * 3 if long else quote
    at += len(closing)
    while not text.startswith(closing, at):
        at += 2 if text[at] == "\\" and quote == '"' else 1
    at += len(closing)
    if long:  # up to two more quotes belong to the string
        for _ in range(2):
            at += text.startswith(quote, at)
    return at
