"""Results as figures in the paper's form: errors on a log scale, one line per method, bars of one standard deviation.

Needs matplotlib, which the extra ``plots`` installs. Figures are drawn without a screen and the same results give the
same file.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import math
import string
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sottovoce.errors import ExperimentError
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.looks import FEW, METHODS, styles
from sottovoce.experiments.panels import MEASURED, SYMBOLS, Panel, cut_panels, notes
from sottovoce.experiments.tables import grid_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 4
MANY_POINTS = 30
LOG_AXES = {"users": 10, "levels": 2}

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "sottovoce",
    "pdf.fonttype": 42,  # letters that can be searched and edited
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 8,
}


def draw(experiment: Experiment, summary: pa.Table) -> dict[str, bytes]:
    """Return the figure as "png", "svg" and "pdf"; what it shows is said by `caption`, outside of it."""
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        figure = _FORMS[experiment.form](experiment, summary)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not again for every format
        return {kind: _written(figure, kind) for kind in ("png", "svg", "pdf")}


def caption(experiment: Experiment, summary: pa.Table) -> str:
    """Return what goes under the figure: what is shown, under which settings, and what a bar is."""
    said = [experiment.summary.rstrip("."), *notes(experiment, summary)]
    if experiment.form in ("lines", "claims", "rivals") and max(summary["repeats"].to_pylist()) > 1:
        said.append("Bars are one standard deviation over repeats, on one population and one set of queries")
    return ". ".join(said) + ".\n"


def require_matplotlib() -> None:
    """Raise ExperimentError unless figures can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ExperimentError(
            "figures need matplotlib: pip install 'sottovoce[plots]', or leave them out: --no-figures"
        )


def _written(figure: Figure, kind: str) -> bytes:
    sink = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    figure.savefig(sink, format=kind, dpi=200, metadata=dates.get(kind))
    return sink.getvalue()


def _frame(panels: list[Panel], vertical: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with axes for every panel, and these."""
    from matplotlib.figure import Figure

    across = min(ACROSS, len(panels))
    if len(panels) > ACROSS and len(panels) % ACROSS and not len(panels) % (ACROSS - 1):
        across = ACROSS - 1  # whole rows
    down = math.ceil(len(panels) / across)
    figure = Figure(figsize=(max(5.2, 2.6 * across), 2.2 * down + 1.1), layout="constrained")
    subplots = list(figure.subplots(down, across, squeeze=False).flat)
    for axes in subplots[len(panels) :]:
        axes.remove()
    for letter, axes, panel in zip(_letters(), subplots, panels, strict=False):
        axes.set_title(f"({letter}) {panel.title}" if len(panels) > 1 else panel.title)
    for axes in subplots[::across]:
        axes.set_ylabel(vertical)
    return figure, subplots[: len(panels)]


def _letters() -> Iterator[str]:
    """Yield a, b, ..., z, aa, ab and so on."""
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_lowercase, repeat=length))


def _histograms(experiment: Experiment, summary: pa.Table) -> Figure:
    from matplotlib.ticker import MaxNLocator

    panels = cut_panels(experiment, summary)
    figure, subplots = _frame(panels, "queries")
    for axes, panel in zip(subplots, panels, strict=True):
        axes.hist(panel.errors(), bins=30, color=METHODS[panel.rows[0]["method"]][0])
        axes.set_xlabel(SYMBOLS["value"])
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _lines(experiment: Experiment, summary: pa.Table) -> Figure:
    from matplotlib.ticker import MaxNLocator

    panels = cut_panels(experiment, summary)
    figure, subplots = _frame(panels, MEASURED[experiment.measure])
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines(experiment)))
    looks = styles(labels, methods=experiment.series == "method")
    for axes, panel in zip(subplots, panels, strict=True):
        for line in panel.lines(experiment):
            style = looks[line.label] | ({"marker": "", "capsize": 0} if len(line.points) > MANY_POINTS else {})
            bars = line.deviations if any(line.deviations) else None
            axes.errorbar(line.points, line.means, yerr=bars, label=line.label, **style)
        axes.set_yscale("log", nonpositive="mask" if experiment.axis == "index" else "clip")
        if experiment.axis in LOG_AXES:
            axes.set_xscale("log", base=LOG_AXES[experiment.axis])
        elif experiment.axis in ("index", "dimension", "attributes"):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(SYMBOLS[experiment.axis])
        axes.grid(visible=True, which="major", color="#e5e5e5", linewidth=0.5)
    _legend(figure, subplots)
    return figure


def _legend(figure: Figure, subplots: list[Axes]) -> None:
    """Name every line once: above the panels, or beside them where there are very many."""
    named = {
        label: handle for axes in subplots for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    above = len(named) <= FEW
    widest = max(map(len, named))
    fitting = int(figure.get_figwidth() / (0.45 + 0.07 * widest))  # inches of a handle and of a letter
    figure.legend(
        list(named.values()),
        list(named),
        loc="outside upper center" if above else "outside right upper",
        ncols=max(1, min(len(named), fitting)) if above else 2,
        fontsize=8 if above else 6,
        frameon=False,
    )
    if not above:
        figure.set_figwidth(figure.get_figwidth() + 2)


def _grid(experiment: Experiment, summary: pa.Table) -> Figure:
    """Return the table of granularities, shaded by g1."""
    from matplotlib.figure import Figure

    names, epsilons, cells = grid_cells(summary)
    figure = Figure(figsize=(0.7 * len(epsilons) + 2, 0.27 * len(names) + 1.2), layout="constrained")
    axes = figure.subplots()
    axes.imshow(np.log2([[fine for fine, _ in row] for row in cells]), cmap="Blues", aspect="auto", vmin=0, vmax=8)
    for down, row in enumerate(cells):
        for across, (fine, coarse) in enumerate(row):
            axes.text(across, down, f"{fine}, {coarse}", ha="center", va="center")
    axes.set_xticks(range(len(epsilons)), [f"ε = {epsilon:g}" for epsilon in epsilons])
    axes.set_yticks(range(len(names)), names)
    axes.xaxis.tick_top()
    return figure


_FORMS: dict[str, Callable[[Experiment, pa.Table], Figure]] = {
    "lines": _lines,
    "claims": _lines,
    "rivals": _lines,
    "histogram": _histograms,
    "grid": _grid,
}
