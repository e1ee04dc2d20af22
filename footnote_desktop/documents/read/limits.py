"""What a reader must not be talked into: limits on size, pages and unpacking, and how a broken file is reported."""

from __future__ import annotations

import zipfile
from pathlib import Path

MAX_BYTES = 200 * 1024 * 1024
MAX_TEXT = 40_000_000  #: characters of extracted text
MAX_PAGES = 5000
MAX_ROWS = 200_000
MAX_UNPACKED = 400 * 1024 * 1024
MAX_RATIO = 200


class UnreadableError(Exception):
    """A file that cannot be read; the message is one sentence for the list of sources."""


def check_zip(path: Path) -> None:
    """Refuses an Office file that unpacks to far more than it holds (a zip bomb). Raises :class:`UnreadableError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            unpacked = sum(i.file_size for i in infos)
            packed = sum(i.compress_size for i in infos) or 1
            if any(i.flag_bits & 1 for i in infos):
                raise UnreadableError("the file is protected by a password")
            if (
                unpacked > MAX_UNPACKED
                or (unpacked > 20 * 1024 * 1024 and unpacked / packed > MAX_RATIO)
                or len(infos) > 20_000
            ):
                raise UnreadableError(
                    f"the file unpacks to {unpacked // 1024 // 1024} MB, which looks like a zip bomb; it was not opened"
                )
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        with path.open("rb") as file:
            if file.read(8) == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
                raise UnreadableError(
                    "the file is encrypted, or in the old binary Office format; save it without a password as .docx or .xlsx"
                ) from error
        raise UnreadableError("the file is broken: it is no Office document") from error


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Text of a text file, and notes on how it was read. UTF-8 first; else UTF-16 by its mark, else Windows-1250 or -1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), ("read as UTF-16",)
    try:
        return data.decode("utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8"), ()
    except UnicodeDecodeError:
        pass
    if b"\x00" in data[:4096]:
        raise UnreadableError("the file is no text: it holds binary data")
    polish = sum(data.count(bytes([b])) for b in (0xB9, 0xEA, 0xB3, 0x9C, 0xBF))
    western = sum(data.count(bytes([b])) for b in (0xE4, 0xF6, 0xFC, 0xDF))
    encoding = "cp1250" if polish > western else "cp1252"
    return data.decode(encoding, errors="replace"), (f"not valid UTF-8; read as {encoding}",)
