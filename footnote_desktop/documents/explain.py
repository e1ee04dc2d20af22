"""One or two sentences that say why, in English, German or Polish. They say what the source says, and never more."""

from __future__ import annotations

from footnote_desktop.documents.model import Quote, Verdict
from footnote_desktop.documents.reasons import Reason

_HEAD = {
    "en": {"GROUNDED": "Stated in {file}{place} (tier {tier}).", "CONTRADICTED": "{file}{place} (tier {tier}) says otherwise.",
           "UNSUPPORTED": "No source confirms this."},
    "de": {"GROUNDED": "So steht es in {file}{place} (Rang {tier}).", "CONTRADICTED": "{file}{place} (Rang {tier}) sagt etwas anderes.",
           "UNSUPPORTED": "Keine Quelle bestätigt das."},
    "pl": {"GROUNDED": "Tak stanowi {file}{place} (ranga {tier}).", "CONTRADICTED": "{file}{place} (ranga {tier}) mówi co innego.",
           "UNSUPPORTED": "Żadne źródło tego nie potwierdza."},
}  # fmt: skip
_PLACE = {"en": ", page {n}", "de": ", Seite {n}", "pl": ", strona {n}"}
_MISSING = {"en": "Not found: {words}.", "de": "Nicht gefunden: {words}.", "pl": "Nie znaleziono: {words}."}
_PART = {
    "en": "The part “{text}” decides.",
    "de": "Den Ausschlag gibt der Teil „{text}“.",
    "pl": "Rozstrzyga część „{text}”.",
}
_OTHER = {
    "en": "{file} (tier {tier}) says otherwise; it is shown beside.", "de": "{file} (Rang {tier}) sagt etwas anderes; es steht daneben.",
    "pl": "{file} (ranga {tier}) mówi co innego; pokazano obok.",
}  # fmt: skip

_WHY: dict[Reason, tuple[str, str, str]] = {
    Reason.ENTAILED_BOUND: ("The stated figure lies within the claimed bound.", "Die angegebene Zahl liegt innerhalb der behaupteten Grenze.",
                            "Podana liczba mieści się w podanej granicy."),
    Reason.SUPERSEDES_EARLIER: ("It changes an earlier document that says otherwise.", "Es ändert ein früheres Dokument, das anderes sagt.",
                                "Zmienia wcześniejszy dokument, który mówi co innego."),
    Reason.LOWER_TIER_DISAGREES: ("A less authoritative source disagrees.", "Eine Quelle von geringerem Rang widerspricht.",
                                  "Źródło niższej rangi mówi co innego."),
    Reason.VALUE_DIFFERS: ("The figure is another.", "Die Zahl ist eine andere.", "Liczba jest inna."),
    Reason.CURRENCY_DIFFERS: ("The currency is another.", "Die Währung ist eine andere.", "Waluta jest inna."),
    Reason.UNIT_DIFFERS: ("The unit is another.", "Die Einheit ist eine andere.", "Jednostka jest inna."),
    Reason.DATE_DIFFERS: ("The date is another.", "Das Datum ist ein anderes.", "Data jest inna."),
    Reason.PLACE_DIFFERS: ("The place is another.", "Der Ort ist ein anderer.", "Miejsce jest inne."),
    Reason.IDENTIFIER_DIFFERS: ("The number or reference is another.", "Die Kennung ist eine andere.", "Numer lub oznaczenie jest inne."),
    Reason.QUALIFIER_DIFFERS: ("A qualifier excludes it (such as monthly against quarterly, net against gross).",
                               "Eine nähere Bestimmung schließt es aus (etwa monatlich statt vierteljährlich, netto statt brutto).",
                               "Określenie to wyklucza (np. miesięcznie zamiast kwartalnie, netto zamiast brutto)."),
    Reason.POLARITY_DIFFERS: ("The source denies, excludes or rejected it, or affirms what the claim denies.",
                              "Die Quelle verneint, schließt aus oder hat abgelehnt, was behauptet wird, oder bejaht, was verneint wird.",
                              "Źródło zaprzecza, wyklucza lub odrzuciło to, albo potwierdza to, czemu zaprzeczono."),
    Reason.PARTY_DIFFERS: ("The source says it of another party.", "Die Quelle sagt es von einer anderen Partei.", "Źródło mówi to o innej stronie."),
    Reason.SUPERSEDED: ("A later amendment changed it.", "Ein späterer Nachtrag hat es geändert.", "Zmienił to późniejszy aneks."),
    Reason.SOURCES_DISAGREE: ("A source of equal or higher tier disagrees.", "Eine Quelle von gleichem oder höherem Rang widerspricht.",
                              "Źródło równej lub wyższej rangi mówi co innego."),
    Reason.NO_SOURCE: ("Nothing in the folder speaks of it.", "Nichts im Ordner spricht davon.", "Nic w folderze o tym nie mówi."),
    Reason.TERM_MISSING: ("The nearest passage lacks part of the claim.", "Der nächstliegenden Stelle fehlt ein Teil der Behauptung.",
                          "Najbliższemu fragmentowi brakuje części twierdzenia."),
    Reason.NAME_UNKNOWN: ("The name does not stand there.", "Der Name steht dort nicht.", "Nie ma tam tej nazwy."),
    Reason.NAME_NEAR_MISS: ("A similar name stands there, but a similar name is another one.",
                            "Dort steht ein ähnlicher Name; ein ähnlicher Name ist aber ein anderer.",
                            "Jest tam podobna nazwa, ale podobna nazwa to inna nazwa."),
    Reason.VALUE_MISSING: ("No such figure is stated for it.", "Dafür ist keine solche Zahl angegeben.", "Nie podano dla tego takiej liczby."),
    Reason.VALUE_AMBIGUOUS: ("The passage holds several such figures and does not say which one belongs to it.",
                             "Die Stelle enthält mehrere solche Zahlen und sagt nicht, welche gemeint ist.",
                             "Fragment zawiera kilka takich liczb i nie wskazuje, która jest właściwa."),
    Reason.NO_ARITHMETIC: ("Figures that no source states are not computed.", "Zahlen, die keine Quelle nennt, werden nicht errechnet.",
                           "Liczb, których nie podaje żadne źródło, się nie oblicza."),
    Reason.BOUND_DIFFERS: ("The source sets a bound (at least, up to), not that exact figure.",
                           "Die Quelle setzt eine Grenze (mindestens, bis zu), nicht diese genaue Zahl.",
                           "Źródło podaje granicę (co najmniej, do), a nie dokładnie tę liczbę."),
    Reason.PERIOD_MISSING: ("The source does not say it of that date or period.", "Die Quelle sagt es nicht von diesem Tag oder Zeitraum.",
                            "Źródło nie odnosi tego do tej daty lub okresu."),
    Reason.ONLY_PROPOSED: ("It is only proposed, planned, drafted or expected.", "Es ist nur vorgeschlagen, geplant, entworfen oder erwartet.",
                           "Jest to tylko propozycja, plan, projekt lub prognoza."),
    Reason.ONLY_REPORTED: ("Somebody is only reported to have said so.", "Es wird nur als Äußerung wiedergegeben.", "Jest to tylko przytoczona wypowiedź."),
    Reason.ONLY_PERMITTED: ("The source permits it; it does not say that it happened or must happen.",
                            "Die Quelle erlaubt es; sie sagt nicht, dass es geschehen ist oder muss.",
                            "Źródło na to pozwala; nie mówi, że się to stało lub musi się stać."),
    Reason.ONLY_OBLIGED: ("The source obliges to it; it does not say that it was done.",
                          "Die Quelle verpflichtet dazu; sie sagt nicht, dass es geschehen ist.",
                          "Źródło do tego zobowiązuje; nie mówi, że to wykonano."),
    Reason.CONDITION_OMITTED: ("The source says it under a condition that the claim leaves out.",
                               "Die Quelle sagt es unter einer Bedingung, die in der Behauptung fehlt.",
                               "Źródło mówi to pod warunkiem, który pominięto w twierdzeniu."),
    Reason.POLARITY_UNCLEAR: ("Whether the source affirms or denies it cannot be told safely.",
                              "Ob die Quelle es bejaht oder verneint, lässt sich nicht sicher sagen.",
                              "Nie można bezpiecznie ustalić, czy źródło to potwierdza, czy temu zaprzecza."),
    Reason.PART_UNCONFIRMED: ("One part is not confirmed.", "Ein Teil ist nicht bestätigt.", "Jedna część nie jest potwierdzona."),
    Reason.EMPTY_CLAIM: ("The text asserts nothing that could be looked up.", "Der Text behauptet nichts, was sich nachschlagen ließe.",
                         "Tekst nie zawiera twierdzenia, które można sprawdzić."),
    Reason.CLAIM_TOO_LONG: ("The text is longer than 4,000 characters; split it into single statements.",
                            "Der Text ist länger als 4.000 Zeichen; bitte in einzelne Aussagen teilen.",
                            "Tekst ma ponad 4000 znaków; należy go podzielić na pojedyncze twierdzenia."),
}  # fmt: skip
_INDEX = {"en": 0, "de": 1, "pl": 2}


def explain(verdict: Verdict, lang: str) -> str:
    """The explanation of ``verdict`` in ``lang``."""
    lang = lang if lang in _INDEX else "en"
    parts = [_HEAD[lang][verdict.status].format(**_where(verdict.quote, lang))]
    deciding = next((p for p in verdict.parts if p.status == verdict.status), None)
    if verdict.status != "GROUNDED" and deciding is not None:
        parts.append(_PART[lang].format(text=deciding.text.strip(" ,.;")))
    for reason in verdict.reasons:
        if reason in _WHY:
            parts.append(_WHY[reason][_INDEX[lang]])
    if verdict.status == "UNSUPPORTED" and verdict.missing:
        parts.append(_MISSING[lang].format(words=", ".join(f"“{w}”" for w in verdict.missing[:6])))
    if verdict.conflicting is not None and verdict.status == "GROUNDED":
        parts.append(_OTHER[lang].format(file=verdict.conflicting.file, tier=verdict.conflicting.tier))
    return " ".join(parts)


def _where(quote: Quote | None, lang: str) -> dict[str, object]:
    if quote is None:
        return {"file": "", "place": "", "tier": ""}
    return {"file": quote.file, "place": _PLACE[lang].format(n=quote.page) if quote.page else "", "tier": quote.tier}
