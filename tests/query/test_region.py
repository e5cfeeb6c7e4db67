"""Regions are sets of points: what is in both, in either, in neither, and how much of every level."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.query.region import Region, complement, intersect, interval, region_weights, unite

LEVELS = 6
QUARTERS = np.arange(4 * LEVELS)
"""The quarters of all levels, each known by its start: ends at quarters cut none of them in two."""

regions = st.lists(st.booleans(), min_size=4 * LEVELS, max_size=4 * LEVELS)


def points(region: Region) -> set[int]:
    """Return the quarters that a region holds."""
    return {quarter for quarter in QUARTERS.tolist() for start, stop in region if start <= quarter / 4 < stop}


def region_of(inside: list[bool]) -> Region:
    """Return the region that holds the quarters marked, made quarter by quarter."""
    region: Region = ()
    for quarter in np.flatnonzero(inside).tolist():
        region = unite(interval(quarter / 4, (quarter + 1) / 4), region)
    return region


def assert_in_order(region: Region) -> None:
    """Fail unless stretches are in order, none empty, no two of which overlap or touch."""
    ends = [end for piece in region for end in piece]
    assert ends == sorted(set(ends))


@given(regions)
def test_quarters_put_together_are_one_region_of_them(inside: list[bool]) -> None:
    region = region_of(inside)
    assert points(region) == set(np.flatnonzero(inside).tolist())
    assert_in_order(region)


@given(regions, regions)
def test_both_either_and_neither_are_those_of_sets(first: list[bool], second: list[bool]) -> None:
    one, other = region_of(first), region_of(second)
    both, either, neither = intersect(one, other), unite(one, other), complement(unite(one, other), LEVELS)
    assert points(both) == points(one) & points(other)
    assert points(either) == points(one) | points(other)
    assert points(neither) == set(QUARTERS.tolist()) - points(one) - points(other)
    for region in (both, either, neither):
        assert_in_order(region)


@given(regions)
def test_a_level_weighs_the_part_of_it_that_is_covered(inside: list[bool]) -> None:
    covered = np.array(inside, dtype=float).reshape(LEVELS, 4).mean(axis=1)
    np.testing.assert_allclose(region_weights(region_of(inside), LEVELS), covered, atol=1e-12)


def test_a_stretch_that_ends_where_it_starts_is_nothing() -> None:
    assert interval(2, 2) == interval(3, 1) == ()
    assert complement((), 3) == ((0.0, 3.0),)
    assert complement(((0.0, 3.0),), 3) == ()
