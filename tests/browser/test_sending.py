"""A page that goes offline, in a real browser: it draws from the plan it kept, and sends what waits when it is back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Collector

pytestmark = pytest.mark.slow

RECORD = {"age": 34, "income": 2750, "commute": 25, "travel": "bicycle"}
LOAD = """async ([address, options]) => {
    window.library = await import("/sottovoce.js");
    window.client = await window.library.Sottovoce.load(address, options);
}"""
SEND = """async (record) => {
    try {
        return (await window.client.send(record))?.id ?? null;
    } catch (error) {
        return { name: error.name, lasting: error.lasting, retryAfter: error.retryAfter };
    }
}"""

SENT = """async () => {
    while (await window.client.pending()) await new Promise((resolve) => setTimeout(resolve, 50));
}"""


def test_a_page_draws_offline_and_sends_what_waits_when_it_is_online_again(
    browser: Browser, collector: Collector
) -> None:
    before = collector.count()
    context = browser.new_context()
    page = context.new_page()
    page.goto(collector.plain)
    page.evaluate(LOAD, [collector.plan_url, {"attempts": 1}])
    context.set_offline(True)
    page.evaluate(
        "async ([address, options]) => { window.client = await window.library.Sottovoce.load(address, options); }",
        [collector.plan_url, {"attempts": 1}],
    )
    assert page.evaluate(SEND, RECORD) == {"name": "SendError", "lasting": False, "retryAfter": None}
    assert page.evaluate("window.client.pending()")
    assert collector.count() == before
    context.set_offline(False)
    page.evaluate(SENT)
    assert collector.count() == before + 1
    assert page.evaluate(SEND, RECORD) is None
    assert collector.count() == before + 1
    context.close()


def test_the_next_page_sends_what_waits_and_fetches_no_plan(browser: Browser, collector: Collector) -> None:
    before = collector.count()
    context = browser.new_context()
    page = context.new_page()
    fetched = list[str]()
    context.on("request", lambda request: fetched.append(request.url))
    page.goto(f"{collector.url}/sottovoce.js")
    page.route("**/reports", lambda route: route.abort())
    page.evaluate(LOAD, [collector.plan_url, {"attempts": 1}])
    assert page.evaluate(SEND, RECORD)["name"] == "SendError"
    page.close()
    assert fetched.count(collector.plan_url) == 1
    later = context.new_page()
    later.goto(f"{collector.url}/sottovoce.js")
    later.evaluate(LOAD, [collector.plan_url, {}])
    later.evaluate(SENT)
    assert collector.count() == before + 1
    assert fetched.count(collector.plan_url) == 1
    context.close()


def test_a_kept_plan_that_was_altered_is_fetched_again(browser: Browser, collector: Collector) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{collector.url}/sottovoce.js")
    page.evaluate(LOAD, [collector.plan_url, {}])
    page.evaluate(
        """async (address) => {
            const plans = await caches.open("sottovoce-plans");
            const text = await (await plans.match(address)).text();
            await plans.put(address, new Response(text.replace('"epsilon":"1"', '"epsilon":"9"')));
        }""",
        collector.plan_url,
    )
    page.evaluate(LOAD, [collector.plan_url, {}])
    assert page.evaluate("window.client.plan.epsilon") == "1"
    context.close()


def test_a_page_of_another_origin_sees_when_to_come_back(
    browser: Browser, collector: Collector, elsewhere: str
) -> None:
    """The answer is the collector's own but for its status: a page reads of it what the collector lets it."""
    context = browser.new_context()
    page = context.new_page()

    def busy(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(status=503, headers={**answer.headers, "retry-after": "3600"}, body='{"detail":"busy"}')

    page.route("**/reports", busy)
    page.goto(elsewhere)
    page.evaluate(LOAD, [collector.plan_url, {}])
    assert page.evaluate(SEND, RECORD) == {"name": "SendError", "lasting": False, "retryAfter": 3600}
    expect(page).to_have_url(f"{elsewhere}/")
    context.close()
