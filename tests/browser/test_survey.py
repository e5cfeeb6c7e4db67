"""The survey page in a real browser, against the real collector: what people see, what is sent, and how often."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, Request, Route, expect

import sottovoce as sv
from tests.browser.conftest import LAUNCH, Collector

pytestmark = pytest.mark.slow

SOMEONE = {"age": "34", "income": "2750", "commute": "25", "travel": "bicycle"}
RECORD = {"age": 34, "income": 2750, "commute": 25, "travel": "bicycle"}
OPPOSITE = {"age": "91", "income": "", "commute": "110", "travel": "car"}


def fill_in(page: Page, answers: dict[str, str]) -> None:
    for name in ("age", "income", "commute"):
        page.locator(f"#{name}").fill(answers[name])
    page.locator(f"input[value='{answers['travel']}']").check()


def agree(page: Page) -> None:
    page.get_by_role("button", name="I agree").click()


def bytes_shown(page: Page) -> str:
    return page.locator("#bytes").text_content() or ""


def test_a_person_sees_a_made_up_example_agrees_and_sees_what_was_sent_once(page: Page, collector: Collector) -> None:
    before = collector.count()
    page.goto(f"{collector.url}#{collector.plan.fingerprint}")
    expect(page.locator("#purpose")).to_have_text(collector.plan.purpose)
    expect(page.locator("#pinned")).to_have_text("The plan that your link names.")
    expect(page.locator("#shown-title")).to_have_text("An example of what is sent")
    expect(page.locator("#whose")).to_contain_text("made-up person")
    expect(page.locator("#cost")).to_have_text(
        "This collection costs epsilon 1. In the last 365 days you spent 0 of 4."
    )
    example = sv.Report.from_json(bytes_shown(page))
    page.get_by_role("button", name="Show another example").click()
    assert sv.Report.from_json(bytes_shown(page)).id != example.id
    fill_in(page, SOMEONE)
    assert collector.count() == before
    agree(page)
    expect(page.get_by_role("status")).to_have_text(re.compile("your report was counted"))
    expect(page.locator("#shown-title")).to_have_text("This is all that was sent")
    expect(page.locator("#shown-title")).to_be_focused()
    assert collector.count() == before + 1
    report = sv.Report.from_json(bytes_shown(page))
    assert report.to_json() == bytes_shown(page)
    assert report.plan == collector.plan.collection
    assert report.code < collector.plan.question(report.question).channel.codes
    page.reload()
    expect(page.get_by_role("status")).to_have_text(re.compile("You have answered this survey"))
    expect(page.locator("#shown")).to_be_hidden()
    expect(page.locator("#survey")).to_be_hidden()
    assert f'"{report.id}"' not in json.dumps(page.evaluate(EVERYTHING_KEPT))


EVERYTHING_KEPT = """async () => {
    const kept = { local: { ...localStorage }, session: { ...sessionStorage } };
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve) => {
            const request = indexedDB.open(name);
            request.onsuccess = () => resolve(request.result);
        });
        for (const store of database.objectStoreNames) {
            kept[`${name} ${store}`] = await new Promise((resolve) => {
                const request = database.transaction(store).objectStore(store).getAll();
                request.onsuccess = () => resolve(request.result);
            });
        }
        database.close();
    }
    return kept;
}"""


def test_the_page_marks_the_groups_that_the_code_speaks_for(page: Page, collector: Collector) -> None:
    page.goto(collector.url)
    expect(page.locator("#shown")).to_be_visible()
    report = sv.Report.from_json(bytes_shown(page))
    channel = collector.plan.question(report.question).channel
    weights = [channel.row(cell)[report.code] for cell in range(channel.cells)]
    marks = [
        name == "yes"
        for name in page.locator("#groups td:not(.none)").evaluate_all("all => all.map(td => td.className)")
    ]
    assert marks == [max(weights) == weight > min(weights) for weight in weights]


def test_a_page_whose_link_names_no_plan_says_whose_word_it_takes(page: Page, collector: Collector) -> None:
    page.goto(collector.url)
    expect(page.locator("#pinned")).to_contain_text("the collector's own word")


def test_an_answer_outside_its_domain_is_refused_before_anything_is_drawn(page: Page, collector: Collector) -> None:
    page.goto(collector.url)
    page.locator("#survey").evaluate("form => { form.noValidate = true }")
    page.locator("#age").fill("134")
    page.locator("#commute").fill("25")
    page.locator("input[value='car']").check()
    agree(page)
    expect(page.get_by_role("status")).to_have_text(re.compile("age: allowed are the integers 16 to 99"))
    kept = page.evaluate(EVERYTHING_KEPT)
    assert (kept["sottovoce spent"], kept["sottovoce reports"]) == ([], [])


def test_a_second_person_at_the_device_answers_for_themselves_by_their_own_click(
    page: Page, collector: Collector
) -> None:
    before = collector.count()
    page.goto(collector.url)
    for answers in (SOMEONE, OPPOSITE):
        fill_in(page, answers)
        agree(page)
        expect(page.get_by_role("status")).to_have_text(re.compile("counted"))
        page.get_by_role("button", name="Somebody else uses this device").click()
        expect(page.locator("#survey")).to_be_visible()
    assert collector.count() == before + 2
    opened = page.evaluate(
        """() => new Promise((resolve) => setTimeout(async () => {
            const { Ledger } = await import("/sottovoce.js");
            resolve(await (await Ledger.open()).openProfile().then(() => "opened", (error) => error.message));
        }, 6000))"""  # a click counts for five seconds
    )
    assert "by the person's own act" in opened


def traffic_of(context: BrowserContext, collector: Collector, answers: dict[str, str]) -> list[dict[str, Any]]:
    """Return every request of a person who fills in the form and sends it, body and headers included."""
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    context.on("request", note)
    page = context.new_page()
    page.on("websocket", lambda socket: pytest.fail(f"the page opened {socket.url}"))
    page.goto(collector.url)
    fill_in(page, answers)
    agree(page)
    expect(page.get_by_role("status")).to_have_text(re.compile("counted"))
    page.wait_for_load_state("networkidle")
    return [{"method": r.method, "url": r.url, "headers": r.all_headers(), "body": r.post_data} for r in requests]


def test_answers_leave_the_page_only_as_question_and_code(browser: Browser, collector: Collector) -> None:
    recordings = []
    for answers in (SOMEONE, OPPOSITE):
        context = browser.new_context()
        requests = traffic_of(context, collector, answers)
        (post,) = [request for request in requests if request["method"] != "GET"]
        assert (post["method"], post["url"]) == (
            "POST",
            f"{collector.url}/v1/plans/{collector.plan.collection}/reports",
        )
        body = json.loads(post["body"])
        assert list(body) == ["plan", "id", "question", "code"]
        assert body["plan"] == collector.plan.collection
        assert re.fullmatch("[0-9a-f]{32}", body["id"])
        assert "cookie" not in post["headers"]
        assert "referer" not in post["headers"]
        gets = [request for request in requests if request is not post]
        assert all(get["body"] is None and "?" not in get["url"] for get in gets)
        assert context.cookies() == []
        context.close()
        recordings.append(requests)
    first, second = recordings
    assert without_reports(first) == without_reports(second), "something but the report depends on the answers"


def without_reports(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is left of the requests, in order of their addresses, when the report is taken out."""
    for request in requests:
        request["headers"].pop("content-length", None)
        request["body"] = None
    return sorted(requests, key=lambda request: request["url"])


def test_retries_a_lost_acknowledgement_and_a_reload_send_the_same_bytes(page: Page, collector: Collector) -> None:
    before = collector.count()
    bodies: list[str | None] = []

    def interfere(route: Route) -> None:
        """Lose the first request, deliver the second but lose the answer, lose the others; let all pass after that."""
        bodies.append(route.request.post_data)
        if len(bodies) == 2:
            route.fetch()
        if len(bodies) <= 4:
            route.abort()
        else:
            route.continue_()

    page.route("**/reports", interfere)
    page.goto(collector.url)
    fill_in(page, SOMEONE)
    agree(page)
    expect(page.get_by_role("button", name="Try again")).to_be_enabled(timeout=30_000)
    expect(page.get_by_role("status")).to_have_text(re.compile("could not be reached"))
    assert len(bodies) == 4
    assert collector.count() == before + 1
    expect(page.locator("#shown")).to_be_hidden()  # whoever could look first might decide by what it says
    page.reload()
    expect(page.get_by_role("status")).to_have_text(re.compile("was counted"))
    expect(page.locator("#survey")).to_be_hidden()
    assert len(bodies) == 5
    assert len(set(bodies)) == 1
    assert bytes_shown(page) == bodies[0]
    assert collector.count() == before + 1
    page.reload()
    expect(page.get_by_role("status")).to_have_text(re.compile("You have answered this survey"))
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()


def test_a_restarted_browser_sends_what_was_drawn_before(
    chromium: BrowserType, collector: Collector, tmp_path: Path
) -> None:
    drawn = []
    for restarted in (False, True):
        context = chromium.launch_persistent_context(tmp_path, **LAUNCH)
        page = context.new_page()
        if not restarted:
            page.route("**/reports", lambda route: route.fulfill(status=403, json={"detail": "not now"}))
        with page.expect_request("**/reports") as sent:
            page.goto(collector.url)
            if not restarted:
                fill_in(page, SOMEONE)
                agree(page)
        drawn.append(sent.value.post_data)
        expect(page.get_by_role("status")).to_have_text(re.compile("was counted" if restarted else "not now"))
        context.close()
    assert drawn[0] == drawn[1]


def test_two_pages_that_draw_at_once_draw_one_report(browser: Browser, collector: Collector) -> None:
    context = browser.new_context()
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(collector.url)
        page.evaluate(
            """async ([address, record]) => {
                const { Sottovoce } = await import("/sottovoce.js");
                const client = await Sottovoce.load(address);
                const start = new BroadcastChannel("start");
                window.drawn = new Promise((resolve) => {
                    const draws = () => Promise.all(Array.from({ length: 50 }, () => client.report(record)));
                    start.onmessage = () => resolve(draws());
                });
            }""",
            [collector.plan_url, RECORD],
        )
    starter = context.new_page()
    starter.goto(collector.url)
    starter.evaluate("new BroadcastChannel('start').postMessage('now')")
    reports = [report["id"] for page in pages for report in page.evaluate("window.drawn")]
    assert len(reports) == 100
    assert len(set(reports)) == 1
    context.close()


def test_an_altered_plan_is_refused(page: Page, collector: Collector) -> None:
    def alter(route: Route) -> None:
        document = json.loads(route.fetch().text())
        route.fulfill(json={**document, "users": document["users"] + 1})

    page.route(collector.plan_url, alter)
    page.goto(collector.url)
    expect(page.get_by_role("status")).to_have_text(re.compile("the plan was altered"))
    expect(page.locator("#survey")).to_be_hidden()


def test_the_page_fits_a_phone_and_names_every_field(browser: Browser, collector: Collector) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(collector.url)
    for label in ("Your age", "Your household's monthly income, after tax", "How long is it, door to door?", "By car"):
        expect(page.get_by_label(label)).to_be_visible()
    overflow = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(overflow) <= 0
    fill_in(page, SOMEONE)
    agree(page)
    expect(page.get_by_role("status")).to_have_text(re.compile("counted"))
    assert page.evaluate(overflow) <= 0
    context.close()


SEND_FROM_ELSEWHERE = """async ([address, record]) => {
    const { Sottovoce } = await import("/sottovoce.js");
    try {
        return await (await Sottovoce.load(address)).send(record);
    } catch (error) {
        return error.message;
    }
}"""


def test_pages_of_an_allowed_origin_can_send_and_no_others(page: Page, collector: Collector, elsewhere: str) -> None:
    before = collector.count()
    page.goto(elsewhere)
    sent = page.evaluate(SEND_FROM_ELSEWHERE, [collector.plan_url, RECORD])
    assert sent["plan"] == collector.plan.collection
    page.goto(elsewhere.replace("localhost", "127.0.0.1"))
    assert "forbids this page" in page.evaluate(SEND_FROM_ELSEWHERE, [collector.plan_url, RECORD])
    assert collector.count() == before + 1
