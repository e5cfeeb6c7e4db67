"""A summary is cut into panels and lines, and what was measured by less is said."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.panels import cut_panels, named, notes
from tests.experiments.summaries import summary_of

OVER_EPSILON = Experiment(name="an-example", paper="nowhere", summary="An example.", axis="epsilon")


def test_a_panel_is_a_data_set_and_setting_and_a_line_is_a_method_along_the_axis() -> None:
    summary = summary_of(
        *[
            {
                "dataset": data,
                "dimension": dimension,
                "method": method,
                "epsilon": epsilon,
                "value": epsilon * dimension,
            }
            for data in ("normal", "laplace")
            for dimension in (2, 4)
            for epsilon in (0.5, 1.0)
            for method in ("TDG", "HDG")
        ]
    )
    panels = cut_panels(OVER_EPSILON, summary)
    assert [panel.title for panel in panels] == ["Normal, λ = 2", "Normal, λ = 4", "Laplace, λ = 2", "Laplace, λ = 4"]
    lines = panels[1].lines(OVER_EPSILON)
    assert [line.label for line in lines] == ["TDG", "HDG"]
    assert (lines[0].points, lines[0].means) == ([0.5, 1.0], [2.0, 4.0])


def test_a_deviation_is_that_over_repeats_and_none_where_there_is_one_repeat() -> None:
    repeated = summary_of({"value": 1.0, "repeat": 0}, {"value": 3.0, "repeat": 1})
    (line,) = cut_panels(OVER_EPSILON, repeated)[0].lines(OVER_EPSILON)
    assert line.means == [2.0]
    assert line.deviations == pytest.approx([np.sqrt(2)])
    (alone,) = cut_panels(OVER_EPSILON, summary_of({"value": 1.0}))[0].lines(OVER_EPSILON)
    assert alone.deviations == [0.0]


def test_what_a_method_refused_is_no_point_and_is_said_in_the_notes() -> None:
    summary = summary_of(
        {"epsilon": 0.5, "value": 0.2},
        {"epsilon": 1.0, "value": 0.1},
        {"epsilon": 0.5, "value": 0.3, "method": "HIO"},
        {"epsilon": 1.0, "value": None, "method": "HIO"},
    )
    (panel,) = cut_panels(OVER_EPSILON, summary)
    assert {line.label: line.points for line in panel.lines(OVER_EPSILON)} == {"HDG": [0.5, 1.0], "HIO": [0.5]}
    said, refused = notes(OVER_EPSILON, summary)
    assert said == "n = 1,000, d = 3, c = 16, λ = 2, ω = 0.5, 20 queries, 1 repeat; ends of queries anywhere"
    assert refused == "HIO refuses ε = 1: too large"


def test_a_method_that_answered_nothing_is_said_to_refuse_everything() -> None:
    nothing = [{"epsilon": epsilon, "value": None, "method": "HIO"} for epsilon in (0.5, 1.0)]
    said = notes(OVER_EPSILON, summary_of({"epsilon": 0.5}, {"epsilon": 1.0}, {"epsilon": 2.0}, *nothing))
    assert said[1:] == ["HIO refuses all of these: too large"]


def test_a_method_with_fewer_repeats_or_queries_is_named() -> None:
    slow = {"method": "HIO", "queries": 5}
    said = notes(OVER_EPSILON, summary_of({"repeat": 0}, {"repeat": 1}, slow))
    assert said[1:] == ["HIO: 1 repeat, 5 or more queries, as it is slow"]


def test_a_series_other_than_the_method_is_named_by_its_value() -> None:
    experiment = Experiment(name="x", paper="", summary="", axis="sigma", series="epsilon")
    summary = summary_of(*[{"epsilon": epsilon, "sigma": sigma} for epsilon in (0.5, 2.0) for sigma in (0.1, 0.2)])
    (panel,) = cut_panels(experiment, summary)
    assert [line.label for line in panel.lines(experiment)] == ["ε = 0.5", "ε = 2"]
    assert named("users", 10**6) == "n = 1,000,000"
