"""What a collector tells Prometheus: totals and timings, nothing about any one request."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from sottovoce import __version__

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would say to the second when the first report came

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where several workers keep their figures, so that each can tell those of all; set before they start."""

_SIZES = (1, 10, 100, 1_000, 10_000, 100_000)


class Metrics:
    """The counters of one collector."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.reports = Counter("sottovoce_reports", "Reports by what became of them.", ["outcome"], registry=registry)
        self._outcomes = {name: self.reports.labels(name) for name in ("counted", "duplicate", "refused")}
        self._routes: dict[tuple[str, int], Counter] = {}
        self.requests = Counter(
            "sottovoce_requests", "Requests by route and status.", ["route", "status"], registry=registry
        )
        self.commit_seconds = Histogram(
            "sottovoce_commit_seconds", "Time of a commit, its sync included.", registry=registry
        )
        self.commit_reports = Histogram(
            "sottovoce_commit_reports", "Reports of a commit.", buckets=_SIZES, registry=registry
        )

        self.refused = Counter("sottovoce_refused", "Refused reports by reason.", ["reason"], registry=registry)
        self.commit_failures = Counter(
            "sottovoce_commit_failures",
            "Commits that failed, by the database's name for why.",
            ["reason"],
            registry=registry,
        )
        self.waiting = Gauge(
            "sottovoce_waiting_reports",
            "Reports that wait to be written.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.fit_seconds = Histogram(
            "sottovoce_fit_seconds", "Time of a fit.", buckets=(1, 3, 10, 30, 100, 300), registry=registry
        )
        self.days_left = Gauge(
            "sottovoce_days_left",
            "Days until no plan of a collection takes reports, grace included.",
            ["collection"],
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        self.collected = Gauge(
            "sottovoce_collection_reports",
            "Reports counted today, by collection.",
            ["collection"],
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        info = Gauge(
            "sottovoce_info", "The program that runs.", ["version"], registry=registry, multiprocess_mode="livemax"
        )
        info.labels(__version__).set(1)

    def counted(self, counted: int, duplicate: int, refused: int) -> None:
        """Add what became of a request's reports.

        Args:
            counted: How many were new.
            duplicate: How many had been counted before.
            refused: How many cannot be answers to the plan.
        """
        for outcome, number in (("counted", counted), ("duplicate", duplicate), ("refused", refused)):
            if number:
                self._outcomes[outcome].inc(number)

    def request(self, route: str, status: int) -> None:
        """Add a request."""
        known = self._routes.get((route, status))
        if known is None:
            known = self._routes[route, status] = self.requests.labels(route, status)
        known.inc()

    def text(self) -> bytes:
        """Return all figures in Prometheus' text form, those of all workers together."""
        if SHARED not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
