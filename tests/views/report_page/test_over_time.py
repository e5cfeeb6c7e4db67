"""Time in a report: what changed is said where it is more than chance, and drawn with its intervals."""

from __future__ import annotations

import re

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.views.report_page import Question, make_report
from sottovoce.views.report_page.over_time import followed, over_time

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Categorical("region", ["<n>", "s", "w"])])
PLAN = sv.Plan.create(SCHEMA, users=90_000, waves=3, lifetime=2, mechanism="hdg", purpose="Who lives where")


def collected(*parts: float) -> sv.Tally:
    """Return the tally in which so large a part lives in the first region, wave by wave."""
    generator, tally = np.random.default_rng(1), sv.Tally(PLAN)
    for wave, part in enumerate(parts, start=1):
        region = np.where(generator.random(30_000) < part, "<n>", "s")
        people = {"age": generator.integers(0, 16, 30_000), "region": region}
        tally.merge(sv.simulate(PLAN, people, seed=wave, wave=wave))
    return tally


@pytest.fixture(scope="module")
def moved() -> tuple[sv.Tally, sv.WaveModels]:
    tally = collected(0.3, 0.4, 0.5)
    return tally, sv.fit_waves(PLAN, tally)


def test_a_change_that_is_more_than_chance_is_said_and_drawn(moved: tuple[sv.Tally, sv.WaveModels]) -> None:
    """Seeds 1 to 3: by chance, another line than the regions would be listed in one of a thousand sets of seeds."""
    _, models = moved
    page = over_time(models, (), 0.999)
    heads = re.findall(r"<li><b>(.*?)\.</b>", page)
    assert sorted(heads) == ["region: &lt;n&gt;: more people than before", "region: s: fewer people than before"]
    assert "of which 2 can be told from chance" in page
    assert page.count("<svg") == 2
    drawn = re.search(r'<polyline points="([^"]*)"', page)
    assert drawn is not None
    heights = [float(point.split(",")[1]) for point in drawn[1].split()]
    assert len(heights) == 3
    assert heights in (sorted(heights), sorted(heights, reverse=True))
    for answer in models.trend("region = 's'").values():
        assert f"{100 * answer.fraction:.1f}%" in page


def test_where_nothing_changed_nothing_is_said_to_have() -> None:
    """Seeds 1 to 3: at level 0.999 a line is told by chance in one of a thousand sets of seeds."""
    models = sv.fit_waves(PLAN, collected(0.3, 0.3, 0.3))
    page = over_time(models, (), 0.999)
    assert "Nothing that changed from wave 1 to wave 3 can be told from chance" in page
    assert "<li>" not in page
    assert page.count("<svg") == 5


def test_one_wave_alone_is_compared_with_nothing() -> None:
    page = over_time(sv.fit_waves(PLAN, collected(0.3)), (), 0.9)
    assert "reports of wave 1 only" in page


def test_questions_say_what_is_followed(moved: tuple[sv.Tally, sv.WaveModels]) -> None:
    _, models = moved
    asked = [Question(where="age < 8", title="The young"), Question(mean="age")]
    assert followed(models, asked) == [("The young", "age < 8")]
    assert [name for name, _ in followed(models, ())][-3:] == ["region: <n>", "region: s", "region: w"]


def test_the_report_of_waves_shows_time_first_and_the_last_wave_after_it(moved: tuple[sv.Tally, sv.WaveModels]) -> None:
    tally, models = moved
    page = make_report(PLAN, tally, models)
    assert page.index("Over time") < page.index("The whole crowd")
    assert "All else on this page is of wave 3" in page
    assert "fit again" not in page
    assert "People are asked in 3 waves and report in one" in page
    assert "90,000 reports" in page
    assert "<n>" not in page
    partly = collected(0.3, 0.4)
    assert "fit again" in make_report(PLAN, partly, models)
    with pytest.raises(sv.ModelError, match="the model is of another collection"):
        make_report(PLAN, tally, models[3])
