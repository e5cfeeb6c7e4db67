"""The mixture model: a coherent distribution of whole records, with intervals from what the fit leaves behind."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.direct import model_moments
from sottovoce.mechanisms.spectral.doubt import Doubt
from sottovoce.mechanisms.spectral.fitting import EFFORTS, fit_mixture
from sottovoce.mechanisms.spectral.mechanism import answers_of
from sottovoce.mechanisms.spectral.model import Known, MixtureModel
from sottovoce.mechanisms.spectral.moments import Shown
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.model.evaluation import assess, errors_of
from sottovoce.model.fitted import Spread
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch
from sottovoce.query.functional import cdf_influence, linear_error, moment_of, parse
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
    """Return what a fit may leave behind: two functions of each attribute, alike unsure, and one question on one."""
    axes = [Axis.of(attribute) for attribute in SCHEMA.attributes]
    generator = np.random.default_rng(3)
    unsure = np.full((6, 6), variance)
    rest = np.full((3, 3), variance / 100)
    np.fill_diagonal(rest, 0.0)
    roots = [np.sqrt(variance) * generator.standard_normal((axis.size, 2)) for axis in axes]
    doubt = Doubt(
        functions=[generator.standard_normal((axis.size, 2)) for axis in axes],
        roots=[own - own.mean(axis=0) for own in roots],
        posterior=unsure,
        gap=np.zeros((6, 6)),
        left=np.full((6, 6), 0.4),
        falls=np.ones(6),
        rest=rest,
    )
    block = Shown.of([0], [[(1,)]], SCHEMA.sizes)
    measured = np.zeros((9, 9), dtype=np.float32)  # by bands: the constant, three, two and three
    measured[0, 1] = measured[1, 0] = 0.01
    noise = Noise([block], [np.array([[60.0, 40.0]])], [np.array([0.5])])
    return Known(doubt.rounded(), np.array([1, 0, 0]), measured, np.array([0.05], dtype=np.float32), noise)


CROWD = {"a": [1, 6, 3, 3], "b": ["x", "z", "z", "y"], "c": [0, None, 2, 3]}


@pytest.fixture(scope="module")
def collected():
    plan = sv.Plan.create(SCHEMA, epsilon=2, users=5_000)
    tally = sv.simulate(plan, CROWD, users=5_000, seed=1)
    return plan, tally, sv.fit(plan, tally)


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


def test_a_saved_model_is_the_same_model(collected, tmp_path):
    """To the last digit, but for the errors of direct answers: attenuations are kept in short numbers."""
    _, _, model = collected
    model.save(tmp_path / "model.json")
    loaded = sv.load_model(tmp_path / "model.json")
    queries = [{"a": (low, 6), "b": ["x"], "c": (0, 2)} for low in range(6)]
    np.testing.assert_array_equal(loaded.answer_ranges(queries), model.answer_ranges(queries))
    wheres = ["a < 3", "c IS NULL", "b = 'y' AND c IS NULL", "a > 2 AND b = 'z' AND c < 2"]
    for one, same in zip(model.answers(wheres), loaded.answers(wheres), strict=True):
        assert (one, one.interval, one.evidence) == (same, same.interval, same.evidence)
        assert (one.direct is None) == (same.direct is None)
        if one.direct is not None:
            assert float(one.direct) == float(same.direct) != one.fraction
            assert one.direct.deviation == pytest.approx(same.direct.deviation, rel=1e-6)
    batch = ranges_to_batch(SCHEMA, queries)
    spreads = [own.spread(batch, np.array([[1.0, -1, 0, 0, 0, 0]])) for own in (model, loaded)]
    assert (spreads[0].error, spreads[0].evidence) == (spreads[1].error, spreads[1].evidence)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_what_a_fit_leaves_is_kept_in_short_numbers_and_comes_back(collected):
    plan, tally, _ = collected
    answers = answers_of(plan, tally)
    fitted = fit_mixture(answers, EFFORTS["fast"])
    left = Known.of(answers, fitted)
    again = Known.from_state(answers.axes, left.state())
    for name in ("posterior", "gap", "left", "falls", "rest"):
        np.testing.assert_array_equal(getattr(again.doubt, name), getattr(left.doubt, name))
    for one, same in zip(left.unpack(answers.axes), again.unpack(answers.axes), strict=True):
        np.testing.assert_array_equal(one, same)
    residual, measured = left.unpack(answers.axes)
    asked, moments = answers.asked, answers.moments
    expected = moments.estimate - model_moments(answers.axes, asked, fitted.mixture.weights, fitted.mixture.factors)
    assert asked.bands == tuple(axis.bands for axis in answers.axes)  # so that all functions stand where they did
    seen = moments.information > 0
    np.testing.assert_allclose(residual[seen], expected[seen], atol=1e-6)
    assert measured[0, 1] == pytest.approx(1 / moments.information[0, 1], rel=1e-6)


def test_a_model_of_the_version_before_answers_without_intervals(collected, tmp_path):
    """It kept doubts by bands of Walsh functions, of which nothing is made any more."""
    _, _, model = collected
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    state = document["state"]
    kept = ("weights", "factors", "bands", "residual", "noise_blocks", "noise_counts", "noise_kept")
    document["state"] = {name: state[name] for name in kept} | {"doubt": state["measured"]}
    del document["digest"]
    (tmp_path / "old.json").write_text(json.dumps(document))
    old = sv.load_model(tmp_path / "old.json")
    assert old.known is None
    assert old.posterior is None
    answer = old.answer("a < 3 AND b = 'x'")
    assert answer.fraction == model.answer("a < 3 AND b = 'x'").fraction
    assert (answer.interval, answer.direct, answer.evidence) == ((0, 1), None, None)
    found, unknown = old.spread(Batch.of({0: np.eye(8)}), np.eye(8)), Spread.unknown(8)
    for name in ("error", "evidence", "direct", "direct_error"):
        np.testing.assert_array_equal(getattr(found, name), getattr(unknown, name))


@pytest.mark.parametrize("name", ["functions", "roots", "posterior", "gap", "left", "rest", "noise_counts"])
def test_a_file_whose_parts_do_not_belong_together_is_refused(collected, name):
    _, _, model = collected
    state = model.state()
    with pytest.raises((ModelError, ValueError)):  # files.py makes a ModelError of either
        MixtureModel.from_state(model.origin, state | {name: state[name][:-1]})


def test_deviations_are_finite_and_positive_and_follow_what_is_unknown():
    batch = Batch.of({0: np.eye(8)[:4] + np.eye(8)[4:], 1: np.tile([1.0, 0.0, 0.0], (4, 1))})
    small, large = (made(known=known(variance)).deviations(batch, np.eye(4)) for variance in (1e-3, 1.0))
    assert np.isfinite(small).all()
    assert (small > 0).all()
    assert (large > 3 * small).all()


KNOWN = [{}, {"c": [0.1, 0.1, 0.1, 0.1, 0.6]}, {"a": {(0, 3): 0.2, (4, 7): 0.8}}]


def unsure_who_answered(model, known):
    """Return the model, and one that knows nothing of how many of any group left c open; calibrated alike."""
    doubt, silence = model.known.doubt, 7 + 2  # functions of a, of b, then the first of c: "no answer"
    unsure = doubt.posterior.copy()
    unsure[silence], unsure[:, silence] = 50.0, 50.0
    loose = replace(model.known, doubt=replace(doubt, posterior=unsure))
    loose = MixtureModel(model.origin, weights=model.weights, factors=model.factors, known=loose)
    return [own.calibrate(known) if known else own for own in (model, loose)]


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_how_many_of_a_group_did_not_answer_has_no_part_in_the_median_of_those_who_did(collected, known):
    both = unsure_who_answered(collected[2], known)
    for where in ("a < 2", "b = 'x'"):
        terms = parse(SCHEMA, where)
        plain = [cdf_influence(SCHEMA, terms, 2, end, 0.4, 0.1) for end in (0.5, 1.0, 2.0, 3.0)]
        before, after = (errors_of(own, plain) for own in both)
        assert (after > 1.1 * before).any(), where
        before, after = (errors_of(own, [own.imputed(one, 2) for one in plain]) for own in both)
        np.testing.assert_allclose(before, after, rtol=1e-3, err_msg=where)


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_how_many_of_a_group_did_not_answer_has_no_part_in_their_mean_either(collected, known):
    """In shares it has."""
    model, loose = unsure_who_answered(collected[2], known)
    means = [[own.mean("c", where=where, level=0.9) for where in ("a < 2", "b = 'x'")] for own in (model, loose)]
    for before, after in zip(*means, strict=True):
        assert float(after) == pytest.approx(float(before), rel=1e-12)
        np.testing.assert_allclose(after.interval, before.interval, rtol=1e-3)
        assert before.interval[0] < float(before) < before.interval[1]
    gaps = [sv.difference(*own) for own in means]
    np.testing.assert_allclose(gaps[1].interval, gaps[0].interval, rtol=1e-3)
    for where in ("c IS NULL AND a < 2", "c < 2 AND a < 2"):
        assert loose.answer(where).deviation > 1.5 * model.answer(where).deviation


def test_the_direct_mean_of_a_group_is_of_as_many_as_the_reports_show(collected):
    """By hand: its error is that of top less mean times bottom, both as the reports have them."""
    model = collected[2]
    moment, fraction = moment_of(SCHEMA, parse(SCHEMA, "a < 2"), 2)
    found = assess(model, [moment, fraction])
    ratio, divisor = found.direct[0] / found.direct[1], float(found.direct[1])
    influence = linear_error(moment, fraction, float(ratio), divisor)
    error = float(assess(model, [influence]).direct_errors[0])
    direct = model.mean("c", where="a < 2").direct
    assert float(direct) == pytest.approx(ratio)
    low, high = direct.interval
    assert (high - low) / 2 == pytest.approx(1.6449 * error, rel=0.05)  # Fieller's, of a group that is large enough


def test_of_those_who_answered_the_error_of_how_many_there_are_stays_what_it_was(collected):
    """At the end of a scale the share below is of everybody who answered, so its error is that of the group's size."""
    model = collected[2]
    terms = parse(SCHEMA, "a < 2")
    whole = cdf_influence(SCHEMA, terms, 2, 4.0, 0.4, 0.1)
    weights = model.imputed(whole, 2).products[0][1][2]
    people = model.marginal("c")
    assert weights @ people == pytest.approx(whole.products[0][1][2] @ people)
    assert weights[-1] == pytest.approx(weights @ people), "nothing beside 'no answer', which is as all others"
    np.testing.assert_allclose(weights[:-1], weights[0])


def test_a_query_that_holds_nobody_is_still_uncertain():
    model = made()
    factors = [factor.copy() for factor in model.factors]
    factors[0][:, 7] = 0.0
    answer = MixtureModel(ORIGIN, weights=model.weights, factors=factors, known=known()).answer("a = 7 AND b = 'x'")
    assert answer.fraction == 0
    assert answer.deviation > 0


def test_direct_answers_are_only_on_attributes_asked_together(collected):
    model = collected[2]
    assert model.answer("a < 3 AND b = 'x'").direct is not None
    assert model.answer("a < 3 AND b = 'x' AND c > 1").direct is None
    single = made(known=known())
    assert single.answer("a < 4").direct is not None
    assert single.answer("a < 4 AND b = 'x'").direct is None


def test_a_direct_answer_by_hand():
    """The first sign's mean is 0.05 above the model's, so the share below the middle is half as much above."""
    answer = made(known=known()).answer("a < 4")
    assert float(answer.direct) == pytest.approx(answer.fraction + 0.025)
    # 60 of 100 gave the one code: the estimate of the sign's mean has the variance (1 - 0.2^2) / (100 * 0.5^2)
    assert answer.direct.deviation == pytest.approx(0.5 * np.sqrt(0.96 / 25))


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
