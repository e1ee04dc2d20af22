"""How the answer was computed: the operations that ran, their SQL, their snapshot."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu, QPlainTextEdit, QSizePolicy, QWidget

from footnote_desktop.desktop.answer import Answer
from footnote_desktop.desktop.computed import READING, Computation, Statement, computations, duration, summary
from footnote_desktop.desktop.controls import Button, Elided, column, row
from footnote_desktop.desktop.theme import fixed_font, theme


class ComputedPanel(QWidget):
    """A line that says it in short; opened, the statements one by one."""

    def __init__(self, copy: Callable[[str, str], None]) -> None:
        super().__init__()
        self._copy = copy
        self._parts: tuple[Computation, ...] = ()
        self._statements: list[tuple[Computation, Statement]] = []
        self._chosen = 0
        self._title = "How this was computed"
        self._views = QButtonGroup(self)
        outer = column(self, gap=8)
        self.toggle = Button("", "quiet", symbol="right", pressed=self.flip)
        self.toggle.setStyleSheet("text-align: left; padding-left: 0;")
        self.toggle.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.toggle.setToolTip("Show the operations and the SQL that ran (Ctrl+J)")
        self.toggle.setAccessibleName(self._title)
        outer.addWidget(self.toggle)
        self.body = QFrame()
        self.body.setProperty("kind", "inset")
        body = column(self.body, margins=(12, 8, 12, 8), gap=6)
        self._filled = self._view_button("Filled in", "With the parameters in their places, for reading")
        self._exact = self._view_button("As run", "Exactly as given to the database, with the parameters below")
        self._filled.setChecked(True)
        copy_sql = Button("", "quiet", symbol="copy", pressed=self.copy_sql)
        copy_sql.setAccessibleName("Copy SQL")
        copy_sql.setToolTip("Copy the SQL as it is shown (Ctrl+Shift+S)")
        head = row(gap=2)
        self.which = Button("", "quiet", symbol="down")
        self.which.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.which.setAccessibleName("Choose one of the statements that ran")
        self._menu = QMenu(self)
        self.which.setMenu(self._menu)
        head.addWidget(self.which)
        head.addStretch(1)
        for button in (self._filled, self._exact, copy_sql):
            head.addWidget(button)
        body.addLayout(head)
        self.sql = QPlainTextEdit()
        self.sql.setReadOnly(True)
        self.sql.setTabChangesFocus(True)
        self.sql.setFont(fixed_font())
        self.sql.setMinimumHeight(80)
        self.sql.setAccessibleName("SQL that ran")
        self.sql.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._highlighter = _Highlighter(self.sql.document())
        body.addWidget(self.sql, 1)
        self.call = Elided(role="muted")
        self.snapshot = Elided(role="muted")
        body.addWidget(self.call)
        body.addWidget(self.snapshot)
        outer.addWidget(self.body, 1)
        self.set_open(False)

    def _view_button(self, text: str, tip: str) -> Button:
        button = Button(text, "quiet", pressed=self.show_sql)
        button.setCheckable(True)
        button.setToolTip(tip)
        self._views.addButton(button)
        return button

    def show_answer(self, answer: Answer) -> None:
        self._parts = computations(answer)
        self._statements = [(part, one) for part in self._parts for one in part.statements]
        self._chosen = 0
        self.setVisible(bool(self._parts))
        how = "How this was decided" if answer.outcome == "refused" else "How this was computed"
        self._title = f"{how}: {summary(self._parts)}"
        self._elide()
        self._fill_menu()
        wanted = (n for n, (_, one) in enumerate(self._statements) if one.purpose == "totals")
        self._chosen = next(wanted, 0)
        self.show_sql()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.width() - 38
        self.toggle.put(QFontMetrics(self.toggle.font()).elidedText(self._title, Qt.TextElideMode.ElideRight, room))
        self.toggle.setAccessibleName(self._title)

    def flip(self) -> None:
        """Open or close."""
        self.set_open(self.body.isHidden())

    def set_open(self, wanted: bool) -> None:
        self.body.setVisible(wanted)
        self.toggle.put_icon("down" if wanted else "right")
        # Closed it is one line and leaves the room to the answer.
        self.setSizePolicy(
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding if wanted else QSizePolicy.Policy.Fixed
        )

    @property
    def is_open(self) -> bool:
        return not self.body.isHidden()

    def _fill_menu(self) -> None:
        self._menu.clear()
        several = len(self._parts) > 1
        for number, (part, statement) in enumerate(self._statements):
            text = _told(statement)
            action = self._menu.addAction((f"{part.name}: {text}" if several else text).replace("&", "&&"))
            action.triggered.connect(partial(self._choose, number))
        self.which.setVisible(bool(self._statements))

    def _choose(self, number: int, *_: object) -> None:
        self._chosen = number
        self.show_sql()

    def show_sql(self) -> None:
        part = self._statements[self._chosen][0] if self._statements else (self._parts[0] if self._parts else None)
        if part is None:
            return
        if self._statements:
            place = f" ({self._chosen + 1} of {len(self._statements)})" if len(self._statements) > 1 else ""
            told = _told(self._statements[self._chosen][1])
            self.which.put(f"{told}{place}")
        arguments = ", ".join(f"{name}={value}" for name, value in part.arguments)
        call = "The question was read; no operation ran" if part.name == READING else f"{part.name}({arguments})"
        self.call.put(call + (f" · {duration(part.ms)}" if part.ms is not None else ""))
        self.sql.setPlainText(self.current_sql() or "-- No query ran.")
        self.snapshot.put("Snapshot: " + " · ".join(value for _, value in part.snapshot) if part.snapshot else "")

    def current_sql(self, exact: bool | None = None) -> str:
        """The chosen statement as it is shown, or exactly as it ran when ``exact``."""
        if not self._statements:
            return ""
        statement = self._statements[self._chosen][1]
        wanted = self._exact.isChecked() if exact is None else exact
        return statement.for_copying() if wanted else statement.readable

    def copy_sql(self) -> None:
        self._copy(self.current_sql(), "SQL")


def _told(statement: Statement) -> str:
    """``totals · 1 row · 0.3 ms``"""
    rows = "" if statement.rows is None else f"{statement.rows}\u00a0row{'' if statement.rows == 1 else 's'}"
    time = "" if statement.ms is None else duration(statement.ms)
    return " · ".join(part for part in (statement.purpose, rows, time) if part)


_SQL = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<text>'(?:[^']|'')*')|(?P<name>:[a-z_]+)|(?P<word>\b(?:SELECT|FROM|WHERE|AND|OR|NOT|IN|AS|"
    r"JOIN|LEFT|INNER|ON|GROUP|BY|ORDER|WITH|UNION|ALL|CASE|WHEN|THEN|ELSE|END|NULL|IS|SUM|COUNT|MAX|MIN|COALESCE|LIMIT|"
    r"ASC|DESC|CAST|HAVING|DISTINCT|BETWEEN|LIKE|EXISTS|UPPER|LOWER|TRIM)\b)",
    re.IGNORECASE,
)


_COLORS = {"comment": "muted", "text": "ok", "name": "warn"}


class _Highlighter(QSyntaxHighlighter):
    """SQL's words, texts and comments; line by line, which is enough for reading."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        theme.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        for match in _SQL.finditer(text):
            form = QTextCharFormat()
            kind = match.lastgroup
            form.setForeground(
                theme.color({"comment": "muted", "text": "ok", "name": "warn"}.get(kind or "", "accent"))
            )
            if kind == "word":
                form.setFontWeight(QFont.Weight.DemiBold)
            self.setFormat(match.start(), match.end() - match.start(), form)
