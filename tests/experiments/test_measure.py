"""One task carried out: what is measured is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import sottovoce as sv
from sottovoce.experiments import measure
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import prepare, run_task
from sottovoce.experiments.methods import HDG, TDG
from sottovoce.experiments.results import COLUMNS
from sottovoce.experiments.specs import Dataset, Method, QuerySpec, Task

TASK = Task(
    data=Dataset(name="normal", users=2000, attributes=3, levels=16, covariance=0.8, cut=6.0),
    epsilon=1.0,
    method=HDG,
    queries=(QuerySpec(count=10), QuerySpec(dimension=3, count=10)),
    asked=(None, 4),
)


def values(task: Task, path: Path) -> list[float]:
    return [row["value"] for row in run_task(task, Cache(path, task.seed))]


def test_a_row_holds_every_column_and_one_number_for_each_set_of_queries(tmp_path: Path) -> None:
    rows = run_task(TASK, Cache(tmp_path, 0))
    assert all(list(row) == COLUMNS.names for row in rows)
    assert [(row["dimension"], row["queries"], row["task"]) for row in rows] == [(2, 10, TASK.key), (3, 4, TASK.key)]


def test_the_error_is_the_mean_over_queries_of_the_errors(tmp_path: Path) -> None:
    single = values(replace(TASK, measure="errors"), tmp_path)
    assert len(single) == 10 + 4
    assert values(TASK, tmp_path) == pytest.approx([np.mean(single[:10]), np.mean(single[10:])])


def test_errors_are_the_distance_of_the_models_answers_from_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, truth = Cache(tmp_path, 0).queries(TASK.data, TASK.queries[0])
    models = []
    fit = measure.fit
    monkeypatch.setattr(measure, "fit", lambda *args, **kwargs: models.append(fit(*args, **kwargs)) or models[-1])
    measured = values(replace(TASK, measure="errors"), tmp_path)[:10]
    (model,) = models
    assert measured == pytest.approx(np.abs(model.answer_ranges(asked.ranges(model.schema)) - truth).tolist())


def test_another_repeat_measures_another_collection_and_the_same_one_the_same(tmp_path: Path) -> None:
    first = values(TASK, tmp_path)
    assert values(TASK, tmp_path) == first
    assert values(replace(TASK, repeat=1), tmp_path) != first


def test_a_domain_that_a_mechanism_refuses_is_a_row_without_a_value(tmp_path: Path) -> None:
    large = replace(TASK.data, levels=2**11)
    rows = run_task(replace(TASK, data=large, method=Method(label="CALM", mechanism="calm")), Cache(tmp_path, 0))
    assert [row["value"] for row in rows] == [None, None]
    assert list(tmp_path.iterdir()) == [], "nobody had to be drawn for that"


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Method(label="x", mechanism="hdg", options=(("g3", 4),)), "hdg has no option g3"),
        (Method(label="x", mechanism="hdg", options=(("g1", 12), ("g2", 5))), "g1 must be a multiple of g2"),
        (Method(label="x", mechanism="magic"), "unknown mechanism 'magic'"),
    ],
)
def test_what_is_wrong_with_a_method_stops_the_run_with_its_own_message(
    method: Method, said: str, tmp_path: Path
) -> None:
    with pytest.raises(sv.PlanError, match=said):
        run_task(replace(TASK, method=method), Cache(tmp_path, 0))


def test_granularities_are_those_of_the_plan(tmp_path: Path) -> None:
    plan = sv.Plan.create(
        sv.Schema([sv.Ordinal(f"a{n}", 0, 15) for n in range(3)]), epsilon=1, users=2000, mechanism="hdg"
    )
    assert values(replace(TASK, measure="granularity"), tmp_path) == [plan.parameters["g1"], plan.parameters["g2"]]


@pytest.mark.parametrize("change", ["matrix-change", "answer-change"])
def test_changes_are_given_sweep_by_sweep_and_end_below_their_start(change: str, tmp_path: Path) -> None:
    spec = QuerySpec(dimension=3, count=10)
    rows = run_task(replace(TASK, queries=(spec,), asked=(None,), measure=change), Cache(tmp_path, 0))
    assert [row["index"] for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > 1
    assert 0 <= rows[-1]["value"] < rows[0]["value"]


def test_what_is_prepared_is_all_that_a_task_needs_of_the_disk(tmp_path: Path) -> None:
    prepare(TASK, Cache(tmp_path, 0))
    before = sorted(tmp_path.iterdir())
    assert len(before) == 3, "the population and two sets of queries"
    values(replace(TASK, method=TDG), tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_an_unknown_measure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sv.ExperimentError, match="a measure is one of error, errors"):
        run_task(replace(TASK, measure="taste"), Cache(tmp_path, 0))
