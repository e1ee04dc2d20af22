"""The connection: one line to paste, and the same as fields. libpq's parser reads it; nothing here does."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QLineEdit, QWidget

from footnote_desktop.desktop.controls import Button, Field, column, label, row
from footnote_desktop.desktop.wizard.page import Form, WizardPage, choice, scrolled, select
from footnote_desktop.desktop.wizard.state import Wizard
from footnote_desktop.settings import SettingsError
from footnote_desktop.settings.connection import join, split_password

#: libpq's keyword, what people call it, and what stands there when it is empty.
FIELDS = (
    ("host", "Host", "db.example.com, or the folder of a socket"),
    ("port", "Port", "5432"),
    ("dbname", "Database", ""),
    ("user", "User", ""),
    ("sslrootcert", "CA file", "the certificate authority's file, from IT"),
)
SSL = (
    ("", "by Footnote's rule"),
    ("verify-full", "verify-full"),
    ("verify-ca", "verify-ca"),
    ("require", "require"),
    ("prefer", "prefer"),
    ("allow", "allow"),
    ("disable", "disable"),
)
KEPT = (
    ("keyring", "in this machine's keyring"),
    ("ask", "nowhere: ask each time Footnote starts"),
    ("libpq", "not by Footnote: pgpass, service file or certificate"),
)


class ConnectionPage(WizardPage):
    heading = "Your database"
    meaning = (
        "IT can give you one line, or the single values. A user who can only read is enough, and best.\n\nThe password"
        " goes to this machine's keyring and into no file. A password inside a pasted line is taken out at once.\n\n"
        "For another machine the connection is encrypted, and the server's name is checked where a CA file is given."
    )

    def __init__(self, wizard: Wizard) -> None:
        super().__init__(wizard)
        inner = QWidget()
        body = column(inner, margins=(0, 0, 10, 0), gap=10)
        form = Form()
        self.line = Field()
        self.line.setPlaceholderText("postgresql://user@host:5432/database — paste what IT sent")
        self.line.editingFinished.connect(self._line_given)
        self.line.textEdited.connect(self._line_edited)
        self._typed_before = 0
        form.add("Connection", self.line)
        self.fields: dict[str, Field] = {}
        for key, name, hint in FIELDS:
            field = Field()
            field.setPlaceholderText(hint)
            field.textEdited.connect(partial(self._field_given, key))
            self.fields[key] = field
            form.add(name, field)
        self.ssl = choice(SSL, partial(self._field_given, "sslmode"))
        form.add("Encryption (sslmode)", self.ssl)
        self.password = Field()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.textEdited.connect(lambda text: self.put(password=text))
        form.add("Password", self.password)
        self.kept = choice(KEPT, lambda value: self.put(password_from=value))
        form.add("It is kept", self.kept)
        self.ssh = Field()
        self.ssh.setPlaceholderText("none; or a server, as you would give it to ssh")
        self.ssh.textEdited.connect(lambda text: self.put(ssh=text.strip()))
        form.add("SSH tunnel through", self.ssh)
        body.addLayout(form)
        foot = row()
        self.other = label("", "muted", wrap=True)
        foot.addWidget(self.other, 1)
        self.reveal = Button("Show the password", "quiet", pressed=self._reveal)
        foot.addWidget(self.reveal)
        body.addLayout(foot)
        self.fault = label("", wrap=True)
        self.fault.setProperty("mood", "bad")
        body.addWidget(self.fault)
        body.addStretch(1)
        self.layout_.addWidget(scrolled(inner), 1)

    def enter(self) -> None:
        typed = self.wizard.typed
        self.password.setText(typed.password)
        if self.wizard.editing:
            self.password.setPlaceholderText("as it was")
        self.ssh.setText(typed.ssh)
        select(self.kept, typed.password_from)
        self._show_line()
        self._show_fields()

    def leave(self) -> None:
        self._line_given()

    def _line_edited(self, text: str) -> None:
        """What is pasted is read at once, so that a password in it does not stay in sight."""
        pasted = len(text) - self._typed_before > 1
        self._typed_before = len(text)
        if pasted:
            self._line_given()

    def _line_given(self) -> None:
        if self.line.text().strip() == self.wizard.typed.url:
            return
        self.put(url=self.line.text())
        self._show_line()
        self._show_fields()
        self.password.setText(self.wizard.typed.password)

    def _field_given(self, key: str, text: str) -> None:
        parts = self._parts() or {}
        parts.pop("file", None)
        if text.strip():
            parts[key] = text.strip()
        else:
            parts.pop(key, None)
        self.put(url=join(parts) if parts else "")
        self._show_line()

    def _parts(self) -> dict[str, str] | None:
        """The line as libpq's keywords; None when it cannot be read."""
        self.fault.clear()
        if not self.wizard.typed.url:
            return {}
        try:
            return split_password(self.wizard.typed.url)[0]
        except SettingsError as error:
            text = str(error)
            self.fault.setText(f"{text[:1].upper()}{text[1:]}.")
            return None

    def _show_line(self) -> None:
        self.line.setText(self.wizard.typed.url)
        self.line.setCursorPosition(0)
        self._typed_before = len(self.line.text())

    def _show_fields(self) -> None:
        parts = self._parts()
        for key, field in self.fields.items():
            field.setText((parts or {}).get(key, ""))
        select(self.ssl, (parts or {}).get("sslmode", ""))
        shown = {*self.fields, "sslmode"}
        others = [f"{key} = {value}" for key, value in (parts or {}).items() if key not in shown]
        self.other.setText("Also: " + ", ".join(others) if others else "")

    def _reveal(self) -> None:
        hidden = self.password.echoMode() == QLineEdit.EchoMode.Password
        self.password.setEchoMode(QLineEdit.EchoMode.Normal if hidden else QLineEdit.EchoMode.Password)
        self.reveal.put("Hide the password" if hidden else "Show the password")
