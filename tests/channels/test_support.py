"""How often reports support cells: the variance of any sum of estimates, against the exact tables of channels."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.channels import GRR, LocalHash, Support


def exact_variance(channel: GRR | LocalHash, weights: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """Return the variance of weighted sums of estimates from one report, from the channel's table of probabilities."""
    values = np.array([weights @ channel.estimate(unit) for unit in np.eye(channel.codes)])
    chances = frequencies @ channel.probabilities()
    mean = chances @ values
    assert mean == pytest.approx(weights @ frequencies)  # the estimate is unbiased
    return np.asarray(chances @ values**2 - mean**2)


def uneven(cells: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(size=cells), generator.dirichlet(np.full(cells, 0.5))


@pytest.mark.parametrize(("cells", "epsilon"), [(2, "0.5"), (5, "1"), (12, "3")])
def test_randomised_response_has_exactly_the_variance_of_its_table(cells: int, epsilon: str) -> None:
    channel = GRR.design(cells, Decimal(epsilon))
    weights, frequencies = uneven(cells, seed=1)
    found = channel.support().variance(weights, frequencies, reports=2)
    assert found == pytest.approx(exact_variance(channel, weights, frequencies), rel=1e-9)


@pytest.mark.parametrize(("cells", "epsilon"), [(7, "0.5"), (9, "1"), (12, "2")])
def test_local_hashing_has_the_variance_of_its_table_on_average_over_where_cells_stand(
    cells: int, epsilon: str
) -> None:
    """Forty public seeds, fixed: their mean is off by at most five of its standard errors, and none by half."""
    weights, frequencies = uneven(cells, seed=2)
    ratios = []
    for seed in range(40):
        channel = LocalHash.design(cells, Decimal(epsilon), seed=f"{seed:02x}")
        found = channel.support().variance(weights, frequencies, reports=2)
        ratios.append(exact_variance(channel, weights, frequencies) / found)
    assert abs(np.mean(ratios) - 1) <= 5 * np.std(ratios, ddof=1) / np.sqrt(40) + 1e-9
    assert np.abs(np.array(ratios) - 1).max() < 0.5


@pytest.mark.parametrize(("epsilon", "seed"), [("1", 4), ("2", 5)])
def test_one_placement_of_cells_changes_the_standard_error_of_a_range_by_less_than_a_tenth(
    epsilon: str, seed: int
) -> None:
    """Thirty ranges of 8 by 8 cells, less their mean, where half of the people stand in few cells; seeds fixed."""
    generator = np.random.default_rng(seed)
    channel = LocalHash.design(64, Decimal(epsilon), seed="00")
    frequencies = generator.dirichlet(np.full(64, 0.05))
    ends = np.sort(generator.permuted(np.tile(np.arange(9), (30, 2, 1)), axis=2)[:, :, :2], axis=2)
    inside = (ends[:, :, :1] <= np.arange(8)) & (np.arange(8) < ends[:, :, 1:])
    ranges = (inside[:, 0, :, None] & inside[:, 1, None, :]).reshape(30, 64).astype(float)
    weights = ranges - ranges.mean(axis=1, keepdims=True)
    kept = weights.any(axis=1)
    found = [channel.support().variance(own, frequencies, reports=2) for own in weights[kept]]
    ratios = np.sqrt(exact_variance(channel, weights[kept], frequencies) / found)
    assert 0.9 < ratios.min() < ratios.max() < 1.1


def test_one_cell_that_all_or_none_are_in_has_exactly_the_variance_of_its_table() -> None:
    channel = LocalHash.design(9, Decimal(1), seed="00")
    alone = np.eye(9)[4]
    for frequencies in (np.eye(9)[4], np.eye(9)[0]):
        found = channel.support().variance(alone, frequencies, reports=2)
        assert found == pytest.approx(exact_variance(channel, alone, frequencies), rel=1e-9)
    assert found == pytest.approx(channel.variance(1), rel=1e-9)


def test_cells_on_all_points_are_supported_equally_often_together() -> None:
    channel = LocalHash.design(27, Decimal(1), seed="00")
    assert channel.prime**channel.digits == 27
    noise = channel.support().variance(np.ones(27), np.full(27, 1 / 27), reports=2)
    assert noise == pytest.approx(0, abs=1e-9)


def test_the_variance_needs_two_reports_and_falls_with_them() -> None:
    support = Support(0.6, 0.2, 0.1, 0.05)
    weights, frequencies = uneven(4, seed=3)
    one, two, many = (support.variance(weights, frequencies, reports) for reports in (1, 2, 101))
    assert one == np.inf
    assert many == pytest.approx(two / 100)
    assert support.rare_variance(0) == np.inf
