"""Charts: what is drawn is what the model answers, joined where it is too fine, in the form that was asked for."""

from __future__ import annotations

import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.simulation.forecasting import Expected
from sottovoce.views.charts import (
    MOST_CELLS,
    compare_chart,
    forecast_chart,
    marginal_chart,
    pair_chart,
    save_chart,
    svg_text,
)
from tests.oracle import make_model

pytest.importorskip("altair", reason="the extra plots is not installed")

MODEL = make_model(6)


@pytest.fixture(scope="module")
def fine() -> sv.Model:
    """A model of attributes with more levels than a heat map has cells."""
    schema = sv.Schema([sv.Ordinal("age", 0, 99, nullable=True), sv.Numeric("income", 0, 2_000, bins=40)])
    plan = sv.Plan.create(schema, epsilon=4, users=2_000, mechanism="hdg")
    generator = np.random.default_rng(1)
    ages = np.where(generator.random(2_000) < 0.2, np.nan, generator.integers(0, 100, 2_000))
    return sv.fit(plan, sv.simulate(plan, {"age": ages, "income": 2_000 * generator.random(2_000)}, seed=1))


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """Return the rows that a chart draws; all its layers draw the same."""
    found: list[list[dict[str, Any]]] = []

    def look(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("data"), dict) and "values" in node["data"]:
                found.append(node["data"]["values"])
            for child in node.values():
                look(child)
        elif isinstance(node, list):
            for child in node:
                look(child)

    look(chart.to_dict())
    assert found
    assert all(rows == found[0] for rows in found)
    return found[0]


@pytest.mark.parametrize("name", ["age", "income", "region", "the rooms"])
def test_a_marginal_draws_every_value_with_its_interval(name: str) -> None:
    groups = MODEL.group_by(name, level=0.5)
    rows = rows_of(marginal_chart(MODEL, name, level=0.5))
    answers = [(label, answer) for label, answer in groups.items() if label is not None]
    assert [(row["fraction"], row["low"], row["high"]) for row in rows] == [
        (answer.fraction, *answer.interval) for _, answer in answers
    ]
    for row, (label, _) in zip(rows, answers, strict=True):
        if name == "region":
            assert row["label"] == label
        elif name == "income":
            assert (row["start"], row["stop"]) == label
        else:
            assert (row["start"], row["stop"]) == (label - 0.5, label + 0.5)


def test_those_who_gave_no_answer_stand_in_the_subtitle() -> None:
    silent = MODEL.group_by("age")[None]
    title = marginal_chart(MODEL, "age").to_dict()["title"]
    assert title["subtitle"].startswith(f"no answer: {silent.fraction:.1%} (")
    assert marginal_chart(MODEL, "the rooms").to_dict()["title"]["subtitle"] == ""


def test_a_heat_map_has_the_fraction_of_every_pair_of_values() -> None:
    rows = rows_of(pair_chart(MODEL, "the rooms", "region"))
    joint = MODEL.marginal("the rooms", "region")
    found = {(row["one"], row["two"]): row["fraction"] for row in rows}
    assert len(found) == len(rows) == joint.size
    for i, rooms in enumerate(("1", "2", "3")):
        for j, region in enumerate(("north", "it's", "east", "no answer")):
            assert found[rooms, region] == pytest.approx(joint[i, j])


def test_fine_levels_are_joined_and_no_answer_stays_a_cell_of_its_own(fine: sv.Model) -> None:
    rows = rows_of(pair_chart(fine, "age", "income"))
    ages = list(dict.fromkeys(row["one"] for row in rows))
    assert len(ages) - 1 <= MOST_CELLS
    assert ages[-1] == "no answer"
    assert len({row["two"] for row in rows}) <= MOST_CELLS
    sums: dict[str, float] = defaultdict(float)
    for row in rows:
        sums[row["one"]] += row["fraction"]
    joint = fine.marginal("age", "income").sum(axis=1)
    starts = [int(age) for age in ages[:-1]]
    for start, stop in zip(starts, [*starts[1:], 100], strict=True):
        assert sums[str(start)] == pytest.approx(joint[start:stop].sum(), abs=1e-12)
    assert sums["no answer"] == pytest.approx(joint[100], abs=1e-12)


def test_a_pair_is_two_known_attributes() -> None:
    with pytest.raises(sv.QueryError, match="two different attributes, got age twice"):
        pair_chart(MODEL, "age", "age")
    for names in (("age", "nobody"), ("nobody", "age")):
        with pytest.raises(sv.QueryError, match="unknown attribute"):
            pair_chart(MODEL, *names)


def forecasts(*designs: tuple[str, str, int]) -> list[sv.Forecast]:
    return [
        sv.Forecast(
            mechanism,
            Decimal(epsilon),
            users,
            tuple(Expected(number, number / users, 0.1, 0.01, 0.2) for number in (1, 2)),
        )
        for mechanism, epsilon, users in designs
    ]


def test_a_forecast_has_a_panel_for_every_mechanism_and_epsilon() -> None:
    rows = rows_of(
        forecast_chart(forecasts(("hdg", "1", 100), ("hdg", "1.50", 100), ("calm", "1", 100), ("hdg", "1", 900)))
    )
    panels: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for row in rows:
        panels[row["panel"]].append((row["people"], row["attributes"], row["error"]))
    assert set(panels) == {"hdg, epsilon 1", "hdg, epsilon 1.50", "calm, epsilon 1"}
    assert panels["hdg, epsilon 1"] == [(100, "1", 0.01), (100, "2", 0.02), (900, "1", 1 / 900), (900, "2", 2 / 900)]


def test_a_comparison_has_a_panel_for_every_number_of_attributes() -> None:
    rows = rows_of(compare_chart(forecasts(("hdg", "1", 100), ("calm", "1", 200))))
    assert [(row["panel"], row["mechanism"], row["epsilon"], row["error"]) for row in rows] == [
        ("queries on 1 attribute", "hdg", "1", 0.01),
        ("queries on 2 attributes", "hdg", "1", 0.02),
        ("queries on 1 attribute", "calm", "1", 0.005),
        ("queries on 2 attributes", "calm", "1", 0.01),
    ]


def test_the_kind_of_a_picture_is_told_by_its_name_or_besides(tmp_path: Path) -> None:
    chart = marginal_chart(MODEL, "age")
    save_chart(chart, tmp_path / "a.SVG")
    assert (tmp_path / "a.SVG").read_text(encoding="utf-8").startswith("<svg")
    save_chart(chart, tmp_path / "b.part", kind=".png")
    assert (tmp_path / "b.part").read_bytes().startswith(b"\x89PNG")
    for wrong in ("c.pdf", "c"):
        with pytest.raises(sv.SottovoceError, match=r"ends in \.png, \.svg, \.html"):
            save_chart(chart, tmp_path / wrong)
        assert not (tmp_path / wrong).exists()


def test_a_name_is_text_in_a_picture_and_never_markup() -> None:
    schema = sv.Schema([sv.Categorical("a<b>", ["<script>", "&amp;"]), sv.Ordinal("x", 0, 3)])
    plan = sv.Plan.create(schema, epsilon=4, users=100, mechanism="hdg")
    model = sv.fit(plan, sv.simulate(plan, {"a<b>": ["<script>", "&amp;"], "x": [0, 1]}, seed=1))
    for chart in (marginal_chart(model, "a<b>"), pair_chart(model, "a<b>", "x")):
        text = svg_text(chart)
        assert "<script" not in text
        assert "a&lt;b&gt;" in text
        assert "&amp;amp;" in text


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_extra_the_error_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(sv.SottovoceError, match=rf'{missing}: run pip install "sottovoce\[plots\]"'):
        marginal_chart(MODEL, "age")


def test_cells_of_large_numbers_have_different_labels() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Numeric("time", 1.7e9, 1.7e9 + 3600, bins=12)])
    plan = sv.Plan.create(schema, epsilon=2, users=2_000, mechanism="hdg")
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 2], "time": [1.7e9, 1.7e9 + 3000]}, seed=1))
    rows = pair_chart(model, "a", "time").to_dict()["data"]["values"]
    assert len({(row["one"], row["two"]) for row in rows}) == len(rows)


def test_a_category_called_no_answer_is_not_joined_with_no_answer() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Categorical("b", ["no answer", "x"], nullable=True)])
    plan = sv.Plan.create(schema, epsilon=2, users=2_000, mechanism="hdg")
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 2], "b": ["x", None]}, seed=1))
    rows = pair_chart(model, "a", "b").to_dict()["data"]["values"]
    assert len({(row["one"], row["two"]) for row in rows}) == len(rows)
