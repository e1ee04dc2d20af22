"""Why the log cannot be used, in words, and what to do about it."""

from __future__ import annotations

import re


class LogError(Exception):
    """The log cannot be opened, read or written.

    ``message`` says why, ``advice`` what to do about it; neither holds a password.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message if not advice else f"{message} {advice}")
        self.message = message
        self.advice = advice


class DamagedError(LogError):
    """The file's own structure is broken, so that not all of it can be read."""


class NotADatabaseError(DamagedError):
    """The file is no database at all, or its very beginning is broken."""


class NewerFormatError(LogError):
    """The file was written by a later version of this program."""


class LogCancelledError(Exception):
    """The caller asked to stop; nothing was concluded and nothing was left behind."""


_USERINFO = re.compile(r"(?<=://)[^/@\s]*@")
_KEYWORD = re.compile(r"(?i)(password|passwd|pwd|secret|token)(\s*[=:]\s*)('[^']*'|[^\s&;]+)")


def redact(text: str) -> str:
    """``text`` without the user names and passwords of URLs and without ``password=…`` values."""
    return _KEYWORD.sub(r"\1\2***", _USERINFO.sub("***@", text))
