"""The real background of the application: the desk of a profile, its log, and what the chips can truly say. No Qt."""

from __future__ import annotations

import datetime as dt
import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import footnote_desktop
from footnote_desktop.answers.desk import Desk, open_desk
from footnote_desktop.catalog.result import Refusal
from footnote_desktop.desktop.answer import Answer, from_record, from_reply, outcome_of_record
from footnote_desktop.desktop.asking import examples
from footnote_desktop.desktop.chain import ChainState, Saying
from footnote_desktop.desktop.computed import duration
from footnote_desktop.desktop.events import Exported, Line, Listed, Opened
from footnote_desktop.desktop.faults import sentence
from footnote_desktop.figures.money import formatter
from footnote_desktop.provenance.export import export_file
from footnote_desktop.provenance.record import Record
from footnote_desktop.provenance.rowset import RowSetError, read_rowset
from footnote_desktop.provenance.verify import verify
from footnote_desktop.settings import Profile

#: How many rows of a row set are listed; all of them are in the sum.
MOST_LISTED = 1000

CLIENT = {"name": "Footnote Desktop", "version": footnote_desktop.__version__, "transport": "window"}


class DeskBackend:
    """Opens the desk with the first thing that is asked of it. All methods but :meth:`verify` belong to one thread."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._desk: Desk | None = None
        self._log_ready = threading.Event()

    def _open(self) -> Desk:
        if self._desk is None:
            self._desk = open_desk(self._profile)
            self._log_ready.set()
        return self._desk

    def open(self, generation: int) -> Opened:
        """Raises ``LogError`` when the log cannot be opened; a database that does not answer is said in the chips."""
        desk = self._open()
        day, source = self._profile.as_of_today()
        try:
            desk.catalog.describe()  # opens it; the time that counts is that of a connection which is open
            began = time.perf_counter()
            about = desk.catalog.describe()
            ms = (time.perf_counter() - began) * 1000
            names = [customer.name for customer in itertools.islice(desk.catalog.customers(), 200)]
        except Refusal as refusal:
            trouble = Saying("bad", "Not connected", sentence(refusal.message))
            unknown = Saying("idle", "Read-only: not checked", "The database did not answer, so nothing was checked.")
            return Opened(generation, day, source, (), unknown, trouble)
        return Opened(
            generation,
            day,
            source,
            examples(self._profile.sample, names),
            read_only(about, dt.datetime.now()),
            connection(self._profile, about, ms),
        )

    def warm(self) -> None:
        """Read the lexicons and the formats, which take most of the first question's time."""
        from footnote_desktop.answers import router, wording

        day, _ = self._profile.as_of_today()
        router.route("warm", [], as_of=day, today=day)
        for language in ("en", "de"):
            wording.table(language)
        formatter(self._profile.locale).money(Decimal(0), "EUR")

    def ask(self, question: str, as_of: dt.date | None) -> Answer:
        desk = self._open()
        reply = desk.ask(question, as_of=as_of, client=CLIENT)
        return self._with_rows(from_reply(reply.to_ask_json(), question, self._profile.locale))

    def list(self, generation: int, search: str | None, before: int | None, limit: int) -> Listed:
        log = self._open().log
        found = log.records(search, limit + 1, before)
        return Listed(generation, tuple(map(_line, found[:limit])), before, len(found) > limit, log.count())

    def find(self, key: str) -> Answer | None:
        record = self._open().log.get(int(key) if key.isdecimal() else key)
        return None if record is None else self._with_rows(from_record(record.to_json(), self._profile.locale))

    def export(self, generation: int, path: str) -> Exported:
        manifest = export_file(self._open().log, path)
        return Exported(generation, path, int(manifest["records"]))

    def verify(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> ChainState:
        """Reads the file through a connection of its own, so that answering need not wait."""
        while not self._log_ready.wait(0.05):  # a log that is about to be made is not a missing one
            if cancelled():
                return ChainState()
        verdict = verify(self._profile.log, progress, cancelled)
        return ChainState(
            verdict.state, verdict.count, verdict.failed_at, verdict.reason, verdict.advice, dt.datetime.now()
        )

    def close(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def _with_rows(self, answer: Answer) -> Answer:
        """With the first rows of each row set, read from the log's attachments."""
        members: dict[str, tuple[Mapping[str, Any], ...]] = {}
        for entry_id, entry in answer.evidence.items():
            if entry.get("type") == "rowset":
                members[entry_id] = self._rows_of(entry)
        return replace(answer, members=members) if members else answer

    def _rows_of(self, entry: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        try:
            rows = list(itertools.islice(read_rowset(self._open().log.attachment, entry), MOST_LISTED))
        except RowSetError:
            return ()  # the chain check says what is wrong with the log; here there are just no rows to list
        return tuple(_member(row) for row in rows)


def _member(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row of a row set in the form of an evidence entry."""
    kind, _, record_id = str(row.get("id", "")).partition(":")
    fields = {name: value for name, value in row.items() if name not in ("id", "label")}
    return {
        "id": row.get("id"),
        "type": kind,
        "recordId": record_id,
        "label": str(row.get("label", "")),
        "uri": f"erp://{kind}/{record_id}",
        "fields": fields,
    }


def _line(record: Record) -> Line:
    return Line(
        id=record.id,
        sequence=record.sequence,
        timestamp=record.timestamp,
        question=record.question,
        outcome=outcome_of_record(record.operations),
        figures=len(record.claims),
        summary=record.answer.split("\n", 1)[0][:200],
    )


def read_only(about: Mapping[str, Any], now: dt.datetime) -> Saying:
    """Green only when the database itself says that its transaction is read-only."""
    said = f"{about.get('role', '')} {about.get('isolation', '')}".lower().replace("-", " ")
    if "read only" not in said and "query_only" not in said:
        return Saying("idle", "Read-only: not checked", "The database does not say whether it can be written to.")
    return Saying(
        "ok",
        f"Read-only · {now:%H:%M}",
        f"Everything is read in transactions that the database itself keeps read-only ({about.get('isolation', '')})."
        f"\nLooked at {now:%H:%M}, as {about.get('role', 'an unnamed role')}. Which other rights the role has was not"
        " looked at.",
    )


def connection(profile: Profile, about: Mapping[str, Any], ms: float) -> Saying:
    details = [
        f"{key.capitalize()}: {about[key]}" for key in ("engine", "database", "mapping", "company") if about.get(key)
    ]
    if profile.sample is not None:
        details.insert(0, "Invented data in memory: nothing of it is stored, nothing is connected to.")
        return Saying("ok", "Sample data", "\n".join(details))
    return Saying("ok", f"Connected · {duration(ms)}", "\n".join(details))
