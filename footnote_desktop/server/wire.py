"""One line of input becomes one JSON-RPC message, or the error that answers it.

The SDK's own reader drops what it cannot parse, so that a client waits for ever; and it takes a request whose id is
null or a fraction for a notification. Here every request that can be told to be one is answered.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError
from pydantic_core import from_json

logger = logging.getLogger(__name__)

#: Longest line that is read, in bytes. A longer one is skipped up to its end and answered with an error.
LINE_LIMIT = 16 * 1024 * 1024

Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError


@dataclass(frozen=True, slots=True)
class Rejected:
    """The error that answers a line which is not a usable message. ``id`` is null where the line names none."""

    id: str | int | float | None
    code: int
    message: str

    def to_line(self) -> bytes:
        """The JSON-RPC error response, with its line end."""
        error = {"code": self.code, "message": self.message}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode() + b"\n"


TOO_LONG = Rejected(None, INVALID_REQUEST, f"the line is longer than {LINE_LIMIT // 1024 // 1024} MB and was not read")


def parse(line: bytes) -> Message | Rejected | None:
    """The message in ``line``, the error that answers it, or None where nothing is to be done: an empty line, or a
    notification that cannot be used (a notification is never answered)."""
    line = line.removeprefix(b"\xef\xbb\xbf").strip()  # some Windows shells put a byte-order mark first
    if not line:
        return None
    try:
        # Strict JSON: no NaN, no lone surrogate, valid UTF-8.
        message = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        return _unreadable(line, str(error))
    return _classify(message)


def _classify(message: Any) -> Message | Rejected | None:
    if isinstance(message, list):
        return Rejected(None, INVALID_REQUEST, "batches are not supported; send one message a line")
    if not isinstance(message, dict):
        return Rejected(None, INVALID_REQUEST, "a message is a JSON object")
    if "method" not in message:
        if "id" in message and ("result" in message or "error" in message):
            return _response(message)
        return Rejected(_echo(message), INVALID_REQUEST, "the message has neither a method nor a result")
    if "id" not in message:
        try:
            return JSONRPCNotification.model_validate(message)
        except ValidationError:
            logger.warning("a malformed notification was ignored")
            return None
    identity = message["id"]
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return Rejected(_echo(message), INVALID_REQUEST, "a request's id is a string or a whole number")
    try:
        return JSONRPCRequest.model_validate(message)
    except ValidationError as error:
        if error.errors()[0]["loc"][0] == "params":
            return Rejected(identity, INVALID_PARAMS, "params is a JSON object")
        return Rejected(identity, INVALID_REQUEST, 'a request has "jsonrpc": "2.0" and a method, which is a string')


def _response(message: dict[str, Any]) -> Message | None:
    kind: type[JSONRPCResponse | JSONRPCError] = JSONRPCResponse if "result" in message else JSONRPCError
    try:
        return kind.model_validate(message)
    except ValidationError:
        logger.warning("a malformed response was ignored")
        return None


def _unreadable(line: bytes, reason: str) -> Rejected | None:
    """Answer what the strict parser refuses; the standard library reads some of it, which yields the request's id."""
    try:
        message = json.loads(line.decode("utf-8", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return Rejected(None, PARSE_ERROR, f"the line is not JSON: {reason}")
    if isinstance(message, dict) and "id" not in message and "method" in message:
        logger.warning("a notification that cannot be read was ignored: %s", reason)
        return None
    return Rejected(
        _echo(message),
        INVALID_PARAMS,
        "the message cannot be read: it holds bytes that are not UTF-8, half of a surrogate pair (a lone \\ud800 to "
        f"\\udfff), or too many levels ({reason})",
    )


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _echo(message: Any) -> str | int | float | None:
    """The id to answer under, if the message has one that can be repeated."""
    identity = message.get("id") if isinstance(message, dict) else None
    if isinstance(identity, bool) or not isinstance(identity, str | int | float):
        return None
    if isinstance(identity, str) and not identity.isascii() and any("\ud800" <= c <= "\udfff" for c in identity):
        return None
    return identity
