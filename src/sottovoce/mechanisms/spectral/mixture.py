"""A mixture of products that has given tables of two attributes: one distribution of whole records for all of them.

Tables of pairs are found one by one (joint.py). A mixture p(x) = sum over components of weight * product of
distributions of levels has them all at once: never negative, additive, and 1 for everybody; and what three or more
attributes do together follows from it.

The dependence of a pair is its table less the product of both sums, in functions that are uncorrelated and of variance
1 over people. A component stands at a point of the space of all these functions; products of its coordinates, averaged
over components, are the dependence. So a factorisation of all dependence together says where components should stand:
at the corners of a cube, along orthogonal columns of signs of which no product of two is a third (a design of
resolution IV), so that pairs come out right and three attributes do nothing beyond them. From there logits are moved by
descent until tables and sums are as given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.descent import descend
from sottovoce.mechanisms.spectral.moments import sylvester

_SUMS_WEIGHT = 50.0  # of a squared relative error of an attribute's own distribution, beside one of dependence
_LEAST_SHARE = 1e-4  # of people at a level, by which its error is divided
_HOLD = 1e-4  # what keeps components from drifting where it makes no difference
_LOOK, _WORTH = 50, 1e-4  # after so many steps each: what they gained at least, or the descent ends
_FACTOR_ROUNDS = 20  # of filling the diagonal of the dependence with what the factors make of it
_BALANCING = 10  # rounds of bringing components' sums to what is given, before the descent and after


@dataclass(frozen=True, slots=True)
class Mixture:
    """Component weights, and one array of distributions per attribute (components by levels)."""

    weights: Floats
    factors: list[Floats]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a mixture should have.

    Attributes:
        levels: The distribution of each attribute.
        functions: For each attribute functions of its levels, of mean zero, uncorrelated and of variance 1.
        dependence: For each pair the means of products of these functions.
    """

    levels: Sequence[Floats]
    functions: Sequence[Floats]
    dependence: Mapping[tuple[int, int], Floats]


def dependence_of(given: Mixture, functions: Sequence[Floats]) -> Floats:
    """Return the covariances of all functions of all attributes between the components of a mixture.

    Args:
        given: The mixture.
        functions: For each attribute functions of its levels, levels by functions.
    """
    means = np.concatenate([own @ function for own, function in zip(given.factors, functions, strict=True)], axis=1)
    centred = means - given.weights @ means
    return np.asarray((centred * given.weights[:, None]).T @ centred)


def mixture(wanted: Wanted, *, components: int, steps: int) -> Mixture:
    """Return a mixture that has what is wanted, as nearly as so many steps bring it.

    Args:
        wanted: Distributions and dependence.
        components: How many components: a power of two.
        steps: How many steps of descent at most.
    """
    problem = _Problem(wanted, components)
    if not problem.width:
        return Mixture(np.ones(1), [own[None] for own in wanted.levels])
    start = problem.start()
    units = problem.units()

    def scaled(moves: Floats) -> tuple[float, Floats]:
        value, gradient = problem(start + units * moves)
        return value, units * gradient

    point, value = start, np.inf
    for number, moves in enumerate(islice(descend(scaled, np.zeros_like(start)), steps), start=1):
        if number % _LOOK == 0 or number == steps:
            point, before = start + units * moves, value
            value = problem(point)[0]
            if before - value < _WORTH:
                break
    problem.balance(point)
    return problem.mixture(point)


class _Problem:
    """Half the squared error of a mixture, as a function of one vector: shifts of levels, coordinates, log weights.

    Args:
        wanted: What the mixture should have.
        components: How many components it has.
        precision: Of exp, which takes a quarter of the time in single precision; what that loses is far below what a
            step gains.
    """

    def __init__(self, wanted: Wanted, components: int, precision: type[np.floating[Any]] = np.float32) -> None:
        self._functions, self._components, self._precision = wanted.functions, components, precision
        # the levels of all attributes stand in one row, as do their functions
        self._levels = np.concatenate(wanted.levels)
        self._logits = np.log(np.maximum(self._levels, 1e-12))
        self._sizes = [len(own) for own in wanted.levels]
        self._of_levels = _slices(self._sizes)
        self._of_functions = _slices([own.shape[1] for own in wanted.functions])
        self.width = self._of_functions[-1].stop
        self._dependence = np.zeros((self.width, self.width))
        self._between = np.ones((self.width, self.width))
        for own in self._of_functions:
            self._between[own, own] = 0.0
        for (one, other), block in wanted.dependence.items():
            where = self._of_functions[one], self._of_functions[other]
            self._dependence[where], self._dependence[where[::-1]] = block, block.T

    def mixture(self, point: Floats) -> Mixture:
        """Return the mixture at a point."""
        weights, table = self._at(point, np.float64)
        return Mixture(weights, [table[:, part] for part in self._of_levels])

    def _at(self, point: Floats, precision: type[np.floating[Any]]) -> tuple[Floats, Floats]:
        """Return weights, and components' distributions of all attributes side by side."""
        shifts, coordinates, logs = self._parts(point)
        weights = np.exp(logs - logs.max())
        logits = self._by_level(coordinates) + (self._logits + shifts)
        logits -= self._each(np.maximum, logits)
        table = np.exp(logits.astype(precision)).astype(np.float64)
        table /= self._each(np.add, table)
        return weights / weights.sum(), table

    def _by_level(self, coordinates: Floats) -> Floats:
        """Return sums of functions of the level, components by levels, from how much of each there is."""
        found = np.empty((len(coordinates), len(self._levels)))
        for part, of, functions in self._attributes():
            np.matmul(coordinates[:, of], functions.T, out=found[:, part])
        return found

    def _by_function(self, levels: Floats) -> Floats:
        """Return the sums of functions over levels with given weights, components by functions."""
        found = np.empty((len(levels), self.width))
        for part, of, functions in self._attributes():
            np.matmul(levels[:, part], functions, out=found[:, of])
        return found

    def _attributes(self) -> Iterator[tuple[slice, slice, Floats]]:
        return zip(self._of_levels, self._of_functions, self._functions, strict=True)

    def _each(self, reduce: np.ufunc, table: Floats) -> Floats:
        """Return the sums, or the like, over each attribute's levels, in the place of each level."""
        starts = [part.start for part in self._of_levels]
        return np.repeat(reduce.reduceat(table, starts, axis=1), self._sizes, axis=1)

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        _, coordinates, logs = self._parts(point)
        weights, table = self._at(point, self._precision)
        means = self._by_function(table)
        centred = means - weights @ means
        # every pair stands in both triangles
        off = self._between * ((centred * weights[:, None]).T @ centred - self._dependence)
        error = weights @ table - self._levels
        by_sum = _SUMS_WEIGHT * error / (self._levels + _LEAST_SHARE)
        hold = _HOLD / self._components
        value = 0.25 * float((off * off).sum()) + 0.5 * float(error @ by_sum)
        value += 0.5 * hold * float((coordinates * coordinates).sum() + logs @ logs)
        gradient = np.zeros_like(point)
        to_shifts, to_coordinates, to_logs = self._parts(gradient)
        back = centred @ off
        by_weight = 0.5 * (centred * back).sum(axis=1) + table @ by_sum
        by_table = self._by_level(back) + by_sum
        # the softmax's Jacobian: dp_i/dl_j = p_i (1{i=j} - p_j)
        by_logit = weights[:, None] * table * (by_table - self._each(np.add, table * by_table))
        to_shifts[:] = by_logit.sum(axis=0)
        to_coordinates[:] = self._by_function(by_logit) + hold * coordinates
        to_logs[:] = weights * (by_weight - weights @ by_weight) + hold * logs
        return value, gradient

    def start(self) -> Floats:
        """Return the point from which to descend: components at the corners that the factors of dependence span."""
        columns = _columns(self._components)
        factors = self._factors(min(columns.shape[1], self.width))
        point = np.zeros(self._of_levels[-1].stop + self._components * (self.width + 1))
        shifts, coordinates, _ = self._parts(point)
        coordinates[:] = columns[:, : factors.shape[1]] @ factors.T
        for part, of, functions in self._attributes():
            # components move mass apart; what they have in common is as much narrower
            shifts[part] = -0.5 * ((functions @ factors[of]) ** 2).sum(axis=1)
        self.balance(point)
        return point

    def balance(self, point: Floats) -> None:
        """Move shifts of levels until components together have the given distributions."""
        shifts, _, _ = self._parts(point)
        for _ in range(_BALANCING):
            weights, table = self._at(point, np.float64)
            shifts += self._logits - np.log(np.maximum(weights @ table, 1e-12))

    def units(self) -> Floats:
        """Return by how much to move each number for the value to bend about as much along all of them."""
        rare = 1 / np.sqrt(_SUMS_WEIGHT * self._levels + 1e-3)
        root = np.sqrt(self._components)
        return np.concatenate(
            [rare, np.full(self._components * self.width, 1.5 * root), np.full(self._components, root / 2)]
        )

    def _factors(self, count: int) -> Floats:
        """Return factors whose products come near to the dependence between attributes."""
        filled, factors = self._dependence, np.zeros((self.width, count))
        for _ in range(_FACTOR_ROUNDS):
            values, vectors = np.linalg.eigh(filled)
            factors = vectors[:, : -count - 1 : -1] * np.sqrt(np.maximum(values[: -count - 1 : -1], 0.0))
            # the dependence of an attribute on itself is whatever suits the factors
            filled = np.where(self._between > 0, self._dependence, factors @ factors.T)
        return factors

    def _parts(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        first = self._of_levels[-1].stop
        second = first + self._components * self.width
        return point[:first], point[first:second].reshape(self._components, self.width), point[second:]


def _slices(sizes: Sequence[int]) -> list[slice]:
    return [slice(*ends) for ends in pairwise(np.cumsum([0, *sizes]).tolist())]


def _columns(count: int) -> Floats:
    """Return columns of signs, orthogonal to each other and to one, no product of two of which is a third."""
    # of the Walsh-Hadamard matrix those whose number has an odd count of ones: the product of two has an even count
    numbers = sorted((number for number in range(count) if number.bit_count() % 2), key=lambda n: (n.bit_count(), n))
    return np.asarray(sylvester(count)[:, numbers])
