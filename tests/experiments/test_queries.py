"""Query sets are drawn as described, and their true answers are exact."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.experiments.queries import QuerySet, draw_queries
from sottovoce.experiments.specs import QuerySpec
from sottovoce.experiments.true_answers import count_inside
from tests.experiments.query_sets import draw


@pytest.mark.parametrize("volume", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_random_queries_have_the_dimension_and_volume_asked_for(dimension: int, volume: float) -> None:
    queries = draw(QuerySpec(dimension=dimension, volume=volume, count=50, aligned=False))
    assert queries.attributes.shape == (50, dimension)
    assert (np.diff(queries.attributes, axis=1) > 0).all()
    assert (queries.highs - queries.lows + 1 == round(volume * 64)).all()
    assert queries.lows.min() >= 0
    assert queries.highs.max() <= 63


def test_by_default_both_ends_lie_on_sixteenths_as_the_authors_have_them() -> None:
    widths = []
    for volume in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        asked = draw(QuerySpec(count=500, volume=volume))
        assert not (asked.lows % 4).any()
        assert not ((asked.highs + 1) % 4).any()
        widths += np.unique(asked.highs - asked.lows + 1).tolist()
    assert widths == [4, 12, 16, 24, 32, 36, 44, 48, 56]
    assert set(draw(QuerySpec(count=500)).lows.ravel().tolist()) == set(range(0, 33, 4))
    assert set(draw(QuerySpec(count=500, aligned=False)).lows.ravel().tolist()) == set(range(33))


def test_sixteenths_of_a_domain_that_has_none_are_refused_with_what_to_do() -> None:
    with pytest.raises(sv.ExperimentError, match=r"a multiple of 16 levels, got 20.*--anywhere"):
        draw(QuerySpec(count=5), levels=20)


def test_the_full_sets_are_as_large_as_the_papers() -> None:
    assert len(draw(QuerySpec(kind="marginals"), attributes=6)) == 61_440
    assert len(draw(QuerySpec(kind="ranges"), attributes=6)) == 15_360


def test_marginals_are_every_cell_and_ranges_every_range_but_the_last_of_every_pair() -> None:
    cells = draw(QuerySpec(kind="marginals"), attributes=3, levels=8)
    assert len(cells) == len(np.unique(np.hstack([cells.attributes, cells.lows]), axis=0)) == 3 * 64
    ranges = draw(QuerySpec(kind="ranges"), attributes=3, levels=8)
    assert len(ranges) == len(np.unique(np.hstack([ranges.attributes, ranges.lows]), axis=0)) == 3 * 16
    assert (ranges.highs - ranges.lows == 3).all()


@pytest.mark.parametrize("kind", ["zero-count", "non-zero-count"])
def test_queries_by_count_hold_nobody_or_somebody(kind: str) -> None:
    records = np.random.default_rng(1).integers(0, 16, (4, 100))
    spec = QuerySpec(kind=kind, dimension=4, volume=0.3, count=30)
    queries = draw_queries(spec, 4, 16, seed=1, count=lambda asked: count_inside(records, 16, asked))
    counts = count_inside(records, 16, queries)
    assert len(queries) == 30
    assert (counts == 0).all() if kind == "zero-count" else (counts > 0).all()


def test_queries_by_count_that_do_not_exist_are_an_error() -> None:
    with pytest.raises(sv.ExperimentError, match="non-zero-count"):
        draw(QuerySpec(kind="non-zero-count", count=5))


@pytest.mark.parametrize(
    "spec", [QuerySpec(kind="odd"), QuerySpec(dimension=5), QuerySpec(volume=0.0), QuerySpec(volume=1.1)]
)
def test_queries_that_cannot_be_are_refused(spec: QuerySpec) -> None:
    with pytest.raises(sv.ExperimentError):
        draw(spec)


def test_ranges_name_attributes_and_both_ends() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7), sv.Ordinal("c", 0, 7)])
    queries = QuerySet(np.array([[0, 2]]), np.array([[1, 3]]), np.array([[4, 6]]))
    assert queries.ranges(schema) == [{"a": (1, 4), "c": (3, 6)}]
