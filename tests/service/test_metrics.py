"""What a collector tells Prometheus: totals, and nothing about any one request."""

from __future__ import annotations

import re
import time
from pathlib import Path

from sottovoce.plan.plan import Plan
from sottovoce.service.metrics import Metrics
from tests.collectors import Running, as_array, draw, running

ROOT = Path(__file__).parents[2]


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


def test_every_metric_is_documented_and_dashboards_and_alerts_name_no_other(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10, look_every=0.05) as fresh:
        fresh.post(plan, as_array(draw(plan, 20)))
        fresh.post(plan, "[{}]")
        fresh.http.post(fresh.path(plan, "/fit"), headers=fresh.token(), json={"quality": "fast"})
        fresh.server.config.app.state.collector._count_again = 0.0  # type: ignore[union-attr]  # a minute has passed
        time.sleep(0.5)
        text = fresh.http.get("/metrics").text
    names = set(re.findall(r"^# TYPE (\S+) ", text, flags=re.MULTILINE))
    documented = set(re.findall(r"`(sottovoce_[a-z_]+)[{`]", (ROOT / "docs" / "collector.md").read_text()))
    assert names == documented
    used = (ROOT / "deploy" / "alerts.yml").read_text() + (ROOT / "deploy" / "grafana.json").read_text()
    asked = {re.sub("_(bucket|count|sum)$", "", name) for name in re.findall(r"sottovoce_[a-z_]+", used)}
    assert asked <= names
    assert {"sottovoce_waiting_reports", "sottovoce_commit_failures_total", "sottovoce_days_left"} <= asked
    assert {"sottovoce_refused_total", "sottovoce_fit_seconds"} <= asked
    day = f'sottovoce_collection_reports{{collection="{plan.collection[:12]}"}} 20.0'
    assert day in text
    assert 'sottovoce_refused_total{reason="malformed"} 1.0' in text
    assert "sottovoce_fit_seconds_count 1.0" in text
    assert "question" not in text
