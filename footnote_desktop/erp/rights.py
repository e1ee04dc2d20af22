"""What a database role may do beyond reading, asked of the system catalogs and never tried.

Access lists are read as they stand (``aclexplode``) for every role that the login can act as, and for PUBLIC: asking
``has_table_privilege`` for each table, role and privilege takes many times as long, and does not say through whom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote_desktop.erp.engine import EngineError, Rows

Query = Callable[[str, Mapping[str, Any]], Rows]

#: How many names a finding lists. For PUBLIC all are read: the DBA's SQL takes them back one by one.
SHOWN = 5
_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class Role:
    """A role that the login is, inherits from, or can become by SET ROLE."""

    oid: int
    name: str
    superuser: bool
    createdb: bool
    createrole: bool
    replication: bool
    bypassrls: bool
    is_login: bool  #: the session's own user
    inherited: bool
    settable: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """One kind of right on one kind of thing: ``privilege`` is OWNER, INSERT …; ``grantee`` a role, or "" for PUBLIC;
    ``total`` things, of which ``names`` (quoted as SQL) are the first. A column's name is its table's, a line break and
    its own."""

    what: str
    privilege: str
    grantee: str
    total: int
    names: tuple[str, ...]


@dataclass(slots=True)
class Rights:
    """Everything found. ``unanswered``: what the server could not be asked, by area."""

    user: str
    version: int
    roles: list[Role] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    unanswered: dict[str, EngineError] = field(default_factory=dict)

    @property
    def superuser(self) -> bool:
        return any(role.superuser for role in self.roles)


_SYSTEM = r"(n.nspname = 'information_schema' OR n.nspname ~ '^pg_')"

_ROLES = """
SELECT r.oid::bigint, r.rolname::text, r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolbypassrls,
       r.rolname = session_user AS is_login,
       pg_has_role(session_user, r.oid, 'USAGE') AS inherited, pg_has_role(session_user, r.oid, '{become}') AS settable
FROM pg_roles r
WHERE r.rolname IN (session_user, current_user)
   OR (NOT (SELECT s.rolsuper FROM pg_roles s WHERE s.rolname = session_user)
       AND (pg_has_role(session_user, r.oid, 'USAGE') OR pg_has_role(session_user, r.oid, '{become}')
            OR pg_has_role(session_user, r.oid, 'MEMBER WITH ADMIN OPTION')))
ORDER BY r.rolname <> session_user, r.rolname
"""

# The shape of every query below: what, privilege, grantee, name. What a role owns is told once, as owned; but what
# PUBLIC has on it counts by itself, because the SQL for a new role has to take it back.
_GROUPED = """
SELECT x.what, x.privilege, x.grantee::bigint, count(*)::int,
       (array_agg(x.name ORDER BY x.name))[1:CASE WHEN x.grantee = 0 THEN {all} ELSE {shown} END]
FROM (
{parts}
) x
GROUP BY x.what, x.privilege, x.grantee
"""

# Thousands of tables share a few access lists: each list is taken apart once.
_RELATIONS = f"""
SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END AS what, 'OWNER' AS privilege, c.relowner AS grantee,
       format('%I.%I', n.nspname, c.relname) AS name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relowner = ANY (CAST(:roles AS oid[])) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT {_SYSTEM}
UNION ALL
SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, a.privilege_type, a.grantee,
       format('%I.%I', n.nspname, c.relname)
FROM (SELECT l.relacl, e.privilege_type, e.grantee
      FROM (SELECT DISTINCT relacl FROM pg_class WHERE relacl IS NOT NULL) l CROSS JOIN LATERAL aclexplode(l.relacl) e
      WHERE e.grantee = ANY (CAST(:grantees AS oid[])) AND e.privilege_type <> 'SELECT') a
     JOIN pg_class c ON c.relacl = a.relacl JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE (a.grantee = 0 OR c.relowner <> ALL (CAST(:roles AS oid[])))
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT {_SYSTEM}
"""

_COLUMNS = f"""
SELECT 'column' AS what, a.privilege_type AS privilege, a.grantee AS grantee,
       format('%I.%I', n.nspname, c.relname) || chr(10) || quote_ident(t.attname) AS name
FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) a JOIN pg_class c ON c.oid = t.attrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE t.attacl IS NOT NULL AND NOT t.attisdropped AND a.grantee = ANY (CAST(:grantees AS oid[]))
  AND a.privilege_type <> 'SELECT' AND NOT {_SYSTEM}
"""

_PLACES = f"""
SELECT 'schema' AS what, 'OWNER' AS privilege, n.nspowner AS grantee, quote_ident(n.nspname) AS name
FROM pg_namespace n WHERE n.nspowner = ANY (CAST(:roles AS oid[])) AND NOT {_SYSTEM}
UNION ALL
SELECT 'schema', a.privilege_type, a.grantee, quote_ident(n.nspname)
FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a
WHERE a.grantee = ANY (CAST(:grantees AS oid[])) AND a.privilege_type = 'CREATE' AND NOT n.nspname ~ '^pg_t'
UNION ALL
SELECT 'database', 'OWNER', d.datdba, quote_ident(d.datname)
FROM pg_database d WHERE d.datname = current_database() AND d.datdba = ANY (CAST(:roles AS oid[]))
UNION ALL
SELECT 'database', a.privilege_type, a.grantee, quote_ident(d.datname)
FROM pg_database d CROSS JOIN LATERAL aclexplode(COALESCE(d.datacl, acldefault('d', d.datdba))) a
WHERE d.datname = current_database() AND a.grantee = ANY (CAST(:grantees AS oid[]))
  AND a.privilege_type IN ('CREATE', 'TEMPORARY')
UNION ALL
SELECT 'tablespace', a.privilege_type, a.grantee, quote_ident(s.spcname)
FROM pg_tablespace s CROSS JOIN LATERAL aclexplode(s.spcacl) a
WHERE a.grantee = ANY (CAST(:grantees AS oid[]))
"""

_PARAMETERS = """
UNION ALL
SELECT 'parameter', a.privilege_type, a.grantee, p.parname
FROM pg_parameter_acl p CROSS JOIN LATERAL aclexplode(p.paracl) a
WHERE a.privilege_type = 'ALTER SYSTEM' AND a.grantee = ANY (CAST(:grantees AS oid[]))
"""

_LARGE_OBJECTS = """
SELECT 'large object' AS what, 'OWNER' AS privilege, l.lomowner AS grantee, l.oid::text AS name
FROM pg_largeobject_metadata l WHERE l.lomowner = ANY (CAST(:roles AS oid[]))
UNION ALL
SELECT 'large object', a.privilege_type, a.grantee, l.oid::text
FROM pg_largeobject_metadata l CROSS JOIN LATERAL aclexplode(l.lomacl) a
WHERE a.privilege_type = 'UPDATE' AND a.grantee = ANY (CAST(:grantees AS oid[]))
"""

_FOREIGN = """
SELECT 'foreign server' AS what, 'OWNER' AS privilege, s.srvowner AS grantee, quote_ident(s.srvname) AS name
FROM pg_foreign_server s WHERE s.srvowner = ANY (CAST(:roles AS oid[]))
UNION ALL
SELECT 'foreign server', a.privilege_type, a.grantee, quote_ident(s.srvname)
FROM pg_foreign_server s CROSS JOIN LATERAL aclexplode(s.srvacl) a
WHERE a.grantee = ANY (CAST(:grantees AS oid[])) AND (a.grantee = 0 OR s.srvowner <> ALL (CAST(:roles AS oid[])))
UNION ALL
SELECT 'foreign data wrapper', a.privilege_type, a.grantee, quote_ident(f.fdwname)
FROM pg_foreign_data_wrapper f CROSS JOIN LATERAL aclexplode(f.fdwacl) a
WHERE a.grantee = ANY (CAST(:grantees AS oid[])) AND (a.grantee = 0 OR f.fdwowner <> ALL (CAST(:roles AS oid[])))
"""

#: Functions of the server itself that reach outside the transaction; nobody but a superuser has them by default.
SERVER_FUNCTIONS = (
    "lo_import", "lo_export", "pg_read_file", "pg_read_binary_file", "pg_ls_dir", "pg_stat_file", "pg_file_write",
    "pg_file_rename", "pg_file_unlink", "pg_file_sync", "pg_reload_conf", "pg_rotate_logfile", "pg_promote",
    "pg_switch_wal", "pg_create_restore_point", "pg_backup_start", "pg_start_backup", "pg_stop_backup",
    "pg_backup_stop", "pg_wal_replay_pause", "pg_stat_reset", "pg_stat_reset_shared",
    "pg_replication_origin_create", "pg_replication_origin_drop",
)  # fmt: skip

#: Functions on large objects that write. Before PostgreSQL 16 they do so even in a read-only transaction.
WRITING_LARGE_OBJECTS = (
    "lo_creat", "lo_create", "lo_from_bytea", "lo_put", "lo_unlink", "lowrite", "lo_truncate", "lo_truncate64",
)  # fmt: skip

#: Extensions whose functions reach other servers or the server's own files, past the read-only transaction.
REACHING_EXTENSIONS = ("dblink", "adminpack", "http", "pg_net", "pg_cron", "plproxy", "oracle_fdw", "file_fdw")

_FUNCTIONS = rf"""
WITH f AS (
  SELECT p.oid, p.proname, p.proowner, p.prosecdef, p.proacl, p.pronamespace, n.nspname, {_SYSTEM} AS is_system,
         e.extname, format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)) AS name
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
       LEFT JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
  WHERE p.prosecdef OR p.proowner = ANY (CAST(:roles AS oid[])) OR p.proname = ANY (CAST(:server AS name[]))
     OR p.proname = ANY (CAST(:large AS name[])) OR e.extname = ANY (CAST(:reaching AS name[]))
), g AS (
  SELECT f.*, a.grantee FROM f
  CROSS JOIN LATERAL aclexplode(COALESCE(f.proacl, acldefault('f', f.proowner))) a
  WHERE a.grantee = ANY (CAST(:grantees AS oid[])) AND a.privilege_type = 'EXECUTE'
)
SELECT 'function' AS what, 'OWNER' AS privilege, f.proowner AS grantee, f.name AS name
FROM f WHERE NOT f.is_system AND f.proowner = ANY (CAST(:roles AS oid[]))
UNION ALL
SELECT CASE WHEN g.extname = ANY (CAST(:reaching AS name[])) THEN 'reaching function'
            WHEN g.nspname = 'pg_catalog' AND g.proname = ANY (CAST(:large AS name[])) THEN 'large object function'
            WHEN g.nspname = 'pg_catalog' AND g.proname = ANY (CAST(:server AS name[])) THEN 'server function'
            ELSE 'definer function' END,
       'EXECUTE', g.grantee, g.name
FROM g JOIN pg_proc p ON p.oid = g.oid
WHERE (g.extname = ANY (CAST(:reaching AS name[]))
    OR (g.nspname = 'pg_catalog'
        AND (g.proname = ANY (CAST(:server AS name[])) OR g.proname = ANY (CAST(:large AS name[]))))
    OR (p.prosecdef AND NOT g.is_system AND (g.grantee = 0 OR g.proowner <> ALL (CAST(:roles AS oid[])))
        AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)))
  AND (g.is_system OR EXISTS (SELECT FROM unnest(CAST(:roles AS oid[])) r
                              WHERE has_schema_privilege(r, g.pronamespace, 'USAGE')))
"""

#: Predefined roles that do more than read, and what they let their members do.
WRITING_ROLES = {
    "pg_write_all_data": "write every table",
    "pg_execute_server_program": "run programs on the server",
    "pg_write_server_files": "write files on the server",
    "pg_read_server_files": "read files on the server",
    "pg_signal_backend": "end other people's sessions",
    "pg_maintain": "lock and rebuild every table",
    "pg_checkpoint": "make the server write a checkpoint",
    "pg_create_subscription": "make the server copy from others",
    "pg_database_owner": "act as the database's owner",
}


def read_roles(query: Query, version: int) -> list[Role]:
    """The roles that this login can act as. Raises :class:`EngineError`."""
    become = "SET" if version >= 160_000 else "MEMBER"
    return [Role(*row) for row in query(_ROLES.format(become=become), {}).rows]


def read_rights(query: Query, user: str, version: int) -> Rights:
    """Everything that the login may do beyond reading, in six queries. Raises :class:`EngineError` when not even the
    roles can be read; areas that a server cannot be asked about stand in ``unanswered``."""
    rights = Rights(user, version, read_roles(query, version))
    names = {role.oid: role.name for role in rights.roles} | {0: ""}
    oids = [str(role.oid) for role in rights.roles]
    parameters = {
        "roles": "{" + ",".join(oids) + "}",
        "grantees": "{" + ",".join([*oids, "0"]) + "}",
        "server": "{" + ",".join(SERVER_FUNCTIONS) + "}",
        "large": "{" + ",".join(WRITING_LARGE_OBJECTS) + "}",
        "reaching": "{" + ",".join(REACHING_EXTENSIONS) + "}",
    }
    for area, parts in (
        ("tables", _RELATIONS),
        ("columns", _COLUMNS),
        ("places", _PLACES + (_PARAMETERS if version >= 150_000 else "")),
        ("functions", _FUNCTIONS),
        ("outside", _LARGE_OBJECTS + " UNION ALL " + _FOREIGN),
    ):
        try:
            rows = query(_GROUPED.format(parts=parts, all=_ALL, shown=SHOWN), parameters).rows
        except EngineError as error:
            if error.kind in ("lost", "cancelled", "timeout"):
                raise
            rights.unanswered[area] = error
            continue
        rights.grants += [Grant(w, p, names[g], total, tuple(found)) for w, p, g, total, found in rows]
    return rights
