"""What methods of more than one round have beside the programs of the authors whose ideas they take.

Those programs are not part of this project. They were run on data made in the same way and on queries of the same kind,
three times each, on 2026-11-16 (docs/reproduction.md); here their figures stand beside what is measured now.
"""

from __future__ import annotations

import pyarrow as pa

from sottovoce.experiments.panels import named

SETTING = {"users": 10**6, "attributes": 6, "levels": 64, "epsilon": 1.0, "aligned": False, "volume": 0.5}
"""Where their figures hold; elsewhere, as in a quick version, there is nothing to put beside them."""

RIVALS: dict[str, dict[tuple[str, int], float]] = {
    "PriPL-Tree": {("normal", 2): 0.0238, ("normal", 4): 0.0449, ("laplace", 2): 0.0172, ("laplace", 4): 0.0380},
    "AHEAD": {("normal", 2): 0.0379, ("normal", 4): 0.0507, ("laplace", 2): 0.0394, ("laplace", 4): 0.0530},
    "PrivNUD": {("normal", 2): 0.0214, ("normal", 4): 0.0396, ("laplace", 2): 0.0243, ("laplace", 4): 0.0450},
}
"""The mean absolute error of each program by data set and number of attributes in a query."""


def rival_rows(summary: pa.Table) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table of errors, each with its ratio to those of the authors' programs."""
    head = ["data", "", "method", "error", *(f"of {name}" for name in RIVALS)]
    rows = []
    for row in summary.to_pylist():
        if row["mean"] is None or any(row[name] != value for name, value in SETTING.items()):
            continue
        known = [figures.get((row["dataset"], row["dimension"])) for figures in RIVALS.values()]
        ratios = ["" if figure is None else f"{row['mean'] / figure:.2f} ({figure:.4f})" for figure in known]
        rows.append(
            [row["dataset"], named("dimension", row["dimension"]), row["method"], f"{row['mean']:.4f}", *ratios]
        )
    return head, sorted(rows)
