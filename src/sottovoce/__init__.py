"""Sottovoce: ask a crowd anything; hear no one.

Collects ordinal, numeric and categorical attributes from many people under local differential privacy and answers any
multi-dimensional range query over the crowd. Seven stages, each a noun of this package:

1. `Schema` says what is asked: `Ordinal`, `Numeric`, `Categorical`, and `Boolean`, `Ordered`, `Integers`, `Date` and
   `Choices`, which become those; `Translation` says it in another language.
2. `Plan.create` designs the public questions, each with a randomiser; ``plan.audit()`` proves its epsilon. A
   mechanism's options are keywords, or its struct: `SpectralOptions` with `WorkloadOptions`, `HDGOptions`,
   `TDGOptions`, `CALMOptions`, `LHIOOptions`, `HIOOptions`.
3. `Client` answers one question on a person's device and gives a `Report`; a `Ledger` adds up what the device spent.
   `randomize` answers for a table, `write_reports` for many into Parquet files, `randomize_spark` on a cluster.
4. `Tally` counts reports; tallies add. `tally_parquet` and `tally_spark` count them in files and on clusters, and
   `Tally.from_counts` takes what a database counted.
5. `fit` turns a tally into a model, and `fit_waves` one whose people were asked again into `WaveModels`.
6. The `Model` answers: predicates in SQL or made with `col` give an `Answer` with an interval, means and quantiles an
   `Estimate`, and `difference` compares two; it saves, and `load_model` reads it. A `RemoteModel` is one that a
   collector keeps, and answers the same over HTTP.
7. `simulate` draws a whole collection from a known population, for experiments; `forecast` gives a `Forecast` of how
   far off answers will be before anyone is asked, and `people_needed` how many it takes. ``sv.experiments.run``
   sweeps mechanisms and settings, and returns every answer beside the truth.

Everything raised on purpose is a `SottovoceError`. Names load when first used, so that a client stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce import experiments as experiments
    from sottovoce.client.bulk import randomize
    from sottovoce.client.client import Client
    from sottovoce.client.ledger import Ledger
    from sottovoce.client.report import Report
    from sottovoce.engines.parquet import tally_parquet
    from sottovoce.engines.report_files import write_reports
    from sottovoce.engines.spark import randomize_spark, tally_spark
    from sottovoce.errors import (
        BudgetError,
        DeliveryError,
        ExperimentError,
        FewReportsWarning,
        ModelError,
        PlanError,
        QueryError,
        RecordError,
        SchemaError,
        SottovoceError,
        StoreError,
        TallyError,
        TooLargeError,
    )
    from sottovoce.mechanisms.calm import CALMOptions
    from sottovoce.mechanisms.hdg import HDGOptions
    from sottovoce.mechanisms.hio import HIOOptions
    from sottovoce.mechanisms.lhio import LHIOOptions
    from sottovoce.mechanisms.spectral.mechanism import SpectralOptions, WorkloadOptions
    from sottovoce.mechanisms.tdg import TDGOptions
    from sottovoce.model.answer import Answer, Estimate, difference
    from sottovoce.model.files import load_model
    from sottovoce.model.fitting import fit
    from sottovoce.model.model import Model
    from sottovoce.model.remote import RemoteModel
    from sottovoce.model.waves import WaveModels, fit_waves
    from sottovoce.plan.audit import Audit
    from sottovoce.plan.plan import Plan
    from sottovoce.query.expression import col
    from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
    from sottovoce.schema.kinds import Boolean, Choices, Date, Integers, Ordered
    from sottovoce.schema.presentation import Translation
    from sottovoce.schema.schema import Schema
    from sottovoce.simulation.forecasting import Forecast, forecast, people_needed
    from sottovoce.simulation.simulate import simulate
    from sottovoce.tally.tally import Tally

_HOMES = {
    "Answer": "model",
    "Audit": "plan",
    "Boolean": "schema",
    "BudgetError": "errors",
    "CALMOptions": "mechanisms.calm",
    "Categorical": "schema",
    "Choices": "schema",
    "Client": "client",
    "Date": "schema",
    "DeliveryError": "errors",
    "Estimate": "model",
    "ExperimentError": "errors",
    "FewReportsWarning": "errors",
    "Forecast": "simulation.forecasting",
    "HDGOptions": "mechanisms.hdg",
    "HIOOptions": "mechanisms.hio",
    "Integers": "schema",
    "LHIOOptions": "mechanisms.lhio",
    "Ledger": "client",
    "Model": "model",
    "ModelError": "errors",
    "Numeric": "schema",
    "Ordered": "schema",
    "Ordinal": "schema",
    "Plan": "plan",
    "PlanError": "errors",
    "QueryError": "errors",
    "RecordError": "errors",
    "RemoteModel": "model.remote",
    "Report": "client",
    "Schema": "schema",
    "SchemaError": "errors",
    "SottovoceError": "errors",
    "SpectralOptions": "mechanisms.spectral",
    "StoreError": "errors",
    "TDGOptions": "mechanisms.tdg",
    "Tally": "tally",
    "TallyError": "errors",
    "TooLargeError": "errors",
    "Translation": "schema",
    "WaveModels": "model",
    "WorkloadOptions": "mechanisms.spectral",
    "col": "query.expression",
    "difference": "model",
    "fit": "model",
    "fit_waves": "model",
    "forecast": "simulation.forecasting",
    "load_model": "model",
    "people_needed": "simulation.forecasting",
    "randomize": "client",
    "randomize_spark": "engines.spark",
    "simulate": "simulation.simulate",
    "tally_parquet": "engines.parquet",
    "tally_spark": "engines.spark",
    "write_reports": "engines.report_files",
}

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Audit",
    "Boolean",
    "BudgetError",
    "CALMOptions",
    "Categorical",
    "Choices",
    "Client",
    "Date",
    "DeliveryError",
    "Estimate",
    "ExperimentError",
    "FewReportsWarning",
    "Forecast",
    "HDGOptions",
    "HIOOptions",
    "Integers",
    "LHIOOptions",
    "Ledger",
    "Model",
    "ModelError",
    "Numeric",
    "Ordered",
    "Ordinal",
    "Plan",
    "PlanError",
    "QueryError",
    "RecordError",
    "RemoteModel",
    "Report",
    "Schema",
    "SchemaError",
    "SottovoceError",
    "SpectralOptions",
    "StoreError",
    "TDGOptions",
    "Tally",
    "TallyError",
    "TooLargeError",
    "Translation",
    "WaveModels",
    "WorkloadOptions",
    "col",
    "difference",
    "fit",
    "fit_waves",
    "forecast",
    "load_model",
    "people_needed",
    "randomize",
    "randomize_spark",
    "simulate",
    "tally_parquet",
    "tally_spark",
    "write_reports",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first used."""
    if name == "experiments":
        return importlib.import_module("sottovoce.experiments")
    if name not in _HOMES:
        raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f"sottovoce.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        from sottovoce.errors import SottovoceError

        raise SottovoceError(
            f"{name} needs {error.name}, which this installation for devices lacks: pip install sottovoce"
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
