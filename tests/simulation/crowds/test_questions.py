"""Questions about made-up crowds: enough of every kind, and truths that another way of counting agrees with."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import sottovoce as sv
from sottovoce.simulation.crowds import CROWDS, KINDS, Clause, Crowd, Population, Question
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, is_in, missing, say
from sottovoce.simulation.crowds.population import association

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
COMMUTING = CROWDS["commuting"]
TABLE = COMMUTING.draw(5_000, seed=3)
FRAME = pd.DataFrame(TABLE)
POPULATION = Population(COMMUTING.schema, TABLE)


@EACH
def test_a_crowd_has_a_hundred_questions_and_six_of_every_kind(crowd: Crowd) -> None:
    questions = crowd.questions()
    counts = Counter(question.kind for question in questions)
    assert len(questions) >= 100
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 6


@EACH
def test_questions_are_the_same_every_time_and_no_two_read_alike(crowd: Crowd) -> None:
    texts = [question.text(crowd.schema) for question in crowd.questions()]
    assert texts == [question.text(crowd.schema) for question in crowd.questions()]
    assert len(set(texts)) == len(texts)


@EACH
def test_a_share_of_so_many_names_so_many_attributes(crowd: Crowd) -> None:
    for question in crowd.questions():
        if question.kind.startswith("share of "):
            assert len(question.attributes) == int(question.kind[-1])


@EACH
def test_no_bound_cuts_a_bin(crowd: Crowd) -> None:
    named = {attribute.name: attribute for attribute in crowd.schema.attributes}
    for clause in (*crowd.events, *(clause for group in crowd.groups for clause in group)):
        assert set(clause.weights(named[clause.name])) == {0.0, 1.0}, clause


@EACH
def test_the_groups_of_an_attribute_exclude_each_other(crowd: Crowd) -> None:
    named = {attribute.name: attribute for attribute in crowd.schema.attributes}
    for group in crowd.groups:
        assert sum(clause.weights(named[clause.name]) for clause in group).max() == 1.0


@EACH
def test_questions_cover_most_pairs_of_attributes_and_differences_from_none_to_large(crowd: Crowd) -> None:
    population = Population(crowd.schema, crowd.draw(40_000, seed=0))
    questions = crowd.questions()
    pairs = {frozenset(question.attributes) for question in questions if len(question.attributes) == 2}
    count = len(crowd.schema.attributes)
    assert len(pairs) > 0.75 * count * (count - 1) / 2
    gaps = np.abs([question.truth(population) for question in questions if question.kind == "difference of shares"])
    assert (gaps < 0.02).sum() >= 5
    assert (gaps > 0.2).sum() >= 4


@EACH
def test_every_question_has_a_finite_truth_and_a_scale(crowd: Crowd) -> None:
    population = Population(crowd.schema, crowd.draw(40_000, seed=0))
    for question in crowd.questions():
        assert math.isfinite(question.truth(population)), question
        assert question.scale(population) > 0


@EACH
def test_a_model_that_knows_two_attributes_answers_the_truth_about_them(crowd: Crowd) -> None:
    # CALM asks two attributes one question, and at epsilon 20 hardly anybody's answer is changed (seed 0): the model
    # knows the population but for a few in 20,000, so whatever it answers must be what is counted
    table, compared = crowd.draw(20_000, seed=0), set()
    for names in crowd.related[:4]:
        schema = sv.Schema(tuple(attribute for attribute in crowd.schema.attributes if attribute.name in names))
        plan = sv.Plan.create(schema, epsilon=20, users=20_000, mechanism="calm", oracle="grr")
        model = sv.fit(plan, sv.simulate(plan, table, seed=0), seed=0)
        population = Population(schema, table)
        for question in crowd.questions():
            if set(question.attributes) <= set(names):
                compared.add(question.kind)
                gap = abs(float(question.ask(model)) - question.truth(population)) / question.scale(population)
                assert gap < 0.01, question.text(schema)
    assert {"share of 1", "share of 2", "share given another", "difference of shares", "mean", "quantile"} <= compared
    assert {"mean by group", "difference of means", "association"} <= compared


@EACH
def test_every_question_is_understood_by_a_model(crowd: Crowd) -> None:
    plan = sv.Plan.create(crowd.schema, epsilon=1, users=1_000, mechanism="uniform")
    model = sv.fit(plan, sv.simulate(plan, crowd.draw(1_000, seed=0), seed=0), seed=0)
    for question in crowd.questions():
        assert isinstance(float(question.ask(model)), float)


def test_shares_agree_with_pandas() -> None:
    late = Question("share of 2", where=(at_least("minutes", 30), is_in("mode", "car", "bus")))
    expected = ((FRAME["minutes"] >= 30) & FRAME["mode"].isin(["car", "bus"])).mean()
    assert late.truth(POPULATION) == pytest.approx(expected)


def test_differences_of_shares_agree_with_pandas_where_answers_are_missing() -> None:
    cheap = Question("difference of shares", (at_most("cost", 75),), (is_in("mode", "bus"),), (is_in("mode", "car"),))
    shares = (FRAME["cost"] < 75).groupby(FRAME["mode"]).mean()
    assert cheap.truth(POPULATION) == pytest.approx(shares["bus"] - shares["car"])
    untold = Question("share of 1", where=(missing("cost"),))
    assert untold.truth(POPULATION) == pytest.approx(FRAME["cost"].isna().mean())


def test_means_count_a_bin_by_its_middle_and_leave_out_who_did_not_answer() -> None:
    mean = Question("mean by group", name="cost", given=(is_in("mode", "train"),))
    costs = FRAME.loc[FRAME["mode"] == "train", "cost"].dropna()
    expected = np.mean([min(math.floor(cost / 5), 59) * 5 + 2.5 for cost in costs])
    assert mean.truth(POPULATION) == pytest.approx(expected)


def test_a_median_of_integers_is_the_least_value_that_half_do_not_exceed() -> None:
    median = Question("median by group", name="minutes", given=(between("days", 2, 4),))
    minutes = sorted(TABLE["minutes"][(TABLE["days"] >= 2) & (TABLE["days"] <= 4)])
    assert median.truth(POPULATION) == minutes[math.ceil(len(minutes) / 2) - 1]


def test_a_quantile_of_numbers_is_where_the_spread_out_bins_reach_it() -> None:
    quantile = Question("quantile", name="cost", probability=0.25).truth(POPULATION)
    costs = FRAME["cost"].dropna()
    edge = 5 * math.floor(quantile / 5)
    inside = ((costs >= edge) & (costs < edge + 5)).mean()
    assert (costs < edge).mean() + inside * (quantile - edge) / 5 == pytest.approx(0.25)


def test_a_correlation_is_that_of_the_middles_of_bins() -> None:
    known = FRAME.dropna()
    middles = np.minimum(known["cost"] // 5, 59) * 5 + 2.5
    expected = np.corrcoef(middles, known["minutes"])[0, 1]
    assert Question("correlation", name="cost", second="minutes").truth(POPULATION) == pytest.approx(expected)


def test_an_association_of_two_yes_and_no_is_the_size_of_their_correlation() -> None:
    expected = abs(np.corrcoef(TABLE["flexible"] == "yes", TABLE["stressed"] == "yes")[0, 1])
    assert Question("association", name="flexible", second="stressed").truth(POPULATION) == pytest.approx(expected)
    assert association(np.eye(12) / 12) == pytest.approx(1.0)


def test_a_bound_inside_a_bin_counts_the_part_of_the_bin_that_it_covers() -> None:
    attribute = sv.Numeric("money", 0, 10, bins=5)
    np.testing.assert_allclose(Clause("money", low=1.0, high=4.5).weights(attribute), [0.5, 1, 0.25, 0, 0])


def test_clauses_are_said_in_sql() -> None:
    clauses = (between("days", 2, 4), at_most("cost", 75), is_in("mode", "car", "bus"), missing("cost"))
    assert say(COMMUTING.schema, clauses) == (
        "days BETWEEN 2 AND 4 AND cost < 75 AND mode IN ('car', 'bus') AND cost IS NULL"
    )
    assert say(COMMUTING.schema, ()) == "TRUE"
