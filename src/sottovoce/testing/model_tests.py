"""What every mechanism must show of its model; part of `sottovoce.testing`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.testing.crowds import mixed_crowd
from sottovoce.testing.mechanism_cases import model_of, plan_of, promise_of, reshared

Query = dict[str, Any]

WHOLE: Query = {"age": (18, 30), "income": (0, 90), "region": ["north", "south", "east"]}


def parts_of(query: Query, name: str, wider: bool) -> list[Query]:
    """Return the two halves of a query's range on one attribute, or a narrower query and the query itself.

    Args:
        query: Ranges by attribute.
        name: The attribute whose range is cut.
        wider: Whether the second is the query itself; else it is the other half.
    """
    asked = query[name]
    if name == "region":
        return [{**query, name: asked[:1]}, query if wider else {**query, name: asked[1:]}]
    low, high = asked
    middle = low + (high - low) // 2
    upper = middle + 1 if name in ("age", "children") else middle
    return [{**query, name: (low, middle)}, query if wider else {**query, name: (upper, high)}]


QUERIES: list[Query] = [
    {"age": (20, 27)},
    {"region": ["south", "east"]},
    {"children": (1, 4)},
    {"age": (19, 30), "income": (13, 71)},
    {"income": (0, 40), "region": ["north", "east"]},
    {"region": ["north", "south"], "children": (0, 2)},
    {"age": (18, 24), "income": (25, 90), "region": ["south", "east"]},
    {"age": (22, 29), "income": (10, 65), "region": ["north", "south", "east"], "children": (0, 3)},
]


def asked_of(model: sv.Model | sv.Plan, queries: list[Query]) -> list[Query]:
    """Return the queries that name only attributes of the schema."""
    return [query for query in queries if set(query) <= set(model.schema.names)]


def whole_of(model: sv.Model | sv.Plan) -> Query:
    """Return the query that holds every value of the schema's attributes that require an answer."""
    return {name: asked for name, asked in WHOLE.items() if name in model.schema.names}


class ModelTests:
    """What a model of every mechanism answers."""

    def test_everybody_is_one(self, mechanism: str) -> None:
        model = model_of(mechanism)
        some = [
            {name: WHOLE[name] for name in names}
            for count in range(4)
            for names in itertools.combinations(whole_of(model), count)
        ]
        np.testing.assert_allclose(model.answer_ranges(some), 1, atol=1e-6)
        assert model.answer_ranges([{}])[0] == 1

    def test_answers_are_fractions(self, mechanism: str) -> None:
        model = model_of(mechanism, attributes=4)
        answers = model.answer_ranges(asked_of(model, QUERIES))
        assert np.isfinite(answers).all()
        if promise_of(mechanism).monotone >= 2:
            assert (answers >= -1e-12).all()
            assert (answers <= 1 + 1e-6).all()

    def test_parts_add_up_to_the_whole_where_promised(self, mechanism: str) -> None:
        model = model_of(mechanism, attributes=4)
        for query in asked_of(model, QUERIES):
            if len(query) > promise_of(mechanism).additive:
                continue
            for name in query:
                whole, *parts = model.answer_ranges([query, *parts_of(query, name, wider=False)])
                assert whole == pytest.approx(sum(parts), abs=1e-9), (query, name)

    def test_a_wider_query_never_answers_less_where_promised(self, mechanism: str) -> None:
        model = model_of(mechanism, attributes=4)
        for query in asked_of(model, QUERIES):
            if len(query) > promise_of(mechanism).monotone:
                continue
            for name in query:
                narrow, wide = model.answer_ranges(parts_of(query, name, wider=True))
                assert narrow <= wide + 1e-12, (query, name)

    def test_an_answer_does_not_depend_on_the_batch_it_is_in(self, mechanism: str) -> None:
        model = model_of(mechanism, attributes=4)
        queries = asked_of(model, QUERIES)
        alone = [model.answer_ranges([query])[0] for query in queries]
        np.testing.assert_allclose(model.answer_ranges(queries), alone, atol=1e-12)
        np.testing.assert_allclose(model.answer_ranges(queries[::-1] * 3)[::-1][: len(queries)], alone, atol=1e-12)

    def test_marginals_are_the_answers_at_every_level(self, mechanism: str) -> None:
        model = model_of(mechanism)
        name: str = "region"
        values: list[Any] = [["north"], ["south"], ["east"]]
        if not promise_of(mechanism).categorical:
            name, values = "income", [(9 * level, 9 * level + 9) for level in range(10)]
        answers = model.answer_ranges([{name: asked} for asked in values])
        np.testing.assert_allclose(model.marginal(name), answers, atol=1e-12)
        pair = model.marginal(name, "age")
        assert pair.shape == (len(values), 13)
        assert pair[1, 4] == pytest.approx(model.answer_ranges([{name: values[1], "age": (22, 22)}])[0], abs=1e-12)
        np.testing.assert_allclose(pair, model.marginal("age", name).T, atol=1e-12)

    def test_a_nullable_attributes_marginal_ends_with_no_answer(self, mechanism: str) -> None:
        marginal = model_of(mechanism, attributes=4).marginal("children")
        assert len(marginal) == 6
        given = model_of(mechanism, attributes=4).answer_ranges([{"children": (0, 4)}])[0]
        if promise_of(mechanism).additive >= 1:
            assert marginal[:5].sum() == pytest.approx(given, abs=1e-9)
            assert marginal.sum() == pytest.approx(1, abs=1e-6)

    def test_a_saved_model_gives_the_same_answers(self, mechanism: str, tmp_path: Path) -> None:
        model = model_of(mechanism, attributes=4)
        model.save(tmp_path / "model.any")
        loaded = sv.load_model(tmp_path / "model.any")
        assert type(loaded) is type(model)
        assert loaded.origin == model.origin
        queries = asked_of(model, QUERIES)
        np.testing.assert_array_equal(loaded.answer_ranges(queries), model.answer_ranges(queries))

    @pytest.mark.parametrize("quality", ["default", "fast"])
    def test_fitting_is_determined_by_its_seed(self, mechanism: str, quality: str) -> None:
        plan = plan_of(mechanism)
        tally = sv.simulate(plan, mixed_crowd(3000, seed=1), seed=1)
        queries = asked_of(plan, QUERIES)
        one, two = (sv.fit(plan, tally, seed=3, quality=quality).answer_ranges(queries) for _ in range(2))
        np.testing.assert_array_equal(one, two)

    def test_fitting_changes_nothing_in_the_tally(self, mechanism: str) -> None:
        plan = plan_of(mechanism)
        tally, copy = (sv.simulate(plan, mixed_crowd(500, seed=1), seed=1) for _ in range(2))
        sv.fit(plan, tally)
        assert tally == copy

    @pytest.mark.parametrize("reports", [1, 2, 5])
    def test_questions_without_reports_do_not_break_the_fit(self, mechanism: str, reports: int) -> None:
        plan = plan_of(mechanism, attributes=4)
        tally = sv.simulate(plan, mixed_crowd(reports, seed=1), seed=1)
        model = sv.fit(plan, tally)
        assert np.isfinite(model.answer_ranges(asked_of(model, QUERIES))).all()
        np.testing.assert_allclose(model.answer_ranges([{}, whole_of(model)]), 1, atol=1e-6)

    def test_an_empty_tally_is_refused(self, mechanism: str) -> None:
        with pytest.raises(sv.ModelError, match="the tally is empty"):
            sv.fit(plan_of(mechanism), sv.Tally(plan_of(mechanism)))

    def test_a_tally_of_another_collection_is_refused(self, mechanism: str) -> None:
        other = plan_of(mechanism, epsilon="2")
        tally = sv.simulate(other, mixed_crowd(10, seed=1), seed=1)
        with pytest.raises(sv.ModelError, match="use the plan that the reports answered"):
            sv.fit(plan_of(mechanism), tally)

    def test_a_plan_with_refreshed_shares_fits_the_same_collection(self, mechanism: str) -> None:
        plan = plan_of(mechanism)
        tally = sv.simulate(plan, mixed_crowd(2000, seed=1), seed=1)
        first, second = (
            sv.fit(each, tally).answer_ranges([whole_of(plan), {"age": (20, 25)}]) for each in (plan, reshared(plan))
        )
        np.testing.assert_array_equal(first, second)
