"""The box that says where an answer stands in the log and what the last check of the log says about it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from footnote_desktop.desktop import chain as chains
from footnote_desktop.desktop.answer import RecordLine
from footnote_desktop.desktop.chain import ChainState, Saying
from footnote_desktop.desktop.controls import Button, Elided, Picture, column, label, row, set_property
from footnote_desktop.desktop.plain import tooltip
from footnote_desktop.desktop.theme import fixed_font
from footnote_desktop.figures.money import formatter

_SYMBOLS = {"ok": "check", "warn": "warning", "bad": "broken", "idle": "chain", "busy": "clock"}


class RecordBox(QFrame):
    """Sequence, hash, previous hash and chain state of one record."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "record")
        self._line: RecordLine | None = None
        self._locale = "de_DE"
        self._chain = ChainState()
        self._picture = Picture("chain", "muted", 18)
        self._title = label(wrap=True)
        self._detail = label("", "muted", wrap=True)
        self._when = Elided(role="muted")
        self._hashes = Elided(role="muted")
        self._hashes.setFont(fixed_font())
        self.copy_hash = Button("", "quiet", symbol="copy")
        self.copy_hash.setToolTip("Copy the record's hash (Ctrl+Shift+H)")
        self.copy_hash.setAccessibleName("Copy the record's hash")
        words = column(gap=2)
        words.addWidget(self._title)
        words.addWidget(self._detail)
        words.addWidget(self._hashes)
        words.addWidget(self._when)
        outer = row(self, margins=(12, 9, 8, 9), gap=10)
        outer.addWidget(self._picture)
        outer.addLayout(words, 1)
        outer.addWidget(self.copy_hash)
        self.hide()

    def show_record(self, line: RecordLine | None, locale: str) -> None:
        self._line, self._locale = line, locale
        self.setVisible(line is not None)
        self._say()

    def show_chain(self, chain: ChainState) -> None:
        self._chain = chain
        self._say()

    @property
    def saying(self) -> Saying | None:
        """What the box says now."""
        if self._line is None:
            return None
        return chains.record(self._chain, self._line, formatter(self._locale).count(self._line.sequence))

    def _say(self) -> None:
        saying, line = self.saying, self._line
        if saying is None or line is None:
            return
        set_property(self, "mood", saying.mood)
        role = saying.mood if saying.mood in ("ok", "warn", "bad") else "muted"
        set_property(self._title, "mood", role)
        self._picture.put(_SYMBOLS[saying.mood], role)
        self._title.setText(saying.title)
        recorded = chains.local(line.timestamp)
        when = f"recorded {recorded:%Y-%m-%d %H:%M}" if recorded else "recorded"
        self._when.put(f"{when} by {line.actor}" if line.actor else when)
        self._detail.setText(saying.detail)
        self._detail.setVisible(bool(saying.detail))
        previous = line.previous_hash
        follows = "is the first record" if previous and not previous.strip("0") else f"follows {previous[:12]}…"
        self._hashes.put(f"#{line.sequence}  {line.hash[:12]}…  {follows}")
        self._hashes.setAccessibleName(f"Record {line.sequence}, hash {line.hash}, previous hash {previous}")
        self._hashes.setToolTip(tooltip(f"hash {line.hash}\nprevious {previous}\nid {line.id}"))
