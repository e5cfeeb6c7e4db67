"""What a collector tells Prometheus: totals and timings, nothing about any one request."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would say to the second when the first report came

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

    def counted(self, counted: int, duplicate: int, refused: int) -> None:
        """Add what became of a request's reports."""
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
        """Return all figures in Prometheus' text form."""
        return generate_latest(self.registry)
