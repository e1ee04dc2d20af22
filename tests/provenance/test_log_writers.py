"""Several programs and threads write one log: nothing is lost, nothing doubled, the chain holds."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import open_log
from footnote_desktop.provenance.verify import verify

Make = Callable[..., Draft]

# A program of its own that appends and says which records it was told are safe.
WRITER = """
import sys
from footnote_desktop.provenance.actor import Actor
from footnote_desktop.provenance.record import Draft
from footnote_desktop.provenance.store import open_log
path, name, many = sys.argv[1], sys.argv[2], int(sys.argv[3])
log = open_log(path, timeout=60)
for number in range(many):
    evidence = [{"id": f"invoice:{n}", "fields": {"amount": "1.00"}} for n in range(number % 90)]
    draft = Draft(f"{name} {number}", "A", [], [{"name": name}], evidence, Actor(name, "r"))
    record = log.append(draft, [b"rows" * 50])
    print(record.id, record.sequence, flush=True)
log.close()
"""


def start(path: Path, name: str, many: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(many)], stdout=subprocess.PIPE, text=True
    )


def test_four_programs_at_once(path: Path) -> None:
    # They also all find that there is no log yet, and make it.
    writers = [start(path, f"writer {number}", 50) for number in range(4)]
    said = [line.split() for writer in writers for line in writer.communicate(timeout=120)[0].splitlines()]
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    assert sorted(int(sequence) for _, sequence in said) == list(range(1, 201))
    with open_log(path, create=False) as log:
        records = log.records(limit=1000)
        assert {record.id for record in records} == {identifier for identifier, _ in said}
        assert {record.question for record in records} == {f"writer {w} {n}" for w in range(4) for n in range(50)}
        assert all(record.id == log.get(record.sequence).id for record in records)  # type: ignore[union-attr]
    verdict = verify(path)
    assert (verdict.ok, verdict.count) == (True, 200)


def test_threads_share_one_log_while_others_read_and_verify(path: Path, draft: Make) -> None:
    faults: list[BaseException] = []
    done = threading.Event()

    def run(work: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # shown by the test
                faults.append(error)

        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    with open_log(path) as log:

        def write() -> None:
            for number in range(25):
                log.append(draft(f"{threading.get_ident()} {number}"))

        def read() -> None:
            while not done.is_set():
                sequences = [record.sequence for record in log.records("bergmann", limit=10)]
                assert sequences == sorted(sequences, reverse=True)

        def check() -> None:
            while not done.is_set():
                verdict = verify(path)
                assert verdict.ok, verdict

        readers = [run(read), run(check)]
        writers = [run(write) for _ in range(8)]
        for thread in writers:
            thread.join()
        done.set()
        for thread in readers:
            thread.join()
        assert faults == []
        assert log.count() == 200
        assert len({record.question for record in log.records(limit=500)}) == 200
    assert verify(path).count == 200


def test_two_logs_open_in_one_program(path: Path, draft: Make) -> None:
    with open_log(path) as one, open_log(path) as two:
        for number in range(10):
            (one if number % 2 else two).append(draft(str(number)))
        assert one.head() == two.head()
    assert verify(path).count == 10


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
def test_a_killed_writer_loses_nothing_that_it_was_told_is_safe(path: Path, draft: Make) -> None:
    chance = random.Random(11)
    acknowledged: dict[str, int] = {}
    for round_ in range(6):
        writers = [start(path, f"round {round_} writer {number}", 100_000) for number in range(2)]
        for writer in writers:
            assert writer.stdout is not None
            identifier, sequence = writer.stdout.readline().split()
            acknowledged[identifier] = int(sequence)
        time.sleep(chance.uniform(0.0, 0.3))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            assert writer.stdout is not None
            for line in writer.stdout.read().splitlines():
                if len(words := line.split()) == 2 and len(words[0]) == 36 and line[-1].isdigit():
                    acknowledged[words[0]] = int(words[1])
            writer.stdout.close()
            assert writer.wait(30) == -signal.SIGKILL
        assert verify(path).ok  # read as it was left, before anybody repairs anything
    with open_log(path, create=False) as log:
        log.append(draft("After all that"))
        for identifier, sequence in acknowledged.items():
            record = log.get(identifier)
            assert record is not None, f"record {sequence} was acknowledged and is gone"
            assert str(record.sequence).startswith(str(sequence))  # the last line may have been cut off
    verdict = verify(path)
    assert verdict.ok
    assert verdict.count > len(acknowledged)


def test_looking_at_a_log_does_not_let_go_of_it(path: Path, draft: Make) -> None:
    """POSIX drops all locks of a process on a file as soon as it closes any handle of it. A log that is verified in the
    program that has it open would then lose its WAL to the next program that closes it, and all that is in it."""
    with open_log(path) as log:
        log.append(draft("before"))
        assert verify(path).ok
        open_log(path, read_only=True).close()
        wal = path.with_name(path.name + "-wal")
        inode = wal.stat().st_ino
        said, _ = start(path, "other", 3).communicate(timeout=60)
        assert len(said.splitlines()) == 3
        assert wal.stat().st_ino == inode
        acknowledged = log.append(draft("after"))
        code = "import sys; from footnote_desktop.provenance.verify import verify; print(verify(sys.argv[1]).count)"
        assert subprocess.check_output([sys.executable, "-c", code, str(path)], text=True).strip() == "5"
    with open_log(path, create=False) as log:
        assert log.get(acknowledged.id) is not None
