"""Answers of any dimension from those of pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.pairwise_model import PairwiseModel
from sottovoce.model.origin import Origin
from sottovoce.query.ranges import ranges_to_batch
from tests.crowds import square_schema


class TestPairwiseModel:
    @staticmethod
    def model(attributes: int, levels: int = 4) -> PairwiseModel:
        schema = square_schema(attributes, levels)
        generator = np.random.default_rng(attributes)
        marginals = [generator.dirichlet(np.ones(levels)) for _ in range(attributes)]
        matrices = {
            pair: np.outer(marginals[pair[0]], marginals[pair[1]])
            for pair in itertools.combinations(range(attributes), 2)
        }
        origin = Origin(schema, "tdg", 1.0, "0" * 64, 10**6)
        blocks = [np.arange(levels)] * attributes
        return PairwiseModel(origin, estimator="max_entropy", blocks=blocks, matrices=matrices)

    @pytest.mark.parametrize("attributes", [2, 3, 5, 8])
    def test_independent_attributes_multiply_in_any_number(self, attributes: int):
        model = self.model(attributes)
        query = {"abcdefgh"[index]: (1, 2) for index in range(attributes)}
        singles = model.answer_ranges([{name: bounds} for name, bounds in query.items()])
        assert model.answer_ranges([query])[0] == pytest.approx(singles.prod(), abs=1e-6)

    def test_more_attributes_than_can_be_combined_are_refused_with_the_limit(self):
        names = [f"n{index}" for index in range(21)]
        schema = sv.Schema([sv.Ordinal(name, 0, 1) for name in names])
        pairs = itertools.combinations(range(21), 2)
        model = PairwiseModel(
            Origin(schema, "tdg", 1.0, "0" * 64, 100),
            estimator="max_entropy",
            blocks=[np.arange(2)] * 21,
            matrices={pair: np.full((2, 2), 0.25) for pair in pairs},
        )
        with pytest.raises(sv.QueryError, match="a query names 21 attributes; tdg answers at most 20"):
            model.answer_ranges([dict.fromkeys(names, (0, 0))])


def dependent(estimator: str, blocks: np.ndarray | None = None) -> PairwiseModel:
    """Return a model of three attributes of four levels whose pairs agree, as a joint distribution's do."""
    blocks = np.arange(4) if blocks is None else blocks
    size = int(blocks.max()) + 1
    joint = np.random.default_rng(3).dirichlet(np.full(size**3, 0.3)).reshape(size, size, size)
    matrices = {(0, 1): joint.sum(axis=2), (0, 2): joint.sum(axis=1), (1, 2): joint.sum(axis=0)}
    origin = Origin(square_schema(3, 4), "tdg", 1.0, "0" * 64, 10**6)
    return PairwiseModel(origin, estimator=estimator, blocks=[blocks] * 3, matrices=matrices)


def test_a_query_on_two_attributes_is_the_sum_of_their_matrix_inside():
    model = dependent("max_entropy")
    inside = model.matrices[0, 2][1:3, 0:2].sum()
    assert model.answer_ranges([{"a": (1, 2), "c": (0, 1)}])[0] == pytest.approx(inside)


def test_a_query_on_one_attribute_is_the_mean_of_the_matrices_that_know_it():
    model = dependent("max_entropy")
    model = PairwiseModel(
        model.origin,
        estimator=model.estimator,
        blocks=model.blocks,
        matrices={**model.matrices, (0, 1): np.full((4, 4), 1 / 16)},
    )
    other = model.matrices[0, 2].sum(axis=1)[:2].sum()
    assert model.answer_ranges([{"a": (0, 1)}])[0] == pytest.approx((0.5 + other) / 2)


def test_levels_of_one_block_are_taken_as_alike():
    model = dependent("max_entropy", blocks=np.array([0, 0, 0, 1]))
    first, second, last = model.answer_ranges([{"a": (0, 0)}, {"a": (1, 1)}, {"a": (3, 3)}])
    assert first == pytest.approx(second)
    assert 3 * first + last == pytest.approx(1)


def test_both_ways_from_pairs_to_three_attributes_stay_within_what_the_pairs_allow_and_differ():
    query = {"a": (0, 1), "b": (1, 2), "c": (0, 2)}
    pairs = [{name: query[name] for name in names} for names in ("ab", "ac", "bc")]
    answers = []
    for estimator in ("max_entropy", "weighted_update"):
        model = dependent(estimator)
        whole, *parts = model.answer_ranges([query, *pairs])
        assert 0 <= whole <= min(parts) + 1e-6
        answers.append(whole)
    assert abs(answers[0] - answers[1]) > 1e-6


def test_what_blocks_may_hide_is_nothing_at_their_edges_and_something_within():
    model = dependent("max_entropy", blocks=np.array([0, 0, 1, 1]))
    batch = ranges_to_batch(model.schema, [{"a": (0, 1)}, {"a": (0, 2)}, {"a": (0, 2), "b": (1, 3)}])
    at_an_edge, within, within_both = model.bias(batch, np.eye(3))
    assert at_an_edge == 0
    assert within > 0
    assert within_both > 0
    assert model.bias(batch, np.array([[0, 2.0, 0]]))[0] == pytest.approx(2 * within)


def test_a_model_made_from_its_state_is_the_same_model():
    model = dependent("weighted_update", blocks=np.array([0, 0, 1, 1]))
    again = PairwiseModel.from_state(model.origin, model.state())
    queries = [{"a": (0, 2)}, {"a": (0, 2), "c": (1, 1)}, {"a": (0, 2), "b": (1, 3), "c": (1, 1)}]
    np.testing.assert_array_equal(again.answer_ranges(queries), model.answer_ranges(queries))
    assert again.estimator == "weighted_update"
