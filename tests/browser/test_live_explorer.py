"""The explorer on a collector that really runs: token, counts that move, newer fits, and nothing below the minimum."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.views.explorer.document import FORMAT
from tests.collectors import RECORD, Running, as_array, draw, draw_wave, make_plan, running

pytestmark = pytest.mark.slow

LATER = 6_000  # milliseconds by the page's clock, after which it has looked at the counts again


@pytest.fixture
def plan() -> Plan:
    return make_plan()


@pytest.fixture
def served(plan: Plan, tmp_path: Path) -> Iterator[Running]:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=200) as collector:
        yield collector


def open_explorer(page: Page, served: Running) -> list[str]:
    """Open the collector's explorer, sign in, and return a list that all its further requests are added to."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.clock.install()
    page.goto(str(served.http.base_url.join("/explore")))
    token = served.token()["authorization"].removeprefix("Bearer ")
    page.get_by_label("analyst's token").fill(token)
    page.get_by_role("button", name="Open").click()
    return requests


def status(page: Page) -> Locator:
    return page.locator(".live [role=status]")


def test_counts_move_fits_are_offered_and_nothing_is_answered_below_the_minimum(
    page: Page, served: Running, plan: Plan
) -> None:
    token = served.token()
    served.post(plan, as_array(draw(plan, 150)))
    requests = open_explorer(page, served)
    expect(status(page)).to_have_text("150 reports counted; nothing is fitted or answered below 200.")
    expect(page.get_by_role("button", name="Fit now")).to_be_hidden()
    expect(page.locator(".fraction")).to_have_count(0)
    served.post(plan, as_array(draw(plan, 850)))
    page.clock.fast_forward(LATER)
    expect(status(page)).to_contain_text("1,000 reports counted; no model was fitted")
    page.get_by_role("button", name="Fit now").click()
    expect(page.locator(".answer")).to_contain_text("of 1,000 people; 1,000 reports", timeout=30_000)
    expect(page.locator("h1")).to_have_text("a test")
    expect(status(page)).to_have_text("1,000 reports counted; shown is the fit to 1,000 of them.")
    served.post(plan, as_array(draw(plan, 1_000)))
    served.http.post(served.path(plan, "/fit"), headers=token)
    page.clock.fast_forward(LATER)
    expect(status(page)).to_contain_text("a newer fit to 2,000 of them is there")
    page.get_by_role("checkbox", name="south").click()
    page.get_by_role("button", name="Show the newer fit").click()
    expect(page.locator(".answer")).to_contain_text("of 2,000 people; 2,000 reports")
    expect(page.locator(".query")).to_have_text("Those with region south")
    asked = {"where": ["region = 'south'"]}
    answer = served.http.post(served.path(plan, "/answers"), headers=token, json=asked).json()["answers"][0]
    shown = float(page.locator(".fraction").get_attribute("value") or "nan")
    assert shown == pytest.approx(answer["fraction"], rel=1e-9)
    assert all(url.startswith(str(served.http.base_url).rstrip("/")) for url in requests)


def test_of_a_collection_with_waves_time_is_shown_and_goes_on(page: Page, tmp_path: Path) -> None:
    plan = sv.Plan.create(make_plan().schema, users=30_000, waves=3, lifetime=2, purpose="Weeks")
    trend = page.locator(".timeline circle title")
    chooser = page.get_by_label("The charts below show")
    with running([plan], str(tmp_path / "w.db"), minimum_reports=200) as served:
        served.post(plan, as_array(draw_wave(plan, 150, 1)))
        open_explorer(page, served)
        expect(status(page)).to_have_text("150 reports counted; nothing is fitted or answered below 200 in a wave.")
        for wave in (1, 2):
            served.post(plan, as_array(draw_wave(plan, 1_000, wave)))
        page.clock.fast_forward(LATER)
        expect(status(page)).to_contain_text("2,150 reports counted; no model was fitted")
        page.get_by_role("button", name="Fit now").click()
        expect(status(page)).to_have_text("2,150 reports counted; shown are the fits of waves 1, 2.", timeout=60_000)
        expect(page.get_by_role("button", name="Fit now")).to_be_hidden()
        expect(page.locator("h1")).to_have_text("Weeks")
        expect(page.locator(".answer")).to_contain_text("1,000 reports")
        page.get_by_role("checkbox", name="south").click()
        expect(trend).to_have_count(2)
        chooser.select_option("wave 1")
        expect(page.locator(".answer")).to_contain_text("1,150 reports")
        served.post(plan, as_array(draw_wave(plan, 600, 3, {**RECORD, "region": "north"})))
        fit = served.http.post(served.path(plan, "/fit"), headers=served.token(), json={"wave": 3}, timeout=60)
        fit.raise_for_status()
        page.clock.fast_forward(LATER)
        expect(status(page)).to_contain_text("newer fits are there, of waves 1, 2, 3")
        page.get_by_role("button", name="Show the newer fit").click()
        expect(trend).to_have_count(3)
        expect(chooser).to_have_value("0")  # what was picked stays
        expect(page.locator(".query")).to_have_text("Those with region south")
        asked = {"where": "region = 'south'", "between": [1, 3]}
        told = served.http.post(
            served.path(plan, "/answers/change"), headers=served.token(), json=asked
        ).raise_for_status()
        shown = page.locator(".timeline .reading").inner_text()
        points = float(shown.split(": ")[1].split(" ")[0].replace("\u2212", "-"))
        assert points == pytest.approx(100 * told.json()["answer"]["value"], abs=0.06)


def test_a_token_is_asked_for_once_and_again_when_it_is_not_taken(page: Page, served: Running, plan: Plan) -> None:
    served.post(plan, as_array(draw(plan, 150)))
    open_explorer(page, served)
    expect(status(page)).to_contain_text("150 reports counted")
    page.reload()
    expect(status(page)).to_contain_text("150 reports counted")
    page.evaluate("sessionStorage.setItem('sottovoce-token', 'sv_000000000000_guess')")
    page.reload()
    expect(page.get_by_label("analyst's token")).to_be_visible()
    expect(status(page)).to_contain_text("this needs a token")
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_a_token_refused_at_a_click_is_asked_for_until_it_is_typed(page: Page, served: Running, plan: Plan) -> None:
    served.post(plan, as_array(draw(plan, 300)))
    open_explorer(page, served)
    page.route("**/fit", lambda route: route.fulfill(status=401, json={"detail": "this token was revoked"}))
    page.get_by_role("button", name="Fit now").click()
    expect(status(page)).to_have_text("this token was revoked")
    token = served.token()["authorization"].removeprefix("Bearer ")
    page.get_by_label("analyst's token").fill(token)
    page.clock.fast_forward(LATER)
    page.wait_for_timeout(300)
    expect(page.get_by_label("analyst's token")).to_have_value(token)
    page.get_by_role("button", name="Open").click()
    expect(status(page)).to_contain_text("300 reports counted")
    served.post(plan, as_array(draw(plan, 50)))
    page.clock.fast_forward(LATER)
    expect(status(page)).to_contain_text("350 reports counted")


def test_a_long_fit_is_not_talked_over(page: Page, served: Running, plan: Plan) -> None:
    served.post(plan, as_array(draw(plan, 300)))
    open_explorer(page, served)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/fit", hold)
    page.get_by_role("button", name="Fit now").click()
    expect(status(page)).to_contain_text("Fitting")
    page.clock.fast_forward(LATER)
    page.wait_for_timeout(300)
    expect(status(page)).to_contain_text("Fitting")
    held[0].continue_()
    expect(status(page)).to_contain_text("shown is the fit to 300", timeout=30_000)
    served.post(plan, as_array(draw(plan, 50)))
    page.clock.fast_forward(LATER)
    expect(status(page)).to_contain_text("350 reports counted")


def test_what_went_wrong_is_said_as_it_is_and_tried_again(page: Page, served: Running, plan: Plan) -> None:
    served.post(plan, as_array(draw(plan, 300)))
    served.http.post(served.path(plan, "/fit"), headers=served.token())
    damaged = {"fit": "1", "exploration": {"format": FORMAT, "title": "a test", "numbers": "AAAA"}}
    page.route("**/exploration", lambda route: route.fulfill(json=damaged))
    open_explorer(page, served)
    expect(status(page)).to_have_text("The model's numbers are damaged.")
    page.route("**/status", lambda route: route.abort())
    page.clock.fast_forward(LATER)
    expect(status(page)).to_have_text("The collector does not answer.")
    page.unroute_all()
    page.clock.fast_forward(LATER)
    expect(status(page)).to_contain_text("shown is the fit to 300")
    expect(page.locator(".fraction")).to_be_visible()


def test_a_mechanism_that_cannot_be_explored_is_said_so(page: Page, tmp_path: Path) -> None:
    plan = make_plan(mechanism="hdg")
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10) as collector:
        collector.post(plan, as_array(draw(plan, 20)))
        collector.http.post(collector.path(plan, "/fit"), headers=collector.token())
        open_explorer(page, collector)
        expect(status(page)).to_contain_text("models by spectral can be explored")
