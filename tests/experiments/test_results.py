"""Results grow, are read again, and are summed up over repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sottovoce.experiments.results import summarize
from sottovoce.experiments.tasks import Request
from tests.experiments.runs import ONE, outcome, small


def test_a_summary_is_the_mean_and_deviation_over_repeats_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    experiment = small("varying-volume", **(ONE | {"volumes": (0.5, 0.1)}), repeats=3)
    table = outcome(experiment, tmp_path / "a.parquet", request=Request(methods=("hdg",)))
    values, summary = np.array(table["value"]), summarize(table).to_pydict()
    assert summary["volume"] == [0.5, 0.1]
    assert summary["repeats"] == [3, 3]
    assert np.allclose(summary["mean"], [values[::2].mean(), values[1::2].mean()])
    assert np.allclose(summary["deviation"], [values[::2].std(ddof=1), values[1::2].std(ddof=1)])
