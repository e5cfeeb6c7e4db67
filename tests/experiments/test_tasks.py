"""An experiment taken apart: the tasks, their data and their queries."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.experiments.catalogue import find_experiment
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.tasks import Request, expand, left_out


def test_hio_is_asked_only_what_it_can_answer_in_time() -> None:
    asked = {
        spec.dimension: most
        for task in expand(find_experiment("varying-query-dimension"), Request(repeats=1, methods=("hio",)))
        for spec, most in zip(task.queries, task.asked, strict=True)
    }
    assert asked[2] >= asked[4] > 200 > asked[6] >= 5
    assert 10 not in asked
    repeats = {task.repeat for task in expand(find_experiment("varying-volume"), Request(methods=("hio",)))}
    assert repeats == set(range(3))


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


def test_every_combination_is_a_task_and_repeats_come_one_after_the_other() -> None:
    experiment = Experiment(
        name="x",
        paper="",
        summary="",
        axis="epsilon",
        datasets=("normal", "laplace"),
        users=(1000, 2000),
        epsilons=(0.5, 1.0),
        sigmas=(0.2, 0.8),
        dimensions=(1, 2),
        volumes=(0.3, 0.7),
        repeats=3,
    )
    tasks = expand(experiment, Request(methods=("hdg",), seed=7))
    assert len(tasks) == len({task.key for task in tasks}) == 3 * 2 * 2 * 2 * 2
    assert [task.repeat for task in tasks] == sorted(task.repeat for task in tasks)
    assert {(spec.dimension, spec.volume) for spec in tasks[0].queries} == {(1, 0.3), (1, 0.7), (2, 0.3), (2, 0.7)}
    assert {dict(task.method.options)["sigma"] for task in tasks} == {0.2, 0.8}
    assert {task.seed for task in tasks} == {7}


def test_queries_start_as_the_authors_do_where_that_is_asked_for() -> None:
    for aligned in (True, False):
        tasks = expand(find_experiment("varying-epsilon"), Request(aligned=aligned, repeats=1))
        assert {spec.aligned for task in tasks for spec in task.queries} == {aligned}
