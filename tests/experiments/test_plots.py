"""Results as figures: the same from the same results, every line and panel named."""

from __future__ import annotations

import importlib.util

import pytest

import sottovoce as sv
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.plots import _FORMS, caption, draw, require_matplotlib
from tests.experiments.summaries import summary_of

EXAMPLE = Experiment(name="an-example", paper="nowhere", summary="An example.", axis="epsilon")
SUMMARY = summary_of(
    *[
        {"dataset": data, "method": method, "epsilon": epsilon, "value": 0.1 * epsilon}
        for data in ("normal", "laplace")
        for method in ("HDG", "Uni")
        for epsilon in (0.5, 1.0)
    ]
)


@pytest.fixture(scope="module")
def drawn() -> dict[str, bytes]:
    return draw(EXAMPLE, SUMMARY)


def test_the_same_summary_gives_the_same_bytes_in_every_format(drawn: dict[str, bytes]) -> None:
    assert drawn["pdf"].startswith(b"%PDF")
    assert drawn["png"].startswith(b"\x89PNG")
    assert drawn["svg"].rstrip().endswith(b"</svg>")
    assert draw(EXAMPLE, SUMMARY) == drawn


def test_panels_and_lines_are_named_in_the_figure_and_the_caption_stands_outside(drawn: dict[str, bytes]) -> None:
    """SVG keeps what was written as comments beside the outlines of its letters."""
    written = drawn["svg"].decode()
    for text in ("(a) Normal", "(b) Laplace", "HDG", "Uni", "ε", "mean absolute error"):
        assert text in written, text
    assert "TDG" not in written
    assert "An example" not in written
    said = caption(EXAMPLE, SUMMARY)
    assert said.startswith("An example. n = 1,000, d = 3")
    assert "standard deviation" not in said, "of one repeat there is none"


def test_bars_are_drawn_over_repeats_and_none_for_a_single_one() -> None:
    twice = summary_of(*[{"epsilon": e, "value": e + r, "repeat": r} for e in (0.5, 1.0) for r in (0, 1)])
    for summary, bars in ((SUMMARY, False), (twice, True)):
        axes = _FORMS["lines"](EXAMPLE, summary).axes[0]
        assert [line.has_yerr for line in axes.containers] == [bars] * len(axes.containers)


def test_a_histogram_counts_in_whole_queries() -> None:
    single = Experiment(name="x", paper="", summary="", axis="value", form="histogram", measure="errors")
    axes = _FORMS["histogram"](single, summary_of(*[{"index": n, "value": 0.01 * n} for n in range(3)])).axes[0]
    assert all(tick == int(tick) for tick in axes.get_yticks())


def test_a_legend_of_many_methods_stays_within_a_narrow_figure() -> None:
    labels = ["Spectral", "HDG", "TDG", "CALM", "LHIO", "LHIO, linear", "HIO", "MSW", "MSW, EM", "Uni"]
    summary = summary_of(*[{"method": label, "epsilon": e} for label in labels for e in (0.5, 1.0)])
    figure = _FORMS["lines"](EXAMPLE, summary)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1


def test_very_many_lines_are_all_drawn_beside_the_panels() -> None:
    summary = summary_of(*[{"method": f"M{n}", "epsilon": e} for n in range(23) for e in (0.5, 1.0)])
    written = draw(EXAMPLE, summary)["svg"].decode()
    assert all(f"<!-- M{number} -->" in written for number in range(23))


def test_without_matplotlib_the_error_says_what_to_install_or_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(sv.ExperimentError, match=r"sottovoce\[plots\].*--no-figures"):
        require_matplotlib()
