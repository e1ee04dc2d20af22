"""Errors as sentences: what happened, and what to do about it. No Qt.

Two families: what the environment lacks (the log cannot be written, the database is down), which a person can put
right; and our own mistakes, which are to be reported.
"""

from __future__ import annotations

from footnote_desktop.catalog.result import Refusal
from footnote_desktop.desktop.events import Fault
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.provenance.errors import LogError


def describe(error: Exception, detail: str = "") -> Fault:
    """The fault that an exception is. ``detail`` (a traceback) is kept only for our own mistakes."""
    if isinstance(error, LogError):
        return Fault(
            "No answer: the log cannot be used",
            sentence(error.message),
            sentence(error.advice or "Put that right and ask again. An answer that is not recorded is not given."),
        )
    if isinstance(error, EngineError):
        return Fault(
            "The database did not answer",
            sentence(error.message),
            sentence(error.advice or "Check that it is running and can be reached, then ask again."),
        )
    if isinstance(error, Refusal):
        return Fault("The database did not answer", sentence(error.message), "Try again in a moment.")
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        where = f" ({error.filename})" if error.filename else ""
        return Fault("A file could not be used", sentence(reason + where), "Check that it exists and may be written.")
    return Fault(
        "Footnote made a mistake",
        sentence(f"{type(error).__name__}: {error}"),
        "Nothing was answered. Please report this, with the details.",
        bug=True,
        detail=detail,
    )


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")
