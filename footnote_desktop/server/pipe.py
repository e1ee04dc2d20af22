"""The stdio transport: stdin and stdout as the two streams that the SDK's server runs on.

Three things the SDK's own transport does not do, and hosts need: every line is answered (see :mod:`.wire`); calls that
are running when stdin ends are finished and answered first; and a signal ends the process though stdin stays open.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import INTERNAL_ERROR, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from footnote_desktop.server.wire import LINE_LIMIT, TOO_LONG, Message, Rejected, parse

logger = logging.getLogger(__name__)

#: Requests that may wait for their answer before reading pauses: bounds memory, and no host comes near it.
OPEN_LIMIT = 1000
#: Seconds that running calls get to finish once stdin has ended, or once a signal or a broken pipe asks to stop.
GRACE_END, GRACE_STOP = 60.0, 5.0

Serve = Callable[["MemoryObjectReceiveStream[SessionMessage | Exception]", "Replies"], Awaitable[None]]


def split_lines(read: Callable[[], bytes], limit: int) -> Iterator[bytes | None]:
    """The lines of a byte source, without their ends; None for a line of more than ``limit`` bytes, whose bytes are
    dropped as they arrive. ``read`` returns the next bytes, empty at the end."""
    parts: list[bytes] = []
    size = 0
    while chunk := read():
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            yield b"".join([*parts, piece]) if size + len(piece) <= limit else None
            parts, size = [], 0
        size += len(rest)
        if size > limit:
            parts = []
        elif rest:
            parts.append(rest)
    if size:
        yield b"".join(parts) if size <= limit else None


class Replies:
    """What the SDK writes to: each message becomes one line for the writer thread."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        try:
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        except Exception:
            logger.exception("a reply cannot be written as JSON")
            if not isinstance(message, JSONRPCResponse | JSONRPCError):
                return
            line = Rejected(message.id, INTERNAL_ERROR, "the reply cannot be written as JSON").to_line()
        self._pipe.write(line)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._pipe.settled()

    async def aclose(self) -> None:
        return

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


class Pipe:
    """One client on a pair of file descriptors. Reading and writing have a daemon thread each, so that neither a
    silent nor a stuck client keeps the event loop from running or the process from ending."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._room = threading.Semaphore(OPEN_LIMIT)
        self._open = 0
        self._idle = asyncio.Event()
        self._ending = asyncio.Event()
        self._overdue = asyncio.Event()

    async def run(self, serve: Serve) -> bool:
        """Run ``serve`` over the pipe until stdin ends or :meth:`stop`. Returns False when calls were still running
        at the end of their grace; ``serve`` is then left alone, and the caller must end the process."""
        self._loop = asyncio.get_running_loop()
        self._idle.set()
        self._sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        writer = threading.Thread(target=self._write_all, name="stdout", daemon=True)
        writer.start()
        threading.Thread(target=self._read_all, name="stdin", daemon=True).start()
        serving = asyncio.ensure_future(serve(receiver, Replies(self)))
        try:
            await _first(serving, self._ending)
            await _first(serving, self._idle, self._overdue)
            if not self._idle.is_set() and not serving.done():
                return False
            self._sender.close()  # the SDK's loop ends with its input
            await serving
            return True
        finally:
            self._lines.put(None)
            await asyncio.to_thread(writer.join, GRACE_STOP)

    def stop(self) -> None:
        """Take no more requests, finish what runs, and end. To be called in the event loop."""
        self._end(GRACE_STOP)

    def _end(self, grace: float) -> None:
        self._ending.set()
        self._loop.call_later(grace, self._overdue.set)

    def write(self, line: bytes) -> None:
        """Queue one line for stdout."""
        self._lines.put(line)

    def settled(self) -> None:
        """A request was answered, or needs no answer because its sender cancelled it."""
        self._room.release()
        self._open -= 1
        if not self._open:
            self._idle.set()

    async def _unanswered(self) -> None:
        self.settled()

    def _arrived(self, item: Message | Rejected) -> None:
        if isinstance(item, Rejected):
            self.write(item.to_line())
        elif isinstance(item, JSONRPCRequest):
            if self._ending.is_set():
                self._room.release()
                self.write(Rejected(item.id, INTERNAL_ERROR, "the server is stopping").to_line())
                return
            self._open += 1
            self._idle.clear()
            metadata = ServerMessageMetadata(on_request_unanswered=self._unanswered)
            self._sender.send_nowait(SessionMessage(item, metadata))
        elif not self._ending.is_set():
            self._sender.send_nowait(SessionMessage(item))

    def _read_all(self) -> None:
        try:
            for line in split_lines(lambda: os.read(self._read_fd, 1 << 16), LINE_LIMIT):
                item = TOO_LONG if line is None else _parsed(line)
                if item is None:
                    continue
                if isinstance(item, JSONRPCRequest):
                    self._room.acquire()
                self._loop.call_soon_threadsafe(self._arrived, item)
        except OSError as error:
            logger.warning("stdin cannot be read: %s", error)
        except RuntimeError:
            return  # the event loop has ended
        self._tell(lambda: self._end(GRACE_END))

    def _write_all(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                left = memoryview(line)
                while left:
                    left = left[os.write(self._write_fd, left) :]
            except OSError as error:
                logger.warning("the client no longer reads: %s", error)
                self._tell(self.stop)
                return

    def _tell(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:
            logger.debug("the event loop has ended")


def _parsed(line: bytes) -> Message | Rejected | None:
    try:
        return parse(line)
    except Exception:  # the reader must live: without it, no client is answered any more
        logger.exception("a line could not be read")
        return Rejected(None, INTERNAL_ERROR, "the line could not be read, through a fault of this server")


async def _first(task: asyncio.Future[None], *events: asyncio.Event) -> None:
    """Wait for the first of them."""
    waiters = [asyncio.ensure_future(event.wait()) for event in events]
    everything: list[asyncio.Future[Any]] = [task, *waiters]
    await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
    for waiter in waiters:
        waiter.cancel()


def claim_stdio() -> tuple[int, int]:
    """Take stdin and stdout for the protocol alone, and return them as two file descriptors.

    Whatever else in the process reads stdin then finds its end, and whatever prints goes to stderr: a stray line on
    stdout would break the protocol.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    read_fd, write_fd = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        os.dup2(null, 1)
    os.close(null)
    return read_fd, write_fd
