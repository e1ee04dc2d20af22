"""A change to a client's file: planned and shown first, then written, whole or not at all."""

from __future__ import annotations

import codecs
import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from footnote_desktop.clients import replacing
from footnote_desktop.clients.edit import Editor
from footnote_desktop.clients.faults import ClientError
from footnote_desktop.clients.json_edit import NO_UNDO
from footnote_desktop.clients.receipts import Receipt, Store, digest
from footnote_desktop.clients.table import Client


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be written. ``before`` and ``after`` are the whole file, None where there is none."""

    client: Client
    path: Path  #: as the client names it
    target: Path  #: the file itself, where ``path`` is a link
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None  #: to be kept once this is written
    notes: tuple[str, ...] = ()
    backups: Path | None = None  #: where backups go, if not to the user's data folder

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty where nothing changes."""
        if not self.changed:
            return ""
        old, new = (_lines(content) for content in (self.before, self.after))
        nothing = "/dev/null"
        from_file, to_file = (nothing if c is None else str(self.path) for c in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, from_file, to_file))


def plan_connect(client: Client, path: Path, entry: Mapping[str, object], *, backups: Path | None = None) -> Plan:
    """The plan that puts our entry into the client's file. Reads only. Raises :class:`ClientError`."""
    path, target, before = _read(path)
    editor = Editor(client, path)
    held = editor.read(before or b"")
    notes = []
    if before is not None and held is not None and _holds(held, entry):
        return Plan(client, path, target, before, before, None, ("It is connected already.",), backups)
    after, undo = editor.add(before or b"", entry)
    if before is not None and before.startswith(codecs.BOM_UTF8):
        notes.append("The byte-order mark at its beginning is left out: clients drop every server over it.")
    if held is not None:
        notes.append("There is an entry named footnote already; its command and arguments are replaced.")
    if path != target:
        notes.append(f"It is a link; the file that is written is {target}")
    store = Store(target, backups)
    last = store.receipt()
    if last is not None and before is not None and last.written == digest(before):
        receipt = replace(last, written=digest(after))  # the original stays the one from before we came
    else:
        receipt = Receipt(
            path=str(target),
            written=digest(after),
            original=None,
            original_hash=None if before is None or held is not None else digest(before),
            made=before is None,
            made_folders=_missing_folders(target) if before is None else (),
            undo=last.undo if last is not None and held is not None else undo,
        )
    return Plan(client, path, target, before, after, receipt, tuple(notes), backups)


def plan_remove(client: Client, path: Path, *, backups: Path | None = None) -> Plan:
    """The plan that takes our entry out again. Reads only. Raises :class:`ClientError`."""
    path, target, before = _read(path)
    editor = Editor(client, path)
    if before is None or editor.read(before) is None:
        return Plan(client, path, target, before, before, None, ("There is no entry of ours.",), backups)
    store = Store(target, backups)
    receipt = store.receipt()
    undo = NO_UNDO
    if receipt is not None:
        undo = receipt.undo
        if receipt.written == digest(before):
            original = store.original(receipt)
            if original is not None:
                note = "The file is as Footnote wrote it; what was there before comes back byte for byte."
                return Plan(client, path, target, before, original, None, (note,), backups)
            if receipt.made:
                note = "The file was made by Footnote and holds nothing else; it is deleted."
                return Plan(client, path, target, before, None, None, (note,), backups)
    return Plan(client, path, target, before, editor.remove(before, undo), None, (), backups)


def apply(plan: Plan) -> Path | None:
    """Write the plan; the backup of what was there, or None. Raises :class:`ClientError`, the file then untouched."""
    if not plan.changed:
        return None
    store = Store(plan.target, plan.backups)
    last = store.receipt()
    with replacing.told(plan.target, plan.client.title):
        replacing.check(plan.target, plan.before)
    with replacing.told(store.folder, plan.client.title):
        backup = None if plan.before is None else store.back_up(plan.before)
        receipt = plan.receipt
        if receipt is not None and receipt.original is None and receipt.original_hash is not None:
            assert backup is not None
            receipt = replace(receipt, original=backup.name)
        if receipt is not None:  # before the file, so that a crash between the two loses no way back
            store.keep(receipt)
    try:
        with replacing.told(plan.target, plan.client.title):
            if plan.after is None:
                replacing.delete(plan.target, plan.before, last.made_folders if last else ())
            else:
                replacing.write(plan.target, plan.before, plan.after)
    except BaseException:
        if receipt is not None:
            _quietly(store, last)
        raise
    _quietly(store, receipt)
    return backup


def state(client: Client, path: Path, entry: Mapping[str, object]) -> str:
    """``not connected``, ``connected``, or ``changed`` where our entry is there and not as this program writes it.

    Raises :class:`ClientError` where the file cannot be read.
    """
    path, _, content = _read(path)
    held = None if content is None else Editor(client, path).read(content)
    if held is None:
        return "not connected"
    return "connected" if _holds(held, entry) else "changed"


def _quietly(store: Store, receipt: Receipt | None) -> None:
    """The file is done; that our own notes of it could not be kept undoes nothing."""
    try:
        store.keep(receipt)
        store.prune()
    except OSError:
        return


def _holds(held: object, entry: Mapping[str, object]) -> bool:
    return isinstance(held, dict) and all(held.get(key) == value for key, value in entry.items())


def _read(path: Path) -> tuple[Path, Path, bytes | None]:
    """The absolute path, the file behind every link, and its content."""
    path = Path(os.path.abspath(path.expanduser()))
    with replacing.told(path, "the client"):
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise ClientError(f"{path} is a folder.", "Name the file itself.")
        if target.is_symlink():  # realpath gives up on a loop
            raise ClientError(f"{path} is a link that leads to itself.", "Remove the link, then run this again.")
        try:
            return path, target, target.read_bytes()
        except FileNotFoundError:
            return path, target, None


def _missing_folders(target: Path) -> tuple[str, ...]:
    missing = []
    for folder in target.parents:
        if folder.exists():
            break
        missing.append(str(folder))
    return tuple(missing)


def _lines(content: bytes | None) -> list[str]:
    """Lines with a line feed each, as a diff prints them; only a line feed ends one, so that CR stays visible."""
    text = (content or b"").removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    lines = [line + "\n" for line in text.split("\n")]
    if lines[-1] == "\n":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\\ No newline at end of file\n"]
