"""Sottovoce: ask a crowd anything; hear no one.

Collects ordinal, numeric and categorical attributes from many people under local differential privacy and answers any
multi-dimensional range query over the crowd. Seven stages, each a noun of this package:

1. `Schema` says what is asked: `Ordinal`, `Numeric`, `Categorical`.
2. `Plan.create` designs the public questions, each with a randomiser; ``plan.audit()`` proves its epsilon.
3. `Client` answers one question on a person's device and gives a `Report`; `randomize` does so for a table.
4. `Tally` counts reports; tallies add.
5. `fit` turns a tally into a model.
6. The `Model` answers: ``answer_ranges``, ``marginal``; it saves, and `load_model` reads it.
7. `simulate` draws a whole collection from a known population, for experiments.

Everything raised on purpose is a `SottovoceError`. Names load when first used, so that a client stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.attributes import Categorical, Numeric, Ordinal
    from sottovoce.client import Client, Report, randomize
    from sottovoce.errors import (
        ExperimentError,
        ModelError,
        PlanError,
        QueryError,
        RecordError,
        SchemaError,
        SottovoceError,
        TallyError,
    )
    from sottovoce.model import Model, fit, load_model
    from sottovoce.plan import Audit, Plan
    from sottovoce.schema import Schema
    from sottovoce.simulation.simulate import simulate
    from sottovoce.tally import Tally

_HOMES = {
    "Audit": "plan",
    "Categorical": "attributes",
    "Client": "client",
    "ExperimentError": "errors",
    "Model": "model",
    "ModelError": "errors",
    "Numeric": "attributes",
    "Ordinal": "attributes",
    "Plan": "plan",
    "PlanError": "errors",
    "QueryError": "errors",
    "RecordError": "errors",
    "Report": "client",
    "Schema": "schema",
    "SchemaError": "errors",
    "SottovoceError": "errors",
    "Tally": "tally",
    "TallyError": "errors",
    "fit": "model",
    "load_model": "model",
    "randomize": "client",
    "simulate": "simulation.simulate",
}

_NEED_MECHANISMS = {"Plan", "fit", "load_model"}

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "Categorical",
    "Client",
    "ExperimentError",
    "Model",
    "ModelError",
    "Numeric",
    "Ordinal",
    "Plan",
    "PlanError",
    "QueryError",
    "RecordError",
    "Report",
    "Schema",
    "SchemaError",
    "SottovoceError",
    "Tally",
    "TallyError",
    "fit",
    "load_model",
    "randomize",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first used; what designs or fits brings the mechanisms along."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
    if name in _NEED_MECHANISMS:
        importlib.import_module("sottovoce.mechanisms")
    value = getattr(importlib.import_module(f"sottovoce.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
