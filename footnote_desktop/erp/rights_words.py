"""What a role's rights mean, in sentences: one report item for each area, and whether the role may be used."""

from __future__ import annotations

from collections.abc import Iterable

from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.report import CheckItem, State
from footnote_desktop.erp.rights import WRITING_ROLES, Grant, Query, Rights, read_rights

_RUN_SQL = "Let IT run the SQL below; it makes a role that can only read."

#: Area → what of, which query answers it.
_AREAS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("role: ownership", ("owner",), "tables"),
    ("role: tables", ("table",), "tables"),
    ("role: columns", ("column",), "columns"),
    ("role: sequences", ("sequence",), "tables"),
    ("role: creating", ("schema", "database", "tablespace", "parameter"), "places"),
    ("role: temporary tables", ("temporary",), "places"),
    ("role: functions", ("definer function",), "functions"),
    ("role: server functions", ("server function",), "functions"),
    ("role: large objects", ("large object", "large object function"), "outside"),
    ("role: other servers", ("reaching function", "foreign server", "foreign data wrapper"), "outside"),
)

_FINE = {
    "role: ownership": "It owns no table, sequence, function, schema or database.",
    "role: tables": "It may change no table.",
    "role: columns": "It may change no column.",
    "role: sequences": "It may advance no sequence.",
    "role: creating": "It may create nothing in a schema, the database or a tablespace, and change no server setting.",
    "role: temporary tables": "It may not create temporary tables.",
    "role: functions": "It may call no function that acts with its owner's rights.",
    "role: server functions": "It may call none of the server's functions that write, or read the server's files.",
    "role: large objects": "It may change no large object.",
    "role: other servers": "It may use no foreign server and no extension that reaches other servers.",
}


def role_items(rights: Rights) -> list[CheckItem]:
    """One item for each area, and the conclusion, named ``role``, at the end."""
    items = [_attributes(rights), _memberships(rights), *(_area(rights, *area) for area in _AREAS)]
    bad = [item for item in items if item.state == "fail"]
    unknown = [item for item in items if item.state == "unchecked"]
    if rights.superuser:
        bad = bad[:1]
    if bad:
        items.append(
            _item(
                "role",
                "fail",
                f"The role {rights.user} can do more than read, so it is refused: "
                + "; ".join(_first_sentence(item.sentence) for item in bad[:4])
                + ".",
                _RUN_SQL,
            )
        )
    elif unknown:
        items.append(
            _item(
                "role",
                "unchecked",
                f"It could not be shown that the role {rights.user} can only read: this server cannot be asked.",
                "Ask IT to confirm in writing that the role can only read.",
            )
        )
    else:
        items.append(_item("role", "pass", f"The role {rights.user} can read, and nothing else that touches data."))
    return items


def refuse_writers(query: Query) -> None:
    """Raises :class:`EngineError` (kind ``writer``) when the session's role can do more than read, or when that cannot
    be shown. This is the one gate that every saved profile passes."""
    row = query("SELECT session_user::text, current_setting('server_version_num')::int", {}).rows[0]
    items = role_items(read_rights(query, row[0], row[1]))
    conclusion = items[-1]
    if conclusion.state != "pass":
        raise EngineError(
            conclusion.sentence.rstrip("."),
            "Run the check and give IT the SQL it shows; or record in the profile why this role is used all the same.",
            details="\n".join(f"{i.name}: {i.sentence}" for i in items if i.state in ("fail", "unchecked")),
            kind="writer",
        )


def _attributes(rights: Rights) -> CheckItem:
    found: list[str] = []
    state: State = "pass"
    for role in rights.roles:
        # Attributes are not inherited; SET ROLE takes them on.
        if not (role.is_login or role.settable):
            continue
        words = [
            word
            for word, has in (
                ("SUPERUSER", role.superuser),
                ("CREATEDB", role.createdb),
                ("CREATEROLE", role.createrole),
                ("REPLICATION", role.replication),
                ("BYPASSRLS", role.bypassrls),
            )
            if has
        ]
        if words:
            found.append(f"{role.name} has {', '.join(words)}" + ("" if role.is_login else " (by SET ROLE)"))
            if words != ["BYPASSRLS"]:
                state = "fail"
            elif state == "pass":
                state = "warn"
    if not found:
        return _item("role: attributes", "pass", "No SUPERUSER, CREATEDB, CREATEROLE, REPLICATION or BYPASSRLS.")
    advice = (
        _RUN_SQL if state == "fail" else "It sees rows that policies hide from others; it can change none. IT may know."
    )
    return _item("role: attributes", state, f"The role is more than a reader: {'; '.join(found)}.", advice)


def _memberships(rights: Rights) -> CheckItem:
    others = [role for role in rights.roles if not role.is_login]
    writing = [f"{role.name} ({WRITING_ROLES[role.name]})" for role in others if role.name in WRITING_ROLES]
    if writing:
        return _item("role: memberships", "fail", f"It is a member of {', '.join(writing)}.", _RUN_SQL)
    if others:
        listed = ", ".join(
            role.name + ("" if role.inherited else " (by SET ROLE)" if role.settable else " (it may admit itself)")
            for role in others[:8]
        )
        return _item(
            "role: memberships", "pass", f"It is a member of {listed}; what those may do is counted as its own."
        )
    return _item("role: memberships", "pass", "It is a member of no other role.")


def _area(rights: Rights, name: str, whats: tuple[str, ...], answered_by: str) -> CheckItem:
    if rights.superuser:
        return _item(name, "fail", "As a superuser it may do everything.", _RUN_SQL)
    if error := rights.unanswered.get(answered_by):
        return _item(
            name, "unchecked", f"This server cannot be asked about it: {error.message}.", error.advice, error.details
        )
    grants = [grant for grant in rights.grants if _belongs(grant, whats)]
    if name == "role: large objects":
        return _large_objects(rights, name, grants)
    if not grants:
        return _item(name, "pass", _FINE[name])
    sentence = f"It may {'; '.join(_sentence(grant) for grant in _together(grants))}."
    if name == "role: temporary tables":
        return _item(
            name,
            "warn",
            "It may create temporary tables of its own, as everyone may by default; they touch no data and vanish.",
            "The SQL below takes this away too.",
        )
    if all(g.what in ("foreign server", "foreign data wrapper") and g.privilege == "USAGE" for g in grants):
        return _item(name, "warn", sentence, "Ask IT whether this role needs other servers; Footnote does not.")
    return _item(name, "fail", sentence, _RUN_SQL)


def _belongs(grant: Grant, whats: tuple[str, ...]) -> bool:
    if whats == ("owner",):
        return grant.privilege == "OWNER" and grant.what != "large object"
    if grant.privilege == "OWNER" and grant.what != "large object":
        return False
    if grant.privilege == "TEMPORARY":
        return "temporary" in whats
    return grant.what in whats


def _large_objects(rights: Rights, name: str, grants: list[Grant]) -> CheckItem:
    objects = [grant for grant in grants if grant.what == "large object"]
    if objects:
        return _item(name, "fail", f"It may {'; '.join(_sentence(g) for g in _together(objects))}.", _RUN_SQL)
    if grants and rights.version < 160_000:
        return _item(
            name,
            "warn",
            "It may create large objects of its own, as everyone may by default before PostgreSQL 16, even in a"
            " read-only transaction. Footnote never does.",
            "The SQL below takes this away too.",
        )
    return _item(name, "pass", _FINE[name])


def _together(grants: Iterable[Grant]) -> list[tuple[list[str], Grant]]:
    """Grants on the same things to the same grantee as one."""
    merged: dict[tuple[str, str, int, tuple[str, ...]], list[str]] = {}
    first: dict[tuple[str, str, int, tuple[str, ...]], Grant] = {}
    for grant in grants:
        key = (grant.what, grant.grantee, grant.total, grant.names[:3])
        merged.setdefault(key, []).append(grant.privilege)
        first.setdefault(key, grant)
    return [(sorted(merged[key]), first[key]) for key in merged]


def _sentence(pair: tuple[list[str], Grant]) -> str:
    privileges, grant = pair
    listed = ", ".join(" ".join(name.split("\n")) for name in grant.names[:3]) + (" …" if grant.total > 3 else "")
    things = f"{grant.total} {grant.what}s" if grant.total != 1 else f"the {grant.what}"
    through = f"as {grant.grantee}" if grant.grantee else "as everyone (PUBLIC)"
    if privileges == ["OWNER"]:
        return f"do anything with {things} {listed}, {through}, the owner"
    return f"{', '.join(privileges)} on {things} {listed}, {through}"


def _first_sentence(sentence: str) -> str:
    text = sentence.rstrip(".")
    return text if len(text) <= 160 else text[:160] + " …"


def _item(name: str, state: State, sentence: str, advice: str = "", details: str = "") -> CheckItem:
    return CheckItem(name, state, sentence, advice, stage="role", details=details)
