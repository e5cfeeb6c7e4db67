"""What a collector tells Prometheus: totals, and nothing about any one request."""

from __future__ import annotations

from sottovoce.plan.plan import Plan
from tests.collectors import Running, draw


def test_metrics_and_health_are_there_and_say_nothing_about_when(collector: Running, plan: Plan) -> None:
    collector.post(plan, draw(plan, 1)[0].to_json())
    text = collector.http.get("/metrics").text
    assert 'sottovoce_reports_total{outcome="counted"}' in text
    assert 'sottovoce_requests_total{route="/v1/plans/{fingerprint}/reports",status="200"}' in text
    assert "_created" not in text
    assert collector.http.get("/healthz").json() == {"status": "ok"}
