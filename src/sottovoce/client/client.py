"""The client: draw a question, compute a cell, draw a code. Integers and the operating system's randomness only.

The **whole** record is checked before a question is drawn, so that neither an error nor silence says which question it
was. Nothing of what a device needs loads numpy.
"""

from __future__ import annotations

import contextlib
import datetime
import secrets
from collections.abc import Mapping
from pathlib import Path

from sottovoce.client.delivery import Tries, fetch_plan, post_report
from sottovoce.client.kept_plans import KeptPlans
from sottovoce.client.ledger import Ledger
from sottovoce.client.report import Report
from sottovoce.errors import DeliveryError, RecordError
from sottovoce.plan.plan import Plan, require_plan


class Client:
    """One person's side of a collection, on that person's device.

    Example:
        >>> import sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Ordinal("hours", 0, 80)])
        >>> client = sv.Client(sv.Plan.create(schema, epsilon=1, users=10_000))
        >>> report = client.report({"age": 34, "hours": 40})
        >>> report == client.report({"age": 34, "hours": 40})  # drawn once
        True
    """

    def __init__(self, plan: Plan) -> None:
        require_plan(plan)
        self.plan = plan
        self._reported: tuple[tuple[int, ...], Report] | None = None
        self._url: str | None = None
        self._token: str | None = None
        self._ledger: Ledger | None = None
        self._tries = Tries()

    @classmethod
    def from_url(
        cls, url: str, *, token: str | None = None, spent: str | Path | None = None, tries: Tries | None = None
    ) -> Client:
        """Return a client of the plan at a collector, its fingerprint checked; needs ``sottovoce[http]``.

        The plan is fetched once and kept: from then on this works offline.

        Args:
            url: The plan's address, ``https://collector.example/v1/plans/{fingerprint}``.
            token: What the collector asks of those who post, if it does.
            spent: The directory that records which collections this person answered; by default in the user's own data.
            tries: How often `send` tries, and how long it waits between.
        """
        ledger = Ledger(None if spent is None else Path(spent))
        kept = KeptPlans(ledger.directory / "plans")
        plan = kept.find(url)
        if plan is None:
            plan = fetch_plan(url)
            kept.keep(url, plan)
        client = cls(plan)
        client._url, client._token, client._tries = url, token, tries or Tries()
        client._ledger = ledger
        return client

    @classmethod
    def send_pending(
        cls, *, token: str | None = None, spent: str | Path | None = None, tries: Tries | None = None
    ) -> list[Report]:
        """Return the reports that were drawn before, not counted then, and are counted now.

        For when a device is online again, or starts. One that is still not counted keeps waiting and stops no other.

        Args:
            token: What the collectors ask of those who post, if they do.
            spent: The directory that was given to `from_url`.
            tries: How often each is tried, once by default.
        """
        ledger = Ledger(None if spent is None else Path(spent))
        sent = dict[str, Report]()
        for url, plan in KeptPlans(ledger.directory / "plans").all():
            client = cls(plan)
            client._url, client._token, client._ledger = url, token, ledger
            client._tries = tries or Tries(attempts=1)
            if plan.collection not in sent and client.pending:
                with contextlib.suppress(DeliveryError):
                    sent[plan.collection] = client.send()
        return list(sent.values())

    @property
    def pending(self) -> bool:
        """Whether a report was drawn on this device for this collection that the collector has not acknowledged."""
        spent = None if self._ledger is None else self._ledger.find(self.plan.collection)
        return spent is not None and not spent.acknowledged

    def send(self, record: Mapping[str, object] | None = None) -> Report:
        """Return the report that answers this collection, now counted: drawn once, kept on disk, and only then sent.

        A collection that was answered before is not answered again: what was drawn then is sent if it was never
        acknowledged, whatever the record is now, or without one. Tried several times, with waits by chance and not
        before the collector asks to come back. After an error, call it again: the same bytes are sent.

        Raises:
            DeliveryError: If it is not counted yet, or was refused for good (``lasting``).
            RecordError: If the record does not fit, or there is none and nothing was drawn.
        """
        if self._url is None or self._ledger is None:
            raise DeliveryError("this client knows no collector; make it with Client.from_url")
        collection = self.plan.collection
        spent = self._ledger.draw_once(collection, lambda: self._draw_in_time(record).to_json())
        report = Report.from_json(spent.report)
        if not spent.acknowledged:
            url = f"{self._url.rstrip('/').rpartition('/')[0]}/{report.plan}"
            headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
            post_report(url, spent.report, headers, self._tries)
            self._ledger.acknowledge(collection, spent)
        return report

    def _draw_in_time(self, record: Mapping[str, object] | None) -> Report:
        """Return a report, unless the collection is over and it would be drawn for nothing."""
        if record is None:
            raise RecordError("there is nothing to send yet: give a record")
        if self.plan.expires is not None and datetime.datetime.now(datetime.UTC).date().isoformat() > self.plan.expires:
            raise DeliveryError(f"this collection ended on {self.plan.expires}: nothing is drawn")
        return self.draw(record)

    def report(self, record: Mapping[str, object]) -> Report:
        """Return this person's one report: drawn on the first call, and the same ever after.

        Records are compared in memory, and kept nowhere else.

        Raises:
            RecordError: If the record does not fit the schema, or is another than the one that was reported.
        """
        levels = self.plan.schema.levels(record)
        if self._reported is None:
            self._reported = levels, self._draw(levels)
        reported, report = self._reported
        if reported != levels:
            raise RecordError(
                "this client has reported another record, and a person reports once; for somebody else make another "
                "Client, or use randomize for a table of people; Client.draw draws anew, and spends epsilon again"
            )
        return report

    def draw(self, record: Mapping[str, object]) -> Report:
        """Return a fresh report: **each call spends epsilon again** if the record is the same person's.

        For simulations, and for programs that keep what was drawn themselves; a person's device calls `report`.
        """
        return self._draw(self.plan.schema.levels(record))

    def _draw(self, levels: tuple[int, ...]) -> Report:
        question = self.plan.questions.locate(secrets.randbits(32))
        code = question.channel.draw(question.cell(levels))
        return Report(self.plan.fingerprint, secrets.token_hex(16), question.index, code)
