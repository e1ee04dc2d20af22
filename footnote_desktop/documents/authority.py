"""How much a source weighs: its kind, tier, date and title, each with where it came from."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping

from footnote_desktop.documents.model import Extracted, Known
from footnote_desktop.figures.numbers import find

#: Kind by words of the title or file name; the first that matches wins. Tier 1 is the highest.
_KINDS: tuple[tuple[str, int, str], ...] = (
    ("draft", 5, r"\bdrafts?\b|\bentwurf\w*|\bprojekt umowy|\bterm sheet|subject to contract|\bszkic\b|letter of intent|absichtserklärung|list intencyjny"),
    ("press", 5, r"press release|pressemitteilung|prasow\w*|\bblog\b|newsletter|\bnotatk\w*|\bmemo\b|\bnotes?\b|\bnotiz\w*"),
    ("correspondence", 4, r"e-?mails?|\bcorrespondence|\bthread\b|\bkorrespondenz|\bschriftwechsel|\bkorespondencj\w*|\bletter\b|\bbrief\b|\bschreiben\b|\bpismo\b|\.eml$|\.msg$|wiadomoś\w*|\bre:|\bfw:"),
    ("register", 3, r"\bcrm\b|\bexport\b|\bpipeline\b|\bdashboard|\bzestawieni\w*|\bübersicht\b|\boverview\b|\beksport\b|\bauszug\b|\bliste?\b|\.csv$|\.xlsx$"),
    ("invoice", 2, r"\binvoice\b|\brechnung\b|\bfaktura\b|credit note|gutschrift|\bfaktur\w*"),
    ("minutes", 2, r"\bminutes\b|protokoll|protok[oó][lł]\w*|niederschrift|\bresolution\b|\buchwał\w*|\bbeschluss\b"),
    ("report", 2, r"\breport\b|bericht\b|jahresabschluss|sprawozdani\w*|rachunek zysk\w*|\bbilans\b|financial statements|income statement|balance sheet|annual accounts"),
    ("amendment", 1, r"\bamendment\b|\baddendum\b|\bnachtrag\b|\baneks\b|änderungsvereinbarung|zusatzvereinbarung|supplemental agreement|side letter"),
    ("contract", 1, r"agreement|\bcontract\b|vertrag|\bumow\w*|\blease\b|\bdeed\b|\bmsa\b|\bschedule\b|\bannex\b|\banlage\b|załącznik|\bterms\b|\bagb\b|regulamin|\bpolicy\b|statut|satzung|articles of association|kontrakt"),
)  # fmt: skip
_COMPILED = [(kind, tier, re.compile(pattern, re.I)) for kind, tier, pattern in _KINDS]


def kind_of(file: str, title: str, meta: Mapping[str, str]) -> tuple[str, int, str]:
    """Kind of document, its usual tier, and what told it. A draft is a draft in whichever place it says so."""
    name = re.sub(r"[_\-]+", " ", file.rsplit("/", 1)[-1])
    for text, origin in ((meta.get("type", ""), "front matter"), (title, "title"), (name, "file name")):
        if text and _COMPILED[0][2].search(text):
            return "draft", 5, origin
    for text, origin in ((meta.get("type", ""), "front matter"), (title, "title"), (name, "file name")):
        for kind, tier, pattern in _COMPILED:
            if text and pattern.search(text):
                return kind, tier, origin
    return "document", 3, "nothing says more"


def tier(meta: Mapping[str, str], listed: Mapping[str, object], kind: tuple[str, int, str]) -> tuple[int, str]:
    """The authority tier, 1 to 9, from front matter, else sources.toml, else the kind of document."""
    for value, origin in ((meta.get("tier"), "front matter"), (listed.get("tier"), "sources.toml")):
        if value is not None and re.fullmatch(r"[1-9]", str(value).strip()):
            return int(str(value)), origin
    return kind[1], f"inferred: {kind[0]}, by {kind[2]}"


def title(file: str, meta: Mapping[str, str], listed: Mapping[str, object], extracted: Extracted) -> Known:
    if meta.get("title"):
        return Known(meta["title"], "front matter")
    if listed.get("title"):
        return Known(str(listed["title"]), "sources.toml")
    if meta.get("subject"):
        return Known(meta["subject"], "header")
    if len(extracted.sections) > 1 and extracted.sections[1].path and extracted.sections[1].start < 600:
        return Known(extracted.sections[1].path[0], "first heading")
    return Known(file.rsplit("/", 1)[-1], "file name")


_LABEL = re.compile(
    r"(?:^|[\s*_])(?:date|dated|datum|data|vom|z dnia|dnia|made on|invoice date|rechnungsdatum|sent|gesendet|wysłano)\b",
    re.I,
)


def date(meta: Mapping[str, str], listed: Mapping[str, object], extracted: Extracted, lang: str) -> Known | None:
    """The date of the document, ISO 8601, and where it stands."""
    for value, origin in ((meta.get("date"), "front matter"), (listed.get("date"), "sources.toml")):
        if value:
            found = [q for q in find(str(value), lang) if q.kind == "date" and q.precision == "day" and q.first]
            if found and found[0].first:
                return Known(found[0].first.isoformat(), origin)
    candidates = []
    for unit in extracted.units[:25]:
        if unit.kind == "row":
            continue
        text = extracted.text[unit.start : unit.end]
        days = [q for q in find(text, lang) if q.kind == "date" and q.precision == "day" and q.first]
        if days and days[0].first:
            candidates.append(
                (0 if _LABEL.search(text[: days[0].start]) or len(text) < 60 else 1, unit.start, days[0].first)
            )
    if candidates:
        found_date: dt.date = min(candidates)[2]
        return Known(found_date.isoformat(), "text")
    return None


_EFFECT = re.compile(
    r"(?:effective|with effect|mit wirkung|ab dem|ab\b|z dniem|od dnia|wchodzi w życie|gilt ab|as of|from)", re.I
)


def effective(extracted: Extracted, own: str | None, lang: str) -> str | None:
    """From when an amendment holds: the first day that its text gives for that, else its own date."""
    for unit in extracted.units[:60]:
        text = extracted.text[unit.start : unit.end]
        for q in find(text, lang):
            if (
                q.kind == "date"
                and q.precision in ("day", "month")
                and q.first
                and _EFFECT.search(text[max(0, q.start - 40) : q.start])
            ):
                return q.first.isoformat()
    return own
