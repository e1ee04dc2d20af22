"""``footnote documents`` and ``footnote eval``: what a folder of documents says, and how well that is told.

A verification is recorded in the log before its verdict is printed. An evaluation only measures; it records nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footnote_desktop.answers.documents_desk import Verified
    from footnote_desktop.documents.library import Library
    from footnote_desktop.documents.model import Quote, Verdict
    from footnote_desktop.settings import Profile

YES, NO = 0, 1
#: The largest file of claims that is read, in bytes.
LARGEST = 50_000_000
STATUSES = ("GROUNDED", "CONTRADICTED", "UNSUPPORTED")


class DocumentsError(Exception):
    """The command could not run: why, and what to do."""

    def __init__(self, message: str, advice: str):
        super().__init__(message)
        self.message = message
        self.advice = advice


def add_parsers(
    command: Callable[..., argparse.ArgumentParser],
    common: argparse.ArgumentParser,
    profile_of: Callable[[argparse.Namespace], Profile],
) -> None:
    """Give ``footnote`` the two commands. ``profile_of`` reads the profile that the options name."""

    def about(run: Callable[[argparse.Namespace, Profile], int]) -> Callable[[argparse.Namespace], int]:
        return lambda args: run(args, profile_of(args))

    top = command("documents", _no_subcommand, "list, search, quote or verify against a folder of documents")
    commands = top.add_subparsers(metavar="WHAT", title="what to do", parser_class=type(top))

    def sub(name: str, run: Callable[[argparse.Namespace, Profile], int], summary: str) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, parents=[common], help=summary, description=f"{summary.capitalize()}.")
        parser.set_defaults(run=about(run))
        _folder(parser)
        return parser

    sub("list", _list, "list the documents: tier, date and title, and where each comes from")
    for name, run, summary, limit in (
        ("search", _search, "search for passages, in English, German or Polish", 10),
        ("quote", _quote, "quote passages word for word, with page or cells and the file's SHA-256", 3),
    ):
        parser = sub(name, run, summary)
        parser.add_argument("text", nargs="+", metavar="TEXT")
        parser.add_argument("--limit", metavar="N", type=_limit, default=limit, help=f"at most so many ({limit})")
        if name == "quote":
            parser.add_argument("--file", metavar="FILE", help="only from this document, named as in the list")
    verify = sub("verify", _verify, "verify a statement, or a list of them; each verdict is recorded")
    verify.add_argument("text", nargs="*", metavar="TEXT", help="the statement; - reads it from stdin")
    verify.add_argument("--claims", metavar="FILE", help="a JSON list of {id, claim}; - reads it from stdin")
    verify.add_argument("--lang", choices=("en", "de", "pl"), help="language of the explanation (else the statement's)")

    evaluate = command("eval", about(_eval), "compare verdicts with the expected ones; records nothing")
    evaluate.add_argument("claims", metavar="CLAIMS.json", help="a list of {id, split, claim, expected}")
    _folder(evaluate)


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder", metavar="DIR", help="the documents (else MCP_REDLINE_CORPUS_DIR, else the profile's)"
    )


def _limit(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if not 1 <= number <= 200:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 200")
    return number


def _no_subcommand(args: argparse.Namespace) -> int:
    raise DocumentsError(
        "Say what to do: footnote documents list, search TEXT, quote TEXT, or verify TEXT.",
        "See: footnote documents --help",
    )


def _open(args: argparse.Namespace, profile: Profile) -> Library:
    """The library, read up to date, with progress on stderr."""
    from footnote_desktop.answers.documents_desk import open_library
    from footnote_desktop.documents.library import FolderError

    folder = args.folder or profile.documents
    if not folder:
        raise DocumentsError("No folder of documents is named.", "Name it with --folder or MCP_REDLINE_CORPUS_DIR.")
    try:
        library = open_library(folder, lang=getattr(args, "lang", None))
    except FolderError as error:
        raise DocumentsError(f"{error}.", "Name it with --folder or MCP_REDLINE_CORPUS_DIR.") from None
    reading = _Progress("reading", "documents")
    library.refresh(lambda done, total, _: reading(done, total))
    return library


# -- the folder ----------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace, profile: Profile) -> int:
    with _open(args, profile) as library:
        sources = library.sources()
    if getattr(args, "json", False):
        _print_json({"sources": [source.to_json() for source in sources]})
        return YES
    for source in sources:
        print(_visible(source.file))
        if source.state != "ready":
            print(f"    cannot be read: {_visible(source.problem)}")
            continue
        dated = f"{source.date} ({source.date_origin})" if source.date else "no date"
        print(f"    {_visible(source.title)} ({source.title_origin})")
        print(f"    tier {source.tier} ({source.tier_origin}) · {dated} · {source.units:,} passages")
        for note in source.notes:
            print(f"    {_visible(note)}")
    if not sources:
        print("The folder holds no document.", file=sys.stderr)
    return YES


def _search(args: argparse.Namespace, profile: Profile) -> int:
    with _open(args, profile) as library:
        hits = library.search(" ".join(args.text), args.limit)
    if getattr(args, "json", False):
        _print_json({"hits": [hit.to_json() for hit in hits]})
    else:
        _print_quotes([hit.quote for hit in hits])
    return YES if hits else NO


def _quote(args: argparse.Namespace, profile: Profile) -> int:
    with _open(args, profile) as library:
        if args.file is not None and args.file not in {source.file for source in library.sources()}:
            raise DocumentsError(
                f"The folder has no document {_visible(args.file)}.", "See: footnote documents list --folder DIR"
            )
        quotes = library.quote(" ".join(args.text), file=args.file, limit=args.limit)
    if getattr(args, "json", False):
        _print_json({"quotes": [quote.to_json() for quote in quotes]})
    else:
        _print_quotes(quotes)
    return YES if quotes else NO


def _print_quotes(quotes: Sequence[Quote]) -> None:
    for quote in quotes:
        print(f"“{_visible(quote.text)}”\n    {_place(quote)}")
    if not quotes:
        print("Nothing was found.", file=sys.stderr)


# -- verification --------------------------------------------------------------------------------------------------


def _verify(args: argparse.Namespace, profile: Profile) -> int:
    from footnote_desktop import __version__
    from footnote_desktop.answers.documents_desk import DocumentsDesk
    from footnote_desktop.provenance.actor import current_actor
    from footnote_desktop.provenance.store import open_log

    if bool(args.text) == bool(args.claims):
        raise DocumentsError(
            "Give a statement or --claims FILE, one of the two.", "See: footnote documents verify --help"
        )
    text = " ".join(args.text)
    claims = _claims(args.claims) if args.claims else [{"claim": sys.stdin.read() if text == "-" else text}]
    with _open(args, profile) as library, open_log(profile.log) as log:
        desk = DocumentsDesk(library, log, profile, current_actor(profile.actor_label, profile.role))
        found = desk.verify_many(
            claims,
            lang=args.lang,
            client={"name": "footnote", "version": __version__, "transport": "cli"},
            progress=_Progress("verified", "statements"),
        )
    if getattr(args, "json", False):
        # The caller's ids as they came, be they text or numbers.
        shown = [{**verified.to_json(), "id": entry.get("id")} for entry, verified in zip(claims, found, strict=True)]
        _print_json(shown if args.claims else shown[0])
    else:
        for verified in found:
            _print_verdict(verified)
    return YES if all(verified.verdict.status == "GROUNDED" for verified in found) else NO


def _print_verdict(verified: Verified) -> None:
    verdict = verified.verdict
    print(f"{f'{verdict.id}: ' if verdict.id else ''}{verdict.status}  {', '.join(map(str, verdict.reasons))}")
    print(f"    {_visible(verdict.explanation)}")
    for lead, quote in (("", verdict.quote), ("differs: ", verdict.conflicting), ("nearest: ", verdict.nearest)):
        if quote is not None:
            print(f"    {lead}“{_visible(quote.text)}”\n        {_place(quote)}")
    print(f"    record {verified.provenance['sequence']}, SHA-256 {verified.provenance['hash']}")


def _place(quote: Quote) -> str:
    place = [_visible(quote.file)]
    if quote.page is not None:
        place.append(f"page {quote.page}")
    if quote.sheet:
        place.append(_visible(f"{quote.sheet} {quote.cells or ''}".strip()))
    if quote.section:
        place.append(_visible(quote.section))
    dated = f", {quote.date}" if quote.date else ""
    return f"{' · '.join(place)} · tier {quote.tier} ({quote.tier_origin}){dated} · SHA-256 {quote.sha256[:16]}…"


def _claims(name: str) -> list[dict[str, Any]]:
    """The statements of a file: a JSON list of ``{id, claim}``, or an object with that list under ``claims``."""
    advice = 'It holds a JSON list such as [{"id": "1", "claim": "The rent is EUR 900."}]'
    try:
        data = sys.stdin.buffer.read(LARGEST + 1) if name == "-" else _bytes(Path(name))
    except OSError as error:
        raise DocumentsError(f"{name} cannot be read: {error.strerror or error}.", "Name a file of claims.") from None
    if len(data) > LARGEST:
        raise DocumentsError(f"{name} is larger than {LARGEST // 1_000_000} MB.", "Split it.")
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DocumentsError(f"{name} is not JSON: {error}.", advice) from None
    if isinstance(found, dict):
        found = found.get("claims")
    if not isinstance(found, list):
        raise DocumentsError(f"{name} holds no list of claims.", advice)
    claims = []
    for number, item in enumerate(found, 1):
        entry = {"claim": item} if isinstance(item, str) else item
        if not isinstance(entry, dict) or not isinstance(entry.get("claim"), str):
            raise DocumentsError(f"Entry {number} of {name} has no text under “claim”.", advice)
        claims.append(entry)
    return claims


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


# -- evaluation ----------------------------------------------------------------------------------------------------


def _eval(args: argparse.Namespace, profile: Profile) -> int:
    claims = _claims(args.claims)
    for number, entry in enumerate(claims, 1):
        if entry.get("expected") not in STATUSES:
            raise DocumentsError(
                f"Entry {number} of {args.claims} has no “expected” of {', '.join(STATUSES)}.",
                "An evaluation needs to know what is right.",
            )
    with _open(args, profile) as library:
        began = time.perf_counter()
        verdicts = library.verify_many(claims, _Progress("verified", "statements"))
        seconds = time.perf_counter() - began
    pairs = list(zip(claims, verdicts, strict=True))
    splits = dict.fromkeys(str(entry.get("split") or "all") for entry in claims)
    rows = [_measured(name, [p for p in pairs if str(p[0].get("split") or "all") == name]) for name in splits]
    total = _measured("total", pairs)
    wrong = [
        {
            **verdict.to_json(),
            "id": entry.get("id"),
            "split": str(entry.get("split") or "all"),
            "expected": entry["expected"],
        }
        for entry, verdict in pairs
        if verdict.status != entry["expected"]
    ]
    if getattr(args, "json", False):
        _print_json({"splits": rows, "total": total, "wrong": wrong})
    else:
        _print_table([*rows, total] if len(rows) > 1 else rows)
        for entry in wrong:
            print(f"{entry['id'] or '–'}: {entry['status']}, expected {entry['expected']}: {_visible(entry['claim'])}")
        if pairs:
            print(f"{1000 * seconds / len(pairs):.0f} ms per statement", file=sys.stderr)
    return YES if not wrong else NO


def _measured(split: str, pairs: Sequence[tuple[Mapping[str, Any], Verdict]]) -> dict[str, Any]:
    """The figures of one split. A fact is expected GROUNDED; refused is whatever is not GROUNDED."""
    facts = [verdict for entry, verdict in pairs if entry["expected"] == "GROUNDED"]
    others = [verdict for entry, verdict in pairs if entry["expected"] != "GROUNDED"]
    correct = sum(verdict.status == entry["expected"] for entry, verdict in pairs)
    false = sum(verdict.status == "GROUNDED" for verdict in others)
    return {
        "split": split,
        "claims": len(pairs),
        "correct": correct,
        "accuracy": round(correct / len(pairs), 4) if pairs else None,
        "falseGrounded": false,
        "facts": len(facts),
        "factsConfirmed": sum(verdict.status == "GROUNDED" for verdict in facts),
        "nonFacts": len(others),
        "nonFactsRefused": len(others) - false,
    }


def _print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    lines = [("split", "accuracy", "", "false GROUNDED", "facts confirmed", "non-facts refused")]
    for row in rows:
        share = "–" if row["accuracy"] is None else f"{100 * row['accuracy']:.1f} %"
        lines.append(
            (
                _visible(row["split"]),
                f"{row['correct']}/{row['claims']}",
                share,
                str(row["falseGrounded"]),
                f"{row['factsConfirmed']}/{row['facts']}",
                f"{row['nonFactsRefused']}/{row['nonFacts']}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for first, *others in lines:
        print(
            first.ljust(widths[0]),
            *(text.rjust(width) for text, width in zip(others, widths[1:], strict=True)),
            sep="  ",
        )


# -- output --------------------------------------------------------------------------------------------------------


class _Progress:
    """Says on stderr how far a long piece of work is: after a second, then once a second."""

    def __init__(self, what: str, unit: str):
        self._what, self._unit = what, unit
        self._next = time.monotonic() + 1

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 1
            print(f"{self._what}: {done:,} of {total:,} {self._unit}", file=sys.stderr, flush=True)


def _visible(text: object) -> str:
    from footnote_desktop.answers.words import visible

    return visible(str(text))


def _print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))
