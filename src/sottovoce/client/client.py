"""The client: draw a question, compute a cell, draw a code. Integers and the operating system's randomness only.

The **whole** record is checked before a question is drawn, so that neither an error nor silence says which question it
was. Nothing of what a device needs loads numpy.
"""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping
from pathlib import Path

from sottovoce.client.delivery import fetch_plan, post_report
from sottovoce.client.ledger import Ledger
from sottovoce.client.report import Report
from sottovoce.errors import DeliveryError, RecordError
from sottovoce.plan.plan import Plan, require_own_channels, require_plan


class Client:
    """One person's side of a collection, on that person's device.

    Args:
        plan: What is asked.
        plugins: Whether channels that other packages bring may draw; by default a plan with one is refused.

    Example:
        >>> import sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Ordinal("hours", 0, 80)])
        >>> client = sv.Client(sv.Plan.create(schema, epsilon=1, users=10_000))
        >>> report = client.report({"age": 34, "hours": 40})
        >>> report == client.report({"age": 34, "hours": 40})  # drawn once
        True
    """

    def __init__(self, plan: Plan, *, plugins: bool = False) -> None:
        require_plan(plan)
        require_own_channels(plan, plugins)
        self.plan = plan
        self._reported: tuple[tuple[int, ...], Report] | None = None
        self._url: str | None = None
        self._token: str | None = None
        self._ledger: Ledger | None = None

    @classmethod
    def from_url(cls, url: str, *, token: str | None = None, spent: str | Path | None = None) -> Client:
        """Return a client of the plan at a collector, its fingerprint checked; needs ``sottovoce[http]``.

        Args:
            url: The plan's address, ``https://collector.example/v1/plans/{fingerprint}``.
            token: What the collector asks of those who post, if it does.
            spent: The directory that records which collections this person answered; by default in the user's own data.
        """
        client = cls(fetch_plan(url))
        client._url, client._token = url, token
        client._ledger = Ledger(None if spent is None else Path(spent))
        return client

    def send(self, record: Mapping[str, object]) -> Report:
        """Return the report that answers this collection, now counted: drawn once, kept on disk, and only then sent.

        A collection that was answered before is not answered again: what was drawn then is sent if it was never
        acknowledged, whatever the record is now. After an error, call it again: the same bytes are sent.
        """
        if self._url is None or self._ledger is None:
            raise DeliveryError("this client knows no collector; make it with Client.from_url")
        collection = self.plan.collection
        spent = self._ledger.draw_once(collection, lambda: self._draw_in_time(record).to_json())
        report = Report.from_json(spent.report)
        if not spent.acknowledged:
            url = f"{self._url.rstrip('/').rpartition('/')[0]}/{report.plan}"
            post_report(url, spent.report, {"authorization": f"Bearer {self._token}"} if self._token else {})
            self._ledger.acknowledge(collection, spent)
        return report

    def _draw_in_time(self, record: Mapping[str, object]) -> Report:
        """Return a report, unless the collection is over and it would be drawn for nothing."""
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
