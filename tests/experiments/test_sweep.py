"""Experiments from Python: any axis, one row per query, the same rows for the same seed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import sottovoce as sv

SMALL = {"users": 2000, "attributes": 3, "levels": 16, "queries": 8}
TIMES = ["fit_cpu", "answer_cpu"]


def test_every_combination_has_a_row_per_query() -> None:
    frame = sv.experiments.run(
        ["hdg", "msw"], ["normal", "laplace"], epsilon=[0.5, 2], dimension=(1, 2), repeats=2, **SMALL
    )
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 2 * 2 * 2 * 2 * 2 * 8
    keys = ["method", "dataset", "epsilon", "dimension", "repeat", "index"]
    assert not frame.duplicated(keys).any()
    assert frame.seed.nunique() == 2 * 2 * 2 * 2, "one collection serves both dimensions"
    assert np.allclose(frame.error, (frame.answer - frame.truth).abs())


def test_an_option_is_an_axis_of_the_mechanisms_that_have_it() -> None:
    frame = sv.experiments.run(["hdg", "tdg"], alpha1=[0.3, 3.0], **SMALL)
    assert len(frame) == 3 * 8
    assert set(frame[frame.method == "hdg"].alpha1) == {0.3, 3.0}
    assert frame[frame.method == "tdg"].alpha1.isna().all()


def test_a_method_may_bring_options_and_a_label_of_its_own() -> None:
    frame = sv.experiments.run(
        [{"mechanism": "lhio", "nonnegative": True}, {"mechanism": "lhio", "label": "LHIO"}], **SMALL
    )
    assert list(frame.method.unique()) == ["lhio(nonnegative=True)", "LHIO"]


def test_the_same_seed_gives_the_same_rows_and_finished_work_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "answers.parquet"
    first = sv.experiments.run("hdg", epsilon=1, out=out, **SMALL)
    kept = pq.read_table(out)["fit_cpu"].to_pylist()
    more = sv.experiments.run("hdg", epsilon=[1, 2], out=out, **SMALL)
    pd.testing.assert_frame_equal(more[more.epsilon == 1], first), "not run again: even the times are the same"
    assert set(kept) < set(pq.read_table(out)["fit_cpu"].to_pylist())
    again = sv.experiments.run("hdg", epsilon=1, frame="arrow", **SMALL).drop_columns(TIMES).to_pandas()
    pd.testing.assert_frame_equal(again, first.drop(columns=TIMES), check_dtype=False)
    other = sv.experiments.run("hdg", epsilon=1, seed=1, **SMALL)
    assert not np.allclose(other.answer, first.answer)


def test_tables_and_files_of_ones_own_are_data(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    table = pd.DataFrame({"a": generator.normal(size=500), "b": generator.integers(0, 9, 500), "c": range(500)})
    table.to_csv(tmp_path / "mine.csv", index=False)
    frame = sv.experiments.run("uniform", [table, str(tmp_path / "mine.csv")], **SMALL)
    first, second = (frame[frame.dataset == name] for name in ("table 1", "mine"))
    assert len(first) == len(second) == 8
    assert first.truth.max() > 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"methods": "magic"}, "unknown mechanism 'magic'"),
        ({"methods": "hdg", "sigmaa": 0.2}, "sigmaa is neither a setting .*hdg takes alpha1"),
        ({"methods": {"g1": 4}}, "a method names its mechanism"),
        ({"methods": {"mechanism": "hdg", "g3": 4}}, "hdg has no option g3"),
        ({"methods": "hdg", "data": "nothing"}, "a Parquet or CSV file, or a table"),
        ({"methods": "hdg", "epsilon": []}, "at least one value"),
        ({"methods": "hdg", "repeats": 0}, "repeats is at least 1"),
    ],
)
def test_what_cannot_be_run_says_why(call: dict[str, object], said: str) -> None:
    with pytest.raises(sv.SottovoceError, match=said):
        sv.experiments.run(**{**SMALL, **call})


STRANGER = """
import matplotlib.pyplot as plt
import sottovoce as sv

frame = sv.experiments.run(
    ["spectral", "hdg", "msw"], "laplace", epsilon=[0.5, 1, 2], users=20_000, attributes=3, levels=16, repeats=3
)
scores = sv.experiments.score(frame, by=["method", "epsilon"])
for method, line in scores.groupby("method"):
    plt.errorbar(line.epsilon, line.mae, yerr=line.mae_error, label=method, capsize=2)
plt.xlabel("epsilon")
plt.ylabel("mean absolute error")
plt.yscale("log")
plt.legend()
plt.savefig("errors.png")
"""


def test_a_strangers_script_of_fifteen_lines_sweeps_epsilon_and_draws_error_bars(tmp_path: Path) -> None:
    assert len(STRANGER.strip().splitlines()) <= 15
    (tmp_path / "script.py").write_text(textwrap.dedent(STRANGER))
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**__import__("os").environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "errors.png").read_bytes()[:4] == b"\x89PNG"
