"""Reports drawn in a browser, and by the Python client, follow the plan's exact probabilities.

Draws use the system's randomness, so these tests are unseeded; each fails a correct program at most once in 10^9 runs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from playwright.sync_api import Page

import sottovoce as sv
from tests.browser.conftest import Collector
from tests.chances import assert_drawn_from

pytestmark = pytest.mark.slow

REPORTS = 20_000
RECORD = {"age": 34, "income": None, "commute": 25.5, "travel": "bicycle"}

DRAW = """async ([address, record, count]) => {
    const { Sottovoce } = await import("/sottovoce.js");
    const { plan } = await Sottovoce.load(address);
    return Array.from({ length: count }, () => plan.draw(record)); // a draw is what client.report writes down
}"""


def assert_follows(plan: sv.Plan, drawn: Iterable[tuple[int, int]]) -> None:
    """Fail if the (question, code) pairs would come of this record less than once in 10^9 times."""
    levels = plan.schema.levels(RECORD)
    offsets = np.concatenate([[0], np.cumsum(plan.questions.codes)])
    indices = [offsets[question] + code for question, code in drawn]
    probabilities = [
        np.array(question.channel.row(question.cell(levels)), float) / question.channel.scale * question.share / 2**32
        for question in plan.questions
    ]
    assert_drawn_from(np.bincount(indices, minlength=offsets[-1]), np.concatenate(probabilities))


def test_reports_of_a_browser_follow_the_plan(page: Page, collector: Collector) -> None:
    page.goto(collector.plain)
    plan = collector.plan
    drawn = page.evaluate(DRAW, [collector.plan_url, RECORD, REPORTS])
    assert len({report["id"] for report in drawn}) == REPORTS
    assert_follows(plan, ((report["question"], report["code"]) for report in drawn))


def test_reports_of_the_python_client_follow_the_plan(collector: Collector) -> None:
    client = sv.Client(collector.plan)
    reports = [client.draw(RECORD) for _ in range(REPORTS)]
    assert len({report.id for report in reports}) == REPORTS
    assert_follows(collector.plan, ((report.question, report.code) for report in reports))
