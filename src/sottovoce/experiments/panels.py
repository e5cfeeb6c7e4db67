"""A summary cut into panels, as figures and tables show it: one per data set and setting, a line for each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.results import varying

SYMBOLS = {
    "users": "n",
    "attributes": "d",
    "levels": "c",
    "covariance": "covariance",
    "cut": "cut",
    "epsilon": "ε",
    "sigma": "σ",  # noqa: RUF001 - the paper's symbol
    "dimension": "λ",
    "volume": "ω",
    "index": "sweep",
    "value": "absolute error of a query",
}
"""What figures call the settings: the paper's symbols."""

MEASURED = {
    "error": "mean absolute error",
    "errors": "absolute error",
    "matrix-change": "mean change of a matrix",
    "answer-change": "mean change of an answer vector",
    "granularity": "granularities g1, g2",
}

_NEVER = ("dataset", "method", "index", "queries", "kind", "aligned")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a panel: points along the axis, means, and standard deviations over repeats."""

    label: str
    points: list[Any]
    means: list[float]
    deviations: list[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """One data set and setting.

    Attributes:
        title: What is shown.
        rows: What was measured.
    """

    title: str
    rows: list[Row]

    def lines(self, experiment: Experiment) -> list[Line]:
        """Return the panel's series, in the order of the experiment."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            label = row["method"] if experiment.series == "method" else named(experiment.series, row[experiment.series])
            found.setdefault(label, []).append(row)
        return [
            Line(
                label,
                [row[experiment.axis] for row in rows],
                [row["mean"] for row in rows],
                [row["deviation"] if row["repeats"] > 1 else 0.0 for row in rows],
            )
            for label, rows in found.items()
        ]

    def errors(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the mean of every query, where there is one for each."""
        return np.array([row["mean"] for row in self.rows])


def cut_panels(experiment: Experiment, summary: pa.Table) -> list[Panel]:
    """Return the panels of a figure, in the experiment's order."""
    keys = [name for name in varying(summary) if name not in (*_NEVER, experiment.axis, experiment.series)]
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in (row for row in summary.to_pylist() if row["mean"] is not None):
        found.setdefault((row["dataset"], *(row[key] for key in keys)), []).append(row)
    return [Panel(_title(keys, group), rows) for group, rows in found.items()]


def _title(keys: list[str], group: tuple[Any, ...]) -> str:
    settings = [named(key, value) for key, value in zip(keys, group[1:], strict=True) if value is not None]
    return ", ".join([group[0].capitalize(), *settings])


def named(setting: str, value: Any) -> str:
    """Return a setting and its value as figures write it.

    Example:
        >>> named("dimension", 4), named("users", 1_000_000)
        ('λ = 4', 'n = 1,000,000')
    """
    return f"{SYMBOLS.get(setting, setting)} = {written(value)}"


def written(value: Any) -> str:
    """Return a value as tables write it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def notes(experiment: Experiment, summary: pa.Table) -> list[str]:
    """Return what holds for the whole figure, and which methods had less than the others."""
    moving = {*varying(summary), experiment.axis}
    first = summary.slice(0, 1).to_pylist()[0]
    fixed = [
        named(name, first[name])
        for name in ("users", "attributes", "levels", "epsilon", "dimension", "volume")
        if name not in moving and not (name == "volume" and first["kind"] == "marginals")
    ]
    if experiment.measure == "granularity":
        return [fixed[0]]
    repeats, queries = max(summary["repeats"].to_pylist()), max(summary["queries"].to_pylist())
    counted = [f"{queries:,} queries"] if queries else []
    ends = "on sixteenths of the domain" if first["aligned"] else "anywhere"
    drawn = first["kind"] not in ("marginals", "ranges")
    said = [
        ", ".join([*fixed, *counted, _repeats(repeats)]) + (f"; ends of queries {ends}" if drawn and queries else "")
    ]
    for method in summary["method"].unique().to_pylist():
        rows = [row for row in summary.to_pylist() if row["method"] == method]
        answered = [row for row in rows if row["mean"] is not None]
        if not answered:
            said.append(f"{method} refuses all of these: too large")
        elif len(answered) < len(rows):
            refused = sorted({row[experiment.axis] for row in rows if row["mean"] is None})
            said.append(f"{method} refuses {', '.join(named(experiment.axis, value) for value in refused)}: too large")
        fewest = min((row["queries"] for row in answered), default=queries)
        counts = {row["repeats"] for row in answered} or {repeats}
        if (counts, fewest) != ({repeats}, queries):
            some = f", {fewest:,} or more queries" if fewest < queries else ""
            between = f"{min(counts)} to " if len(counts) > 1 else ""
            said.append(f"{method}: {between}{_repeats(max(counts))}{some}, as it is slow")
    return said


def _repeats(number: int) -> str:
    return f"{number} repeat{'s' if number > 1 else ''}"
