"""Questions about made-up crowds: every one has a truth, and a model understands it."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import sottovoce as sv
from sottovoce.simulation.crowds import CROWDS, Crowd, Population

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
COMMUTING = CROWDS["commuting"]
TABLE = COMMUTING.draw(5_000, seed=3)
FRAME = pd.DataFrame(TABLE)
POPULATION = Population(COMMUTING.schema, TABLE)


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
