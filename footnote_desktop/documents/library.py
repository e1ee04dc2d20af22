"""A folder of documents: its sources, search, quotes and verdicts. The one door to this package."""

from __future__ import annotations

import hashlib
import os
import re
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import orjson

from footnote_desktop.documents import authority, explain, parties
from footnote_desktop.documents.claim import Claim, prepare
from footnote_desktop.documents.comparison import Comparison, said_by
from footnote_desktop.documents.context import Document, build, name_runs
from footnote_desktop.documents.decide import Outcome, decide
from footnote_desktop.documents.language import detect
from footnote_desktop.documents.lexicon import load
from footnote_desktop.documents.model import GAP, Part, Quote, Source, Verdict
from footnote_desktop.documents.read.any import SUFFIXES, extract
from footnote_desktop.documents.read.limits import MAX_BYTES, UnreadableError
from footnote_desktop.documents.reading import Reading
from footnote_desktop.documents.reasons import Reason
from footnote_desktop.documents.store import StaleIndexError, Store
from footnote_desktop.figures.numbers import Quantity

T = TypeVar("T")

#: Raised whenever what is stored would come out differently.
ENGINE = "1"
CANDIDATES = 150  #: units that the index proposes
COMPARED = 80  #: of those, how many are compared in full: the ones that say most of the claim
MAX_CLAIM = 4000  #: characters


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found."""

    quote: Quote
    score: float

    def to_json(self) -> dict[str, object]:
        return {**self.quote.to_json(), "score": round(self.score, 4)}


class FolderError(ValueError):
    """The folder cannot be used; the message says why and what to do."""


class Library:
    """The documents of one folder. Reads them on first use, keeps an index on disk, re-reads what changed.

    ``cache_dir``: where the index stands; None: the user's cache folder. ``lang``: language of explanations ("en", "de", "pl");
    None: the claim's own. ``lexicons``: more lexicon files (a profile's own). Raises :class:`FolderError` if there is no folder.
    """

    def __init__(
        self, folder: str | Path, cache_dir: str | Path | None = None, lang: str | None = None, *, lexicons: Sequence[Path] = (),
        memory: bool = False,
    ) -> None:  # fmt: skip
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise FolderError(f"{self.folder.name} is no folder; choose the folder that holds the documents")
        if lang is not None and lang not in ("en", "de", "pl"):
            raise FolderError(f"the language is {lang!r}; choose en, de or pl")
        self.lang = lang
        self.lexicon = load(tuple(lexicons))
        if cache_dir is None and not memory:
            import platformdirs

            cache_dir = platformdirs.user_cache_dir("Footnote", appauthor=False)
        name = hashlib.sha256(str(self.folder).encode()).hexdigest()[:16]
        self._store = Store(
            None if memory else Path(cache_dir or ".") / f"documents-{name}.sqlite3", self._version(lexicons)
        )
        self._sources: dict[int, Source] = {}
        self._parties: dict[int, parties.Parties] = {}
        self._fresh: str | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None, **more: object) -> Library:
        """The library that MCP_REDLINE_CORPUS_DIR and MCP_REDLINE_LANG name. Raises :class:`FolderError` if the first is unset."""
        env = os.environ if environ is None else environ
        folder = env.get("MCP_REDLINE_CORPUS_DIR")
        if not folder:
            raise FolderError("no folder of documents is set; name one with --folder or in MCP_REDLINE_CORPUS_DIR")
        lang = (env.get("MCP_REDLINE_LANG") or "").lower()[:2] or None
        return cls(folder, lang=lang if lang in ("en", "de", "pl") else None, **more)  # type: ignore[arg-type]

    def _version(self, lexicons: Sequence[Path]) -> str:
        """Changes with the engine, the lexicon and the package's own code, so that no stale reading survives an update."""
        digest = hashlib.sha256(ENGINE.encode())
        from footnote_desktop.settings import data_folder

        for path in [*sorted((data_folder("resources") / "lexicon").glob("*.toml")), *sorted(lexicons)]:
            if not path.name.startswith("questions"):
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the folder ------------------------------------------------------------------------------------------------------

    def _files(self) -> Iterator[tuple[str, Path, str]]:
        """(relative name, path, problem) of every file, sorted by name. Links are followed only inside the folder."""
        found = []
        for root, folders, files in os.walk(self.folder, followlinks=False):
            for name in list(folders):
                if name.startswith(".") or (Path(root) / name).is_symlink():
                    folders.remove(name)
            for name in files:
                path = Path(root) / name
                relative = path.relative_to(self.folder).as_posix()
                if name.startswith((".", "~$")) or relative == "sources.toml":
                    continue
                problem = ""
                if path.is_symlink():
                    try:
                        target = path.resolve(strict=True)
                        if not target.is_relative_to(self.folder):
                            problem = "a link that leads out of the folder; it was not followed"
                    except (OSError, RuntimeError):
                        problem = "a link that leads nowhere"
                if not problem and not path.is_file():
                    problem = "no regular file"
                if not problem and path.suffix.lower() not in SUFFIXES:
                    problem = f"no reader for {path.suffix.lower() or 'files without a suffix'}"
                found.append((relative, path, problem))
        yield from sorted(found)

    def _listed(self) -> dict[str, dict[str, object]]:
        """The entries of sources.toml: tables by file name, or a list ``[[source]]`` with ``file``."""
        path = self.folder / "sources.toml"
        if not path.is_file() or path.is_symlink():
            return {}
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
            return {}
        out = (
            {str(e["file"]): e for e in data.get("source", []) if isinstance(e, dict) and "file" in e}
            if isinstance(data.get("source"), list)
            else {}
        )
        files = data.get("files")
        for key, value in {**data, **(files if isinstance(files, dict) else {})}.items():
            if isinstance(value, dict):
                out.setdefault(str(key), value)
        return out

    def refresh(
        self, progress: Callable[[int, int, str], None] | None = None, cancel: Callable[[], bool] | None = None
    ) -> bool:
        """Reads what is new or changed, forgets what is gone; True if anything was. ``progress(done, all, file)``."""
        listed = self._listed()
        now: list[tuple[str, Path, str, str]] = []
        for relative, path, problem in self._files():
            try:
                status = path.lstat()
                stamp = f"{status.st_size}:{status.st_mtime_ns}:{problem}"
            except OSError:
                continue
            now.append((relative, path, problem, stamp))
        signature = hashlib.sha256(orjson.dumps([[r, s, _entry(listed.get(r, {}))] for r, _, _, s in now])).hexdigest()
        if signature == self._fresh:
            return False
        known = self._store.stamps()
        changed = False
        kept = time.monotonic()
        for gone in sorted(known.keys() - {r for r, *_ in now}):
            self._store.remove(gone)
            changed = True
        for done, (relative, path, problem, stamp) in enumerate(now):
            if cancel is not None and cancel():
                self._store.commit()
                return changed
            entry = _entry(listed.get(relative, {}))
            old = known.get(relative)
            if old is not None and old[0] == stamp and old[2] == entry:
                continue
            if progress is not None:
                progress(done, len(now), relative)
            changed |= self._read(relative, path, problem, stamp, entry, listed.get(relative, {}), old)
            if time.monotonic() - kept > 1:  # whoever else wants to write the index need not wait for all of it
                self._store.commit()
                kept = time.monotonic()
        self._store.commit()
        # Also where nothing was read here: another process that shares the index may have read it before us.
        self._sources = self._store.sources()
        self._parties = self._store.parties()
        order = sorted(self._sources, key=lambda i: self._sources[i].file)
        parties.share([self._parties[i] for i in order])
        self._store.forget()
        self._fresh = signature
        return changed

    def _read(
        self, relative: str, path: Path, problem: str, stamp: str, entry: str, listed: Mapping[str, object], old: tuple[str, str, str] | None
    ) -> bool:  # fmt: skip
        sha, size = "", 0
        try:
            if problem:
                raise UnreadableError(problem)
            size = path.stat().st_size
            if size > MAX_BYTES:
                raise UnreadableError(f"the file is larger than {MAX_BYTES // 1024 // 1024} MB")
            data = path.read_bytes()
            sha = hashlib.sha256(data).hexdigest()
            if old is not None and old[1] == sha and old[2] == entry:
                self._store.restamp(relative, stamp)
                return False
            extracted = extract(path, data)
        except OSError:
            self._store.put(
                _broken(relative, sha, size, "the file cannot be opened; its permissions may forbid it"),
                stamp,
                entry,
                None,
                [],
            )
            return True
        except UnreadableError as error:
            self._store.put(_broken(relative, sha, size, str(error)), stamp, entry, None, [])
            return True
        lang = detect(extracted.text[:20000])
        meta = dict(extracted.meta)
        title = authority.title(relative, meta, listed, extracted)
        kind = authority.kind_of(relative, title.value, meta)
        tier, origin = authority.tier(meta, listed, kind)
        date = authority.date(meta, listed, extracted, lang)
        source = Source(
            relative, sha, size, "ready", "", kind[0], lang, tier, origin, date.value if date else None, date.origin if date else "",
            title.value, title.origin, extracted.pages, len(extracted.units), extracted.notes,
        )  # fmt: skip
        amends = kind[0] == "amendment"
        effective = authority.effective(extracted, source.date, lang) if amends else None
        document = build(source, extracted, self.lexicon, amends, effective)
        said = [
            "" if u.kind == "heading" else _tokens_of(document, n, document.reading(n, self.lexicon))
            for n, u in enumerate(extracted.units)
        ]
        document.readings.clear()
        self._store.put(source, stamp, entry, document, said)
        return True

    def sources(self) -> list[Source]:
        """Every file of the folder, sorted by name; one that cannot be read says why."""
        self.refresh()
        return sorted(self._sources.values(), key=lambda s: s.file)

    # --- search and quotes -----------------------------------------------------------------------------------------------

    def _document(self, identity: int) -> Document:
        if identity not in self._sources:
            raise StaleIndexError
        return self._store.document(identity, self._sources[identity], self._parties[identity])

    def _find(self, claim: Claim, limit: int) -> list[tuple[Document, int, float]]:
        tokens = _query(claim, self)
        counts = self._store.rarity(tokens)
        rare = sorted(counts, key=lambda t: (counts[t], t))
        total = sum(s.units for s in self._sources.values())
        chosen = [t for t in rare if counts[t] < max(2000, total // 20)][:24] or rare[:6]
        found = [(self._document(d), n, score) for d, n, score in self._store.find(chosen, limit)]
        if any(n >= len(document.extracted.units) for document, n, _ in found):
            raise StaleIndexError
        return found

    def _current(self, look: Callable[[], T]) -> T:
        """What ``look`` finds in the folder as it is now. Where another process writes the index at the same time, it
        is loaded again; after some such tries, the folder is read into memory, for this process alone."""
        for _ in range(3):
            self.refresh()
            try:
                return look()
            except StaleIndexError:
                self._fresh = None
        self._store.close()
        self._store, self._fresh = Store(None, ""), None
        self.refresh()
        return look()

    def candidates(self, claim: Claim) -> Iterator[tuple[Document, int]]:
        """Units that may speak of the claim (the contract of :class:`decide.Corpus`)."""
        found = []
        terms = [t for t in claim.terms + claim.inherited if t.cls not in ("doc", "party")] or claim.terms
        for place, (document, number, _) in enumerate(self._find(claim, CANDIDATES)):
            said = document.reading(number, self.lexicon).said
            found.append((-sum(said_by(t, said, self.lexicon, negative=True) for t in terms), place, document, number))
        for _, _, document, number in sorted(found, key=lambda f: f[:2])[:COMPARED]:
            yield document, number

    def search(self, text: str, limit: int = 10) -> list[Hit]:
        """The passages nearest to ``text`` by BM25 over concepts, in any of the three languages."""
        claim = prepare(text[:MAX_CLAIM], self.lexicon)
        found = self._current(lambda: self._find(claim, max(1, min(limit, 200))))
        return [Hit(self._quote(d, [n]), score) for d, n, score in found]

    def quote(self, text: str, *, file: str | None = None, limit: int = 3) -> list[Quote]:
        """Verbatim passages on ``text``, best first; of one file if ``file`` is given."""
        hits = self.search(text, 200 if file else limit)
        return [h.quote for h in hits if file is None or h.quote.file == file][:limit]

    def passage(self, file: str, start: int, end: int, around: int = 400) -> tuple[str, int, int]:
        """The extracted text round a quote, and where the quote starts and ends in it. Raises ``KeyError`` for an unknown file."""

        def look() -> str:
            identity = next((i for i, s in self._sources.items() if s.file == file and s.state == "ready"), None)
            if identity is None:
                raise KeyError(file)
            return self._document(identity).extracted.text

        text = self._current(look)
        low, high = max(0, start - around), min(len(text), end + around)
        return text[low:high], start - low, end - low

    def _quote(self, document: Document, numbers: Sequence[int]) -> Quote:
        units = sorted({n: document.extracted.units[n] for n in numbers}.values(), key=lambda u: u.start)
        text = document.extracted.text
        first = units[0]
        cells = None
        if first.cells and first.cells[0].ref:
            cells = f"{first.cells[0].ref}:{first.cells[-1].ref}"
        source = document.source
        return Quote(
            GAP.join(text[u.start : u.end] for u in units), source.file, source.sha256, tuple((u.start, u.end) for u in units),
            " › ".join(document.extracted.sections[first.section].path), first.page, first.sheet, cells, source.tier, source.tier_origin,
            source.date, source.title,
        )  # fmt: skip

    def _shown(self, comparison: Comparison | None) -> Quote | None:
        if comparison is None:
            return None
        numbers = [comparison.number]
        if comparison.document.source.kind == "invoice":
            numbers += _rest_of_record(comparison)
        return self._quote(comparison.document, numbers)

    # --- verification ----------------------------------------------------------------------------------------------------

    def verify(self, claim: str, *, id: str | None = None, lang: str | None = None) -> Verdict:
        """The verdict on one claim. Same folder and claim, same verdict, to the byte."""
        text = " ".join(claim.split())
        if len(text) > MAX_CLAIM:  # half a statement must never be confirmed as the whole
            outcome = Outcome(prepare(text[:200], self.lexicon), "UNSUPPORTED", [Reason.CLAIM_TOO_LONG])
        else:
            outcome = self._current(lambda: decide(text, self))
        return self._verdict(claim, outcome, id, lang or self.lang or outcome.claim.reading.lang)

    def verify_many(
        self, claims: Sequence[Mapping[str, object] | str], progress: Callable[[int, int], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> list[Verdict]:  # fmt: skip
        """Verdicts on a list of claims (texts, or mappings with ``id`` and ``claim``), in order; fewer if cancelled."""
        out = []
        for number, item in enumerate(claims):
            if cancel is not None and cancel():
                break
            text, identity = (item, None) if isinstance(item, str) else (str(item.get("claim", "")), item.get("id"))
            out.append(self.verify(text, id=None if identity is None else str(identity)))
            if progress is not None:
                progress(number + 1, len(claims))
        return out

    def _verdict(self, claim: str, outcome: Outcome, identity: str | None, lang: str) -> Verdict:
        quote = self._shown(outcome.shown)
        made = [Part(o.claim.text, o.status, tuple(o.reasons), self._shown(o.shown)) for o in outcome.parts]
        if outcome.status == "GROUNDED" and made:
            same = [
                o.shown
                for o in outcome.parts
                if o.shown is not None and outcome.shown is not None and o.shown.document is outcome.shown.document
            ]
            if same:
                quote = self._quote(same[0].document, [c.number for c in same])
        about = outcome.shown or outcome.nearest
        matched, missing = _words(about)
        verdict = Verdict(
            claim, outcome.status, tuple(dict.fromkeys(outcome.reasons)), "", quote, self._shown(outcome.conflicting), self._shown(outcome.nearest),
            matched, missing, tuple(made), identity, lang,
        )  # fmt: skip
        return replace(verdict, explanation=explain.explain(verdict, lang))


def _entry(listed: Mapping[str, object]) -> str:
    return orjson.dumps({k: str(v) for k, v in listed.items()}, option=orjson.OPT_SORT_KEYS).decode() if listed else ""


def _broken(file: str, sha: str, size: int, problem: str) -> Source:
    return Source(
        file,
        sha,
        size,
        "unreadable",
        problem,
        title=file.rsplit("/", 1)[-1],
        title_origin="file name",
        tier_origin="not read",
    )


def _words(c: Comparison | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if c is None:
        return (), ()
    good = [t.text for t, level in c.levels if level != "missing"] + [
        " ".join(n) for n, level in c.names if level != "missing"
    ]
    good += [n.claimed.text for n in c.numbers if n.state in ("same", "entailed", "context")]
    bad = [*c.missing, *(n.claimed.text for n in c.numbers if n.state not in ("same", "entailed", "context"))]
    return tuple(dict.fromkeys(good)), tuple(dict.fromkeys(bad))


def _rest_of_record(c: Comparison) -> list[int]:
    """Units of an invoice that say what the deciding unit does not: its number, its bank, its period."""
    wanted = [t for t, level in c.levels if level == "document"]
    names = [n for n, level in c.names if level == "document"]
    out: list[int] = []
    for number, unit in enumerate(c.document.extracted.units):
        if unit.kind == "heading" or len(out) >= 4 or number not in c.document.readings:
            continue
        reading = c.document.readings[number]
        hit = [t for t in wanted if set(t.alternatives) & reading.said]
        runs = name_runs(reading.text)
        named = [n for n in names if any(n == run[: len(n)] for run in runs)]
        if hit or named:
            out.append(number)
            wanted = [t for t in wanted if t not in hit]
            names = [n for n in names if n not in named]
    return out


# --- the tokens of the index -------------------------------------------------------------------------------------------------


def _token(key: str) -> str:
    return "t" + re.sub(r"[^a-z0-9]", lambda m: f"x{ord(m.group()):x}x", key.lower())


def _numbers_of(quantities: Sequence[Quantity]) -> list[str]:
    out = []
    for q in quantities:
        if q.low is not None and q.kind != "monthday":
            out.append(_token(f"n{q.low.normalize():f}"))
        if q.first is not None:
            out.append(_token(f"d{q.first.isoformat()}"))
            out.append(_token(f"y{q.first.year}"))
        if q.kind == "identifier":
            out.append(_token(f"id{q.unit}"))
    return out


def _tokens_of(document: Document, number: int, reading: Reading) -> str:
    tokens = {_token(s) for s in reading.said}
    tokens.update(_numbers_of(reading.quantities))
    unit = document.extracted.units[number]
    for run in name_runs(document.extracted.text[unit.start : unit.end]):
        tokens.update(_token(f"f{word[:5]}") for word in run if len(word) > 2)
    return " ".join(sorted(tokens))


def _query(claim: Claim, library: Library) -> list[str]:
    tokens: set[str] = set()
    for term in claim.terms:
        for alternative in term.alternatives:
            tokens.update(_token(w) for w in library.lexicon.wide(alternative))
            for group in library.lexicon.exclusive.get(alternative, ()):
                tokens.update(_token(member) for member in group)
        tokens.update(_token(k) for k in term.keys)
        if term.text[:1].isupper():
            tokens.add(_token(f"f{_fold(term.text)[:5]}"))
    for name in claim.names:
        tokens.update(_token(f"f{word[:5]}") for word in name if len(word) > 2)
    tokens.update(_numbers_of(claim.quantities))
    return sorted(tokens)


def _fold(text: str) -> str:
    from footnote_desktop.documents.stem import fold

    return fold(text)
