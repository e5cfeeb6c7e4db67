"""Direct answers: what the reports themselves say, beyond the model.

A query is a product of weights of levels, f_j for each attribute it names; in Walsh functions f_j = sum_u f_ju wal_u.
On attributes that were asked together the answer is the model's plus

    sum_j sum_u f_ju r_u (E[others] - sum_k (E f_k - f_k0) E[others but k])  +  sum_jk sum_uv f_ju f_kv r_uv E[others],

where r is measured minus model, of the means of functions and of products of two. It is unbiased up to functions that
nobody was asked for, whose prior variance is added; the rest of its variance is the channels' and is exact (noise.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.moments import Asked
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.posterior import Products, Terms, parts_of
from sottovoce.mechanisms.spectral.prior import pair_prior, single_prior
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs


@dataclass(frozen=True, slots=True)
class Layout:
    """All bands of all attributes, the constant first: attribute and number of each, and where functions belong."""

    attribute: NDArray[np.intp]
    band: NDArray[np.intp]
    functions: NDArray[np.intp]

    @classmethod
    def of(cls, bands: Sequence[int]) -> Layout:
        """Return the layout of so many bands of each attribute."""
        attribute = np.array([-1, *(index for index, own in enumerate(bands) for _ in range(own))], dtype=np.intp)
        band = np.array([0, *(number for own in bands for number in range(own))], dtype=np.intp)
        return cls(attribute, band, np.repeat(np.arange(len(band)), np.where(attribute < 0, 1, 1 << band)))

    def of_attribute(self, index: int) -> NDArray[np.intp]:
        """Return the bands of an attribute."""
        return np.flatnonzero(self.attribute == index)


class Direct:
    """What reports say of sums of products, beyond a mixture.

    Args:
        axes: The attributes.
        weights: The mixture's weights.
        factors: Its distributions, components by levels.
        residual: Measured minus model for all functions of all attributes, the constant first; zero if not asked.
        measured: The variance of a measured coefficient, by bands, the constant first; zero where nobody was asked.
        noise: How far chance moves what was measured.
    """

    def __init__(
        self,
        axes: Sequence[Axis],
        weights: Floats,
        factors: Sequence[Floats],
        residual: Floats,
        measured: Floats,
        noise: Noise,
    ) -> None:
        self._axes, self._weights, self._factors = list(axes), weights, list(factors)
        self._residual, self._measured, self._noise = residual, measured, noise
        self._layout = Layout.of([axis.bands for axis in axes])

    def spread(self, count: int, products: Products, sums: Floats) -> tuple[Floats, Floats]:
        """Return what the reports say of each sum beyond the model, and its variance: infinite if not asked together.

        Args:
            count: How many products there are.
            products: For each attribute that some product names: which products, and their weights over its levels.
            sums: How much of every product (columns) goes into each sum (rows).
        """
        shift, variance = np.zeros(len(sums)), np.zeros(len(sums))
        together = np.ones(len(sums), dtype=bool)
        terms = Terms(self._weights, self._factors, count, products)
        functions, own = self._functions(count, products)
        for part, members, amounts in parts_of(sums, sum(axis.size for axis in self._axes)):
            together[part] &= ~((amounts != 0) & (terms.named.sum(axis=0)[members] > 2)).any(axis=1)
            weights: dict[tuple[int, ...], Floats] = {}
            for attributes, others in terms.of(1, 2):
                factor = others
                if len(attributes) == 1:
                    # the mean of a product is measured itself, so an error here leaves it as it is
                    for other in set(functions) - set(attributes):
                        both = terms.named[[*attributes, other]].all(axis=0)
                        factor = factor - np.where(both, own[other] * terms.without((*attributes, other)), 0.0)
                scaled = amounts * factor[members]
                if not scaled.any():
                    continue
                vectors = [functions[index][members] for index in attributes]
                if len(attributes) == 1:
                    total = np.einsum("fk,fku->fu", scaled, vectors[0])[:, None, :]
                else:
                    total = (scaled[:, :, None] * vectors[0]).transpose(0, 2, 1) @ vectors[1]
                    if not self._asked_together(*attributes):
                        together[part] &= ~scaled.any(axis=1)
                beyond, unasked = self._one(attributes, total)
                shift[part] += beyond
                variance[part] += unasked
                weights[attributes] = total[:, 0] if len(attributes) == 1 else total
            if together[part].any():
                variance[part] += self._noise.variance(weights, len(part))
        return shift, np.where(together, variance, np.inf)

    def _one(self, attributes: tuple[int, ...], total: Floats) -> tuple[Floats, Floats]:
        """Return the shift and the variance of what nobody was asked, of coefficients with these weights."""
        named = (-1, *attributes) if len(attributes) == 1 else attributes  # the constant beside one attribute
        bands, indices, starts = zip(*(self._places[index] for index in named), strict=True)
        energy = total**2
        for axis, own in enumerate(starts):
            energy = np.add.reduceat(energy, own, axis=axis + 1)
        where = np.ix_(*bands)
        unasked = np.where(self._measured[where] > 0, 0.0, self._prior[where])
        shift = (total * self._residual[np.ix_(*indices)]).sum(axis=(1, 2))
        return shift, (energy * unasked).sum(axis=(1, 2))

    @cached_property
    def _places(self) -> dict[int, tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
        """For each attribute, and the constant as -1: its bands, its functions, and where each band's begin there."""
        found = {}
        for index in range(-1, len(self._axes)):
            bands = np.array([0]) if index < 0 else self._layout.of_attribute(index)
            functions = np.flatnonzero(np.isin(self._layout.functions, bands))
            found[index] = bands, functions, np.searchsorted(self._layout.functions[functions], bands)
        return found

    @cached_property
    def _prior(self) -> Floats:
        """The design's prior variance of every coefficient, by bands."""
        size = len(self._layout.band)
        prior = np.zeros((size, size))
        prior[0, 1:] = prior[1:, 0] = single_prior(self._axes)
        prior[1:, 1:] = pair_prior(self._axes)
        return prior

    @cached_property
    def _expansions(self) -> list[Floats]:
        """For each attribute the matrix from weights of levels to weights of Walsh functions, the constant first."""
        variance = np.where(self._measured > 0, self._measured, self._prior)
        result = []
        for index, axis in enumerate(self._axes):
            own = self._layout.of_attribute(index)
            others = np.flatnonzero((self._layout.attribute != index) & (self._layout.attribute >= 0))
            # what a weight on a function costs: its own variance and the mean one of its products with others
            cost = variance[0, own] + (variance[np.ix_(own, others)].mean(axis=1) if others.size else 0.0)
            result.append(expansion(axis, np.concatenate([[1e-6], np.repeat(cost, 1 << np.arange(axis.bands))])))
        return result

    def _functions(self, count: int, products: Products) -> tuple[dict[int, Floats], dict[int, Floats]]:
        """Return weights of Walsh functions, the constant left out, and the model's mean less the constant."""
        functions, means = {}, {}
        for index in sorted(products):
            queries, weights = products[index]
            expanded = weights @ self._expansions[index].T
            functions[index] = np.zeros((count, expanded.shape[1] - 1))
            functions[index][queries] = expanded[:, 1:]
            means[index] = np.zeros(count)
            means[index][queries] = weights @ (self._weights @ self._factors[index]) - expanded[:, 0]
        return functions, means

    def _asked_together(self, first: int, second: int) -> bool:
        where = np.ix_(self._layout.of_attribute(first), self._layout.of_attribute(second))
        return bool((self._measured[where] > 0).any())


def model_moments(axes: Sequence[Axis], asked: Asked, weights: Floats, factors: Sequence[Floats]) -> Floats:
    """Return a mixture's means of all functions asked and of their products, as `Moments` holds them.

    Args:
        axes: The attributes.
        asked: Which functions of each attribute were asked.
        weights: The mixture's weights.
        factors: For each attribute its distributions, components by levels.

    Returns:
        A symmetric matrix of all functions, the constant first.
    """
    # E[wal_u wal_v] = sum_r weight_r m_ru m_rv, m_ru the mean of function u in component r
    inside = np.ones((asked.size, len(weights)))
    for index, axis in enumerate(axes):
        inside[asked.indices(index)] = walsh_signs(axis.size, asked.bands[index])[:, 1:].T @ factors[index].T
    return np.asarray((inside * weights) @ inside.T)


def measured_by_band(axes: Sequence[Axis], asked: Asked, information: Floats) -> Floats:
    """Return the mean variance of a measured coefficient for all bands of all attributes, zero where nobody was asked.

    Args:
        axes: The attributes.
        asked: Which functions of each attribute were asked.
        information: One over the variance of each coefficient of these, the constant first; zero if not asked.
    """
    whole, layout = Layout.of([axis.bands for axis in axes]), Layout.of(asked.bands)
    rows, columns = np.nonzero(information)
    variance, count = np.zeros((2, len(layout.band), len(layout.band)))
    np.add.at(variance, (layout.functions[rows], layout.functions[columns]), 1 / information[rows, columns])
    np.add.at(count, (layout.functions[rows], layout.functions[columns]), 1)
    numbers = {key: number for number, key in enumerate(zip(whole.attribute, whole.band, strict=True))}
    of = np.array([numbers[key] for key in zip(layout.attribute, layout.band, strict=True)])
    result = np.zeros((len(whole.band), len(whole.band)))
    result[np.ix_(of, of)] = variance / np.maximum(count, 1)
    return result


def expansion(axis: Axis, cost: Floats) -> Floats:
    """Return the matrix from weights of levels to weights of all Walsh functions that is cheapest.

    Where the size is no power of two the functions are more than the levels, and many sums of them are the same
    weights; of those the one is taken whose squares, times the cost of each function, add up to the least.
    """
    signs = walsh_signs(axis.size, axis.bands)
    # minimum of sum cost_u c_u^2 with signs c = weights: c = C^-1 S' (S C^-1 S')^-1 weights (Lagrange)
    scaled = signs.T / cost[:, None]
    return np.asarray(scaled @ np.linalg.inv(signs @ scaled))
