"""A way to the database through the system's ``ssh``: its agent, configuration and ProxyJump count as they are.

The child dies with us, even when we are killed: a shell holds it and watches a pipe that only we keep open. On
Windows a job object does the same.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from typing import IO, Any

from footnote_desktop.erp.conninfo import Address, Endpoint
from footnote_desktop.erp.engine import EngineError

# Ends with the program's own exit status, or ends the program when standard input ends.
_KEEPER = (
    'exec 3<&0; "$@" </dev/null & child=$!; { cat <&3 >/dev/null; kill "$child" 2>/dev/null; } 2>/dev/null &'
    ' exec 3<&-; wait "$child"'
)

_FAULTS = (
    ("Permission denied", "the SSH server refused the key", "Load the right key into the SSH agent (ssh-add)."),
    (
        "Host key verification failed",
        "the SSH server is not known on this machine, or is not the one it was",
        "Connect once with ssh in a terminal and compare the key's fingerprint with what IT gave you.",
    ),
    (
        "Could not resolve hostname",
        "the SSH server's name is not known on this network",
        "Check its spelling, or the entry in ~/.ssh/config.",
    ),
    ("Connection refused", "nothing answers as an SSH server there", "Check the host and its port."),
    ("timed out", "the SSH server did not answer in time", "Check the host, the network and the VPN."),
    ("No route to host", "there is no way to the SSH server from this machine", "Check the network and the VPN."),
)


class Tunnel:
    """Local ports that lead through ``target`` (``user@host`` or a name of ~/.ssh/config) to a database's servers.

    ``config``: another configuration file for ssh. ``timeout`` in seconds.
    """

    def __init__(self, target: str, *, config: str | None = None, timeout: float = 15.0):
        if not target or target.startswith("-") or any(c.isspace() or not c.isprintable() for c in target):
            raise EngineError(
                "the SSH server's name cannot be used", "Write user@host, or a name from ~/.ssh/config.", kind="tunnel"
            )
        self.target = target
        self._config = config
        self._timeout = timeout
        self._ports: tuple[int, ...] = ()
        self._address: Address | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._job: Any = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def through(self, address: Address) -> dict[str, str]:
        """The connection's options that lead through the tunnel. The names stay, for certificates and pgpass."""
        self._address = address
        self.start()
        hosts = [e.host if not e.is_socket else "localhost" for e in address.endpoints]
        return {
            "host": ",".join(h or "localhost" for h in hosts),
            "hostaddr": ",".join("127.0.0.1" for _ in hosts),
            "port": ",".join(str(port) for port in self._ports),
        }

    def start(self) -> None:
        """Start ssh unless it runs, and wait until its ports answer. Raises :class:`EngineError`."""
        if self._address is None or (self.running and all(_answers(port) for port in self._ports)):
            return
        program = shutil.which("ssh")
        if program is None:
            raise EngineError("there is no ssh program on this machine", "Install the OpenSSH client.", kind="tunnel")
        self.close()
        ports = tuple(_free_port() for _ in self._address.endpoints)
        command = [program, "-N", "-T"]
        if self._config:
            command += ["-F", self._config]
        for option in (
            "BatchMode=yes",  # it must never ask on a terminal that nobody sees
            "ExitOnForwardFailure=yes",
            "ServerAliveInterval=15",
            "ServerAliveCountMax=3",
            f"ConnectTimeout={int(self._timeout)}",
            "ControlMaster=no",  # a shared connection would outlive us
            "ControlPath=none",
        ):
            command += ["-o", option]
        for port, endpoint in zip(ports, self._address.endpoints, strict=True):
            command += ["-L", f"127.0.0.1:{port}:{_far_end(endpoint)}"]
        command += ["--", self.target]
        self._ports = ports
        self._run(command)
        self._wait()

    def _run(self, command: list[str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": self._said, "stderr": self._said}
        if sys.platform == "win32":
            from footnote_desktop.erp.windows_job import die_with_us

            flags = subprocess.CREATE_NO_WINDOW
            self._process = subprocess.Popen(command, creationflags=flags, **pipes)
            self._job = die_with_us(self._process)
        else:
            self._process = subprocess.Popen(["/bin/sh", "-c", _KEEPER, "ssh", *command], **pipes)

    def _wait(self) -> None:
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            if not self.running:
                break
            if all(_answers(port) for port in self._ports):
                return
            time.sleep(0.05)
        words = self.said()
        self.close()
        for sign, message, advice in _FAULTS:
            if sign in words:
                raise EngineError(message, advice, words, "tunnel")
        raise EngineError(
            "the SSH tunnel did not come up", f"Try 'ssh {self.target}' in a terminal; it has to work there.", words,
            "tunnel",
        )  # fmt: skip

    def said(self) -> str:
        """What ssh wrote so far."""
        if self._said is None:
            return ""
        self._said.seek(0)
        return self._said.read().decode(errors="replace").strip()

    def close(self) -> None:
        """End ssh, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            if sys.platform == "win32":
                process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._said is not None:
            self._said.close()
            self._said = None


def _far_end(endpoint: Endpoint) -> str:
    if endpoint.host.startswith("/"):
        return f"{endpoint.host}/.s.PGSQL.{endpoint.port}"
    host = endpoint.address or endpoint.host or "localhost"
    return f"[{host}]:{endpoint.port}" if ":" in host else f"{host}:{endpoint.port}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    # Asking the port opens a channel to the database and closes it again, which PostgreSQL takes without a word.
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
