"""Functionals: what is asked becomes sums of products whose expectation is the answer, and whose error is its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import sottovoce as sv
from sottovoce.model.evaluation import values_of
from sottovoce.query.functional import (
    Functional,
    breakpoints,
    cdf_influence,
    fraction_of,
    fraction_within,
    imputed,
    linear_error,
    moment_of,
    parse,
    require_ordered,
    to_batch,
    value_at,
    value_range,
)
from tests.oracle import SCHEMA, fraction, make_model, selected
from tests.query.predicates import Predicate, predicates

MODEL = make_model(3)
AGE, INCOME, REGION = SCHEMA.attributes[:3]


def value(functional: Functional) -> float:
    return float(values_of(MODEL, [functional])[0])


@settings(max_examples=25)
@given(predicates)
def test_fraction_and_moment_are_sums_over_the_people_selected(predicate: Predicate) -> None:
    terms = parse(SCHEMA, predicate.python)
    assert value(fraction_of(SCHEMA, terms)) == pytest.approx(fraction(MODEL, predicate.truth), abs=1e-12)
    for index, name in ((0, "age"), (1, "income")):
        answered = [kind for kind in selected(MODEL, predicate.truth) if kind.values[name] is not None]
        moment, share = map(value, moment_of(SCHEMA, terms, index))
        assert moment == pytest.approx(sum(kind.share * kind.values[name] for kind in answered), abs=1e-9)
        assert share == pytest.approx(sum(kind.share for kind in answered), abs=1e-12)


def test_the_error_of_a_share_is_how_far_it_is_from_the_probability() -> None:
    terms = parse(SCHEMA, "age >= 0 OR region = 'east'")
    share = value(moment_of(SCHEMA, terms, 1)[1])
    below = value(fraction_within(SCHEMA, terms, 1, 0, 1.5)) / share
    assert value(cdf_influence(SCHEMA, terms, 1, 1.5, below, share)) == pytest.approx(0, abs=1e-12)
    assert value(cdf_influence(SCHEMA, terms, 1, 1.5, below - 0.1, share)) == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("tilt", [[1, 1, 1, 1], [0.5, 1, 2, 3], [1, 1, 1, 0.2]])
def test_imputed_is_a_functional_in_which_no_answer_is_like_everybodys_answers(tilt: list[float]) -> None:
    influence = cdf_influence(SCHEMA, parse(SCHEMA, "region = 'east' OR age = 0"), 1, 1.5, 0.3, 0.8)
    everybody, counted = np.asarray(MODEL.marginal("income")), np.array(tilt)
    found = imputed(influence, 1, everybody, counted)
    for (coefficient, weights), (before, old) in zip(found.products, influence.products, strict=True):
        assert coefficient == before
        assert weights.keys() == old.keys()
        own, plain = weights[1] * counted, old[1] * counted
        assert own[-1] == pytest.approx(everybody[:-1] @ own[:-1] / everybody[:-1].sum()), "as answers are"
        assert everybody @ own == pytest.approx(everybody @ plain), "what it is of everybody stays"
        moved = weights[1][:-1] - old[1][:-1]
        np.testing.assert_allclose(moved, moved[0], atol=1e-12, err_msg="by as much at every answer")


@pytest.mark.parametrize(("everybody", "tilt"), [([0, 0, 0, 1], [1, 1, 1, 1]), ([0.2, 0.2, 0.2, 0.4], [1, 1, 1, 0])])
def test_imputed_leaves_a_functional_alone_where_nobody_answers_or_nobody_else_counts(
    everybody: list[float], tilt: list[float]
) -> None:
    influence = cdf_influence(SCHEMA, parse(SCHEMA, "age = 0"), 1, 1.5, 0.3, 0.8)
    assert imputed(influence, 1, np.array(everybody), np.array(tilt)) is influence


def test_the_error_of_a_ratio_is_centred_where_the_ratio_is() -> None:
    top, bottom = (fraction_of(SCHEMA, parse(SCHEMA, where)) for where in ("age = 1 AND income < 30", "income < 30"))
    ratio = value(top) / value(bottom)
    assert value(linear_error(top, bottom, ratio, value(bottom))) == pytest.approx(0, abs=1e-12)


def test_an_extra_weight_restricts_what_a_predicate_selects() -> None:
    terms = parse(SCHEMA, "age >= 1 OR region = 'east'")
    rows = np.eye(SCHEMA.sizes[0])
    parts = [value(fraction_of(SCHEMA, terms, (0, row))) for row in rows]
    assert sum(parts) == pytest.approx(value(fraction_of(SCHEMA, terms)))
    assert parts[2] == pytest.approx(value(fraction_of(SCHEMA, parse(SCHEMA, "age = 1"))))


def test_stretches_end_at_every_level_and_where_the_predicate_cuts_a_bin() -> None:
    cut = parse(SCHEMA, "income BETWEEN 5 AND 50 OR age > 0")
    assert breakpoints(SCHEMA, cut, 1).tolist() == [0, 0.5, 1, 2, 2.5, 3]
    assert breakpoints(SCHEMA, parse(SCHEMA, "age > 0"), 1).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("position", "age", "income"), [(0, -1, 0), (0.5, -1, 5), (1, -1, 10), (1.25, 0, 15), (3, 1, 70)]
)
def test_a_position_is_an_integer_or_a_point_within_a_bin(position: float, age: float, income: float) -> None:
    assert value_at(AGE, position) == age
    assert value_at(INCOME, position) == income


def test_values_stay_within_their_range() -> None:
    assert value_range(AGE) == (-1, 2)
    assert value_range(INCOME) == (0, 70)
    assert value_at(AGE, 99) == 2


def test_what_has_no_order_has_no_mean() -> None:
    require_ordered(AGE, "mean")
    with pytest.raises(sv.QueryError, match=r"region is categorical: .* so it has no mean; use group_by"):
        require_ordered(REGION, "mean")


def test_products_of_several_functionals_are_one_batch_and_their_sums_a_matrix() -> None:
    ones, ramp = np.ones(5), np.arange(3.0)
    batch, sums = to_batch(
        [Functional(((2.0, {0: ones}), (-1.0, {}))), Functional(()), Functional(((0.5, {3: ramp}),))]
    )
    assert batch.count == 3
    assert sums.tolist() == [[2, -1, 0], [0, 0, 0], [0, 0, 0.5]]
    assert {index: selection.queries.tolist() for index, selection in batch.selections.items()} == {0: [0], 3: [2]}
    np.testing.assert_array_equal(batch.selections[3].weights, [ramp])
