"""Association: correlations as people have them, and the strongest pairs first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sottovoce._types import Floats
from sottovoce.model.association import association, correlation_extremes, correlation_limits, correlation_matrix
from sottovoce.model.fitted import Spread
from sottovoce.query.batch import Batch
from tests.oracle import SCHEMA, TableModel, kinds, make_model

MODEL = make_model(2)


def test_correlations_are_those_of_people_who_answered_both() -> None:
    people = [kind for kind in kinds(MODEL) if None not in (kind.values["age"], kind.values["income"])]
    ages = np.array([kind.values["age"] for kind in people])
    middles = {1.25: 5, 3.75: 5, 6.25: 5, 8.75: 5}
    incomes = np.array(
        [middles.get(kind.values["income"], 20 if kind.values["income"] < 30 else 50) for kind in people]
    )
    shares = np.array([kind.share for kind in people])
    covariance = np.cov(ages, incomes, aweights=shares, ddof=0)
    expected = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    result = MODEL.correlation()
    assert result[0, 1] == result[1, 0] == pytest.approx(expected)
    assert np.diag(result) == pytest.approx([1, 1, math.nan, 1], nan_ok=True)
    assert np.isnan(result[2]).all()


def test_association_is_seen_through_many_levels() -> None:
    independent = np.outer(np.arange(1, 41), np.ones(30))
    assert association(independent) == pytest.approx(0, abs=1e-9)
    assert association(np.eye(60)) == pytest.approx(1)
    assert association(np.array([[1.0, 0.0]])) == 0
    assert 0.2 < association(independent / independent.sum() + np.eye(40)[:, :30] / 60) < 0.8


def test_no_table_goes_beyond_the_extremes_of_its_sums() -> None:
    """Two hundred tables, seed 5, and for each the tables of people in the same order and in opposite ones."""
    generator = np.random.default_rng(5)
    for _ in range(200):
        sizes = generator.integers(2, 7, 2)
        table = generator.dirichlet(np.full(sizes.prod(), 0.3)).reshape(sizes) + 1e-6
        table /= table.sum()
        one, other = (np.cumsum(generator.exponential(size=size)) for size in sizes)
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        low, high = correlation_extremes(rows, columns, one, other)
        assert low <= correlation(table, one, other) <= high
        # the north-west corner rule: fill from the corner, which pairs people rank by rank
        assert correlation(sorted_table(rows, columns), one, other) == pytest.approx(high)
        opposite = sorted_table(rows, columns[::-1])[:, ::-1]
        assert correlation(opposite, one, other) == pytest.approx(low)


def sorted_table(rows: Floats, columns: Floats) -> Floats:
    """Return the table of people in the same order."""
    table, left, over = np.zeros((len(rows), len(columns))), rows.copy(), columns.copy()
    row = column = 0
    while row < len(rows) and column < len(columns):
        moved = min(left[row], over[column])
        table[row, column] += moved
        left[row] -= moved
        over[column] -= moved
        row, column = (row + 1, column) if left[row] <= over[column] else (row, column + 1)
    return table


def correlation(table: Floats, one: Floats, other: Floats) -> float:
    """Return the correlation in a table, written out."""
    first, second = one - table.sum(axis=1) @ one, other - table.sum(axis=0) @ other
    spread = (table.sum(axis=1) @ first**2) * (table.sum(axis=0) @ second**2)
    return float(first @ table @ second / math.sqrt(spread))


def test_limits_of_a_correlation_are_within_what_it_can_be() -> None:
    assert correlation_limits(0.1, 3.0, (-0.2, 0.4)) == pytest.approx((-0.2, 0.4))
    assert correlation_limits(0.1, 0.01, (-0.2, 0.4)) == correlation_limits(0.1, 0.01)
    assert correlation_limits(0.1, math.inf, (-0.2, 0.4)) == (-1, 1)
    assert correlation_limits(0.5, 3.0, (-0.2, 0.4))[1] == 0.5, "never without the value itself"


def test_the_less_is_known_of_distributions_the_more_room_a_correlation_has() -> None:
    """Ages are -1 to 2 and incomes 0 to 60, so unlike in shape that no table has a correlation near 1."""
    widths = []
    for error in (1e-4, 0.01, 0.1, 10.0):
        low, high = TableModel(MODEL.table, error=error).correlation("age", "income").interval
        assert -1 <= low <= high <= 1
        widths.append(high - low)
    assert sorted(widths) == widths
    assert widths[-1] == 2


@pytest.mark.parametrize("true", [0.0, 0.6, -0.9])
def test_limits_of_a_correlation_miss_as_often_on_either_side(true: float) -> None:
    """Five thousand samples of 30 of a bivariate normal, seed 3: either side misses in 5 %, four standard errors 1.3 %.

    The error is that of the influence function, which is (1 - r^2) / root n, at the correlation found.
    """
    generator = np.random.default_rng(3)
    one, other = generator.standard_normal((2, 5_000, 30))
    other = true * one + math.sqrt(1 - true**2) * other
    found = [float(np.corrcoef(*pair)[0, 1]) for pair in zip(one, other, strict=True)]
    limits = np.array([correlation_limits(r, 1.6449 * (1 - r**2) / math.sqrt(30 - 3)) for r in found])
    assert (limits[:, 0] > true).mean() == pytest.approx(0.05, abs=0.013)
    assert (limits[:, 1] < true).mean() == pytest.approx(0.05, abs=0.013)


@pytest.mark.parametrize("value", [-1.0, -0.99, -0.3, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("reach", [0.0, 1e-4, 0.2, 3.0, math.inf])
def test_limits_of_a_correlation_hold_it_and_reach_at_most_twice_as_far(value: float, reach: float) -> None:
    low, high = correlation_limits(value, reach)
    assert -1 <= low <= value <= high <= 1
    assert value - low <= 2 * reach + 1e-12
    assert high - value <= 2 * reach + 1e-12
    if reach <= 1e-4 and abs(value) < 0.9:
        assert (low, high) == pytest.approx((value - reach, value + reach), abs=1e-7)


def test_an_attribute_that_does_not_vary_has_no_correlation() -> None:
    table = MODEL.table.copy()
    table[1:] = 0
    result = correlation_matrix(TableModel(table / table.sum()))
    assert math.isnan(result[0, 1])
    assert not math.isnan(result[1, 3])


def test_the_pair_that_goes_together_leads_the_list() -> None:
    """Age decides the rooms, and nothing else decides anything."""
    table = np.ones(SCHEMA.sizes)
    for age in range(SCHEMA.sizes[0]):
        for rooms in range(SCHEMA.sizes[3]):
            table[age, :, :, rooms] = age % 3 == rooms
    pairs = TableModel(table / table.sum()).association()
    assert (pairs[0].first, pairs[0].second) == ("age", "the rooms")
    assert pairs[0].strength > 0.9
    assert len(pairs) == 6
    assert [float(pair.strength) for pair in pairs[1:]] == pytest.approx([0] * 5, abs=1e-9)
    assert not any(pair.told for pair in pairs[1:])


def test_a_pair_that_is_told_from_chance_is_not_called_assumed() -> None:
    class Unsure(TableModel):
        """The oracle, which claims to have measured next to nothing."""

        def spread(self, batch: Batch, sums: Floats) -> Spread:
            return replace(super().spread(batch, sums), evidence=np.full(len(sums), 0.05))

    table = np.ones(SCHEMA.sizes)
    for age in range(SCHEMA.sizes[0]):
        for rooms in range(SCHEMA.sizes[3]):
            table[age, :, :, rooms] = age % 3 == rooms
    pairs = Unsure(table / table.sum(), error=0.0005).association()
    assert pairs[0].told
    assert pairs[0].strength.evidence > 0.5
    assert pairs[-1].strength.evidence == 0.05
