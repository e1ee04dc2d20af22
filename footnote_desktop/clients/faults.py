"""Why a client's configuration was left as it is."""

from __future__ import annotations


class ClientError(Exception):
    """Nothing was written: ``message`` says why, ``advice`` what to do."""

    def __init__(self, message: str, advice: str):
        super().__init__(message)
        self.message = message
        self.advice = advice


class TextError(ValueError):
    """The text does not parse: what is wrong, and at which offset."""

    def __init__(self, message: str, offset: int):
        super().__init__(message)
        self.message = message
        self.offset = offset


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Where an offset is, both counted from one; any of the three line ends counts once."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
