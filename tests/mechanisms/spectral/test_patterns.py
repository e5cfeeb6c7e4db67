"""Patterns: groups of functions that cover their bands evenly, whatever their leads."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.patterns import (
    basis_count,
    lead_masses,
    leads_of,
    pair_masses,
    pattern_bases,
    pattern_bins,
    spans,
)
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.bin_maps import BinMap, reaches_all

EVERY = [leads for count in range(1, 7) for leads in combinations(range(6), count)]
SOME = [(7,), (6, 7), (0, 7), (2, 5, 8), (9, 10), (0, 1, 2, 9)]


@pytest.mark.parametrize("leads", EVERY + SOME, ids=str)
def test_every_function_of_a_band_is_in_as_many_groups_as_any_other(leads):
    tables = pattern_bases(leads)
    assert len(tables) == len(set(tables)) == basis_count(leads)
    assert {leads_of(functions) for functions in tables} == {leads}
    seen = Counter(spans(np.array(tables))[:, 1:].ravel().tolist())
    for lead, mass in lead_masses(leads):
        times = {seen.pop(function) for function in range(1 << lead, 2 << lead)}
        assert times == {len(tables) * mass / (1 << lead)}
    assert not seen


@pytest.mark.parametrize("leads", EVERY[:40] + SOME[:4], ids=str)
def test_in_a_whole_list_every_product_is_every_function_of_its_band(leads):
    tables = pattern_bases(leads, whole=True)
    assert len(tables) == basis_count(leads, whole=True)
    for functions in spans(np.array(tables)).T[1:]:
        band = int(functions[0]).bit_length() - 1
        seen = Counter(functions.tolist())
        assert seen == dict.fromkeys(range(1 << band, 2 << band), len(tables) >> band)


@pytest.mark.parametrize(("size", "functions"), [(64, 6), (50, 2), (50, 1), (97, 2), (125, 5), (3, 2), (5, 2)])
def test_where_all_combinations_are_sure_to_occur_they_do(size, functions):
    bits = (size - 1).bit_length()
    bins = [
        BinMap(walsh=(size, *own)).bins
        for leads in combinations(range(bits), functions)
        for own in pattern_bases(leads, whole=True)[:50]
    ]
    assert not reaches_all(size, functions) or set(bins) == {1 << functions}
    assert reaches_all(size, functions) == ((size, functions) not in {(3, 2), (5, 2)})


def test_the_order_of_leads_is_the_order_of_functions():
    assert [functions[::-1] for functions in pattern_bases((1, 3))] == list(pattern_bases((3, 1)))


def test_one_function_each_is_asked_in_the_order_of_its_number():
    assert [functions for (functions,) in pattern_bases((4,))] == list(range(16, 32))


def test_products_of_functions_are_functions():
    signs = walsh_signs(16, 4)
    (products,) = spans(np.array([[5, 9, 2]]))
    for chosen, product in enumerate(products):
        expected = np.prod([signs[:, f] for index, f in enumerate((5, 9, 2)) if chosen >> (2 - index) & 1], axis=0)
        np.testing.assert_array_equal(signs[:, product], np.broadcast_to(expected, 16))


@pytest.mark.parametrize(
    ("first", "second"), [((0, 2), (1, 3)), ((0, 2), (3, 1)), ((0, 1, 4), (5, 2, 0)), ((3,), (2,))]
)
def test_parities_show_the_products_of_functions_at_the_same_places(first, second):
    one, other = (spans(np.array(pattern_bases(leads)[:1]))[0, 1:] for leads in (first, second))
    bands = Counter(zip(map(band, one), map(band, other), strict=True))
    assert bands == pair_masses(first, second)


def band(function):
    return int(function).bit_length() - 1


@pytest.mark.parametrize("size", [3, 5, 6, 12, 50, 64])
@pytest.mark.parametrize("leads", [(0,), (0, 1), (1,)], ids=str)
def test_bins_are_counted_where_levels_are_no_power_of_two(size, leads):
    bins = [BinMap(walsh=(size, *functions)).bins for functions in pattern_bases(leads)]
    assert pattern_bins(size, leads) == np.mean(bins)
    assert pattern_bins(size, tuple(range((size - 1).bit_length()))) == size
