"""Public values are values: they pickle, copy and go through joblib, and say the same afterwards; each is one line."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.registry import mechanism_names
from sottovoce.testing.mechanism_cases import PEOPLE, model_of, plan_of
from tests.crowds import mixed_crowd

WHERE = "age < 25"

every_mechanism = pytest.mark.parametrize("mechanism", mechanism_names())


def through_joblib(value: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(value, file)
    file.seek(0)
    return joblib.load(file)


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": through_joblib,
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def tally_of(mechanism: str) -> sv.Tally:
    return sv.simulate(plan_of(mechanism), mixed_crowd(PEOPLE, seed=7), seed=7)


@each_way
@every_mechanism
def test_a_plan_is_the_same_plan_afterwards(mechanism: str, way: Callable[[Any], Any]) -> None:
    plan = plan_of(mechanism)
    again = way(plan)
    assert again == plan
    assert (again.fingerprint, again.collection, again.audit()) == (
        plan.fingerprint,
        plan.collection,
        way(plan.audit()),
    )


@each_way
@every_mechanism
def test_a_tally_counts_on_afterwards(mechanism: str, way: Callable[[Any], Any]) -> None:
    tally = tally_of(mechanism)
    again = way(tally)
    assert again == tally
    assert (again + tally).total == 2 * tally.total == sum([tally, tally]).total
    assert tally.total == PEOPLE, "a sum changes neither"


@each_way
@every_mechanism
def test_a_model_gives_the_same_answers_afterwards(mechanism: str, way: Callable[[Any], Any]) -> None:
    model = model_of(mechanism)
    again = way(model)
    for one, other in (
        (model.answer(WHERE), again.answer(WHERE)),
        (model.mean("income", where=WHERE), again.mean("income", where=WHERE)),
        (model.quantile("age", 0.5), again.quantile("age", 0.5)),
    ):
        assert (float(one), one.interval, one.evidence) == (float(other), other.interval, other.evidence)
    np.testing.assert_array_equal(model.marginal("age"), again.marginal("age"))


@each_way
@every_mechanism
def test_answers_that_went_apart_still_share_their_errors(mechanism: str, way: Callable[[Any], Any]) -> None:
    model = model_of(mechanism)
    low, high = model.answer(WHERE), model.answer("age >= 25")
    mean = model.mean("income", where=WHERE)
    for value in (low, mean):
        again = way(value)
        assert type(again) is type(value)
        assert (again, again.interval, str(again)) == (value, value.interval, str(value))
    together, apart = sv.difference(low, high), sv.difference(way(low), way(high))
    assert (apart, apart.interval) == (together, together.interval)


@each_way
def test_schemas_reports_forecasts_and_errors_travel(way: Callable[[Any], Any]) -> None:
    plan = plan_of("spectral")
    report = sv.Client(plan).draw({"age": 20, "income": 3, "region": "north"})
    forecast = sv.forecast(plan.schema, epsilon=1, users=1000, mechanism="uniform", like=mixed_crowd(500, seed=1))
    for value in (plan.schema, *plan.schema, report, forecast, sv.HDGOptions(g1=8, g2=4), sv.SpectralOptions()):
        assert way(value) == value
    assert str(way(sv.PlanError("words"))) == "words"


@every_mechanism
def test_every_value_is_one_line_and_a_notebook_shows_it(mechanism: str) -> None:
    plan, model = plan_of(mechanism), model_of(mechanism)
    shown = [plan, plan.audit(), plan.schema, tally_of(mechanism), model, model.answer(WHERE), model.mean("age")]
    if mechanism == "uniform":
        table = mixed_crowd(500, seed=1)
        shown.append(sv.forecast(plan.schema, epsilon=1, users=1000, mechanism=mechanism, like=table))
    for value in shown:
        assert len(repr(value)) <= 240
        assert "\n" not in repr(value)
        page = value._repr_html_()
        assert page.startswith("<")
        assert page.count("<table>") == page.count("</table>")


def test_answers_and_estimates_are_numbers_alike() -> None:
    model = model_of("spectral")
    answer, estimate = model.answer(WHERE), model.mean("age")
    for value in (answer, estimate):
        number = float(value)
        assert value == number
        assert sorted([value, number + 1, number - 1]) == [number - 1, number, number + 1]
        assert (value + 1, 2 * value, value / 2, -value, abs(value)) == (
            number + 1,
            2 * number,
            number / 2,
            -number,
            number,
        )
        assert f"{value:.3f}" == f"{number:.3f}"
        assert np.mean([value, value]) == pytest.approx(number)
        assert f"{value}" == str(value)
        with pytest.raises(AttributeError, match="answers are values"):
            value.level = 0.5


def test_a_schema_is_a_sequence_of_attributes_by_name_and_index() -> None:
    schema = plan_of("hdg").schema
    assert len(schema) == len(list(schema)) == 3
    assert [attribute.name for attribute in schema] == list(schema.names)
    assert schema["age"] is schema[0] is schema.attributes[schema.index("age")]
    assert "age" in schema
    assert schema[1] in schema
    assert "height" not in schema
    with pytest.raises(sv.SchemaError, match="no attribute 'height'; it has age"):
        schema["height"]


def test_several_quantiles_at_once_are_those_one_by_one() -> None:
    model = model_of("spectral")
    assert model.quantile("age", [0.25, 0.75]) == [model.quantile("age", 0.25), model.quantile("age", 0.75)]


def test_a_tally_is_enough_to_fit_and_a_model_is_loaded_by_its_class(tmp_path: Any) -> None:
    tally = tally_of("hdg")
    model = sv.fit(tally)
    model.save(tmp_path / "model.json")
    again = sv.Model.load(tmp_path / "model.json")
    assert again.answer(WHERE) == sv.fit(tally.plan, tally).answer(WHERE)


def test_the_namespace_shows_the_public_names_only() -> None:
    assert set(dir(sv)) == {*sv.__all__, "__version__"}
