"""The SSH tunnel, through a real sshd that the test starts."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import servers

from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.postgres import PostgresEngine
from footnote_desktop.erp.tunnel import Tunnel


@dataclass(frozen=True)
class Ssh:
    config: str  #: for ssh's -F: the host ``bastion``, and ``stranger`` whose key is not known
    log: Path


@pytest.fixture(scope="module")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ssh]:
    program = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")
    if program is None or shutil.which("ssh") is None:
        pytest.skip("needs ssh and sshd (Debian's openssh-client and openssh-server)")
    folder = tmp_path_factory.mktemp("ssh")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    shutil.copyfile(folder / "user.pub", folder / "authorized")
    port = servers.free_port()
    log = folder / "sshd.log"
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\nStrictModes no\n"
        f"AuthorizedKeysFile {folder / 'authorized'}\nPermitRootLogin yes\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nUsePAM no\nAllowTcpForwarding yes\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [program, "-D", "-f", folder / "sshd_config", "-E", log], stdin=subprocess.DEVNULL, start_new_session=True
    )
    host_key = (folder / "host.pub").read_text().split()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host_key[0]} {host_key[1]}\n")
    (folder / "nobody_known").write_text("")
    common = f"  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n  IdentitiesOnly yes\n"
    (folder / "config").write_text(
        f"Host bastion\n{common}  IdentityFile {folder / 'user'}\n  UserKnownHostsFile {folder / 'known'}\n"
        f"Host stranger\n{common}  IdentityFile {folder / 'user'}\n  UserKnownHostsFile {folder / 'nobody_known'}\n"
        f"Host wrongkey\n{common}  IdentityFile {folder / 'host'}\n  UserKnownHostsFile {folder / 'known'}\n"
        f"Host behind\n{common}  IdentityFile {folder / 'user'}\n  UserKnownHostsFile {folder / 'known'}\n"
        f"  ProxyCommand ssh -F {folder / 'config'} -W %h:%p bastion\n"
        "Host *\n  StrictHostKeyChecking yes\n"
    )
    time.sleep(0.3)
    assert process.poll() is None, log.read_text()
    knock = ["ssh", "-F", folder / "config", "-o", "BatchMode=yes", "-W", f"127.0.0.1:{port}", "bastion"]
    answer = subprocess.run(knock, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
    if "SSH-" not in answer.stdout:
        process.terminate()
        process.wait(10)
        pytest.skip(f"this account may not log in by ssh on this machine: {answer.stderr.strip()}")
    yield Ssh(str(folder / "config"), log)
    process.terminate()
    process.wait(10)


def ssh_children(of: int | None = None) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(of).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # a server's processes come and go
            if process.name() == "ssh":
                found.append(process)
    return found


def no_ssh_is_left() -> bool:
    """Within a second: a child that was told to end is gone when the kernel says so."""
    deadline = time.monotonic() + 1
    while ssh_children():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("target", ["bastion", "behind"])
def test_a_question_through_the_tunnel(ssh: Ssh, pg_database: str, target: str) -> None:
    # The host's name stays, and is looked up on the far side alone.
    url = urlsplit(pg_database)
    engine = PostgresEngine(
        url._replace(netloc=f"{url.username}@localhost:{url.port}").geturl(), tunnel=Tunnel(target, config=ssh.config)
    )
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT 1", {}).rows == [(1,)]
    arguments = [" ".join(p.cmdline()) for p in ssh_children()]
    assert any(f"localhost:{url.port}" in a for a in arguments)
    engine.close()
    assert no_ssh_is_left()


def test_a_tunnel_that_ended_is_started_again(ssh: Ssh, pg_database: str) -> None:
    engine = PostgresEngine(pg_database, tunnel=Tunnel("bastion", config=ssh.config))
    with engine.snapshot() as snapshot:
        snapshot.query("SELECT 1", {})
    for child in ssh_children():
        child.kill()
        child.wait(5)
    with engine.snapshot() as snapshot:
        assert snapshot.query("SELECT 1", {}).rows == [(1,)]
    engine.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_dies_with_us(ssh: Ssh, pg_database: str, how: signal.Signals) -> None:
    program = (
        "import sys, time\n"
        "from footnote_desktop.erp.postgres import PostgresEngine\n"
        "from footnote_desktop.erp.tunnel import Tunnel\n"
        "engine = PostgresEngine(sys.argv[1], tunnel=Tunnel('bastion', config=sys.argv[2]))\n"
        "with engine.snapshot() as s: s.query('SELECT 1', {})\n"
        "print('up', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, pg_database, ssh.config], stdout=subprocess.PIPE) as us:
        assert us.stdout is not None
        assert us.stdout.readline() == b"up\n"
        children = ssh_children(us.pid)
        assert children
        us.send_signal(how)
        us.wait(10)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("stranger", "not known on this machine"),
        ("wrongkey", "refused the key"),
        ("no-such-host.invalid", "name is not known"),
    ],
)
def test_what_goes_wrong_is_said(ssh: Ssh, target: str, words: str) -> None:
    engine = PostgresEngine("postgresql://u@db.example/d", tunnel=Tunnel(target, config=ssh.config))
    with pytest.raises(EngineError) as caught, engine.snapshot():
        pass
    assert words in caught.value.message
    assert caught.value.kind == "tunnel"
    assert caught.value.advice
    assert no_ssh_is_left()


@pytest.mark.parametrize("target", ["", "-oProxyCommand=touch /tmp/x", "a b", "a\nb"])
def test_a_target_that_is_an_option_or_no_name(target: str) -> None:
    with pytest.raises(EngineError, match="cannot be used"):
        Tunnel(target)


def test_no_password_in_the_processes(ssh: Ssh, pg_database: str) -> None:
    engine = PostgresEngine(pg_database, password="hunter2hunter2", tunnel=Tunnel("bastion", config=ssh.config))
    with engine.snapshot() as snapshot:
        snapshot.query("SELECT 1", {})
    seen = 0
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # a server's processes come and go
            assert "hunter2" not in " ".join(child.cmdline())
            assert "hunter2" not in " ".join(child.environ().values())
            seen += 1
    assert seen
    engine.close()
