"""Behind PgBouncer in transaction mode, where one server connection serves many clients in turn."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import servers

from footnote_desktop.erp.check import run_check
from footnote_desktop.erp.connect import open_engine
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.postgres import PostgresEngine
from footnote_desktop.erp.sample import seed_postgres
from footnote_desktop.settings import data_folder


@pytest.fixture
def bouncer(pg_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A pooler with two server connections; the URL through it."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("needs pgbouncer (Debian's package of that name)")
    seed_postgres(pg_database, data_folder("migrations"))
    split = urlsplit(pg_database)
    port = servers.free_port()
    folder = Path("/tmp") / f"fnpb-{os.getpid()}-{port}"
    folder.mkdir()
    (folder / "users").write_text(f'"{split.username}" ""\n')
    (folder / "ini").write_text(
        f"[databases]\n{split.path[1:]} = host={split.hostname} port={split.port} dbname={split.path[1:]}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\npool_mode = transaction\n"
        f"auth_type = any\nauth_file = {folder / 'users'}\ndefault_pool_size = 2\nmax_client_conn = 50\n"
        f"logfile = {folder / 'log'}\nserver_round_robin = 1\n"
    )
    run: dict[str, object] = {}
    if os.geteuid() == 0:  # PgBouncer refuses to run as root
        import pwd

        nobody = pwd.getpwnam("nobody")
        run = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        for path in (folder, *folder.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    # auth_type any logs in as whoever stands in the connection string
    ini = (folder / "ini").read_text()
    (folder / "ini").write_text(ini.replace(" dbname=", f" user={split.username} dbname="))
    process = subprocess.Popen(
        [program, folder / "ini"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **run,  # type: ignore[call-overload]
    )
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline, (folder / "log").read_text()
                time.sleep(0.05)
        yield split._replace(netloc=f"{split.username}@127.0.0.1:{port}").geturl()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        shutil.rmtree(folder)


def test_operations_are_read_only_and_leave_no_setting_behind(bouncer: str) -> None:
    engines = [PostgresEngine(bouncer, statement_timeout=7) for _ in range(6)]

    def work(number: int) -> tuple[object, ...]:
        with engines[number % 6].snapshot() as snapshot:
            assert snapshot.query("SELECT count(*) FROM invoices WHERE id > :n", {"n": 0}).rows[0][0] > 0
            return tuple(
                snapshot.query(
                    "SELECT current_setting('transaction_read_only'), current_setting('statement_timeout'), :n::int",
                    {"n": number},
                ).rows[0]
            )

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(120))) == [("on", "7s", n) for n in range(120)]
    for engine in engines:
        engine.close()
    with psycopg.connect(bouncer, autocommit=True, prepare_threshold=None) as plain:
        for _ in range(4):  # both server connections, in turn
            row = plain.execute(
                "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"
            ).fetchone()
            assert row == ("0", "0")


def test_the_check_works_behind_it(bouncer: str) -> None:
    report = run_check(bouncer, mappings=servers.known_mappings(), log_location="x.sqlite3")
    states = {item.name: item.state for item in report.items}
    assert states["session"] == states["schema"] == states["data"] == "pass"
    assert states["role"] == "fail"  # the tests' own user is a superuser


def test_a_startup_option_that_it_does_not_take(bouncer: str) -> None:
    engine = open_engine(bouncer + "?options=-c%20jit%3Doff")
    with pytest.raises(EngineError) as caught, engine.snapshot():
        pass
    assert caught.value.kind == "pooler"
    assert "options" in caught.value.advice


def test_a_database_that_it_does_not_know(bouncer: str) -> None:
    engine = open_engine(urlsplit(bouncer)._replace(path="/nothere").geturl())
    with pytest.raises(EngineError) as caught, engine.snapshot():
        pass
    assert caught.value.kind in ("database", "pooler"), caught.value.details
    assert "database" in caught.value.message
