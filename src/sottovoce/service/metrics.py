"""What a collector tells Prometheus: totals and timings, nothing about any one request."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

_SIZES = (1, 10, 100, 1_000, 10_000, 100_000)


class Metrics:
    """The counters of one collector."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        made = {"namespace": "sottovoce", "registry": self.registry}
        self.reports = Counter("reports", "Reports by what became of them.", ["outcome"], **made)
        self.requests = Counter("requests", "Requests by route and status.", ["route", "status"], **made)
        self.commit_seconds = Histogram("commit_seconds", "Time of a commit, its sync included.", **made)
        self.commit_reports = Histogram("commit_reports", "Reports of a commit.", buckets=_SIZES, **made)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text form."""
        return generate_latest(self.registry)
