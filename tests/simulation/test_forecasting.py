"""Forecasts are what simulated collections show, and the number of people needed is where they cross the aim."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.simulation import forecasting
from sottovoce.simulation.forecasting import Compared, Expected, Forecast, Visible
from tests.crowds import normal_crowd, square_schema


def test_a_forecast_for_people_like_these_is_what_they_then_show() -> None:
    """Seeds 0 to 5: over 200 seeds the ratio's standard deviation is below 0.15 of it."""
    schema, crowd = square_schema(3, 16), normal_crowd(30_000, attributes=3, levels=16, seed=1)
    found, again = (
        sv.forecast(schema, epsilon=1, users=50_000, mechanism="hdg", like=crowd, seed=seed) for seed in (0, 10)
    )
    for row in found.expected:
        assert 1 / 1.5 < row.error / again[row.dimensions].error < 1.5
    assert [row.kind for row in found.compared] == [
        "share given another",
        "difference of shares",
        "difference of means",
    ]


@pytest.mark.slow
def test_more_people_and_a_larger_epsilon_make_expect_less_error() -> None:
    few, many, open_ = (
        sv.forecast(square_schema(2, 16), epsilon=epsilon, users=users, mechanism="hdg")
        for epsilon, users in ((1, 5_000), (1, 500_000), (4, 5_000))
    )
    for dimensions in (1, 2):
        assert many[dimensions].error < few[dimensions].error
        assert open_[dimensions].error < few[dimensions].error
    assert few == sv.forecast(square_schema(2, 16), epsilon=1, users=5_000, mechanism="hdg"), "a seed determines it"


def test_the_people_needed_are_where_the_forecast_crosses_the_aim(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(schema: sv.Schema, users: int, *design: object) -> Forecast:
        off = 3 / users**0.4
        return Forecast("x", 1.0, users, (Expected(1, off / 2, off, off, off),))

    monkeypatch.setattr(forecasting, "_roughly", pretend)
    schema = square_schema(2, 8)
    for within in (0.05, 0.02, 0.01):
        exact = (3 / within) ** 2.5
        assert exact / 1.05 <= sv.people_needed(schema, epsilon=1, within=within) <= 1.4 * exact
    assert sv.people_needed(schema, epsilon=1, within=0.9) <= 1_300
    with pytest.raises(sv.PlanError, match="use a larger epsilon"):
        sv.people_needed(schema, epsilon=1, within=0.0001)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"within": 0}, "within is a number above 0 and below 1"),
        ({"within": 1}, "within is"),
        ({"dimensions": 3}, "from 1 to 2"),
        ({"dimensions": 0}, "from 1"),
    ],
)
def test_an_aim_that_cannot_be_is_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(sv.QueryError, match=said):
        sv.people_needed(square_schema(2, 8), epsilon=1, **asked)


def test_a_forecast_reads_well() -> None:
    found = Forecast("hdg", 1.0, 5_000, (Expected(1, 0.0123, 0.03, 0.01, 0.02), Expected(2, 0.02, 0.05, 0.01, 0.03)))
    assert str(found).splitlines() == [
        "hdg, epsilon 1, 5,000 people",
        "  1 attribute: off by 1.23% on average, 9 in 10 within 3.00%",
        "  2 attributes: off by 2.00% on average, 9 in 10 within 5.00%",
    ]
    assert "<td>1.23%</td>" in found._repr_html_()
    with pytest.raises(KeyError):
        found[3]


def test_a_forecast_gives_advice_where_most_differences_could_not_be_seen() -> None:
    kinds = (Compared("difference of shares", 0.1, 0.2),)
    seen, unseen = (
        Forecast("spectral", 1.0, 5_000, (), kinds, tuple(Visible("a", "b", gap) for _ in range(3)))
        for gap in (0.02, 0.3)
    )
    assert seen.advice == ""
    assert "below 30% could not be told from none" in unseen.advice
    assert "difference of shares: off by 10.00%" in str(unseen)


def test_comparisons_by_one_attribute_are_by_that_one_alone() -> None:
    crowd = normal_crowd(3_000, attributes=3, levels=8, seed=1)
    found = sv.forecast(square_schema(3, 8), epsilon=2, users=20_000, by="b", like=crowd)
    assert {(pair.name, pair.by) for pair in found.visible} == {("a", "b"), ("c", "b")}
    with pytest.raises(sv.QueryError, match="unknown attribute 'shoe'"):
        sv.forecast(square_schema(3, 8), epsilon=2, users=20_000, by="shoe")
