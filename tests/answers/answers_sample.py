"""The sample's customers and date, for tests of the router (which needs no database)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from footnote_desktop.answers.router import Declined, Route, route
from footnote_desktop.catalog.entities import Customer

AS_OF = dt.date(2026, 8, 14)

CUSTOMERS = (
    Customer(4471, "Bergmann Logistik GmbH"),
    Customer(4472, "Nordwind Marine AS"),
    Customer(4473, "Petrov Components d.o.o."),
    Customer(4474, "Lumière Packaging SARL"),
    Customer(4475, "Adriatic Foods d.d."),
)


def asked(question: str, customers: Sequence[Customer] = CUSTOMERS) -> Route | Declined:
    """What the router makes of a question on the sample's day."""
    return route(question, customers, as_of=AS_OF, today=AS_OF)
