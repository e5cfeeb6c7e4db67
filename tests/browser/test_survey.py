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
NOTICE = "https://example.org/privacy"
OPPOSITE = {"age": "91", "income": "", "commute": "110", "travel": "car"}


QUESTIONS = {
    "age": "How old are you?",
    "income": "What does your household have in a month, after tax?",
    "commute": "How long is your way to work, from door to door?",
}
TRAVEL = {"bicycle": "By bicycle", "car": "By car"}


def fill_in(page: Page, answers: dict[str, str]) -> None:
    """Start, answer all questions, and go to where they are checked."""
    page.get_by_role("button", name="Start").first.click()
    for name, question in QUESTIONS.items():
        page.get_by_label(question).fill(answers[name])
    page.get_by_label(TRAVEL[answers["travel"]]).check()
    page.get_by_role("button", name="Check my answers").click()


def agree(page: Page) -> None:
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Send a blurred answer").click()


def bytes_shown(page: Page) -> str:
    return page.locator("pre.bytes").text_content() or ""


def test_a_person_sees_a_made_up_example_agrees_and_sees_what_was_sent_once(page: Page, collector: Collector) -> None:
    before = collector.count()
    page.goto(f"{collector.url}#{collector.plan.fingerprint}")
    expect(page.locator("h1")).to_have_text("Ways to work")
    expect(page.locator("dd.about-purpose_label")).to_have_text(collector.plan.purpose)
    expect(page.locator("dd.about-asked_by")).to_have_text("City of Example")
    expect(page.locator("dd.about-privacy")).to_contain_text("at most 74% sure")
    expect(page.get_by_role("link", name="Read the privacy notice")).to_have_attribute("href", NOTICE)
    expect(page.get_by_role("link", name="transport@example.org")).to_have_attribute(
        "href", "mailto:transport@example.org"
    )
    expect(page.locator("#pinned")).to_have_text("This is the plan that your link names.")
    expect(page.locator("#example")).to_contain_text("made-up person")
    example = sv.Report.from_json(bytes_shown(page))
    page.get_by_role("button", name="Show another example").click()
    assert sv.Report.from_json(bytes_shown(page)).id != example.id
    fill_in(page, SOMEONE)
    expect(page.locator("#cost")).to_have_text(
        "This device keeps count of your privacy: you used 0 of 4 in the last 365 days, and this survey takes 1."
    )
    assert collector.count() == before
    kept = page.evaluate(EVERYTHING_KEPT)
    assert (kept["sottovoce spent"], kept["sottovoce reports"]) == ([], []), "nothing is drawn before consent"
    agree(page)
    expect(page.get_by_role("status")).to_have_text(re.compile("your blurred answer was counted"))
    expect(page.get_by_role("heading", name="This is all that was sent")).to_be_focused()
    assert collector.count() == before + 1
    report = sv.Report.from_json(bytes_shown(page))
    assert report.to_json() == bytes_shown(page)
    assert report.plan == collector.plan.collection
    assert report.code < collector.plan.question(report.question).channel.codes
    page.reload()
    expect(page.locator("#step")).to_contain_text("This survey was answered")
    expect(page.locator("pre.bytes")).to_have_count(0)
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
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


def groups(page: Page) -> list[dict[str, Any]]:
    """Return the groups that the page shows: whether each is the true one, whether it is sent, and its chance."""
    shown: list[dict[str, Any]] = page.locator(".groups .group").evaluate_all(
        """all => all.map(one => ({
            own: one.classList.contains("own") && one.querySelector(".badge.own") !== null,
            sent: one.classList.contains("sent") && one.querySelector(".badge.sent") !== null,
            percent: Number(/\\d+/.exec(one.querySelector(".chance").textContent)[0]),
        }))"""
    )
    return shown


def test_the_true_group_stands_beside_the_one_that_was_sent_with_their_chances(
    page: Page, collector: Collector
) -> None:
    """Against the channel's exact table, for whichever question was drawn."""
    page.goto(collector.url)
    fill_in(page, SOMEONE)
    agree(page)
    expect(page.locator("#sent")).to_be_visible()
    report = sv.Report.from_json(bytes_shown(page))
    question = collector.plan.question(report.question)
    own = question.cell(collector.plan.schema.levels(RECORD))
    row = question.channel.row(own)
    expected = [
        {
            "own": max(question.channel.row(cell)[code] for cell in range(question.channel.cells)) == row[code],
            "sent": code == report.code,
            "percent": round(100 * row[code] / question.channel.scale),
        }
        for code in range(question.channel.codes)
    ]
    assert groups(page) == expected
    assert [one["own"] for one in expected].count(True) == 1
    true = next(one for one in expected if one["own"])
    expect(page.locator(".told")).to_contain_text(f"the true one {true['percent']}% of the time")
    verdict = "it was your true group" if true["sent"] else "it was not your true group"
    expect(page.locator(".verdict")).to_contain_text(verdict)
    expect(page.locator(".told")).to_contain_text("at most 2.8 times as often")


def test_a_page_whose_link_names_no_plan_says_whose_word_it_takes(page: Page, collector: Collector) -> None:
    page.goto(collector.url)
    expect(page.locator("#pinned")).to_contain_text("this page's word")


def test_a_link_that_names_another_plan_asks_nothing(page: Page, collector: Collector) -> None:
    page.goto(f"{collector.url}#{'ab' * 32}")
    expect(page.locator("#why")).to_contain_text("Your link names another survey")
    expect(page.get_by_role("button", name="Start")).to_have_count(0)


def test_wrong_answers_are_told_where_they_stand_before_anything_is_drawn(page: Page, collector: Collector) -> None:
    page.goto(collector.url)
    page.get_by_role("button", name="Start").first.click()
    page.get_by_label(QUESTIONS["age"]).fill("134")
    page.get_by_role("button", name="Check my answers").click()
    expect(page.get_by_role("status")).to_have_text("Please look at these answers again: 3.")
    age = page.get_by_label(QUESTIONS["age"])
    expect(age).to_be_focused()
    expect(age).to_have_attribute("aria-invalid", "true")
    expect(age).to_have_accessible_description(re.compile("not possible here. A whole number, 16 to 99 years."))
    expect(page.get_by_role("radiogroup", name="How do you mostly travel to work?")).to_have_accessible_description(
        "Please answer this."
    )
    age.fill("34.5")
    page.get_by_role("button", name="Check my answers").click()
    expect(age).to_have_accessible_description(re.compile("Please enter a whole number"))
    kept = page.evaluate(EVERYTHING_KEPT)
    assert (kept["sottovoce spent"], kept["sottovoce reports"]) == ([], [])


def test_a_typo_is_corrected_before_the_draw_and_nothing_is_sent_without_consent(
    page: Page, collector: Collector
) -> None:
    before = collector.count()
    page.goto(collector.url)
    fill_in(page, {**SOMEONE, "age": "43"})
    expect(page.locator(".answers")).to_contain_text("43 years")
    page.get_by_role("button", name=f"Change: {QUESTIONS['age']}").click()
    age = page.get_by_label(QUESTIONS["age"])
    expect(age).to_be_focused()
    expect(page.get_by_label(QUESTIONS["commute"])).to_have_value("25")
    age.fill("34")
    page.go_back()  # the browser's own button does not lead to a check of what was changed since
    expect(age).to_have_value("34")
    page.go_back()
    page.go_back()
    expect(page.locator("#example")).to_be_visible()
    page.get_by_role("button", name="Start").first.click()
    expect(age).to_have_value("34")
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator(".answers")).to_contain_text("34 years")
    page.get_by_role("button", name="Send a blurred answer").click()
    expect(page.locator("#consent-error")).to_be_visible()
    expect(page.get_by_label("I have read this")).to_be_focused()
    assert collector.count() == before
    agree(page)
    expect(page.locator("#sent")).to_be_visible()
    assert collector.count() == before + 1


def test_a_second_person_at_the_device_answers_for_themselves_by_their_own_click(
    page: Page, collector: Collector
) -> None:
    before = collector.count()
    page.goto(collector.url)
    for answers in (SOMEONE, OPPOSITE):
        fill_in(page, answers)
        agree(page)
        expect(page.get_by_role("status")).to_have_text(re.compile("counted"))
        page.get_by_role("button", name="Somebody else answers").click()
        expect(page.get_by_role("button", name="Start").first).to_be_visible()
    assert collector.count() == before + 2
    page.reload()
    expect(page.get_by_role("heading", name="Who is answering?")).to_be_focused()
    people = page.locator(".people button")
    expect(people).to_have_text(["Person 1: answered", "Person 2: answered", "Person 3: not answered yet"])
    people.nth(1).click()
    expect(page.locator("#step")).to_contain_text("This survey was answered")
    page.reload()
    people.nth(2).click()
    expect(page.get_by_role("button", name="Start").first).to_be_visible()
    page.goto(collector.plain)
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
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=30_000)
    expect(page.locator("#step")).to_contain_text("It waits on this device")
    assert len(bodies) == 4
    assert collector.count() == before + 1
    expect(page.locator("pre.bytes")).to_have_count(0)  # whoever could look first might decide by what it says
    page.reload()
    expect(page.get_by_role("status")).to_have_text(re.compile("was counted"))
    expect(page.locator("#sent")).to_contain_text("your true group is not shown")
    assert len(bodies) == 5
    assert len(set(bodies)) == 1
    assert bytes_shown(page) == bodies[0]
    assert collector.count() == before + 1
    page.reload()
    expect(page.locator("#step")).to_contain_text("This survey was answered")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


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
        expect(page.locator("body")).to_contain_text("was counted" if restarted else "did not take it")
        context.close()
    assert drawn[0] == drawn[1]


def test_two_pages_that_draw_at_once_draw_one_report(browser: Browser, collector: Collector) -> None:
    context = browser.new_context()
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(collector.plain)
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
    starter.goto(collector.plain)
    starter.evaluate("new BroadcastChannel('start').postMessage('now')")
    reports = [report["id"] for page in pages for report in page.evaluate("window.drawn")]
    assert len(reports) == 100
    assert len(set(reports)) == 1
    context.close()


def test_an_altered_plan_is_refused(page: Page, collector: Collector) -> None:
    def alter(route: Route) -> None:
        answer = route.fetch()
        users = f'"users":{collector.plan.users}'
        assert users in answer.text()
        route.fulfill(response=answer, body=answer.text().replace(users, '"users":20001'))

    page.route(f"{collector.url}/", alter)
    page.goto(collector.url)
    expect(page.get_by_role("status")).to_have_text(re.compile("the plan was altered"))
    expect(page.get_by_role("button", name="Start")).to_have_count(0)


def test_a_report_waits_without_a_network_and_is_sent_and_shown_when_it_is_back(
    browser: Browser, collector: Collector
) -> None:
    before = collector.count()
    context = browser.new_context()
    page = context.new_page()
    page.goto(collector.url)
    fill_in(page, SOMEONE)
    context.set_offline(True)
    agree(page)
    expect(page.get_by_role("heading", name="not counted yet")).to_be_visible(timeout=30_000)
    assert collector.count() == before
    context.set_offline(False)
    expect(page.locator("#sent")).to_be_visible(timeout=30_000)
    expect(page.locator(".badge.own")).to_have_text("your true group")
    assert collector.count() == before + 1
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
