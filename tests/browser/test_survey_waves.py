"""The survey page of a plan with waves, in a real browser: joining, the wave that was drawn, and a week later."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import sottovoce as sv
from tests.browser.conftest import EXAMPLE, make_site
from tests.browser.test_survey import SOMEONE, agree, bytes_shown, fill_in
from tests.collectors import Running, running

pytestmark = pytest.mark.slow

FIRST = datetime.datetime(2027, 1, 4, 9, tzinfo=datetime.UTC)
WEEK = datetime.timedelta(days=7)


def visit(page: Page, collector: Running, plan: sv.Plan, when: datetime.datetime) -> None:
    page.clock.set_fixed_time(when)
    page.goto("about:blank")
    page.goto(f"{collector.http.base_url}#{plan.fingerprint}")
    expect(page.locator("#step h2").first).to_be_visible()


def walk(page: Page, collector: Running, plan: sv.Plan) -> int:
    """Take part in two waves; return the wave in which the device reported."""
    before = collector.total(plan)
    visit(page, collector, plan, FIRST)
    fill_in(page, SOMEONE)
    agree(page)
    expect(page.locator("main")).to_contain_text(re.compile("answer was counted|drew round 2 of 2 for you"))
    turn = 1 if collector.total(plan) > before else 2
    if turn == 2:
        expect(page.get_by_role("button", name="Start")).to_have_count(0)
        assert collector.total(plan) == before
    else:
        assert sv.Report.from_json(bytes_shown(page)).question < plan.questions.per_wave
    visit(page, collector, plan, FIRST + WEEK)
    if turn == 1:
        expect(page.locator("#step")).to_contain_text("This survey was answered")
    else:
        fill_in(page, SOMEONE)
        agree(page)
        expect(page.get_by_role("status")).to_have_text(re.compile("answer was counted"))
        assert sv.Report.from_json(bytes_shown(page)).question >= plan.questions.per_wave
    assert collector.total(plan) == before + 1
    visit(page, collector, plan, FIRST + 2 * WEEK)
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
    assert collector.total(plan) == before + 1
    return turn


def test_a_device_joins_and_reports_in_the_wave_that_it_drew(browser: Browser, tmp_path: Path) -> None:
    """Devices are tried until both waves were drawn: thirty of one wave come once in 10^9 runs."""
    plan = sv.Plan.create(
        sv.Schema.load(EXAMPLE / "schema.toml"),
        users=20_000,
        waves=2,
        lifetime=1,
        first_wave=FIRST.date(),
        wave_days=7,
        purpose="To see how commuting changes",
        contact="transport@example.org",
        expires="9999-12-31",
    )
    plan.save(tmp_path / "plan.json")
    make_site(tmp_path / "plan.json", tmp_path / "site")
    seen = set()
    with running([plan], str(tmp_path / "c.db"), pages=(tmp_path / "site",)) as collector:
        for _ in range(30):
            context = browser.new_context()
            seen.add(walk(context.new_page(), collector, plan))
            context.close()
            if seen == {1, 2}:
                break
    assert seen == {1, 2}
