"""Moments: what reports on signs say of the means of Walsh functions and of their products.

All reports are pooled into symmetric matrices over every function that was asked of any attribute, the constant
first: row 0 holds the means of single functions, the rest the means of products. One holds unbiased estimates, another
their information (the inverse of the variance, were all means zero). Products of three attributes are not kept.

A question shows of each record one of C combinations of signs, of which K occur, through randomised response with
attenuation tau. With counts c of n reports and H the signs of all products (a Walsh-Hadamard transform), the estimate
is ``(H c / n - (1 - tau) / K * H reached) / tau``; its second part vanishes where every combination occurs. The
variance is ``(1 - tau^2 m^2) / (n tau^2)`` for a product of mean m, and two products u and v of one question have the
covariance ``(tau m_uv - tau^2 m_u m_v) / (n tau^2)``, m_uv being the mean of their product. As the design's questions
are about e^epsilon cells wide, tau is about a half whatever epsilon is: both corrections stay below a quarter of m^2
and a half of m_uv. What they add to the variance of a sum of estimates is in noise.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.patterns import spans
from sottovoce.plan.bin_maps import walsh_cosets

_SHORT = 64  # up to so many numbers are transformed by one product of matrices


@dataclass(frozen=True, slots=True)
class Shown:
    """What the questions of one family show: every combination of one table of each attribute.

    Attributes:
        attributes: The attributes, in the order of the cells' digits.
        functions: For each attribute its tables by the functions that they list.
        parity: Whether only the products of the first functions, of the second functions, ... of all are shown.
        reached: For each attribute its tables by the combinations of signs that some level has.
    """

    attributes: tuple[int, ...]
    functions: tuple[NDArray[np.intp], ...]
    parity: bool
    reached: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(
        cls,
        attributes: Sequence[int],
        tables: Sequence[Sequence[tuple[int, ...]]],
        sizes: Sequence[int],
        *,
        parity: bool = False,
    ) -> Shown:
        """Return what is shown by tables, given as tuples of functions, over attributes of these sizes.

        Args:
            attributes: The attributes of a family, in the order of the cells' digits.
            tables: For each of them its tables, as the numbers of the Walsh functions whose signs a bin stands for.
            sizes: How many levels every attribute of the schema has.
            parity: Whether only products over all attributes are shown.
        """
        reached = []
        for attribute, own in zip(attributes, tables, strict=True):
            occurs = np.zeros((len(own), 1 << len(own[0])), dtype=np.bool_)
            for row, functions in enumerate(own):
                occurs[row, list(walsh_cosets((sizes[attribute], *functions)))] = True
            reached.append(occurs)
        return cls(tuple(attributes), tuple(np.array(own, np.intp) for own in tables), parity, tuple(reached))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of tables of each attribute."""
        return tuple(len(functions) for functions in self.functions)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of combinations of signs of each attribute."""
        return tuple(1 << functions.shape[1] for functions in self.functions)

    @property
    def combinations(self) -> int:
        """The number of combinations of signs of all, or of parities."""
        return self.widths[0] if self.parity else int(np.prod(self.widths))

    def occurring(self) -> NDArray[np.bool_]:
        """Return which combinations occur: tables of each attribute, then combinations."""
        result = np.ones((1,) * len(self.shape) + (1,), dtype=np.bool_)
        if self.parity:
            return np.broadcast_to(result, (*self.shape, self.combinations))
        for index, own in enumerate(self.reached):
            shape = [1] * len(self.shape)
            shape[index] = len(own)
            result = (result[..., :, None] & own.reshape(*shape, 1, -1)).reshape(
                *np.broadcast_shapes(result.shape[:-1], tuple(shape)), -1
            )
        return result

    def counted(self, table: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return counts by combination, from counts of questions by codes: the k-th code is the k-th that occurs."""
        where = self.occurring()
        counts = np.zeros(where.shape, dtype=np.int64)
        codes = where.sum(axis=-1, keepdims=True)
        counts[where] = table.reshape(*self.shape, -1)[np.arange(table.shape[-1]) < codes]
        return counts


@dataclass(frozen=True, slots=True)
class Asked:
    """The functions that a design asks: for each attribute how many bands, and where its functions stand."""

    bands: tuple[int, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, attributes: int, blocks: Sequence[Shown]) -> Asked:
        """Return what the blocks ask."""
        bands = [0] * attributes
        for block in blocks:
            for attribute, functions in zip(block.attributes, block.functions, strict=True):
                bands[attribute] = max(bands[attribute], int(functions.max()).bit_length())
        return cls.full(bands)

    @classmethod
    def full(cls, bands: Sequence[int]) -> Asked:
        """Return what asks so many bands of each attribute."""
        starts = np.cumsum([1] + [(1 << own) - 1 for own in bands])
        return cls(tuple(bands), tuple(starts.tolist()))

    @property
    def size(self) -> int:
        """The number of functions of all attributes, and the constant."""
        return self.starts[-1]

    def indices(self, attribute: int, band: int | None = None) -> NDArray[np.intp]:
        """Return where an attribute's functions stand: all that are asked, or those of one band."""
        if band is None:
            return np.arange(self.starts[attribute], self.starts[attribute + 1])
        first = self.starts[attribute] - 1 + (1 << band)
        return np.arange(first, first + (1 << band))


@dataclass(frozen=True, slots=True)
class Moments:
    """Unbiased estimates of the functions' joint moments, and their information; zero where nobody was asked.

    Attributes:
        estimate: The estimates.
        information: The inverse of their variances, were the true moments zero: reports times squared attenuation.
    """

    estimate: Floats
    information: Floats


def pool(
    asked: Asked, blocks: Sequence[Shown], counts: Sequence[NDArray[Any]], attenuations: Sequence[Floats | float]
) -> Moments:
    """Return the moments of all reports.

    Args:
        asked: Where functions stand.
        blocks: The blocks asked.
        counts: For each block an array: one axis per attribute for its tables, the combinations of signs last.
        attenuations: For each block, the factor by which its channel shrinks the mean of a sign, by question or for
            all.
    """
    found = [
        part
        for block, tally, given in zip(blocks, counts, attenuations, strict=True)
        for part in _by_product(asked, block, _sums(block, tally, given))
    ]
    indices = np.concatenate([index.ravel() for index, _ in found])
    total, information = (
        _symmetric(indices, np.concatenate([values[part].ravel() for _, values in found]), asked.size)
        for part in range(2)
    )
    estimate = np.divide(total, information, out=np.zeros_like(total), where=information > 0)
    return Moments(estimate, information)


def _sums(block: Shown, tally: NDArray[Any], given: Floats | float) -> Floats:
    """Return what each question says of each product: estimate times information, and information."""
    where = block.occurring()
    left = np.broadcast_to(np.asarray(given, dtype=np.float64), block.shape)[..., None]
    reports = tally.sum(axis=-1, keepdims=True)
    # of r reports a part 1 - tau is uniform over the combinations that occur; the rest follows the truth
    expected = np.where(where, reports * (1 - left) / where.sum(axis=-1, keepdims=True), 0.0)  # of answers by chance
    # weighted least squares: estimate = sum(signs) / (tau r), information = tau^2 r, so their product is tau * sum
    weighted = left * hadamard(tally - expected)
    information = np.broadcast_to(left**2 * reports, weighted.shape)
    return np.stack([weighted, information])


def _symmetric(indices: NDArray[np.intp], values: Floats, size: int) -> Floats:
    """Return the sums of the values at indices of one triangle as a symmetric matrix."""
    matrix = np.bincount(indices, values, size * size).reshape(size, size)
    return np.asarray(matrix + matrix.T)


def _by_product(asked: Asked, block: Shown, values: Floats) -> list[tuple[NDArray[np.intp], Floats]]:
    """Return the values of every product of at most two attributes' functions, with its index in the moments.

    ``values`` is by kind, by tables of each attribute, then by product: the digits of its number say which functions.
    """
    columns = [
        np.where(own > 0, asked.starts[attribute] - 1 + own, 0)
        for attribute, own in zip(block.attributes, map(spans, block.functions), strict=True)
    ]
    if block.parity:
        first, second = columns
        return [(asked.size * first[:, None, 1:] + second[None, :, 1:], values[..., 1:])]
    many = len(block.shape)
    # digit 0 of an attribute stands for its constant: a product of two has zeros for all other attributes
    split = values.reshape(-1, *block.shape, *block.widths)
    found = [(columns[index][:, 1:], _only(split, many, (index,))[:, :, 1:]) for index in range(many)]
    for one, other in combinations(range(many), 2):
        both = asked.size * columns[one][:, None, 1:, None] + columns[other][None, :, None, 1:]
        found.append((both, _only(split, many, (one, other))[:, :, :, 1:, 1:]))
    return found


def _only(split: Floats, many: int, kept: tuple[int, ...]) -> Floats:
    """Return the products of the kept attributes' functions alone, summed over the others' tables."""
    alone = tuple(slice(None) if axis in kept else 0 for axis in range(many))
    products = split[(slice(None),) * (1 + many) + alone]
    return np.asarray(products.sum(axis=tuple(1 + axis for axis in range(many) if axis not in kept)))


def hadamard(counts: NDArray[Any]) -> Floats:
    """Return the counts' sums with the signs of every product, over the last axis, of a power of two.

    Example:
        >>> hadamard(np.array([4, 3, 2, 1]))
        array([10.,  2.,  4.,  0.])
    """
    length = counts.shape[-1]
    if length <= _SHORT:
        return np.asarray(counts @ sylvester(length))
    # H(2n) = H(2) x H(n): halves of the codes first, then sums and differences of them
    halves = hadamard(counts.reshape(*counts.shape[:-1], 2, length // 2))
    return np.concatenate([halves[..., 0, :] + halves[..., 1, :], halves[..., 0, :] - halves[..., 1, :]], axis=-1)


@lru_cache
def sylvester(size: int) -> Floats:
    """Return the matrix of the Walsh-Hadamard transform of so many numbers, a power of two."""
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix
