"""The survey page on phones and desks, by day and night, in three languages, with every kind of attribute."""

from __future__ import annotations

import functools
import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import sottovoce as sv
from sottovoce.views.survey_page import Survey, choose_catalogues, survey_page
from tests.browser.conftest import Collector, QuietHandler
from tests.collectors import Running, running

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[2] / "clients" / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"
HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
LOGO = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
LOGO += "AAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
RIGHT = "\u0627\u0644\u0639\u0645\u0631"


def schema(mark: str = "") -> sv.Schema:
    """Every kind of attribute, some of them to be left out; ``mark`` is in every text that people are shown."""
    german = [sv.Translation("de", title="Alter", question="Wie alt sind Sie?", unit="Jahre")]
    arabic = [sv.Translation("ar", title=RIGHT)]
    return sv.Schema(
        [
            sv.Ordinal("age", 16, 99, title=f"Age{mark}", unit=f"years{mark}", translations=[*german, *arabic]),
            sv.Numeric(f"rent{mark}", 0, 3000, bins=30, nullable=True, clip=True, unit="EUR"),
            sv.Categorical("district", [f"{name}{mark}" for name in "abcdefghijk"], title="District"),
            sv.Boolean("car", question=f"Do you own a car?{mark}", nullable=True),
            sv.Ordered("content", ["not at all", f"somewhat{mark}", "very"]),
            sv.Integers("seats", [2, 4, 5, 7]),
            sv.Ordinal("floors", -1, 5),
            sv.Date("visit", by="weekday"),
            sv.Date("month", by="month"),
            sv.Date("hour", by="hour"),
            sv.Date("built", by="year", low=1900, high=2026),
            sv.Date("moved", edges=["1990-01-01", "2010-01-01", "2026-12-31"]),
            sv.Choices("travel", ["bus", f"bike{mark}", "car"], question=f"How do you travel?{mark}", nullable=True),
        ],
        language="en",
    )


def make_plan(mark: str = "", **about: object) -> sv.Plan:
    return sv.Plan.create(schema(mark), **{"epsilon": 1, "users": 5_000, "expires": "9999-12-31", **about})


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, sv.Plan]]:
    """A collector that serves a page with every kind of attribute, in three languages."""
    folder = tmp_path_factory.mktemp("kinds")
    plan = make_plan(purpose="How people live", contact="Town hall, room 3")
    messages = choose_catalogues(("en", "de", "ar"), ())
    notice = "https://example.org/privacy"
    about = Survey(organisation="City of Example", logo=LOGO, colour="#ffd400", notice=notice, messages=messages)
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text(survey_page(plan, about), encoding="utf-8")
    with running([plan], str(folder / "c.db"), pages=(folder / "site",)) as collector:
        yield collector, plan


def opened(browser: Browser, collector: Running, **options: Any) -> tuple[BrowserContext, Page]:
    context = browser.new_context(**{"locale": "en", **options})
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(str(collector.http.base_url))
    expect(page.locator("#example")).to_be_visible()
    return context, page


def answer_all(page: Page) -> None:
    """Answer every question by its control, in whichever language."""
    page.locator("#step .actions button").first.click()
    fields = page.locator(".field")
    expect(fields).to_have_count(13)
    controls = {"number": "1950", "date": "2015-05-05"}
    for number in range(13):
        control = fields.nth(number).locator("input, select").first
        kind = control.get_attribute("type")
        if kind in ("radio", "checkbox"):
            control.check()
        elif kind is None:
            control.select_option(index=2)
        else:
            control.fill("34" if number == 0 else controls[kind])


def check(page: Page, where: str) -> None:
    """Fail if the page is too wide or axe finds anything."""
    assert page.evaluate(OVERFLOW) <= 0, where
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in clients/explorer")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(result => result.violations)")
    assert [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in found] == [], where


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(320, "ar"), (390, "de"), (1280, "en")])
def test_every_step_fits_and_axe_finds_nothing(
    browser: Browser, survey: tuple[Running, sv.Plan], width: int, locale: str, scheme: Any
) -> None:
    collector, plan = survey
    before = collector.total(plan)
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "bypass_csp": True}
    context, page = opened(browser, collector, locale=locale, **options)
    expect(page.locator("html")).to_have_attribute("lang", locale)
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if locale == "ar" else "ltr")
    check(page, "welcome")
    page.locator("#step .actions button").first.click()
    page.locator("#questions button[type=submit]").click()
    expect(page.locator(".error:visible")).to_have_count(12)
    check(page, "faults")
    page.reload()
    answer_all(page)
    check(page, "questions")
    small = page.locator("button:visible, .choice:visible, select:visible, input[type=number], input[type=date]")
    assert all(box["height"] >= 44 for box in (one.bounding_box() for one in small.all()))
    page.locator("#questions button[type=submit]").click()
    expect(page.locator("#review")).to_be_visible()
    check(page, "review")
    page.locator("#agree").check()
    page.locator("#send").click()
    expect(page.locator("#sent")).to_be_visible()
    expect(page.locator(".badge.own")).to_have_count(1)
    page.locator("summary").click()
    check(page, "sent")
    assert collector.total(plan) == before + 1
    context.close()


def test_every_kind_is_answered_by_a_control_that_fits_and_becomes_the_right_value(
    browser: Browser, survey: tuple[Running, sv.Plan]
) -> None:
    """Seen in the words of the check before sending, and in the chances that the record gave what was sent."""
    collector, plan = survey
    context, page = opened(browser, collector)
    answer_all(page)
    page.get_by_label("None of these").check()
    expect(page.get_by_label("bus")).not_to_be_checked()
    page.get_by_label("bus").check()
    page.get_by_label("bike").check()
    expect(page.get_by_label("None of these")).not_to_be_checked()
    page.get_by_role("radiogroup", name="Do you own a car?").get_by_label("Yes").check()
    page.get_by_label("rent").fill("")
    page.get_by_label("hour").select_option("13:00 to 13:59")
    page.get_by_label("month").select_option("November")
    page.get_by_role("button", name="Check my answers").click()
    shown = page.locator(".answers dd bdi").all_text_contents()
    expected = ["34 years", "no answer", "b", "Yes", "not at all", "2", "-1", "Monday", "November", "13:00 to 13:59"]
    assert shown == [*expected, "1950", "May 5, 2015", "bus and bike"]
    controls = {
        "age": 34,
        "rent": None,
        "district": "b",
        "car": "yes",
        "content": 1,
        "seats": 2,
        "floors": -1,
        "visit": 1,
    }
    record = {**controls, "month": 11, "hour": 13, "built": 1950, "moved": "2015-05-05", "travel": ["bus", "bike"]}
    levels = plan.schema.levels(record)
    with page.expect_request("**/reports") as sent:
        page.get_by_label("I have read this").check()
        page.get_by_role("button", name="Send a blurred answer").click()
    report = sv.Report.from_json(sent.value.post_data or "")
    expect(page.locator("#sent")).to_be_visible()
    question = plan.question(report.question)
    row = question.channel.row(question.cell(levels))
    percents = page.locator(".group .chance").all_text_contents()
    assert percents == [f"{round(100 * weight / question.channel.scale)}% chance" for weight in row]
    assert "sent" in (page.locator(".group").nth(report.code).get_attribute("class") or "")
    context.close()


def test_the_language_is_the_browsers_and_can_be_changed_without_losing_answers(
    browser: Browser, survey: tuple[Running, sv.Plan]
) -> None:
    collector, _ = survey
    context, page = opened(browser, collector, locale="de-AT")
    expect(page.locator("h2").first).to_have_text("Wer fragt, und wozu")
    answer_all(page)
    expect(page.get_by_label("Wie alt sind Sie?")).to_have_value("34")
    expect(page.locator(".field").nth(7)).to_contain_text("Montag")
    page.get_by_label("Sprache").focus()
    page.get_by_label("Sprache").select_option("العربية")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_label(RIGHT)).to_have_value("34")
    expect(page.locator("#languages")).to_be_focused()
    page.locator("#questions button[type=submit]").click()
    expect(page.locator("#review")).to_contain_text("2015")
    right = page.locator(".answers dt bdi").first.bounding_box()
    left = page.locator(".answers dd bdi").first.bounding_box()
    assert right is not None
    assert left is not None
    assert right["x"] > left["x"], "it is read from the right"
    page.get_by_label("اللغة").select_option("English")
    expect(page.get_by_role("button", name="Send a blurred answer")).to_be_visible()
    context.close()
    context, page = opened(browser, collector, locale="fr")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.close()


def test_the_whole_way_is_gone_by_keyboard(browser: Browser, collector: Collector) -> None:
    before = collector.count()
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.goto(collector.url)
    expect(page.locator("#example")).to_be_visible()
    press = page.keyboard.press
    page.get_by_role("button", name="Start").first.focus()
    press("Enter")
    expect(page.get_by_role("heading", name="Your answers")).to_be_focused()
    for typed in ("34", "25"):
        press("Tab")
        page.keyboard.type(typed)
    press("Tab")
    press("Space")
    press("ArrowDown")
    press("Tab")
    press("Enter")
    expect(page.get_by_role("heading", name="Check, agree and send")).to_be_focused()
    expect(page.locator(".answers")).to_contain_text("By bicycle")
    page.locator("#agree").focus()
    press("Space")
    press("Tab")
    press("Enter")
    expect(page.get_by_role("heading", name="This is all that was sent")).to_be_focused()
    assert collector.count() == before + 1
    context.close()


def test_names_that_are_markup_stay_text(browser: Browser, tmp_path: Path) -> None:
    plan = make_plan(HOSTILE, purpose=HOSTILE, contact=HOSTILE)
    hostile = {**choose_catalogues((), ())["en"], "lead": HOSTILE, "name": HOSTILE, "consent_words": HOSTILE}
    about = Survey(title=HOSTILE, organisation=HOSTILE, contact=HOSTILE, messages={"en": hostile})
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(survey_page(plan, about), encoding="utf-8")
    with running([plan], str(tmp_path / "c.db"), pages=(tmp_path / "site",)) as collector:
        context, page = opened(browser, collector)
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        expect(page.locator("h1")).to_have_text(HOSTILE)
        expect(page.locator("dd.about-asked_by")).to_have_text(HOSTILE)
        expect(page.locator("dd.about-contact a")).to_have_count(0)
        answer_all(page)
        page.get_by_role("button", name="Check my answers").click()
        expect(page.locator(".answers")).to_contain_text("bus")
        page.locator("#agree").check()
        page.locator("#send").click()
        expect(page.locator("#sent")).to_be_visible()
        assert page.evaluate("window.pwned") is None
        assert page.locator("img, #step script").count() == 0
        assert [url for url in fetched if not url.endswith("/reports")] == []
        assert collector.total(plan) == 1
        context.close()


def test_nothing_is_fetched_but_the_page_and_the_policy_refuses_nothing_of_it(
    browser: Browser, survey: tuple[Running, sv.Plan]
) -> None:
    collector, _ = survey
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(str(collector.http.base_url))
    expect(page.locator("#example")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.images[0].naturalWidth") == 1, "the logo is shown"
    button = page.get_by_role("button", name="Start").first
    assert button.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(255, 212, 0)"
    assert [url for url in asked if not url.startswith("data:")] == [page.url]
    assert said == []
    context.close()


def test_it_prints_without_buttons(browser: Browser, survey: tuple[Running, sv.Plan]) -> None:
    collector, _ = survey
    context, page = opened(browser, collector, color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Start").first).to_be_hidden()
    expect(page.locator("#example")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")
    context.close()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A web host that is no collector: its origin, and where its files are."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://localhost:{server.server_port}", folder
        server.shutdown()


def test_any_host_may_serve_it(browser: Browser, host: tuple[str, Path], tmp_path: Path) -> None:
    """The page from one origin, the collector on another that lets it post."""
    plan = make_plan()
    origin, folder = host
    with running([plan], str(tmp_path / "c.db"), origins={"*": (origin,)}) as collector:
        made = survey_page(plan, Survey(collector=str(collector.http.base_url)))
        (folder / "index.html").write_text(made, encoding="utf-8")
        context = browser.new_context(locale="en")
        page = context.new_page()
        page.goto(origin)
        answer_all(page)
        page.get_by_role("button", name="Check my answers").click()
        page.locator("#agree").check()
        page.locator("#send").click()
        expect(page.locator("#sent")).to_be_visible()
        assert collector.total(plan) == 1
        context.close()


def test_a_device_whose_budget_is_used_up_is_not_asked(browser: Browser, tmp_path: Path) -> None:
    plans = [make_plan(purpose=f"Survey {number}", epsilon=2) for number in range(3)]
    (tmp_path / "site").mkdir()
    with running(plans, str(tmp_path / "c.db"), pages=(tmp_path / "site",)) as collector:
        for number, plan in enumerate(plans):
            (tmp_path / "site" / f"{number}.html").write_text(survey_page(plan), encoding="utf-8")
        context = browser.new_context(locale="en")
        page = context.new_page()
        for number in range(2):
            page.goto(f"{collector.http.base_url}/{number}.html")
            answer_all(page)
            page.get_by_role("button", name="Check my answers").click()
            page.locator("#agree").check()
            page.locator("#send").click()
            expect(page.locator("#sent")).to_be_visible()
        page.goto(f"{collector.http.base_url}/2.html")
        expect(page.locator("#why")).to_have_text(
            re.compile(r"You used 4 of 4 .* 365 days, all people on this device 4 of 8, and this survey takes 2")
        )
        assert [collector.total(plan) for plan in plans] == [1, 1, 0]
        kept = json.dumps(page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})"))
        assert kept == '"{}"'
        context.close()


def test_a_browser_that_keeps_nothing_is_not_asked(browser: Browser, survey: tuple[Running, sv.Plan]) -> None:
    collector, plan = survey
    before = collector.total(plan)
    context = browser.new_context(locale="en")
    context.add_init_script(
        "IDBFactory.prototype.open = () => { throw new DOMException('forbidden', 'SecurityError'); }"
    )
    page = context.new_page()
    page.goto(str(collector.http.base_url))
    expect(page.locator("#why")).to_contain_text("does not let the page remember")
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
    assert collector.total(plan) == before
    context.close()


@pytest.mark.parametrize(
    ("mechanism", "said"), [("msw", "something that speaks for the true group 58%"), ("hdg", "58%")]
)
def test_what_other_mechanisms_send_is_told_as_well(
    browser: Browser, tmp_path: Path, mechanism: str, said: str
) -> None:
    schema = sv.Schema([sv.Ordinal("age", 16, 99), sv.Numeric("rent", 0, 3000, bins=30)])
    plan = sv.Plan.create(schema, epsilon=1, users=5_000, mechanism=mechanism)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(survey_page(plan), encoding="utf-8")
    with running([plan], str(tmp_path / "c.db"), pages=(tmp_path / "site",)) as collector:
        context, page = opened(browser, collector)
        page.get_by_role("button", name="Start").first.click()
        page.get_by_label("age").fill("34")
        page.get_by_label("rent").fill("1250")
        page.get_by_role("button", name="Check my answers").click()
        page.locator("#agree").check()
        page.locator("#send").click()
        expect(page.locator("#sent .told")).to_contain_text(said)
        expect(page.locator("#sent .badge.own")).to_have_count(1)
        expect(page.locator("#sent .badge.sent")).to_have_count(1)
        if mechanism == "msw":  # one attribute, a group for each of its levels
            report = sv.Report.from_json(page.locator("pre.bytes").text_content() or "")
            (place,) = plan.question(report.question).attributes
            own = page.locator("#sent .group.own > p:nth-child(2)")
            expect(own).to_have_text("34" if place == 0 else "1,200 to below 1,300")
        assert collector.total(plan) == 1
        context.close()


def test_a_page_of_ones_own_runs_as_the_clients_readme_shows_it(browser: Browser, tmp_path: Path) -> None:
    """With its script within the page, served by a collector beside the client."""
    clients = Path(__file__).parents[2] / "clients" / "js"
    example, *_ = re.findall(r"```html\n(.*?)```", (clients / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    record = '{ age: 34, income: 52000, region: "north" }'
    assert record in example
    region = sv.Categorical("region", ["north", "south"])
    schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Numeric("income", 0, 200_000), region])
    plan = sv.Plan.create(schema, epsilon=1, users=5_000)
    page_text = example.replace("https://collector.example/v1/plans/3f1c…", f"/v1/plans/{plan.fingerprint}")
    assert page_text != example
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(page_text, encoding="utf-8")
    with running([plan], str(tmp_path / "c.db"), pages=(tmp_path / "site", clients)) as collector:
        context = browser.new_context()
        page = context.new_page()
        with page.expect_response("**/reports") as answered:
            page.goto(str(collector.http.base_url))
        assert answered.value.ok
        assert collector.total(plan) == 1
        context.close()
