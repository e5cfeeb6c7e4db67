"""Results as figures: the same from the same results, every line and panel named."""

from __future__ import annotations

import importlib.util

import pytest

import sottovoce as sv
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.plots import draw, require_matplotlib
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


def test_the_same_summary_gives_the_same_bytes_in_both_formats(drawn: dict[str, bytes]) -> None:
    assert drawn["png"].startswith(b"\x89PNG")
    assert drawn["svg"].rstrip().endswith(b"</svg>")
    assert draw(EXAMPLE, SUMMARY) == drawn


def test_panels_lines_and_notes_are_named_in_the_figure(drawn: dict[str, bytes]) -> None:
    """SVG keeps what was written as comments beside the outlines of its letters."""
    written = drawn["svg"].decode()
    for text in ("Normal", "Laplace", "HDG", "Uni", "ε", "mean absolute error", "An example."):
        assert text in written, text
    assert "TDG" not in written


def test_very_many_lines_are_all_drawn_beside_the_panels() -> None:
    summary = summary_of(*[{"method": f"M{n}", "epsilon": e} for n in range(23) for e in (0.5, 1.0)])
    written = draw(EXAMPLE, summary)["svg"].decode()
    assert all(f"<!-- M{number} -->" in written for number in range(23))


def test_without_matplotlib_the_error_says_what_to_install_or_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(sv.ExperimentError, match=r"sottovoce\[plots\].*--no-figures"):
        require_matplotlib()
