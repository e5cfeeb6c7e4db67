"""The explorer in a real browser, opened from a file: its numbers are the model's, and nothing leaves it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect

import sottovoce as sv
from sottovoce.model.answer import evidence_words
from sottovoce.views.explorer import explorer_page
from tests.crowds_explored import SCHEMA, explored_model, explored_plan

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[2] / "clients" / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
ORDERS = SCHEMA.attributes[3].values  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def model() -> sv.Model:
    return explored_model(explored_plan())


@pytest.fixture(scope="module")
def address(model: sv.Model, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("explorer") / "page.html"
    path.write_text(explorer_page(model, plan=explored_plan(), population=1_000_000), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A context in which any request but for the page itself, and any word on the console, is a failure."""
    made = browser.new_context(
        viewport={"width": 1280, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    wrong: list[str] = []
    made.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    made.on("console", lambda message: wrong.append(message.text))
    made.on("weberror", lambda error: wrong.append(str(error.error)))
    yield made
    made.close()
    assert wrong == []


@pytest.fixture
def explorer(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    expect(page.locator(".fraction")).to_be_visible()
    return page


def look_at(page: Page, link: str) -> None:
    """Show the view of a link, as if it had been followed within the page."""
    followed = (
        "link => new Promise(then => { addEventListener('hashchange', then, { once: true }); location.hash = link })"
    )
    page.evaluate(f"({followed})", link)


def card(page: Page, name: str) -> Any:
    return page.get_by_role("region", name=name, exact=True)


def sql_of(page: Page) -> str:
    page.get_by_role("button", name="Copy SQL").click()
    expect(page.locator(".told")).to_have_text("SQL is on the clipboard")
    return str(page.evaluate("navigator.clipboard.readText()"))


def csv_of(page: Page) -> dict[str, str]:
    with page.expect_download() as started:
        page.get_by_role("button", name="Save CSV").click()
    with Path(started.value.path()).open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    return row


def table_of(page: Page, name: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return what the page's table of an attribute says, to the last digit."""
    page.get_by_role("button", name=f"Table of {name}").click()
    rows = """all => all.map(row => {
        const { low, high } = row.querySelector("span").dataset;
        const { evidence } = row.querySelector("[data-evidence]").dataset;
        return [row.querySelector("data").value, low, high, evidence];
    })"""
    found = np.array(page.locator("dialog tbody tr").evaluate_all(rows), dtype=float)
    page.get_by_role("button", name="Close").click()
    return dict(zip(("fractions", "lows", "highs", "evidence"), found.T, strict=True))


def assert_answers_as(page: Page, model: sv.Model) -> sv.Answer:
    """Fail unless the number shown, its interval and evidence are the model's answer to the query as written."""
    row = csv_of(page)
    answer = model.answer(row["where"], population=1_000_000)
    shown = float(page.locator(".fraction").get_attribute("value") or "nan")
    assert shown == pytest.approx(answer.fraction, rel=1e-9)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(answer.interval, rel=1e-7, abs=1e-12)
    assert float(row["evidence"]) == pytest.approx(answer.evidence, rel=1e-6, abs=1e-9)
    assert row["basis"] == answer.basis
    expect(page.locator(".answer .basis")).to_have_text(f"; {answer.basis}")
    assert float(row["people"]) == pytest.approx(answer.count, rel=1e-9)
    return answer


def assert_shows(shown: dict[str, np.ndarray[Any, Any]], model: sv.Model, name: str, given: str) -> None:
    """Fail unless a table's fractions, intervals and evidence are the model's for all levels, among those given."""
    levels = [answer.where for answer in model.group_by(name).values()]
    answers = model.answers(levels, given=given)
    assert shown["fractions"] == pytest.approx([answer.fraction for answer in answers], rel=1e-9)
    assert shown["lows"] == pytest.approx([answer.interval[0] for answer in answers], rel=1e-6, abs=1e-12)
    assert shown["highs"] == pytest.approx([answer.interval[1] for answer in answers], rel=1e-6, abs=1e-12)
    assert shown["evidence"] == pytest.approx([answer.evidence for answer in answers], rel=1e-6, abs=1e-9)


def drag(page: Page, name: str, start: float, stop: float) -> None:
    """Drag over a part of a histogram, given as fractions of its width, in ten steps."""
    box = card(page, name).locator(".overlay").bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], height)
    page.mouse.down()
    page.mouse.move(box["x"] + stop * box["width"], height, steps=10)
    page.mouse.up()


def assert_map_shows(page: Page, joint: np.ndarray[Any, Any]) -> None:
    """Fail unless the map's cells, row by row, are as dark as their fractions make them."""
    cells = page.locator(".cells rect")
    expect(cells).to_have_count(joint.size)
    page.wait_for_timeout(200)
    shades = np.array(cells.evaluate_all("all => all.map(cell => Number(cell.getAttribute('fill-opacity')))"))
    assert shades.reshape(joint.shape) == pytest.approx(np.sqrt(joint / joint.max()), abs=1e-3)


def test_a_brush_shows_the_models_own_answer_in_words_and_numbers(explorer: Page, model: sv.Model) -> None:
    expect(explorer.locator(".query")).to_contain_text("Everybody")
    drag(explorer, "age", 0.21, 0.5)
    assert sql_of(explorer) == "age BETWEEN 33 AND 53"
    answer = assert_answers_as(explorer, model)
    low, high = answer.interval
    expect(explorer.locator(".query")).to_have_text("Those with age 33 to 53")
    expect(explorer.locator(".answer")).to_have_text(
        f"{100 * answer.fraction:.1f}\u00a0% ({100 * low:.1f}\u2013{100 * high:.1f}\u00a0%), "
        f"about {answer.count:,.0f} of 1,000,000 people; 60,000 reports; {answer.basis}"
    )


def test_the_edges_of_a_brush_and_the_brush_itself_can_be_dragged(explorer: Page, model: sv.Model) -> None:
    drag(explorer, "income", 0.1, 0.3)
    assert sql_of(explorer) == "income BETWEEN 10000 AND 30000"
    box = card(explorer, "income").locator(".selection").bounding_box()
    whole = card(explorer, "income").locator(".overlay").bounding_box()
    middle = box["y"] + box["height"] / 2
    explorer.mouse.move(box["x"] + box["width"], middle)
    explorer.mouse.down()
    explorer.mouse.move(whole["x"] + 0.6 * whole["width"], middle, steps=5)
    explorer.mouse.up()
    assert sql_of(explorer) == "income BETWEEN 10000 AND 60000"
    assert_answers_as(explorer, model)


LINKS = [
    "is.age=30..50",
    "is.age=18..90",
    "none.age=1",
    "is.age=60..90&none.age=1&is.travel=car",
    "is.income=11111..11222",
    "is.income=14000..47000.5&is.weekly hours=-3.3..31.7",
    "is.order=north&none.order=1&is.travel=bus&is.travel=foot&is.age=20..64&is.income=10000..60000",
    'is.order=</script><script>alert(1)</script>&is.order=it\'s "south"&is.weekly hours=20..60',
]


def test_any_view_answers_as_the_model_does(explorer: Page, model: sv.Model) -> None:
    for link in LINKS:
        look_at(explorer, link)
        assert_answers_as(explorer, model)


def test_the_other_histograms_show_the_conditional_distribution(explorer: Page, model: sv.Model) -> None:
    look_at(explorer, "is.age=30..50&is.income=12000..40000&is.travel=bus&is.travel=car")
    chosen = {
        "age": "age BETWEEN 30 AND 50",
        "income": "income BETWEEN 12000 AND 40000",
        "travel": "travel IN ('bus', 'car')",
    }
    for name in model.schema.names:
        given = " AND ".join(words for other, words in chosen.items() if other != name)
        shown = table_of(explorer, name)
        assert shown["fractions"] == pytest.approx(model.marginal(name, where=given), rel=1e-9)
        assert_shows(shown, model, name, given)


def test_without_filters_histograms_show_marginals_with_their_intervals(explorer: Page, model: sv.Model) -> None:
    for name in model.schema.names:
        shown = table_of(explorer, name)
        assert shown["fractions"] == pytest.approx(model.marginal(name), rel=1e-9)
        assert_shows(shown, model, name, "TRUE")


def centre_of(page: Page, name: str, kind: str) -> tuple[float, float, float]:
    """Return the mean or the median that a card shows, and its interval, to the last digit."""
    line = card(page, name).locator(".centre > span").filter(has_text=kind)
    expect(line.locator(".between")).not_to_be_empty()
    value = float(line.locator("data").get_attribute("value") or "nan")
    low, high = (float(line.locator(".between").get_attribute(f"data-{end}") or "nan") for end in ("low", "high"))
    return value, low, high


def assert_centres_as(page: Page, model: sv.Model, wheres: dict[str, str]) -> None:
    """Fail unless every card's mean and median, with their intervals, are the model's among those given."""
    for name, where in wheres.items():
        mean, median = model.mean(name, where=where), model.quantile(name, 0.5, where=where)
        assert centre_of(page, name, "mean") == pytest.approx((mean, *mean.interval), rel=1e-6), name
        assert centre_of(page, name, "median") == pytest.approx((median, *median.interval), rel=1e-6, abs=1e-9), name


def test_cards_say_the_models_own_means_and_medians(explorer: Page, model: sv.Model) -> None:
    assert_centres_as(explorer, model, {"age": "TRUE", "income": "TRUE", "weekly hours": "TRUE"})
    expect(card(explorer, "travel").locator(".centre")).to_have_count(0)
    look_at(explorer, "is.age=30..50&is.travel=car&is.income=14000..47000.5")
    given = "age BETWEEN 30 AND 50 AND travel = 'car'"
    others = {
        "age": "travel = 'car' AND income BETWEEN 14000 AND 47000.5",
        "income": given,
        "weekly hours": f"{given} AND income BETWEEN 14000 AND 47000.5",
    }
    assert_centres_as(explorer, model, others)
    mean = model.mean("age", where=others["age"])
    low, high = mean.interval
    expect(card(explorer, "age").locator(".centre")).to_contain_text(f"mean {mean:.1f} ({low:.1f}\u2013{high:.1f})")


def test_a_calibrated_model_answers_as_it_does_in_python(
    context: BrowserContext, model: sv.Model, tmp_path: Path
) -> None:
    calibrated = model.calibrate(
        {"travel": {"car": 0.3, "bus": 0.5, "foot": 0.2}, "age": {(18, 40): 0.7, (41, 90): 0.3}}
    )
    path = tmp_path / "page.html"
    path.write_text(explorer_page(calibrated, population=1_000_000), encoding="utf-8")
    page = context.new_page()
    page.goto(f"{path.as_uri()}#is.age=30..50&is.travel=bus")
    assert_answers_as(page, calibrated)
    shown = table_of(page, "income")
    where = "age BETWEEN 30 AND 50 AND travel = 'bus'"
    assert shown["fractions"] == pytest.approx(calibrated.marginal("income", where=where), rel=1e-9)
    assert_shows(shown, calibrated, "income", where)
    assert_centres_as(page, calibrated, {"income": where, "age": "travel = 'bus'"})
    page.get_by_role("button", name="Reset").click()
    assert_shows(table_of(page, "weekly hours"), calibrated, "weekly hours", "TRUE")


def test_medians_of_those_who_answered_are_pythons_however_many_did_not(
    context: BrowserContext, tmp_path: Path
) -> None:
    """Who goes on foot mostly says nothing of what was spent, and spent little; then half are known to say nothing."""
    schema = sv.Schema([sv.Numeric("spent", 0, 90, bins=30, nullable=True), sv.Categorical("travel", ["car", "foot"])])
    generator = np.random.default_rng(7)
    travel = generator.choice(["car", "foot"], 5_000)
    spent = np.where(travel == "foot", generator.gamma(1.5, 8, 5_000), generator.gamma(5, 10, 5_000)).clip(0, 90)
    silent = generator.random(5_000) < np.where(travel == "foot", 0.7, 0.1)
    plan = sv.Plan.create(schema, epsilon=2, users=30_000)
    table = {"spent": np.where(silent, np.nan, spent), "travel": travel}
    model = sv.fit(plan, sv.simulate(plan, table, seed=3, users=30_000))
    half = {(0, 45): 0.3, (45, 90): 0.2, None: 0.5}
    for number, asked in enumerate(
        (model, model.calibrate({"spent": half}), model.calibrate({"travel": {"foot": 0.9, "car": 0.1}}))
    ):
        path = tmp_path / f"{number}.html"
        path.write_text(explorer_page(asked), encoding="utf-8")
        page = context.new_page()
        page.goto(f"{path.as_uri()}#is.travel=foot")
        assert_centres_as(page, asked, {"spent": "travel = 'foot'"})
        page.close()


def fill_shares(page: Page, name: str, shares: dict[str, float], bands: str | None = None) -> None:
    """Say in the dialog what is known of an attribute, in percent."""
    page.get_by_role("button", name="Calibrate").click()
    dialog = page.get_by_role("dialog", name="Calibrate to what is known")
    dialog.get_by_label("Attribute", exact=True).select_option(name)
    if bands:
        dialog.get_by_label("Bands begin at").fill(bands)
        dialog.get_by_label("Bands begin at").press("Tab")
    for label, share in shares.items():
        dialog.get_by_label(label).fill(str(share))
    dialog.get_by_role("button", name="Calibrate").click()


def test_the_page_calibrates_as_python_does(explorer: Page, context: BrowserContext, model: sv.Model) -> None:
    fill_shares(explorer, "age", {"18\u201340": 70, "41\u201390": 30}, bands="18, 41")
    fill_shares(explorer, "travel", {"car": 30, "bus": 50, "foot": 20})
    expect(explorer.locator(".answer")).to_contain_text("calibrated to known shares of age, travel")
    known = {"age": {(18, 40): 0.7, (41, 90): 0.3}, "travel": {"car": 0.3, "bus": 0.5, "foot": 0.2}}
    calibrated = model.calibrate(known)
    assert_shows(table_of(explorer, "travel"), calibrated, "travel", "TRUE")
    assert_shows(table_of(explorer, "weekly hours"), calibrated, "weekly hours", "TRUE")
    explorer.get_by_role("checkbox", name="bus").click()
    expect(explorer.locator(".query")).to_have_text("Those with travel bus")
    assert_answers_as(explorer, calibrated)
    assert_centres_as(explorer, calibrated, {"income": "travel = 'bus'", "age": "travel = 'bus'"})
    assert csv_of(explorer)["calibrated"] == "age, travel"
    again = context.new_page()
    again.goto(explorer.url)
    assert_answers_as(again, calibrated)
    again.get_by_role("button", name="Calibrate").click()
    again.get_by_role("button", name="Forget what is known of it").click()
    assert_answers_as(again, model.calibrate({"travel": known["travel"]}))


def test_shares_that_cannot_be_are_refused_in_words(explorer: Page) -> None:
    fill_shares(explorer, "travel", {"car": 90, "bus": 50, "foot": 20})
    dialog = explorer.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_have_text("The shares must add up to 100 %; these add up to 160 %.")
    dialog.get_by_label("Attribute", exact=True).select_option("income")
    dialog.get_by_label("Bands begin at").fill("0, 11000")
    dialog.get_by_label("Bands begin at").press("Tab")
    expect(dialog).to_contain_text("Bands begin at rising numbers, the first at 0, each one of 0, 5000, 10000")
    dialog.get_by_role("button", name="Close").click()
    look_at(explorer, "known.travel=0.5~car&known.travel=0.5~horse")
    expect(explorer.locator(".strangers")).to_contain_text("known shares of travel")
    assert "calibrated" not in explorer.locator(".answer").inner_text()


def test_views_are_saved_by_name_and_opened_again(explorer: Page, context: BrowserContext) -> None:
    look_at(explorer, "is.age=30..50&is.travel=car&zoom=age")
    shown = explorer.locator(".answer").inner_text()
    explorer.get_by_role("button", name="Saved views").click()
    dialog = explorer.get_by_role("dialog", name="Saved views")
    dialog.get_by_label("Name of this view").fill("drivers")
    dialog.get_by_role("button", name="Save this view").click()
    expect(dialog.get_by_role("status")).to_have_text("drivers is saved")
    dialog.get_by_role("button", name="Copy link of drivers").click()
    expect(dialog.get_by_role("status")).to_have_text("link is on the clipboard")
    link = explorer.evaluate("navigator.clipboard.readText()")
    again = context.new_page()
    again.goto(link)
    expect(again.locator(".answer")).to_have_text(shown)
    again.get_by_role("button", name="Reset").click()
    again.get_by_role("button", name="Saved views").click()
    again.get_by_role("link", name="drivers").click()
    expect(again.locator(".answer")).to_have_text(shown)
    expect(again.get_by_role("button", name="Zoom age")).to_have_attribute("aria-pressed", "true")
    again.get_by_role("button", name="Saved views").click()
    again.get_by_role("button", name="Delete drivers").click()
    expect(again.get_by_role("link", name="drivers")).to_have_count(0)


def test_a_browser_that_keeps_nothing_says_so(context: BrowserContext, address: str) -> None:
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"
    )
    page = context.new_page()
    page.goto(f"{address}#is.age=30..50")
    page.get_by_role("button", name="Saved views").click()
    page.get_by_label("Name of this view").fill("mine")
    page.get_by_role("button", name="Save this view").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("keeps nothing for this page")


def test_a_card_is_given_the_whole_width(explorer: Page) -> None:
    wide = explorer.locator(".cards").bounding_box()["width"]
    bars = card(explorer, "age").locator(".overlay")
    before = bars.bounding_box()
    explorer.get_by_role("button", name="Zoom age").click()
    expect(explorer.get_by_role("button", name="Zoom age")).to_have_attribute("aria-pressed", "true")
    after = bars.bounding_box()
    assert card(explorer, "age").bounding_box()["width"] == pytest.approx(wide, abs=1)
    assert after["width"] > 2.5 * before["width"]
    assert after["height"] > 2 * before["height"]
    drag(explorer, "age", 0.21, 0.5)
    assert sql_of(explorer) == "age BETWEEN 33 AND 53"
    explorer.get_by_role("button", name="Zoom age").click()
    assert bars.bounding_box()["width"] == before["width"]


def test_axes_hold_the_bands_and_every_bar_has_a_mark(explorer: Page) -> None:
    for link in LINKS:
        look_at(explorer, link)
        cut = explorer.evaluate(
            """() => [...document.querySelectorAll(".cards .chart svg")].flatMap(svg => {
                const inside = svg.getBoundingClientRect();
                const over = svg.querySelector(".overlay")?.getBoundingClientRect() ?? inside;
                return [...svg.querySelectorAll(".band")].filter(band => {
                    const box = band.getBoundingClientRect();
                    return box.right > inside.right + 0.2 || box.top < over.top - 0.2;
                }).map(() => svg.getAttribute("aria-label"));
            })"""
        )
        assert cut == [], link
    shown = table_of(explorer, "travel")
    tops = explorer.evaluate(
        "() => [...document.querySelectorAll('[aria-label=\"Distribution of travel\"] g')]"
        ".map(row => [row.querySelector('.band'), row.querySelector('.mark')].flatMap(one => {"
        " const { left, right } = one.getBoundingClientRect(); return [left, right]; }))"
    )
    for (low, high, start, stop), least, most, value in zip(
        tops, shown["lows"], shown["highs"], shown["fractions"], strict=True
    ):
        assert (start + stop) / 2 == pytest.approx(low + (high - low) * (value - least) / (most - least), abs=0.5)


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_targets_are_as_wide_as_a_finger_and_labels_fit(browser: Browser, address: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(f"{address}#is.age=30..50&is.travel=bus&map=order&map=travel")
    expect(page.locator(".cells rect")).to_have_count(12)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, [role=checkbox], .hit")].filter(one => {
            const box = (one.type === "checkbox" ? one.closest("label") : one).getBoundingClientRect();
            return box.width > 0 && Math.min(box.width, box.height) < (one.ownerSVGElement ? 42 : 44) - 0.01;
        }).map(one => one.outerHTML.slice(0, 120))"""
    )
    assert small == []
    crossing = page.evaluate(
        """() => [...document.querySelectorAll(".chart svg")].flatMap(svg => {
            const inside = svg.getBoundingClientRect();
            const texts = [...svg.querySelectorAll("text:not(.unit)")].filter(text => text.textContent);
            const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
            const beyond = boxes.filter(([, box]) => box.left < inside.left - 1 || box.right > inside.right + 1
                || box.bottom > inside.bottom + 2);
            const leaning = svg.querySelector(".across text[transform]");
            const over = boxes.filter(([, one], at) => !leaning && boxes.slice(at + 1).some(([, two]) =>
                one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 3
                && two.top < one.bottom - 3));
            return [...beyond, ...over].map(([words]) => words);
        })"""
    )
    assert crossing == []
    context.close()


def test_pictures_of_a_card_and_of_the_page_are_saved_as_png(explorer: Page) -> None:
    explorer.get_by_role("checkbox", name="bus").click()
    sizes = {"Save age as PNG": (400, 600), "Save the map as PNG": (700, 900), "Save PNG": (1500, 1800)}
    for name, (high, wide) in sizes.items():
        with explorer.expect_download() as started:
            explorer.get_by_role("button", name=name, exact=True).click()
        pixels = imread(started.value.path(), format="png")
        assert pixels.shape[0] >= high
        assert pixels.shape[1] >= wide
        assert len(np.unique(pixels.reshape(-1, pixels.shape[2])[::7], axis=0)) > 50
    expect(explorer.locator(".told")).to_have_text("explorer.png is saved")


def test_it_prints_without_what_is_pressed(explorer: Page) -> None:
    explorer.get_by_role("button", name="Dark").click()
    look_at(explorer, "is.age=30..50&is.travel=bus")
    explorer.set_viewport_size({"width": 690, "height": 1000})
    explorer.emulate_media(media="print")
    pairs = explorer.locator(".pairs .link").all_inner_texts()
    assert explorer.locator("button:visible, input:visible, select:visible").all_inner_texts() == pairs
    expect(explorer.locator(".fraction")).to_be_visible()
    assert explorer.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert explorer.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert explorer.pdf(format="A4").startswith(b"%PDF")


def test_everything_can_be_done_by_keyboard(explorer: Page, model: sv.Model) -> None:
    explorer.get_by_label("age from").focus()
    explorer.keyboard.press("ArrowUp")
    explorer.get_by_label("income from").focus()
    for _ in range(3):
        explorer.keyboard.press("ArrowUp")
    explorer.get_by_role("checkbox", name="bus").focus()
    explorer.keyboard.press("Space")
    explorer.get_by_role("checkbox", name="no answer", exact=True).check()
    assert sql_of(explorer) == (
        "(age BETWEEN 19 AND 90 OR age IS NULL) AND income BETWEEN 12500 AND 100000 AND travel IN ('bus')"
    )
    expect(explorer.get_by_role("checkbox", name="bus")).to_be_checked()
    assert_answers_as(explorer, model)


def test_categories_and_silence_are_chosen_by_clicks(explorer: Page, model: sv.Model) -> None:
    card(explorer, "order").get_by_role("checkbox", name="no answer").click()
    card(explorer, "order").get_by_role("checkbox", name="north").click()
    card(explorer, "age").locator(".silence .hit").click()
    assert sql_of(explorer) == "age IS NULL AND (order IN ('north') OR order IS NULL)"
    expect(explorer.locator(".query")).to_have_text("Those with age no answer and order north or no answer")
    assert_answers_as(explorer, model)


def test_silence_is_added_to_what_is_chosen_and_taken_away_again(explorer: Page) -> None:
    silence = card(explorer, "age").get_by_role("checkbox", name="no answer")
    silence.check()
    assert sql_of(explorer) == "age IS NULL"
    explorer.get_by_label("age from").fill("40")
    explorer.get_by_label("age from").press("Enter")
    assert sql_of(explorer) == "age BETWEEN 40 AND 90 OR age IS NULL"
    silence.uncheck()
    assert sql_of(explorer) == "age BETWEEN 40 AND 90"
    explorer.get_by_label("age from").fill("-7")
    explorer.get_by_label("age from").press("Enter")
    expect(explorer.get_by_label("age from")).to_have_value("18")
    assert sql_of(explorer) == "age BETWEEN 18 AND 90"
    silence.click()
    assert sql_of(explorer) == "TRUE"
    expect(silence).not_to_be_checked()


def test_steps_are_undone_one_by_one_and_all_at_once(explorer: Page) -> None:
    drag(explorer, "age", 0.21, 0.5)
    explorer.get_by_role("checkbox", name="bus").click()
    expect(explorer.locator(".query")).to_have_text("Those with age 33 to 53 and travel bus")
    explorer.get_by_role("button", name="Undo").click()
    expect(explorer.locator(".query")).to_have_text("Those with age 33 to 53")
    explorer.get_by_role("button", name="Undo").click()
    expect(explorer.locator(".query")).to_contain_text("Everybody")
    expect(explorer.get_by_role("button", name="Undo")).to_be_disabled()
    drag(explorer, "age", 0.21, 0.5)
    explorer.get_by_role("button", name="clear age").click()
    expect(explorer.locator(".query")).to_contain_text("Everybody")
    drag(explorer, "age", 0.21, 0.5)
    explorer.get_by_role("button", name="Reset").click()
    expect(explorer.locator(".query")).to_contain_text("Everybody")
    expect(explorer.get_by_role("button", name="Reset")).to_be_disabled()
    first = explorer.get_by_label("Across").input_value()
    explorer.get_by_label("Across").select_option("travel")
    explorer.get_by_role("button", name="Reset").click()
    expect(explorer.get_by_label("Across")).to_have_value(first)
    expect(explorer.get_by_role("button", name="Reset")).to_be_disabled()


def test_a_link_restores_the_view(explorer: Page, context: BrowserContext) -> None:
    drag(explorer, "age", 0.21, 0.5)
    card(explorer, "order").get_by_role("checkbox", name="alert").click()
    explorer.get_by_label("people the crowd stands for").fill("5000")
    explorer.get_by_label("Across").select_option("travel")
    explorer.get_by_role("button", name="Copy link").click()
    link = explorer.evaluate("navigator.clipboard.readText()")
    again = context.new_page()
    again.goto(link)
    for part in (".query", ".answer", ".choice >> nth=0"):
        expect(again.locator(part)).to_have_text(explorer.locator(part).inner_text())
    expect(again.locator(".answer")).to_contain_text("of 5,000 people")
    expect(again.get_by_label("Across")).to_have_value(explorer.get_by_label("Across").input_value())
    assert again.url == explorer.url


def test_a_link_that_makes_no_sense_shows_everybody(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(
        f"{address}#is.age=old..young&is.height=1..2&is.travel=horse&map=age&map=age&people=-3&none.travel=1&%E0%A4%A"
    )
    expect(page.locator(".query")).to_contain_text("Everybody")
    expect(page.locator(".strangers")).to_contain_text(
        "The link names what is not here, which was left out or cut to what there is: "
        "age: old..young; height; travel: horse; travel: no answer"
    )


def test_a_link_that_goes_beyond_a_range_says_that_it_was_cut(explorer: Page) -> None:
    expect(explorer.locator(".strangers")).to_be_hidden()
    look_at(explorer, "is.age=30..500")
    expect(explorer.locator(".strangers")).to_contain_text("age: 30..500")
    look_at(explorer, "is.age=30..50")
    expect(explorer.locator(".strangers")).to_be_hidden()


@pytest.mark.parametrize("ages", [(30, 50), (30, 31)])
def test_what_is_chosen_is_compared_with_what_was_kept(
    explorer: Page, model: sv.Model, context: BrowserContext, ages: tuple[int, int]
) -> None:
    youngest, oldest = ages
    look_at(explorer, f"is.age={youngest}..{oldest}&is.travel=car")
    explorer.get_by_role("button", name="Compare").click()
    card(explorer, "travel").get_by_role("checkbox", name="car").click()
    card(explorer, "travel").get_by_role("checkbox", name="bus").click()
    compared = explorer.locator(".compared")
    both = [f"age BETWEEN {youngest} AND {oldest} AND travel = '{one}'" for one in ("car", "bus")]
    first, second = model.answers(both)
    apart = sv.difference(second, first)

    def points(value: float) -> str:
        return f"{chr(0x2212) if value < 0 else '+'}{abs(100 * value):.1f}"

    low, high = map(points, apart.interval)
    expect(compared).to_contain_text(f"{100 * first:.{1 if first >= 0.01 else 2}f}\u00a0%")
    expect(compared).to_contain_text(f"less A: {points(apart)} points ({low} to {high})")
    told = apart.interval[0] > 0 or apart.interval[1] < 0
    expect(compared).to_contain_text("told from chance" if told else "could be chance")
    again = context.new_page()
    again.goto(explorer.url)
    expect(again.locator(".compared")).to_have_text(compared.inner_text())
    explorer.get_by_role("button", name="Stop comparing").click()
    expect(compared).to_be_hidden()


def test_an_answer_whose_interval_includes_zero_is_greyed_with_the_reason(explorer: Page, model: sv.Model) -> None:
    expect(explorer.locator(".doubt")).to_be_hidden()
    look_at(explorer, "is.age=89..90&is.income=10000..12500&is.order=north")
    assert assert_answers_as(explorer, model).interval[0] == 0
    expect(explorer.locator(".sentence.unsure .doubt")).to_contain_text("The interval includes zero")


def test_the_map_shows_the_joint_distribution_of_the_pair_that_is_chosen(explorer: Page, model: sv.Model) -> None:
    look_at(explorer, "map=travel&map=order&is.age=30..50")
    joint = model.marginal("travel", "order", where="age BETWEEN 30 AND 50").T
    assert_map_shows(explorer, joint)
    values = [["'car'", "'bus'", "'foot'"], [f"'{value.replace(chr(39), chr(39) * 2)}'" for value in ORDERS]]
    wheres = [f'travel = {one} AND "order" = {two}' for two in values[1] for one in values[0]]
    wheres += [f'travel = {one} AND "order" IS NULL' for one in values[0]]
    answers = model.answers(wheres, given="age BETWEEN 30 AND 50")
    evidence = explorer.locator(".cells rect").evaluate_all("all => all.map(cell => Number(cell.dataset.evidence))")
    assert evidence == pytest.approx([answer.evidence for answer in answers], rel=1e-6, abs=1e-9)
    explorer.locator(".cells rect").nth(0).hover()
    expect(explorer.locator(".map .reading")).to_have_text(
        f"travel car, order north: {100 * joint[0, 0]:.1f}\u00a0%; {answers[0].basis}"
    )


def test_cards_and_map_say_in_words_and_hatching_what_was_assumed(explorer: Page, model: sv.Model) -> None:
    look_at(explorer, "is.age=30..34&is.income=10000..12500&is.travel=foot&map=age&map=weekly hours")
    shown = table_of(explorer, "weekly hours")
    assumed = int((shown["evidence"] < 0.2).sum())
    assert assumed > 0, "this crowd has single values that nobody could measure"
    words = evidence_words(float(shown["fractions"] @ shown["evidence"])).split(":")[0]
    counted = "" if assumed == len(shown["evidence"]) else f"; {assumed} of {len(shown['evidence'])} values assumed"
    expect(card(explorer, "weekly hours").locator(".basis")).to_contain_text(f"{words}{counted}")
    hatched = card(explorer, "weekly hours").locator("path.hatch").last.get_attribute("d") or ""
    assert hatched.count("M") == assumed
    cells = np.array(
        explorer.locator(".cells rect").evaluate_all("all => all.map(cell => Number(cell.dataset.evidence))")
    )
    expect(explorer.locator(".map .basis")).to_contain_text(f"{(cells < 0.2).sum()} of {len(cells)} cells assumed")
    hatched = explorer.locator(".map path.hatch.assumed").get_attribute("d") or ""
    assert hatched.count("M") == (cells < 0.2).sum()
    expect(explorer.locator(".legend")).to_contain_text("assumed: these reports can hardly tell")


def test_an_answer_that_was_assumed_says_so_beside_the_number(explorer: Page, model: sv.Model) -> None:
    look_at(explorer, "is.age=30..31&is.income=10000..12500&is.order=north&is.weekly hours=30..32.5&is.travel=foot")
    answer = assert_answers_as(explorer, model)
    assert answer.evidence is not None
    assert answer.evidence < 0.2
    expect(explorer.locator(".sentence.assumed .doubt")).to_contain_text("the number is assumed")


def test_only_pairs_that_can_be_told_from_chance_are_listed(explorer: Page, model: sv.Model) -> None:
    pairs = model.association()
    told = [f"{pair.first} and {pair.second}" for pair in pairs if pair.told]
    listed = explorer.locator(".pairs tbody .link")
    assert listed.all_inner_texts() == told[:10]
    assert 0 < len(told) < len(pairs)
    expect(explorer.locator(".pairs .untold")).to_contain_text(
        f"{len(pairs) - len(told)} of {len(pairs)} pairs could not be told from chance"
    )


def test_fine_levels_are_joined_on_the_map(explorer: Page, model: sv.Model) -> None:
    look_at(explorer, "map=age&map=income&is.travel=bus")
    starts = [*range(0, 73, 3), 73]  # ages 18 to 90 by three, and no answer
    assert_map_shows(explorer, np.add.reduceat(model.marginal("age", "income", where="travel = 'bus'"), starts).T)


def test_the_strongest_pairs_lead_to_the_map(explorer: Page, model: sv.Model) -> None:
    strongest = [pair for pair in model.association() if pair.told][-1]  # not the one that the map shows at first
    explorer.get_by_role("button", name=f"{strongest.first} and {strongest.second}").click()
    expect(explorer.get_by_label("Across")).to_have_value(str(model.schema.index(strongest.first)))
    expect(explorer.get_by_label("Up", exact=True)).to_have_value(str(model.schema.index(strongest.second)))


def test_a_chart_is_saved_as_a_picture_of_its_own(explorer: Page) -> None:
    explorer.get_by_role("checkbox", name="bus").click()
    for name in ("age", "travel", "the map"):
        with explorer.expect_download() as started:
            explorer.get_by_role("button", name=f"Save {name} as SVG").click()
        root = ElementTree.parse(started.value.path()).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        shapes = [shape for shape in root.iter() if shape.tag.split("}")[1] in ("path", "rect", "text")]
        assert len(shapes) > 8
        assert any(shape.get("fill", "").startswith("rgb") for shape in shapes)
        assert not any("class" in shape.attrib for shape in shapes)


def test_the_certificate_is_one_click_away(explorer: Page) -> None:
    explorer.get_by_role("button", name="Privacy certificate").click()
    dialog = explorer.get_by_role("dialog", name="Privacy certificate")
    expect(dialog).to_contain_text("One report shifts anyone's odds")
    expect(dialog).to_contain_text("Exact epsilon 1.99999")
    explorer.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_axe_finds_nothing_serious_and_the_page_fits(browser: Browser, address: str, scheme: Any, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in clients/explorer")
    context = browser.new_context(viewport={"width": width, "height": 780}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}#is.age=30..50&is.travel=bus&is.order=north")
    expect(page.locator(".fraction")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for opened in (None, "Privacy certificate", "Table of age", "Calibrate", "Saved views"):
        if opened:
            page.get_by_role("button", name=opened).click()
        found = page.evaluate("axe.run().then(result => result.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in SERIOUS] == []
        if opened:
            page.get_by_role("button", name="Close").click()
    context.close()


def stroke(session: CDPSession, points: list[tuple[float, float]]) -> None:
    """Move a finger over the screen."""
    for number, (x, y) in enumerate(points):
        kind = "touchMove" if number else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_brushes_sideways_and_scrolls_up_and_down(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    box = card(page, "age").locator(".overlay").bounding_box()
    strokes = context.new_cdp_session(page)
    start, stop, height = box["x"] + 0.21 * box["width"], box["x"] + 0.5 * box["width"], box["y"] + 60
    stroke(strokes, [(start + part * (stop - start), height) for part in (0, 0.3, 0.6, 1)])
    expect(page.locator(".query")).to_have_text("Those with age 33 to 53")
    stroke(strokes, [(start - 10, height - distance) for distance in range(0, 320, 40)])
    page.wait_for_function("scrollY > 100")
    expect(page.locator(".query")).to_have_text("Those with age 33 to 53")
    expect(card(page, "age").locator(".selection")).to_be_visible()
    context.close()


def test_a_browser_that_cannot_unpack_the_model_is_told_which_ones_can(context: BrowserContext, address: str) -> None:
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("alert")).to_contain_text("Chrome or Edge 86, Safari 16.4, Firefox 113, or a newer one")


def test_a_damaged_page_says_so(context: BrowserContext, model: sv.Model, tmp_path: Path) -> None:
    before, numbers, after = re.split(r'(?<="numbers":")([^"]+)', explorer_page(model), maxsplit=1)
    path = tmp_path / "page.html"
    path.write_text(before + numbers[:4_000] + after, encoding="utf-8")
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("alert")).to_contain_text("The model's numbers are damaged.")


def test_a_model_of_another_format_is_refused(context: BrowserContext, model: sv.Model, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    other = re.sub(r'"sottovoce-exploration-\d+"', '"sottovoce-exploration-1"', explorer_page(model), count=1)
    path.write_text(other, encoding="utf-8")
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("alert")).to_contain_text("The model was written for another version of this page.")


def test_the_level_of_intervals_is_a_round_number(context: BrowserContext, model: sv.Model, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(explorer_page(model, level=0.58), encoding="utf-8")
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.locator(".legend")).to_contain_text("58\u00a0% interval")
    expect(page.locator(".interval")).to_have_attribute("title", re.compile("^58\u00a0% interval"))


def test_the_theme_changes_and_is_remembered(explorer: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = explorer.evaluate(colour)
    explorer.get_by_role("button", name="Dark").click()
    dark = explorer.evaluate(colour)
    assert dark != light
    explorer.reload()
    expect(explorer.get_by_role("button", name="Light")).to_be_visible()
    assert explorer.evaluate(colour) == dark
