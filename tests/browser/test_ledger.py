"""The ledger of a real browser: no full storage, second page, older version or clock leads to a second draw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Page

import sottovoce as sv
from tests.browser.conftest import LAUNCH, Collector

pytestmark = pytest.mark.slow

# A square wave over 1000 levels: codes of one to four digits, which storage that is almost full could tell apart.
PLAN = sv.Plan.create(sv.Schema([sv.Ordinal("level", 0, 999)]), epsilon=1, users=1000, mechanism="msw")

INSTALL = """async () => {
    const { Client, Ledger, Plan } = await import("/sottovoce.js");
    window.open = async (plan, options = {}) => {
        const client = new Client(await Plan.parse(plan), location.origin, { ledger: await Ledger.open(options) });
        const draw = client.plan.draw.bind(client.plan);
        client.draws = 0;
        client.plan.draw = (...given) => {
            client.draws += 1;
            return draw(...given);
        };
        return client;
    };
    window.attempt = (client) => client.report({ level: 400 }).then((report) => report.id, (error) => error.name);
}"""

ATTACK = """async (plan) => {
    const client = await open(plan);
    const said = [];
    for (let i = 0; i < 20; i += 1) said.push(await attempt(client));
    return { draws: client.draws, said };
}"""


def saved(plan: sv.Plan) -> str:
    return json.dumps({**json.loads(plan.to_json()), "fingerprint": plan.fingerprint})


def test_a_full_local_storage_does_not_choose_among_draws(page: Page, collector: Collector) -> None:
    """Local storage filled to leave room for three digits once made a client draw again until its report fitted."""
    page.goto(collector.plain)
    page.evaluate(
        """() => {
            for (let size = 2 ** 22; size >= 1; size = size >> 1) {
                const text = "x".repeat(size);
                try { for (let i = 0; ; i += 1) localStorage.setItem(`filler ${size} ${i}`, text); } catch {}
            }
        }"""
    )
    page.evaluate(INSTALL)
    found = page.evaluate(ATTACK, saved(PLAN))
    assert found["draws"] == 1
    assert len(set(found["said"])) == 1


@pytest.fixture
def limited(chromium: BrowserType, collector: Collector, tmp_path: Path) -> Iterator[Page]:
    """A page that can set how many bytes its origin may keep: of a profile on disk, where quotas hold."""
    context = chromium.launch_persistent_context(tmp_path, **LAUNCH)
    page = context.new_page()
    page.goto(f"{collector.url}/sottovoce.js")
    session = context.new_cdp_session(page)

    def set_quota(size: int) -> None:
        session.send("Storage.overrideQuotaForOrigin", {"origin": collector.url, "quotaSize": size})

    page.expose_function("setQuota", set_quota)
    page.goto(f"{collector.url}/v1/plans")
    page.evaluate(INSTALL)
    yield page
    context.close()


def test_where_there_is_no_room_for_a_ledger_nothing_is_drawn(limited: Page) -> None:
    said = limited.evaluate(
        """async (plan) => {
            await window.setQuota(1);
            const failed = [];
            for (let i = 0; i < 5; i += 1) await open(plan).catch((error) => failed.push(error.name));
            await window.setQuota(10 ** 8);
            return failed;
        }""",
        saved(PLAN),
    )
    assert said == ["StorageError"] * 5
    found = limited.evaluate(ATTACK, saved(PLAN))
    assert found["draws"] == 1
    assert len(set(found["said"])) == 1


def test_a_full_database_does_not_choose_among_draws(limited: Page) -> None:
    """The quota filled to its last bytes, and freed again: whatever fails in between, there is one draw at the most."""
    found = limited.evaluate(
        """async (plan) => {
            await window.setQuota(4 * 2 ** 20);
            const client = await open(plan);
            const request = indexedDB.open("filler");
            request.onupgradeneeded = () => request.result.createObjectStore("filler", { autoIncrement: true });
            await new Promise((resolve) => { request.onsuccess = resolve; });
            const write = (work) => new Promise((resolve, reject) => {
                const transaction = request.result.transaction("filler", "readwrite");
                transaction.oncomplete = resolve;
                transaction.onabort = () => reject(transaction.error);
                work(transaction.objectStore("filler"));
            });
            let refused = 0;
            for (let size = 2 ** 19; size >= 1; size = size >> 3) {
                const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65536)));
                const whole = new Uint8Array(size).map((_, place) => bytes[place % bytes.length]);
                try {
                    for (let i = 0; i < 50; i += 1) await write((store) => store.add(whole));
                } catch (error) {
                    refused += error.name === "QuotaExceededError" ? 1 : 0;
                }
            }
            const said = [];
            for (let i = 0; i < 20; i += 1) said.push(await attempt(client));
            await window.setQuota(10 ** 8);
            await write((store) => store.clear());
            for (let i = 0; i < 20; i += 1) said.push(await attempt(client));
            return { draws: client.draws, refused, ids: said.filter((word) => word !== "StorageError") };
        }""",
        saved(PLAN),
    )
    assert found["refused"] > 0
    assert found["draws"] == 1
    assert len(set(found["ids"])) <= 1


def test_a_quota_that_ends_between_reservation_and_report_spends_the_collection(limited: Page) -> None:
    found = limited.evaluate(
        """async (plan) => {
            const client = await open(plan);
            const { put } = IDBObjectStore.prototype;
            const draw = client.plan.draw;
            client.plan.draw = (...given) => {
                IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
                return draw(...given);
            };
            const said = [];
            for (let i = 0; i < 10; i += 1) {
                await client.report({ level: 400 }).catch((error) => said.push(error.message));
                IDBObjectStore.prototype.put = put;
            }
            return { draws: client.draws, said, cost: await client.cost() };
        }""",
        saved(PLAN),
    )
    assert found["draws"] == 1
    assert "full" in found["said"][0]
    assert all("nothing is drawn again" in text for text in found["said"][1:])
    assert len(found["said"]) == 10
    assert found["cost"]["spent"] == "1"


def test_two_pages_share_one_budget(browser: Browser, collector: Collector) -> None:
    """Ten twins in each of two pages at once: four are answered, whoever is first."""
    context = browser.new_context()
    pages = [context.new_page() for _ in range(2)]
    for number, page in enumerate(pages):
        page.goto(collector.plain)
        twins = [
            saved(sv.Plan.create(PLAN.schema, epsilon=1, users=1000, mechanism="msw", purpose=f"{number} {twin}"))
            for twin in range(10)
        ]
        page.evaluate(INSTALL)
        page.evaluate(
            """async (twins) => {
                const clients = await Promise.all(twins.map((plan) => open(plan)));
                window.answered = new Promise((resolve) => {
                    const start = () => resolve(Promise.all(clients.map(attempt)));
                    new BroadcastChannel("start").onmessage = start;
                });
            }""",
            twins,
        )
    starter = context.new_page()
    starter.goto(collector.plain)
    starter.evaluate("new BroadcastChannel('start').postMessage('now')")
    said = [word for page in pages for word in page.evaluate("window.answered")]
    assert said.count("BudgetError") == 16
    assert len(set(said)) == 5
    context.close()


def test_what_an_older_version_kept_in_local_storage_is_taken_over(page: Page, collector: Collector) -> None:
    page.goto(f"{collector.url}/sottovoce.js")
    old = {"plan": PLAN.fingerprint, "id": "ab" * 16, "question": 0, "code": 7}
    note = json.dumps({"body": json.dumps(old, separators=(",", ":")), "acknowledged": False})
    page.evaluate("([key, note]) => localStorage.setItem(key, note)", [f"sottovoce.{PLAN.collection}", note])
    page.goto(collector.plain)
    page.evaluate(INSTALL)
    kept = page.evaluate("async (plan) => (await open(plan)).drawn()", saved(PLAN))
    assert kept == {"report": old, "acknowledged": False}
    assert page.evaluate("localStorage.length") == 0


def test_a_clock_that_is_set_back_gives_nothing_back(page: Page, collector: Collector) -> None:
    page.goto(collector.plain)
    page.evaluate(INSTALL)
    said = page.evaluate(
        """async ([first, second]) => {
            let now = "2030-05-01";
            const options = { budget: 1, clock: () => new Date(now) };
            await attempt(await open(first, options));
            const client = await open(second, options);
            const answers = [];
            for (now of ["2020-01-01", "2031-04-30", "2031-05-01"]) answers.push(await attempt(client));
            return answers;
        }""",
        [saved(PLAN), saved(sv.Plan.create(PLAN.schema, epsilon=1, users=1001, mechanism="msw"))],
    )
    assert said[:2] == ["BudgetError", "BudgetError"]
    assert re.fullmatch("[0-9a-f]{32}", said[2])
