"""How lines look: one colour and marker per method in every figure, variants of a method dashed in its colour."""

from __future__ import annotations

import re
from typing import Any

from sottovoce.experiments.methods import every_method

METHODS = {
    "Spectral": ("#0072b2", "*"),
    "HDG": ("#d55e00", "o"),
    "TDG": ("#e69f00", "s"),
    "CALM": ("#009e73", "^"),
    "LHIO": ("#cc79a7", "D"),
    "HIO": ("#7f7f7f", "v"),
    "MSW": ("#56b4e9", "P"),
    "Uni": ("#000000", "X"),
}
"""Told apart by most colour-blind readers; a marker goes with each."""

FURTHER = (("#8c564b", "<"), ("#17becf", ">"), ("#bcbd22", "p"), ("#9467bd", "h"), ("#2ca02c", "d"), ("#e377c2", "8"))
"""For what others add, by the order of the registry."""

DASHES = ("-", "--", ":", "-.", (0, (8, 2, 1, 2, 1, 2)), (0, (1, 4)))
"""For the second granularity of a pair: one for each power of two from 2 to 64."""

FEW = 12
"""Up to so many lines each has a marker and a place above the panels."""


def styles(labels: list[str], *, methods: bool) -> dict[str, dict[str, Any]]:
    """Return every line's looks.

    Args:
        labels: The lines of a figure.
        methods: Whether they are methods; if not, they are the values of a setting and shaded from low to high.
    """
    if not methods:
        return {label: _shade(index, len(labels)) for index, label in enumerate(labels)}
    known = dict(METHODS)
    others = [name for name in dict.fromkeys((*(one.label for one in every_method()), *labels)) if base(name) == name]
    further = [name for name in others if name not in known]
    known |= {name: FURTHER[index % len(FURTHER)] for index, name in enumerate(further)}
    return {label: _style(label, known, len(labels)) for label in labels}


def base(label: str) -> str:
    """Return the method that a label is a variant of, or itself.

    Example:
        >>> base("LHIO, linear"), base("IHDG"), base("HDG(16,4)"), base("HIO"), base("Algorithm 2")
        ('LHIO', 'HDG', 'HDG', 'HIO', 'Algorithm 2')
    """
    own = re.split(r"[,(]", label)[0]
    return own[1:] if own.startswith("I") and own[1:] in METHODS else own


def _style(label: str, known: dict[str, tuple[str, str]], count: int) -> dict[str, Any]:
    colour, marker = known[base(label)]
    if count > FEW and label != base(label):
        return {"linewidth": 0.7, **_granularity(label)}
    looks: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 1, "capsize": 1.5}
    if count > FEW:
        return looks | {"linewidth": 2.5, "markersize": 5, "zorder": 5}
    return looks if label == base(label) else looks | {"linestyle": "--", "markerfacecolor": "none"}


def _granularity(label: str) -> dict[str, Any]:
    """Return the looks of a line with given granularities: a shade for the first, dashes for the second."""
    import matplotlib as mpl

    numbers = [int(number) for number in re.findall(r"\d+", label)] or [0]
    fine, coarse = numbers[0].bit_length(), numbers[-1].bit_length()
    return {"color": mpl.colormaps["viridis"](min(fine / 8, 1.0)), "linestyle": DASHES[(coarse - 2) % len(DASHES)]}


def _shade(index: int, count: int) -> dict[str, Any]:
    import matplotlib as mpl

    colour = mpl.colormaps["plasma"](0.85 * index / max(1, count - 1))
    return {"color": colour, "marker": "os^DvPX*<>"[index % 10], "markersize": 3.5, "linewidth": 1, "capsize": 1.5}
