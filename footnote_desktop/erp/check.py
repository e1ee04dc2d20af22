"""The read-only check: what a connection can and cannot touch, in stages, found out without writing anything.

Name resolution, TCP, TLS, login, server and version, role, session, schema, data, log location. What is asked is the
server's own catalogs, inside the same read-only transaction in which the operations run.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from footnote_desktop.erp.engine import Engine, EngineError, Rows, Stopwatch
from footnote_desktop.erp.log_place import log_item
from footnote_desktop.erp.mapping import BoundMapping
from footnote_desktop.erp.mapping import Mapping as ErpMapping
from footnote_desktop.erp.needs import NEEDS
from footnote_desktop.erp.report import CheckItem, CheckReport, Serving, State

Progress = Callable[[CheckItem], None]
Cancel = Callable[[], bool]

STAGES = (
    "name resolution",
    "TCP",
    "TLS",
    "login",
    "server and version",
    "role",
    "session",
    "schema",
    "data",
    "log location",
)


class Cancelled(Exception):  # noqa: N818  an ending that was asked for, not an error
    """The check was told to stop."""


class Run:
    """The items found so far, each told to ``progress`` as it is found."""

    def __init__(self, progress: Progress | None, cancel: Cancel | None):
        self._progress = progress
        self.cancel = cancel or (lambda: False)
        self.items: list[CheckItem] = []
        self.erp: dict[str, str | None] = {"name": None, "version": None, "company": None}
        self.operations: list[Serving] = []
        self.role_sql: str | None = None
        self.queries = 0

    def add(self, item: CheckItem) -> None:
        self.items.append(item)
        if self._progress is not None:
            self._progress(item)
        if self.cancel():
            raise Cancelled

    def put(
        self, stage: str, state: State, sentence: str, advice: str = "", ms: float = 0.0, details: str = ""
    ) -> None:
        self.add(CheckItem(stage, state, sentence, advice, ms, stage, details))

    def report(self, stages: Sequence[str], *, cancelled: bool) -> CheckReport:
        """The report. Stages without an item are listed as not checked."""
        seen = {item.name for item in self.items}
        blocked = next((item.name for item in self.items if item.state == "fail"), None)
        why = "it was cancelled" if cancelled else f"{blocked} comes first" if blocked else "it could not be reached"
        for stage in stages:
            if stage not in seen:
                item = CheckItem(stage, "unchecked", f"Not checked: {why}.", "", 0.0, stage)
                self.items.append(item)
                if self._progress is not None and not cancelled:
                    self._progress(item)
        order = {stage: number for number, stage in enumerate(("connection", "file", "SSH tunnel", *STAGES))}
        # A stage's conclusion stands before what it rests on.
        self.items.sort(key=lambda item: (order.get(item.stage, len(order)), item.name != item.stage))
        if not self.operations:
            self.operations = no_operation("the check did not get that far")
        return CheckReport(self.items, self.erp, self.operations, self.role_sql, self.queries, cancelled)


def run_check(
    target: str | Engine,
    *,
    mappings: Sequence[ErpMapping],
    log_location: str | None = None,
    password: str | None = None,
    ssh: str | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> CheckReport:
    """Check a database. Never raises for what it finds: that is the report.

    ``target``: a ``postgresql://`` URL or libpq's ``key=value`` text, the path or URL of a SQLite file, or an open
    engine (the sample). ``mappings``: the ERPs that are known. ``log_location``: path or URL of the provenance log.
    ``password`` is used where the URL has none; ``ssh`` names the server of a tunnel. ``progress`` is called, in the
    thread of the caller, with each item as it is finished; ``cancel`` is asked often, and ends the check.
    """
    run = Run(progress, cancel)
    stages: Sequence[str] = STAGES
    cancelled = False
    try:
        from footnote_desktop.erp.connect import is_postgres

        if isinstance(target, str) and is_postgres(target):
            from footnote_desktop.erp.check_postgres import check_postgres

            check_postgres(run, target, mappings, log_location, password, ssh)
        else:
            stages = ("file", *STAGES[4:])
            check_file(run, target, mappings, log_location)
    except Cancelled:
        cancelled = True
    return run.report(stages, cancelled=cancelled)


# -- parts that every kind of database shares ----------------------------------------------------------------------


class Reader:
    """Queries in the engine's snapshots; after a failed one the next has a new transaction."""

    def __init__(self, engine: Engine):
        self._engine = engine
        self._stack: ExitStack | None = None

    def query(self, sql: str, params: Mapping[str, object]) -> Rows:
        if self._stack is None:
            stack = ExitStack()
            self._snapshot = stack.enter_context(self._engine.snapshot())
            self._stack = stack
        try:
            return self._snapshot.query(sql, params)
        except EngineError:
            self.close()
            raise

    def close(self) -> None:
        if self._stack is not None:
            self._stack.close()
            self._stack = None


def nearest(
    mappings: Sequence[ErpMapping], columns: Mapping[str, Mapping[str, str]]
) -> tuple[ErpMapping | None, list[str]]:
    """The mapping that lacks least of what it needs, and what it lacks."""
    found: tuple[ErpMapping | None, list[str]] = (None, [])
    for mapping in mappings:
        missing = mapping.missing(columns)
        if found[0] is None or len(missing) < len(found[1]):
            found = (mapping, missing)
        if not missing:
            break
    return found


def put_schema(run: Run, mapping: ErpMapping | None, missing: list[str], hidden: Sequence[str], ms: float) -> None:
    """The item ``schema``, and which ERP it is. ``hidden``: of what is missing, what exists but may not be read."""
    if mapping is not None and not missing:
        run.erp = {"name": mapping.name, "version": mapping.version, "company": mapping.company}
        run.put("schema", "pass", f"The tables are those of {mapping.name}.", "", ms)
        return
    if mapping is None:
        run.put("schema", "unchecked", "No mapping is installed.", "Install Footnote again.", ms)
        return
    lacking = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
    if hidden:
        run.put(
            "schema",
            "fail",
            f"This looks like {mapping.name}, but the role may not read all of it: {', '.join(hidden[:5])}.",
            "Let IT run the SQL below; it grants what is needed.",
            ms,
        )
        return
    run.put(
        "schema",
        "fail",
        f"The tables are not those of an ERP that Footnote knows; of the nearest, {mapping.name}, it lacks {lacking}.",
        "Check that the connection names the right database and schema, and that the role may read its tables.",
        ms,
    )


def no_operation(reason: str) -> list[Serving]:
    """No operation can be served, but those that need no database."""
    return [Serving(name, not needs, "" if not needs else reason) for name, needs in NEEDS.items()]


def probe_relations(reader: Reader, bound: BoundMapping) -> dict[str, EngineError | None]:
    """For each relation, why it cannot be read, or None. Plans the SELECTs without running them, in one go if it can:
    planning already asks for every right and every column."""
    names = tuple(name for name in dict.fromkeys(n for needs in NEEDS.values() for n in needs))
    try:
        _explain(reader, bound, names)
    except EngineError as error:
        if error.kind in ("lost", "cancelled"):
            raise
        results: dict[str, EngineError | None] = {}
        for name in names:
            try:
                _explain(reader, bound, (name,))
                results[name] = None
            except EngineError as fault:
                results[name] = fault
        return results
    return dict.fromkeys(names)


def _explain(reader: Reader, bound: BoundMapping, names: tuple[str, ...]) -> None:
    select = "SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM {name})" for name in names)
    sql = bound.with_relations(names, select, scoped=False)
    reader.query(f"EXPLAIN {sql}", {"as_of": dt.date.today()})


def serving(faults: Mapping[str, EngineError | None]) -> Iterator[Serving]:
    """Each operation, and why it cannot be served where it cannot."""
    for name, needs in NEEDS.items():
        reasons = [f"{need}: {fault.message}" for need in needs if (fault := faults.get(need))]
        yield Serving(name, not reasons, "; ".join(reasons))


# -- a SQLite file, or the sample ----------------------------------------------------------------------------------


def check_file(run: Run, target: str | Engine, mappings: Sequence[ErpMapping], log_location: str | None) -> None:
    """The smaller check of a database that is a file, or that is built in memory."""
    from footnote_desktop.erp.connect import open_engine

    watch = Stopwatch()
    in_memory = not isinstance(target, str)
    try:
        engine = open_engine(target) if isinstance(target, str) else target
    except EngineError as error:
        run.put("file", "fail", _sentence(error.message), error.advice, watch.ms(), error.details)
        return
    reader = Reader(engine)
    try:
        run.put(
            "file", "pass", "The sample data is part of this program." if in_memory else "The file can be read.", "",
            watch.ms(),
        )  # fmt: skip
        version = str(reader.query("SELECT sqlite_version()", {}).rows[0][0])
        run.put("server and version", "pass", f"SQLite {version}, inside this program.", "", watch.ms())
        run.put("role", "pass", "It was opened so that nothing can be written to it.")
        watch = Stopwatch()
        read_only = reader.query("SELECT query_only FROM pragma_query_only()", {}).rows[0][0]
        reader.close()
        if int(read_only) == 1:
            run.put("session", "pass", "Every read is one transaction that cannot write.", "", watch.ms())
        else:
            run.put("session", "fail", "The connection could write.", "Report this.", watch.ms())
        watch = Stopwatch()
        columns = engine.columns()
        mapping, missing = nearest(mappings, columns)
        put_schema(run, mapping, missing, (), watch.ms())
        if mapping is not None and not missing:
            watch = Stopwatch()
            put_data(run, reader, BoundMapping(mapping, engine.dialect, columns), (), watch)
        else:
            run.operations = no_operation("the database is laid out like no ERP that Footnote knows")
    except EngineError as error:
        run.put("data", "fail", _sentence(error.message), error.advice, watch.ms(), error.details)
    finally:
        reader.close()
        if not in_memory:
            engine.close()
    watch = Stopwatch()
    run.add(log_item(log_location, url=None if in_memory else str(target), ms=watch.ms()))


def put_data(run: Run, reader: Reader, bound: BoundMapping, hidden_rows: Sequence[str], watch: Stopwatch) -> None:
    """The item ``data``, and which operations can be served. ``hidden_rows``: tables of which only some rows show."""
    faults = probe_relations(reader, bound)
    run.operations = list(serving(faults))
    broken = {name: fault for name, fault in faults.items() if fault is not None}
    cannot = [s.name for s in run.operations if not s.available]
    details = "\n".join(f"{name}: {fault.details or fault.message}" for name, fault in broken.items())
    if hidden_rows:
        run.put(
            "data",
            "fail",
            f"Row-level security hides rows of {', '.join(hidden_rows)}; a total over hidden rows is a wrong total.",
            "Let IT run the SQL below; it lets this role read every row.",
            watch.ms(),
            details,
        )
        run.operations = no_operation("row-level security hides rows, so that totals would be wrong")
    elif broken:
        state: State = "fail" if len(cannot) >= len(NEEDS) - 1 else "warn"
        run.put(
            "data",
            state,
            f"Not everything can be read, so that {len(cannot)} of {len(NEEDS)} operations cannot be served.",
            "Let IT run the SQL below; it grants what is needed.",
            watch.ms(),
            details,
        )
    else:
        run.put("data", "pass", "Everything that the operations read can be read in full.", "", watch.ms())


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:].rstrip(".") + "."
