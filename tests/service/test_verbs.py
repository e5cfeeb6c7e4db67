"""The verbs over HTTP: each takes what the model's own takes, and refuses what it does not know."""

from __future__ import annotations

import inspect

import pytest
from pydantic import ValidationError

import sottovoce as sv
from sottovoce.service import verbs
from sottovoce.service.verbs import VERBS, MarginalQuestion, PairQuestion
from tests.model.test_remote import QUESTIONS

ELSEWHERE = {"difference": sv.difference, "trend": sv.WaveModels.trend, "change": sv.WaveModels.change}


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_takes_what_the_models_own_takes(name: str) -> None:
    own = inspect.signature(ELSEWHERE.get(name) or getattr(sv.Model, name)).parameters
    fields = VERBS[name].form.model_fields.keys() - {"wave"}
    assert fields == own.keys() - {"self"}
    for field in fields & {"where", "given", "bands", "population", "level", "probability"}:
        default = own[field].default
        if default is not inspect.Parameter.empty:
            assert VERBS[name].form.model_fields[field].default == default


def test_every_verb_of_a_model_is_one_over_http() -> None:
    asked = {verb for verb, _, _ in QUESTIONS.values()} - {"answer", "answers", "answer_ranges"}  # POST .../answers
    assert asked | ELSEWHERE.keys() == VERBS.keys()


@pytest.mark.parametrize("name", VERBS)
def test_what_a_verb_does_not_know_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        VERBS[name].form.model_validate({"wher": "age > 3"})


def test_one_attribute_of_a_pair_is_refused() -> None:
    with pytest.raises(ValidationError, match="or none for all"):
        PairQuestion(first="age")


def test_a_distribution_of_too_many_cells_is_refused_with_what_to_do() -> None:
    schema = sv.Schema([sv.Ordinal(name, 0, 999) for name in "abc"])
    plan = sv.Plan.create(schema, epsilon=1, users=1000, mechanism="uniform")
    model = sv.fit(plan, sv.simulate(plan, {name: [1] * 50 for name in "abc"}, seed=1))
    with pytest.raises(sv.QueryError, match=r"1,000,000 cells .* at most 200,000 .* fewer attributes"):
        verbs._marginal(model, MarginalQuestion(names=["a", "b"]))
    assert len(verbs._marginal(model, MarginalQuestion(names=["a"])).fractions) == 1000
