"""What a verification of the log says, as an operation's result: even this cites what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footnote_desktop.catalog.result import Cited, Said
from footnote_desktop.provenance.evidence import Derivation, Evidence

if TYPE_CHECKING:
    from footnote_desktop.catalog.registry import Verdict


def chain_tree(verdict: Verdict) -> tuple[dict[str, Any], Evidence]:
    """The result's tree, and the evidence for it."""
    ok = "yes" if verdict.ok else "no"
    evidence = Evidence(
        id="log:chain",
        type="log",
        record_id="chain",
        label="The provenance log as it was verified",
        uri="provenance://log",
        fields={"ok": ok, "state": verdict.state, "count": verdict.count, "reason": verdict.reason},
    )
    ids = (evidence.id,)
    tree = {
        "ok": Cited(verdict.ok, ok, ok, "text", ids, Derivation("field", "ok")),
        "count": Cited(
            verdict.count, str(verdict.count), str(verdict.count), "count", ids, Derivation("field", "count")
        ),
        "state": Cited(verdict.state, verdict.state, verdict.state, "text", ids, Derivation("field", "state")),
        "reason": Said(verdict.reason),
    }
    return tree, evidence
