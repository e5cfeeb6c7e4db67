"""What the explorer's page is given: the model's own numbers, its attributes and its certificate."""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.doubt import Doubt
from sottovoce.mechanisms.spectral.model import MixtureModel
from sottovoce.model.answer import evidence_words
from sottovoce.model.belief import normal_factor
from sottovoce.plan.audit import exact_words, promise
from sottovoce.views.explorer import explorer_page
from sottovoce.views.explorer.document import exploration
from tests.crowds_explored import SCHEMA


def arrays_of(document: dict[str, Any]) -> dict[str, Any]:
    """Return all arrays of a document, by name, in the order in which their numbers stand."""
    data = zlib.decompress(base64.b64decode(document["numbers"]))
    mixture, errors = document["mixture"], document["errors"]
    described = {"weights": mixture["weights"]}
    described |= {f"factor {index}": factor for index, factor in enumerate(mixture["factors"])}
    described |= {f"tilt {index}": tilt for index, tilt in document["calibration"].items()}
    for kind in ("functions", "roots"):
        described |= {f"{kind} {index}": own for index, own in enumerate(errors[kind])}
    described |= {name: errors[name] for name in ("posterior", "gap", "left", "falls", "rest", "triple_falls")}
    arrays = {}
    for name, about in described.items():
        kind = np.dtype(about["array"])
        size = int(np.prod(about["shape"])) * kind.itemsize
        planes = np.frombuffer(data[:size], np.uint8).reshape(kind.itemsize, -1)
        arrays[name] = planes.T.copy().view(kind).reshape(about["shape"])
        data = data[size:]
    assert data == b""
    return arrays


def test_the_numbers_of_the_document_are_the_models_own(model: sv.Model) -> None:
    arrays, state = arrays_of(exploration(model)), model.state()
    assert np.array_equal(arrays["weights"], state["weights"])
    for index, factor in enumerate(state["factors"]):
        assert np.array_equal(arrays[f"factor {index}"], factor)


def test_what_errors_follow_from_is_what_the_fit_left(model: sv.Model) -> None:
    document = exploration(model)
    arrays, errors = arrays_of(document), document["errors"]
    assert isinstance(model, MixtureModel)
    assert model.posterior is not None
    several = {
        kind: [arrays[f"{kind} {index}"] for index in range(len(SCHEMA.names))] for kind in ("functions", "roots")
    }
    again, doubt = Doubt.from_arrays(arrays | several), model.posterior.doubt
    for field in dataclasses.fields(Doubt):
        for one, other in zip(getattr(again, field.name), getattr(doubt, field.name), strict=True):
            assert np.array_equal(one, other), field.name
    assert np.array_equal(arrays["triple_falls"], np.concatenate(model.posterior.triple_falls))
    assert errors["single_prior"] == BELIEF.single_prior
    assert errors["pair_prior"] == BELIEF.pair_prior
    assert errors["rest_prior"] == BELIEF.pair_prior * BELIEF.rest
    assert errors["triple"] == BELIEF.triple


def test_a_model_that_knows_nothing_of_its_error_can_be_explored(model: sv.Model) -> None:
    state = model.state()
    bare = MixtureModel(model.origin, weights=state["weights"], factors=state["factors"])
    document = exploration(bare)
    assert document["errors"] is None
    assert not any(pair["told"] for pair in document["pairs"])


def test_the_words_of_evidence_are_pythons_own(model: sv.Model) -> None:
    scale = exploration(model)["evidence"]
    assert [least for least, _ in scale] == sorted((least for least, _ in scale), reverse=True)
    for evidence in (0.0, 0.1, 0.2, 0.49, 0.5, 0.79, 0.8, 1.0):
        assert next(words for least, words in scale if evidence >= least) == evidence_words(evidence)


def test_the_certificate_is_exact_with_the_plan_and_says_so_without(model: sv.Model, plan: sv.Plan) -> None:
    audit = plan.audit()
    exact = exploration(model, plan=plan)["certificate"]
    assert promise(audit) in exact
    assert any(exact_words(audit) in text for text in exact)
    stated = exploration(model)["certificate"]
    assert "factor of at most 7.38906" in stated[0]
    assert "was not given" in stated[1]


@pytest.mark.parametrize("make", [exploration, explorer_page])
def test_a_plan_of_another_collection_is_refused(model: sv.Model, make: Callable[..., object]) -> None:
    other = sv.Plan.create(SCHEMA, epsilon=1, users=1_000)
    with pytest.raises(sv.ModelError, match="another collection"):
        make(model, plan=other)


@pytest.mark.parametrize("make", [exploration, explorer_page])
@pytest.mark.parametrize("wrong", [{"level": 1.5}, {"population": 0}])
def test_a_wrong_level_or_population_is_refused(
    model: sv.Model, wrong: dict[str, Any], make: Callable[..., object]
) -> None:
    with pytest.raises(sv.QueryError):
        make(model, **wrong)


@pytest.mark.parametrize("make", [exploration, explorer_page])
def test_a_model_that_is_no_mixture_is_refused_with_the_mechanisms_that_can_be_explored(
    make: Callable[..., object],
) -> None:
    plan = sv.Plan.create(
        sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)]), epsilon=1, users=100, mechanism="hdg"
    )
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 2], "b": [3, 4]}, seed=1))
    with pytest.raises(sv.ModelError, match="by hdg is not; models by spectral can be explored"):
        make(model)


def test_every_kind_of_attribute_is_described_in_the_users_own_values(model: sv.Model) -> None:
    age, income, hours, order, travel = exploration(model)["attributes"]
    assert (age["kind"], age["low"], age["high"], age["nullable"]) == ("ordinal", 18, 90, True)
    assert (income["kind"], income["boundaries"]) == ("numeric", list(SCHEMA.attributes[1].boundaries))
    assert (hours["name"], len(hours["boundaries"])) == ("weekly hours", 28 + 1)
    assert (order["kind"], order["values"]) == ("categorical", list(SCHEMA.attributes[3].values))
    assert (travel["values"], travel["nullable"]) == (["car", "bus", "foot"], False)
    for attribute in (age, income, hours, order, travel):
        everybody = model.answer(f"{attribute['sql']} IS NULL OR {attribute['sql']} IS NOT NULL")
        assert everybody.fraction == pytest.approx(1), "a name that is no SQL word, or is one, is quoted"


def test_the_document_is_json_and_says_whom_it_speaks_of(model: sv.Model, plan: sv.Plan) -> None:
    document = exploration(model, plan=plan, level=0.5)
    strict = json.dumps(document, allow_nan=False)
    assert json.loads(strict) == msgspec.json.decode(msgspec.json.encode(document))
    assert document["title"] == "Work & <life>"
    assert (document["reports"], document["population"]) == (60_000, 60_000)
    assert exploration(model, population=9)["population"] == 9
    assert document["collection"] == plan.collection
    assert document["intervals"]["level"] == 0.5
    assert document["intervals"]["factor"] == normal_factor(0.5)
    assert document["caveats"] == list(model.caveats)
    for listed, pair in zip(document["pairs"], model.association(level=0.5), strict=True):
        assert [SCHEMA.names[index] for index in listed["places"]] == [pair.first, pair.second]
        assert (listed["strength"], listed["told"]) == (float(pair.strength), pair.told)
        assert ((listed["low"], listed["high"]), listed["evidence"]) == (pair.strength.interval, pair.strength.evidence)


def test_a_calibrated_model_is_its_fit_and_the_weights_of_its_levels(model: sv.Model) -> None:
    calibrated = model.calibrate({"travel": [0.2, 0.3, 0.5]})
    plain, document = exploration(model), exploration(calibrated)
    assert plain["calibration"] == {}
    assert document["mixture"] == plain["mixture"]
    (index,) = document["calibration"]
    assert SCHEMA.names[int(index)] == "travel"
    assert arrays_of(document)[f"tilt {index}"] == pytest.approx(calibrated.weights[int(index)])
    assert "taken as exact" in document["intervals"]["includes"]
