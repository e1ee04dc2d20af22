"""The one place that verifies statements against documents, and records each verdict before anyone sees it."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import footnote_desktop
from footnote_desktop.answers.slots import Claim
from footnote_desktop.answers.words import visible
from footnote_desktop.documents.library import ENGINE, MAX_CLAIM, FolderError, Library
from footnote_desktop.provenance.actor import Actor, current_actor
from footnote_desktop.provenance.evidence import Citation, Derivation, Evidence, JsonValue
from footnote_desktop.provenance.record import Draft

if TYPE_CHECKING:
    from footnote_desktop.documents.model import Quote, Verdict
    from footnote_desktop.provenance.log import Log
    from footnote_desktop.settings import Profile

#: How the quotes of a verdict are introduced, per language: the deciding one, one that differs, the nearest.
_LEADS = {
    "en": {"quote": "Source", "conflicting": "Differs", "nearest": "Nearest passage"},
    "de": {"quote": "Quelle", "conflicting": "Abweichend", "nearest": "Nächste Stelle"},
    "pl": {"quote": "Źródło", "conflicting": "Odmiennie", "nearest": "Najbliższy fragment"},
}
_PAGE = {"en": "page", "de": "Seite", "pl": "strona"}
_TIER = {"en": "tier", "de": "Rang", "pl": "ranga"}
#: The fields of a quote that are cited one by one.
_CITED = ("quote", "file", "page", "tier", "sha256")


@dataclass(frozen=True, slots=True)
class Verified:
    """A verdict as it was recorded. ``claims``: where its quotes stand in ``answer``; ``provenance``: its record."""

    verdict: Verdict
    answer: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    citations: tuple[Citation, ...]
    provenance: Mapping[str, JsonValue]

    def to_json(self) -> dict[str, object]:
        """The verdict with the keys of the surface, and its record."""
        return {**self.verdict.to_json(), "provenance": dict(self.provenance)}


class DocumentsDesk:
    """Verifies statements over one library, into one log. Safe for several threads, one verification at a time.

    Nothing is returned that is not recorded: where the log cannot be written, :class:`LogError` is raised instead.
    The log stays the caller's; :meth:`close` closes the library only.
    """

    def __init__(self, library: Library, log: Log, profile: Profile, actor: Actor):
        self.library = library
        self.log = log
        self.profile = profile
        self.actor = actor
        self.lock = threading.RLock()  #: held while the library is used

    def close(self) -> None:
        """Close the library."""
        with self.lock:
            self.library.close()

    def __enter__(self) -> DocumentsDesk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def verify(
        self,
        claim: str,
        *,
        id: str | None = None,
        lang: str | None = None,
        client: Mapping[str, JsonValue] | None = None,
    ) -> Verified:
        """Verify one statement and record the verdict. ``lang`` (en, de, pl): of the explanation; None: as usual."""
        started = time.perf_counter()
        with self.lock:
            verdict = self.library.verify(claim, id=id, lang=lang)
        quotes = _quotes(verdict)
        evidence = tuple({entry.id: entry for _, quote in quotes for entry in (as_evidence(quote),)}.values())
        citations = tuple(citation for path, quote in quotes for citation in _citations(path, quote))
        answer, claims = told(verdict)
        entry: dict[str, Any] = {
            "name": "verify",
            "kind": "document_verification",
            "arguments": {"claim": claim[: MAX_CLAIM + 1], "id": id, "lang": lang},
            "query": {"sql": "", "params": {}},
            "queries": [],
            "durationMs": round((time.perf_counter() - started) * 1000, 3),
            "outcome": verdict.status,
            "reasonCodes": [str(reason) for reason in verdict.reasons],
            "values": verdict.to_json(),
            "citations": [citation.to_json() for citation in citations],
            "engine": {"name": "documents", "version": ENGINE},
            "folder": self.library.folder.name,
            "client": {"questionSeen": True, **(client or {})},
            "profile": {"name": self.profile.name, "sample": self.profile.sample, "locale": self.profile.locale},
            "app": {"name": "footnote-desktop", "version": footnote_desktop.__version__},
        }
        if len(claim) > MAX_CLAIM:
            entry["claimLength"] = len(claim)
            entry["values"] = {**verdict.to_json(), "claim": claim[:MAX_CLAIM] + "…"}
        draft = Draft(
            question=claim if len(claim) <= MAX_CLAIM else claim[:MAX_CLAIM] + "…",
            answer=answer,
            claims=[told_claim.to_json() for told_claim in claims],
            operations=[entry],
            evidence=[row.to_json() for row in evidence],
            actor=self.actor,
        )
        record = self.log.append(draft)
        return Verified(verdict, answer, claims, evidence, citations, record.summary())

    def verify_many(
        self,
        claims: Sequence[Mapping[str, object] | str],
        *,
        lang: str | None = None,
        client: Mapping[str, JsonValue] | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> list[Verified]:
        """Verify a list (texts, or mappings with ``claim`` and perhaps ``id``), in order, each its own record; fewer
        if cancelled. ``progress(done, all)``."""
        found: list[Verified] = []
        for item in claims:
            if cancel is not None and cancel():
                break
            text, identity = (item, None) if isinstance(item, str) else (str(item.get("claim", "")), item.get("id"))
            found.append(self.verify(text, id=None if identity is None else str(identity), lang=lang, client=client))
            if progress is not None:
                progress(len(found), len(claims))
        return found


def open_library(folder: str, *, lang: str | None = None) -> Library:
    """The library of a folder; ``lang`` else MCP_REDLINE_LANG. Where the index cannot be kept on disk it is kept in
    memory. Raises :class:`FolderError` when there is no such folder."""
    wanted = lang or (os.environ.get("MCP_REDLINE_LANG") or "").lower()[:2]
    language = wanted if wanted in _LEADS else None
    try:
        return Library(folder, lang=language)
    except (OSError, sqlite3.Error):
        return Library(folder, lang=language, memory=True)


def open_documents(profile: Profile, log: Log) -> DocumentsDesk:
    """The documents desk of a profile that names a folder. Raises :class:`FolderError` when it names none."""
    if not profile.documents:
        raise FolderError("no folder of documents is set; name one in the profile or in MCP_REDLINE_CORPUS_DIR")
    library = open_library(profile.documents)
    return DocumentsDesk(library, log, profile, current_actor(profile.actor_label, profile.role))


def evidence_id(quote: Quote) -> str:
    """``doc:FILE#START,END``: offsets in the extracted text."""
    return f"doc:{quote.file}#{quote.spans[0][0]},{quote.spans[-1][1]}"


def as_evidence(quote: Quote) -> Evidence:
    """A quote as evidence: the passage, its pointer and the SHA-256 of the file that it was read from."""
    shown = quote.to_json()
    fields: dict[str, Any] = {key: shown[key] for key in shown if key not in ("uri", "spans")}
    fields["spans"] = [[start, end] for start, end in quote.spans]
    name = evidence_id(quote)
    return Evidence(name, "quote", name.removeprefix("doc:"), _place(quote, "en"), quote.uri, fields)


def _quotes(verdict: Verdict) -> list[tuple[str, Quote]]:
    """Every quote of a verdict, with where it stands in the verdict's JSON."""
    found = [("quote", verdict.quote), ("conflicting", verdict.conflicting), ("nearest", verdict.nearest)]
    found += [(f"parts[{number}].quote", part.quote) for number, part in enumerate(verdict.parts)]
    return [(path, quote) for path, quote in found if quote is not None and quote.spans]


def _citations(path: str, quote: Quote) -> list[Citation]:
    """The fields of a quote, each cited as what it is: a field of the evidence."""
    shown = quote.to_json()
    made = []
    for key in _CITED if "[" not in path else ("quote", "file"):
        if shown[key] is None:
            continue
        if path == "quote":
            at = key if key != "sha256" else "evidence.sha256"
        elif "[" in path:
            at = path if key == "quote" else path.removesuffix("quote") + key
        else:
            at = f"{path}.{key}"
        value = str(shown[key])
        made.append(Citation(at, value, value, "text", (evidence_id(quote),), Derivation("field", key)))
    return made


def told(verdict: Verdict) -> tuple[str, tuple[Claim, ...]]:
    """The verdict in words, and where its quotes stand in them. Quotes stand as the source has them, so that the text
    between a claim's offsets is the quote, to the character."""
    leads = _LEADS[verdict.lang if verdict.lang in _LEADS else "en"]
    answer = f"{verdict.status}. {visible(verdict.explanation)}"
    claims = []
    for role, quote in _quotes(verdict):
        if role not in leads:  # of a part: it stands in the values
            continue
        answer += f"\n{leads[role]}: {_place(quote, verdict.lang)}: “"
        start = _units(answer)
        answer += quote.text
        path = role if role == "quote" else f"{role}.quote"
        claims.append(Claim(quote.text, start, _units(answer), (evidence_id(quote),), path, "document"))
        answer += "”"
    return answer, tuple(claims)


def _place(quote: Quote, lang: str) -> str:
    lang = lang if lang in _LEADS else "en"
    place = [visible(quote.file)]
    if quote.page is not None:
        place.append(f"{_PAGE[lang]} {quote.page}")
    if quote.sheet:
        place.append(visible(quote.sheet) + (f" {quote.cells}" if quote.cells else ""))
    return f"{', '.join(place)} ({_TIER[lang]} {quote.tier})"


def _units(text: str) -> int:
    """The length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
