"""The doors: whatever is handed to a public function, it returns, or raises a SottovoceError that says what is allowed.

Each door has a call that is right; one of its arguments, or two, are replaced by something that may not be.
"""

from __future__ import annotations

import functools
import inspect
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sottovoce as sv

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 7), sv.Numeric("pay", 0, 8, bins=4), sv.Categorical("town", ["n", "s"])])
RECORD = {"age": 3, "pay": 2.5, "town": "n"}
TABLE = {"age": np.arange(8), "pay": np.arange(8.0), "town": ["n", "s"] * 4}

JUNK: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 3, 2**70, -(2**70), 0.5, 1.5, -0.0, math.nan, math.inf, -math.inf, 1j),
    *("", "x", "age", "town", "hdg", "\x00", "\ud800", "a" * 300, "1", "TRUE", "age <", "age = 'x'", "grr", "http://["),
    *(b"", b"x", b"\xff\xfe", [], [1], [None], ["x"], ["age", "age"], [[1, 2], 3], (), (1, 2), (2, 1), ("x", None)),
    *({}, {"age": 1}, {"age": (5, 2)}, {"age": [math.nan, 1]}, {1: 2}, {"town": "q"}, {"question": [1], "code": [0]}),
    *(
        set(),
        {1, "x"},
        object(),
        int,
        len,
        np.float64(0.5),
        np.array([1, 2]),
        np.array(["x"]),
        np.zeros((2, 2)),
        range(3),
    ),
    *(sv.Ordinal("age", 0, 7), SCHEMA, msgspec.Struct, sv.col("age"), sv.col("age") > 3, sv.HDGOptions(), Ellipsis),
)


@functools.cache
def plan() -> sv.Plan:
    return sv.Plan.create(SCHEMA, epsilon=2, users=2000)


@functools.cache
def tally() -> sv.Tally:
    return sv.simulate(plan(), TABLE, seed=1, users=2000)


@functools.cache
def model() -> sv.Model:
    return sv.fit(tally(), quality="fast")


@functools.cache
def report() -> sv.Report:
    return sv.Client(plan()).draw(RECORD)


@functools.cache
def folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="doors"))
    plan().save(path / "plan.json")
    tally().save(path / "a.tally")
    model().save(path / "model.json")
    return path


def of_model(name: str) -> Callable[..., object]:
    return getattr(model(), name)


def fresh(name: str) -> Callable[..., object]:
    return getattr(sv.Tally(plan()), name)


NOWHERE = "http://127.0.0.1:1"
"""An address at which nothing listens: what is asked there is read, and refused as not delivered."""


def of_remote(name: str) -> Callable[..., object]:
    return getattr(sv.RemoteModel(NOWHERE, "0" * 64, token="sv_1_2"), name)


PREDICATE = {"where": "age < 3", "level": 0.9}
DOORS: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "Ordinal": (sv.Ordinal, {"name": "a", "low": 0, "high": 9, "nullable": True, "clip": False}),
    "Numeric": (
        sv.Numeric,
        {"name": "a", "low": 0, "high": 9, "bins": 3, "edges": None, "nullable": True, "clip": True},
    ),
    "Categorical": (sv.Categorical, {"name": "a", "values": ["x", "y"], "nullable": False}),
    "Boolean": (sv.Boolean, {"name": "a", "nullable": True, "title": "A", "labels": ["no", "yes"]}),
    "Ordered": (sv.Ordered, {"name": "a", "values": ["low", "high"], "nullable": False, "question": "How?"}),
    "Integers": (sv.Integers, {"name": "a", "values": [0, 1, 5], "nullable": False, "clip": True, "unit": "km"}),
    "Date": (sv.Date, {"name": "a", "by": "weekday", "edges": None, "low": None, "high": None, "nullable": False}),
    "Choices": (sv.Choices, {"name": "a", "choices": ["x", "y"], "nullable": False, "translations": []}),
    "Translation": (sv.Translation, {"language": "de", "title": "A", "question": "F?", "unit": "km", "labels": ["x"]}),
    "Schema": (sv.Schema, {"attributes": [sv.Ordinal("a", 0, 3)]}),
    "Schema.from_json": (sv.Schema.from_json, {"text": SCHEMA.to_json()}),
    "Schema.from_toml": (sv.Schema.from_toml, {"text": SCHEMA.to_toml()}),
    "Schema.load": (sv.Schema.load, {"path": "schema.json"}),
    "Schema.levels": (SCHEMA.levels, {"record": RECORD}),
    "Schema.__getitem__": (lambda wanted: SCHEMA[wanted], {"wanted": "age"}),
    "Schema.__contains__": (lambda wanted: wanted in SCHEMA, {"wanted": "age"}),
    "Plan": (
        sv.Plan.create,
        {
            **{"schema": SCHEMA, "epsilon": 1, "users": 1000, "mechanism": "uniform", "options": None},
            **{"purpose": "p", "contact": "c", "expires": "2030-01-01"},
        },
    ),
    "Plan.create of spectral": (sv.Plan.create, {"schema": SCHEMA, "epsilon": 1, "users": 900, "workload": "ranges"}),
    "Plan.create of hdg": (
        sv.Plan.create,
        {
            "schema": SCHEMA,
            "epsilon": 1,
            "users": 900,
            "mechanism": "hdg",
            "g1": 4,
            "g2": 2,
            "oracle": "olh",
            "sigma": 0.5,
        },
    ),
    "Plan.from_json": (sv.Plan.from_json, {"text": b"{}"}),
    "Plan.load": (sv.Plan.load, {"path": "plan.json"}),
    "Plan.question": (lambda index: plan().question(index), {"index": 0}),
    "Plan.refresh": (lambda tally: plan().refresh(tally), {"tally": None}),
    "Plan.sql": (
        lambda **named: plan().sql(**named),
        {"dialect": "duckdb", "table": "reports", "columns": ["question", "code"], "assume_plan": True},
    ),
    "Audit": (lambda: plan().audit(), {}),
    "Client": (sv.Client, {"plan": None}),
    "Client.report": (lambda record: sv.Client(plan()).report(record), {"record": RECORD}),
    "Client.draw": (lambda record: sv.Client(plan()).draw(record), {"record": RECORD}),
    "Client.from_url": (sv.Client.from_url, {"url": "x"}),
    "Client.send": (lambda record: sv.Client(plan()).send(record), {"record": RECORD}),
    "Client of limits": (lambda max_epsilon: sv.Client(plan(), max_epsilon=max_epsilon), {"max_epsilon": 2}),
    "Client of a ledger": (lambda ledger: sv.Client(plan(), ledger=ledger), {"ledger": None}),
    "Ledger": (
        lambda **named: sv.Ledger(folder() / "ledger.db", **named),
        {"budget": 4, "period": 365, "device_budget": 8},
    ),
    "Report": (sv.Report, {"plan": "0" * 64, "id": "0" * 32, "question": 1, "code": 1}),
    "Report.from_json": (sv.Report.from_json, {"text": "{}"}),
    "Report.from_bytes": (sv.Report.from_bytes, {"data": b"1"}),
    "randomize": (sv.randomize, {"plan": None, "table": TABLE}),
    "randomize of a plan": (lambda table: sv.randomize(plan(), table), {"table": TABLE}),
    "Tally": (sv.Tally, {"plan": None}),
    "Tally.add": (fresh("add"), {"reports": []}),
    "Tally.merge": (fresh("merge"), {"other": None}),
    "Tally.add_counts": (fresh("add_counts"), {"questions": [0], "codes": [0], "counts": [1]}),
    "Tally.counts": (fresh("counts"), {"question": 0}),
    "Tally.pairs": (fresh("pairs"), {"question": 0}),
    "Tally.from_counts": (
        lambda table: sv.Tally.from_counts(plan(), table),
        {"table": {"question": [0], "code": [0], "count": [1]}},
    ),
    "Tally.from_parquet": (
        lambda **named: sv.Tally.from_parquet(plan(), **named),
        {"paths": "none.parquet", "engine": "numpy", "assume_plan": False},
    ),
    "Tally.from_spark": (lambda dataframe: sv.Tally.from_spark(plan(), dataframe), {"dataframe": None}),
    "Tally.from_store": (lambda address: sv.Tally.from_store(plan(), address), {"address": "none.db"}),
    "Tally.load": (sv.Tally.load, {"path": "a.tally"}),
    "fit": (
        sv.fit,
        {"plan": None, "tally": None, "seed": 0, "quality": "fast"},
    ),
    "fit of a tally": (
        lambda **named: sv.fit(sv.Tally(plan()), **named),
        {"seed": 0, "quality": "fast"},
    ),
    "Model": (sv.Model.load, {"path": "model.json"}),
    "load_model": (sv.load_model, {"path": "model.json"}),
    "RemoteModel": (sv.RemoteModel, {"url": NOWHERE, "plan": "0" * 64, "token": "sv_1_2", "wave": 1}),
    "RemoteModel.answer": (of_remote("answer"), {**PREDICATE, "given": "pay > 1", "population": 9}),
    "RemoteModel.answer_ranges": (of_remote("answer_ranges"), {"queries": [{"age": (1, 2)}]}),
    "RemoteModel.mean_by": (of_remote("mean_by"), {"name": "age", "by": "town", "bands": 2, **PREDICATE}),
    "RemoteModel.compare_groups": (of_remote("compare_groups"), {"by": "town", "names": ["age"], "level": 0.9}),
    "Answer": (of_model("answer"), {**PREDICATE, "given": "pay > 1", "population": 9}),
    "Model.answers": (of_model("answers"), {"wheres": ["age < 3"], "given": "pay > 1", "level": 0.9, "population": 9}),
    "Model.answer_ranges": (of_model("answer_ranges"), {"queries": [{"age": (1, 2)}]}),
    "Model.answer_ranges of one": (lambda query: model().answer_ranges([query]), {"query": {"age": (1, 2)}}),
    "Model.answer_ranges of bounds": (lambda bounds: model().answer_ranges([{"age": bounds}]), {"bounds": (1, 2)}),
    "Estimate": (of_model("mean"), {"name": "age", **PREDICATE}),
    "Model.quantile": (of_model("quantile"), {"name": "age", "probability": [0.5, 0.9], **PREDICATE}),
    "Model.mean_by": (of_model("mean_by"), {"name": "age", "by": "town", "bands": 2, **PREDICATE}),
    "Model.quantile_by": (of_model("quantile_by"), {"name": "age", "by": "pay", "probability": 0.5, "bands": 2}),
    "Model.group_by": (of_model("group_by"), {"name": "town", "given": "age < 3", "population": 9, **PREDICATE}),
    "Model.smallest_difference": (of_model("smallest_difference"), {"name": "age", "by": "town"}),
    "Model.compare_groups": (of_model("compare_groups"), {"by": "town", "names": ["age"], "bands": 2, "level": 0.9}),
    "Model.marginal": (lambda name, where: model().marginal(name, where=where), {"name": "age", "where": "pay > 1"}),
    "Model.correlation": (of_model("correlation"), {"first": "age", "second": "pay", "level": 0.9}),
    "Model.association": (of_model("association"), {"first": "age", "second": "pay", "level": 0.9}),
    "Model.sample": (of_model("sample"), {"count": 3, "seed": 0, "frame": "arrow"}),
    "Model.calibrate": (of_model("calibrate"), {"known": {"town": {"n": 0.5, "s": 0.5}}}),
    "Model.calibrate to one": (lambda known: model().calibrate({"town": known}), {"known": {"n": 0.5, "s": 0.5}}),
    "difference": (
        lambda first, second, level: sv.difference(first, second, level=level),
        {"first": None, "second": None, "level": 0.9},
    ),
    "forecast": (
        sv.forecast,
        {"schema": SCHEMA, "epsilon": 0, "users": 1000, "mechanism": "uniform", "like": TABLE, "by": None, "seed": 0},
    ),
    "Forecast": (
        lambda by: sv.forecast(SCHEMA, epsilon=1, users=9, mechanism="uniform", like=TABLE, by=by),
        {"by": "x"},
    ),
    "people_needed": (
        sv.people_needed,
        {"schema": SCHEMA, "epsilon": 0, "within": 0.01, "dimensions": 1, "mechanism": "hdg", "seed": 0, "like": TABLE},
    ),
    "simulate": (
        sv.simulate,
        {"plan": None, "table": TABLE, "seed": 0, "users": 5},
    ),
    "simulate of a plan": (lambda **named: sv.simulate(plan(), **named), {"table": TABLE, "seed": 0, "users": 5}),
    "col": (lambda name: model().answer(sv.col(name) > 3), {"name": "age"}),
    "Column compared": (lambda value: model().answer(sv.col("age") == value), {"value": 3}),
    "Column.between": (lambda low, high: model().answer(sv.col("age").between(low, high)), {"low": 1, "high": 2}),
    "Column.isin": (lambda values: model().answer(sv.col("town").isin(values)), {"values": ["n"]}),
    "tally_parquet": (
        sv.tally_parquet,
        {"plan": None, "paths": "none.parquet", "engine": "duckdb", "assume_plan": False},
    ),
    "tally_spark": (sv.tally_spark, {"plan": None, "dataframe": None}),
    "randomize_spark": (sv.randomize_spark, {"plan": None, "dataframe": None}),
    "write_reports": (
        lambda plan, tables: sv.write_reports(plan, tables, folder() / "out"),
        {"plan": None, "tables": [TABLE]},
    ),
    "fit_waves": (sv.fit_waves, {"plan": None, "tally": None, "seed": 0}),
    "WaveModels": (sv.WaveModels, {"plan": None, "models": {}}),
    "WaveModels.__getitem__": (lambda wave: sv.WaveModels(plan(), {1: model()})[wave], {"wave": 1}),
    "SpectralOptions": (sv.SpectralOptions, {"workload": "ranges"}),
    "WorkloadOptions": (sv.WorkloadOptions, {"widths": [0.5], "attributes": {"age": 1.0}, "pairs": None}),
    "HDGOptions": (
        sv.HDGOptions,
        {"g1": 4, "g2": 2, "alpha1": 0.7, "alpha2": 0.03, "sigma": 0.5, "oracle": "olh", "estimator": "max_entropy"},
    ),
    "TDGOptions": (sv.TDGOptions, {"g2": 2, "alpha2": 0.03, "oracle": "olh", "postprocess": True}),
    "CALMOptions": (sv.CALMOptions, {"oracle": "olh", "estimator": "max_entropy", "postprocess": True}),
    "LHIOOptions": (sv.LHIOOptions, {"branching": 4, "oracle": "olh", "estimator": "max_entropy"}),
    "HIOOptions": (sv.HIOOptions, {"branching": 4, "oracle": "olh"}),
}


def test_every_public_name_has_a_door() -> None:
    errors = {
        name
        for name in sv.__all__
        if inspect.isclass(getattr(sv, name)) and issubclass(getattr(sv, name), BaseException)
    }
    assert set(sv.__all__) - errors <= DOORS.keys()


def refusal(call: Callable[..., object], arguments: dict[str, Any]) -> str | None:
    """Return in which words a call was refused, None if it was not; any other error is a defect."""
    try:
        call(**arguments)
    except sv.SottovoceError as error:
        return str(error)
    return None


@pytest.mark.parametrize("door", DOORS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_wrong_argument_is_answered_in_words(door: str, data: st.DataObject) -> None:
    call, right = DOORS[door]
    wrong = data.draw(st.lists(st.sampled_from(sorted(right)), min_size=1, max_size=2, unique=True)) if right else []
    values = {name: data.draw(st.sampled_from(JUNK)) for name in wrong}
    said = refusal(call, right | values)
    assert said is None or len(said) >= 20, "a refusal says what was given and what is allowed"
