"""The client: draw a question, compute a cell, draw a code. Integers and the operating system's randomness only.

The **whole** record is checked before a question is drawn, so that neither an error nor silence says which question it
was. Nothing of what a device needs loads numpy.
"""

from __future__ import annotations

import contextlib
import datetime
import secrets
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from sottovoce.client.budget import MAX_EPSILON, Cost, Limits, parse_max_epsilon
from sottovoce.client.delivery import Tries, fetch_plan, post_report
from sottovoce.client.kept_plans import KeptPlans
from sottovoce.client.ledger import Charge, Kept, Ledger
from sottovoce.client.report import Report
from sottovoce.client.trust import check_signer, mirrored_log, require_own_channels
from sottovoce.client.turns import TURN_LENGTH, Turn, draw_turn
from sottovoce.errors import BudgetError, DeliveryError, PlanError, RecordError
from sottovoce.plan.log import Log
from sottovoce.plan.plan import Plan, require_plan

JOINING = 0
"""The wave under which a ledger keeps what is drawn at joining: the turn, or the report where there are no waves."""


class Client:
    """One person's side of a collection, on that person's device.

    Args:
        plan: What is asked.
        ledger: What this device has answered and spent; without one a report is kept in memory alone, and not sent.
        max_epsilon: The largest epsilon that is answered, 2 unless said otherwise: show people what you raise it to.
        log: A log of plans as somebody else than the collector mirrors it: the plan must be in it, and only then is it
            named in reports. Otherwise reports of a client with a ledger name their collection, as a plan of one's own
            would tell one person from the others.
        plugins: Whether channels that other packages bring may draw; by default a plan with one is refused.

    Raises:
        BudgetError: If the plan asks for more than ``max_epsilon``.
        PlanError: If the plan is not in the log.

    Example:
        >>> import sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Ordinal("hours", 0, 80)])
        >>> client = sv.Client(sv.Plan.create(schema, epsilon=1, users=10_000))
        >>> report = client.report({"age": 34, "hours": 40})
        >>> report == client.report({"age": 34, "hours": 40})  # drawn once
        True
    """

    def __init__(
        self,
        plan: Plan,
        *,
        ledger: Ledger | None = None,
        max_epsilon: Decimal | float | str = MAX_EPSILON,
        log: Log | None = None,
        plugins: bool = False,
    ) -> None:
        require_plan(plan)
        require_own_channels(plan, plugins)
        self.plan, self.ledger = plan, ledger
        self._charge = Charge(plan.collection, plan.epsilon, plan.purpose, parse_max_epsilon(max_epsilon))
        if plan.epsilon > self._charge.max_epsilon:
            raise BudgetError(self._free_cost().refusal)
        if log is not None and not log.lists(plan):
            raise PlanError(
                f"the plan {plan.fingerprint} is not in the log of plans: others may have been given another one, so "
                "this one is not answered"
            )
        self._named = plan.fingerprint if log is not None or ledger is None else plan.collection
        self._reported: tuple[tuple[int, ...], Report] | None = None
        self._turn: Turn | None = None
        self._url: str | None = None
        self._token: str | None = None
        self._tries = Tries()

    @classmethod
    def from_url(  # noqa: PLR0913 - what a person's device is told of a collector
        cls,
        url: str,
        *,
        token: str | None = None,
        ledger: Ledger | str | Path | None = None,
        max_epsilon: Decimal | float | str = MAX_EPSILON,
        log: Log | str | Path | None = None,
        signer: str | None = None,
        tries: Tries | None = None,
    ) -> Client:
        """Return a client of the plan at a collector, its fingerprint checked; needs ``sottovoce[http]``.

        The plan is fetched once and kept, and its signature with it: from then on this works offline.

        Args:
            url: The plan's address, ``https://collector.example/v1/plans/{fingerprint}``, as it was published: a
                fingerprint that the collector itself hands out proves nothing.
            token: What the collector asks of those who post, if it does.
            ledger: What this device has answered and spent, or where that is kept; by default in the user's own data.
            max_epsilon: The largest epsilon that is answered, 2 unless said otherwise.
            log: A log of plans as somebody else than the collector mirrors it, its file or its address: the plan must
                be in it, and only then is it named in reports.
            signer: The public key, 64 hexadecimal digits, by which the plan must be signed.
            tries: How often `send` tries, and how long it waits between.

        Raises:
            BudgetError: If the plan asks for more than ``max_epsilon``.
            PlanError: If the plan is not in the log, or not signed by the key.
            DeliveryError: If it cannot be fetched, or was altered.
        """
        device = _open_ledger(ledger)
        kept = KeptPlans(device.path.parent / "plans")
        plan = kept.find(url)
        if plan is None:
            plan = fetch_plan(url)
            kept.keep(url, plan)
        if signer is not None:
            check_signer(plan, url, signer, kept)
        known = None if log is None else mirrored_log(log, url)
        client = cls(plan, ledger=device, max_epsilon=max_epsilon, log=known)
        client._url, client._token, client._tries = url, token, tries or Tries()
        return client

    @classmethod
    def send_pending(
        cls,
        *,
        token: str | None = None,
        ledger: Ledger | str | Path | None = None,
        tries: Tries | None = None,
    ) -> list[Report]:
        """Return the reports that were drawn before, not counted then, and are counted now, of all profiles.

        For when a device is online again, or starts. One that is still not counted keeps waiting and stops no other.

        Args:
            token: What the collectors ask of those who post, if they do.
            ledger: The ledger that was given to `from_url`, or where it is kept.
            tries: How often each is tried, once by default.
        """
        device = _open_ledger(ledger)
        plans = KeptPlans(device.path.parent / "plans").all()
        sent = list[Report]()
        for number in range(1, device.profiles + 1):
            for url, plan in plans:
                client = cls(plan, ledger=device.of_profile(number), max_epsilon=plan.epsilon)
                client._url, client._token, client._tries = url, token, tries or Tries(attempts=1)
                with contextlib.suppress(DeliveryError):
                    report = client.send() if client.pending else None
                    sent += [] if report is None else [report]
        return sent

    @property
    def pending(self) -> bool:
        """Whether a report was drawn on this device for this collection that the collector has not acknowledged."""
        kept = self._kept()
        return kept is not None and kept.report is not None

    def _kept(self) -> Kept | None:
        """Return what is kept of this device's report; nothing is drawn for it, not even a turn."""
        if self.ledger is None:
            return None
        joined = self.ledger.find(self.plan.collection, wave=JOINING)
        if self.plan.waves is None or joined is None or joined.report is None:
            return joined if self.plan.waves is None else None
        return self.ledger.find(self.plan.collection, wave=Turn.from_json(joined.report).wave(self.plan))

    @property
    def cost(self) -> Cost:
        """What answering costs beside what was spent; show ``cost.words`` to the person before anything is drawn."""
        return self._free_cost() if self.ledger is None else self.ledger.cost(self._charge)

    def _free_cost(self) -> Cost:
        return Cost(self.plan.epsilon, self._charge.max_epsilon, Decimal(0), Decimal(0), Limits())

    @property
    def turn(self) -> int:
        """Of a plan with waves, the one wave in which this device reports, drawn and paid for when it is first asked.

        Ask people in that wave alone, or in all: in any other `send` is silent.
        """
        return self._turn_of().wave(self.plan)

    def _turn_of(self) -> Turn:
        if self.plan.waves is None:
            raise PlanError("this plan has no waves: everybody reports once, at any time")
        if self._turn is None:
            if self.ledger is None:
                self._turn = draw_turn(self.plan)
            else:
                if self.ledger.find(self.plan.collection) is None:
                    self._refuse_expired()
                kept = self.ledger.draw_once(
                    self._charge, lambda: draw_turn(self.plan).to_json(), wave=JOINING, length=TURN_LENGTH
                )
                self._turn = Turn.from_json(kept.report)
        return self._turn

    def send(self, record: Mapping[str, object] | None = None, *, wave: int | None = None) -> Report | None:
        """Return the report that answers this collection, now counted: drawn once, kept on disk, and only then sent.

        Of a plan with waves, only in the device's own turn: None is returned in all others, and nothing is sent but
        what was drawn in its turn and never acknowledged. ``wave`` says which it is, where the plan has no dates.

        A collection that was answered before is not answered again: what was drawn then is sent if it was never
        acknowledged, whatever the record is now, or without one; None is returned if it was: the answer is not kept.
        Tried several times, with waits by chance and not before the collector asks to come back. After an error, call
        it again: the same bytes are sent.

        Raises:
            DeliveryError: If it is not counted yet, or was refused for good (``lasting``).
            RecordError: If the record does not fit, or there is none and nothing was drawn.
            BudgetError: If it would cost more than the device is willing to spend.
        """
        if self._url is None or self.ledger is None:
            raise DeliveryError("this client knows no collector; make it with Client.from_url")
        if record is None:
            kept = self._kept()
            if kept is None:
                raise RecordError("there is nothing to send yet: give a record")
        else:
            levels = self.plan.schema.levels(record)
            kept = self._draw_once(levels) if self.plan.waves is None else self._draw_in_turn(levels, wave)
        if kept is None or kept.acknowledged:
            return None
        report = _report_of(kept)
        url = f"{self._url.rstrip('/').rpartition('/')[0]}/{report.plan}"
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        post_report(url, report.to_json(), headers, self._tries)
        self.ledger.acknowledge(self.plan.collection, wave=JOINING if self.plan.waves is None else self.turn)
        return report

    def _draw_in_turn(self, levels: tuple[int, ...], wave: int | None) -> Kept | None:
        """Return what was drawn in this device's turn, now if it is now; None in any other wave, and after a miss."""
        assert self.ledger is not None
        assert self.plan.waves is not None
        now = self.plan.waves.on(self.ledger.today()) if wave is None else self.plan.waves.check_wave(wave)
        turn = self.turn
        if now != turn:
            return self.ledger.find(self.plan.collection, wave=turn)
        return self.ledger.draw_once(self._charge, lambda: self._draw(levels).to_json(), wave=turn)

    def report(self, record: Mapping[str, object]) -> Report:
        """Return this person's one report: drawn on the first call, and the same ever after.

        Records are compared in memory, and kept nowhere else. With a ledger, what was drawn by another program or an
        earlier run is returned, whatever the record. Of a plan with waves it is the report of the device's turn: call
        it in that wave alone.

        Raises:
            RecordError: If the record does not fit the schema, or is another than the one that was reported.
            BudgetError: If it would cost more than the device is willing to spend.
            DeliveryError: If the collection was answered and acknowledged: what was sent is not kept.
        """
        levels = self.plan.schema.levels(record)
        if self._reported is None:
            drawn = self._draw(levels) if self.ledger is None else _report_of(self._draw_once(levels))
            self._reported = levels, drawn
        reported, report = self._reported
        if reported != levels:
            raise RecordError(
                "this client has reported another record, and a person reports once; for somebody else make another "
                "Client, or use randomize for a table of people; Client.draw draws anew, and spends epsilon again"
            )
        return report

    def draw(self, record: Mapping[str, object]) -> Report:
        """Return a fresh report: **each call spends epsilon again** if the record is the same person's.

        For simulations, and for programs that keep what was drawn themselves; a person's device calls `report`. Of a
        plan with waves, its wave is drawn anew too.
        """
        levels = self.plan.schema.levels(record)
        return self._draw(levels, draw_turn(self.plan))

    def _draw_once(self, levels: tuple[int, ...]) -> Kept:
        assert self.ledger is not None
        if self.ledger.find(self.plan.collection) is None:
            self._refuse_expired()
        wave = JOINING if self.plan.waves is None else self.turn
        return self.ledger.draw_once(self._charge, lambda: self._draw(levels).to_json(), wave=wave)

    def _refuse_expired(self) -> None:
        """Refuse a collection that is over: its report would be drawn for nothing."""
        if self.plan.expires is not None and datetime.datetime.now(datetime.UTC).date().isoformat() > self.plan.expires:
            raise DeliveryError(f"this collection ended on {self.plan.expires}: nothing is drawn")

    def _draw(self, levels: tuple[int, ...], turn: Turn | None = None) -> Report:
        """Return a report: to a question drawn now, or to that of the device's turn where there are waves."""
        if turn is None:
            turn = draw_turn(self.plan) if self.plan.waves is None else self._turn_of()
        question = self.plan.questions[turn.question]
        code = question.channel.draw(question.cell(levels))
        return Report(self._named, secrets.token_hex(16), question.index, code)


def _open_ledger(ledger: Ledger | str | Path | None) -> Ledger:
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def _report_of(kept: Kept) -> Report:
    if kept.report is None:
        raise DeliveryError(
            "this collection was answered on this device, and what was sent is not kept: nothing is drawn again"
            if kept.acknowledged
            else "an answer to this collection was begun on this device and lost before it was written down: its "
            "privacy counts as spent, and nothing is drawn again"
        )
    return Report.from_json(kept.report)
