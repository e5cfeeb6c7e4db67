"""Results as text: a CSV file of the summary, and Markdown tables in the form of the figure."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.csv

from sottovoce.experiments.claims import claim_rows
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.panels import MEASURED, SYMBOLS, Line, Panel, cut_panels, named, notes, written
from sottovoce.experiments.results import varying
from sottovoce.experiments.rivals import rival_rows

PERCENTS = (10, 50, 90, 100)


def to_csv(summary: pa.Table) -> bytes:
    """Return the summary as CSV: every setting, mean, standard deviation and number of repeats."""
    sink = io.BytesIO()
    pa.csv.write_csv(summary, sink)
    return sink.getvalue()


def to_markdown(experiment: Experiment, summary: pa.Table) -> str:
    """Return the summary as a Markdown document: one table per panel, one column per line of the figure."""
    parts = [f"# {experiment.name}", f"{experiment.summary} In the paper: {experiment.paper}."]
    parts.append(". ".join(notes(experiment, summary)) + f". Shown: {MEASURED[experiment.measure]}.")
    if experiment.form == "grid":
        parts.append(_grid(summary))
    elif experiment.form == "histogram":
        parts.append(_spread(cut_panels(experiment, summary)))
    else:
        if experiment.form == "claims":
            parts.append(_table(*claim_rows(summary)))
        if experiment.form == "rivals" and (beside := rival_rows(summary))[1]:
            parts.append(_table(*beside))
        for panel in cut_panels(experiment, summary):
            parts += [f"## {panel.title}", _lines(experiment, panel.lines(experiment))]
    return "\n\n".join(parts) + "\n"


def _lines(experiment: Experiment, lines: list[Line]) -> str:
    cells = {
        line.label: {
            point: f"{mean:.3g}" + (f" ± {deviation:.1g}" if deviation else "")
            for point, mean, deviation in zip(line.points, line.means, line.deviations, strict=True)
        }
        for line in lines
    }
    points = sorted({point for line in lines for point in line.points})
    rows = [[written(point), *(cells[label].get(point, "") for label in cells)] for point in points]
    return _table([SYMBOLS[experiment.axis], *cells], rows)


def _spread(panels: list[Panel]) -> str:
    """Return how the errors of single queries spread, one row per panel."""
    rows = []
    for panel in panels:
        errors = panel.errors()
        points = [f"{point:.3g}" for point in np.percentile(errors, PERCENTS)]
        rows.append([panel.title, f"{errors.mean():.3g}", *points])
    return _table(["", "mean", *(f"{percent} % below" for percent in PERCENTS)], rows)


def grid_cells(summary: pa.Table) -> tuple[list[str], list[float], list[list[tuple[int, int]]]]:
    """Return the rows' names, the epsilons, and the granularities (g1, g2) of every cell."""
    keys = varying(summary, ("users", "attributes"))
    found: dict[str, dict[float, dict[int, int]]] = {}
    for row in summary.to_pylist():
        name = ", ".join(named(key, row[key]) for key in keys)
        found.setdefault(name, {}).setdefault(row["epsilon"], {})[row["index"]] = round(row["mean"])
    epsilons = sorted({epsilon for row in found.values() for epsilon in row})
    return list(found), epsilons, [[(row[e][1], row[e][2]) for e in epsilons] for row in found.values()]


def _grid(summary: pa.Table) -> str:
    names, epsilons, cells = grid_cells(summary)
    rows = [[name, *(f"{fine}, {coarse}" for fine, coarse in row)] for name, row in zip(names, cells, strict=True)]
    return _table(["", *(named("epsilon", epsilon) for epsilon in epsilons)], rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
