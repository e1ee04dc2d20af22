"""Our entry in the bytes of a client's file: read, added, removed, in any format, and checked."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from pathlib import Path

from footnote_desktop.clients import json_edit, jsonc, toml_edit
from footnote_desktop.clients.faults import ClientError, TextError, line_and_column
from footnote_desktop.clients.json_edit import NO_UNDO, Undo
from footnote_desktop.clients.table import OURS, Client


class Editor:
    """Reads and edits one file's content. Every fault is a :class:`ClientError` that says where it is."""

    def __init__(self, client: Client, path: Path):
        self.client = client
        self.path = path
        self._keys = (client.servers, OURS)

    def text(self, content: bytes) -> str:
        """The text without a byte-order mark: a client that meets one drops every server."""
        try:
            return content.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ClientError(
                f"{self.path} is not UTF-8 text (at byte {error.start + 1}), so it was left as it is.",
                "Save it as UTF-8 in an editor, then run this again.",
            ) from None

    def read(self, content: bytes) -> object | None:
        """Our entry, or None."""
        text = self.text(content)
        try:
            if self.client.toml:
                return toml_edit.read_entry(text, self._keys)
            return json_edit.read_entry(text, self._keys, comments=self.client.comments)
        except TextError as fault:
            raise self._fault(text, fault) from None

    def add(self, content: bytes, entry: Mapping[str, object]) -> tuple[bytes, Undo]:
        """The content with our entry, and what its removal has to know."""
        text = self.text(content)
        try:
            if self.client.toml:
                new, undo = toml_edit.add(text, self._keys, entry)
            else:
                new, undo = json_edit.add(text, self._keys, entry, comments=self.client.comments)
            self._same_but_ours(text, new)
        except TextError as fault:
            raise self._fault(text, fault) from None
        return self._bytes(new), undo

    def remove(self, content: bytes, undo: Undo = NO_UNDO) -> bytes:
        """The content without our entry."""
        text = self.text(content)
        try:
            if self.client.toml:
                new = toml_edit.remove(text, self._keys, undo)
            else:
                new = json_edit.remove(text, self._keys, undo, comments=self.client.comments)
            self._same_but_ours(text, new)
        except TextError as fault:
            raise self._fault(text, fault) from None
        return content if new == text else self._bytes(new)

    def _bytes(self, text: str) -> bytes:
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise ClientError(
                "The path of Footnote cannot be written as UTF-8 text.",
                "Install Footnote in a folder with another name.",
            ) from None

    def _same_but_ours(self, before: str, after: str) -> None:
        """The last line of defence: whatever the splicing did, no other key may have changed."""
        if self.client.toml or not before.strip():  # toml_edit compares all values itself
            return
        values = [
            _others(jsonc.parse(text, comments=self.client.comments).root, self._keys) for text in (before, after)
        ]
        if values[0] != values[1]:
            raise ClientError(
                f"{self.path} could not be changed without touching other keys, so it was left as it is.",
                "Please report this, with the file if it holds no secrets.",
            )

    def _fault(self, text: str, fault: TextError) -> ClientError:
        line, column = line_and_column(text, fault.offset)
        return ClientError(
            f"{self.path} cannot be read at line {line}, column {column}: {fault.message}. It was left as it is.",
            f"Open the file, correct line {line}, and run this again; {self.client.title} may not read it either.",
        )


def _others(root: jsonc.Node, keys: tuple[str, str]) -> object:
    """All values but ours; an object of servers with nothing in it counts as none."""
    kept: list[tuple[str, object]] = []
    for member in root.members:
        if member.name == keys[0] and member.value.kind == "object":
            inside = [(m.name, m.value.value()) for m in member.value.members if m.name != keys[1]]
            if inside:
                kept.append((member.name, inside))
        else:
            kept.append((member.name, member.value.value()))
    return kept
