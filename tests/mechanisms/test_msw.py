"""MSW and the square wave behind it, on generated data."""

from decimal import Decimal

import msgspec
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import LocalHash
from sottovoce.simulation.simulate import seeded_words

PEOPLE = 100_000


def normal(generator):
    return generator.standard_normal(PEOPLE)


def laplace(generator):
    return generator.laplace(scale=0.5**0.5, size=PEOPLE)


def binned(values):
    return np.clip(np.floor((values + 6) / 12 * 64), 0, 63).astype(int)


@pytest.mark.parametrize("draw", [normal, laplace])
def test_the_square_wave_is_not_worse_than_local_hashing_on_16_bins(draw):
    """Seeds 0 to 9: the wave's mean error is 0.82 of local hashing's on Normal, 0.56 on Laplace.

    The difference is 1.6 and 7.9 of its standard errors, so for other seeds Normal alone would fail one time in 20.
    """
    plan = sv.Plan.create(sv.Schema([sv.Ordinal("a", 0, 63)]), epsilon=1, users=PEOPLE, mechanism="msw")
    hashing = LocalHash.design(16, Decimal(1), seed="00")
    wave_errors, hash_errors = [], []
    for seed in range(10):
        generator = np.random.default_rng(seed)
        levels = binned(draw(generator))
        ends = np.sort(generator.integers(0, 64, (200, 2)), axis=1)
        queries = [{"a": (int(low), int(high))} for low, high in ends]
        truth = np.array([((levels >= low) & (levels <= high)).mean() for low, high in ends])
        wave = sv.fit(plan, sv.simulate(plan, {"a": levels}, seed=seed)).answer_ranges(queries)
        codes = hashing.draw_many(levels // 4, seeded_words(generator))
        cells = np.repeat(hashing.estimate(np.bincount(codes, minlength=hashing.codes)) / 4, 4)
        sums = np.concatenate([[0], np.cumsum(cells)])
        wave_errors.append(np.abs(wave - truth).mean())
        hash_errors.append(np.abs(sums[ends[:, 1] + 1] - sums[ends[:, 0]] - truth).mean())
    assert np.mean(wave_errors) <= np.mean(hash_errors)


def test_answers_are_products_of_the_attributes_answers():
    schema = sv.Schema([sv.Ordinal("a", 0, 9), sv.Numeric("b", 0, 1, bins=7, nullable=True), sv.Ordinal("c", 0, 1)])
    plan = sv.Plan.create(schema, epsilon=2, users=3000, mechanism="msw")
    generator = np.random.default_rng(1)
    table = {"a": generator.integers(0, 10, 3000), "b": generator.random(3000), "c": generator.integers(0, 2, 3000)}
    table["b"][:500] = np.nan
    model = sv.fit(plan, sv.simulate(plan, table, seed=1))
    one, two, three, all_three = model.answer_ranges(
        [{"a": (2, 5)}, {"b": (0.25, 0.5)}, {"c": (1, 1)}, {"a": (2, 5), "b": (0.25, 0.5), "c": (1, 1)}]
    )
    assert all_three == pytest.approx(one * two * three)
    assert [len(model.marginal(name)) for name in "abc"] == [10, 8, 2]
    assert all(model.marginal(name).sum() == pytest.approx(1) for name in "abc")
    assert plan.audit().epsilon <= 2


def test_an_attribute_nobody_reported_on_is_uniform():
    schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Ordinal("b", 0, 3)])
    plan = sv.Plan.create(schema, epsilon=1, users=100, mechanism="msw")
    tally = sv.Tally(plan)
    tally.add_counts(np.array([0]), np.array([1]), np.array([50]))
    np.testing.assert_allclose(sv.fit(plan, tally).marginal("b"), 0.25)


def test_a_categorical_attribute_is_refused_with_what_to_use_instead():
    schema = sv.Schema([sv.Ordinal("age", 0, 99), sv.Categorical("region", ["north", "south"])])
    with pytest.raises(sv.PlanError, match=r"'region' has no order.*use hdg or calm"):
        sv.Plan.create(schema, epsilon=1, users=1000, mechanism="msw")


def test_smoothing_helps_a_smooth_distribution_and_blurs_spikes():
    """Seeds 0 to 4. On Normal over the whole range, smoothing lowers the error of every level; spikes lose to it."""
    schema = sv.Schema([sv.Ordinal("a", 0, 63)])
    errors: dict[tuple[str, bool], list[float]] = {}
    crowds = {"normal": lambda g: binned(2 * normal(g)), "spikes": lambda g: 8 * g.integers(0, 8, PEOPLE)}
    for smoothing in (False, True):
        plan = sv.Plan.create(schema, epsilon=1, users=PEOPLE, mechanism="msw", smoothing=smoothing)
        for name, draw in crowds.items():
            for seed in range(5):
                levels = draw(np.random.default_rng(seed))
                truth = np.bincount(levels, minlength=64) / PEOPLE
                found = sv.fit(plan, sv.simulate(plan, {"a": levels}, seed=seed)).marginal("a")
                errors.setdefault((name, smoothing), []).append(np.abs(found - truth).sum())
    assert np.mean(errors["normal", True]) < np.mean(errors["normal", False])
    assert np.mean(errors["spikes", True]) > np.mean(errors["spikes", False])


def test_a_plan_made_before_there_was_smoothing_is_fitted_without():
    plan = sv.Plan.create(sv.Schema([sv.Ordinal("a", 0, 15)]), epsilon=1, users=1000, mechanism="msw")
    assert plan.options == {"smoothing": False}
    older = msgspec.structs.replace(plan, options={})
    table = {"a": np.arange(1000) % 16}
    one, other = (sv.fit(each, sv.simulate(each, table, seed=1)).marginal("a") for each in (plan, older))
    np.testing.assert_array_equal(one, other)
