"""The catalogue holds every figure and table; any mechanism joins every comparison by itself."""

from __future__ import annotations

import re

import pytest

import sottovoce as sv
from sottovoce.experiments.catalogue import CATALOGUE, find_experiment
from sottovoce.experiments.experiment import FORMS, Experiment, quick
from sottovoce.experiments.results import SETTINGS
from sottovoce.experiments.specs import MEASURES, QUERY_KINDS
from sottovoce.experiments.tasks import Request, expand
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
    assert find_experiment("varying-epsilon").repeats == 10


def test_the_number_of_queries_is_that_of_the_papers_figures() -> None:
    others = {
        "varying-attributes": 100,
        "new-real-varying-attributes": 100,
        "varying-attributes-six-dimensions": 120,
        "zero-count": 150,
        "non-zero-count": 150,
    }
    assert {name: experiment.queries for name, experiment in CATALOGUE.items() if experiment.queries != 200} == others


@pytest.mark.parametrize("experiment", SYNTHETIC, ids=lambda experiment: experiment.name)
def test_every_comparison_has_every_mechanism_of_the_registry(experiment: Experiment) -> None:
    if experiment.methods is None:
        compared = {task.method.mechanism for task in expand(experiment, Request(repeats=1))}
        assert compared == set(MECHANISMS)


def test_the_granularity_table_has_the_papers_rows() -> None:
    rows = {(task.data.attributes, task.data.users) for task in expand(find_experiment("granularity-table"), Request())}
    assert rows == {(d, 10**6) for d in range(3, 11)} | {(6, round(10 ** (5 + step / 5))) for step in range(11)}


def test_every_figure_and_table_of_the_paper_has_its_experiment() -> None:
    """The labels of the LaTeX source, but for the notation (docs/notation.md) and the drawing of Example 1."""
    compared = "comparison_different_approaches_varying"
    wanted = {
        *(f"fig:{compared}_{axis}" for axis in ("epsilon", "dqv", "domain_size", "attribute_num", "query_dimension")),
        f"fig:{compared}_user_num",
        *(f"fig:review_2_{compared}_{axis}" for axis in ("epsilon", "dqv")),
        f"fig:review2_{compared}_attribute_num",
        *(
            f"fig:appendix_{compared}_{axis}_lambda_6"
            for axis in ("epsilon", "dqv", "domain_size", "attribute_num", "user_num")
        ),
        *(f"fig:review_3_{kind}_{compared}_query_dimension" for kind in ("0_count", "non_0_count")),
        *(f"fig:{method}_std_error_distribution" for method in ("TDG", "HDG")),
        *(f"fig:review_3_full_2D_{kind}_comparison" for kind in ("marginals", "range_queries")),
        *(f"fig:review_3_converge_rate_of_algorithm_{number}" for number in (1, 2)),
        "fig:HDG_varying_granularity",
        "fig:review_3_HDG_varying_granularity",
        "fig:review_3_comparison_grid_approaches_varying_noncons",
        "fig:review_3_justifying_choice_of_n",
        "fig:appendix_synthetic_covariance_varying_epsilon",
        "table:choice_of_granularity",
    }
    assert {experiment.latex for experiment in CATALOGUE.values() if experiment.latex} == wanted


def test_unknown_names_are_refused_with_what_is_known() -> None:
    with pytest.raises(sv.ExperimentError, match="varying-epsilon"):
        find_experiment("varying-nothing")
    with pytest.raises(sv.ExperimentError, match="hdg"):
        expand(find_experiment("varying-epsilon"), Request(methods=("magic",)))
    with pytest.raises(sv.ExperimentError, match="repeats"):
        expand(find_experiment("varying-epsilon"), Request(repeats=0))
