"""The variance of sums of measured coefficients: against moving single reports, and against many collections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.mechanism import answers_of
from sottovoce.mechanisms.spectral.moments import Asked, pool
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.walsh import Axis
from tests.mechanisms.spectral.test_moments import BLOCKS, SIZES

AXES = [Axis.of(sv.Ordinal(f"a{index}", 0, size - 1)) for index, size in enumerate(SIZES)]


def made_up(kind, seed):
    """Return blocks with counts and attenuations, and weights of all coefficients of one attribute and of pairs."""
    generator = np.random.default_rng(seed)
    blocks = BLOCKS[kind]
    counts = [np.where(block.occurring(), generator.integers(0, 40, block.occurring().shape), 0) for block in blocks]
    kept = [generator.uniform(0.2, 0.8, block.shape) for block in blocks]
    bands = Asked.of(len(SIZES), blocks).bands
    weights: dict[tuple[int, ...], np.ndarray] = {}
    for one in range(len(SIZES)):
        weights[one,] = generator.normal(size=(3, (1 << bands[one]) - 1))
        for other in range(one + 1, len(SIZES)):
            weights[one, other] = generator.normal(size=(3, (1 << bands[one]) - 1, (1 << bands[other]) - 1))
    return blocks, counts, kept, weights


def sums_of(blocks, counts, kept, weights):
    """Return the sums of pooled estimates with these weights."""
    asked = Asked.of(len(SIZES), blocks)
    estimate = pool(asked, blocks, counts, kept).estimate
    total = np.zeros(3)
    for names, own in weights.items():
        rows = np.array([0]) if len(names) == 1 else asked.indices(names[0])
        part = estimate[np.ix_(rows, asked.indices(names[-1]))]
        total += (own.reshape(3, *part.shape) * part).sum(axis=(1, 2))
    return total


@pytest.mark.parametrize("kind", list(BLOCKS))
def test_the_variance_is_what_moving_single_reports_gives(kind):
    blocks, counts, kept, weights = made_up(kind, 11)
    expected = np.zeros(3)
    start = sums_of(blocks, counts, kept, weights)
    for own in counts:
        for question in np.ndindex(own.shape[:-1]):
            column = own[question]
            if not column.any():
                continue
            first = int(column.argmax())
            moved = np.zeros((len(column), 3))
            for code in np.flatnonzero(column):
                column[first] -= 1
                column[code] += 1
                moved[code] = sums_of(blocks, counts, kept, weights) - start
                column[code] -= 1
                column[first] += 1
            mean = column @ moved / column.sum()
            expected += column @ (moved - mean) ** 2  # every report of the question varies as those counted do
    np.testing.assert_allclose(Noise(blocks, counts, kept).variance(weights, 3), expected, rtol=1e-8)


def test_the_variance_is_that_of_many_collections():
    """False alarms: 5 sums, each side at 1e-6; 300 collections, seeds 0 to 299."""
    generator = np.random.default_rng(5)
    people = 4_000
    first = np.minimum(generator.geometric(0.3, people) - 1, 15)
    second = np.where(generator.random(people) < 0.8, first // 4, generator.integers(0, 4, people))
    schema = sv.Schema([sv.Ordinal("first", 0, 15), sv.Ordinal("second", 0, 3)])
    plan = sv.Plan.create(schema, epsilon=4, users=people)
    tallies = [sv.simulate(plan, {"first": first, "second": second}, seed=seed) for seed in range(300)]
    answers = [answers_of(plan, tally) for tally in tallies]
    asked = answers[0].asked
    counted = [generator.normal(size=(5, len(asked.indices(index)))) for index in range(2)]
    weights = {(0,): counted[0], (1,): counted[1], (0, 1): counted[0][:, :, None] * counted[1][:, None, :]}
    estimates, variances = [], []
    for one in answers:
        estimate = one.moments.estimate
        both = estimate[np.ix_(asked.indices(0), asked.indices(1))]
        total = counted[0] @ estimate[0, asked.indices(0)] + counted[1] @ estimate[0, asked.indices(1)]
        estimates.append(total + np.einsum("suv,uv->s", weights[0, 1], both))
        variances.append(one.noise.variance(weights, 5))
    ratio = np.var(estimates, axis=0, ddof=1) / np.mean(variances, axis=0)
    low, high = stats.chi2(299).ppf([1e-6, 1 - 1e-6]) / 299
    assert ((low < ratio) & (ratio < high)).all()


@pytest.mark.parametrize("kind", list(BLOCKS))
def test_what_is_kept_in_a_file_says_the_same(kind):
    blocks, counts, kept, weights = made_up(kind, 12)
    noise = Noise(blocks, counts, kept)
    again = Noise.from_state(AXES, noise.state())
    np.testing.assert_allclose(again.variance(weights, 3), noise.variance(weights, 3), rtol=1e-5)  # short numbers


@pytest.mark.parametrize("part", ["noise_blocks", "noise_counts", "noise_kept"])
@pytest.mark.parametrize("change", ["cut", "longer", "wrong"])
def test_altered_counts_are_refused(part, change):
    blocks, counts, kept, _ = made_up("several of two", 13)
    state = Noise(blocks, counts, kept).state()
    own = state[part].copy()
    own[-1] = 4096 if part == "noise_blocks" else -1
    state[part] = {"cut": own[:-1], "longer": np.append(state[part], 1), "wrong": own}[change]
    with pytest.raises((ModelError, ValueError)):  # files.py makes a ModelError of either
        Noise.from_state(AXES, state)
