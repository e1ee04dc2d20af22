"""The stages of the check on a PostgreSQL server."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from footnote_desktop.erp.check import (
    Cancelled,
    Reader,
    Run,
    nearest,
    no_operation,
    put_data,
    put_schema,
)
from footnote_desktop.erp.conninfo import Address, Endpoint, resolve
from footnote_desktop.erp.engine import EngineError, Stopwatch
from footnote_desktop.erp.log_place import log_item
from footnote_desktop.erp.mapping import BoundMapping
from footnote_desktop.erp.mapping import Mapping as ErpMapping
from footnote_desktop.erp.patience import PatientConnection
from footnote_desktop.erp.postgres import PostgresEngine
from footnote_desktop.erp.rights import Rights, read_rights
from footnote_desktop.erp.rights_words import role_items
from footnote_desktop.erp.role_sql import DEFAULT_ROLE, RoleFacts, role_sql
from footnote_desktop.erp.tunnel import Tunnel

#: Seconds: name resolution and TCP connections that take longer count as failed.
CONNECT_TIMEOUT = 10
#: Seconds that one question of the check may take on the server.
STATEMENT_TIMEOUT = 15.0

T = TypeVar("T")


def check_postgres(
    run: Run,
    url: str,
    mappings: Sequence[ErpMapping],
    log_location: str | None,
    password: str | None,
    ssh: str | None,
) -> None:
    """Run the stages, each only when the one before it let it."""
    watch = Stopwatch()
    tunnel: Tunnel | None = None
    engine: PostgresEngine | None = None
    try:
        address = resolve(url, password)
        run.role_sql = role_sql(RoleFacts(address.database))
        tunnel = Tunnel(ssh) if ssh else None
        engine = PostgresEngine(
            url, STATEMENT_TIMEOUT, CONNECT_TIMEOUT, password=password, tunnel=tunnel, cancel=run.cancel
        )
    except EngineError as error:
        _fail(run, "connection", error, watch)
        return
    try:
        if _reach(run, engine, tunnel) and (connection := _log_in(run, engine)) is not None:
            _Inside(run, engine, mappings).look(connection)
    finally:
        run.queries = engine.sent
        # A cancelled check leaves its connection to the thread that waits for it.
        threading.Thread(target=engine.close, daemon=True).start() if run.cancel() else engine.close()
        if tunnel is not None:
            tunnel.close()
    watch = Stopwatch()
    item = _unless_cancelled(run, lambda: log_item(log_location, url=url))
    run.add(replace(item, ms=watch.ms()))


# -- the way to the server -----------------------------------------------------------------------------------------


def _reach(run: Run, engine: PostgresEngine, tunnel: Tunnel | None) -> bool:
    address = engine.address
    watch = Stopwatch()
    if tunnel is not None:
        try:
            _unless_cancelled(run, lambda: tunnel.through(address))
        except EngineError as error:
            _fail(run, "SSH tunnel", error, watch)
            return False
        run.put("SSH tunnel", "pass", f"The tunnel through {tunnel.target} is up.", "", watch.ms())
        run.put("name resolution", "pass", "The SSH server looks the name up.")
        run.put("TCP", "pass", "The connection goes through the tunnel.")
        return True
    named = [e for e in address.endpoints if not e.is_socket and not e.address and not _is_address(e.host)]
    if not named:
        run.put("name resolution", "pass", "Not needed: the connection names no host to look up.", "", watch.ms())
    elif not _look_up(run, named, len(address.endpoints), watch):
        return False
    return _tcp(run, address)


def _look_up(run: Run, named: list[Endpoint], total: int, watch: Stopwatch) -> bool:
    found: dict[str, str] = {}
    for endpoint in named:
        try:
            answers = _unless_cancelled(
                run,
                lambda e=endpoint: socket.getaddrinfo(e.host, e.port, type=socket.SOCK_STREAM),  # type: ignore[misc]
            )
            found[endpoint.host] = str(answers[0][4][0])
        except (OSError, UnicodeError) as error:
            last = error
    lost = [e.host for e in named if e.host not in found]
    listed = ", ".join(f"{host} is {address}" for host, address in found.items())
    if not lost:
        run.put("name resolution", "pass", f"{listed}.", "", watch.ms())
        return True
    advice = "Check the spelling. If the server is inside the company, connect to its network (VPN) first."
    if len(lost) == total:
        names = " and ".join(lost)
        run.put("name resolution", "fail", f"{names} is not known on this network.", advice, watch.ms(), str(last))
        return False
    run.put(
        "name resolution", "warn", f"Not known on this network: {', '.join(lost)}. {listed}.", advice, watch.ms(),
        str(last),
    )  # fmt: skip
    return True


def _tcp(run: Run, address: Address) -> bool:
    watch = Stopwatch()
    faults: list[tuple[Endpoint, EngineError]] = []
    for endpoint in address.endpoints:
        if endpoint.is_socket:
            continue
        try:
            _unless_cancelled(run, lambda e=endpoint: _knock(e))  # type: ignore[misc]
        except OSError as error:
            faults.append((endpoint, _tcp_fault(error)))
    over_tcp = [e for e in address.endpoints if not e.is_socket]
    if not over_tcp:
        run.put("TCP", "pass", f"Not needed: the connection uses {address.endpoints[0].label}.", "", watch.ms())
        return True
    if not faults:
        run.put("TCP", "pass", f"{_labels(over_tcp)} answers.", "", watch.ms())
        return True
    endpoint, fault = faults[0]
    all_failed = len(faults) == len(address.endpoints)
    sentence = "; ".join(f"{e.label}: {f.message}" for e, f in faults) + "."
    run.put("TCP", "fail" if all_failed else "warn", sentence, fault.advice, watch.ms(), fault.details)
    return not all_failed


def _knock(endpoint: Endpoint) -> None:
    with socket.create_connection((endpoint.address or endpoint.host, endpoint.port), timeout=CONNECT_TIMEOUT):
        pass


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _tcp_fault(error: OSError) -> EngineError:
    import psycopg

    from footnote_desktop.erp.faults import translate

    return translate(psycopg.OperationalError(str(error)))


def _log_in(run: Run, engine: PostgresEngine) -> PatientConnection | None:
    watch = Stopwatch()
    try:
        connection = _unless_cancelled(run, engine.connect)
    except EngineError as error:
        if error.kind == "cancelled":
            raise Cancelled from error
        if error.kind == "tls":
            _fail(run, "TLS", error, watch)
        elif error.kind == "version":
            _fail(run, "server and version", error, watch)
        else:
            _fail(run, "login", error, watch)
        return None
    _put_tls(run, engine.address, bool(connection.pgconn.ssl_in_use), watch)
    run.put("login", "pass", f"The user {engine.address.user} was let in.", "", watch.ms())
    return connection


def _put_tls(run: Run, address: Address, encrypted: bool, watch: Stopwatch) -> None:
    by_socket = all(endpoint.is_socket for endpoint in address.endpoints)
    if by_socket:
        run.put("TLS", "pass", "Not needed: the connection does not leave this machine.", "", watch.ms())
    elif encrypted and address.sslmode == "verify-full":
        run.put("TLS", "pass", "Encrypted, and the server proved its name (verify-full).", "", watch.ms())
    elif encrypted and address.is_this_machine:
        run.put("TLS", "pass", "Encrypted; the server is this machine.", "", watch.ms())
    elif encrypted:
        proof = "its authority, but not its name," if address.sslmode == "verify-ca" else "nothing"
        run.put(
            "TLS",
            "warn",
            f"Encrypted, but the server proved {proof} so that another machine could stand in for it"
            f" (sslmode={address.sslmode}: {address.sslmode_source}).",
            "Ask IT for the CA file, name it (sslrootcert), and set sslmode=verify-full.",
            watch.ms(),
        )
    elif address.is_this_machine:
        run.put("TLS", "pass", "Not encrypted; the connection does not leave this machine.", "", watch.ms())
    else:
        run.put(
            "TLS",
            "warn",
            f"Not encrypted: everyone on the way can read password and figures (sslmode={address.sslmode}).",
            "Ask IT to switch TLS on at the server, and set sslmode=verify-full with their CA file.",
            watch.ms(),
        )


# -- inside --------------------------------------------------------------------------------------------------------

_SESSION = """
SELECT version(), current_setting('server_version_num')::int, current_setting('server_version'),
       current_database()::text, session_user::text, current_user::text,
       current_setting('transaction_read_only'), current_setting('transaction_isolation'),
       current_setting('statement_timeout'), current_setting('lock_timeout'),
       current_setting('idle_in_transaction_session_timeout'), pg_is_in_recovery(), current_schemas(false)::text[],
       current_setting('server_encoding'),
       (SELECT concat_ws(' ', CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END,
               CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolreplication THEN 'REPLICATION' END,
               CASE WHEN rolbypassrls THEN 'BYPASSRLS' END) FROM pg_roles WHERE rolname = :reader),
       ARRAY(SELECT rolname::text FROM pg_roles WHERE NOT rolsuper AND rolname !~ '^pg_' ORDER BY 1),
       ARRAY(SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member
             JOIN pg_roles g ON g.oid = m.roleid WHERE r.rolname = :reader ORDER BY 1)
"""

# One row per table of one of these names: whether it can be seen, read, and read in full.
_TABLES = """
SELECT n.nspname::text, c.relname::text, n.nspname = ANY (current_schemas(false)),
       has_schema_privilege(n.oid, 'USAGE'), row_security_active(c.oid),
       EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('r', '*')
               AND pg_get_expr(p.polqual, p.polrelid) = 'true'
               AND EXISTS (SELECT FROM unnest(p.polroles) r
                           WHERE CASE WHEN r = 0 THEN true ELSE pg_has_role(r, 'USAGE') END)),
       EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd IN ('r', '*')
               AND pg_get_expr(p.polqual, p.polrelid) <> 'true'
               AND EXISTS (SELECT FROM unnest(p.polroles) r
                           WHERE CASE WHEN r = 0 THEN true ELSE pg_has_role(r, 'USAGE') END)),
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, NULL)
             FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT has_column_privilege(c.oid, a.attnum, 'SELECT') FROM pg_attribute a WHERE a.attrelid = c.oid
             AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = ANY (CAST(:names AS name[])) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY array_position(current_schemas(false), n.nspname), 1, 2
"""


@dataclass(frozen=True, slots=True)
class _Table:
    schema: str
    name: str
    on_path: bool
    may_enter: bool
    rls_active: bool
    all_rows_policy: bool
    narrowing_policy: bool
    columns: Mapping[str, str]
    readable: Mapping[str, str]

    @property
    def hides_rows(self) -> bool:
        return self.rls_active and (self.narrowing_policy or not self.all_rows_policy)

    @property
    def label(self) -> str:
        return f"{self.schema}.{self.name}"


class _Inside:
    """The stages that ask the server. Each adds its items; a failed question leaves only its own stage unchecked."""

    def __init__(self, run: Run, engine: PostgresEngine, mappings: Sequence[ErpMapping]):
        self.run = run
        self.engine = engine
        self.mappings = mappings
        self.reader = Reader(engine)
        self.facts: Mapping[str, Any] = {}
        self.rights: Rights | None = None

    def look(self, connection: PatientConnection) -> None:
        try:
            self._session(connection)
            self._role()
            self._schema_and_data()
        except EngineError as error:
            if error.kind == "cancelled":
                raise Cancelled from error
            done = {item.name for item in self.run.items}
            stage = next(s for s in ("server and version", "role", "session", "schema", "data") if s not in done)
            _fail(self.run, stage, error, Stopwatch())
        finally:
            self.reader.close()

    def _session(self, connection: PatientConnection) -> None:
        watch = Stopwatch()
        try:
            row = self.reader.query(_SESSION, {"reader": DEFAULT_ROLE}).rows[0]
        except EngineError as error:
            if error.kind in ("lost", "cancelled", "timeout", "session"):
                raise
            _fail(self.run, "server and version", error, watch, "It speaks PostgreSQL's language, but not all of it.")
            raise
        names = (
            "server", "number", "version", "database", "login", "user", "read_only", "isolation", "statement", "lock",
            "idle", "replica", "schemas", "encoding", "reader", "roles", "reader_in",
        )  # fmt: skip
        facts = self.facts = dict(zip(names, row, strict=True))
        server = str(facts["server"])
        kind = "" if server.startswith("PostgreSQL") else f" ({server.split(',')[0]})"
        replica = ", a read replica" if facts["replica"] else ""
        state = "pass" if facts["encoding"] != "SQL_ASCII" else "warn"
        self.run.put(
            "server and version",
            state,  # type: ignore[arg-type]
            f"PostgreSQL {facts['version']}{kind}{replica}, database {facts['database']}.",
            "The database does not say in which encoding its text is; names may look wrong." if state == "warn" else "",
            watch.ms(),
        )
        self._put_session(facts, watch)

    def _put_session(self, facts: Mapping[str, Any], watch: Stopwatch) -> None:
        wrong = []
        if facts["read_only"] != "on":
            wrong.append("it is not read-only")
        if facts["isolation"] != "repeatable read":
            wrong.append(f"its isolation is {facts['isolation']}")
        wrong += [
            f"it has no {words}"
            for name, words in (("statement", "statement timeout"), ("lock", "lock timeout"), ("idle", "idle timeout"))
            if str(facts[name]) in ("0", "0ms", "")
        ]
        if wrong:
            self.run.put(
                "session",
                "fail",
                f"A transaction does not come up as asked: {'; '.join(wrong)}.",
                "Ask IT whether a pooler or proxy in front of the database rewrites transactions.",
                watch.ms(),
            )
            return
        self.run.put(
            "session",
            "pass",
            f"A transaction comes up read-only, as one moment in time (repeatable read), and no query runs longer than"
            f" {facts['statement']}.",
            "",
            watch.ms(),
        )

    def _role(self) -> None:
        watch = Stopwatch()
        facts = self.facts
        self.rights = read_rights(self.reader.query, facts["login"], facts["number"])
        items = role_items(self.rights)
        items[-1] = replace(items[-1], ms=watch.ms())
        for item in items:
            self.run.add(item)

    # -- what is in it ---------------------------------------------------------------------------------------------

    def _schema_and_data(self) -> None:
        watch = Stopwatch()
        run = self.run
        wanted = sorted({table for mapping in self.mappings for table in mapping.fingerprint})
        tables = [
            _Table(
                schema=row[0],
                name=row[1],
                on_path=row[2],
                may_enter=row[3],
                rls_active=row[4],
                all_rows_policy=row[5],
                narrowing_policy=row[6],
                columns=dict(zip(row[7], row[8], strict=True)),
                readable=_readable(row),
            )
            for row in self.reader.query(_TABLES, {"names": wanted}).rows
        ]
        on_path = _first_of_each([t for t in tables if t.on_path])
        mapping, missing = nearest(self.mappings, {t.name: t.readable for t in on_path})
        # Judged by what is there, whether it may be read or not: the SQL for the DBA grants it.
        best, lacking = nearest(self.mappings, {t.name: t.columns for t in _first_of_each(tables)})
        if missing and best is not None and not lacking:
            mapping, missing = best, best.missing({t.name: t.readable for t in on_path})
        needed = [t for t in _first_of_each(tables) if mapping is not None and t.name in mapping.fingerprint]
        self._write_role_sql(needed if best is not None and not lacking else [])
        hidden = _hidden(missing, needed)
        put_schema(run, mapping, missing, hidden, watch.ms())
        if mapping is None or missing:
            run.operations = no_operation(
                "the role may not read all the tables that are needed"
                if hidden
                else "the database is laid out like no ERP that Footnote knows"
            )
            return
        watch = Stopwatch()
        columns = {t.name: t.readable for t in on_path}
        bound = BoundMapping(mapping, self.engine.dialect, columns)
        put_data(run, self.reader, bound, [t.label for t in needed if t.hides_rows], watch)

    def _write_role_sql(self, needed: list[_Table]) -> None:
        facts, rights = self.facts, self.rights
        assert rights is not None
        schemas = list(dict.fromkeys(t.schema for t in needed)) or list(facts["schemas"]) or ["public"]
        public = [grant for grant in rights.grants if grant.grantee == ""]
        if facts["number"] >= 160_000:
            public = [grant for grant in public if grant.what != "large object function"]
        mend = not rights.superuser and not any(_own(grant) for grant in rights.grants) and not _too_much(rights)
        role = facts["login"] if mend else DEFAULT_ROLE
        self.run.role_sql = role_sql(
            RoleFacts(
                database=facts["database"],
                version=facts["number"],
                version_text=facts["version"],
                role=role,
                role_exists=mend or facts["reader"] is not None,
                mend=mend,
                memberships=[r.name for r in rights.roles if not r.is_login] if mend else facts["reader_in"],
                schemas=schemas,
                tables=[(t.schema, t.name) for t in needed],
                policies=[(t.schema, t.name) for t in needed if t.rls_active and not t.all_rows_policy],
                attributes=() if mend else str(facts["reader"] or "").split(),
                set_search_path=not set(schemas) <= {"public"},
                public=public,
                others=facts["roles"],
            )
        )


def _readable(row: Sequence[Any]) -> dict[str, str]:
    if not row[3]:  # no right to enter the schema
        return {}
    return {name: kind for name, kind, may in zip(row[7], row[8], row[9], strict=True) if may}


def _first_of_each(tables: list[_Table]) -> list[_Table]:
    """Of tables with the same name, the one that an unqualified name finds."""
    found: dict[str, _Table] = {}
    for table in tables:
        found.setdefault(table.name, table)
    return list(found.values())


def _hidden(missing: list[str], tables: list[_Table]) -> list[str]:
    """Of what is missing, what exists: ``schema.table`` or ``schema.table.column``, and why."""
    by_name = {table.name: table for table in tables}
    hidden = []
    for name in missing:
        table, _, column = name.partition(".")
        if (found := by_name.get(table)) is None or (column and column not in found.columns):
            continue
        if not found.on_path and found.may_enter and found.readable:
            hidden.append(f"{found.label} (its schema is not in the search path)")
        else:
            hidden.append(f"{found.schema}.{name}")
    return hidden


def _own(grant: Any) -> bool:
    """A right that the role has by itself or through a membership, not because everyone has it."""
    return bool(grant.grantee)


def _too_much(rights: Rights) -> bool:
    from footnote_desktop.erp.rights import WRITING_ROLES

    return any(
        r.createdb or r.createrole or r.replication or r.name in WRITING_ROLES
        for r in rights.roles
        if r.is_login or r.settable or r.name in WRITING_ROLES
    )


# -- helpers -------------------------------------------------------------------------------------------------------


def _unless_cancelled(run: Run, work: Callable[[], T]) -> T:
    """Do what cannot be interrupted in a thread of its own, and leave it behind when the check is cancelled; its own
    time-out ends it."""
    done = threading.Event()
    result: list[T] = []
    fault: list[BaseException] = []

    def body() -> None:
        try:
            result.append(work())
        except BaseException as error:
            fault.append(error)
        done.set()

    threading.Thread(target=body, daemon=True).start()
    while not done.wait(0.05):
        if run.cancel():
            raise Cancelled
    if fault:
        raise fault[0]
    return result[0]


def _fail(run: Run, stage: str, error: EngineError, watch: Stopwatch, more: str = "") -> None:
    sentence = error.message[:1].upper() + error.message[1:].rstrip(".") + "."
    run.put(stage, "fail", f"{sentence} {more}".strip(), error.advice, watch.ms(), error.details)


def _labels(endpoints: Sequence[Endpoint]) -> str:
    return " and ".join(endpoint.label for endpoint in endpoints)
