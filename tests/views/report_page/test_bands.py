"""Bands: few rows, cut at round numbers, that together are the whole attribute."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.views.report_page.bands import MOST_ROWS, bands_of


def labels(attribute: sv.Ordinal | sv.Numeric | sv.Categorical) -> list[object]:
    return [label for label, *_ in bands_of(attribute)]


def test_many_integers_are_cut_at_tens_and_a_narrow_end_joins_its_neighbour() -> None:
    tens = [(low, low + 9) for low in range(20, 80, 10)]
    assert labels(sv.Ordinal("age", 15, 86)) == [(15, 19), *tens, (80, 86)]
    assert labels(sv.Ordinal("minutes", 0, 90))[-1] == (80, 90)
    assert labels(sv.Ordinal("age", 18, 97))[0] == (18, 29)


def test_few_values_and_categories_stand_for_themselves() -> None:
    assert labels(sv.Ordinal("marks", 1, 6, nullable=True)) == [1, 2, 3, 4, 5, 6, None]
    many = [f"v{number}" for number in range(30)]
    assert labels(sv.Categorical("place", many)) == many


def test_integers_with_gaps_are_joined_as_they_come() -> None:
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    found = labels(sv.Ordinal("prime", 2, 53, values=primes))
    assert found == [(first, second) for first, second in zip(primes[::2], primes[1::2], strict=True)]


def test_bins_are_joined_where_their_edges_are_round() -> None:
    assert labels(sv.Numeric("cost", 0, 300, bins=60)) == [(low, low + 50) for low in range(0, 300, 50)]


@given(st.integers(-500, 500), st.integers(2, 3000), st.booleans(), st.booleans())
def test_bands_are_few_and_cover_every_level_once(low: int, levels: int, binned: bool, nullable: bool) -> None:
    attribute = (
        sv.Numeric("x", low, low + 2 * levels, bins=levels, nullable=nullable)
        if binned
        else sv.Ordinal("x", low, low + levels - 1, nullable=nullable)
    )
    for rows in (MOST_ROWS, 6):
        found = bands_of(attribute, rows=rows)
        assert len(found) <= rows + 1 + nullable
        covered = [level for *_, start, stop in found for level in range(start, stop)]
        assert covered == list(range(attribute.size))
