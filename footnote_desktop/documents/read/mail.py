"""EML and MSG: headers as key and value, the body, and quoted replies told apart from the reply."""

from __future__ import annotations

import re
from email import policy
from email.parser import BytesParser
from pathlib import Path

from footnote_desktop.documents.model import Extracted
from footnote_desktop.documents.read import html
from footnote_desktop.documents.read.assemble import Assembler
from footnote_desktop.documents.read.limits import UnreadableError

_QUOTE_HEAD = re.compile(
    r"^(?:On .{5,120} wrote:|Am .{5,120} schrieb.{0,80}:|W dniu .{5,120} (?:napisał|pisze).{0,60}:|Dnia .{5,120} (?:napisał|pisze).{0,60}:|-{2,}\s*"
    r"(?:Original Message|Ursprüngliche Nachricht|Oryginalna wiadomość|Wiadomość oryginalna|Forwarded message).*|_{10,})\s*$",
    re.I,
)


def read_eml(data: bytes) -> Extracted:
    try:
        message = BytesParser(policy=policy.default).parsebytes(data)
        headers = [(name, str(message[name])) for name in ("From", "To", "Cc", "Date", "Subject") if message[name]]
        body = message.get_body(("plain", "html"))
        text = body.get_content() if body is not None else ""
        attachments = (
            [part.get_filename() or "unnamed" for part in message.iter_attachments()] if message.is_multipart() else []
        )
    except Exception as error:
        raise UnreadableError("the message is broken and cannot be read") from error
    if not headers and not text:
        raise UnreadableError("the file holds no message")
    is_html = body is not None and body.get_content_type() == "text/html"
    return _assemble(headers, str(text), is_html, attachments)


def read_msg(path: Path) -> Extracted:
    try:
        import oxmsg

        message = oxmsg.Message.load(str(path))
        headers = [
            ("From", message.sender or ""),
            ("To", ", ".join(str(r.email_address or r.name) for r in message.recipients)),
        ]
        if message.sent_date:
            headers.append(("Date", message.sent_date.strftime("%d %B %Y %H:%M")))
        headers.append(("Subject", message.subject or ""))
        text, is_html = (message.body, False) if message.body else (message.html_body or "", True)
        attachments = [a.file_name or "unnamed" for a in message.attachments]
    except Exception as error:
        raise UnreadableError("the message is broken and cannot be read") from error
    return _assemble([(k, v) for k, v in headers if v], text, is_html, attachments)


def _assemble(headers: list[tuple[str, str]], text: str, is_html: bool, attachments: list[str]) -> Extracted:
    out = Assembler()
    for name, value in headers:
        out.paragraph(f"{name}: {' '.join(value.split())}")
    if is_html:
        html.feed(out, text)
    else:
        _body(out, text.replace("\r\n", "\n"))
    subject = next((v for k, v in headers if k == "Subject"), "")
    notes = [f"attachments are not read: {', '.join(sorted(attachments))}"] if attachments else []
    return out.done(meta=[("subject", subject), ("type", "e-mail")] if subject else [("type", "e-mail")], notes=notes)


def _body(out: Assembler, text: str) -> None:
    quoted = False
    buffer: list[str] = []
    state = False

    def flush() -> None:
        nonlocal buffer
        if buffer:
            out.paragraph(" ".join(buffer), quoted=state)
        buffer = []

    for line in text.split("\n"):
        if _QUOTE_HEAD.match(line.strip()):
            flush()
            quoted = True
        now = quoted or line.lstrip().startswith(">")
        plain = re.sub(r"^[\s>]+", "", line).strip() if now else line.strip()
        if now != state or not plain:
            flush()
            state = now
        if plain:
            if re.match(r"^(?:[-*•]|\d+[.)])\s", plain):
                flush()
            buffer.append(plain)
    flush()
