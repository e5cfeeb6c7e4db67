"""Typical queries hold a fair part of the crowd that they are judged on, and know the truth."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.schema.frames import encode
from sottovoce.simulation.queries import LEAST, MOST, typical_queries
from tests.crowds import mixed_crowd, mixed_schema, square_schema

SCHEMA = mixed_schema(4)


class TestTypicalQueries:
    @pytest.mark.parametrize("dimensions", [1, 2, 4])
    def test_they_hold_a_fair_part_of_the_crowd_and_know_the_truth(self, dimensions: int) -> None:
        crowd = mixed_crowd(5_000, seed=2)
        levels = encode(SCHEMA, crowd)
        workload = typical_queries(SCHEMA, levels, dimensions, count=20, seed=1)
        count = workload.batch.count
        assert 15 <= count <= 20
        assert (workload.batch.dimensions() == dimensions).all()
        assert ((workload.truth >= LEAST) & (workload.truth <= MOST)).all()
        for query in range(count):
            inside = np.ones(5_000)
            for index, selection in workload.batch.selections.items():
                if query in selection.queries:
                    inside *= selection.weights[list(selection.queries).index(query)][levels[index]]
            assert inside.mean() == pytest.approx(workload.truth[query])

    def test_a_crowd_of_one_kind_has_none(self) -> None:
        schema = square_schema(2, 4)
        workload = typical_queries(schema, [np.ones(100, int), np.ones(100, int)], 2, count=5, seed=1)
        assert workload.batch.count == 0

    def test_a_seed_determines_them(self) -> None:
        levels = encode(SCHEMA, mixed_crowd(2_000, seed=2))
        one, same, other = (typical_queries(SCHEMA, levels, 2, count=20, seed=seed) for seed in (1, 1, 2))
        assert one.truth.tolist() == same.truth.tolist() != other.truth.tolist()

    def test_no_answer_is_in_none_of_them(self) -> None:
        schema = sv.Schema([sv.Ordinal("a", 0, 7, nullable=True), sv.Categorical("c", ["x", "y", "z"], nullable=True)])
        levels = [np.random.default_rng(1).integers(0, size, 2_000) for size in schema.sizes]
        asked = typical_queries(schema, levels, 1, count=40, seed=1).batch.selections
        for index, attribute in enumerate(schema.attributes):
            assert asked[index].weights.any()
            assert not asked[index].weights[:, attribute.null_level].any()
