"""A server process that a test speaks JSON-RPC with, line by line, as no well-behaved client would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

SERVE = (sys.executable, "-u", "-m", "footnote_desktop", "serve")
CLIENT = {"name": "raw", "version": "9.1"}
LEGACY, MODERN = "2025-11-25", "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment in which the log and everything else that is written lies in ``folder``."""
    return {
        **os.environ,
        "PROVENANCE_DB": str(folder / "log.sqlite3"),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        **more,
    }


class RawServer:
    """A running server. ``say`` writes a line, ``answer`` waits for the reply to an id."""

    def __init__(self, folder: Path, command: Iterable[str] = SERVE, **more: str) -> None:
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(folder, **more),
            cwd=folder,
        )
        self._ended = False
        self._came: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._kept: list[dict[str, Any]] = []
        self.stderr = b""
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.process.kill()
        self.end()

    def say(self, *messages: Mapping[str, Any] | list[Any] | bytes | None) -> None:
        """Write messages, in one go; bytes as they are, everything else as JSON; each with a line end."""
        lines = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def greet(self) -> dict[str, Any]:
        """The handshake of the older era."""
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
        self.say({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})
        reply = self.answer("hello")
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    def call(self, identity: Any, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The message that calls a tool."""
        return request(identity, "tools/call", {"name": tool, "arguments": dict(arguments)})

    def next(self, timeout: float = 30.0) -> dict[str, Any]:
        """The next message, whatever it is."""
        if self._kept:
            return self._kept.pop(0)
        return self._came.get(timeout=timeout)

    def answer(self, identity: Any, timeout: float = 30.0) -> dict[str, Any]:
        """The reply with this id; others are kept for later."""
        for index, message in enumerate(self._kept):
            if message.get("id", self) == identity:
                return self._kept.pop(index)
        deadline = time.monotonic() + timeout
        while True:
            message = self._came.get(timeout=max(0.01, deadline - time.monotonic()))
            if message.get("id", self) == identity:
                return message
            self._kept.append(message)

    def silent(self, seconds: float = 0.5) -> bool:
        """Whether nothing comes for a while."""
        try:
            self._kept.append(self._came.get(timeout=seconds))
        except Empty:
            return not self._kept
        return False

    def end(self, timeout: float = 30.0) -> int:
        """Close stdin and wait; the exit code. Whatever came meanwhile can still be read."""
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        if self._ended:
            return self.process.returncode
        self._ended = True
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            for reader in self._readers:
                reader.join(5)
            self.process.stdout.close()
            self.process.stderr.close()
        return code

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._came.put(json.loads(line))

    def _read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.stderr += line


def request(identity: Any, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A request of the older era."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": identity, "method": method}
    if params is not None:
        message["params"] = dict(params)
    return message


def modern(identity: Any, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A request of the stateless era, which carries everything with it."""
    return request(identity, method, {**(params or {}), "_meta": ENVELOPE})
