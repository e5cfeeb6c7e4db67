"""The operator's page on a collector that really runs: what it shows, what it does, for whom, and on which screens."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.service.served import today
from sottovoce.service.store import open_store
from tests.collectors import Running, as_array, draw, make_plan, make_reports, random_ids, running

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[2] / "clients" / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
LATER = 6_000  # milliseconds by the page's clock, after which it has looked again
PATIENCE = 60_000
HOSTILE = "Buses <img src=x onerror=alert(1)> & lanes"


@pytest.fixture
def plan() -> Plan:
    return make_plan(purpose=HOSTILE)


@pytest.fixture
def served(plan: Plan, tmp_path: Path) -> Iterator[Running]:
    database = str(tmp_path / "c.db")
    store = open_store(database)
    key = store.register(plan)
    for back, number in ((3, 120), (1, 45)):
        day = today() - datetime.timedelta(days=back)
        store.add(key.collection, day, make_reports(key, random_ids(number)), {"malformed": 4})
    store.close()
    with running([plan], database, minimum_reports=100) as collector:
        yield collector


def secret(served: Running, role: str) -> str:
    return served.token(role)["authorization"].removeprefix("Bearer ")


def open_page(page: Page, served: Running, token: str) -> list[str]:
    """Open the operator's page and sign in; return a list that everything the page asks for is added to."""
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a text was read as markup: {dialog.message}"))
    page.clock.install()
    page.goto(str(served.http.base_url.join("/operate")))
    page.get_by_label("operator's token").fill(token)
    page.get_by_role("button", name="Open").click()
    return requests


def card(page: Page) -> Locator:
    return page.locator("#collections .card").first


def figure(page: Page, name: str) -> Locator:
    return card(page).locator(".figures div", has_text=name).locator("dd")


def said(page: Page) -> Locator:
    return page.locator("#live")


def test_counts_days_and_refusals_are_shown_and_move(page: Page, served: Running, plan: Plan) -> None:
    requests = open_page(page, served, secret(served, "operator"))
    expect(card(page).locator("h2")).to_have_text(HOSTILE)
    expect(figure(page, "reports, about")).to_have_text("165 of 10,000 planned")
    expect(figure(page, "today, about")).to_have_text("0")
    expect(card(page).locator("svg rect.day")).to_have_count(3)  # the day between had none
    expect(card(page).get_by_role("row", name="malformed")).to_contain_text("8")
    expect(card(page).locator(".bad")).to_contain_text(["what was counted does not fit the plan"] * 2)
    served.post(plan, as_array(draw(plan, 134)))
    page.clock.fast_forward(LATER)
    expect(figure(page, "today, about")).to_have_text("130")
    expect(figure(page, "reports, about")).to_have_text("295 of 10,000 planned")
    served.post(plan, as_array(draw(plan, 5)))
    page.clock.fast_forward(LATER)
    page.wait_for_timeout(300)
    expect(figure(page, "today, about")).to_have_text("130")
    card(page).get_by_role("button", name="Work out now").click()
    expect(card(page)).to_contain_text("what nine in ten stay within", timeout=120_000)
    expect(card(page).get_by_role("columnheader", name="now, 295 reports")).to_be_visible()
    assert all(url.startswith(str(served.http.base_url).rstrip("/")) for url in requests)


def test_a_collection_is_closed_opened_and_extended(page: Page, served: Running, plan: Plan) -> None:
    open_page(page, served, secret(served, "operator"))
    card(page).get_by_role("button", name="Close").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert served.post(plan, draw(plan, 1)[0].to_json()).status_code == 200
    card(page).get_by_role("button", name="Close").click()
    page.get_by_role("dialog").get_by_role("button", name="Close it").click()
    expect(card(page).locator(".state")).to_contain_text(f"closed since {today().isoformat()}")
    assert served.post(plan, draw(plan, 1)[0].to_json()).status_code == 410
    card(page).get_by_role("button", name="Reopen").click()
    expect(card(page).locator(".state")).to_have_text("open")
    assert served.post(plan, draw(plan, 1)[0].to_json()).status_code == 200
    card(page).get_by_label("new last day").fill("3000-06-01")
    page.clock.fast_forward(LATER)  # what is being typed stays
    card(page).get_by_role("button", name="Extend").click()
    expect(figure(page, "taken until")).to_have_text("3000-06-08")
    expect(said(page)).to_contain_text("taken until 3000-06-01")


def add_plan(page: Page, file: Path) -> None:
    card(page).get_by_label("a refreshed plan's file, or the next round's").set_input_files(file)
    card(page).get_by_role("button", name="Add plan").click()


def test_a_refreshed_plan_is_added_and_another_is_refused(
    page: Page, served: Running, plan: Plan, tmp_path: Path
) -> None:
    tally = sv.Tally(plan)
    tally.add(draw(plan, 300))
    refreshed, other = plan.refresh(tally), make_plan(purpose="another")
    open_page(page, served, secret(served, "operator"))
    for each, words in ((other, "not of"), (refreshed, "the plan is served")):
        each.save(tmp_path / "next.json")
        add_plan(page, tmp_path / "next.json")
        expect(said(page)).to_contain_text(words)
    card(page).get_by_text("Plans", exact=True).click()
    expect(card(page).get_by_role("row", name=refreshed.fingerprint[:12])).to_be_visible()
    assert served.http.get(served.path(refreshed)).status_code == 200


def test_the_plan_of_a_next_round_is_added(page: Page, tmp_path: Path) -> None:
    first = make_plan(mechanism="ahdg", purpose=HOSTILE)
    tally = sv.Tally(first)
    tally.add(draw(first, 300))
    second = first.next_round(tally)
    second.save(tmp_path / "next.json")
    with running([first], str(tmp_path / "rounds.db")) as served:
        open_page(page, served, secret(served, "operator"))
        add_plan(page, tmp_path / "next.json")
        expect(said(page)).to_contain_text("the plan is served")
        assert served.http.get(served.path(second)).status_code == 200


def test_tokens_are_made_shown_once_and_revoked(page: Page, served: Running, plan: Plan) -> None:
    open_page(page, served, secret(served, "operator"))
    expect(page.get_by_label("reports it may post")).to_be_hidden()
    page.get_by_label("name").fill("<i>alice</i>")
    page.get_by_label("last day", exact=True).fill("3000-01-01")
    page.get_by_label("for", exact=True).select_option(plan.collection)
    page.get_by_role("button", name="Create token").click()
    text = page.locator(".secret code").inner_text()
    alice = {"authorization": f"Bearer {text}"}
    assert served.http.get(served.path(plan, "/status"), headers=alice).status_code == 200
    line = page.locator(".tokens li", has_text="<i>alice</i>")
    expect(line).to_contain_text(f"analyst, until 3000-01-01, for {plan.collection[:12]}")
    page.get_by_role("button", name="Hide").click()
    assert text not in page.content()
    line.get_by_role("button", name="Revoke <i>alice</i>").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
    expect(line).to_contain_text("revoked")
    assert served.http.get(served.path(plan, "/status"), headers=alice).status_code == 401
    page.get_by_label("role").select_option("reporter")
    page.get_by_label("name").fill("ticket")
    page.get_by_label("reports it may post").fill("1")
    page.get_by_role("button", name="Create token").click()
    expect(page.locator(".tokens li", has_text="ticket")).to_contain_text("reporter, 1 report left")
    page.get_by_label("name").fill("ticket")
    page.get_by_role("button", name="Create token").click()
    expect(said(page)).to_contain_text("there is a token named 'ticket' already")


@pytest.mark.parametrize(
    ("role", "words"),
    [("analyst", "this one is of role analyst"), ("reporter", "of role reporter"), ("", "needs a token")],
)
def test_others_are_refused_and_their_token_is_not_kept(page: Page, served: Running, role: str, words: str) -> None:
    open_page(page, served, secret(served, role) if role else "sv_000000000000_guess")
    expect(said(page)).to_contain_text(words)
    expect(page.get_by_label("operator's token")).to_be_visible()
    expect(page.locator(".card h2")).to_have_count(0)
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_a_token_lives_as_long_as_the_tab_and_goes_when_it_is_revoked(page: Page, served: Running) -> None:
    open_page(page, served, secret(served, "operator"))
    expect(card(page)).to_be_visible()
    page.reload()
    expect(card(page)).to_be_visible()
    assert page.evaluate("localStorage.length + document.cookie.length") == 0
    page.locator(".tokens li").get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
    expect(page.get_by_label("operator's token")).to_be_visible()
    expect(said(page)).to_contain_text("this needs a token")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_collector_that_does_not_answer_is_said_and_comes_back(page: Page, served: Running) -> None:
    open_page(page, served, secret(served, "operator"))
    expect(card(page)).to_be_visible()
    page.route("**/v1/collections", lambda route: route.abort())
    page.clock.fast_forward(LATER)
    expect(said(page)).to_have_text("The collector does not answer.")
    page.unroute_all()
    page.clock.fast_forward(LATER)
    expect(said(page)).to_have_text("")


def test_a_slow_collector_is_not_asked_twice_at_once(page: Page, served: Running) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/collections", hold)
    open_page(page, served, secret(served, "operator"))
    for _ in range(3):
        page.clock.fast_forward(LATER)
        page.wait_for_timeout(200)
    assert len(held) == 1
    held[0].continue_()
    page.unroute("**/v1/collections")
    expect(card(page)).to_be_visible()
    page.clock.fast_forward(LATER)
    expect(page.locator("#collections .card")).to_have_count(1)


def test_the_keyboard_does_everything(page: Page, served: Running) -> None:
    open_page(page, served, secret(served, "operator"))
    expect(card(page)).to_be_visible()
    button = card(page).get_by_role("button", name="Close")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()
    expect(card(page).locator(".state")).to_have_text("open")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_the_page_fits(browser: Browser, served: Running, scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in clients/explorer")
    token = secret(served, "operator")
    for width in (320, 390, 1280):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, bypass_csp=True)
        page = context.new_page()
        open_page(page, served, token)
        expect(card(page)).to_be_visible()
        for details in page.locator("summary").all():
            details.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        small = "[...document.querySelectorAll('button, input, select, summary')]" + (
            ".filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44).map(one => one.outerHTML)"
        )
        assert page.evaluate(small) == []
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run().then(result => result.violations)")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
        context.close()
