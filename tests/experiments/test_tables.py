"""Results as CSV and as Markdown tables in the form of the figure."""

from __future__ import annotations

import io

import pyarrow.csv

from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.tables import grid_cells, to_csv, to_markdown
from tests.experiments.summaries import summary_of


def lines_of(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line.startswith("|")]


def test_the_csv_file_is_the_summary() -> None:
    summary = summary_of({"epsilon": 0.5, "value": 0.25}, {"epsilon": 1.0, "value": 0.125})
    read = pyarrow.csv.read_csv(io.BytesIO(to_csv(summary)))
    assert read.column_names == summary.column_names
    assert read["mean"].to_pylist() == [0.25, 0.125]


def test_a_table_has_a_row_for_every_point_and_a_column_for_every_method() -> None:
    experiment = Experiment(name="an-example", paper="section 9", summary="An example.", axis="epsilon")
    summary = summary_of(
        {"epsilon": 1.0, "value": 0.1},
        {"epsilon": 1.0, "value": 0.3, "repeat": 1},
        {"epsilon": 8.0, "value": 0.25, "method": "TDG"},
        {"epsilon": 0.5, "value": 0.4, "method": "TDG"},
    )
    markdown = to_markdown(experiment, summary)
    assert markdown.startswith("# an-example\n\nAn example. In the paper: section 9.\n\n")
    assert "Shown: mean absolute error." in markdown
    assert lines_of(markdown) == [
        "| ε | HDG | TDG |",
        "| --- | --- | --- |",
        "| 0.5 |  | 0.4 |",
        "| 1 | 0.2 ± 0.1 |  |",
        "| 8 |  | 0.25 |",
    ]


def test_a_histogram_becomes_the_errors_below_which_so_many_queries_lie() -> None:
    experiment = Experiment(name="x", paper="", summary="", axis="value", form="histogram", measure="errors")
    summary = summary_of(*[{"index": number, "value": number / 10} for number in range(11)])
    assert lines_of(to_markdown(experiment, summary))[-1] == "| Normal | 0.5 | 0.1 | 0.5 | 0.9 | 1 |"


def test_a_grid_has_both_granularities_of_every_cell_by_epsilon() -> None:
    experiment = Experiment(name="x", paper="", summary="", axis="epsilon", form="grid", measure="granularity")
    summary = summary_of(
        *[
            {"attributes": attributes, "epsilon": epsilon, "index": index, "value": attributes * 10**index * epsilon}
            for attributes in (3, 4)
            for epsilon in (2.0, 1.0)
            for index in (1, 2)
        ]
    )
    assert grid_cells(summary) == (["d = 3", "d = 4"], [1.0, 2.0], [[(30, 300), (60, 600)], [(40, 400), (80, 800)]])
    assert lines_of(to_markdown(experiment, summary))[-1] == "| d = 4 | 40, 400 | 80, 800 |"
