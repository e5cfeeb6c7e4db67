"""Results grow, are read again, and are summed up over repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.experiments.results import Results, summarize, varying
from sottovoce.experiments.tasks import Request
from tests.experiments.runs import ONE, outcome, small
from tests.experiments.summaries import ROW, summary_of, table_of


def test_a_summary_is_the_mean_and_deviation_over_repeats_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    experiment = small("varying-volume", **(ONE | {"volumes": (0.5, 0.1)}), repeats=3)
    table = outcome(experiment, tmp_path / "a.parquet", request=Request(methods=("hdg",)))
    values, summary = np.array(table["value"]), summarize(table).to_pydict()
    assert summary["volume"] == [0.5, 0.1]
    assert summary["repeats"] == [3, 3]
    assert np.allclose(summary["mean"], [values[::2].mean(), values[1::2].mean()])
    assert np.allclose(summary["deviation"], [values[::2].std(ddof=1), values[1::2].std(ddof=1)])


def test_what_was_saved_is_found_again_and_the_file_does_not_depend_on_what_finished_first(tmp_path: Path) -> None:
    rows = {key: [ROW | {"task": key, "index": index} for index in (1, 2)] for key in "abc"}
    for name, order in (("one", "abc"), ("two", "cab")):
        results = Results(tmp_path / f"{name}.parquet")
        for key in order:
            results.add(rows[key])
        results.save()
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    again = Results(tmp_path / "two.parquet")
    assert [key in again for key in "abcd"] == [True, True, True, False]
    assert again.table("ba") == table_of(*rows["b"], *rows["a"])


def test_a_file_with_other_columns_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    pq.write_table(table_of(ROW).drop_columns("value"), path)
    before = path.read_bytes()
    with pytest.raises(sv.ExperimentError, match="holds other columns"):
        Results(path)
    assert path.read_bytes() == before


def test_a_summary_leaves_out_what_could_not_be_measured() -> None:
    summary = summary_of({"value": None, "repeat": 0}, {"value": None, "repeat": 1}).to_pydict()
    assert (summary["mean"], summary["repeats"]) == ([None], [2])


def test_a_setting_varies_if_it_takes_two_values_and_a_missing_one_is_none() -> None:
    summary = summary_of({"epsilon": 0.5}, {"epsilon": 1.0, "covariance": None}, {"users": 2000})
    assert varying(summary) == ["users", "epsilon"]
    assert varying(summary, ("epsilon", "levels")) == ["epsilon"]
