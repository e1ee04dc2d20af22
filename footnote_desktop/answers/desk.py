"""The one place that runs an operation, tells its answer, and records both before anyone sees them."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import footnote_desktop
from footnote_desktop.answers.slots import Claim
from footnote_desktop.catalog.confirmations import only_recorded
from footnote_desktop.catalog.opening import open_catalog
from footnote_desktop.catalog.registry import Catalog
from footnote_desktop.catalog.result import OperationResult, Refusal
from footnote_desktop.provenance.actor import Actor, current_actor
from footnote_desktop.provenance.evidence import Citation, Evidence, JsonValue
from footnote_desktop.provenance.record import Draft
from footnote_desktop.settings import Profile

if TYPE_CHECKING:
    from footnote_desktop.answers.router import Declined, Route
    from footnote_desktop.provenance.log import Log

#: What a record says in place of a question that nobody put to us.
DIRECT_CALL = "[direct tool call] {name}"
#: Arguments and questions that are refused are recorded up to here, in characters.
MAX_RECORDED = 4_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question or a call, as it was recorded. ``provenance`` is the record's place in the log."""

    refused: bool
    provenance: Mapping[str, JsonValue]
    kind: str | None = None  #: of a refusal: ``unknown_entity``, ``not_found``, ``forecast``, ``unavailable``…
    reason: str | None = None
    alternatives: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()  #: whole questions that would be answered
    answer: str = ""
    claims: tuple[Claim, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    operations: tuple[Mapping[str, Any], ...] = ()
    values: dict[str, JsonValue] = field(default_factory=dict)
    citations: tuple[Citation, ...] = ()
    empty_reason: str | None = None
    reconciliation: str | None = None  #: what has to be said about the tie-out to the ledger; None: nothing

    @property
    def is_error(self) -> bool:
        """Whether a caller of the operation gets an error that it can recover from."""
        return self.refused

    @property
    def message(self) -> str:
        """What a caller of the operation is told: the reason of a refusal, else the answer."""
        return self.reason or "" if self.refused else self.answer

    def to_ask_json(self) -> dict[str, JsonValue]:
        """The reply to ``footnote ask``."""
        return {
            "refused": self.refused,
            "reason": self.reason,
            "alternatives": list(self.alternatives),
            "suggestions": list(self.suggestions),
            "answer": self.answer,
            "emptyReason": self.empty_reason,
            "claims": [claim.to_json() for claim in self.claims],
            "evidence": [entry.to_json() for entry in self.evidence],
            "operations": [dict(entry) for entry in self.operations],
            "reconciliation": self.reconciliation,
            "provenance": dict(self.provenance),
        }

    def to_call_json(self) -> dict[str, JsonValue]:
        """The reply to ``footnote call``: ``claims`` are the figures that stand in ``answer``, ``citations`` all
        cited values of the result."""
        return {
            "isError": self.is_error,
            "message": self.message,
            "alternatives": list(self.alternatives),
            "values": self.values or None,
            "answer": self.answer,
            "emptyReason": self.empty_reason,
            "claims": [claim.to_json() for claim in self.claims],
            "citations": [citation.to_json() for citation in self.citations],
            "evidence": [entry.to_json() for entry in self.evidence],
            "operations": [dict(entry) for entry in self.operations],
            "reconciliation": self.reconciliation,
            "provenance": dict(self.provenance),
        }


class Desk:
    """Answers questions and calls over one catalog, into one log. Safe for several threads.

    Nothing is returned that is not recorded: where the log cannot be written, :class:`LogError` is raised instead.
    """

    def __init__(self, catalog: Catalog, log: Log, profile: Profile, actor: Actor):
        self.catalog = catalog
        self.log = log
        self.profile = profile
        self.actor = actor

    def close(self) -> None:
        """Close the database and the log."""
        self.catalog.close()
        self.log.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- one operation, named by its caller ------------------------------------------------------------------------

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        client: Mapping[str, JsonValue] | None = None,
        question: str | None = None,
    ) -> Reply:
        """Run one operation and record it. ``question``: what was asked, where the caller knows it."""
        started = time.perf_counter()
        asked = question or DIRECT_CALL.format(name=name[:100])
        who = {"questionSeen": question is not None, **(client or {})}
        try:
            result = self._run(name, arguments)
        except Refusal as refusal:
            return self._record_refusal(asked, refusal, name, arguments, started, client=who)
        return self._record_answer(asked, result, client=who)

    def _run(
        self, name: str, arguments: Mapping[str, Any], as_of: tuple[dt.date, str] | None = None
    ) -> OperationResult:
        """Run an operation; a fault of ours becomes a refusal, so that it is recorded and no figure is given."""
        try:
            return self.catalog.run(name, arguments, as_of=as_of)
        except Refusal:
            raise
        except Exception as fault:
            logging.getLogger(__name__).exception("the operation %s failed", name[:100])
            raise Refusal(
                "fault",
                f"No figure is given: Footnote itself failed ({type(fault).__name__}). Please report this; the log of "
                "the program says more.",
            ) from fault

    # -- a question in words ---------------------------------------------------------------------------------------

    def ask(
        self, question: str, *, as_of: dt.date | None = None, client: Mapping[str, JsonValue] | None = None
    ) -> Reply:
        """Answer a question, or decline it naming why, and record either.

        ``as_of``: the as-of date chosen for this question; a date in the question itself goes before it.
        """
        from footnote_desktop.answers import router

        started = time.perf_counter()
        who = {"questionSeen": True, **(client or {})}
        today = (as_of, "chosen for the question") if as_of else self.profile.as_of_today()
        try:
            customers = self.catalog.customers()
        except Refusal as refusal:
            return self._record_refusal(question, refusal, "ask", {}, started, client=who, today=today)
        routed = router.route(question, customers, as_of=today[0], today=dt.date.today())
        if not isinstance(routed, router.Route):
            return self._record_declined(question, routed, started, client=who, today=today)
        operation, arguments = routed.operation, routed.arguments
        try:
            result = self._run(operation, arguments, today)
            if (other := _other_customer(routed, result)) is not None:
                raise other
        except Refusal as refusal:
            return self._record_refusal(question, refusal, operation, arguments, started, client=who, today=today)
        return self._record_answer(question, result, routed, client=who)

    # -- recording -------------------------------------------------------------------------------------------------

    def _record_answer(
        self, question: str, result: OperationResult, routed: Route | None = None, *, client: Mapping[str, JsonValue]
    ) -> Reply:
        from footnote_desktop.answers.wording import compose

        told = compose(
            result,
            language=routed.language if routed else "en",
            locale=self.profile.locale,
            intent=routed.intent if routed else None,
            focus=routed.focus if routed else None,
            notes=routed.notes if routed else (),
        )
        totals = next((q for q in result.queries if q.purpose == "totals"), None) or next(iter(result.queries), None)
        source = str(result.snapshot.get("asOfSource", ""))
        if source == "the call" and routed is not None:
            source = "the question"
        entry: dict[str, Any] = {
            "name": result.operation,
            "kind": "operation",
            "arguments": dict(result.arguments),
            "query": {"sql": totals.sql, "params": dict(totals.params)} if totals else {"sql": "", "params": {}},
            "durationMs": round(result.duration_ms, 3),
            "outcome": "empty" if result.empty_reason else "answered",
            "emptyReason": result.empty_reason,
            "asOf": {"date": result.values["asOfDate"], "source": source},
            "snapshot": dict(result.snapshot),
            "queries": [query.to_json() for query in result.queries],
            "values": result.values,
            "citations": [citation.to_json() for citation in result.citations],
            **self._circumstances(client),
        }
        if routed is not None:
            entry["reading"] = {"language": routed.language, "intent": routed.intent, "focus": routed.focus}
        draft = Draft(
            question=question,
            answer=told.text,
            claims=[claim.to_json() for claim in told.claims],
            operations=[entry],
            evidence=[row.to_json() for row in result.evidence],
            actor=self.actor,
        )
        attachments = (part for rowset in result.rowsets for part in (rowset.manifest, *rowset.chunks))
        record = self.log.append(draft, attachments)
        return Reply(
            refused=False,
            provenance=record.summary(),
            answer=told.text,
            claims=told.claims,
            evidence=result.evidence,
            operations=tuple(record.operations),
            values=result.values,
            citations=result.citations,
            empty_reason=result.empty_reason,
            reconciliation=self.profile.reconciliation,
        )

    def _record_refusal(
        self,
        question: str,
        refusal: Refusal,
        name: str,
        arguments: Mapping[str, Any],
        started: float,
        *,
        client: Mapping[str, JsonValue],
        today: tuple[dt.date, str] | None = None,
    ) -> Reply:
        """Record that the catalog declined a call; the queries that it ran until then are recorded with it."""
        entry = {
            "name": name[:100],
            "kind": "refusal",
            "arguments": _short(arguments),
            "query": {"sql": "", "params": {}},
            "queries": [query.to_json() for query in refusal.queries],
        }
        return self._record_no(
            question,
            refusal.kind,
            refusal.message,
            refusal.alternatives,
            (),
            entry,
            started,
            client=client,
            today=today,
        )

    def _record_declined(
        self,
        question: str,
        declined: Declined,
        started: float,
        *,
        client: Mapping[str, JsonValue],
        today: tuple[dt.date, str],
    ) -> Reply:
        """Record that the router declined a question: no operation ran."""
        entry: dict[str, Any] = {
            "name": "ask",
            "kind": "refusal",
            "arguments": {},
            "query": {"sql": "", "params": {}},
            "queries": [],
        }
        if len(question) > MAX_RECORDED:
            entry["questionLength"] = len(question)
            question = question[:MAX_RECORDED] + "…"
        return self._record_no(
            question,
            declined.kind,
            declined.reason,
            declined.alternatives,
            declined.suggestions,
            entry,
            started,
            client=client,
            today=today,
        )

    def _record_no(
        self,
        question: str,
        kind: str,
        reason: str,
        alternatives: Sequence[str],
        suggestions: Sequence[str],
        entry: dict[str, Any],
        started: float,
        *,
        client: Mapping[str, JsonValue],
        today: tuple[dt.date, str] | None,
    ) -> Reply:
        day, source = today or self.profile.as_of_today()
        entry.update(
            durationMs=round((time.perf_counter() - started) * 1000, 3),
            outcome="refused",
            reasonKind=kind,
            reason=reason,
            alternatives=list(alternatives),
            suggestions=list(suggestions),
            asOf={"date": day.isoformat(), "source": source},
            **self._circumstances(client),
        )
        record = self.log.append(Draft(question, reason, [], [entry], [], self.actor))
        return Reply(
            refused=True,
            provenance=record.summary(),
            kind=kind,
            reason=reason,
            alternatives=tuple(alternatives),
            suggestions=tuple(suggestions),
            operations=tuple(record.operations),
            reconciliation=self.profile.reconciliation,
        )

    def _circumstances(self, client: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {
            "client": dict(client),
            "profile": {"name": self.profile.name, "sample": self.profile.sample, "locale": self.profile.locale},
            "app": {"name": "footnote-desktop", "version": footnote_desktop.__version__},
            **({"reconciliation": said} if (said := self.profile.reconciliation) else {}),
        }


def open_desk(profile: Profile) -> Desk:
    """The desk of a profile. The log is opened, and made if it is missing; the database with the first call.

    What the profile says was confirmed counts only where its log holds the record: a file anyone can edit lets no
    role write. Raises :class:`LogError` when the log cannot be opened.
    """
    from footnote_desktop.provenance.store import open_log

    log = open_log(profile.log)
    profile = only_recorded(profile, log.get)

    def verify_log() -> Any:
        from footnote_desktop.provenance.verify import verify

        return verify(log)

    catalog = open_catalog(profile, verify_log)
    return Desk(catalog, log, profile, current_actor(profile.actor_label, profile.role))


def _other_customer(routed: Route, result: OperationResult) -> Refusal | None:
    """A refusal when the invoice asked about is of another customer than the question said."""
    if routed.asked is None or str(result.values.get("customerId")) == str(routed.asked.id):
        return None
    from footnote_desktop.answers.forms import lexicon
    from footnote_desktop.answers.words import visible

    holder = visible(str(result.values.get("customerName")))
    message = (
        lexicon(routed.language)
        .reasons["other_customer"]
        .format(invoice=visible(str(result.values.get("number"))), asked=visible(routed.asked.name), holder=holder)
    )
    return Refusal("other_customer", message, (holder,), result.queries)


def _short(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Refused arguments as they may be recorded: whatever came in, cut where it is long."""
    kept: dict[str, Any] = {}
    for key, value in list(arguments.items())[:20]:
        shown = value if isinstance(value, int | float | bool | None) else str(value)
        kept[str(key)[:100]] = (
            shown if not isinstance(shown, str) or len(shown) <= MAX_RECORDED else shown[:MAX_RECORDED] + "…"
        )
    return kept
