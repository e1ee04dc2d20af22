"""A file replaced by its new content at once, or left as it is: mode, owner and attributes stay."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from footnote_desktop.clients.faults import ClientError
from footnote_desktop.clients.receipts import write_new

UNTOUCHED = "The file was left as it was."


@contextlib.contextmanager
def told(path: Path, title: str) -> Iterator[None]:
    """Say in a sentence why the operating system refused."""
    try:
        yield
    except OSError as error:
        raise _sentence(error, path, title) from error


def _sentence(error: OSError, path: Path, title: str) -> ClientError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ClientError(
            f"The disk is full: {path} cannot be written. {UNTOUCHED}", "Free some space, then run this again."
        )
    if error.errno == errno.EROFS:
        return ClientError(f"{path} is on a read-only disk. {UNTOUCHED}", "Name another file with --config PATH.")
    if error.errno == errno.ELOOP:
        return ClientError(f"{path} is a link that leads to itself.", "Remove the link, then run this again.")
    if getattr(error, "winerror", None) in (32, 33):  # a sharing or lock violation
        return ClientError(
            f"{path} is open in another program. {UNTOUCHED}", f"Close it there, quit {title}, and run this again."
        )
    if isinstance(error, PermissionError):
        return ClientError(
            f"There is no permission to write {path}. {UNTOUCHED}",
            "Run this as the user to whom it belongs, or change its permissions.",
        )
    if isinstance(error, NotADirectoryError | FileExistsError):
        return ClientError(f"A folder of {path} is a file. {UNTOUCHED}", "Move that file away, then run this again.")
    return ClientError(
        f"{path} cannot be read or written: {error.strerror or error}. {UNTOUCHED}", "Then run this again."
    )


def check(target: Path, expected: bytes | None) -> None:
    """Raises :class:`ClientError` unless the file is still as it was planned for, and may be written."""
    if _content(target) != expected:
        raise ClientError(
            f"{target} was changed by another program since the change was shown. {UNTOUCHED}",
            "Quit the client fully, tray included, and run this again.",
        )
    if expected is None:
        return
    held = target.stat()
    if not stat.S_IMODE(held.st_mode) & 0o222:  # root may write it all the same; someone did not want that
        raise ClientError(f"{target} is read-only. {UNTOUCHED}", "Allow writing to it, then run this again.")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))


def write(target: Path, expected: bytes | None, content: bytes) -> None:
    """Replace the file, or make it and its folders. Raises ``OSError``, :class:`ClientError`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}.footnote")
    temporary.unlink(missing_ok=True)
    try:
        write_new(temporary, content, 0o600)
        if expected is not None:
            _dress(target, temporary)
        check(target, expected)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def delete(target: Path, expected: bytes | None, folders: Sequence[str]) -> None:
    """Delete the file we made, and the folders we made for it as far as they are empty."""
    check(target, expected)
    target.unlink()
    with contextlib.suppress(OSError):
        for folder in folders:
            os.rmdir(folder)


def _content(target: Path) -> bytes | None:
    try:
        return target.read_bytes()
    except FileNotFoundError:
        return None


def _dress(target: Path, temporary: Path) -> None:
    """Give the new file the owner, mode and attributes of the old one."""
    held = target.stat()
    if os.name != "nt":
        made = temporary.stat()
        if (held.st_uid, held.st_gid) != (made.st_uid, made.st_gid):
            os.chown(temporary, held.st_uid, held.st_gid)  # the owner is kept, or nothing is written
    os.chmod(temporary, stat.S_IMODE(held.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):  # access lists among them
                os.setxattr(temporary, name, os.getxattr(target, name))


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
