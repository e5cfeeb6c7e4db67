"""Consistency against weighted least squares, solved in one piece."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sottovoce.estimation.consistency import Grid, make_consistent, post_process
from sottovoce.estimation.norm_sub import norm_sub

COARSE = [np.array([0, 0, 1, 1]), np.array([0, 1, 2]), np.array([0, 0, 0, 1, 2])]
"""The bucket of each 1-D bin, attribute by attribute; the pairs' bins are the buckets themselves."""


def grids(seed: int) -> list[Grid]:
    """Return three 1-D and three 2-D grids of noisy distributions, each with its own variance."""
    generator = np.random.default_rng(seed)
    made = [
        Grid((index,), norm_sub(generator.random(len(buckets))), generator.uniform(0.5, 2), (buckets,))
        for index, buckets in enumerate(COARSE)
    ]
    sizes = [int(buckets.max()) + 1 for buckets in COARSE]
    for first, second in itertools.combinations(range(3), 2):
        noisy = norm_sub(generator.random((sizes[first], sizes[second])))
        axes = (np.arange(sizes[first]), np.arange(sizes[second]))
        made.append(Grid((first, second), noisy, generator.uniform(0.5, 2), axes))
    return made


def bucket_sums(grid: Grid, attribute: int) -> np.ndarray:
    axis = grid.attributes.index(attribute)
    along = np.moveaxis(grid.frequencies, axis, 0).reshape(grid.frequencies.shape[axis], -1).sum(axis=1)
    return np.bincount(grid.buckets[axis], weights=along)


def least_squares(given: list[Grid]) -> np.ndarray:
    """Return all cells in a row, moved least in units of their variance so that all agree on a total of one."""
    sizes = [grid.frequencies.size for grid in given]
    ends = np.cumsum([0, *sizes])
    cells = np.concatenate([grid.frequencies.ravel() for grid in given])
    weights = np.concatenate([np.full(size, 1 / grid.variance) for size, grid in zip(sizes, given, strict=True)])
    constraints = []
    for attribute in range(3):
        rows = []
        for index, grid in enumerate(given):
            if attribute not in grid.attributes:
                continue
            axis = grid.attributes.index(attribute)
            buckets = grid.buckets[axis].reshape([-1 if each == axis else 1 for each in range(grid.frequencies.ndim)])
            member = np.broadcast_to(buckets, grid.frequencies.shape).ravel()
            for bucket in range(int(member.max()) + 1):
                row = np.zeros(len(cells))
                row[ends[index] : ends[index + 1]] = member == bucket
                rows.append((bucket, row))
        for (one, left), (other, right) in itertools.combinations(rows, 2):
            if one == other:
                constraints.append(left - right)
    for index in range(len(given)):
        row = np.zeros(len(cells))
        row[ends[index] : ends[index + 1]] = 1
        constraints.append(row)
    matrix = np.array(constraints)
    wanted = np.zeros(len(matrix))
    wanted[-len(given) :] = 1
    correction = np.linalg.pinv(matrix / np.sqrt(weights)) @ (matrix @ cells - wanted)
    return cells - correction / np.sqrt(weights)


def flat(given: list[Grid]) -> np.ndarray:
    return np.concatenate([grid.frequencies.ravel() for grid in given])


@pytest.mark.parametrize("seed", range(5))
def test_the_result_is_the_weighted_least_squares_solution(seed: int):
    given = grids(seed)
    np.testing.assert_allclose(flat(make_consistent(given)), least_squares(given), atol=1e-12)


def test_a_grid_without_reports_follows_and_does_not_lead():
    given = grids(7)
    silent = [*given[:3], replace(given[3], variance=float("inf")), *given[4:]]
    nearly = [*given[:3], replace(given[3], variance=1e9), *given[4:]]
    settled = make_consistent(silent)
    np.testing.assert_allclose(flat(settled), least_squares(nearly), atol=1e-6)
    loud = [*given[:3], replace(silent[3], frequencies=np.eye(2, 3)), *given[4:]]
    for one, other in zip(make_consistent(loud), settled, strict=True):
        if one.attributes != (0, 1):
            np.testing.assert_allclose(one.frequencies, other.frequencies, atol=1e-12)


def test_where_nobody_reported_at_all_nothing_moves():
    given = [replace(grid, variance=float("inf")) for grid in grids(1)]
    np.testing.assert_array_equal(flat(make_consistent(given)), flat(given))


def test_all_grids_agree_afterwards_and_inputs_are_kept():
    given = grids(3)
    before = flat(given)
    settled = make_consistent(given)
    for attribute in range(3):
        sums = [bucket_sums(grid, attribute) for grid in settled if attribute in grid.attributes]
        for other in sums[1:]:
            np.testing.assert_allclose(other, sums[0], atol=1e-12)
    np.testing.assert_array_equal(flat(given), before)


def test_post_processing_ends_with_distributions_that_nearly_agree():
    noisy = [replace(grid, frequencies=grid.frequencies - 0.2) for grid in grids(4)]
    settled = post_process(noisy, rounds=30)
    for grid in settled:
        assert (grid.frequencies >= 0).all()
        assert grid.frequencies.sum() == pytest.approx(1)
    for attribute in range(3):
        sums = [bucket_sums(grid, attribute) for grid in settled if attribute in grid.attributes]
        for other in sums[1:]:
            np.testing.assert_allclose(other, sums[0], atol=0.01)
