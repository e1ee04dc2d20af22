"""``footnote connect``: our entry in a client's configuration, shown, written, taken out again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnote_desktop.clients import Client, Place

YES = 0
#: As in footnote_desktop.clients, which no other command has to import.
NAMES = (
    "claude-desktop",
    "claude-code",
    "cursor",
    "vscode",
    "windsurf",
    "zed",
    "lm-studio",
    "gemini-cli",
    "codex",
    "cline",
)


def add_parser(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Give ``footnote`` the command."""
    parser = command("connect", _connect, "let an AI client start Footnote: write its configuration, or undo that")
    parser.add_argument("client", metavar="CLIENT", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument("--config", metavar="PATH", help="the client's file (else where the client is found)")
    parser.add_argument("--dry-run", action="store_true", help="show the change and write nothing")
    parser.add_argument("--remove", action="store_true", help="take our entry out again")


def _connect(args: argparse.Namespace) -> int:
    from footnote_desktop.clients import CLIENTS, apply, entry, places, plan_connect, plan_remove

    client = CLIENTS[args.client]
    as_json = getattr(args, "json", False)
    found = places(client)
    path = Path(args.config) if args.config else _chosen(client, found, args.remove, as_json)
    if args.remove:
        plan = plan_remove(client, path)
    else:
        plan = plan_connect(client, path, entry(client, _profile_name(args)))
    backup = None if args.dry_run else apply(plan)
    document = {
        "client": client.key,
        "path": str(plan.path),
        "changed": plan.changed,
        "written": plan.changed and not args.dry_run,
        "diff": plan.diff,
        "backup": None if backup is None else str(backup),
        "notes": list(plan.notes),
        "restart": client.restart,
        "locations": [place.to_json() for place in found],
    }
    if as_json:
        print(json.dumps(document, ensure_ascii=False, indent=2))
        return YES
    if not args.config and not any(place.installed for place in found):
        print(f"No sign of {client.title} was found on this computer.", file=sys.stderr)
    print(plan.diff, end="")
    for note in plan.notes:
        print(note)
    if not plan.changed:
        print(f"Nothing to change in {plan.path}")
    elif args.dry_run:
        print(f"Nothing was written. Without --dry-run this goes into {plan.path}")
    else:
        print(f"Written: {plan.path}" if plan.after is not None else f"Deleted: {plan.path}")
        if backup is not None:
            print(f"As it was before: {backup}")
        print(client.restart)
    return YES


def _chosen(client: Client, found: list[Place], remove: bool, as_json: bool) -> Path:
    """The file that is meant; a person at a terminal is asked where it is not clear."""
    from footnote_desktop.clients import ClientError, choose

    try:
        return choose(client, found).path
    except ClientError as error:
        options = [place for place in found if place.installed and not place.project]
        if as_json or not options or not sys.stdin.isatty():
            raise
        print(error.message, file=sys.stderr)
        verb = "Take it out of" if remove else "Write"
        print(f"{verb} which one, 1 to {len(options)}? ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:3]) <= len(options):
            return options[int(answer) - 1].path
        raise


def _profile_name(args: argparse.Namespace) -> str:
    """The profile the entry will name. It must be one that the client's own start finds, without a terminal."""
    from footnote_desktop.clients import ClientError
    from footnote_desktop.settings import load_profile

    for option in ("log", "as_of", "company", "locale"):
        if getattr(args, option, None) is not None:
            shown = option.replace("_", "-")
            raise ClientError(
                f"--{shown} does not go into a client's configuration.", "Save it in a profile, and name that."
            )
    name = getattr(args, "profile", None) or ("tricky" if getattr(args, "tricky", False) else None)
    if name is None:
        print("No --profile is named, so the client gets the sample ERP.", file=sys.stderr)
        return "sample"
    if name in ("sample", "tricky"):
        return str(name)
    if name == "environment":
        raise ClientError(
            "A client does not pass DATABASE_URL on, and its configuration must not hold it.",
            "Save the connection first: footnote profile add NAME --url URL",
        )
    profile = load_profile(name)
    if profile.password_from == "ask":
        print("This profile asks for its password at a terminal, and a client has none.", file=sys.stderr)
    return profile.name
