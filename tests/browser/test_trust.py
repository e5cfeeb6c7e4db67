"""Whether everybody is asked the same, checked in a real browser, on a page that is not the collector's own."""

from __future__ import annotations

import datetime

import pytest
from playwright.sync_api import Page

from sottovoce.plan.log import Log
from sottovoce.plan.signature import make_key, sign_plan
from tests.browser.conftest import Collector

pytestmark = pytest.mark.slow

MIRROR = "https://mirror.example/log.json"
LOAD = """async ([address, options]) => {
    const { Sottovoce } = await import("/sottovoce.js");
    const record = { age: 34, income: 2750, commute: 25, travel: "bicycle" };
    return Sottovoce.load(address, options).then((client) => client.draw(record).plan, (error) => error.message);
}"""


def serve(page: Page, address: str, body: bytes) -> None:
    headers = {"access-control-allow-origin": "*", "content-type": "application/json"}
    page.route(address, lambda route: route.fulfill(body=body, headers=headers))


def test_a_plan_is_named_only_where_a_mirror_lists_it(page: Page, collector: Collector, elsewhere: str) -> None:
    page.goto(elsewhere)
    day = datetime.date(2030, 1, 1)
    assert page.evaluate(LOAD, [collector.plan_url, {}]) == collector.plan.collection
    serve(page, MIRROR, Log().add(collector.plan, day).to_json())
    assert page.evaluate(LOAD, [collector.plan_url, {"log": MIRROR}]) == collector.plan.fingerprint
    serve(page, MIRROR, Log().to_json())
    assert "not in the log of plans" in page.evaluate(LOAD, [collector.plan_url, {"log": MIRROR}])
    own = {"log": f"{collector.url}/v1/log"}
    assert "the collector's own, which proves nothing" in page.evaluate(LOAD, [collector.plan_url, own])


def test_a_plan_is_answered_if_it_is_signed_by_the_key_that_was_published(
    page: Page, collector: Collector, elsewhere: str
) -> None:
    page.goto(elsewhere)
    signature = sign_plan(collector.plan, make_key())
    given = [collector.plan_url, {"signer": signature.key}]
    assert "status 404" in page.evaluate(LOAD, given)
    serve(page, "**/signature", signature.to_json())
    assert page.evaluate(LOAD, given) == collector.plan.collection
    assert "not by the key that was given" in page.evaluate(LOAD, [collector.plan_url, {"signer": "ab" * 32}])


def test_a_signature_is_kept_and_checked_anew_without_the_collector(
    page: Page, collector: Collector, elsewhere: str
) -> None:
    page.goto(elsewhere)
    signature = sign_plan(collector.plan, make_key())
    serve(page, "**/signature", signature.to_json())
    given = [collector.plan_url, {"signer": signature.key}]
    assert page.evaluate(LOAD, given) == collector.plan.collection
    page.unroute("**/signature")
    page.route(f"{collector.url}/**", lambda route: route.abort())
    assert page.evaluate(LOAD, given) == collector.plan.collection
    assert "could not be fetched" in page.evaluate(LOAD, [collector.plan_url, {"signer": "ab" * 32}])
