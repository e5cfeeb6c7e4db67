"""Models: how they are asked, and what becomes of damaged files."""

from __future__ import annotations

import base64
import json
import math

import numpy as np
import pytest

import sottovoce as sv
from tests.crowds import mixed_crowd, mixed_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000, mechanism="hdg")
TALLY = sv.simulate(PLAN, mixed_crowd(5000, seed=1), seed=1)
MODEL = sv.fit(PLAN, TALLY)


class TestAsking:
    def test_no_queries_have_no_answers(self):
        assert MODEL.answer_ranges([]).shape == (0,)

    @pytest.mark.parametrize(
        ("query", "message"),
        [
            ({"shoe": (1, 2)}, "query 1: unknown attribute 'shoe'; this collection has age, income, region, children"),
            ({5: (1, 2)}, "query 1: unknown attribute 5"),
            ({"age": (25, 20)}, r"query 1: age: the range \(25, 20\) is reversed; give \(low, high\)"),
            ({"age": (math.nan, 20)}, r"query 1: age: the range \(nan, 20\) holds NaN; use -inf and inf"),
            ({"income": (0, math.nan)}, r"query 1: income: the range .* holds NaN"),
            ({"age": ("20", "25")}, r"query 1: age: a bound is a number, got \('20', '25'\)"),
            ({"age": (True, 25)}, r"query 1: age: a bound is a number, got \(True, 25\)"),
            ({"age": (None, 25)}, r"query 1: age: a bound is a number, got \(None, 25\)"),
            ({"age": (0, 10**400)}, "query 1: age: a bound is too large for a float; use -inf and inf"),
            ({"age": 25}, r"query 1: age: a range is a pair \(low, high\), got 25"),
            ({"age": (1, 2, 3)}, r"query 1: age: a range is a pair \(low, high\)"),
            (
                {"region": "north"},
                "query 1: region: give a list of values out of 'north', .*, got 'north'",
            ),
            ({"region": 3}, "query 1: region: give a list of values"),
            ({"region": ["west"]}, "query 1: region: got 'west'; allowed are 'north'"),
            ({"region": [None]}, "query 1: region: got None"),
            (["age"], r"query 1: a query maps attribute names to ranges, got \['age'\]"),
            (None, "query 1: a query maps attribute names to ranges, got None"),
        ],
    )
    def test_a_query_that_cannot_be_is_refused_with_its_number(self, query: object, message: str):
        with pytest.raises(sv.QueryError, match=message):
            MODEL.answer_ranges([{}, query])

    @pytest.mark.parametrize("queries", [{"age": (20, 25)}, "age", 5, None])
    def test_queries_come_in_a_list(self, queries: object):
        with pytest.raises(sv.QueryError, match="answer_ranges takes a list of queries, got"):
            MODEL.answer_ranges(queries)

    def test_bounds_outside_the_domain_are_cut_to_it(self):
        same = [
            {"age": (18, 25)},
            {"age": (-100, 25)},
            {"age": (-math.inf, 25.9)},
            {"age": (np.int8(18), np.float32(25))},
        ]
        answers = MODEL.answer_ranges(same)
        np.testing.assert_array_equal(answers, answers[0])
        nothing = [{"age": (31, 99)}, {"age": (-9, 17)}, {"income": (91, 95)}, {"age": (20.2, 20.8)}, {"region": []}]
        np.testing.assert_allclose(MODEL.answer_ranges(nothing), 0, atol=1e-12)
        beyond = [{"age": (math.inf, math.inf)}, {"income": (-math.inf, -math.inf)}]
        np.testing.assert_allclose(MODEL.answer_ranges(beyond), 0, atol=1e-12)

    def test_the_order_in_which_attributes_are_named_does_not_matter(self):
        one = {"age": (20, 25), "income": (10, 40), "region": ["east", "north"]}
        other = {"region": {"north", "east"}, "income": (10, 40), "age": (20, 25)}
        first, second = MODEL.answer_ranges([one, other])
        assert first == pytest.approx(second, abs=1e-12)

    def test_marginals_are_asked_for_by_name(self):
        assert MODEL.marginal("age").shape == (13,)
        assert MODEL.marginal("children", "age", "region").shape == (6, 13, 3)
        with pytest.raises(sv.QueryError, match="unknown attribute 'shoe'; this collection has age"):
            MODEL.marginal("shoe")
        for wrong in ((), ("age", "age")):
            with pytest.raises(sv.QueryError, match="one or more different attributes, got"):
                MODEL.marginal(*wrong)
        with pytest.raises(sv.QueryError, match="unknown attribute"):
            MODEL.marginal(["age"])

    def test_many_queries_are_answered_in_parts_as_in_one(self):
        query = {"age": (20, 25), "children": (1, 2)}
        answers = MODEL.answer_ranges([query] * 3 + [{}])
        np.testing.assert_allclose(answers[:3], MODEL.answer_ranges([query])[0], rtol=1e-12)

    def test_what_it_is_shows(self):
        assert repr(MODEL) == "<PairwiseModel by hdg, 4 attributes, 5,000 reports, epsilon 1>"


