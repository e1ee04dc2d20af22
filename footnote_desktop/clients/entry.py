"""What a client is told: the absolute path of our own executable, and arguments that name a profile. No secrets."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from footnote_desktop.clients.table import Client


def our_command() -> list[str]:
    """How this installation is started, whatever the PATH of a client: an absolute path, and arguments after it."""
    suffix = ".exe" if sys.platform == "win32" else ""
    if getattr(sys, "frozen", False):
        if image := os.environ.get("APPIMAGE"):  # the executable itself lies in a mount that ends with this process
            return [os.path.abspath(image)]
        console = Path(sys.executable).with_name(f"footnote{suffix}")
        return [str(console if console.is_file() else Path(sys.executable).absolute())]
    # Not resolved: the python of a virtual environment is a link to one that knows nothing of Footnote.
    for folder in (Path(sys.executable).absolute().parent, Path(sysconfig.get_path("scripts"))):
        script = folder / f"footnote{suffix}"
        if script.is_file():
            return [str(script)]
    return [str(Path(sys.executable).absolute()), "-m", "footnote_desktop"]


def entry(client: Client, profile: str, command: list[str] | None = None) -> Mapping[str, object]:
    """The client's entry for our server on a profile."""
    command = command or our_command()
    return {**client.extra, "command": command[0], "args": [*command[1:], "serve", "--profile", profile]}
