"""A database's failures as what happened and what to do; the raw text stands under details.

``kind`` of the error says where it belongs: ``name``, ``tcp``, ``tls``, ``login``, ``database``, ``busy``, ``timeout``,
``lost``, ``cancelled``, ``rights``, ``data``, ``version``, ``pooler``, ``query``. Servers speak the language of
``lc_messages``: after a login there is an SQLSTATE to go by; before it there are only words, here the English and
German ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import psycopg

from footnote_desktop.erp.engine import EngineError
from footnote_desktop.erp.patience import Canceled, TooLong


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: str
    kind: str
    message: str
    advice: str


_UNENCRYPTED = _Rule(
    r"pg_hba\.conf.*(no encryption|keine Verschlüsselung|SSL off)",
    "login",
    "the server does not let this user in from this machine without encryption",
    "Set sslmode=require, or verify-full with a CA file. If that is refused as well, ask IT for a rule in pg_hba.conf.",
)

# In this order: the first that is found in the text counts.
_BEFORE_LOGIN = (
    _Rule(
        r"failed to resolve host|could not translate host name|Name or service not known|nodename nor servname",
        "name",
        "the server's name is not known on this network",
        "Check the spelling of the host. If the server is inside the company, connect to its network (VPN) first.",
    ),
    _Rule(
        r"server does not support SSL|Server unterstützt kein SSL",
        "tls",
        "the server offers no encryption, and the connection asks for it",
        "Ask IT to switch TLS on at the server. Only if they say that the way to it is safe, set sslmode=disable.",
    ),
    _Rule(
        r"root certificate file .* does not exist|could not read root certificate file|could not load root certificate",
        "tls",
        "the file with the certificate authority cannot be read",
        "Choose the CA file that IT gave you (sslrootcert), or put it where libpq looks: ~/.postgresql/root.crt.",
    ),
    _Rule(
        r"does not match host name|certificate .* host name",
        "tls",
        "the server's certificate is for another name",
        "Connect by the name that stands in the certificate, or ask IT for a certificate with this name. Do not lower"
        " sslmode without asking: this is also what an impostor looks like.",
    ),
    _Rule(
        r"certificate has expired",
        "tls",
        "the server's certificate has expired",
        "Ask IT to renew it.",
    ),
    _Rule(
        r"certificate verify failed|self[- ]signed certificate|unable to get (local )?issuer",
        "tls",
        "the server's certificate is not signed by a known authority",
        "Ask IT for the CA file and choose it as sslrootcert.",
    ),
    _Rule(
        r"certificate required|requires a valid client certificate|alert handshake failure|tlsv1[^ ]* alert",
        "tls",
        "the server wants a client certificate, or refused the one it was shown",
        "Ask IT for the certificate and its key, and name both (sslcert, sslkey).",
    ),
    _Rule(
        r"private key file|could not load private key|could not read certificate file|certificate present, but not",
        "tls",
        "the client certificate or its key cannot be used",
        "Check both files (sslcert, sslkey). Nobody but you may read the key: chmod 600.",
    ),
    _UNENCRYPTED,
    _Rule(
        r"pg_hba\.conf",
        "login",
        "the server has no rule that lets this user into this database from this machine",
        "Ask IT for a rule in pg_hba.conf for this user, database and machine; the details name them.",
    ),
    _Rule(
        r"password authentication failed|Passwort-Authentifizierung|password did not match|SASL authentication failed"
        r"|wrong password type",
        "login",
        "the database refused the user name or the password",
        "Check both with IT. Capitals count in both.",
    ),
    _Rule(
        r"no password supplied|password retrieved from file|empty password",
        "login",
        "the server wants a password, and there is none",
        "Give the password, or put it into pgpass.",
    ),
    _Rule(
        r"too many clients|too many connections|remaining connection slots|zu viele Verbindungen|no more connections"
        r"|restlichen Verbindungen|verbleibenden Verbindungen",
        "busy",
        "the server has no connection left for this user",
        "Try again in a minute. If it stays so, ask IT for a connection limit that leaves room.",
    ),
    _Rule(
        r"starting up|startet gerade|system startet|not yet accepting connections|recovery mode"
        r"|Wiederherstellungsmodus|shutting down|fährt herunter",
        "busy",
        "the server is starting up or shutting down",
        "Try again in a minute.",
    ),
    _Rule(
        r'database "[^"]*" does not exist|Datenbank »[^«]*« existiert nicht|no such database',
        "database",
        "the server has no database of that name",
        "Check the database name; capitals count.",
    ),
    _Rule(
        r'role "[^"]*" (does not exist|is not permitted to log in)|Rolle »[^«]*« existiert nicht|no such user'
        r"|darf nicht einloggen",
        "login",
        "the server knows no such user, or does not let it log in",
        "Check the user name with IT.",
    ),
    _Rule(
        r"permission denied for database|keine Berechtigung für Datenbank",
        "database",
        "the user may not connect to this database",
        "Ask IT for CONNECT on it.",
    ),
    _Rule(
        r"unsupported startup parameter",
        "pooler",
        "the pooler in front of the database does not take one of the connection's options",
        "Remove 'options' from the connection, or ask IT to list the option in ignore_startup_parameters.",
    ),
    _Rule(
        r"bouncer config error|server login (has been )?fail|query_wait_timeout|pgbouncer cannot connect",
        "pooler",
        "the pooler does not know this database, or cannot reach the server behind it",
        "Check the database name; capitals count. If it is right, ask IT to look at the pooler's log.",
    ),
    _Rule(
        r"unsupported frontend protocol|server version .* too old|requires PostgreSQL",
        "version",
        "the server is too old",
        "Footnote reads PostgreSQL 12 and later.",
    ),
    _Rule(
        r"session is (not )?read-only|not in hot standby mode|is in hot standby mode|session is not writable",
        "tcp",
        "none of the servers is of the kind that the connection asks for",
        "Check target_session_attrs, and whether the replica runs.",
    ),
    _Rule(
        r"Connection refused|0x0000274D|10061",
        "tcp",
        "the machine answers, but nothing listens on that port",
        "Check the port (PostgreSQL's own is 5432), and whether the server runs and listens on its network address.",
    ),
    _Rule(
        r"No such file or directory|accepting connections on that socket",
        "tcp",
        "there is no server's socket in that folder",
        "Check the folder and the port, and whether the server runs on this machine.",
    ),
    _Rule(
        r"timeout expired|timed out|Operation timed out",
        "timeout",
        "the server did not answer in time",
        "Check host and port. A firewall often drops connections silently: ask IT whether this machine may connect.",
    ),
    _Rule(
        r"No route to host|Network is unreachable|Host is down",
        "tcp",
        "there is no way to the server from this machine",
        "Check the network, and the VPN if the server is inside the company.",
    ),
    _Rule(
        r"received invalid response to SSL negotiation|expected authentication request|invalid response",
        "tcp",
        "what answers on that port is not a PostgreSQL server",
        "Check host and port.",
    ),
)

_BY_STATE = {
    "57014": EngineError(
        "the query took too long and the server stopped it",
        "Ask about one customer, or ask IT about an index.",
        kind="timeout",
    ),
    "55P03": EngineError("a table is locked by another program", "Try again in a minute.", kind="busy"),
    "28P01": EngineError(
        "the database refused the user name or the password", "Check both with IT. Capitals count.", kind="login"
    ),
    "28000": EngineError(
        "the database refused the user name or the password", "Check both with IT. Capitals count.", kind="login"
    ),
    "3D000": EngineError(
        "the server has no database of that name", "Check the database name; capitals count.", kind="database"
    ),
    "53300": EngineError(
        "the server has no connection left for this user",
        "Try again in a minute. If it stays so, ask IT for a connection limit that leaves room.",
        kind="busy",
    ),
    "57P03": EngineError("the server is starting up or shutting down", "Try again in a minute.", kind="busy"),
    "25006": EngineError(
        "a statement tried to write, and the read-only transaction refused it", "Report this.", kind="query"
    ),
}


def translate(error: psycopg.Error, sslmode: str = "") -> EngineError:
    """A driver's error as what happened and what to do. Never repeats connection strings. ``sslmode``: the one that
    was tried, when the error came from connecting."""
    raw = str(error).strip()
    first = raw.splitlines()[0] if raw else type(error).__name__
    state = error.sqlstate or ""
    if isinstance(error, Canceled):
        return EngineError("the wait for the server was cancelled", "Nothing was read.", raw, "cancelled")
    if isinstance(error, TooLong):
        return EngineError(
            "the server stopped answering",
            "The connection was given up; the next question connects again. If it happens again, ask IT.",
            raw,
            "lost",
        )
    if known := _BY_STATE.get(state):
        return EngineError(known.message, known.advice, raw, known.kind)
    if state == "42501":
        return EngineError(
            f"the database role may not read what is needed: {first}", "Ask IT for SELECT on it.", raw, "rights"
        )
    if state in ("22003", "22P02", "42883", "42P01", "42703"):
        return EngineError(
            f"the database has data or columns that do not fit: {first}", "Check the mapping.", raw, "data"
        )
    if not state and (rule := _rule(raw, sslmode)):
        return EngineError(rule.message, rule.advice, raw, rule.kind)
    if state.startswith(("57P", "08")) or isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return EngineError(
            f"the connection to the database failed: {first}",
            "Check that the server runs and can be reached; the next question connects again.",
            raw,
            "lost",
        )
    return EngineError(
        f"the database refused the query: {first}", "Check the mapping and the role's rights.", raw, "query"
    )


def _rule(text: str, sslmode: str) -> _Rule | None:
    # With several hosts the first line is the last attempt's; the others' words count only when it has none.
    for part in (text.partition("Multiple connection attempts failed")[0], text):
        for rule in _BEFORE_LOGIN:
            # prefer and stronger tried encryption first: that it is not there is then not what is missing.
            if rule is _UNENCRYPTED and sslmode not in ("", "disable", "allow"):
                continue
            if re.search(rule.pattern, part, re.IGNORECASE | re.DOTALL):
                return rule
    return None
