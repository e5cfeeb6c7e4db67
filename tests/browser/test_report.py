"""The report in a browser: it fits a phone, axe finds nothing in it, nothing is fetched, and it prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.views.report_page import About, make_report

AXE = Path(__file__).parents[2] / "clients" / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
PEOPLE = 20_000


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with findings, long names, many values and a nullable attribute."""
    generator = np.random.default_rng(5)
    wards = [f"Upper Northwestern Ward {number}" for number in range(7)]
    ward = generator.integers(0, 7, PEOPLE)
    schema = sv.Schema(
        [
            sv.Categorical("ward_of_residence", wards),
            sv.Ordinal("minutes", 0, 99, nullable=True),
            sv.Ordinal("contentment", 1, 5),
        ]
    )
    minutes = np.clip(generator.normal(20 + 10 * ward, 10, PEOPLE), 0, 99).astype(int)
    table = {
        "ward_of_residence": np.array(wards)[ward],
        "minutes": np.where(generator.random(PEOPLE) < 0.1, np.nan, minutes),
        "contentment": np.clip(5 - minutes // 20, 1, 5),
    }
    plan = sv.Plan.create(schema, epsilon=4, users=PEOPLE, purpose="How people travel to work", contact="a@example.org")
    tally = sv.simulate(plan, table, seed=1)
    page = make_report(plan, tally, sv.fit(plan, tally), about=About(organisation="City", date="2030-12-31"))
    assert '<ol class="findings">' in page
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_fits_and_axe_finds_nothing(browser: Any, report: Path, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, bypass_csp=True)  # axe is a script
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    for frame in page.locator(".wide").all():
        assert frame.bounding_box()["width"] <= width
    for row in page.locator(".bars tr").all()[:5]:
        texts = row.locator("th, td.n").all()
        boxes = [text.bounding_box() for text in texts]
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1, "a label runs into its number"
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in clients/explorer")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(result => result.violations)")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    context.close()


def test_nothing_is_fetched_or_refused_by_the_policy(browser: Any, report: Path) -> None:
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report.as_uri())
    page.wait_for_load_state("networkidle")
    assert asked == [report.as_uri()]
    assert said == []
    bar = page.locator(".bar").first
    assert bar.bounding_box()["width"] > 20, "the styles of bars are let through"
    page.close()


def test_it_prints_with_method_and_privacy_on_pages_of_their_own(browser: Any, report: Path) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.emulate_media(media="print")
    breaks = page.evaluate("[...document.querySelectorAll('.page')].map(one => getComputedStyle(one).breakBefore)")
    assert breaks == ["page"] * 3
    assert page.evaluate("getComputedStyle(document.querySelector('.bar')).printColorAdjust") == "exact"
    page.close()
