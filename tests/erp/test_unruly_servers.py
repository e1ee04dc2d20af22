"""Servers that hang, drop the connection, restart or are slow: an error in bounded time, and the next call works."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
import servers

from footnote_desktop.erp import postgres as engine_module
from footnote_desktop.erp.check import run_check
from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.postgres import PostgresEngine


@contextmanager
def engine(url: str, statement_timeout: float = 30.0) -> Iterator[PostgresEngine]:
    made = PostgresEngine(url, statement_timeout)
    try:
        yield made
    finally:
        made.close()


def one(engine: PostgresEngine, sql: str = "SELECT 1") -> object:
    with engine.snapshot() as snapshot:
        return snapshot.query(sql, {}).rows[0][0]


def pid(engine: PostgresEngine) -> int:
    return int(str(one(engine, "SELECT pg_backend_pid()")))


def through(url: str, port: int) -> str:
    split = urlsplit(url)
    return split._replace(netloc=f"{split.username}@127.0.0.1:{port}").geturl()


@pytest.fixture
def relay(pg_database: str) -> Iterator[servers.Relay]:
    made = servers.Relay(urlsplit(pg_database).port or 5432)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "GRACE", 0.5)


def test_statement_timeout(pg_database: str) -> None:
    with engine(pg_database, statement_timeout=0.3) as slow:
        start = time.monotonic()
        with pytest.raises(EngineError, match="took too long"):
            one(slow, "SELECT pg_sleep(30)")
        assert time.monotonic() - start < 2
        assert one(slow) == 1


def test_a_network_that_goes_silent_in_the_middle_of_a_query(pg_database: str, relay: servers.Relay) -> None:
    with engine(through(pg_database, relay.port), statement_timeout=0.5) as cut:
        assert one(cut) == 1
        start = time.monotonic()
        with cut.snapshot() as snapshot:
            relay.passing.clear()
            with pytest.raises(EngineError, match="stopped answering") as caught:
                snapshot.query("SELECT 1", {})
        assert caught.value.kind == "lost"
        assert time.monotonic() - start < 4
        relay.passing.set()
        assert one(cut) == 1


def test_a_network_that_goes_silent_between_two_questions(pg_database: str, relay: servers.Relay) -> None:
    with engine(through(pg_database, relay.port)) as cut:
        assert one(cut) == 1
        relay.passing.clear()
        start = time.monotonic()
        with pytest.raises(EngineError, match="stopped answering"):
            one(cut)
        assert time.monotonic() - start < 5
        relay.passing.set()
        assert one(cut) == 1


def test_cancel_ends_a_wait(pg_database: str) -> None:
    with engine(pg_database) as waiting:
        one(waiting)
        timer = threading.Timer(0.3, waiting.cancel)
        timer.start()
        start = time.monotonic()
        with pytest.raises(EngineError, match="cancelled") as caught:
            one(waiting, "SELECT pg_sleep(30)")
        assert time.monotonic() - start < 2
        assert caught.value.kind == "cancelled"
        assert one(waiting) == 1


def test_a_connection_that_was_ended_is_opened_again(pg_url: str, pg_database: str) -> None:
    with engine(pg_database) as dropped:
        first = pid(dropped)
        servers.run_sql(pg_url, f"SELECT pg_terminate_backend({first})")
        assert pid(dropped) != first


def test_a_connection_that_is_ended_in_the_middle(pg_url: str, pg_database: str) -> None:
    with engine(pg_database) as dropped:
        backend = pid(dropped)
        timer = threading.Timer(0.3, servers.run_sql, (pg_url, f"SELECT pg_terminate_backend({backend})"))
        timer.start()
        with pytest.raises(EngineError, match="connection to the database failed"):
            one(dropped, "SELECT pg_sleep(30)")
        timer.join()
        assert one(dropped) == 1


def test_a_restart_and_a_server_that_is_gone() -> None:
    import os

    if os.environ.get("TEST_PG_URL"):
        pytest.skip("stops its server")
    server = servers.own_server()
    with engine(server.url) as restarted:
        assert one(restarted) == 1
        server.stop()
        with pytest.raises(EngineError, match="nothing listens"):
            one(restarted)
        again = servers.own_server(settings={"port": str(urlsplit(server.url).port)})
        try:
            assert one(restarted) == 1
        finally:
            again.stop()


def test_ten_calls_at_once_on_one_engine_and_on_ten(pg_database: str) -> None:
    with engine(pg_database) as shared, ThreadPoolExecutor(10) as pool:
        assert list(pool.map(lambda n: one(shared, f"SELECT {n}"), range(50))) == list(range(50))
        engines = [PostgresEngine(pg_database) for _ in range(10)]
        assert list(pool.map(one, engines)) == [1] * 10
        for each in engines:
            each.close()


# -- the check on such servers -------------------------------------------------------------------------------------


def check_in_background(url: str, cancel: threading.Event) -> tuple[threading.Thread, list[object]]:
    reports: list[object] = []
    mappings = servers.known_mappings()

    def work() -> None:
        reports.append(run_check(url, mappings=mappings, log_location="x.sqlite3", cancel=cancel.is_set))

    return servers.in_background(work), reports


def silent_listener() -> tuple[str, Callable[[], None]]:
    import socket

    listener = socket.create_server(("127.0.0.1", 0))
    return f"postgresql://u@127.0.0.1:{listener.getsockname()[1]}/d", listener.close


def test_the_check_can_be_cancelled_while_a_server_does_not_answer() -> None:
    url, close = silent_listener()
    cancel = threading.Event()
    thread, reports = check_in_background(url, cancel)
    time.sleep(0.5)
    assert thread.is_alive()
    cancel.set()
    start = time.monotonic()
    thread.join(2)
    assert time.monotonic() - start < 0.5
    close()
    report = reports[0]
    assert report.cancelled  # type: ignore[attr-defined]
    assert not report.ok  # type: ignore[attr-defined]
    states = {item.name: item.state for item in report.items}  # type: ignore[attr-defined]
    assert states["TCP"] == "pass"
    assert states["login"] == states["role"] == states["data"] == "unchecked"


def test_the_check_can_be_cancelled_inside(pg_database: str, relay: servers.Relay) -> None:
    cancel = threading.Event()
    items: list[str] = []

    def progress(item: object) -> None:
        items.append(item.name)  # type: ignore[attr-defined]
        if item.name == "login":  # type: ignore[attr-defined]
            relay.passing.clear()
            threading.Timer(0.3, cancel.set).start()

    start = time.monotonic()
    report = run_check(
        through(pg_database, relay.port),
        mappings=servers.known_mappings(),
        log_location="x.sqlite3",
        progress=progress,
        cancel=cancel.is_set,
    )
    assert time.monotonic() - start < 3
    assert report.cancelled
    assert items[-1] == "login"
    relay.passing.set()


def test_the_check_of_a_server_that_falls_silent_ends(
    pg_database: str, relay: servers.Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    from footnote_desktop.erp import check_postgres

    monkeypatch.setattr(check_postgres, "STATEMENT_TIMEOUT", 0.5)

    def progress(item: object) -> None:
        if item.name == "login":  # type: ignore[attr-defined]
            relay.passing.clear()

    start = time.monotonic()
    report = run_check(
        through(pg_database, relay.port),
        mappings=servers.known_mappings(),
        log_location="x.sqlite3",
        progress=progress,
    )
    relay.passing.set()
    assert time.monotonic() - start < 5
    item = report.item("server and version")
    assert item is not None
    assert (item.state, item.sentence) == ("fail", "The server stopped answering.")


def test_psycopg_itself_would_wait_for_ever(pg_database: str, relay: servers.Relay) -> None:
    """Why there is a patient connection at all: the driver's own waits have no end."""
    url = through(pg_database, relay.port)
    with psycopg.connect(url, autocommit=True) as plain:
        relay.passing.clear()
        done = threading.Event()

        def wait() -> None:
            plain.execute("SELECT 1")
            done.set()

        thread = servers.in_background(wait)
        assert not done.wait(1.5)
        relay.passing.set()
        thread.join(5)
        assert done.is_set()
