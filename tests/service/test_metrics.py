"""What a collector tells Prometheus: totals, and nothing about any one request."""

from __future__ import annotations

from sottovoce.plan.plan import Plan
from sottovoce.service.metrics import Metrics
from tests.collectors import Running, draw


def test_metrics_and_health_are_there_and_say_nothing_about_when(collector: Running, plan: Plan) -> None:
    collector.post(plan, draw(plan, 1)[0].to_json())
    text = collector.http.get("/metrics").text
    assert 'sottovoce_reports_total{outcome="counted"}' in text
    assert 'sottovoce_requests_total{route="/v1/plans/{fingerprint}/reports",status="200"}' in text
    assert "_created" not in text
    assert collector.http.get("/healthz").json() == {"status": "ok"}


def test_every_collector_counts_for_itself() -> None:
    first, second = Metrics(), Metrics()
    first.reports.labels("counted").inc(3)
    second.reports.labels("counted").inc(1)
    assert b'sottovoce_reports_total{outcome="counted"} 3.0' in first.text()
    assert b'sottovoce_reports_total{outcome="counted"} 1.0' in second.text()


def test_commits_are_told_by_their_size_and_their_time() -> None:
    metrics = Metrics()
    metrics.commit_reports.observe(50)
    metrics.commit_seconds.observe(0.02)
    text = metrics.text().decode()
    assert 'sottovoce_commit_reports_bucket{le="10.0"} 0.0' in text
    assert 'sottovoce_commit_reports_bucket{le="100.0"} 1.0' in text
    assert "sottovoce_commit_seconds_count 1.0" in text
