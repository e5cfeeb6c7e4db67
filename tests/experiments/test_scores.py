"""Errors of several kinds, and paired tests, against what they are by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sottovoce as sv
from sottovoce.experiments.scores import sign_flip_p


def frame_of(**errors: list[list[float]]) -> pd.DataFrame:
    """Return a frame in which methods have these errors, repeats by queries."""
    rows = [
        {
            "method": method,
            "dataset": "normal",
            "epsilon": 1.0,
            "repeat": repeat,
            "index": index,
            "truth": 0.5,
            "error": error,
            "low": 0.45,
            "high": 0.55 if error < 0.2 else 0.46,
            **dict.fromkeys(("users", "attributes", "levels", "covariance", "cut", "dimension", "volume"), 1),
            "kind": "random",
            "aligned": True,
        }
        for method, repeats in errors.items()
        for repeat, queries in enumerate(repeats)
        for index, error in enumerate(queries)
    ]
    return pd.DataFrame(rows)


def test_errors_are_means_over_queries_with_their_spread_over_repeats() -> None:
    scores = sv.experiments.score(frame_of(a=[[0.1, 0.3], [0.3, 0.5]]), by=["method"])
    (row,) = scores.to_dict("records")
    assert row["mae"] == pytest.approx(0.3)
    assert row["mae_error"] == pytest.approx(np.std([0.2, 0.4], ddof=1) / np.sqrt(2))
    assert row["mse"] == pytest.approx((0.01 + 0.09 + 0.09 + 0.25) / 4)
    assert row["max"] == pytest.approx((0.3 + 0.5) / 2)
    assert row["relative"] == pytest.approx(0.6)
    assert row["covered"] == pytest.approx(0.25)
    assert (row["repeats"], row["queries"]) == (2, 2)


def test_one_repeat_has_no_spread() -> None:
    scores = sv.experiments.score(frame_of(a=[[0.1, 0.3]]), by=["method"])
    assert np.isnan(scores.mae_error[0])


def test_a_paired_test_sees_a_difference_that_every_repeat_shows() -> None:
    base = np.linspace(0.1, 0.4, 10)
    frame = frame_of(a=[[error, error] for error in base], b=[[error + 0.01, error + 0.03] for error in base])
    (row,) = sv.experiments.paired(frame, "a", "b").to_dict("records")
    assert row["difference"] == pytest.approx(-0.02)
    assert row["p"] == pytest.approx(2 / 2**10)
    assert row["pairs"] == 10
    (other,) = sv.experiments.paired(frame, "b", "a", by=["epsilon"]).to_dict("records")
    assert (other["epsilon"], other["difference"]) == (1.0, pytest.approx(0.02))


def test_what_cannot_be_paired_says_why() -> None:
    frame = frame_of(a=[[0.1]], b=[[0.2]])
    with pytest.raises(sv.ExperimentError, match="no method c; it has a, b"):
        sv.experiments.paired(frame, "a", "c")
    with pytest.raises(sv.ExperimentError, match="run more repeats"):
        sv.experiments.paired(frame, "a", "b")
    with pytest.raises(sv.ExperimentError, match="no column error"):
        sv.experiments.score(frame.drop(columns="error"), by=["method"])


def test_signs_at_random_are_rarely_told_apart_and_many_pairs_are_drawn() -> None:
    """Seed 1: of 200 samples without a difference 5 % have p up to 0.05; 11 % are four standard errors above."""
    generator = np.random.default_rng(1)
    found = [sign_flip_p(generator.normal(size=8)) for _ in range(200)]
    assert np.mean(np.array(found) <= 0.05) < 0.11
    assert sign_flip_p(generator.normal(size=40)) > 0.001
    assert sign_flip_p(np.full(40, 0.1)) < 0.001
