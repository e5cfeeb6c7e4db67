"""What an operator sees of all collections: how far each is, whether it looks well, and what to expect of it.

Days that are over are told as they were counted. Of today there is one number, rounded down, so that whoever looks
every few seconds does not see single reports come.
"""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import msgspec

from sottovoce import __version__
from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst, TooFewReportsError
from sottovoce.service.served import Served, by_collection, today
from sottovoce.service.store import CollectionState, PlanKey, Store
from sottovoce.simulation.forecasting import forecast_plan

PACE_DAYS = 7
"""Reports to come are reckoned by the mean of so many last days that are over."""

MOST_REPORTS = 100_000_000
"""No forecast is made for more."""


class StorageLine(msgspec.Struct, frozen=True):
    """How much room the counts take, in bytes, and how much is left; null where only the database's machine knows."""

    kind: str
    used: int
    free: int | None


class DayLine(msgspec.Struct, frozen=True):
    """The reports of a day that is over."""

    day: str
    reports: int


class RefusedLine(msgspec.Struct, frozen=True):
    """How many reports were refused for a reason, those of today rounded down."""

    reason: str
    reports: int


class ServedLine(msgspec.Struct, frozen=True):
    """A plan of a collection: its version, its last day, and for how many people it was designed."""

    fingerprint: str
    version: int
    expires: str | None
    users: int


class FittedLine(msgspec.Struct, frozen=True):
    """The last fit: on which day, and to how many reports, rounded down to tens."""

    day: str
    reports: int


class ErrorLine(msgspec.Struct, frozen=True):
    """What to expect of typical questions on so many attributes: the mean error, and what nine in ten stay within."""

    attributes: int
    error: float
    within: float


class ExpectedLine(msgspec.Struct, frozen=True):
    """What to expect once there are so many reports."""

    reports: int
    errors: list[ErrorLine]


class ForecastLine(msgspec.Struct, frozen=True):
    """What to expect now and at the end, by simulation; ``basis`` says how the reports at the end were reckoned."""

    now: ExpectedLine
    end: ExpectedLine
    basis: str


class CollectionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A collection as an operator sees it.

    Attributes:
        collection: Its digest, as plans name it.
        purpose: What people are told that it is for.
        contact: Whom they may ask.
        mechanism: How questions are designed.
        epsilon: What a report costs, at most.
        attributes: What is asked.
        plans: Its plans, the newest last.
        warnings: What people who are asked would miss in its newest plan.
        state: "open", "closed" (by an operator) or "over" (its last day is past).
        since: The day on which it was closed.
        purged: The day on which its ids were forgotten.
        last_day: The last day on which reports are taken, days of grace included; null if there is none.
        days: The reports of every day that is over.
        today: The reports of today, rounded down.
        total: Both together.
        planned: For how many people the newest plan was designed.
        refused: What was refused, by reason.
        flags: What does not look like an honest crowd.
        fit: The last fit.
        minimum_reports: Below so many nothing is fitted or answered.
        forecast: What to expect, if it was worked out.
    """

    collection: str
    purpose: str
    contact: str
    mechanism: str
    epsilon: str
    attributes: list[str]
    plans: list[ServedLine]
    warnings: list[str]
    state: str
    since: str | None
    purged: str | None
    last_day: str | None
    days: list[DayLine]
    today: int
    total: int
    planned: int
    refused: list[RefusedLine]
    flags: list[str]
    fit: FittedLine | None
    minimum_reports: int
    forecast: ForecastLine | None


class OverviewLine(msgspec.Struct, frozen=True):
    """All collections of a database, the day it is, and how much room they take."""

    day: str
    version: str
    storage: StorageLine
    collections: list[CollectionLine]


class Overview:
    """What an operator sees; forecasts that were made are remembered.

    Args:
        store: Where collections are kept.
        analyst: Whose statuses are told.
        grace: For how many days after a plan's last day its reports are taken.
    """

    def __init__(self, store: Store, analyst: Analyst, grace: int) -> None:
        self._store, self._analyst, self._grace = store, analyst, grace
        self._forecasts: dict[str, ForecastLine] = {}
        self._plans: dict[str, Plan] = {}

    def show(self) -> OverviewLine:
        """Return everything, as it is now."""
        storage = self._store.storage()
        lines = [self._line(state) for state in self._store.collections()]
        line = StorageLine(storage.kind, storage.used, storage.free)
        return OverviewLine(today().isoformat(), __version__, line, lines)

    def newest(self, state: CollectionState) -> Served:
        """Return the newest plan of a collection, and with it the others."""
        plans = [self._read(name, state.number) for name in self._store.fingerprints(state.number)]
        return by_collection(
            Served(plan, PlanKey(number, state.number), self._grace) for number, plan in enumerate(plans)
        )

    def _read(self, fingerprint: str, collection: int) -> Plan:
        """Return a plan of the store, read once."""
        if fingerprint not in self._plans:
            found = [Plan.from_json(document) for document in self._store.documents(collection)]
            self._plans |= {plan.fingerprint: plan for plan in found}
        return self._plans[fingerprint]

    def _line(self, state: CollectionState) -> CollectionLine:
        served, day = self.newest(state), today()
        status = self._analyst.status(served)
        counted, current = _by_day(status["days"], day)
        fitted, plan = self._store.model_day(state.number), served.plan
        over = "over" if served.expired(day) else "open"
        plans = sorted((one.plan for one in served.together), key=lambda each: each.version)
        return CollectionLine(
            collection=state.collection,
            purpose=plan.purpose,
            contact=plan.contact,
            mechanism=plan.mechanism,
            epsilon=str(plan.epsilon),
            attributes=list(plan.schema.names),
            plans=[ServedLine(each.fingerprint, each.version, each.expires, each.users) for each in plans],
            warnings=served.warnings,
            state=over if state.closed is None and state.purged is None else "closed",
            since=None if state.closed is None else state.closed.isoformat(),
            purged=None if state.purged is None else state.purged.isoformat(),
            last_day=None if plan.expires is None else served.last_day,
            days=[DayLine(each, count) for each, count in sorted(counted.items())],
            today=rounded(current),
            total=counted.total() + rounded(current),
            planned=plan.users,
            refused=_refused(status["refused"], day),
            flags=[check["about"] for check in status["checks"] if check["flagged"]],
            fit=None if fitted is None else FittedLine(fitted.isoformat(), status["fit"]["reports"] // 10 * 10),
            minimum_reports=status["minimum_reports"],
            forecast=self._forecasts.get(state.collection),
        )

    def forecast(self, state: CollectionState) -> ForecastLine:
        """Return what to expect of a collection now and at its end, by simulation; it is remembered.

        Raises:
            TooFewReportsError: If nothing would be answered yet.
        """
        line = self._line(state)
        if line.total < line.minimum_reports:
            raise TooFewReportsError(
                f"about {line.total} reports were counted; nothing is fitted or answered below {line.minimum_reports}"
            )
        end, basis = reports_at_end(line, today())
        plan = self.newest(state).plan
        now, later = (_expected(plan, min(number, MOST_REPORTS)) for number in (line.total, end))
        found = self._forecasts[state.collection] = ForecastLine(now, later, basis)
        return found


def rounded(count: int) -> int:
    """Return a count rounded down to two digits, and below a hundred to tens.

    Example:
        >>> [rounded(count) for count in (7, 38, 123, 4567)]
        [0, 30, 120, 4500]
    """
    step: int = 10 ** max(1, len(str(count)) - 2)
    return count - count % step


def reports_at_end(line: CollectionLine, day: datetime.date) -> tuple[int, str]:
    """Return how many reports there will be at the end of a collection, and in words by what reckoning."""
    if line.state != "open":
        return line.total, "the collection takes no more reports"
    past = {datetime.date.fromisoformat(each.day): each.reports for each in line.days}
    if line.last_day is None or not past:
        planned = max(line.planned, line.total)
        return planned, "as many as were planned" if planned == line.planned else "more than were planned"
    span = min(PACE_DAYS, (day - min(past)).days)
    pace = sum(past.get(day - datetime.timedelta(days=back), 0) for back in range(1, span + 1)) / span
    left = (datetime.date.fromisoformat(line.last_day) - day).days
    number = round(line.total + pace * left)
    return min(number, MOST_REPORTS), f"at the pace of the last {span} days" if span > 1 else "at yesterday's pace"


def _expected(plan: Plan, reports: int) -> ExpectedLine:
    found = forecast_plan(plan, max(reports, 1))
    return ExpectedLine(reports, [ErrorLine(row.dimensions, row.error, row.within) for row in found.expected])


def _by_day(lines: list[dict[str, Any]], day: datetime.date) -> tuple[Counter[str], int]:
    """Return the reports of the days that are over, all plans together, and those of today."""
    counted: Counter[str] = Counter()
    for line in lines:
        counted[line["day"]] += line["count"]
    return counted, counted.pop(day.isoformat(), 0)


def _refused(lines: list[dict[str, Any]], day: datetime.date) -> list[RefusedLine]:
    found: Counter[str] = Counter()
    for line in lines:
        found[line["reason"]] += rounded(line["count"]) if line["day"] == day.isoformat() else line["count"]
    return [RefusedLine(reason, count) for reason, count in sorted(found.items())]
