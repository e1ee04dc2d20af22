"""What may stand in a log or a support bundle: what is on the list; everything else is replaced, known or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REDACTED = "(left out)"

#: Keys whose values say how something is set up, not who or where somebody is, and never a secret.
PUBLIC_KEYS = frozenset(
    {
        "version", "locale", "role", "mapping", "password_from", "aging_bounds", "as_of", "rule", "date", "sslmode",
        "target_session_attrs", "connect_timeout", "port", "sample", "saved", "connection", "writer_override",
        "tie_out", "state", "stage", "ms", "items", "ok", "queries",
    }
)  # fmt: skip


def redact(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data with every value left out whose key is not on the list."""
    return {key: _value(value) if key in PUBLIC_KEYS else REDACTED for key, value in data.items()}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return redact(value)
    if isinstance(value, list | tuple):
        return [redact(one) if isinstance(one, Mapping) else one for one in value]
    return value
