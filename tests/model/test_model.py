"""Models: means, quantiles, groups and conditionals against what is found person by person; ranges; refusals."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings

import sottovoce as sv
from sottovoce.model.belief import Normal
from sottovoce.query.expression import Expression
from sottovoce.query.sql import parse_sql
from tests.crowds import mixed_crowd, mixed_schema
from tests.oracle import TableModel, fraction, make_model, selected
from tests.query.predicates import Predicate, predicates

MODEL = make_model(2)
PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000, mechanism="hdg")
FITTED = sv.fit(PLAN, sv.simulate(PLAN, mixed_crowd(5000, seed=1), seed=1))


def answered(name: str, predicate: Predicate) -> list[tuple[float, float]]:
    """Return (value, share) of everybody whom the predicate selects and who answered."""
    return [
        (kind.values[name], kind.share) for kind in selected(MODEL, predicate.truth) if kind.values[name] is not None
    ]


@settings(max_examples=60)
@given(predicates)
def test_means_are_those_of_the_people_selected(predicate: Predicate) -> None:
    for name in ("age", "income", "the rooms"):
        people = answered(name, predicate)
        assume(people)
        expected = sum(value * share for value, share in people) / sum(share for _, share in people)
        mean = MODEL.mean(name, where=predicate.sql)
        assert mean == pytest.approx(expected, abs=1e-9)
        assert mean.interval[0] <= mean <= mean.interval[1]


@settings(max_examples=60)
@given(predicates)
def test_quantiles_of_integers_are_the_smallest_value_that_enough_people_are_at_or_below(predicate: Predicate) -> None:
    people = answered("age", predicate)
    assume(people)
    total = sum(share for _, share in people)
    for probability in (0.1, 0.25, 0.5, 0.9, 1.0):
        below = [sum(share for value, share in people if value <= age) / total for age in range(-1, 3)]
        if min(abs(step - probability) for step in below) < 1e-6 and probability < 1:
            continue
        expected = next(age for age, step in zip(range(-1, 3), below, strict=True) if step >= probability - 1e-9)
        assert float(MODEL.quantile("age", probability, where=predicate.python)) == expected


@pytest.mark.parametrize("where", ["TRUE", "age >= 0", "region = 'east' OR income < 25"])
@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_quantiles_of_numbers_split_the_people_selected(where: str, probability: float) -> None:
    quantile = MODEL.quantile("income", probability, where=where)
    below = MODEL.answer(f"income <= {float(quantile)!r}", given=f"({where}) AND income IS NOT NULL")
    assert below.fraction == pytest.approx(probability, abs=1e-9)
    assert quantile.interval[0] <= quantile <= quantile.interval[1]


def test_a_quantiles_interval_is_where_the_fraction_below_could_reach_the_probability() -> None:
    median = MODEL.quantile("income", 0.5, level=0.9)
    for end, side in zip(median.interval, (1, 0), strict=True):
        below = MODEL.answer(f"income <= {end!r}", given="income IS NOT NULL", level=0.9)
        assert below.interval[side] == pytest.approx(0.5, abs=0.03), "linear between levels, and a little less lopsided"


def test_limits_of_a_quantile_reach_further_where_the_share_below_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Towards its middle a distribution's limits are lopsided: the lower decile may be lower, the upper one higher."""
    lopsided = {probability: MODEL.quantile("income", probability).interval for probability in (0.1, 0.9)}
    monkeypatch.setattr("sottovoce.model.asking.MOST_LOPSIDED", 0.0)
    plain = {probability: MODEL.quantile("income", probability).interval for probability in (0.1, 0.9)}
    assert lopsided != plain
    for probability, (low, high) in lopsided.items():
        assert low <= plain[probability][0]
        assert high >= plain[probability][1]


@settings(max_examples=60)
@given(predicates)
def test_groups_marginals_and_conditionals_are_shares_of_the_people_selected(predicate: Predicate) -> None:
    whole = fraction(MODEL, predicate.truth)
    groups = MODEL.group_by("region", where=predicate.sql)
    assert list(groups) == ["north", "it's", "east", None]
    for label, answer in groups.items():
        own = sum(kind.share for kind in selected(MODEL, predicate.truth) if kind.values["region"] == label)
        assert answer.fraction == pytest.approx(own, abs=1e-12)
        assert MODEL.answer(answer.where).fraction == pytest.approx(own, abs=1e-12), "its text asks for the same"
    assume(whole > 1e-9)
    among = MODEL.marginal("region", where=predicate.sql)
    assert among == pytest.approx([answer.fraction / whole for answer in groups.values()], abs=1e-9)
    conditional = MODEL.answer("region = 'north'", given=predicate.python)
    assert conditional.fraction == pytest.approx(groups["north"].fraction / whole, abs=1e-9)
    joint = MODEL.marginal("region", "age", where=predicate.sql)
    assert joint.sum() == pytest.approx(1)
    assert joint.sum(axis=1) == pytest.approx(among, abs=1e-9)


def test_a_numeric_groups_text_asks_for_its_bin() -> None:
    for label, answer in MODEL.group_by("income", where="age > 0 OR age IS NULL").items():
        assert MODEL.answer(answer.where).fraction == pytest.approx(answer.fraction, abs=1e-12)
        assert label is None or isinstance(label, tuple)
        assert label is None or f"BETWEEN {label[0]} AND {label[1]}" in answer.where


class TestIntervals:
    """The oracle's errors are independent, one for each of its kinds of people, so that every one can be computed."""

    def test_a_fractions_error_is_that_of_the_people_selected(self) -> None:
        answer = MODEL.answer("age = 0 OR region = 'north'", level=0.9)
        inside = np.zeros(MODEL.table.shape, bool)
        inside[1] = inside[:, :, 0] = True
        assert answer.deviation == pytest.approx(0.01 * math.sqrt(inside.sum()))
        assert answer.interval == Normal.share(answer.fraction, answer.deviation).limits(0.9)
        assert answer.interval[0] == pytest.approx(max(0.0, answer.fraction - 1.6449 * answer.deviation), abs=1e-4)

    def test_a_ratios_error_is_that_of_its_first_order(self) -> None:
        """Checked by moving every kind of person's probability a little."""
        step, gradient = 1e-6, np.zeros(MODEL.table.shape)

        def mean(table: np.ndarray) -> float:
            return float(TableModel(table).mean("age", where="income < 30"))

        for kind in np.ndindex(*MODEL.table.shape):
            moved = MODEL.table.copy()
            moved[kind] += step
            gradient[kind] = (mean(moved) - mean(MODEL.table)) / step
        estimate = MODEL.mean("age", where="income < 30", level=0.01)  # where Fieller's limits are those of first order
        assert estimate.deviation == pytest.approx(0.01 * math.sqrt((gradient**2).sum()), rel=1e-3)

    @pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, True, "0.9", None])
    def test_a_level_that_cannot_be_is_refused(self, level: object) -> None:
        for ask in (
            MODEL.answer,
            lambda level: MODEL.mean("age", level=level),
            lambda level: MODEL.group_by("age", level=level),
        ):
            with pytest.raises(sv.QueryError, match="level is a number above 0 and below 1"):
                ask(level=level)

    def test_a_higher_level_gives_a_wider_interval(self) -> None:
        narrow, wide = (MODEL.answer("age > 0", level=level).interval for level in (0.5, 0.99))
        assert wide[0] < narrow[0] < narrow[1] < wide[1]


class TestRefusals:
    @pytest.mark.parametrize("name", ["nobody", None, 3])
    def test_an_unknown_attribute(self, name: object) -> None:
        for ask in (MODEL.mean, MODEL.group_by, MODEL.marginal, lambda name: MODEL.quantile(name, 0.5)):
            with pytest.raises(sv.QueryError, match="unknown attribute"):
                ask(name)

    def test_a_mean_or_quantile_of_what_has_no_order(self) -> None:
        with pytest.raises(sv.QueryError, match=r"region is categorical.*has no mean; use group_by"):
            MODEL.mean("region")
        with pytest.raises(sv.QueryError, match="has no quantile"):
            MODEL.quantile("region", 0.5)

    @pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan, "0.5", True])
    def test_a_probability_that_cannot_be(self, probability: object) -> None:
        with pytest.raises(sv.QueryError, match="a number from 0 to 1"):
            MODEL.quantile("age", probability)

    def test_a_question_about_nobody(self) -> None:
        for ask in (
            lambda: MODEL.mean("age", where="age IS NULL"),
            lambda: MODEL.quantile("age", 0.5, where="age IS NULL"),
            lambda: MODEL.marginal("age", where="FALSE"),
            lambda: MODEL.answer("age > 0", given="FALSE"),
        ):
            with pytest.raises(sv.QueryError, match="nobody is selected"):
                ask()

    def test_marginals_of_nothing_or_of_one_attribute_twice(self) -> None:
        for names in ((), ("age", "age")):
            with pytest.raises(sv.QueryError, match="one or more different attributes"):
                MODEL.marginal(*names)

    @pytest.mark.parametrize("population", [0, -5, 2.5, "many", True])
    def test_a_population_that_cannot_be(self, population: object) -> None:
        with pytest.raises(sv.QueryError, match="population"):
            MODEL.answer("age > 0", population=population)

    def test_a_single_text_where_a_list_is_needed(self) -> None:
        with pytest.raises(sv.QueryError, match="wrap it in"):
            MODEL.answers("age > 0")


class TestAsking:
    def test_no_queries_have_no_answers(self):
        assert FITTED.answer_ranges([]).shape == (0,)

    def test_a_query_that_cannot_be_is_an_error_and_no_answer(self):
        with pytest.raises(sv.QueryError, match="query 1: unknown attribute 'shoe'"):
            FITTED.answer_ranges([{}, {"shoe": (1, 2)}])

    @pytest.mark.parametrize("queries", [{"age": (20, 25)}, "age", 5, None])
    def test_queries_come_in_a_list(self, queries: object):
        with pytest.raises(sv.QueryError, match="answer_ranges takes a list of queries, got"):
            FITTED.answer_ranges(queries)

    def test_bounds_outside_the_domain_are_cut_to_it(self):
        same = [
            {"age": (18, 25)},
            {"age": (-100, 25)},
            {"age": (-math.inf, 25.9)},
            {"age": (np.int8(18), np.float32(25))},
        ]
        answers = FITTED.answer_ranges(same)
        np.testing.assert_array_equal(answers, answers[0])
        nothing = [{"age": (31, 99)}, {"age": (-9, 17)}, {"income": (91, 95)}, {"age": (20.2, 20.8)}, {"region": []}]
        np.testing.assert_allclose(FITTED.answer_ranges(nothing), 0, atol=1e-12)
        beyond = [{"age": (math.inf, math.inf)}, {"income": (-math.inf, -math.inf)}]
        np.testing.assert_allclose(FITTED.answer_ranges(beyond), 0, atol=1e-12)

    def test_the_order_in_which_attributes_are_named_does_not_matter(self):
        one = {"age": (20, 25), "income": (10, 40), "region": ["east", "north"]}
        other = {"region": {"north", "east"}, "income": (10, 40), "age": (20, 25)}
        first, second = FITTED.answer_ranges([one, other])
        assert first == pytest.approx(second, abs=1e-12)

    def test_marginals_are_asked_for_by_name(self):
        assert FITTED.marginal("age").shape == (13,)
        assert FITTED.marginal("children", "age", "region").shape == (6, 13, 3)
        with pytest.raises(sv.QueryError, match="unknown attribute 'shoe'; this collection has age"):
            FITTED.marginal("shoe")
        for wrong in ((), ("age", "age")):
            with pytest.raises(sv.QueryError, match="one or more different attributes, got"):
                FITTED.marginal(*wrong)
        with pytest.raises(sv.QueryError, match="unknown attribute"):
            FITTED.marginal(["age"])

    def test_many_queries_are_answered_in_parts_as_in_one(self):
        query = {"age": (20, 25), "children": (1, 2)}
        answers = FITTED.answer_ranges([query] * 3 + [{}])
        np.testing.assert_allclose(answers[:3], FITTED.answer_ranges([query])[0], rtol=1e-12)

    def test_what_it_is_shows(self):
        assert repr(FITTED) == "<PairwiseModel by hdg, 4 attributes, 5,000 reports, epsilon 1>"


class TestParsing:
    @pytest.fixture
    def read(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Return the texts that were parsed, as they are."""
        texts: list[str] = []

        def counting(text: str) -> Expression:
            texts.append(text)
            return parse_sql(text)

        monkeypatch.setattr("sottovoce.query.functional.parse_sql", counting)
        return texts

    def test_every_text_is_parsed_once(self, read: list[str]) -> None:
        wheres = ["age > 0", "region = 'east'", "income < 30"]
        MODEL.answer(wheres[0])
        assert read == wheres[:1]
        MODEL.answers(wheres, given="age IS NOT NULL")
        assert sorted(read[1:]) == sorted([*wheres, "age IS NOT NULL"]), "the condition is read once for all"

    @pytest.mark.parametrize(
        "ask",
        [
            lambda where: MODEL.mean("age", where=where),
            lambda where: MODEL.quantile("age", 0.5, where=where),
            lambda where: MODEL.group_by("region", where=where),
            lambda where: MODEL.marginal("age", "region", where=where),
        ],
        ids=["mean", "quantile", "group_by", "marginal"],
    )
    def test_whatever_is_asked_reads_its_predicate_once(self, ask: Callable[[str], object], read: list[str]) -> None:
        ask("income < 30 OR region = 'east'")
        assert read == ["income < 30 OR region = 'east'"]

    def test_everybody_and_python_forms_are_not_parsed(self, read: list[str]) -> None:
        MODEL.answer()
        MODEL.answer("TRUE", given="TRUE")
        MODEL.answer(sv.col("age") > 0)
        MODEL.mean("age")
        MODEL.quantile("income", 0.5)
        MODEL.group_by("region")
        MODEL.marginal("age")
        assert read == []
