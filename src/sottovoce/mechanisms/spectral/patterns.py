"""Patterns: which Walsh functions of one attribute a question shows together.

Functions multiply by the exclusive or of their numbers, so k of them are the basis of a group of 2^k, and their signs
say which of 2^k **cosets** a level is in. The groups that a design asks are known by their **leads**: the k different
bands of a basis. Such a group holds one function of the lowest lead, two of the next, four of the next, and so on.

`pattern_bases` lists groups with the same leads so that every function of a band is in as many of them as any other:
then a block of questions informs all coefficients of a band alike. The bits of a basis function below its lead that
are no leads themselves are free. Free bits with the same leads above them are filled by ``a * x`` in a finite field of
2^m elements, x standing for the lead and a for the number of the group: multiplication by a function's own x, which is
not zero, is one to one, so as a runs through the field a function's free bits take every value equally often.

In such a list a function says by itself which product of its basis it is. Where products of two attributes are shown
one by one (see `parity_tables`), each must meet every function of the other's band, so there all bits below a lead are
free, leads or not: a **whole** list.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.plan.bin_maps import BinMap, reaches_all

Leads = tuple[int, ...]
"""The bands of a basis, in the order in which a table lists its functions."""

_IRREDUCIBLE = (0, 3, 7, 11, 19, 37, 67, 131, 283, 529, 1033, 2053, 4179)
"""For each m an irreducible polynomial of degree m over two elements, its coefficients as bits."""


def _multiply(left: int, right: int, degree: int) -> int:
    """Return the product of two elements of the field of 2^degree elements."""
    result = 0
    while right:
        if right & 1:
            result ^= left
        left <<= 1
        # x times the polynomial, reduced by the field's irreducible one as soon as it has its degree
        if left >> degree:
            left ^= _IRREDUCIBLE[degree]
        right >>= 1
    return result


def _free_bit_runs(leads: Leads, whole: bool) -> list[tuple[list[int], list[int]]]:
    """Return the free bits, those under the same leads together, each run with these leads in rising order."""
    runs: dict[int, tuple[list[int], list[int]]] = {}
    for bit in range(max(leads)):
        if whole or bit not in leads:
            above = sorted(lead for lead in leads if lead > bit)
            runs.setdefault(len(above), ([], above))[0].append(bit)
    return list(runs.values())


@lru_cache(maxsize=2**14)
def basis_count(leads: Leads, whole: bool = False) -> int:
    """Return how many groups `pattern_bases` lists.

    Example:
        >>> basis_count((0, 1, 2)), basis_count((3,)), basis_count((3, 4, 5)), basis_count((1, 2, 3))
        (1, 8, 8, 8)
    """
    # a field of 2^m elements for every run, m large enough for its free bits and for its leads
    return 1 << sum(max(len(free), len(above)) for free, above in _free_bit_runs(leads, whole))


@lru_cache(maxsize=2**12)
def pattern_bases(leads: Leads, whole: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return bases of groups with these leads, every function of their bands in equally many.

    Where ``whole``, every product of a basis is every function of its band equally often.

    Example:
        >>> pattern_bases((2,))
        ((4,), (5,), (6,), (7,))
        >>> pattern_bases((0, 2))
        ((1, 4), (1, 6))
        >>> pattern_bases((0, 1)), pattern_bases((0, 1), whole=True)
        (((1, 2),), ((1, 2), (1, 3)))
    """
    runs = _free_bit_runs(leads, whole)
    degrees = [max(len(free), len(above)) for free, above in runs]
    tables = []
    for multipliers in product(*(range(1 << degree) for degree in degrees)):
        functions = {lead: 1 << lead for lead in leads}
        for (free, above), degree, multiplier in zip(runs, degrees, multipliers, strict=True):
            for index, lead in enumerate(above):
                # multiplying by every element of a finite field gives every filling once: equal coverage
                filling = _multiply(multiplier, 1 << index, degree)
                functions[lead] |= sum((filling >> bit & 1) << position for bit, position in enumerate(free))
        tables.append(tuple(functions[lead] for lead in leads))
    return tuple(tables)


def parity_needs_whole(first: Leads, second: Leads) -> tuple[bool, bool]:
    """Return whether the list of either attribute of a parity must be whole.

    Where leads rise in both, the bands of a product are known from either factor: one whole list meets all functions.
    """
    return list(second) != sorted(second), len(second) > 1


def leads_of(functions: Sequence[int]) -> Leads:
    """Return the bands of the functions of a table; they are its leads where it came from `pattern_bases`."""
    return tuple(function.bit_length() - 1 for function in functions)


def spans(functions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return all products of each row's functions: column x holds that of the functions at the bits of x.

    The first function stands at the highest bit, as it does in a bin's number.

    Example:
        >>> spans(np.array([[1, 6]]))
        array([[0, 6, 1, 7]])
    """
    result = np.zeros((len(functions), 1), dtype=np.intp)
    for column in functions.T:
        # wal(u) wal(v) = wal(u xor v): products are exclusive ors of the functions' numbers
        result = np.stack([result, result ^ column[:, None]], axis=2).reshape(len(functions), -1)
    return result


def lead_masses(leads: Leads) -> list[tuple[int, int]]:
    """Return for every lead how many functions of its band a group holds.

    Example:
        >>> lead_masses((3, 0))
        [(0, 1), (3, 2)]
    """
    return [(lead, 1 << index) for index, lead in enumerate(sorted(leads))]


@lru_cache(maxsize=2**12)
def pair_masses(first: Leads, second: Leads) -> dict[tuple[int, int], int]:
    """Return how many products a parity of two tables shows of each pair of bands: x-th function times x-th function.

    Example:
        >>> pair_masses((0, 2), (1, 3)), pair_masses((0, 2), (3, 1))
        ({(0, 1): 1, (2, 3): 2}, {(0, 3): 1, (2, 1): 1, (2, 3): 1})
    """
    masses: dict[tuple[int, int], int] = {}
    for chosen in range(1, 1 << len(first)):
        indices = [index for index in range(len(first)) if chosen >> index & 1]
        # the product of some functions is in the band of the highest lead among them
        bands = max(first[index] for index in indices), max(second[index] for index in indices)
        masses[bands] = masses.get(bands, 0) + 1
    return masses


@lru_cache(maxsize=2**12)
def pattern_bins(size: int, leads: Leads) -> float:
    """Return how many bins a table of this pattern has over so many levels: the mean over its tables."""
    if reaches_all(size, len(leads)):
        return float(1 << len(leads))
    if len(leads) == Axis(size).bands:
        return float(size)
    tables = pattern_bases(leads)
    return float(np.mean([BinMap(walsh=(size, *functions)).bins for functions in tables[:: max(1, len(tables) // 16)]]))
