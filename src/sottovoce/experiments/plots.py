"""Results as figures in the paper's form: errors on a log scale, one line per method, bars of one standard deviation.

Needs matplotlib, which the extra ``plots`` installs. Figures are drawn without a screen and the same results give the
same file.
"""

from __future__ import annotations

import importlib.util
import io
import math
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sottovoce.errors import ExperimentError
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.methods import every_method
from sottovoce.experiments.panels import MEASURED, SYMBOLS, Panel, cut_panels, notes
from sottovoce.experiments.tables import grid_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f", "#8c564b", "#17becf")
"""Told apart by most colour-blind readers; a marker goes with each."""

MARKERS = "os^Dv<>PX*"
FEW = len(COLOURS)
ACROSS = 4
MANY_POINTS = 30
LOG_AXES = {"users": 10, "levels": 2}

_STYLE: dict[Any, Any] = {"svg.hashsalt": "sottovoce", "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 8}


def draw(experiment: Experiment, summary: pa.Table) -> dict[str, bytes]:
    """Return the figure as "png" and "svg"."""
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        figure = _FORMS[experiment.form](experiment, summary)
        said = [f"{experiment.name}: {experiment.summary}", *notes(experiment, summary)]
        width = int(18 * figure.get_figwidth())
        figure.supxlabel("\n".join(textwrap.fill(line, width) for line in said), fontsize=7, color="#333333")
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not again for every format
        return {kind: _written(figure, kind) for kind in ("png", "svg")}


def require_matplotlib() -> None:
    """Raise ExperimentError unless figures can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ExperimentError(
            "figures need matplotlib: pip install 'sottovoce[plots]', or leave them out: --no-figures"
        )


def _written(figure: Figure, kind: str) -> bytes:
    sink = io.BytesIO()
    figure.savefig(sink, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return sink.getvalue()


def _frame(panels: list[Panel], vertical: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with axes for every panel, and these."""
    from matplotlib.figure import Figure

    across = min(ACROSS, len(panels))
    down = math.ceil(len(panels) / across)
    figure = Figure(figsize=(max(5.2, 2.6 * across), 2.2 * down + 1.1), layout="constrained")
    subplots = list(figure.subplots(down, across, squeeze=False).flat)
    for axes in subplots[len(panels) :]:
        axes.remove()
    for axes, panel in zip(subplots, panels, strict=False):
        axes.set_title(panel.title)
    for axes in subplots[::across]:
        axes.set_ylabel(vertical)
    return figure, subplots[: len(panels)]


def _histograms(experiment: Experiment, summary: pa.Table) -> Figure:
    panels = cut_panels(experiment, summary)
    figure, subplots = _frame(panels, "queries")
    for axes, panel in zip(subplots, panels, strict=True):
        axes.hist(panel.errors(), bins=30, color=COLOURS[0])
        axes.set_xlabel(SYMBOLS["value"])
    return figure


def _lines(experiment: Experiment, summary: pa.Table) -> Figure:
    from matplotlib.ticker import MaxNLocator

    panels = cut_panels(experiment, summary)
    figure, subplots = _frame(panels, MEASURED[experiment.measure])
    styles = _styles(list(dict.fromkeys(line.label for panel in panels for line in panel.lines(experiment))))
    for axes, panel in zip(subplots, panels, strict=True):
        for line in panel.lines(experiment):
            style = styles[line.label] | ({"marker": ""} if len(line.points) > MANY_POINTS else {})
            axes.errorbar(line.points, line.means, yerr=line.deviations, label=line.label, **style)
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
    figure.legend(
        list(named.values()),
        list(named),
        loc="outside upper center" if above else "outside right upper",
        ncols=min(len(named), 8) if above else 2,
        fontsize=8 if above else 6,
        frameon=False,
    )
    if not above:
        figure.set_figwidth(figure.get_figwidth() + 2)


def _styles(labels: list[str]) -> dict[str, dict[str, Any]]:
    """Return every line's looks: the same in all panels, and a mechanism's the same in all figures."""
    order = [method.label for method in every_method()]
    if set(labels) <= set(order):
        return {label: _style(order.index(label) % FEW, FEW) for label in labels}
    return {label: _style(number, len(labels)) for number, label in enumerate(labels)}


def _style(number: int, count: int) -> dict[str, Any]:
    """Return a line's looks; among very many lines the first is the one to be compared with the rest."""
    if count <= FEW:
        return {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 3, "linewidth": 1, "capsize": 1.5}
    if number == 0:
        return {"color": "black", "marker": "o", "markersize": 4, "linewidth": 2, "zorder": 5}
    import matplotlib as mpl

    shade = mpl.colormaps["turbo"]((number - 1) / (count - 2))
    return {"color": shade, "linewidth": 0.7, "linestyle": ("-", "--", ":")[number % 3]}


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
    "histogram": _histograms,
    "grid": _grid,
}
