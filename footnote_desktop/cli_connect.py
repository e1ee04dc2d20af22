"""``footnote check`` and ``footnote profile``: a connection checked, and kept under a name. No password is an argument.

A password is asked for at a terminal, or read as one line from stdin; it goes to the keyring or nowhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from footnote_desktop.settings import Profile, SettingsError

YES, NO = 0, 1


def password_from_person(prompt: str) -> str | None:
    """What a person types without seeing it, or one line of stdin where that is no terminal; None for nothing."""
    if sys.stdin is None or sys.stdin.closed:
        return None
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass(prompt) or None
    return sys.stdin.readline().rstrip("\r\n") or None


def ask_where_wanted(profile: Profile) -> None:
    """Ask for the password of a profile that says so, at a terminal; elsewhere the connection says what is missing."""
    if profile.saved and profile.password_from == "ask" and sys.stdin is not None and sys.stdin.isatty():
        from footnote_desktop.secrets import keep_for_session

        if (password := password_from_person(f"Password of the profile {profile.name}: ")) is not None:
            keep_for_session(profile.name, password)


def check(args: argparse.Namespace, profile: Profile) -> int:
    """Run the read-only check of the profile, or of the URL given; 0 when the connection can be used, 1 when not."""
    from footnote_desktop.catalog.connecting import check_profile
    from footnote_desktop.erp.report import CheckItem

    as_json = getattr(args, "json", False)
    if args.url is None:
        ask_where_wanted(profile)

    def progress(item: CheckItem) -> None:
        if item.name == item.stage and sys.stderr.isatty() and not as_json:
            print(f"{item.stage}: {item.state}", file=sys.stderr, flush=True)

    interrupted = threading.Event()
    report = check_profile(profile, url=args.url, progress=progress, cancel=interrupted.is_set)
    if as_json:
        _print_json(report.to_json())
    else:
        print(report.to_text())
        if report.role_sql and not report.ok:
            print(f"\nFor the database's administrator:\n\n{report.role_sql}")
    return YES if report.ok else NO


# -- profiles ------------------------------------------------------------------------------------------------------


def add_parsers(command: Callable[..., argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    """Give ``footnote profile`` its subcommands."""
    top = command("profile", _no_subcommand, "list, show, add or remove saved profiles")
    commands = top.add_subparsers(metavar="WHAT", title="what to do", parser_class=type(top))

    def sub(name: str, run: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, parents=[common], help=summary, description=f"{summary.capitalize()}.")
        parser.set_defaults(run=run)
        return parser

    sub("list", _list, "list the saved profiles")
    show = sub("show", _show, "show a profile; it holds no password")
    show.add_argument("name", metavar="NAME")
    add = sub("add", _add, "save a connection; its password is asked for, or read from stdin")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--url", required=True, metavar="URL", help="postgresql://USER@HOST:PORT/DATABASE, or key=value")
    add.add_argument(
        "--password-from",
        choices=("keyring", "libpq", "ask"),
        help="where the password comes from: the keyring (default when one is given), libpq's own ways such as pgpass"
        " (default when none is), or asked for each time",
    )
    add.add_argument("--mapping", metavar="NAME", help="the ERP mapping (else recognised by its tables)")
    add.add_argument("--ssh", metavar="SERVER", help="the server of an SSH tunnel")
    add.add_argument("--documents", metavar="FOLDER", help="the folder of documents")
    add.add_argument("--as-of-rule", choices=("today", "period_end"), default="today", help="the as-of date")
    remove = sub("remove", _remove, "forget a profile and its password; its log stays")
    remove.add_argument("name", metavar="NAME")


def _no_subcommand(args: argparse.Namespace) -> int:
    raise SettingsError("say what to do: footnote profile list, show NAME, add NAME --url URL, or remove NAME")


def _list(args: argparse.Namespace) -> int:
    from footnote_desktop.settings import load_profile, profile_names

    listed: list[dict[str, Any]] = []
    for name in profile_names():
        try:
            listed.append(described(load_profile(name)))
        except SettingsError as error:  # one file that cannot be read hides no other
            listed.append({"name": name, "error": str(error)})
    if getattr(args, "json", False):
        _print_json({"profiles": listed})
        return YES
    for entry in listed:
        if "error" in entry:
            print(f"{entry['name']}\n    cannot be used: {entry['error']}")
        else:
            print(f"{entry['name']}\n    {_place(entry)}\n    {entry['reconciliation'] or 'tied out to the ledger'}")
    if not listed:
        print("No profile is saved yet: footnote profile add NAME --url URL", file=sys.stderr)
    return YES


def _show(args: argparse.Namespace) -> int:
    from footnote_desktop.settings import load_profile

    entry = described(load_profile(args.name))
    if getattr(args, "json", False):
        _print_json({"profile": entry})
        return YES
    for key, value in entry.items():
        shown = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, Mapping) else value
        print(f"{key:15} {'–' if shown is None else shown}")
    return YES


def _add(args: argparse.Namespace) -> int:
    from footnote_desktop.catalog.connecting import add_profile
    from footnote_desktop.settings import default_log, edit_profile, new_profile, parse_date, profile_file

    if (taken := profile_file(args.name)).exists():  # before anyone types a password for it
        raise SettingsError(f"there is a profile {taken.stem!r} already; choose another name")
    profile, password = new_profile(args.name, args.url)
    if password is not None:
        print("The URL held a password, which other programs may have seen; better leave it out.", file=sys.stderr)
    on_a_server = "file" not in _connection(profile)
    if password is None and on_a_server and args.password_from not in ("libpq", "ask"):
        password = password_from_person(f"Password for {args.name} (empty: pgpass or none): ")
    source = args.password_from or ("keyring" if password is not None else "libpq")
    if source == "keyring" and password is None:
        raise SettingsError("no password was given for the keyring; give it at the prompt, or as a line on stdin")
    if source == "ask":
        password = None  # it would be forgotten with this process
    as_of = getattr(args, "as_of", None)
    changes: dict[str, Any] = {
        "password_from": source,
        "log": getattr(args, "log", None) or default_log(profile.name),
        "locale": getattr(args, "locale", None) or profile.locale,
        "company": getattr(args, "company", None),
        "mapping": args.mapping,
        "ssh": args.ssh,
        "documents": args.documents,
        "as_of_rule": args.as_of_rule,
    }
    if as_of:
        changes |= {"as_of": parse_date(as_of, "--as-of"), "as_of_source": "the profile", "as_of_rule": "fixed"}
    profile = edit_profile(profile, **changes)
    file = add_profile(profile, password)
    if getattr(args, "json", False):
        _print_json({"profile": described(profile)})
    else:
        print(f"The profile {profile.name} is saved in {file}")
    print(f"Nothing was connected to yet: footnote check --profile '{profile.name}'", file=sys.stderr)
    return YES


def _remove(args: argparse.Namespace) -> int:
    from footnote_desktop.catalog.connecting import delete_profile

    profile = delete_profile(args.name)
    if getattr(args, "json", False):
        _print_json({"removed": profile.name, "log": profile.log})
    else:
        print(f"The profile {profile.name} is removed. Its log stays: {profile.log}")
    return YES


def described(profile: Profile) -> dict[str, Any]:
    """A profile as JSON, for people and programs; it holds no password."""
    from footnote_desktop.settings import profile_file

    def confirmed(found: Any) -> dict[str, Any] | None:
        if found is None:
            return None
        as_of = found.as_of.isoformat() if found.as_of else None
        return {"by": found.by, "at": found.at, "reason": found.reason, "record": found.record, "asOf": as_of}

    return {
        "name": profile.name,
        "file": str(profile_file(profile.name)),
        "connection": _connection(profile),
        "passwordFrom": profile.password_from,
        "ssh": profile.ssh,
        "mapping": profile.mapping,
        "company": profile.company,
        "locale": profile.locale,
        "asOf": {
            "rule": "fixed" if profile.as_of else profile.as_of_rule,
            "date": profile.as_of_today()[0].isoformat(),
        },
        "actor": profile.actor_label,
        "role": profile.role,
        "log": profile.log,
        "documents": profile.documents,
        "reconciliation": profile.reconciliation,
        "tieOut": confirmed(profile.tie_out),
        "writerOverride": confirmed(profile.writer_override),
    }


def _connection(profile: Profile) -> dict[str, str]:
    from footnote_desktop.settings.connection import split_password

    if profile.database_url is None:
        return {"sample": profile.sample or "sample"}
    return split_password(profile.database_url)[0]


def _place(entry: Mapping[str, Any]) -> str:
    fields = entry["connection"]
    if "dbname" not in fields and "host" not in fields:
        return ", ".join(f"{key} {value}" for key, value in fields.items())
    user, host = fields.get("user", "?"), fields.get("host", "this machine")
    return f"{fields.get('dbname', '?')} on {host} as {user}"


def _print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))
