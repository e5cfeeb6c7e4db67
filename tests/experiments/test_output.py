"""Every kind of experiment gives tables and figures, and what was measured by less is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sottovoce.experiments.catalogue import find_experiment
from sottovoce.experiments.experiment import Experiment, quick
from sottovoce.experiments.output import write_report
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.tasks import Request, expand
from tests.experiments.runs import SMALL

KINDS = (
    "varying-users",
    "error-distribution-hdg",
    "convergence-of-matrices",
    "convergence-of-answers",
    "sigma",
    "granularity-table",
    "zero-count",
    "full-marginals",
)


def report(experiment: Experiment, path: Path, *, methods: tuple[str, ...], figures: bool) -> list[Path]:
    with Workers(1) as workers:
        table = run(expand(experiment, Request(methods=methods)), path, workers=workers, progress=lambda done: None)
    return write_report(experiment, table, path, figures)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_experiment_gives_tables_and_figures(name: str, tmp_path: Path) -> None:
    experiment = quick(find_experiment(name))
    if experiment.measure != "granularity":
        experiment = replace(experiment, **SMALL)
    files = report(experiment, tmp_path / f"{name}.parquet", methods=("hdg", "tdg"), figures=True)
    assert [file.suffix for file in files] == [".csv", ".md", ".txt", ".png", ".svg", ".pdf"]
    contents = [file.read_bytes() for file in files]
    assert contents[1].startswith(f"# {name}\n".encode())
    assert contents[2].decode().startswith(experiment.summary.rstrip("."))
    assert contents[3].startswith(b"\x89PNG")
    assert b"</svg>" in contents[4]
    assert contents[5].startswith(b"%PDF")


@pytest.mark.slow
def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    experiment = replace(quick(find_experiment("sigma")), **SMALL)
    first = [file.read_bytes() for file in report(experiment, tmp_path / "a.parquet", methods=(), figures=True)]
    assert [file.read_bytes() for file in report(experiment, tmp_path / "a.parquet", methods=(), figures=True)] == first


def test_a_mechanism_that_refuses_a_domain_is_left_out_and_the_table_says_so(tmp_path: Path) -> None:
    settings = SMALL | {"datasets": ("normal",), "attributes": (3, 12), "levels": (64,), "dimensions": (2,)}
    experiment = replace(find_experiment("varying-attributes"), **settings, repeats=1)
    markdown = report(experiment, tmp_path / "a.parquet", methods=("uniform", "hio"), figures=False)[1].read_text()
    assert "HIO refuses d = 12" in markdown
    lines = markdown.splitlines()
    assert next(line for line in lines if line.startswith("| 12")).endswith("|  |")


@pytest.mark.slow
def test_fewer_repeats_or_queries_are_said_under_the_figure(tmp_path: Path) -> None:
    settings = SMALL | {"datasets": ("normal",), "dimensions": (6,), "levels": (64,), "queries": 60, "volumes": (1.0,)}
    experiment = replace(find_experiment("varying-volume"), **settings, repeats=6)
    markdown = report(experiment, tmp_path / "a.parquet", methods=("uniform", "hio"), figures=False)[1].read_text()
    assert "60 queries, 6 repeats" in markdown
    assert "HIO: 5 repeats, 33 or more queries" in markdown
