"""Questions about made-up crowds: every one has a truth, and a model understands it.

Nothing is fitted to the crowds that are held out: they, and sixteen of those that were looked at, are asked through a
model that counts the people themselves.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest

import sottovoce as sv
from sottovoce._types import Floats
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch
from sottovoce.simulation.crowds import BUILDING, CROWDS, HELD_OUT, LOOKED_AT, Crowd, Population

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
FITTED = pytest.mark.parametrize("name", [*BUILDING, *LOOKED_AT[:2]])
COUNTED = pytest.mark.parametrize("name", [*LOOKED_AT[2:], *HELD_OUT])
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


@FITTED
def test_a_model_that_knows_two_attributes_answers_the_truth_about_them(name: str) -> None:
    # CALM asks two attributes one question, and at epsilon 20 hardly anybody's answer is changed (seed 0): the model
    # knows the population but for a few in 20,000, so whatever it answers must be what is counted
    crowd = CROWDS[name]
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


@FITTED
def test_every_question_is_understood_by_a_model(name: str) -> None:
    crowd = CROWDS[name]
    plan = sv.Plan.create(crowd.schema, epsilon=1, users=1_000, mechanism="uniform")
    model = sv.fit(plan, sv.simulate(plan, crowd.draw(1_000, seed=0), seed=0), seed=0)
    for question in crowd.questions():
        assert isinstance(float(question.ask(model)), float)


class Counting(sv.Model):
    """A model that holds people and counts them: no mechanism, no noise."""

    kind = "counting"

    def __init__(self, population: Population) -> None:
        super().__init__(Origin(population.schema, "none", Decimal(1), "people", population.count))
        self._levels = [population.levels[name] for name in population.schema.names]

    def evaluate(self, batch: Batch) -> Floats:
        answers = np.empty(batch.count)
        for query in range(batch.count):
            weights = np.ones(len(self._levels[0]))
            for index, selection in batch.selections.items():
                for row in np.flatnonzero(selection.queries == query):
                    weights *= selection.weights[row][self._levels[index]]
            answers[query] = weights.mean()
        return answers

    def state(self) -> dict[str, Any]:
        raise AssertionError("a model that counts people is never kept")

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> Self:
        raise AssertionError("a model that counts people is never kept")


@COUNTED
def test_a_model_that_counts_the_people_answers_the_truth_to_every_question(name: str) -> None:
    population = Population(CROWDS[name].schema, CROWDS[name].draw(4_000, seed=0))
    model = Counting(population)
    for question in CROWDS[name].questions():
        truth = question.truth(population)
        assert float(question.ask(model)) == pytest.approx(truth, abs=1e-9), question.text(population.schema)
