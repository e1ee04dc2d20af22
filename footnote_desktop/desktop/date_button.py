"""The as-of date: always shown, chosen from a calendar, and easily put back to the profile's."""

from __future__ import annotations

import datetime as dt

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QFrame

from footnote_desktop.desktop.controls import Button, column, label, set_property
from footnote_desktop.desktop.theme import icon, theme
from footnote_desktop.figures.money import formatter


class DateButton(Button):
    """``date_chosen`` when a person picked a day, or went back to the profile's."""

    date_chosen = Signal()

    def __init__(self) -> None:
        super().__init__("", "field", symbol="calendar")
        self._profile_date = dt.date.today()
        self._source = "today"
        self._chosen: dt.date | None = None
        self._locale = "de_DE"
        self._popup: _DatePopup | None = None
        self.setToolTip("The date for which figures are computed (Ctrl+D)")
        self.clicked.connect(self.open_popup)
        self._say()

    def set_profile(self, day: dt.date, source: str, locale: str) -> None:
        """The date that holds when none is chosen, and where it comes from."""
        self._profile_date, self._source, self._locale = day, source, locale
        self._chosen = None
        self._say()

    @property
    def chosen(self) -> dt.date | None:
        """The day that a person picked; None for the profile's own."""
        return self._chosen

    @property
    def day(self) -> dt.date:
        return self._chosen or self._profile_date

    def choose(self, day: dt.date | None) -> None:
        self._chosen = None if day == self._profile_date else day
        self._say()
        self.date_chosen.emit()

    def _say(self) -> None:
        shown = formatter(self._locale).date(self.day)
        self.put(f"as of {shown}")
        source = "chosen by you" if self._chosen else self._source
        self.setAccessibleName(f"As of {shown}, {source}. Choose another date")
        set_property(self, "changed", "true" if self._chosen else "false")

    def open_popup(self) -> None:
        self._popup = _DatePopup(self, self._profile_date, self._source, self._locale)
        corner = self.mapToGlobal(QPoint(self.width(), self.height() + 4))
        self._popup.adjustSize()
        self._popup.move(corner.x() - self._popup.width(), corner.y())
        self._popup.show()
        self._popup.calendar.setFocus()


class _DatePopup(QFrame):
    def __init__(self, button: DateButton, profile_date: dt.date, source: str, locale: str) -> None:
        super().__init__(button, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("popup")
        self._button = button
        layout = column(self, margins=(10, 10, 10, 10), gap=8)
        self.calendar = QCalendarWidget()
        self.calendar.setLocale(QLocale(locale))
        self.calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.calendar.setGridVisible(False)
        self.calendar.setSelectedDate(QDate(button.day.year, button.day.month, button.day.day))
        self.calendar.setAccessibleName("As-of date")
        weekend = QTextCharFormat()
        weekend.setForeground(QColor(theme.name("muted")))
        for day in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.calendar.setWeekdayTextFormat(day, weekend)
        for name, symbol in (("qt_calendar_prevmonth", "left"), ("qt_calendar_nextmonth", "right")):
            from PySide6.QtWidgets import QToolButton

            arrow = self.calendar.findChild(QToolButton, name)
            if arrow is not None:
                arrow.setIcon(icon(symbol))
        self.calendar.clicked.connect(self._picked)
        self.calendar.activated.connect(self._picked)
        layout.addWidget(self.calendar)
        shown = formatter(locale).date(profile_date)
        self.back = Button(f"Back to {shown} ({source})", "choice", symbol="clock", pressed=self._back)
        self.back.setEnabled(button.chosen is not None)
        layout.addWidget(self.back)
        layout.addWidget(label("Later payments and invoices are left out of a past date.", "muted", wrap=True))

    def _picked(self, day: QDate) -> None:
        self._button.choose(dt.date(day.year(), day.month(), day.day()))
        self.close()

    def _back(self) -> None:
        self._button.choose(None)
        self.close()
