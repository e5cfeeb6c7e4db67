"""What a run leaves behind: beside the Parquet file a CSV file, a Markdown table, and the figure as PNG and SVG."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from sottovoce._files import write_whole
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.plots import draw
from sottovoce.experiments.results import summarize
from sottovoce.experiments.tables import to_csv, to_markdown


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
        contents |= draw(experiment, summary)
    written = []
    for kind, content in contents.items():
        path = results.with_suffix(f".{kind}")
        write_whole(path, content)
        written.append(path)
    return written
