"""The explorer of a collection with waves, in a real browser: the trend is the model's, and a wave is picked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import sottovoce as sv
from sottovoce.views.explorer.page import explorer_page
from tests.views.explorer.test_waves import models

pytestmark = pytest.mark.slow

WHERE = "income BETWEEN 8 AND 12"


@pytest.fixture(scope="module")
def fitted() -> sv.WaveModels:
    return models()


@pytest.fixture
def address(fitted: sv.WaveModels, tmp_path: Path) -> str:
    path = tmp_path / "waves.html"
    path.write_text(explorer_page(fitted), encoding="utf-8")
    return f"{path.as_uri()}#is.income=8..12"


def numbers(text: str) -> list[float]:
    return [float(number.replace("\u2212", "-")) for number in re.findall(r"[+\u2212]?\d+\.\d+", text)]


def test_the_trend_is_what_the_models_answer(page: Page, address: str, fitted: sv.WaveModels) -> None:
    page.goto(address)
    titles = page.locator(".timeline circle title")
    expect(titles).to_have_count(2)
    for text, answer in zip(titles.all_text_contents(), fitted.trend(WHERE).values(), strict=True):
        assert numbers(text) == pytest.approx(
            [100 * answer.fraction, *(100 * end for end in answer.interval)], abs=0.06
        )
    change = fitted.change(WHERE, between=(1, 3))
    words = page.locator(".timeline .reading").inner_text()
    assert numbers(words) == pytest.approx([100 * float(change), *(100 * end for end in change.interval)], abs=0.06)
    chance = change.interval[0] <= 0 <= change.interval[1]
    assert ("could be chance" in words) == chance


def test_a_wave_is_picked_by_name_and_by_its_dot_and_what_was_chosen_stays(
    page: Page, address: str, fitted: sv.WaveModels
) -> None:
    page.goto(address)
    trend, sentence = fitted.trend(WHERE), page.locator(".sentence")
    chooser = page.get_by_label("The charts below show")
    expect(chooser).to_have_value("1")
    expect(sentence).to_contain_text(f"{100 * trend[3].fraction:.1f}")
    chooser.select_option("wave 1")
    expect(sentence).to_contain_text(f"{100 * trend[1].fraction:.1f}")
    page.locator(".timeline circle").nth(1).click()
    expect(chooser).to_have_value("1")
    expect(sentence).to_contain_text(f"{100 * trend[3].fraction:.1f}")
    assert page.url.endswith("#is.income=8..12")
    page.get_by_role("button", name="clear income").click()
    expect(page.locator(".timeline .basis")).to_contain_text("Choose something in the charts")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
