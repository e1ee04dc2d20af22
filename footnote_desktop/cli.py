"""The command ``footnote``: thin subcommands over the desk and the log.

Exit codes: 0 yes, intact, answered; 1 no: refused, broken; 2 could not run. ``--json`` prints one JSON document on
stdout and nothing else there; progress and remarks go to stderr. Each subcommand imports what it needs and no more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from footnote_desktop.answers.desk import Desk, Reply
    from footnote_desktop.provenance.log import Log
    from footnote_desktop.settings import Profile

YES, NO, COULD_NOT = 0, 1, 2
INTERRUPTED = 130

#: With more records than this the log is not verified after each answer, only on request.
VERIFY_ALONG = 2_000
#: The longest question read from stdin, in characters; longer ones are refused anyway.
MAX_STDIN = 1_000_000


class CliError(Exception):
    """The command could not run: why, and what to do."""

    def __init__(self, message: str, advice: str = "", document: dict[str, Any] | None = None):
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.document = document or {}  #: what --json prints beside the error


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise CliError(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    _speak_utf8()
    given = [_as_utf8(text) for text in (sys.argv[1:] if argv is None else argv)]
    as_json = "--json" in given
    try:
        args = _parser().parse_args(given)
        if not hasattr(args, "run"):
            raise CliError("No command was given.", "See: footnote --help")
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read has read enough
        return 141
    except Exception as error:
        return _could_not(error, as_json)


def _could_not(error: Exception, as_json: bool) -> int:
    """Say why the command could not run; a fault of our own with its trace. No password is ever shown."""
    from footnote_desktop.provenance.errors import redact
    from footnote_desktop.settings import SettingsError

    more: dict[str, Any] = {}
    if isinstance(error, CliError):
        message, advice, more = error.message, error.advice, error.document
    elif hasattr(error, "message") and hasattr(error, "advice"):  # of the log, or of the database
        message, advice = str(error.message), str(error.advice)
    elif isinstance(error, SettingsError):
        message, advice = f"{str(error)[0].upper()}{str(error)[1:]}.", "Correct the setting and run the command again."
    else:
        import traceback

        print(redact(traceback.format_exc()), file=sys.stderr)
        message, advice = f"A fault of Footnote itself: {error!r}", "Please report it with the lines above."
    message, advice = redact(message), redact(advice)
    if as_json:
        _print_json({**more, "error": {"message": message, "advice": advice}})
    print(f"footnote: {message}" + (f"\n{advice}" if advice else ""), file=sys.stderr)
    return COULD_NOT


def _speak_utf8() -> None:
    """Names and amounts hold more than a console's code page; nothing that is printed may fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _as_utf8(text: str) -> str:
    """An argument that the locale's encoding could not read, read as UTF-8."""
    if not any("\udc80" <= c <= "\udcff" for c in text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


# -- the command line ----------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    # The common options may stand before or after the command; SUPPRESS keeps the one from undoing the other.
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("common options")
    group.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    group.add_argument(
        "--profile",
        metavar="NAME",
        help="a saved profile; or sample, tricky (difficult cases), environment (DATABASE_URL)",
    )
    group.add_argument("--tricky", action="store_true", help="the same as --profile tricky")
    group.add_argument("--log", metavar="PATH", help="the provenance log (else PROVENANCE_DB, else the profile's)")
    group.add_argument("--as-of", metavar="YYYY-MM-DD", help="the day for which figures hold (else AS_OF_DATE)")
    group.add_argument("--company", metavar="NAME", help="the company to read (else FOOTNOTE_COMPANY)")
    group.add_argument("--locale", metavar="LOCALE", help="how amounts and dates are written, such as de_DE")

    parser = _Parser(
        prog="footnote",
        parents=[common],
        description="Answers over an ERP's receivables in which every figure opens down to the rows behind it.",
    )
    from footnote_desktop import __version__

    parser.add_argument("--version", action="version", version=f"footnote {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name, parents=[common], help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        sub.set_defaults(run=run)
        return sub

    ask = command("ask", _ask, "ask a question in English or German")
    ask.add_argument("question", nargs="+", metavar="QUESTION", help="the question; - reads it from stdin")
    call = command("call", _call, "run one operation, as a model would through MCP")
    call.add_argument("operation", metavar="OPERATION", help="its name; `footnote operations` lists them")
    call.add_argument("--args", metavar="JSON", default="{}", help="its arguments, a JSON object")
    command("operations", _operations, "list the operations of the catalog")
    command("serve", _serve, "serve MCP over stdio")
    verify = command("verify", _verify, "verify a log or an export; creates nothing")
    verify.add_argument("file", nargs="?", metavar="FILE", help="the log or export (else the profile's log)")
    export = command("export", _export, "hand over records of the log as a file")
    export.add_argument(
        "selection", nargs="*", metavar="SELECTION", help="sequences (7), ranges (3-9) or ids; else all"
    )
    export.add_argument("--to", required=True, metavar="FILE", help=".json, .jsonl, .csv, or .sqlite3 for the peer")
    records = command("records", _records, "list records of the log, newest first")
    records.add_argument("--search", metavar="TEXT", help="only records in which these words occur")
    records.add_argument("--limit", metavar="N", type=_positive, default=50, help="at most so many (50)")
    check = command("check", _check, "check a connection: what it can and cannot touch; writes nothing")
    check.add_argument("url", nargs="?", metavar="URL", help="the database (else the profile's)")
    from footnote_desktop import cli_clients, cli_connect, cli_documents

    cli_connect.add_parsers(command, common)
    cli_clients.add_parser(command)
    cli_documents.add_parsers(command, common, _profile)
    desktop = command("desktop", _desktop, "open the application")
    desktop.add_argument("link", nargs="?", metavar="LINK", help="a record to open")
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _profile(args: argparse.Namespace) -> Profile:
    """The profile that the options and the environment name. Raises :class:`CliError`, ``SettingsError``."""
    from footnote_desktop.settings import from_environment, load_profile, override, with_environment

    name = getattr(args, "profile", None) or ("tricky" if getattr(args, "tricky", False) else None)
    environ: dict[str, str] = dict(os.environ)
    if name in ("sample", "tricky"):
        environ.pop("DATABASE_URL", None)
        profile = from_environment(environ, sample=name)
    elif name in (None, "environment"):
        profile = from_environment(environ)
        if name and profile.database_url is None:
            raise CliError(
                "The profile environment needs DATABASE_URL, which is not set.", "Set it, or leave --profile."
            )
    else:
        profile = with_environment(load_profile(name), environ)
    return override(
        profile,
        log=getattr(args, "log", None),
        as_of=getattr(args, "as_of", None),
        company=getattr(args, "company", None),
        locale=getattr(args, "locale", None),
    )


def _open_desk(args: argparse.Namespace) -> Desk:
    from footnote_desktop.answers.desk import open_desk
    from footnote_desktop.figures.money import formatter

    profile = _profile(args)
    try:
        formatter(profile.locale)
    except ValueError as error:
        raise CliError(f"{str(error)[0].upper()}{str(error)[1:]}.", "Set --locale or FOOTNOTE_LOCALE.") from None
    if profile.sample:
        kind = "the sample ERP" if profile.sample == "sample" else f"the sample ERP with {profile.sample} cases"
        print(f"This is {kind}: its figures belong to no real company. DATABASE_URL names a real one.", file=sys.stderr)
    from footnote_desktop.cli_connect import ask_where_wanted

    ask_where_wanted(profile)
    return open_desk(profile)


# -- asking --------------------------------------------------------------------------------------------------------


def _client() -> dict[str, Any]:
    from footnote_desktop import __version__

    return {"name": "footnote", "version": __version__, "transport": "cli"}


def _ask(args: argparse.Namespace) -> int:
    question = " ".join(args.question)
    if question == "-":
        question = sys.stdin.read(MAX_STDIN).strip()
    with _open_desk(args) as desk:
        reply = desk.ask(question, client=_client())
        return _show(args, desk, reply, reply.to_ask_json())


def _call(args: argparse.Namespace) -> int:
    try:
        arguments = json.loads(args.args, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise CliError(f"--args is not JSON: {error}.", """Write it like --args '{"customer": "Bergmann"}'""") from None
    if not isinstance(arguments, dict):
        raise CliError("--args is not a JSON object.", """Write it like --args '{"customer": "Bergmann"}'""")
    with _open_desk(args) as desk:
        reply = desk.call(args.operation, arguments, client=_client())
        return _show(args, desk, reply, reply.to_call_json())


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _show(args: argparse.Namespace, desk: Desk, reply: Reply, document: dict[str, Any]) -> int:
    if reply.kind == "unavailable":
        raise CliError(reply.reason or "The database does not answer.", "Then run the command again.", document)
    if getattr(args, "json", False):
        _print_json(document)
    else:
        from footnote_desktop.answers.printed import COLOURS, Style, printed
        from footnote_desktop.figures.money import formatter

        chain, unchanged = _chain(desk.log)
        style = COLOURS if _colours() else Style()
        print(printed(reply, formatter(desk.profile.locale), style, chain))
        if not unchanged:
            print(f"footnote: {chain}", file=sys.stderr)
    return NO if reply.refused else YES


def _chain(log: Log) -> tuple[str, bool]:
    """What is known of the log as a whole, in words; claimed only where it was checked just now."""
    count = log.count()
    if count > VERIFY_ALONG:
        return f"chain of {count:,} records, not checked now (footnote verify)", True
    from footnote_desktop.provenance.verify import verify

    verdict = verify(log, _Progress("verifying the log"))
    if verdict.ok:
        return (
            f"chain of {verdict.count:,} {'record' if verdict.count == 1 else 'records'} unchanged since recorded",
            True,
        )
    return f"THE LOG IS NOT AS IT WAS RECORDED ({verdict.state}): {verdict.reason}", False


def _operations(args: argparse.Namespace) -> int:
    from footnote_desktop.catalog.registry import OPERATIONS

    if getattr(args, "json", False):
        _print_json(
            {
                "operations": [
                    {
                        "name": op.name,
                        "title": op.title,
                        "description": op.description,
                        "inputSchema": op.arguments.model_json_schema(),
                        "outputSchema": op.result.model_json_schema(mode="serialization"),
                    }
                    for op in OPERATIONS.values()
                ]
            }
        )
        return YES
    for op in OPERATIONS.values():
        takes = ", ".join(
            name if field.is_required() else f"[{name}]" for name, field in op.arguments.model_fields.items()
        )
        print(f"{op.name}({takes})\n    {op.title}")
    return YES


# -- connecting ----------------------------------------------------------------------------------------------------


def _check(args: argparse.Namespace) -> int:
    from footnote_desktop.cli_connect import check

    return check(args, _profile(args))


# -- serving, and the application ----------------------------------------------------------------------------------


def _serve(args: argparse.Namespace) -> int:
    profile = _profile(args)
    from footnote_desktop.server.stdio import serve_stdio

    return serve_stdio(profile)


def _desktop(args: argparse.Namespace) -> int:
    profile = _profile(args)
    try:
        from footnote_desktop.desktop.app import run
    except ImportError as error:
        raise CliError(
            f"The application cannot start here: {error}.",
            "It needs PySide6 and a display; everything else works without.",
        ) from error
    return run(profile, args.link)


# -- the log -------------------------------------------------------------------------------------------------------


def _verify(args: argparse.Namespace) -> int:
    from footnote_desktop.provenance.verify import verify

    verdict = verify(args.file or _profile(args).log, _Progress("verified"))
    if verdict.state == "missing":
        raise CliError(verdict.reason, verdict.advice, verdict.to_json())
    if getattr(args, "json", False):
        _print_json(verdict.to_json())
    elif verdict.ok:
        print(verdict.reason)
    else:
        print(f"Not as it was recorded ({verdict.state}). {verdict.reason}\n{verdict.advice}".rstrip())
    return YES if verdict.ok else NO


def _open_log(args: argparse.Namespace) -> Log:
    from footnote_desktop.provenance.store import open_log

    return open_log(_profile(args).log, create=False, read_only=True)


def _export(args: argparse.Namespace) -> int:
    from footnote_desktop.provenance.export import export_file

    chosen = [key for part in args.selection for key in _selected(part)] or None
    with _open_log(args) as log:
        manifest = export_file(log, args.to, chosen=chosen, progress=_Progress("exported"))
    if getattr(args, "json", False):
        _print_json(manifest)
    else:
        count = manifest["records"]
        print(f"{count:,} {'record' if count == 1 else 'records'} exported to {manifest['file']}")
        print(f"SHA-256 of the file {manifest['sha256']}")
    return YES


def _selected(part: str) -> list[int | str]:
    """Sequences, ranges and ids of a selection: ``7``, ``3-9``, ``7,9``, a record's id."""
    keys: list[int | str] = []
    for piece in part.split(","):
        first, dash, last = piece.partition("-")
        if piece.isascii() and piece.isdigit() and len(piece) < 16:
            keys.append(int(piece))
        elif dash and all(p.isascii() and p.isdigit() and len(p) < 8 for p in (first, last)):
            if int(first) > int(last):
                raise CliError(f"The range {piece} runs backwards.", "Write the smaller number first.")
            keys.extend(range(int(first), int(last) + 1))
        elif piece:
            keys.append(piece)
    return keys


def _records(args: argparse.Namespace) -> int:
    with _open_log(args) as log:
        records = log.records(search=args.search, limit=args.limit)
    if getattr(args, "json", False):
        _print_json({"records": [record.to_json() for record in records]})
        return YES
    from footnote_desktop.answers.words import visible

    for record in records:
        answer = record.answer.split("\n", 1)[0]
        print(f"{record.sequence:>6}  {record.timestamp}  {visible(record.question)[:100]}")
        print(f"        {visible(answer)[:160]}")
    if not records:
        print("No record.", file=sys.stderr)
    return YES


# -- output --------------------------------------------------------------------------------------------------------


def _print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))


def _colours() -> bool:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or "WT_SESSION" in os.environ  # the old console shows the codes


class _Progress:
    """Says on stderr how far a long piece of work is: after a second, then once a second."""

    def __init__(self, what: str):
        self._what = what
        self._next = time.monotonic() + 1

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 1
            of = f" of {total:,}" if total else ""
            print(f"{self._what}: {done:,}{of} records", file=sys.stderr, flush=True)
