"""The survey page of a plan with waves, in a real browser: joining, the wave that was drawn, and a week later."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import sottovoce as sv
from tests.browser.conftest import ROOT
from tests.browser.test_survey import SOMEONE, agree, bytes_shown, fill_in
from tests.collectors import Running, running

pytestmark = pytest.mark.slow

FIRST = datetime.datetime(2027, 1, 4, 9, tzinfo=datetime.UTC)
WEEK = datetime.timedelta(days=7)


def visit(page: Page, collector: Running, plan: sv.Plan, when: datetime.datetime) -> None:
    page.clock.set_fixed_time(when)
    page.goto("about:blank")
    page.goto(f"{collector.http.base_url}#{plan.fingerprint}")
    expect(page.locator("#about")).to_be_visible()


def walk(page: Page, collector: Running, plan: sv.Plan) -> int:
    """Take part in two waves; return the wave in which the device reported."""
    before, status = collector.total(plan), page.get_by_role("status")
    visit(page, collector, plan, FIRST)
    fill_in(page, SOMEONE)
    agree(page)
    expect(status).to_have_text(re.compile("your report was counted|drew wave 2 of 2 for you"))
    turn = 1 if collector.total(plan) > before else 2
    if turn == 2:
        expect(page.locator("#survey")).to_be_hidden()
        assert collector.total(plan) == before
    else:
        assert sv.Report.from_json(bytes_shown(page)).question < plan.questions.per_wave
    visit(page, collector, plan, FIRST + WEEK)
    if turn == 1:
        expect(status).to_have_text(re.compile("You have answered this survey"))
    else:
        fill_in(page, SOMEONE)
        agree(page)
        expect(status).to_have_text(re.compile("your report was counted"))
        assert sv.Report.from_json(bytes_shown(page)).question >= plan.questions.per_wave
    assert collector.total(plan) == before + 1
    visit(page, collector, plan, FIRST + 2 * WEEK)
    expect(page.locator("#survey")).to_be_hidden()
    assert collector.total(plan) == before + 1
    return turn


def test_a_device_joins_and_reports_in_the_wave_that_it_drew(browser: Browser, tmp_path: Path) -> None:
    """Devices are tried until both waves were drawn: thirty of one wave come once in 10^9 runs."""
    survey = ROOT / "examples" / "survey"
    plan = sv.Plan.create(
        sv.Schema.load(survey / "schema.toml"),
        users=20_000,
        waves=2,
        lifetime=1,
        first_wave=FIRST.date(),
        wave_days=7,
        purpose="To see how commuting changes",
        contact="transport@example.org",
        expires="9999-12-31",
    )
    seen = set()
    with running([plan], str(tmp_path / "c.db"), pages=(survey, ROOT / "clients" / "js")) as collector:
        for _ in range(30):
            context = browser.new_context()
            seen.add(walk(context.new_page(), collector, plan))
            context.close()
            if seen == {1, 2}:
                break
    assert seen == {1, 2}
