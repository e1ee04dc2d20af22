"""A report item: a name, a state, one plain sentence, what to do about it. Who shows it invents no text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["pass", "warn", "fail", "unchecked"]


@dataclass(frozen=True, slots=True)
class CheckItem:
    """``stage`` groups items; ``ms`` is the time it took; ``details`` is raw text for whoever looks closer."""

    name: str
    state: State
    sentence: str
    advice: str = ""
    ms: float = 0.0
    stage: str = ""
    details: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "state": self.state,
            "sentence": self.sentence,
            "advice": self.advice,
            "ms": self.ms,
            "stage": self.stage or self.name,
            "details": self.details,
        }


@dataclass(frozen=True, slots=True)
class Serving:
    """Whether an operation can be served from this database, and why not."""

    name: str
    available: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything that the check found. ``ok``: nothing failed and nothing was left unchecked."""

    items: Sequence[CheckItem]
    erp: Mapping[str, str | None] = field(default_factory=lambda: {"name": None, "version": None, "company": None})
    operations: Sequence[Serving] = ()
    role_sql: str | None = None
    queries: int = 0  #: statements sent to the server
    cancelled: bool = False

    @property
    def ok(self) -> bool:
        return bool(self.items) and all(item.state in ("pass", "warn") for item in self.items)

    @property
    def can_write(self) -> bool:
        """Whether the role was found to be able to do more than read."""
        return any(item.stage == "role" and item.state == "fail" for item in self.items)

    def item(self, name: str) -> CheckItem | None:
        return next((item for item in self.items if item.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """The keys of ``footnote check --json``."""
        return {
            "ok": self.ok,
            "items": [item.to_json() for item in self.items],
            "erp": dict(self.erp),
            "operations": [{"name": o.name, "available": o.available, "reason": o.reason} for o in self.operations],
            "roleSql": self.role_sql,
            "queries": self.queries,
        }

    def to_text(self) -> str:
        """The report for people, line by line."""
        signs = {"pass": "  ok ", "warn": "look ", "fail": "FAIL ", "unchecked": "  –  "}
        lines = []
        for item in self.items:
            lines.append(f"{signs[item.state]} {item.name}: {item.sentence} ({item.ms:.0f} ms)")
            if item.advice and item.state != "pass":
                lines.append(f"       → {item.advice}")
        if self.erp.get("name"):
            lines.append(f"ERP: {self.erp['name']}, company {self.erp.get('company') or 'not known'}")
        lines += [f"{'can' if o.available else 'cannot'} serve {o.name}{_because(o)}" for o in self.operations]
        lines.append("This connection can be used." if self.ok else "This connection cannot be used as it is.")
        return "\n".join(lines)


def _because(serving: Serving) -> str:
    return f": {serving.reason}" if serving.reason else ""
