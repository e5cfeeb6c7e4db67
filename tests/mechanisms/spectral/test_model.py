"""The mixture model: a coherent distribution of whole records, with intervals from what the fit leaves behind."""

from itertools import pairwise

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.spectral.dependence import Doubt
from sottovoce.mechanisms.spectral.model import Known, MixtureModel
from sottovoce.mechanisms.spectral.moments import Asked
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch
from sottovoce.query.ranges import ranges_to_batch
from tests.chances import assert_drawn_from

SCHEMA = sv.Schema([sv.Ordinal("a", 0, 7), sv.Categorical("b", ["x", "y", "z"]), sv.Ordinal("c", 0, 3, nullable=True)])
ORIGIN = Origin(SCHEMA, "spectral", 1.0, "0" * 64, 10_000)


def made(seed=1, spread=0.0, **more):
    """Return a model of four components drawn with a seed, its factors disturbed by ``spread``."""
    generator = np.random.default_rng(1)
    weights = generator.dirichlet(np.ones(4))
    factors = [generator.dirichlet(np.ones(size), 4) for size in SCHEMA.sizes]
    noise = np.random.default_rng(seed)
    factors = [factor * np.exp(spread * noise.standard_normal(factor.shape)) for factor in factors]
    factors = [factor / factor.sum(axis=1, keepdims=True) for factor in factors]
    return MixtureModel(ORIGIN, weights=weights, factors=factors, **more)


def known(variance=1e-4):
    """Return what a fit may leave behind: every band asked, alike unsure."""
    axes = [Axis.of(attribute) for attribute in SCHEMA.attributes]
    asked = Asked.full([axis.bands for axis in axes])
    bands = 1 + sum(asked.bands)
    owner = np.repeat(np.arange(-1, len(axes)), [1, *asked.bands])
    tables = np.where(owner[:, None] == owner[None, :], 0.0, variance) * np.ones((3, bands, bands))
    doubt = Doubt(tables[0], tables[1], np.where(tables[2] > 0, tables[2], np.inf))
    beyond = np.random.default_rng(3).normal(0, 0.01, (2, asked.size, asked.size))
    return Known.of(axes, asked, doubt, *(beyond + beyond.transpose(0, 2, 1)))


def joint(model):
    return np.einsum("r,ra,rb,rc->abc", model.weights, *model.factors)


def test_answers_are_sums_over_the_joint_distribution():
    model = made()
    whole = joint(model)
    answers = model.answer_ranges(
        [{"a": (2, 5)}, {"a": (0, 3), "b": ["x", "z"]}, {"a": (1, 7), "b": ["y"], "c": (1, 2)}, {"c": (0, 3)}]
    )
    expected = [
        whole[2:6].sum(),
        whole[:4, [0, 2]].sum(),
        whole[1:, 1, 1:3].sum(),
        whole[:, :, :4].sum(),
    ]
    np.testing.assert_allclose(answers, expected, atol=1e-12)


def test_everybody_is_one_to_the_last_digits():
    model = made()
    np.testing.assert_allclose(
        model.answer_ranges([{}, {"a": (0, 7)}, {"a": (0, 7), "b": ["x", "y", "z"]}]), 1, atol=1e-14
    )
    assert model.answer("c IS NULL OR c IS NOT NULL").fraction == pytest.approx(1, abs=1e-14)


def test_disjoint_ranges_add_up_and_wider_ones_hold_more():
    model = made()
    growing = model.answer_ranges([{"a": (0, high), "b": ["x", "y"], "c": (1, 3)} for high in range(8)])
    single = model.answer_ranges([{"a": (high, high), "b": ["x", "y"], "c": (1, 3)} for high in range(8)])
    assert all(narrow <= wide for narrow, wide in pairwise(growing))
    np.testing.assert_allclose(np.cumsum(single), growing, atol=1e-14)


def test_a_saved_model_is_the_same_model(tmp_path):
    model = made(known=known())
    model.save(tmp_path / "model.json")
    loaded = sv.load_model(tmp_path / "model.json")
    queries = [{"a": (low, 6), "b": ["x"], "c": (0, 2)} for low in range(6)]
    np.testing.assert_array_equal(loaded.answer_ranges(queries), model.answer_ranges(queries))
    wheres = ["a < 3", "b = 'y' AND c IS NULL"]
    assert loaded.answers(wheres) == model.answers(wheres)
    assert [answer.evidence for answer in loaded.answers(wheres)] == [
        answer.evidence for answer in model.answers(wheres)
    ]
    assert loaded.answers(wheres)[1].direct == model.answers(wheres)[1].direct != model.answers(wheres)[1].fraction


def test_deviations_are_finite_and_positive_and_follow_what_is_unknown():
    batch = Batch.of({0: np.eye(8)[:4] + np.eye(8)[4:], 1: np.tile([1.0, 0.0, 0.0], (4, 1))})
    small, large = (made(known=known(variance)).deviations(batch, np.eye(4)) for variance in (1e-3, 1.0))
    assert np.isfinite(small).all()
    assert (small > 0).all()
    assert (large > 3 * small).all()


def test_a_query_that_holds_nobody_is_still_uncertain():
    model = made()
    factors = [factor.copy() for factor in model.factors]
    factors[0][:, 7] = 0.0
    answer = MixtureModel(ORIGIN, weights=model.weights, factors=factors, known=known()).answer("a = 7 AND b = 'x'")
    assert answer.fraction == 0
    assert answer.deviation > 0


def test_direct_answers_are_only_on_attributes_asked_together():
    plan = sv.Plan.create(SCHEMA, epsilon=2, users=2_000)
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 6], "b": ["x", "z"], "c": [0, None]}, users=2_000, seed=1))
    assert model.answer("a < 3 AND b = 'x'").direct is not None
    assert model.answer("a < 3 AND b = 'x' AND c > 1").direct is None
    assert made(known=known()).answer("a < 3").direct is None  # nothing is known of the noise


def test_without_what_a_fit_leaves_deviations_are_infinite_and_intervals_hold_everything():
    batch = Batch.of({0: np.eye(8)})
    assert np.isinf(made().deviations(batch, np.eye(8))).all()
    assert made().answer("a < 3").interval == (0, 1)


def test_people_are_drawn_from_the_joint_distribution():
    """Seed 3: a correct program fails for less than one seed in 10^9."""
    model = made()
    levels = model.draw_levels(100_000, np.random.default_rng(3))
    cells = np.ravel_multi_index(levels, SCHEMA.sizes)
    assert_drawn_from(np.bincount(cells, minlength=int(np.prod(SCHEMA.sizes))), joint(model))


def test_short_factors_are_brought_back_to_distributions():
    model = made(precision=np.float16)
    assert model.state()["factors"][0].dtype == np.float16
    for factor, exact in zip(model.factors, made().factors, strict=True):
        np.testing.assert_allclose(factor.sum(axis=1), 1, atol=1e-14)
        np.testing.assert_allclose(factor, exact, atol=1e-3)


def test_no_answer_is_surer_than_if_all_had_answered_openly() -> None:
    batch = ranges_to_batch(SCHEMA, [{"a": (7, 7)}])
    model = made(known=known(1e-12))
    share = model.evaluate(batch)[0]
    floor = np.sqrt(share * (1 - share) / ORIGIN.reports)
    assert model.deviations(batch, np.eye(1))[0] >= floor * (1 - 1e-9)
