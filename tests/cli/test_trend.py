"""``sottovoce trend``: waves in a table, a change with its interval, and the same as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from tests.cli.calls import fail, succeed, text_of
from tests.crowds import mixed_crowd, mixed_schema


@pytest.fixture
def panel(folder: Path) -> sv.WaveModels:
    """Make a plan of three waves, two of them with reports, and return their models."""
    plan = sv.Plan.create(mixed_schema(), users=9_000, waves=3, lifetime=2, mechanism="hdg")
    tally = sv.Tally(plan)
    for wave in (1, 2):
        tally.merge(sv.simulate(plan, mixed_crowd(4_000, seed=wave), seed=wave, wave=wave))
    plan.save("waves.json")
    tally.save("waves.parquet")
    return sv.fit_waves(plan, tally)


WHERE = f"{mixed_schema().names[0]} >= 5"


def test_it_says_what_the_library_says(panel: sv.WaveModels) -> None:
    said = succeed("trend", "waves.json", "waves.parquet", WHERE, "--between", 1, 2, "--level", 0.8)
    trend, change = panel.trend(WHERE, level=0.8), panel.change(WHERE, between=(1, 2), level=0.8)
    assert [row["wave"] for row in said["waves"]] == [1, 2]
    assert [row["fraction"] for row in said["waves"]] == [one.fraction for one in trend.values()]
    assert [row["reports"] for row in said["waves"]] == [4_000, 4_000]
    assert (said["change"], said["interval"]) == (float(change), list(change.interval))
    text = text_of("trend", "waves.json", "waves.parquet", WHERE, "--between", 1, 2)
    assert f"From wave 1 to wave 2: {float(change):+.2%}" in text
    assert "change" not in succeed("trend", "waves.json", "waves.parquet", WHERE)


def test_it_is_drawn(panel: sv.WaveModels) -> None:
    assert "trend.svg" in text_of("trend", "waves.json", "waves.parquet", WHERE, "--out", "trend.svg")
    picture = Path("trend.svg").read_text()
    assert picture.startswith("<svg")
    assert "with 90% intervals" in picture


def test_a_wave_can_be_fitted_by_itself(panel: sv.WaveModels) -> None:
    assert succeed("fit", "waves.json", "waves.parquet", "--wave", 2, "--out", "two.json")["reports"] == 4_000
    assert sv.load_model("two.json").answer(WHERE).fraction == pytest.approx(panel[2].answer(WHERE).fraction)


def test_what_cannot_be_followed_is_refused(panel: sv.WaveModels) -> None:
    assert "got wave 3" in fail("trend", "waves.json", "waves.parquet", WHERE, "--between", 1, 3)
    assert ".png, .svg" in fail("trend", "waves.json", "waves.parquet", WHERE, "--out", "trend.pdf")
