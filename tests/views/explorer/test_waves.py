"""The explorer of a collection with waves: every wave that has reports, and the day on which it began."""

from __future__ import annotations

import datetime
import json
import re

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.views.explorer.page import explorer_page
from sottovoce.views.explorer.waves import waves_exploration

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Ordinal("income", 0, 15)])


def models(**options: object) -> sv.WaveModels:
    plan = sv.Plan.create(SCHEMA, users=30_000, waves=3, lifetime=2, purpose="Incomes", **options)
    generator, tally = np.random.default_rng(1), sv.Tally(plan)
    for wave in (1, 3):
        people = {"age": generator.integers(0, 16, 10_000), "income": generator.integers(wave, 16, 10_000)}
        tally.merge(sv.simulate(plan, people, seed=wave, wave=wave))
    return sv.fit_waves(plan, tally, quality="fast")


@pytest.fixture(scope="module")
def dated() -> sv.WaveModels:
    return models(first_wave=datetime.date(2027, 1, 4), wave_days=7)


def test_every_wave_with_reports_is_there_and_what_holds_over_all_of_them_is_said(dated: sv.WaveModels) -> None:
    document = waves_exploration(dated, level=0.8)
    assert (document["title"], document["number"]) == ("Incomes", 3)
    assert [(one["wave"], one["day"]) for one in document["waves"]] == [(1, "2027-01-04"), (3, "2027-01-18")]
    for one in document["waves"]:
        assert one["exploration"]["reports"] == 10_000
        assert one["exploration"]["intervals"]["level"] == 0.8
        assert any("3 waves and report in one" in words for words in one["exploration"]["certificate"])


def test_waves_without_dates_have_none(dated: sv.WaveModels) -> None:
    plan = sv.Plan.create(SCHEMA, users=30_000, waves=3, lifetime=2, purpose="Incomes")
    assert plan.one_wave.collection == dated.plan.one_wave.collection
    undated = sv.WaveModels(plan, dict(dated))
    assert [one["day"] for one in waves_exploration(undated)["waves"]] == [None, None]


def test_the_page_holds_all_waves(dated: sv.WaveModels) -> None:
    page = explorer_page(dated, population=500)
    found = re.search(r'<script type="application/json" id="exploration">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    document = json.loads(found[1])
    assert document["format"] == "sottovoce-exploration-waves-1"
    assert [one["exploration"]["population"] for one in document["waves"]] == [500, 500]
