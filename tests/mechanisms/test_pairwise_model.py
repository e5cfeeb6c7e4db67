"""Answers of any dimension from those of pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.pairwise_model import PairwiseModel
from sottovoce.model.origin import Origin
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
        query = {"abcdefgh"[place]: (1, 2) for place in range(attributes)}
        singles = model.answer_ranges([{name: bounds} for name, bounds in query.items()])
        assert model.answer_ranges([query])[0] == pytest.approx(singles.prod(), abs=1e-6)

    def test_more_attributes_than_can_be_combined_are_refused_with_the_limit(self):
        names = [f"n{place}" for place in range(21)]
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
