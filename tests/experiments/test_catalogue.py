"""The catalogue holds every figure and table; any mechanism joins every comparison by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

import sottovoce as sv
from sottovoce.experiments.catalogue import CATALOGUE, find_experiment
from sottovoce.experiments.experiment import FORMS, Experiment, quick
from sottovoce.experiments.methods import granularities
from sottovoce.experiments.results import SETTINGS
from sottovoce.experiments.specs import MEASURES, QUERY_KINDS
from sottovoce.experiments.tasks import Request, expand, left_out
from sottovoce.plan.registry import MECHANISMS

SYNTHETIC = [experiment for experiment in CATALOGUE.values() if "normal" in experiment.datasets]


@pytest.mark.parametrize("experiment", CATALOGUE.values(), ids=CATALOGUE)
def test_every_experiment_is_well_formed(experiment: Experiment) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", experiment.name)
    assert experiment.form in FORMS
    assert experiment.measure in MEASURES
    assert experiment.kind in QUERY_KINDS
    assert {experiment.axis, experiment.series} <= {*SETTINGS.names, "value"}
    assert experiment.summary.endswith(".")


@pytest.mark.parametrize("experiment", SYNTHETIC, ids=lambda experiment: experiment.name)
def test_every_experiment_has_tasks_and_a_smaller_quick_version(experiment: Experiment) -> None:
    tasks, few = expand(experiment, Request(repeats=1)), expand(quick(experiment), Request())
    assert len({task.key for task in tasks}) == len(tasks)
    assert 0 < len(few) <= len(tasks)
    assert max(task.data.users for task in few) <= 200_000 or experiment.measure == "granularity"


def test_defaults_are_the_papers() -> None:
    task = expand(find_experiment("varying-volume"), Request())[0]
    assert (task.data.users, task.data.attributes, task.data.levels, task.epsilon) == (10**6, 6, 64, 1.0)
    assert {(spec.dimension, spec.count) for spec in task.queries} == {(2, 200), (4, 200)}
    assert find_experiment("varying-volume").repeats == 10


@pytest.mark.parametrize("experiment", SYNTHETIC, ids=lambda experiment: experiment.name)
def test_every_comparison_has_every_mechanism_of_the_registry(experiment: Experiment) -> None:
    if experiment.methods is None:
        compared = {task.method.mechanism for task in expand(experiment, Request(repeats=1))}
        assert compared == set(MECHANISMS)


def test_hio_is_asked_only_what_it_can_answer_in_time() -> None:
    asked = {
        spec.dimension: most
        for task in expand(find_experiment("varying-query-dimension"), Request(repeats=1, methods=("hio",)))
        for spec, most in zip(task.queries, task.asked, strict=True)
    }
    assert asked[2] >= asked[4] > 200 > asked[6] >= 5
    assert 10 not in asked
    repeats = {task.repeat for task in expand(find_experiment("varying-volume"), Request(methods=("hio",)))}
    assert repeats == set(range(5))


def test_the_guideline_is_checked_against_every_pair_of_powers_of_two() -> None:
    labels = [method.label for method in granularities(64)]
    assert labels[0] == "HDG"
    assert len(labels) == len(set(labels)) == 1 + 21
    assert {"HDG(64,64)", "HDG(2,2)", "HDG(16,4)"} <= set(labels)


def test_the_granularity_table_has_the_papers_rows() -> None:
    rows = {(task.data.attributes, task.data.users) for task in expand(find_experiment("granularity-table"), Request())}
    assert rows == {(d, 10**6) for d in range(3, 11)} | {(6, round(10 ** (5 + step / 5))) for step in range(11)}


def test_queries_wider_than_the_data_are_left_out() -> None:
    tasks = expand(find_experiment("varying-attributes"), Request(repeats=1))
    assert all(spec.dimension <= task.data.attributes for task in tasks for spec in task.queries)
    assert any(len(task.queries) == 1 for task in tasks)


def test_the_papers_estimator_is_used_where_there_is_a_choice_and_another_on_request() -> None:
    experiment = find_experiment("varying-volume")
    for estimator in ("weighted_update", "max_entropy"):
        chosen = {
            task.method.mechanism: dict(task.method.options).get("estimator")
            for task in expand(experiment, Request(estimator=estimator, repeats=1))
        }
        assert chosen["hdg"] == chosen["calm"] == estimator
        assert chosen["uniform"] is None
    fixed = expand(find_experiment("estimators"), Request(estimator="max_entropy"))
    assert {dict(task.method.options)["estimator"] for task in fixed} == {"weighted_update", "max_entropy"}


def test_real_data_joins_where_it_has_a_place(tmp_path: Path) -> None:
    path = str(tmp_path / "mine.parquet")
    pq.write_table(pa.table({name: range(100) for name in "abcdefgh"}), path)
    request = Request(files=(("mine", path),), repeats=1)
    assert "mine" in {task.data.name for task in expand(find_experiment("varying-epsilon"), request)}
    assert {task.data.name for task in expand(find_experiment("new-real-varying-epsilon"), request)} == {"mine"}
    assert "mine" not in {task.data.name for task in expand(find_experiment("varying-users"), request)}
    mine = [task.data for task in expand(find_experiment("varying-attributes"), request) if task.data.name == "mine"]
    assert max(data.attributes for data in mine) == 8
    assert [note.split()[0] for note in left_out(find_experiment("varying-epsilon"), request)] == ["ipums", "bfive"]


def test_an_experiment_without_data_says_where_to_get_it() -> None:
    with pytest.raises(sv.ExperimentError, match="lending-club"):
        expand(find_experiment("new-real-varying-epsilon"), Request())


def test_unknown_names_are_refused_with_what_is_known() -> None:
    with pytest.raises(sv.ExperimentError, match="varying-epsilon"):
        find_experiment("varying-nothing")
    with pytest.raises(sv.ExperimentError, match="hdg"):
        expand(find_experiment("varying-epsilon"), Request(methods=("magic",)))
    with pytest.raises(sv.ExperimentError, match="repeats"):
        expand(find_experiment("varying-epsilon"), Request(repeats=0))


def test_a_tasks_key_changes_with_whatever_could_change_its_numbers() -> None:
    task = expand(find_experiment("varying-epsilon"), Request())[0]
    changed = [
        replace(task, seed=1),
        replace(task, repeat=1),
        replace(task, epsilon=1.5),
        replace(task, data=replace(task.data, stamp="x")),
        replace(task, method=task.method.with_option("g2", 4)),
    ]
    assert len({task.key, *(other.key for other in changed)}) == 6
