"""Electronic invoices: XRechnung (UBL or CII) and ZUGFeRD/Factur-X (CII). Every field becomes a key with its value."""

from __future__ import annotations

import re

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read.assemble import Assembler
from footnote_desktop.documents.read.limits import UnreadableError

#: Label, then the paths (local names) at which CII and UBL keep the field.
_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Invoice number", ("ExchangedDocument/ID", "Invoice/ID", "CreditNote/ID")),
    ("Invoice date", ("ExchangedDocument/IssueDateTime/DateTimeString", "Invoice/IssueDate", "CreditNote/IssueDate")),
    ("Due date", ("SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString", "Invoice/DueDate", "PaymentMeans/PaymentDueDate")),
    ("Delivery date", ("ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString", "Delivery/ActualDeliveryDate")),
    ("Seller", ("SellerTradeParty/Name", "AccountingSupplierParty/Party/PartyLegalEntity/RegistrationName", "AccountingSupplierParty/Party/PartyName/Name")),
    ("Buyer", ("BuyerTradeParty/Name", "AccountingCustomerParty/Party/PartyLegalEntity/RegistrationName", "AccountingCustomerParty/Party/PartyName/Name")),
    ("Order reference", ("BuyerOrderReferencedDocument/IssuerAssignedID", "Invoice/OrderReference/ID")),
    ("Currency", ("ApplicableHeaderTradeSettlement/InvoiceCurrencyCode", "Invoice/DocumentCurrencyCode", "CreditNote/DocumentCurrencyCode")),
    ("IBAN", ("PayeePartyCreditorFinancialAccount/IBANID", "PayeeFinancialAccount/ID")),
    ("Net amount", ("SpecifiedTradeSettlementHeaderMonetarySummation/TaxBasisTotalAmount", "LegalMonetaryTotal/TaxExclusiveAmount")),
    ("VAT amount", ("SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount", "Invoice/TaxTotal/TaxAmount")),
    ("Gross amount", ("SpecifiedTradeSettlementHeaderMonetarySummation/GrandTotalAmount", "LegalMonetaryTotal/TaxInclusiveAmount")),
    ("Amount payable", ("SpecifiedTradeSettlementHeaderMonetarySummation/DuePayableAmount", "LegalMonetaryTotal/PayableAmount")),
)  # fmt: skip


def is_invoice(data: bytes) -> bool:
    return bool(re.search(rb"<(?:\w+:)?(?:CrossIndustryInvoice|Invoice|CreditNote)[\s>]", data[:4000]))


def read(data: bytes) -> Extracted:
    """An invoice alone in an XML file. Raises :class:`UnreadableError` for any other XML."""
    out = Assembler()
    feed(out, data)
    return out.done(meta=[("type", "invoice")])


def feed(out: Assembler, data: bytes) -> None:
    from defusedxml import ElementTree  # type: ignore[import-untyped]
    from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]

    try:
        root = ElementTree.fromstring(data)
    except DefusedXmlException as error:
        raise UnreadableError("the XML defines entities, which invoices never do; it was not read") from error
    except ElementTree.ParseError as error:
        raise UnreadableError("the XML is broken") from error
    found: dict[str, list[str]] = {}
    _walk(root, [], found)
    names = {path.split("/")[0] for path in found}
    if not names & {"CrossIndustryInvoice", "Invoice", "CreditNote"}:
        raise UnreadableError("the XML is no electronic invoice (neither CII nor UBL)")
    number = _first(found, _FIELDS[0][1]) or ""
    currency = _first(found, _FIELDS[7][1]) or ""
    out.heading(f"{'Credit note' if 'CreditNote' in names else 'Invoice'} {number}".strip(), 1)
    for label, paths in _FIELDS:
        value = _first(found, paths)
        if value:
            if "amount" in label.lower() and currency:
                value = f"{value} {currency}"
            elif re.fullmatch(r"\d{8}", value) and "date" in label.lower():
                value = f"{value[:4]}-{value[4:6]}-{value[6:]}"
            out.paragraph(f"{label}: {value}")
    rows = _lines(root, currency)
    if rows:
        out.table(
            [[("Item", ""), ("Quantity", ""), (f"Net amount ({currency})" if currency else "Net amount", "")], *rows],
            caption="Invoice lines",
        )


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]


def _walk(element: object, path: list[str], found: dict[str, list[str]]) -> None:
    tag = _local(str(element.tag))  # type: ignore[attr-defined]
    here = [*path, tag]
    text = (element.text or "").strip()  # type: ignore[attr-defined]
    if text:
        found.setdefault("/".join(here), []).append(text)
    for child in element:  # type: ignore[attr-defined]
        if len(here) < 40:
            _walk(child, here, found)


def _first(found: dict[str, list[str]], endings: tuple[str, ...]) -> str | None:
    for ending in endings:
        for path, values in found.items():
            if path == ending or path.endswith("/" + ending):
                return values[0]
    return None


def _lines(root: object, currency: str) -> list[list[tuple[str, str]]]:
    rows = []
    for element in root.iter():  # type: ignore[attr-defined]
        if _local(str(element.tag)) in ("IncludedSupplyChainTradeLineItem", "InvoiceLine", "CreditNoteLine"):
            found: dict[str, list[str]] = {}
            _walk(element, [], found)
            name = _first(found, ("SpecifiedTradeProduct/Name", "Item/Name")) or ""
            quantity = _first(found, ("BilledQuantity", "InvoicedQuantity", "CreditedQuantity")) or ""
            total = (
                _first(found, ("SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount", "LineExtensionAmount"))
                or ""
            )
            rows.append([(name, ""), (quantity, ""), (total, "")])
    return rows
