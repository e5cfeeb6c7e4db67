"""What atlas.py prints and draws: per cell and measure, the error of the best other mechanism over Spectral's.

Above 1 Spectral is ahead. The best other mechanism is chosen, for each collection, on the other collections, so that
luck chooses none; only mechanisms that answer pairs take part. The square wave, which spends all reports on single
attributes, and the uniform guess, which spends none, are reported beside. A standard error is that of the mean
difference of the two errors, collection by collection, over the mean error of the other. Spectral is **behind** where
it is worse by more than the larger of 5 % and three standard errors.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atlas import AXES, HOPELESS, MEASURES, Cell, task_of
from atlas_sets import SURVEYS

OURS, BESIDE = "spectral", ("msw", "uniform")
BEHIND, ERRORS = 0.05, 3.0
BARS = {4.0: 1.3, 6.0: 1.5}
"""The least geometric mean of ratios at an epsilon, for 2-way distributions and ranges of two, 200,000 people."""

Errors = dict[str, dict[int, float]]
"""The error of each method in each collection."""


@dataclass(frozen=True)
class Ratio:
    """The best other's error over Spectral's, its standard error, who that is; the square wave's over Spectral's."""

    mean: float
    error: float
    other: str
    collections: int
    square_wave: float

    @property
    def behind(self) -> bool:
        """Whether Spectral is worse by more than chance and a twentieth."""
        return self.mean < 1 and 1 / self.mean - 1 > max(BEHIND, ERRORS * self.error)


def ratios(results: Sequence[dict[str, Any]]) -> Iterator[tuple[Cell, str, Ratio]]:
    """Yield the ratio of every cell and measure for which there are two collections or more of both sides."""
    for cell, by_measure in grouped(results).items():
        for measure in MEASURES:
            found = ratio_of(by_measure[measure]) if measure in by_measure else None
            if found is not None:
                yield cell, measure, found


def grouped(results: Sequence[dict[str, Any]]) -> dict[Cell, dict[str, Errors]]:
    """Return the errors by cell, measure, method and collection; of two results of the same, the later."""
    latest = {task_of(result): result for result in results}
    found: dict[Cell, dict[str, Errors]] = {}
    for task, result in latest.items():
        for measure, error in result["errors"].items():
            own = found.setdefault(task.cell, {}).setdefault(measure, {})
            own.setdefault(task.method, {})[task.collection] = error
    return found


def ratio_of(errors: Errors) -> Ratio | None:
    """Return the ratio, if there are enough collections; the best other of each is chosen on all others."""
    able = [name for name in errors if name not in (OURS, *BESIDE)] or [name for name in BESIDE[:1] if name in errors]
    if OURS not in errors or not able:
        return None
    best = min(errors[name].get(0, math.inf) for name in able)
    far = [name for name in able if set(errors[name]) == {0} and errors[name][0] > HOPELESS * best]  # measured once
    able = [name for name in able if name not in far]
    both = sorted(set(errors[OURS]).intersection(*(errors[name] for name in able)))
    if len(both) < 2:
        return None
    chosen = [min(able, key=lambda name: sum(errors[name][other] for other in both if other != one)) for one in both]
    ours = np.array([errors[OURS][collection] for collection in both])
    others = np.array([errors[name][collection] for name, collection in zip(chosen, both, strict=True)])
    error = float((ours - others).std(ddof=1) / math.sqrt(len(both)) / others.mean())
    wave = [errors["msw"][collection] for collection in both if collection in errors.get("msw", {})]
    square_wave = float(np.mean(wave) / ours.mean()) if wave else math.nan
    return Ratio(
        float(others.mean() / ours.mean()), error, Counter(chosen).most_common(1)[0][0], len(both), square_wave
    )


def print_table(results: Sequence[dict[str, Any]]) -> None:
    """Print the table as Markdown, then how Spectral stands against its bars."""
    found = list(ratios(results))
    rows: dict[Cell, dict[str, Ratio]] = {}
    for cell, measure, ratio in found:
        rows.setdefault(cell, {})[measure] = ratio
    heads = [*MEASURES, "square wave, 1-way", "best other, 2-way"]
    print("| set | epsilon | people | attributes | levels | " + " | ".join(heads) + " |")
    print("|---" * (5 + len(heads)) + "|")
    for cell in sorted(rows, key=order):
        own = rows[cell]
        texts = [_text(own[measure]) if measure in own else "" for measure in MEASURES]
        wave = own["1-way"].square_wave if "1-way" in own else math.nan
        best = own.get("2-way", own.get("ranges of 2", own.get("1-way")))
        texts += ["" if math.isnan(wave) else f"{wave:.2f}", "" if best is None else best.other]
        about = [cell.set, f"{cell.epsilon:g}", f"{cell.people:,}", str(cell.attributes), own_levels(cell)]
        print("| " + " | ".join(about + texts) + " |")
    print()
    _print_bars(found, results)


def order(cell: Cell) -> tuple[Any, ...]:
    """Return where a cell stands in the table: the centre's axis first, then people, attributes and levels."""
    axis = cell.axis
    size = (0.0, float(cell.people), float(cell.attributes), _size(cell.levels))[AXES.index(axis)]
    return AXES.index(axis), size, cell.set, cell.epsilon


def own_levels(cell: Cell) -> str:
    """Return the levels of a cell in words; surveys have their own."""
    return "2 to 10" if cell.set in SURVEYS else cell.levels


def _size(levels: str) -> float:
    return math.inf if levels == "mixed" else float(levels)


def _text(ratio: Ratio) -> str:
    text = f"{ratio.mean:.2f} ± {ratio.mean * ratio.error * min(ratio.mean, 1.0):.2f}"
    return f"**{text}**" if ratio.behind else text


def _print_bars(found: Sequence[tuple[Cell, str, Ratio]], results: Sequence[dict[str, Any]]) -> None:
    pairs = [(cell, measure, ratio) for cell, measure, ratio in found if ratio.other not in BESIDE]
    behind = [(cell, measure, ratio) for cell, measure, ratio in pairs if ratio.behind]
    verdict = "FAIL" if behind else "ok" if pairs else "nothing was measured twice yet"
    print(f"behind the best other that answers pairs: {len(behind)} of {len(pairs)} cells and measures: {verdict}")
    for cell, measure, ratio in behind:
        print(
            f"  {cell.set}, epsilon {cell.epsilon:g}, {cell.people:,} people, {cell.attributes} attributes, "
            f"{own_levels(cell)} levels: {measure} {ratio.mean:.2f} ± {ratio.error:.2f} beside {ratio.other}"
        )
    for measure in MEASURES:
        by_epsilon = defaultdict(list)
        for cell, own, ratio in pairs:
            if own == measure and cell.axis == "epsilon":
                by_epsilon[cell.epsilon].append(ratio.mean)
        told = []
        for epsilon, means in sorted(by_epsilon.items()):
            mean = math.exp(float(np.mean(np.log(means))))
            bar = BARS.get(epsilon) if measure in ("ranges of 2", "2-way") else None
            told.append(
                f"{epsilon:g}: {mean:.2f}" + ("" if bar is None else " ok" if mean >= bar else f" FAIL ({bar})")
            )
        print(f"geometric means, {measure}, by epsilon: {', '.join(told)}")
    waves = defaultdict(list)
    for _, measure, ratio in found:
        if measure in ("ranges of 1", "1-way") and not math.isnan(ratio.square_wave):
            waves[measure].append(ratio.square_wave)
    for measure, means in waves.items():
        print(
            f"the square wave over Spectral, {measure}: {math.exp(float(np.mean(np.log(means)))):.2f} (geometric mean)"
        )
    codes = Counter(result["code"] for result in results)
    minutes = sum(result["seconds"] for result in results) / 60
    refused = {(result["method"], result["cell"]["levels"]) for result in results if result["refusal"]}
    print(f"{len(results)} collections, {minutes:.0f} CPU minutes; code {', '.join(sorted(codes))}")
    for method, levels in sorted(refused):
        print(f"refused in some cells: {method}, {levels} levels")


def draw_map(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the ratios as a map: a column of panels per measure, a row of panels per axis, colours by the logarithm."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import TwoSlopeNorm

    found = list(ratios(results))
    axes = [axis for axis in AXES if any(cell.axis == axis for cell, _, _ in found)]
    lines = {axis: _lines([cell for cell, _, _ in found], axis) for axis in axes}
    heights = [len(lines[axis]) for axis in axes]
    colours, norm = mpl.colormaps["RdBu"], TwoSlopeNorm(0.0, vmin=-1.0, vmax=2.0)
    figure, panels = plt.subplots(
        len(axes),
        len(MEASURES),
        figsize=(12, 1.4 + 0.24 * sum(heights)),
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
        layout="constrained",
    )
    for row, axis in enumerate(axes):
        names, columns = list(lines[axis]), sorted({cell.epsilon for cell, _, _ in found if cell.axis == axis})
        for column, measure in enumerate(MEASURES):
            panel, values = panels[row, column], np.full((len(names), len(columns)), np.nan)
            for cell, own, ratio in found:
                if own == measure and cell.axis == axis:
                    where = names.index(_line(cell, axis)), columns.index(cell.epsilon)
                    values[where] = math.log2(ratio.mean)
                    mark = "▾" if ratio.behind else ""
                    dark = "white" if math.log2(ratio.mean) > 1.3 else "black"
                    panel.text(
                        *where[::-1], f"{ratio.mean:.2g}{mark}", ha="center", va="center", fontsize=6.5, color=dark
                    )
            panel.imshow(values, cmap=colours, norm=norm, aspect="auto")
            panel.set_xticks(range(len(columns)), [f"{epsilon:g}" for epsilon in columns], fontsize=7)
            panel.set_yticks(range(len(names)), names if column == 0 else [], fontsize=7)
            panel.set_facecolor("#eeeeee")
            if row == 0:
                panel.set_title(measure, fontsize=9)
            if row == len(axes) - 1:
                panel.set_xlabel("epsilon", fontsize=8)
    figure.suptitle("error of the best other mechanism over Spectral's: blue, Spectral is ahead; ▾ behind", fontsize=10)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _lines(cells: Sequence[Cell], axis: str) -> dict[str, None]:
    """Return the lines of an axis' panels, in order."""
    return {_line(cell, axis): None for cell in sorted(cells, key=order) if cell.axis == axis}


def _line(cell: Cell, axis: str) -> str:
    if axis == "epsilon":
        return cell.set
    value = {"people": f"{cell.people:,}", "attributes": str(cell.attributes), "levels": cell.levels}[axis]
    return f"{cell.set}, {value} {axis}"
