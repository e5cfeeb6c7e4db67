"""HDG and TDG: grids without noise, uneven domains, raw estimates, and answers from pairs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms import grids
from sottovoce.mechanisms.grids import buckets_of, even_shares, frequencies, nearest_power
from sottovoce.plan.bin_maps import BinMap, grid_map
from tests.crowds import fraction_inside, mixed_crowd, mixed_schema, normal_crowd, square_schema
from tests.mechanisms.noiseless import sharp


class TestWithoutNoise:
    @pytest.mark.parametrize(("mechanism", "options"), [("hdg", {"g1": 16, "g2": 16}), ("tdg", {"g2": 16})])
    @pytest.mark.parametrize("estimator", ["max_entropy", "weighted_update"])
    def test_full_grids_answer_pairs_exactly(self, mechanism: str, options: dict[str, Any], estimator: str):
        """Seed 1: at 50 million people the largest error of 100 ranges is below 0.001, eight standard errors."""
        crowd = normal_crowd(20_000, attributes=3, levels=16, seed=1)
        model = sharp(mechanism, crowd, square_schema(3, 16), estimator=estimator, **options)
        generator = np.random.default_rng(2)
        for _ in range(100):
            names = generator.choice(list("abc"), generator.integers(1, 3), replace=False)
            query = {name: sorted(generator.integers(0, 16, 2).tolist()) for name in names}
            truth = fraction_inside(crowd, query)
            assert model.answer_ranges([query])[0] == pytest.approx(truth, abs=1e-3), query

    @pytest.mark.parametrize("mechanism", ["hdg", "tdg"])
    def test_every_kind_of_attribute_is_answered(self, mechanism: str):
        crowd = mixed_crowd(20_000, seed=3)
        model = sharp(mechanism, crowd, mixed_schema(4))
        age, region, children = crowd["age"], crowd["region"], crowd["children"]
        cases = [
            ({"age": (20, 25)}, (age >= 20) & (age <= 25)),
            ({"region": ["south"], "age": (18, 23)}, (region == "south") & (age <= 23)),
            ({"children": (0, 1), "region": ["north", "east"]}, (children <= 1) & (region != "south")),
        ]
        for query, inside in cases:
            assert model.answer_ranges([query])[0] == pytest.approx(inside.mean(), abs=1e-3), query
        assert model.marginal("children")[-1] == pytest.approx(np.isnan(children).mean(), abs=1e-3)


class TestRawEstimates:
    @pytest.mark.parametrize("mechanism", ["hdg", "tdg"])
    def test_without_post_processing_answers_may_be_negative_but_are_finite(self, mechanism: str):
        """Seed 1: with 2,000 people at epsilon 0.1 some estimates are far below zero."""
        schema = square_schema(4, 16)
        plan = sv.Plan.create(
            schema, epsilon=0.1, users=10**6, mechanism=mechanism, postprocess=False, estimator="weighted_update"
        )
        model = sv.fit(plan, sv.simulate(plan, normal_crowd(2000, attributes=4, levels=16, seed=1), seed=1))
        queries = [
            dict.fromkeys(names, (low, low + 7))
            for names in itertools.chain(itertools.combinations("abcd", 2), itertools.combinations("abcd", 4))
            for low in (0, 3, 8)
        ]
        answers = model.answer_ranges(queries)
        assert np.isfinite(answers).all()
        assert answers[:18].min() < 0


class TestParts:
    @pytest.mark.parametrize(
        ("ideal", "power"), [(0.1, 2), (2.9, 2), (3.0, 2), (3.1, 4), (6, 4), (11.9, 8), (12.1, 16)]
    )
    def test_the_nearest_power_of_two(self, ideal: float, power: int):
        assert nearest_power(ideal, 64) == power

    def test_no_granularity_is_above_the_domain(self):
        assert nearest_power(500, 100) == 100
        assert nearest_power(3.5, 3) == 3

    def test_even_shares_add_up(self):
        assert even_shares(2**32, 3) == [1431655766, 1431655765, 1431655765]

    @pytest.mark.parametrize("levels", [5, 10, 13, 64, 100])
    @pytest.mark.parametrize("nullable", [False, True])
    def test_finer_grids_nest_in_coarser_ones(self, levels: int, nullable: bool):
        for coarse, factor in itertools.product((2, 4, 8), (1, 2, 8)):
            small, fine = (grid_map(levels, g, nullable=nullable) for g in (coarse, coarse * factor))
            for table in (small, fine):
                table.check(levels + nullable)
                assert table.array().tolist() == [table.bin(level) for level in range(levels + nullable)]
            buckets = buckets_of(fine, small)
            np.testing.assert_array_equal(buckets[fine.array()], small.array())

    @pytest.mark.parametrize("edges", [(0, 3), (1, 4), (0, 2, 2, 4), (0,), ()])
    def test_edges_that_do_not_fit_are_refused(self, edges: tuple[int, ...]):
        with pytest.raises(sv.PlanError, match="does not cover an attribute of 4 levels"):
            BinMap(edges=edges).check(4)

    @pytest.mark.parametrize("table", [BinMap(), BinMap(identity=3), BinMap(identity=4, edges=(0, 4))])
    def test_a_table_that_does_not_fit_is_refused(self, table: BinMap):
        with pytest.raises(sv.PlanError, match=r"exactly one kind|does not cover an attribute of 4 levels"):
            table.check(4)


def test_codes_that_were_reported_say_what_all_codes_do(monkeypatch):
    plan = sv.Plan.create(square_schema(attributes=2, levels=8), epsilon=1, users=500, mechanism="calm")
    table = {name: np.arange(500) % 8 for name in plan.schema.names}
    tally = sv.simulate(plan, table, seed=1)
    every = [frequencies(question, tally) for question in plan.questions]
    monkeypatch.setattr(grids, "_MOST_CODES", 0)
    for own, question in zip(every, plan.questions, strict=True):
        np.testing.assert_allclose(frequencies(question, tally), own, atol=1e-9)


@pytest.mark.parametrize("mechanism", ["calm", "lhio"])
def test_codes_that_fill_no_memory_are_estimated_from_those_that_were_reported(mechanism):
    schema = square_schema(attributes=2, levels=64)
    plan = sv.Plan.create(schema, epsilon=8, users=5000, mechanism=mechanism)
    most = max(plan.questions, key=lambda question: question.oracle.codes)
    assert most.oracle.codes > 2**34  # eight bytes each are more than a machine has
    generator = np.random.default_rng(4)
    first = generator.integers(0, 8, 5000)
    table = dict(zip(schema.names, (first, 63 - first), strict=True))
    tally = sv.simulate(plan, table, seed=1)
    model = sv.fit(plan, tally)
    assert model.answer_ranges([{schema.names[0]: (0, 7), schema.names[1]: (56, 63)}])[0] == pytest.approx(1, abs=0.05)
