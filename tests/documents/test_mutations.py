"""A true statement with one thing changed is a trap. Over a thousand of them; none may come out GROUNDED."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from footnote_desktop.documents.claim import prepare
from footnote_desktop.documents.library import Library
from footnote_desktop.figures.numbers import find
from footnote_desktop.figures.numbers_compare import relation

CORPORA = Path(__file__).parent / "corpora"
FOLDERS = sorted(p.parent for p in CORPORA.glob("*/*/claims.json"))
#: Each way round; words of a party, a qualifier, a currency, a scale, a unit, a permission, a place, another thing.
SWAPS = [
    "supplier/customer",
    "Supplier/Customer",
    "seller/buyer",
    "landlord/tenant",
    "Lender/Borrower",
    "provider/client",
    "Vermieter/Mieter",
    "Darlehensgeberin/Darlehensnehmerin",
    "Dostawca/Odbiorca",
    "Najemca/Wynajmujący",
    "najemca/wynajmujący",
    "Kredytobiorca/Kredytodawca",
    "Sprzedawca/Kupujący",
    "monthly/quarterly",
    "monatlich/jährlich",
    "vierteljährlich/monatlich",
    "miesięcznie/rocznie",
    "netto/brutto",
    "net/gross",
    "begins/ends",
    "beginnt/endet",
    "increased/decreased",
    "stieg/sank",
    "approved/rejected",
    "zatwierdziła/odrzuciła",
    "odrzucił/przyjął",
    "opened/closed",
    "EUR/USD",
    "GBP/EUR",
    "PLN/EUR",
    "TEUR/EUR",
    "million/thousand",
    "tys./mln",
    "Mio./Tsd.",
    "days/months",
    "months/weeks",
    "years/months",
    "Monate/Wochen",
    "Monaten/Tagen",
    "Tagen/Wochen",
    "miesięcy/tygodni",
    "miesiące/lata",
    "mindestens/höchstens",
    "German/French",
    "England/France",
    "Hamburg/Köln",
    "polskie/niemieckie",
    "niederländisches/belgisches",
    "loan/bond",
    "rent/parking·rent",
    "fee/cancellation·fee",
    "deposit/cleaning·deposit",
    "Revenue/Export·revenue",
    "price/list·price",
    "Przychody/Przychody·zagraniczne",
]
ONE_WAY = (
    (" is ", " is not "), (" was ", " was not "), (" may ", " may not "), (" may ", " must "), (" are ", " are not "), (" ist ", " ist nicht "),
    (" wurde ", " wurde nicht "), (" kann ", " kann nicht "), (" wynosi ", " nie wynosi "), (" została ", " nie została "), (" może ", " nie może "),
    (" not ", " "), (" nicht ", " "), (" nie ", " "), ("at least", "at most"), ("co najmniej", "najwyżej"), ("in advance", "in arrears"),
)  # fmt: skip
#: Still true, or no sentence any more: an exceeded bound that is still exceeded, a doubled "nie".
STILL_TRUE = re.compile(r"exceeded EUR|nie nie|may not exceed|not not")


def mutants(claim: str) -> set[str]:
    out: set[str] = set()
    for swap in SWAPS:
        one, other = swap.replace("·", " ").split("/")
        for a, b in ((one, other), (other, one)):
            pattern = rf"(?<!\w){re.escape(a)}(?!\w)"
            if re.search(pattern, claim):
                out.add(re.sub(pattern, b, claim, count=1))
    for a, b in ONE_WAY:
        if a in claim:
            out.add(claim.replace(a, b, 1))
    for m in re.finditer(r"\d+", claim):
        digits = m.group()
        out.add(claim[: m.start()] + str(int(digits[0]) % 9 + 1) + digits[1:] + claim[m.end() :])
        if len(digits) > 1:
            out.add(claim[: m.start()] + digits[:-1] + str((int(digits[-1]) + 1) % 10) + claim[m.end() :])
    for m in re.finditer(r"(?<=\s)[A-ZŁŚŻ][a-ząćęłńóśźż]{4,}\b", claim):
        out.add(claim[: m.end() - 2] + ("rk" if m.group()[-2:] != "rk" else "lm") + claim[m.end() :])
    return {m for m in out if m != claim and not STILL_TRUE.search(m)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_mutant_is_grounded(folder: Path) -> None:
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))["claims"]
    true = [c["claim"] for c in claims if c["expected"] == "GROUNDED"]
    with Library(folder, memory=True) as library:
        false = [
            m
            for claim in true
            for m in sorted(mutants(claim))
            if m not in true and library.verify(m).status == "GROUNDED"
        ]
    assert not false


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_claim_is_grounded_with_another_figure_of_the_same_folder(folder: Path) -> None:
    """The figures of a folder, each put in the place of another of its kind: the rent as the deposit, the start as the end."""
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))["claims"]
    true = [c["claim"] for c in claims if c["expected"] == "GROUNDED" and "exceeded" not in c["claim"]]
    false = []
    with Library(folder, memory=True) as library:
        stated = {}
        for path in sorted(folder.glob("*.[mtc][dxs]*")):
            for q in find(
                re.sub(r"[*|]", " ", path.read_text(encoding="utf-8")),
                "pl" if "_pl" in folder.name else "de" if "_de" in folder.name else "en",
            ):
                stated[q.text.strip()] = q
        for claim in true:
            for q in prepare(claim, library.lexicon).quantities:
                for text, other in sorted(stated.items()):
                    if (
                        q.kind in ("identifier", "time")
                        or other.kind != q.kind
                        or relation(q, other) in ("same", "bound", "entailed", "coarser")
                    ):
                        continue
                    if q.kind == "date" and q.precision != other.precision:
                        continue
                    mutant = claim[: q.start] + text + claim[q.end :]
                    if mutant not in true and library.verify(mutant).status == "GROUNDED":
                        false.append(mutant)
    assert not false
