"""`footnote serve`: MCP over stdin and stdout.

Start-up is what a host waits for, so nothing is imported at the top of this module: the SDK comes in with the garbage
collector off, and the database's driver, the log and the formatters with the first call.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnote_desktop.answers.desk import Desk
    from footnote_desktop.answers.documents_desk import DocumentsDesk
    from footnote_desktop.server.pipe import Pipe
    from footnote_desktop.settings import Profile

#: Seconds between looks at whether the process that started us is still there.
PARENT_WATCH = 5.0


def serve_stdio(profile: Profile) -> int:
    """Serve the profile until stdin ends, a signal comes, or the parent is gone. Returns the exit code 0.

    stdout belongs to the protocol from here on, for the rest of the process.
    """
    # Thousands of classes come in and none is garbage; collecting among them costs a third of the time.
    gc.disable()
    import anyio

    from footnote_desktop.server.app import App
    from footnote_desktop.server.journal import start_journal
    from footnote_desktop.server.pipe import Pipe, claim_stdio

    gc.freeze()
    gc.enable()

    read_fd, write_fd = claim_stdio()
    start_journal()
    app = App(
        lambda: _open_desk(profile),
        transport="stdio",
        source=_source(profile),
        open_documents=(lambda desk: _open_documents(profile, desk)) if profile.documents else None,
    )
    print(f"footnote serves MCP over stdio. {_source(profile)}", file=sys.stderr, flush=True)

    async def main() -> bool:
        pipe = Pipe(read_fd, write_fd)
        options = app.server.create_initialization_options()
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_on_signal, pipe)
            group.start_soon(_stop_without_parent, pipe)
            finished = await pipe.run(lambda reader, writer: app.server.run(reader, writer, options))
            group.cancel_scope.cancel()
            if not finished:
                os._exit(1)  # a call hangs in its thread; its client is gone, and it must not keep the process
        return finished

    with suppress(KeyboardInterrupt):
        anyio.run(main)
    app.close()
    return 0


def _open_desk(profile: Profile) -> Desk:
    from footnote_desktop.answers.desk import open_desk

    return open_desk(profile)


def _open_documents(profile: Profile, desk: Desk) -> DocumentsDesk:
    from footnote_desktop.answers.documents_desk import open_documents

    return open_documents(profile, desk.log)


def _source(profile: Profile) -> str:
    """What stands behind the server, in one sentence; never the URL, which may hold a password."""
    if profile.sample:
        return "No database is configured: the figures are those of the sample ERP and belong to no real company."
    return f"The database is the one of the profile '{profile.name}'."


async def _stop_on_signal(pipe: Pipe) -> None:
    import anyio

    if os.name != "posix":
        return  # there is no orderly way; the log is safe against being cut off
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            pipe.stop()


async def _stop_without_parent(pipe: Pipe) -> None:
    """End when the host is gone though something else still holds stdin open, which hosts have left behind."""
    import anyio

    if os.name != "posix":
        return
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(PARENT_WATCH)
    pipe.stop()
