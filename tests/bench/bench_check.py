"""The check on a database of 5,000 tables: how many statements, and how long beside one SELECT over pg_class joined
with privileges.

``python tests/bench/bench_check.py`` prints the figures; as a test it holds them to the limits of the issue.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from footnote_desktop.erp import sample
from footnote_desktop.erp.check import run_check
from footnote_desktop.erp.mapping import Mapping, load_mapping
from footnote_desktop.settings import data_folder

TABLES = 5_000

#: The yardstick: every right that matters, on every table, asked once.
YARDSTICK = """
SELECT c.relname, has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
       has_table_privilege(c.oid, 'DELETE'), has_table_privilege(c.oid, 'TRUNCATE'),
       has_table_privilege(c.oid, 'REFERENCES'), has_table_privilege(c.oid, 'TRIGGER')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""
#: The same through the access lists, which is quicker and says less.
YARDSTICK_ACL = """
SELECT c.relname, a.grantee, a.privilege_type FROM pg_class c
CROSS JOIN LATERAL aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) a
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""


def mappings() -> list[Mapping]:
    return [load_mapping(file) for file in sorted((data_folder("resources") / "erp").glob("*.toml"))]


def fill(url: str, tables: int = TABLES) -> str:
    """Make the sample among many other tables, and a role that reads all; its URL."""
    sample.seed_postgres(url, data_folder("migrations"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE bench_reader LOGIN")
        for start in range(0, tables, 500):
            connection.execute(
                f"DO $$ BEGIN FOR i IN {start + 1}..{start + 500} LOOP EXECUTE format('CREATE TABLE many_%s (id int"
                " PRIMARY KEY, name text, amount numeric, booked date, note text, flag bool)', i); END LOOP; END $$"
            )
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench_reader")
        connection.execute("REVOKE TEMPORARY ON DATABASE " + urlsplit(url).path[1:] + " FROM PUBLIC")
        connection.execute("VACUUM ANALYZE")
    return urlsplit(url)._replace(netloc=urlsplit(url).netloc.replace("postgres@", "bench_reader@")).geturl()


def measure(reader_url: str, rounds: int = 7) -> dict[str, float]:
    """Medians in milliseconds, each round with a new connection for both sides."""
    known = mappings()
    check, one, acl, inside = [], [], [], []
    queries = 0
    for _ in range(rounds):
        start = time.perf_counter()
        report = run_check(reader_url, mappings=known, log_location=str(Path("log.sqlite3")))
        check.append((time.perf_counter() - start) * 1000)
        assert report.ok, report.to_text()
        queries = report.queries
        inside.append(sum(item.ms for item in report.items if item.name in ("role", "schema", "data")))
        for sql, times in ((YARDSTICK, one), (YARDSTICK_ACL, acl)):
            start = time.perf_counter()
            with psycopg.connect(reader_url) as connection:
                connection.execute(sql).fetchall()
            times.append((time.perf_counter() - start) * 1000)
    medians = [statistics.median(times) for times in (check, one, acl, inside)]
    return {
        "queries": queries,
        "check": medians[0],
        "yardstick": medians[1],
        "yardstick by access lists": medians[2],
        "role, schema and data alone": medians[3],
        "ratio": medians[0] / medians[1],
    }


@pytest.mark.slow
def test_the_check_on_5000_tables(pg_database: str) -> None:
    figures = measure(fill(pg_database))
    print(figures)
    with psycopg.connect(pg_database, autocommit=True) as connection:
        connection.execute("DROP OWNED BY bench_reader")
        connection.execute("DROP ROLE bench_reader")
    assert figures["queries"] < 25
    assert figures["ratio"] < 3


def test_a_check_of_a_server_that_does_not_answer_leaves_the_main_thread_alone() -> None:
    """A heartbeat beside it, cold imports included; the longest pause is what a window would freeze for."""
    program = (
        "import socket, threading, time\n"
        "from footnote_desktop.settings import from_environment\n"
        "done = threading.Event()\n"
        "def work():\n"
        "    from footnote_desktop.catalog.connecting import check_profile\n"
        "    with socket.create_server(('127.0.0.1', 0)) as silent:\n"
        "        url = f'postgresql://u@127.0.0.1:{silent.getsockname()[1]}/d?connect_timeout=2'\n"
        "        assert not check_profile(from_environment({}), url=url).ok\n"
        "    done.set()\n"
        "threading.Thread(target=work).start()\n"
        "longest, last = 0.0, time.perf_counter()\n"
        "while not done.is_set():\n"
        "    time.sleep(0.002)\n"
        "    now = time.perf_counter()\n"
        "    longest, last = max(longest, now - last), now\n"
        "print(longest * 1000)\n"
    )
    pauses = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(pauses) < 50


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    import postgres

    server = postgres.start(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    try:
        for name, value in measure(fill(server.url)).items():
            print(f"{name}: {value:.1f}")
    finally:
        server.stop()
