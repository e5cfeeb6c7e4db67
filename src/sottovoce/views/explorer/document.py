"""What the explorer's page is given: the fitted model as its file holds it, and what only Python knows.

The page repeats the model's own arithmetic. Whatever constant that needs is written here, so that the page's program
has none of its own; docs/files.md describes the document.
"""

from __future__ import annotations

import base64
import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.model import MixtureModel
from sottovoce.model.answer import ASSUMED, MEASURED, MOSTLY_MEASURED, check_population, evidence_words
from sottovoce.model.belief import normal_factor
from sottovoce.model.joint import CalibratedModel
from sottovoce.model.model import Model
from sottovoce.plan.audit import exact_words, promise, ratio_words, scope_words
from sottovoce.plan.plan import Plan
from sottovoce.plan.registry import every_mechanism
from sottovoce.query.expression import sql_name
from sottovoce.schema.attributes import Categorical, Ordinal
from sottovoce.schema.schema import AnyAttribute

FORMAT = "sottovoce-exploration-3"


def exploration(
    model: Model, *, plan: Plan | None = None, level: float = 0.9, population: int | None = None
) -> dict[str, Any]:
    """Return all that the explorer shows of a model, as JSON holds it.

    Args:
        model: A fitted model of a mechanism that explains the crowd by a mixture.
        plan: The plan that was answered, for its purpose and its privacy certificate.
        level: The probability with which intervals should hold the true fraction.
        population: How many people the crowd stands for; as many as reported, unless given.
    """
    base = _mixture(model)
    factor = normal_factor(level)
    check_population(population)
    if plan is not None and plan.collection != model.origin.collection:
        raise ModelError("the model is of another collection than the plan; give the plan that was answered")
    numbers = _Numbers()
    state = base.state()
    mixture = {
        "weights": numbers.put(state["weights"]),
        "factors": [numbers.put(probabilities) for probabilities in state["factors"]],
    }
    tilts = model.weights if isinstance(model, CalibratedModel) else {}
    return {
        "format": FORMAT,
        "title": title(plan),
        "reports": model.reports,
        "population": model.reports if population is None else population,
        "attributes": [_attribute(attribute) for attribute in model.schema.attributes],
        "mixture": mixture,
        "calibration": {str(index): numbers.put(tilt) for index, tilt in tilts.items()},
        "errors": _errors(base, numbers),
        "numbers": numbers.packed(),
        "intervals": {"level": level, "factor": factor, "includes": model.interval_note},
        "evidence": [[least, evidence_words(least)] for least in (MEASURED, MOSTLY_MEASURED, ASSUMED, 0.0)],
        "pairs": _pairs(model, level),
        "caveats": list(model.caveats),
        "certificate": certificate(model, plan),
        "collection": model.origin.collection,
        "mechanism": model.origin.mechanism,
    }


def title(plan: Plan | None) -> str:
    """Return what the page is headed: the plan's purpose, if it is known and says one."""
    return (plan.purpose if plan else "") or "What a crowd says, and nobody in it"


def certificate(model: Model, plan: Plan | None) -> list[str]:
    """Return the privacy certificate in plain words: exact if the plan is known, as the model states it otherwise."""
    if plan is not None:
        audit = plan.audit()
        exact = f"Exact epsilon {exact_words(audit)}, at most the {plan.epsilon} that was asked for."
        return [promise(audit), exact, scope_words(plan, audit)]
    return [
        ratio_words(math.exp(model.origin.epsilon)),
        f"The model states epsilon {model.origin.epsilon:g}. The plan was not given when this page was written, so its "
        "whole numbers were not checked here: sottovoce audit checks them, and sottovoce explore --plan puts the exact "
        "certificate in this place.",
        "It is the promise for one report: people who answer other collections give away as much again for each, and "
        "that someone took part is not hidden.",
    ]


def _errors(model: MixtureModel, numbers: _Numbers) -> dict[str, Any] | None:
    """Return what errors and evidence follow from: what remains unknown, and the prior."""
    if model.posterior is None:
        return None
    state, belief = model.posterior.doubt.state(), model.posterior.belief
    return {
        "functions": [numbers.put(own) for own in state["functions"]],
        "roots": [numbers.put(own) for own in state["roots"]],
        "posterior": numbers.put(state["posterior"]),
        "gap": numbers.put(state["gap"]),
        "left": numbers.put(state["left"]),
        "falls": numbers.put(state["falls"]),
        "rest": numbers.put(state["rest"]),
        "triple_falls": numbers.put(np.concatenate(model.posterior.triple_falls)),
        "single_prior": belief.single_prior,
        "pair_prior": belief.pair_prior,
        "rest_prior": belief.pair_prior * belief.rest,
        "triple": belief.triple,
    }


def _pairs(model: Model, level: float) -> list[dict[str, Any]]:
    """Return how strongly every two attributes go together; those that can be told from chance first."""
    names = model.schema.names
    return [
        {
            "places": [names.index(pair.first), names.index(pair.second)],
            "strength": float(pair.strength),
            "low": pair.strength.interval[0],
            "high": pair.strength.interval[1],
            "told": pair.told,
            "evidence": pair.strength.evidence,
        }
        for pair in model.association(level=level)
    ]


def _mixture(model: Model) -> MixtureModel:
    base = model.base if isinstance(model, CalibratedModel) else model
    if not isinstance(base, MixtureModel):
        able = [mechanism.name for mechanism in every_mechanism() if issubclass(mechanism.model, MixtureModel)]
        raise ModelError(
            f"the explorer answers from a mixture, which a model by {model.origin.mechanism} is not; "
            f"models by {', '.join(able)} can be explored"
        )
    return base


def _attribute(attribute: AnyAttribute) -> dict[str, Any]:
    """Return an attribute as the page wants it: its levels in the user's values, and its name as SQL writes it."""
    about = {"name": attribute.name, "sql": sql_name(attribute.name), "nullable": attribute.accepts_null}
    if isinstance(attribute, Categorical):
        return {**about, "kind": "categorical", "values": list(attribute.values)}
    if isinstance(attribute, Ordinal) and attribute.values:
        return {**about, "kind": "categorical", "values": [str(value) for value in attribute.values]}
    if isinstance(attribute, Ordinal):
        return {**about, "kind": "ordinal", "low": attribute.low, "high": attribute.high}
    return {**about, "kind": "numeric", "boundaries": list(attribute.boundaries)}


class _Numbers:
    """All arrays of a document in one compressed block: a page is sent and kept, and this makes it a fourth smaller.

    Of each array first all lowest bytes, then all next ones, and so on: the upper bytes of probabilities are alike.
    """

    def __init__(self) -> None:
        self._planes: list[bytes] = []

    def put(self, array: NDArray[Any]) -> dict[str, Any]:
        """Return what stands in the array's place: its type and shape."""
        numbers = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        self._planes.append(numbers.reshape(-1, 1).view(np.uint8).T.tobytes())
        return {"array": array.dtype.name, "shape": list(array.shape)}

    def packed(self) -> str:
        """Return the numbers of all arrays, compressed (zlib), as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._planes), 9)).decode()
