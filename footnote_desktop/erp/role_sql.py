"""The SQL with which a DBA makes a role that can only read, for one server, database and schema.

What everyone may do by default (PUBLIC: create in ``public`` before PostgreSQL 15, temporary tables, functions) is
taken back; whoever relies on it now, gets it in their own name first, so that nothing else stops working.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from footnote_desktop.erp.rights import Grant

#: The role that is made when the one that was checked cannot simply be mended.
DEFAULT_ROLE = "footnote_reader"
_CHUNK = 40

_KINDS = {
    "table": "TABLE",
    "sequence": "SEQUENCE",
    "schema": "SCHEMA",
    "database": "DATABASE",
    "tablespace": "TABLESPACE",
    "parameter": "PARAMETER",
    "definer function": "ROUTINE",
    "reaching function": "ROUTINE",
    "server function": "ROUTINE",
    "large object function": "ROUTINE",
    "large object": "LARGE OBJECT",
    "foreign server": "FOREIGN SERVER",
    "foreign data wrapper": "FOREIGN DATA WRAPPER",
}


@dataclass(frozen=True, slots=True)
class RoleFacts:
    """What the SQL depends on. Names are as they are, not quoted, unless they come in a :class:`Grant`."""

    database: str
    version: int = 0  #: server_version_num; 0: not known
    version_text: str = ""
    role: str = DEFAULT_ROLE
    role_exists: bool = False
    mend: bool = False  #: the role's own rights are fine; only what PUBLIC has and what it may read are set right
    memberships: Sequence[str] = ()  #: of the role, when it exists
    attributes: Sequence[str] = ()  #: of SUPERUSER, CREATEDB … what the role has, when it exists
    schemas: Sequence[str] = ("public",)
    tables: Sequence[tuple[str, str]] = ()  #: (schema, table); empty: every table of the schemas
    policies: Sequence[tuple[str, str]] = ()  #: tables whose row-level security hides rows
    set_search_path: bool = False
    public: Sequence[Grant] = ()  #: what PUBLIC has beyond reading
    others: Sequence[str] = field(default_factory=tuple)  #: roles that rely on PUBLIC now


def quote(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def role_sql(facts: RoleFacts) -> str:
    """The SQL text, ready to be run in one go by a superuser or the owner of the database; it may be run again."""
    role = facts.role if re.fullmatch(r"[a-z_][a-z0-9_]*", facts.role) else quote(facts.role)
    return "\n".join([*_head(facts, role), *_grants(facts, role), *_public(facts), *_tail(facts, role)]) + "\n"


def _head(facts: RoleFacts, role: str) -> Iterator[str]:
    server = f"PostgreSQL {facts.version_text}" if facts.version_text else "PostgreSQL"
    yield f"-- A role for Footnote that can read and do nothing else: database {quote(facts.database)}, {server}."
    yield "-- Run it as a superuser or as the owner of the database, connected to this database, in one go."
    yield "BEGIN;"
    yield ""
    if facts.mend:
        yield f"-- The role {role} has no right of its own to write: only what everyone may do is put right."
        return
    if facts.role_exists:
        # Naming an attribute that is only a superuser's to give makes anyone else's ALTER ROLE fail.
        without = "".join(f" NO{attribute}" for attribute in facts.attributes)
        yield f"ALTER ROLE {role} LOGIN NOINHERIT{without} CONNECTION LIMIT 20;"
    else:
        without = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS"
        yield f"CREATE ROLE {role} LOGIN {without} CONNECTION LIMIT 20;"
    if facts.role_exists:
        for parent in facts.memberships:
            yield f"REVOKE {quote(parent)} FROM {role};"
        yield f"REVOKE ALL ON DATABASE {quote(facts.database)} FROM {role};"
        for schema in facts.schemas:
            yield f"REVOKE ALL ON SCHEMA {quote(schema)} FROM {role};"
            for things in ("TABLES", "SEQUENCES", "ROUTINES"):
                yield f"REVOKE ALL ON ALL {things} IN SCHEMA {quote(schema)} FROM {role};"
    yield "-- A second lock behind the missing rights: even by mistake, nothing is written, and nothing runs for ever."
    yield f"ALTER ROLE {role} SET default_transaction_read_only = on;"
    yield f"ALTER ROLE {role} SET statement_timeout = '60s';"
    yield f"ALTER ROLE {role} SET idle_in_transaction_session_timeout = '60s';"


def _grants(facts: RoleFacts, role: str) -> Iterator[str]:
    yield ""
    yield "-- What it may read."
    yield f"GRANT CONNECT ON DATABASE {quote(facts.database)} TO {role};"
    for schema in facts.schemas:
        yield f"GRANT USAGE ON SCHEMA {quote(schema)} TO {role};"
    if facts.set_search_path:
        path = ", ".join(quote(schema) for schema in facts.schemas)
        yield f"ALTER ROLE {role} IN DATABASE {quote(facts.database)} SET search_path = {path};"
    if facts.tables:
        for some in _chunks([f"{quote(schema)}.{quote(table)}" for schema, table in facts.tables]):
            yield f"GRANT SELECT ON TABLE {', '.join(some)} TO {role};"
    else:
        for schema in facts.schemas:
            yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {quote(schema)} TO {role};"
    for schema, table in facts.policies:
        name = f"{quote(schema)}.{quote(table)}"
        yield f"-- Row-level security would hide rows of {name}, and a total over hidden rows is a wrong total."
        yield f"DROP POLICY IF EXISTS footnote_reads_all ON {name};"
        yield f"CREATE POLICY footnote_reads_all ON {name} FOR SELECT TO {role} USING (true);"


def _public(facts: RoleFacts) -> Iterator[str]:
    if not facts.public:
        return
    yield ""
    yield "-- What everyone (PUBLIC) may do beyond reading is taken back, because no role can be exempt from it."
    others = ", ".join(quote(name) for name in facts.others if name not in (facts.role, *facts.memberships))
    if others:
        yield "-- Every other role of this server gets it in its own name first: for them nothing changes."
    for privilege, target in _targets(facts.public):
        if others:
            yield f"GRANT {privilege} ON {target} TO {others};"
        yield f"REVOKE {privilege} ON {target} FROM PUBLIC;"


def _targets(grants: Iterable[Grant]) -> Iterator[tuple[str, str]]:
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for grant in grants:
        together.setdefault((grant.what, grant.names), []).append(grant.privilege)
    for (what, names), privileges in together.items():
        if what == "column":
            for name in names:
                table, _, column = name.partition("\n")
                yield ", ".join(f"{privilege} ({column})" for privilege in privileges), f"TABLE {table}"
            continue
        for some in _chunks(names):
            yield ", ".join(privileges), f"{_KINDS[what]} {', '.join(some)}"


def _tail(facts: RoleFacts, role: str) -> Iterator[str]:
    yield ""
    yield "COMMIT;"
    if facts.mend:
        return
    yield "-- Then give it a password that nobody else knows:"
    yield f"-- ALTER ROLE {role} PASSWORD '...';"


def _chunks(names: Iterable[str]) -> Iterator[list[str]]:
    listed = list(names)
    for start in range(0, len(listed), _CHUNK):
        yield listed[start : start + _CHUNK]
