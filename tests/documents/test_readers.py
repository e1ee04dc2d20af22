"""Every format, and files that mean harm: units with exact pointers, verbatim quotes, one sentence for what cannot be read."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from footnote_desktop.documents.library import FolderError, Library
from footnote_desktop.documents.model import GAP

EML = (
    b"From: Ann <ann@x.example>\r\nTo: Ben <ben@x.example>\r\nDate: Tue, 3 Sep 2024 10:00:00 +0200\r\nSubject: Elevator repair\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n\r\nThe elevator repair cost EUR 4,300.\r\n\r\nOn 2 Sep 2024, Ben wrote:\r\n> Please repair the elevator.\r\n"
)
CII = """<?xml version="1.0"?><r:CrossIndustryInvoice xmlns:r="urn:r" xmlns:a="urn:a"><r:ExchangedDocument><a:ID>RE-2024-0815</a:ID>
<a:IssueDateTime><a:DateTimeString>20240905</a:DateTimeString></a:IssueDateTime></r:ExchangedDocument><r:SupplyChainTradeTransaction>
<a:ApplicableHeaderTradeAgreement><a:SellerTradeParty><a:Name>Muster GmbH</a:Name></a:SellerTradeParty></a:ApplicableHeaderTradeAgreement>
<a:ApplicableHeaderTradeSettlement><a:InvoiceCurrencyCode>EUR</a:InvoiceCurrencyCode><a:SpecifiedTradePaymentTerms><a:DueDateDateTime>
<a:DateTimeString>20241005</a:DateTimeString></a:DueDateDateTime></a:SpecifiedTradePaymentTerms><a:SpecifiedTradeSettlementHeaderMonetarySummation>
<a:TaxBasisTotalAmount>1000.00</a:TaxBasisTotalAmount><a:GrandTotalAmount>1190.00</a:GrandTotalAmount>
</a:SpecifiedTradeSettlementHeaderMonetarySummation></a:ApplicableHeaderTradeSettlement></r:SupplyChainTradeTransaction></r:CrossIndustryInvoice>"""
UBL = """<Invoice xmlns="urn:i" xmlns:c="urn:c"><c:ID>UBL-77-2024</c:ID><c:IssueDate>2024-09-05</c:IssueDate><c:DueDate>2024-10-05</c:DueDate>
<c:DocumentCurrencyCode>EUR</c:DocumentCurrencyCode><c:LegalMonetaryTotal><c:PayableAmount currencyID="EUR">238.00</c:PayableAmount></c:LegalMonetaryTotal></Invoice>"""


def pdf(pages: list[str], attachment: tuple[str, bytes] | None = None) -> bytes:
    """A minimal PDF, one string of lines a page."""
    objects: dict[int, bytes] = {}
    font = 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    names = ""
    if attachment:
        name, data = attachment
        names = f" /Names << /EmbeddedFiles << /Names [({name}) {font + 1} 0 R] >> >>"
        objects[font + 1] = f"<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {font + 2} 0 R >> >>".encode()
        objects[font + 2] = f"<< /Type /EmbeddedFile /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"
    objects[1] = f"<< /Type /Catalog /Pages 2 0 R{names} >>".encode()
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    for i, text in enumerate(pages):
        lines = " ".join(f"({line}) Tj T*" for line in text.split("\n"))
        stream = f"BT /F1 11 Tf 60 780 Td 14 TL {lines} ET"
        objects[3 + 2 * i] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {4 + 2 * i} 0 R /Resources << /Font << /F1 {font} 0 R >> >> >>"
        ).encode()
        objects[4 + 2 * i] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream".encode("latin-1")
    objects[font] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    out, places = b"%PDF-1.4\n", {}
    for number in sorted(objects):
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + objects[number] + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {max(objects) + 1}\n0000000000 65535 f \n".encode() + b"".join(
        b"%010d 00000 n \n" % places[n] for n in sorted(objects)
    )
    return out + f"trailer << /Size {max(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docx = pytest.importorskip("docx")
    openpyxl = pytest.importorskip("openpyxl")
    root = tmp_path_factory.mktemp("documents")
    document = docx.Document()
    document.add_heading("Service Agreement", 1)
    document.add_paragraph("The monthly fee is EUR 1,250.00. Either party may terminate with 60 days' notice.")
    table = document.add_table(rows=2, cols=3)
    for r, row in enumerate([("Item", "2024 (EUR)", "2023 (EUR)"), ("Licence fee", "12,400", "11,900")]):
        for c, value in enumerate(row):
            table.cell(r, c).text = value
    document.save(str(root / "service.docx"))
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "P&L"
    for row in (["in TEUR"], [], ["Item", 2024, 2023], ["Revenue", 4120, 3980], ["Net profit", 310, 250]):
        sheet.append(row)
    book.save(root / "accounts.xlsx")
    book.close()
    (root / "mail.eml").write_bytes(EML)
    (root / "invoice.xml").write_text(CII, encoding="utf-8")
    (root / "ubl.xml").write_text(UBL, encoding="utf-8")
    (root / "page.html").write_text(
        "<html><head><title>Price list</title><script>secret = 9</script></head><body><h1>Prices</h1><p>The hourly rate is EUR 140.</p></body></html>"
    )
    (root / "latin.txt").write_bytes("Die Bearbeitungsgebühr beträgt 45,00 EUR.\n".encode("cp1252"))
    (root / "deliveries.csv").write_text(
        "Quarter;Delivered (t);Net value (EUR)\nQ1 2023;180;84,600.00\nQ2 2023;240;112,800.00\n", encoding="utf-8"
    )
    (root / "supply contract.pdf").write_bytes(
        pdf(
            [
                "SUPPLY CONTRACT\n\n1. Price\nThe price per tonne is EUR 880.00.",
                "2. Term\nThe contract ends on 31 December 2027.",
            ]
        )
    )
    (root / "zugferd.pdf").write_bytes(
        pdf(["Rechnung ZF-2024-11"], ("factur-x.xml", CII.replace("RE-2024-0815", "ZF-2024-11").encode()))
    )
    return root


@pytest.mark.parametrize(
    ("claim", "file", "page", "sheet"),
    [
        ("The monthly fee is EUR 1,250.", "service.docx", None, None),
        ("The licence fee in 2023 was EUR 11,900.", "service.docx", None, None),
        ("Revenue in 2024 was EUR 4.12 million.", "accounts.xlsx", None, "P&L"),
        ("The elevator repair cost EUR 4,300.", "mail.eml", None, None),
        ("The hourly rate is EUR 140.", "page.html", None, None),
        ("Invoice RE-2024-0815 has a gross amount of EUR 1,190.00.", "invoice.xml", None, None),
        ("The invoice RE-2024-0815 is due on 5 October 2024.", "invoice.xml", None, None),
        ("The amount payable of invoice UBL-77-2024 is EUR 238.00.", "ubl.xml", None, None),
        ("Invoice ZF-2024-11 has a net amount of EUR 1,000.00.", "zugferd.pdf", None, None),
        ("Die Bearbeitungsgebühr beträgt 45 EUR.", "latin.txt", None, None),
        ("In Q2 2023, 240 tonnes were delivered.", "deliveries.csv", None, None),
        ("The price per tonne is EUR 880.", "supply contract.pdf", 1, None),
        ("The contract ends on 31 December 2027.", "supply contract.pdf", 2, None),
    ],
)
def test_each_format(folder: Path, claim: str, file: str, page: int | None, sheet: str | None) -> None:
    with Library(folder, memory=True) as library:
        verdict = library.verify(claim)
        assert verdict.status == "GROUNDED", (verdict.reasons, verdict.nearest, verdict.quote)
        assert verdict.quote is not None
        assert (verdict.quote.file, verdict.quote.page, verdict.quote.sheet) == (file, page, sheet)


def test_quotes_are_exact_substrings(folder: Path) -> None:
    with Library(folder, memory=True) as library:
        for source in library.sources():
            assert source.state == "ready", source.problem
        for query in ("fee price revenue amount delivered contract elevator invoice", "Gebühr"):
            for hit in library.search(query, 100):
                for fragment, (start, end) in zip(hit.quote.text.split(GAP), hit.quote.spans, strict=True):
                    text, a, b = library.passage(hit.quote.file, start, end, 50)
                    assert text[a:b] == fragment


def test_a_csv_row_is_quoted_as_it_stands(folder: Path) -> None:
    with Library(folder, memory=True) as library:
        quote = library.quote("Q2 2023 delivered", file="deliveries.csv")[0]
        assert quote.text in (folder / "deliveries.csv").read_text(encoding="utf-8")
        assert quote.cells == "A3:C3" or quote.cells == "A2:C2"


def test_hostile_files_are_listed_with_a_reason(tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (tmp_path / "secret.md").write_text("The password is swordfish.")
    os.symlink(tmp_path / "secret.md", root / "link.md")
    os.symlink(tmp_path, root / "up")
    (root / "bomb.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><Invoice>&b;</Invoice>'
    )
    (root / "other.xml").write_text("<note>hello</note>")
    (root / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (root / "scan.pdf").write_bytes(pdf(["", ""]))
    (root / "binary.txt").write_bytes(b"\x00\x01\xff" * 500)
    (root / "empty.md").write_text("")
    (root / "encrypted.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 600)
    (root / "broken.xlsx").write_bytes(b"no zip")
    (root / "broken.msg").write_bytes(b"no message")
    (root / "picture.png").write_bytes(b"x")
    with zipfile.ZipFile(root / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (60 * 1024 * 1024))
    with Library(root, memory=True) as library:
        problems = {s.file: s.problem for s in library.sources()}
        assert all(problems.values()), problems
        assert "zip bomb" in problems["bomb.docx"]
        assert "out of the folder" in problems["link.md"]
        assert "scanned" in problems["scan.pdf"]
        assert "encrypted" in problems["encrypted.docx"]
        assert not any("up/" in f for f in problems)
        assert library.verify("The password is swordfish.").status == "UNSUPPORTED"


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    (tmp_path / "plain.pdf").write_bytes(pdf(["The fee is EUR 5.00."]))
    writer = pypdf.PdfWriter(clone_from=str(tmp_path / "plain.pdf"))
    writer.encrypt("pw", algorithm="RC4-128")
    with (tmp_path / "locked.pdf").open("wb") as file:
        writer.write(file)
    with Library(tmp_path, memory=True) as library:
        assert "password" in {s.file: s.problem for s in library.sources()}["locked.pdf"]


def test_no_folder() -> None:
    with pytest.raises(FolderError, match="choose the folder"):
        Library("/does/not/exist")
