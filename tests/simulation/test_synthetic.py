"""Synthetic crowds have the covariance, spread and shape that they are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import sottovoce as sv
from sottovoce.simulation.synthetic import KINDS, PEOPLE_AT_ONCE, Synthetic, synthesize
from tests.chances import assert_drawn_from

AUTHORS = Path(__file__).parents[2].parent / "shared" / "data" / "authors_range_query.json"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("covariance", [0.0, 0.2, 0.8])
def test_mean_deviation_and_covariance_are_as_asked(kind: str, covariance: float) -> None:
    """Seed 1; a Laplace covariance of 200,000 people has a standard error below 0.006, so 0.03 is five of them."""
    crowd = Synthetic(kind, users=200_000, attributes=3, levels=1024, covariance=covariance, cut=12.0)
    values = (synthesize(crowd, seed=1) + 0.5) * (24 / 1024) - 12
    assert np.abs(values.mean(axis=1)).max() < 0.02
    wanted = np.full((3, 3), covariance) + (1 - covariance) * np.eye(3)
    assert np.abs(np.cov(values) - wanted).max() < 0.03


def test_at_covariance_one_all_attributes_are_the_same() -> None:
    records = synthesize(Synthetic("laplace", users=1000, attributes=4, covariance=1.0), seed=2)
    assert (records == records[0]).all()


def test_laplace_has_heavier_tails_than_normal() -> None:
    """Kurtosis 6 against 3; seed 3, a standard error below 0.1."""
    kurtosis = {}
    for kind in KINDS:
        values = synthesize(Synthetic(kind, users=200_000, attributes=1, levels=1024, cut=12.0), seed=3)[0] - 511.5
        kurtosis[kind] = (values**4).mean() / (values**2).mean() ** 2
    assert 2.8 < kurtosis["normal"] < 3.2
    assert 5.3 < kurtosis["laplace"] < 6.7


def test_values_beyond_the_cut_are_pulled_to_the_edge() -> None:
    records = synthesize(Synthetic("normal", users=10_000, attributes=1, levels=64, cut=1.0), seed=4)
    below, above = (records == 0).mean(), (records == 63).mean()
    assert 0.14 < below < 0.2
    assert 0.14 < above < 0.2


@pytest.mark.parametrize("kind", KINDS)
def test_levels_are_equal_bins_of_the_range_and_follow_the_density(kind: str) -> None:
    """Seed 7, 10^6 people, 64 bins of [-6, 6]: a correct generator fails less than once in 10^9 seeds."""
    records = synthesize(Synthetic(kind, users=1_000_000, attributes=2, covariance=0.3), seed=7)
    edges = np.linspace(-6, 6, 65)[1:-1]
    density = scipy.stats.norm if kind == "normal" else scipy.stats.laplace(scale=0.5**0.5)
    expected = np.diff(density.cdf(edges), prepend=0.0, append=1.0)
    for column in records:
        assert_drawn_from(np.bincount(column, minlength=64), expected)


@pytest.mark.skipif(not AUTHORS.exists(), reason="the authors' answers are not here")
def test_the_authors_answers_are_those_of_the_range_from_minus_6_to_6() -> None:
    """Seed 8: 20 true answers of their Laplace set of 10^6 people, off by sampling alone (rms below 0.001).

    A range of 5.5 would be off by 0.018.
    """
    off = {}
    for cut in (5.5, 6.0):
        crowd = Synthetic("laplace", users=1_000_000, attributes=6, covariance=0.2, cut=cut)
        records = synthesize(crowd, seed=8)
        wrong = []
        for answer in json.loads(AUTHORS.read_text())["answers"]:
            inside = [
                (records[int(place)] >= low) & (records[int(place)] <= high)
                for place, (low, high) in answer["query"].items()
            ]
            wrong.append(np.all(inside, axis=0).mean() - answer["count"] / 1_000_000)
        off[cut] = float(np.sqrt(np.mean(np.square(wrong))))
    assert off[6.0] < 0.001
    assert off[5.5] > 0.01


def test_fewer_attributes_are_the_first_of_more() -> None:
    many = synthesize(Synthetic("laplace", users=500, attributes=5), seed=5)
    few = synthesize(Synthetic("laplace", users=500, attributes=2), seed=5)
    assert np.array_equal(many[:2], few)


def test_blocks_of_people_differ() -> None:
    records = synthesize(Synthetic("normal", users=PEOPLE_AT_ONCE + 1000, attributes=1), seed=6)[0]
    assert not np.array_equal(records[:1000], records[PEOPLE_AT_ONCE:])


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "cauchy"}, {"users": 0}, {"levels": 1}, {"covariance": 1.5}, {"covariance": -0.1}, {"cut": 0.0}],
)
def test_a_crowd_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(sv.SchemaError):
        Synthetic(**({"kind": "normal", "users": 10, "attributes": 2} | wrong))  # type: ignore[arg-type]
