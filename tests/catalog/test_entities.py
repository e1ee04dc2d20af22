"""A customer resolves by the stated rules, or nothing does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_desktop.catalog.entities import Customer, fold, is_legal_form, matching, nearest, resolve
from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.catalog.result import Refusal

CUSTOMERS = [
    Customer(4471, "Bergmann Logistik GmbH"),
    Customer(4472, "Nordwind Marine AS"),
    Customer(4473, "Petrov Components d.o.o."),
    Customer(4474, "Lumière Packaging SARL"),
    Customer(4475, "Adriatic Foods d.d."),
    Customer(10, "BMW"),
    Customer(11, "3M"),
    Customer(12, "O'Brien & Sons Ltd"),
    Customer(13, "Österreich Post AG"),
    Customer(14, "Hansa Trading GmbH"),
    Customer(15, "Hansa Trading GmbH Polska"),
    Customer(16, "Müller GmbH"),
    Customer(17, "Müller GmbH"),
    Customer(18, "Over"),
    Customer(19, "Straßenbau Øst ApS"),
    Customer(20, "100% Bio_Markt"),
    Customer("A-77", "Text Id Ltd"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4471", 4471),
        ("0004471", 4471),
        ("４４７１", 4471),  # full width: the same digits in another form (NFKC)
        ("a-77", "A-77"),
        ("Bergmann", 4471),
        ("  Bergmann \n", 4471),
        ("bergman", 4471),  # the start of a word
        ("Logistik", 4471),
        ("BERGMANN LOGISTIK GMBH", 4471),
        ("Bergmann Logistik", 4471),
        ("Lumiere", 4474),
        ("LUMIÈRE PACKAGING SARL", 4474),
        (unicodedata.normalize("NFD", "Lumière"), 4474),
        ("BMW", 10),
        ("3m", 11),
        ("O’Brien", 12),
        ("o'brien", 12),
        ("Brien", 12),
        ("österreich post", 13),
        ("Osterreich", 13),
        ("Hansa Trading GmbH", 14),  # the whole name, though it starts another
        ("Polska", 15),
        ("STRASSENBAU", 19),
        ("ost aps", 19),
        ("100%", 20),
        ("100% bio_", 20),
    ],
)
def test_resolves(text: str, expected: int | str) -> None:
    found = resolve(CUSTOMERS, text)
    assert found.customer is not None
    assert found.customer.id == expected


@pytest.mark.parametrize(
    "text",
    [
        "B", "w", "a", "Be", "GmbH", "AS", "d.d.", "d.o.o.", "GmbH & Co. KG", "AG", "%", "_", "B%", "P_trov%",
        "%marine%",
        "ergmann", "ergmann Logistik", "Bergmann Shipping Ltd", "Adriatic Airlines", "Nordwind Capital", "Petrov Bank",
        "Bergmann Logistics AG", "Bergmann Logistik AG", "Bergmann GmbH", "Acme Corporation", "9999", "-4471", "44",
        "447", "99999999999999999999", "4471.0", "٤٤٧١", "' OR '1'='1", "Веrgmann", "📦", "", " ", "\0",
        "Bergmann\0", "Berg\u200bmann", "Bergmann" * 100, "-", ".", "''",
    ],
)  # fmt: skip
def test_does_not_resolve(text: str) -> None:
    assert resolve(CUSTOMERS, text).customer is None


def test_several_are_never_resolved_by_picking() -> None:
    found = resolve(CUSTOMERS, "Hansa")
    assert found.customer is None
    assert found.ambiguous
    assert found.alternatives == ("Hansa Trading GmbH", "Hansa Trading GmbH Polska")
    assert resolve(CUSTOMERS, "Müller GmbH").alternatives == ("Müller GmbH (id 16)", "Müller GmbH (id 17)")


def test_a_typo_finds_its_name_first() -> None:
    for typo, name in [
        ("Bergmnan", "Bergmann Logistik GmbH"),
        ("Nordwnd", "Nordwind Marine AS"),
        ("Petorv", "Petrov Components d.o.o."),
        ("Lumeire", "Lumière Packaging SARL"),
        ("OBrien", "O'Brien & Sons Ltd"),
        ("Bergmann Shipping Ltd", "Bergmann Logistik GmbH"),
        ("Adriatic Airlines", "Adriatic Foods d.d."),
    ]:
        assert nearest(CUSTOMERS, typo)[0] == name
    assert len(nearest(CUSTOMERS, "Acme Corporation")) == 5


def test_matches_come_in_record_order() -> None:
    assert [c.id for c in matching(CUSTOMERS, "müller")] == [16, 17]
    assert [c.id for c in matching(list(reversed(CUSTOMERS)), "müller")] == [17, 16]


@given(st.sampled_from(CUSTOMERS), st.data())
def test_the_whole_name_always_resolves_in_any_case_and_form(customer: Customer, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
    change = data.draw(st.sampled_from([str.upper, str.lower, str.title, lambda s: s]))
    text = "  " + unicodedata.normalize(form, change(customer.name)) + "\t"
    assert customer in matching(CUSTOMERS, text)


@given(st.text(max_size=30))
def test_folding_is_stable(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=30))
def test_what_matches_starts_a_word_or_is_the_whole(text: str) -> None:
    found = resolve(CUSTOMERS, text)
    if found.customer is not None:
        query, name = fold(text), fold(found.customer.name)
        assert query
        assert not is_legal_form(query)
        assert query in name or query.lstrip("0") == fold(str(found.customer.id))


def test_no_query_runs_for_an_unknown_customer(sample: Catalog) -> None:
    with pytest.raises(Refusal) as refused:
        sample.run("getOverdueInvoices", {"customer": "Acme Corporation"})
    assert refused.value.kind == "unknown_entity"
    assert [q.purpose for q in refused.value.queries] == ["entity"]
    assert set(refused.value.alternatives) == {c.name for c in sample.customers()}


def test_customers_are_in_record_order(sample: Catalog) -> None:
    assert [c.id for c in sample.customers()] == [4471, 4472, 4473, 4474, 4475]


def test_long_text_is_cut_in_the_message(sample: Catalog) -> None:
    with pytest.raises(Refusal) as refused:
        sample.run("getOverdueInvoices", {"customer": "B" * 100_000})
    assert len(refused.value.message) < 500
