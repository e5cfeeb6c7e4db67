"""What a run leaves behind: results, CSV and a Markdown table; the figure as PNG, SVG and PDF, and its caption."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from sottovoce._files import whole_file, write_whole
from sottovoce._types import Progress
from sottovoce.experiments.answers import errors_of
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.plots import caption, draw
from sottovoce.experiments.results import summarize
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.specs import Task
from sottovoce.experiments.tables import to_csv, to_markdown


def run_with_answers(
    experiment: Experiment, tasks: Sequence[Task], path: Path, *, workers: Workers, progress: Progress
) -> tuple[pa.Table, list[Path]]:
    """Return what `run` does, read off all single answers, and the files in which these are kept.

    Args:
        experiment: What is run; it measures errors.
        tasks: Its tasks.
        path: The file of results; answers are kept beside it, and are what an interrupted run goes on from.
        workers: Who runs them.
        progress: Told how much of the work is done, from 0 to 1.
    """
    kept = path.with_stem(f"{path.stem}-queries")
    asked = [msgspec.structs.replace(task, measure="answers") for task in tasks]
    answers = run(asked, kept, workers=workers, progress=progress)
    write_whole(kept.with_suffix(".csv"), to_csv(answers))
    table = errors_of(answers, experiment.measure)
    with whole_file(path) as part:
        pq.write_table(table, part)
    return table, [kept, kept.with_suffix(".csv")]


def write_report(experiment: Experiment, table: pa.Table, results: Path, figures: bool) -> list[Path]:
    """Write everything that can be read beside the file of results; return what was written.

    Args:
        experiment: What was run.
        table: What it measured.
        results: The Parquet file, whose name the others share.
        figures: Whether to draw; needs matplotlib.
    """
    summary = summarize(table)
    contents = {"csv": to_csv(summary), "md": to_markdown(experiment, summary).encode()}
    if figures:
        contents |= {"txt": caption(experiment, summary).encode(), **draw(experiment, summary)}
    written = []
    for kind, content in contents.items():
        path = results.with_suffix(f".{kind}")
        write_whole(path, content)
        written.append(path)
    return written
