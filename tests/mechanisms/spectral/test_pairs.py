"""Slope and information of what was counted of a pair, against the probability of every count and its derivatives."""

import numpy as np
import pytest

from sottovoce.mechanisms.spectral import pairs
from sottovoce.mechanisms.spectral.observations import observations
from sottovoce.mechanisms.spectral.pairs import Pair
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from tests.mechanisms.spectral.brute_force import expected_counts, pair_counts, scaled_table, shown

SIZES = (8, 5)
WITHIN = (
    np.repeat(np.eye(3), [3, 2, 3], axis=0)
    * np.array([0.3, 0.6, 0.1, 0.2, 0.8, 0.5, 0.3, 0.2])[:, None],  # three cells
    np.eye(5),
)
ROWS, COLUMNS = np.array([0.2, 0.5, 0.3]), np.array([0.1, 0.2, 0.4, 0.2, 0.1])
GENERATOR = np.random.default_rng(3)
SCORES = GENERATOR.standard_normal((3, 2)), GENERATOR.standard_normal((5, 3))
MOVES = tuple(own - own.mean(axis=0) for own in (GENERATOR.normal(0, 0.1, (3, 2)), GENERATOR.normal(0, 0.1, (5, 3))))
THETA = 0.2 * GENERATOR.standard_normal((2, 3))
FAMILIES = {
    "cells": [shown(SIZES, (0, (0, 1)), (1, (0, 1)))],
    "cells of which some never occur": [shown(SIZES, (1, (0, 1, 2)), (0, (1, 2)))],
    "a parity": [shown(SIZES, (0, (1,)), (1, (2,)), parity=True)],
    "several parities": [shown(SIZES, (1, (0, 1)), (0, (1, 2)), parity=True)],
}
FAMILIES["all together"] = [block for blocks in FAMILIES.values() for block in blocks]


def crowd():
    """Return the table at the point looked at."""
    return joint_at(np.zeros(THETA.size + MOVES[0].shape[1] + MOVES[1].shape[1]))


def joint_at(change):
    """Return the table of cells after a change of theta, of the sums of rows and of those of columns."""
    theta, rows, columns = np.split(change, [THETA.size, THETA.size + MOVES[0].shape[1]])
    interaction = SCORES[0] @ (THETA + theta.reshape(THETA.shape)) @ SCORES[1].T
    return scaled_table(interaction, ROWS + MOVES[0] @ rows, COLUMNS + MOVES[1] @ columns)


def counted(blocks, *, noise):
    """Return what 800 reports on each question say of such a crowd, with the noise of seed 4 or none."""
    generator = np.random.default_rng(4)
    levels = WITHIN[0] @ crowd() @ WITHIN[1].T
    counts, kept = zip(*(expected_counts(block, levels, "2", 800.0) for block in blocks), strict=True)
    drawn = [generator.poisson(own).astype(float) for own in counts] if noise else counts
    return observations(2, blocks, drawn, kept).pair[0, 1]


def pair_of(counts):
    first, second = (walsh_signs(size, 3).T @ own for size, own in zip(SIZES, WITHIN, strict=True))
    return Pair(counts, first, second)


def log_probability(counts, joint):
    """Return the log probability of all counts: Poisson, or normal for products of signs but the constant."""
    total = 0.0
    for own in counts:
        expected = pair_counts(own, WITHIN[0] @ joint @ WITHIN[1].T)
        if own.reports is None:
            occurs = own.chance > 0
            total += (own.counts[occurs] * np.log(expected[occurs]) - expected[occurs]).sum()
        else:
            total -= (0.5 * (own.counts - expected)[..., 1:] ** 2 / own.reports[..., None]).sum()
    return total


def differences(function, count, step=1e-4):
    """Return how a function of the change moves along each of so many directions."""
    size = THETA.size + MOVES[0].shape[1] + MOVES[1].shape[1]
    return [(function(step * e) - function(-step * e)) / (2 * step) for e in np.eye(size)[:count]]


@pytest.mark.parametrize("moves", [None, MOVES], ids=["sums stay", "sums move"])
@pytest.mark.parametrize("kind", list(FAMILIES))
def test_the_slope_is_that_of_the_counts_probability(kind, moves):
    counts = counted(FAMILIES[kind], noise=True)
    found = pair_of(counts).expand(crowd(), SCORES, moves)
    slopes = differences(lambda change: log_probability(counts, joint_at(change)), len(found.slope))
    assert len(found.slope) == (6 if moves is None else 11)
    np.testing.assert_allclose(found.slope, slopes, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("moves", [None, MOVES], ids=["sums stay", "sums move"])
@pytest.mark.parametrize("kind", list(FAMILIES))
def test_the_information_is_fishers(kind, moves):
    """Squared moves of expected counts over their variances: of Poisson counts the expected counts themselves."""
    counts = counted(FAMILIES[kind], noise=True)
    found = pair_of(counts).expand(crowd(), SCORES, moves)
    expected = np.zeros_like(found.information)
    for own in counts:

        def at(change, own=own):
            return pair_counts(own, WITHIN[0] @ joint_at(change) @ WITHIN[1].T)

        moved = np.array(differences(at, len(expected)))
        if own.reports is None:
            variance = np.where(own.chance > 0, at(np.zeros(11)), np.inf)
        else:
            variance = np.broadcast_to(own.reports[..., None], own.counts.shape)
        flat = (moved / np.sqrt(variance)).reshape(len(expected), -1)
        expected += flat @ flat.T
    np.testing.assert_allclose(found.information, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_where_counts_are_as_expected_nothing_moves_and_the_information_is_the_whole_curvature(kind):
    counts = counted(FAMILIES[kind], noise=False)
    found = pair_of(counts).expand(crowd(), SCORES, MOVES)
    np.testing.assert_allclose(found.slope, 0, atol=1e-7)
    direction = np.linspace(-1, 1, 11)
    ends = [log_probability(counts, joint_at(step * direction)) for step in (-0.01, 0.0, 0.01)]
    bend = (ends[0] - 2 * ends[1] + ends[2]) / 0.01**2
    assert direction @ found.information @ direction == pytest.approx(-bend, rel=1e-3)


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_few_and_many_products_are_expanded_alike(kind, monkeypatch):
    pair = pair_of(counted(FAMILIES[kind], noise=True))
    found = []
    for few in (10**9, 0):  # turned first or last
        monkeypatch.setattr(pairs, "_FEW_ASKED", few)
        found.append(pair.expand(crowd(), SCORES, MOVES))
    for own in found[1:]:
        np.testing.assert_allclose(own.slope, found[0].slope, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(own.information, found[0].information, rtol=1e-12, atol=1e-9)


def test_families_add_up():
    parts = [counted(FAMILIES[kind], noise=False) for kind in ("cells", "several parities")]
    whole = pair_of([own for part in parts for own in part]).expand(crowd(), SCORES, MOVES)
    one, other = (pair_of(part).expand(crowd(), SCORES, MOVES) for part in parts)
    np.testing.assert_allclose(whole.information, one.information + other.information)
    np.testing.assert_allclose(whole.slope, one.slope + other.slope, atol=1e-9)


def test_without_reports_nothing_is_known():
    found = pair_of([]).expand(crowd(), SCORES, MOVES)
    np.testing.assert_array_equal(found.slope, np.zeros(11))
    np.testing.assert_array_equal(found.information, np.zeros((11, 11)))
