"""One attribute alone: the most probable distribution of its levels, given what was counted of them.

Logits are sums of smooth functions of the level, scaled to their prior standard deviations, so that the prior is half
the sum of squares of all unknowns. An attribute may be a smooth bell or stand at a few values: of a few textures the
one is taken under which its counts are the most probable. A few dozen unknowns, so each step solves the linear system
exactly; a spiky distribution takes ten steps where a first-order method takes thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.observations import Functions, SingleCounts, cell_sums
from sottovoce.mechanisms.spectral.patterns import spans
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_MOST_STEPS = 60  # of Newton's method: ten are usual
_TOLERANCE = 1e-4  # of the objective: far below what chance does to it
_NEAR_ENOUGH = 0.05  # the same, where textures are compared
_FIRST_DAMPING = 1e-3  # of Newton's steps, beside the prior's curvature of 1
_LEAST_LEVEL, _SMALL = 1e-6, 1e-3  # a level's share in a start at least; what keeps a start's unknowns small
_MIDDLE = 5  # the texture that is tried first
_MOST_AMPLITUDE = 15.0  # of a function of the basis: its largest prior standard deviation
_UNORDERED_SCALE = 2.0  # prior standard deviation of logits without order, and of "no answer"
_USUAL_SILENCE = 0.1  # the share of "no answer" before any report: one level of many would be a hundredth
_RESOLUTION = 256  # the basis is computed on at most so many cells: people stand at single values of many levels too


@dataclass(frozen=True, slots=True)
class Texture:
    """What is believed of the logits of an ordered attribute.

    Attributes:
        smoothness: The weight of their squared second differences, per 64 levels.
        least: The least amplitude of a basis function: above 0 where single values may stand out.
    """

    smoothness: float
    least: float


TEXTURES = (
    *(Texture(smoothness, least) for smoothness in (5.0, 50.0) for least in (0.0, 0.05, 0.15, 0.5)),
    Texture(500.0, 0.05),
)
"""More and less smooth, and from a curve to spikes at single values; what is very smooth has small ones at most."""


def logit_basis(axis: Axis, texture: Texture) -> Floats:
    """Return functions of the level scaled to their prior standard deviations, smoothest first: levels by functions."""
    if not axis.ordered:
        return _UNORDERED_SCALE * np.eye(axis.size)
    values = axis.size - axis.nullable
    cells = min(values, _RESOLUTION)
    second = np.diff(np.eye(cells), 2, axis=0)
    # eigenvectors of the squared second difference: the discrete cosines, smoothest first
    eigenvalues, vectors = np.linalg.eigh(second.T @ second)
    # a constant, which changes nothing, and a line have no second difference: eigh returns some mixture of the two
    line = np.arange(cells) - (cells - 1) / 2
    vectors[:, 1] = line / np.linalg.norm(line)
    curvature = np.maximum(eigenvalues[1:] * (cells / 64) ** 4, 0.5 * (np.pi / 64) ** 4)
    # exp(-smoothness * |second difference|^2) makes coefficients normal with variance 1 / (2 smoothness eigenvalue)
    amplitude = np.minimum(np.sqrt(2 / 64 / (2 * texture.smoothness * curvature)) + texture.least, _MOST_AMPLITUDE)
    basis = vectors[:, 1:] * np.sqrt(cells / 2) * amplitude
    position = (np.arange(values) + 0.5) * cells / values - 0.5
    smooth = np.stack([np.interp(position, np.arange(cells), column) for column in basis.T], axis=1)
    if not axis.nullable:
        return smooth
    whole = np.zeros((axis.size, smooth.shape[1] + 1))
    whole[:-1, 1:], whole[-1, 0] = smooth, _UNORDERED_SCALE
    return whole


def usual_logits(axis: Axis) -> Floats:
    """Return the logits before any report: all values alike, and as many without an answer as is usual."""
    logits = np.zeros(axis.size)
    if axis.ordered and axis.nullable and axis.size > 1:
        logits[-1] = np.log((axis.size - 1) * _USUAL_SILENCE / (1 - _USUAL_SILENCE))
    return logits


@dataclass(frozen=True, slots=True)
class Single:
    """A distribution of levels that follows from logits.

    Attributes:
        basis: The functions of the level that logits are sums of, levels by unknowns.
        usual: The logits before any report, to which these are added.
        point: The unknowns.
        levels: The distribution.
    """

    basis: Floats
    usual: Floats
    point: Floats
    levels: Floats

    @classmethod
    def at(cls, basis: Floats, usual: Floats, point: Floats) -> Single:
        """Return the distribution at a point.

        Args:
            basis: The functions of the level that logits are sums of, levels by unknowns.
            usual: The logits before any report.
            point: The unknowns.
        """
        logits = usual + basis @ point
        levels = np.exp(logits - logits.max())
        return cls(basis, usual, point, levels / levels.sum())

    @classmethod
    def start(cls, basis: Floats, usual: Floats) -> Single:
        """Return the distribution before any report."""
        return cls.at(basis, usual, np.zeros(basis.shape[1]))

    @classmethod
    def near(cls, basis: Floats, usual: Floats, levels: Floats) -> Single:
        """Return about a given distribution: its logarithm as a sum of the basis, by least squares and the prior.

        Args:
            basis: The functions of the level that logits are sums of, levels by unknowns.
            usual: The logits before any report.
            levels: The distribution.
        """
        weights = levels + 1 / len(levels)
        logits = np.log(np.maximum(levels, _LEAST_LEVEL)) - usual
        logits = logits - weights @ logits / weights.sum()
        weighted = basis.T * weights
        found = np.linalg.solve(weighted @ basis + _SMALL * np.eye(basis.shape[1]), weighted @ logits)
        return cls.at(basis, usual, np.asarray(found, np.float64))

    @property
    def penalty(self) -> float:
        """Minus the logarithm of the prior: half the sum of squares of the unknowns."""
        return 0.5 * float(self.point @ self.point)

    def moved(self, step: Floats) -> Single:
        """Return the distribution a step further."""
        return Single.at(self.basis, self.usual, self.point + step)

    @property
    def slopes(self) -> Floats:
        """How the distribution changes with the unknowns: levels by unknowns."""
        # the softmax's Jacobian: dp_i/dl_j = p_i (1{i=j} - p_j), times the basis
        return np.asarray(self.levels[:, None] * (self.basis - self.levels @ self.basis))


class SingleProblem:
    """Minus the logarithm of the probability of what was counted of an attribute, up to a constant.

    Args:
        axis: The attribute.
        counts: What was counted.
        alone: Whether every family counts once. If not it counts by its weight, for use beside its pairs.
    """

    def __init__(self, axis: Axis, counts: Sequence[SingleCounts], *, alone: bool) -> None:
        self._signs = walsh_signs(axis.size, axis.bands)
        weights = [1.0 if alone else own.weight for own in counts]
        self._groups = _grouped([(own, weight) for own, weight in zip(counts, weights, strict=True) if weight])

    def __call__(self, single: Single) -> float:
        """Return the value."""
        means = self._signs.T @ single.levels[:, None]
        value = 0.0
        for group in self._groups:
            expected = group.expected(means)
            value += float((group.weight * (expected - group.counts * np.log(expected))).sum())
        return value

    def expand(self, single: Single) -> tuple[Floats, Floats]:
        """Return the slope and the curvature by the unknowns, the latter as Fisher scoring has it."""
        return self._expand(single, single.slopes)

    def around(self, single: Single) -> Parabola:
        """Return the parabola that touches the value at a distribution, as a function of the distribution."""
        return Parabola(single.levels, *self._expand(single, np.eye(len(single.levels))))

    def _expand(self, single: Single, directions: Floats) -> tuple[Floats, Floats]:
        """Return slope and curvature along changes of the distribution, levels by directions."""
        count = directions.shape[1]
        gradient, curvature = np.zeros(count), np.zeros((count, count))
        means, moves = self._signs.T @ single.levels[:, None], self._signs.T @ directions
        for group in self._groups:
            expected = group.expected(means)
            moved = (group.kept[:, :, None] * cell_sums(group.products, moves)).reshape(-1, count)
            gradient += moved.T @ (group.weight * (1 - group.counts / expected)).ravel()
            curvature += (moved.T * (group.weight / expected).ravel()) @ moved
        return gradient, curvature


@dataclass(frozen=True, slots=True)
class Parabola:
    """A value that is a quadratic form of the distance from a distribution: quick to look at from many sides.

    Attributes:
        levels: The distribution.
        gradient: The slope there, by level.
        curvature: The curvature, levels by levels.
    """

    levels: Floats
    gradient: Floats
    curvature: Floats

    def __call__(self, single: Single) -> float:
        """Return the value, nothing at the distribution itself."""
        away = single.levels - self.levels
        return float(self.gradient @ away + 0.5 * away @ self.curvature @ away)

    def expand(self, single: Single) -> tuple[Floats, Floats]:
        """Return the slope and the curvature by the unknowns."""
        slopes = single.slopes
        return slopes.T @ (self.gradient + self.curvature @ (single.levels - self.levels)), (
            slopes.T @ self.curvature @ slopes
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """Tables of as many functions each, one below the other; arrays are by tables and cells."""

    products: Functions
    counts: Floats
    kept: Floats
    chance: Floats
    weight: Floats

    def expected(self, means: Floats) -> Floats:
        """Return the expected counts; of a cell that no level is in one, which is as good as any number."""
        frequency = np.maximum(cell_sums(self.products, means)[..., 0], 0.0)
        return np.where(self.chance > 0, self.kept * frequency + self.chance, 1.0)


def _grouped(counts: Sequence[tuple[SingleCounts, float]]) -> list[_Group]:
    """Return all tables, by how many functions they list; counts through the same table and channel are added up."""
    alike: dict[int, dict[tuple[Any, ...], list[Any]]] = {}
    for own, weight in counts:
        for functions, *row in zip(own.functions.tolist(), own.counts, own.kept, own.chance, strict=True):
            if row[1] > 0:
                # the same part of chance: the sum of two counts then tells all that both do
                key = (*functions, weight, round(float(row[2].sum() / row[1]), 9))
                found = alike.setdefault(len(functions), {}).setdefault(key, [0.0, 0.0, 0.0])
                for index, value in enumerate(row):
                    found[index] = found[index] + value
    groups = []
    for many, tables in alike.items():
        functions = np.array([key[:many] for key in tables], dtype=np.intp)
        columns = [np.array(column) for column in zip(*tables.values(), strict=True)]
        weights = np.array([[key[many]] for key in tables])
        groups.append(_Group(spans(functions), columns[0], columns[1][:, None], columns[2], weights))
    return groups


def fit_single(axis: Axis, counts: Sequence[SingleCounts]) -> Single:
    """Return the most probable distribution of an attribute's levels, with the texture that suits its counts.

    Textures are compared by the parabola that touches the counts' probability at a first solution.

    Args:
        axis: The attribute.
        counts: What was counted of it.
    """
    problem = SingleProblem(axis, counts, alone=True)
    usual = usual_logits(axis)
    first = solve(problem, Single.start(logit_basis(axis, TEXTURES[_MIDDLE]), usual))[0]
    if not axis.ordered:
        return first
    parabola = problem.around(first)
    bases = [logit_basis(axis, texture) for texture in TEXTURES]
    tried = (solve(parabola, Single.near(basis, usual, first.levels), _NEAR_ENOUGH) for basis in bases)
    best = max(tried, key=lambda found: found[1])[0]
    return solve(problem, best)[0]


def solve(problem: SingleProblem | Parabola, start: Single, tolerance: float = _TOLERANCE) -> tuple[Single, float]:
    """Return the most probable distribution, and the logarithm of the counts' probability by Laplace's method.

    Args:
        problem: Minus the logarithm of the counts' probability, given a distribution.
        start: Where to start; its basis stays.
        tolerance: A step that gains less is the last.
    """
    single, damping = start, _FIRST_DAMPING
    identity = np.eye(len(start.point))
    value = problem(single) + single.penalty
    for _ in range(_MOST_STEPS):
        gradient, curvature = problem.expand(single)
        gradient += single.point
        while True:
            # Levenberg-Marquardt: the curvature of the misfit, 1 for the prior, and the damping
            step = np.linalg.solve(curvature + (1 + damping) * identity, gradient)
            tried = single.moved(-np.asarray(step, np.float64))
            new_value = problem(tried) + tried.penalty
            if new_value <= value:
                break
            damping *= 10
            if damping > 1e12:
                tried, new_value = single, value
                break
        gained = value - new_value
        single, value = tried, new_value
        damping = max(damping / 10, 1e-8)
        if gained < tolerance:
            break
    # Laplace: log integral = log of the peak - half the log determinant of the curvature there, prior's included
    curvature = problem.expand(single)[1]
    return single, -value - 0.5 * float(np.linalg.slogdet(curvature + identity)[1])
