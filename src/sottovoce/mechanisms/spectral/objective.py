"""A mixture of products fitted to moments: p(x) = sum over components of weight * product of distributions of levels.

The logits of an attribute's distributions are a base that all components share plus a deviation for each, both in
smooth functions scaled to their prior standard deviations: the prior is a plain sum of squares, and smooth changes come
first. Half the weighted squared misfit plus that prior is minimised; a step is a few matrix products.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.moments import Asked, Moments
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_DEVIATION_SMOOTHNESS = 0.5  # of the components' deviations: less than of any base, as they part the crowd
_MOST_AMPLITUDE = 15.0  # of a function of the basis: its largest prior standard deviation
_UNORDERED_SCALE = 2.0  # prior standard deviation of logits without order, and of "no answer"
_WEIGHT_PRIOR = 0.1  # prior precision of the logits of the component weights
_RESOLUTION, _FUNCTIONS = 128, 64  # the basis is computed on at most so many cells, and has at most so many functions
_MEMORY = 10  # steps that L-BFGS remembers, as is usual
_COARSE = 3  # so many first bands are handled together


@dataclass(frozen=True, slots=True)
class Texture:
    """What is believed of the logits of an ordered attribute.

    Attributes:
        smoothness: The weight of their squared second differences, per 64 levels.
        least: The least amplitude of a basis function: above 0 where single values may stand out.
    """

    smoothness: float
    least: float


TEXTURES = tuple(Texture(smoothness, least) for smoothness in (5.0, 50.0) for least in (0.0, 0.05, 0.15, 0.5))
"""More and less smooth, and in each case from a curve to spikes at single values."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """Component weights, and one array of distributions per attribute (components by levels)."""

    weights: Floats
    factors: list[Floats]


def logit_basis(axis: Axis, texture: Texture) -> Floats:
    """Return functions of the level scaled to their prior standard deviations, smoothest first: levels by functions."""
    if not axis.ordered:
        return _UNORDERED_SCALE * np.eye(axis.size)
    values = axis.size - axis.nullable
    cells = min(values, _RESOLUTION)
    second = np.diff(np.eye(cells), 2, axis=0)
    # eigenvectors of the squared second difference: the discrete cosines, smoothest first
    eigenvalues, vectors = np.linalg.eigh(second.T @ second)
    keep = slice(1, 1 + _FUNCTIONS)
    curvature = np.maximum(eigenvalues[keep] * (cells / 64) ** 4, 0.5 * (np.pi / 64) ** 4)
    # exp(-smoothness * |second difference|^2) makes coefficients normal with variance 1 / (2 smoothness eigenvalue)
    amplitude = np.minimum(np.sqrt(2 / 64 / (2 * texture.smoothness * curvature)) + texture.least, _MOST_AMPLITUDE)
    basis = vectors[:, keep] * np.sqrt(cells / 2) * amplitude
    position = (np.arange(values) + 0.5) * cells / values - 0.5
    smooth = np.stack([np.interp(position, np.arange(cells), column) for column in basis.T], axis=1)
    if not axis.nullable:
        return smooth
    whole = np.zeros((axis.size, smooth.shape[1] + 1))
    whole[:-1, 1:], whole[-1, 0] = smooth, _UNORDERED_SCALE
    return whole


@dataclass(frozen=True, slots=True)
class _Group:
    """Attributes alike in size, kind, bands and texture: their arrays are handled together."""

    members: list[int]
    signs: Floats
    deviation: Floats
    base: Floats
    indices: NDArray[np.intp]
    rows: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Slab:
    """Moments of the functions of some bands with those of coarser ones: elsewhere in those rows nobody was asked."""

    rows: slice
    columns: slice
    estimate: Floats
    information: Floats


class Objective:
    """Misfit plus prior as a function of a flat vector: deviations and base per group, then the weights' logits.

    Fine functions are asked with coarse ones only, so functions are put in the order of their bands, and a few slabs
    hold all moments that anyone was asked for: a twentieth of the whole matrix in a usual collection.

    Args:
        axes: The attributes.
        asked: Which functions of each attribute were asked.
        moments: What was measured, and with how much information.
        components: How many components the mixture has.
        textures: For each attribute how smooth its distribution is believed to be.
    """

    def __init__(
        self, axes: Sequence[Axis], asked: Asked, moments: Moments, *, components: int, textures: Sequence[Texture]
    ) -> None:
        self.moments, self.components = moments, components
        alike: dict[tuple[Axis, int, Texture], list[int]] = {}
        for index, (axis, texture) in enumerate(zip(axes, textures, strict=True)):
            alike.setdefault((axis, asked.bands[index], texture), []).append(index)
        indices = [asked.indices(index) for index in range(len(axes))]
        # function u is in band log2 u; the constant comes first
        bands_of = np.concatenate([[-1], *(np.log2(np.arange(len(own)) + 1).astype(int) for own in indices)])
        self._order = np.argsort(bands_of, kind="stable")
        rows = np.argsort(self._order)
        self.groups = [
            _Group(
                members,
                walsh_signs(axis.size, bands)[:, 1:],
                logit_basis(axis, replace(texture, smoothness=_DEVIATION_SMOOTHNESS)),
                logit_basis(axis, texture),
                np.array([indices[index] for index in members]),
                np.array([rows[indices[index]] for index in members]),
            )
            for (axis, bands, texture), members in alike.items()
        ]
        ends = np.searchsorted(bands_of[self._order], np.arange(_COARSE, bands_of.max() + 1))
        self._slabs = self._cut(moments, [slice(*chunk) for chunk in pairwise([0, *ends.tolist(), len(bands_of)])])
        self.length = sum(len(g.members) * (components + 1) * g.base.shape[1] for g in self.groups) + components

    def on(self, moments: Moments) -> Objective:
        """Return the same objective on other reports; of their moments it keeps only what anyone was asked for."""
        other = object.__new__(Objective)
        single = Moments(moments.estimate[:1].copy(), moments.information[:1].copy())
        other.__dict__.update(self.__dict__, moments=single)
        other._slabs = self._cut(moments, [slab.rows for slab in self._slabs])
        return other

    def _cut(self, moments: Moments, chunks: Sequence[slice]) -> list[_Slab]:
        """Return the slabs of the moments; what stands in both triangles counts half in each."""
        slabs = []
        for rows in chunks:
            where = np.ix_(self._order[rows], self._order[: rows.stop])
            information = moments.information[where]
            information[:, rows.start :] /= 2
            columns = slice(0, 1 + int(np.flatnonzero(information.any(axis=0)).max(initial=0)))
            estimate = np.ascontiguousarray(moments.estimate[where][:, columns])
            slabs.append(_Slab(rows, columns, estimate, np.ascontiguousarray(information[:, columns])))
        return slabs

    def views(self, point: Floats) -> list[Floats]:
        """Return per group the part (members, components + 1, functions), the last component being the base."""
        result, start = [], 0
        for group in self.groups:
            shape = (len(group.members), self.components + 1, group.base.shape[1])
            stop = start + int(np.prod(shape))
            result.append(point[start:stop].reshape(shape))
            start = stop
        return result

    def mixture(self, point: Floats) -> Mixture:
        """Return the mixture at a point."""
        weights, tables = self._tables(point)
        factors = {
            index: table[row]
            for group, table in zip(self.groups, tables, strict=True)
            for row, index in enumerate(group.members)
        }
        return Mixture(weights, [factors[index] for index in range(len(factors))])

    def misfit(self, point: Floats) -> float:
        """Return half the squared misfit without the prior: the score on held-out reports."""
        weights, tables = self._tables(point)
        return self._misfit_gradient(weights, self._inside(tables))[0]

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        value, gradient = self.misfit_gradient(point)
        logits = point[-self.components :]
        value += 0.5 * float(point @ point) + 0.5 * (_WEIGHT_PRIOR - 1) * float(logits @ logits)
        gradient += point
        gradient[-self.components :] += (_WEIGHT_PRIOR - 1) * logits
        return value, gradient

    def joining(self, other: Objective, points: Sequence[Floats]) -> Floats:
        """Return the point whose mixture is the average of another objective's at some points, with all components."""
        joined = np.zeros(self.length)
        views = [other.views(point) for point in points]
        for number, (group, view) in enumerate(zip(self.groups, self.views(joined), strict=True)):
            scale = np.linalg.norm(group.base, axis=0) / np.linalg.norm(group.deviation, axis=0)  # same functions
            base = np.mean([own[number][:, -1] for own in views], axis=0)
            view[:, -1] = base
            moved = [own[number][:, :-1] + ((own[number][:, -1] - base) * scale)[:, None] for own in views]
            view[:, :-1] = np.concatenate(moved, axis=1)
        # weights of an average: those of each fit, normalised, over the number of fits, which logits need not know
        logits = [point[-other.components :] for point in points]
        joined[-self.components :] = np.concatenate([own - np.log(np.exp(own).sum()) for own in logits])
        joined[-self.components :] -= joined[-self.components :].mean()
        return joined

    def misfit_gradient(self, point: Floats) -> tuple[float, Floats]:
        """Return the misfit and its gradient, without the prior."""
        weights, tables = self._tables(point)
        inside = self._inside(tables)
        value, back = self._misfit_gradient(weights, inside)
        # every product u v stands in ``back`` twice, by u and by v: hence the half
        by_weight = 0.5 * (back * inside).sum(axis=0)
        back *= weights
        gradient = np.zeros_like(point)
        for group, table, part in zip(self.groups, tables, self.views(gradient), strict=True):
            by_table = back[group.rows].transpose(0, 2, 1) @ group.signs.T
            # the softmax's Jacobian: dp_i/dl_j = p_i (1{i=j} - p_j)
            by_logit = table * (by_table - (table * by_table).sum(axis=-1, keepdims=True))
            part[:, :-1] += by_logit @ group.deviation
            part[:, -1] += by_logit.sum(axis=1) @ group.base
        # the softmax of the weights, likewise
        gradient[-self.components :] = weights * (by_weight - weights @ by_weight)
        return value, gradient

    def curvature(self, point: Floats) -> Floats:
        """Return how sharply the misfit bends along each number of the point: the diagonal of Gauss and Newton.

        For a base that all components share it is that of the mixture's means, without how components differ.
        """
        weights, tables = self._tables(point)
        inside = self._inside(tables)
        squares, around = inside**2, np.zeros_like(inside)
        for slab in self._slabs:
            # d(moment uv) / d(mean u of component r) = weight_r * mean v: squares of it, times information, over v
            around[slab.rows] += slab.information @ squares[slab.columns]
            around[slab.columns] += slab.information.T @ squares[slab.rows]
        result = np.zeros_like(point)
        for group, table, part in zip(self.groups, tables, self.views(result), strict=True):
            for basis, shared in ((group.deviation, False), (group.base, True)):
                for index, (own, rows) in enumerate(zip(table, group.rows, strict=True)):
                    # how each mean moves with each unknown: the covariance of sign and basis function
                    moved = np.einsum("xu,kx,xf->kuf", group.signs, own, basis, optimize=True)
                    moved -= (own @ group.signs)[:, :, None] * (own @ basis)[:, None, :]
                    if shared:
                        part[index, -1] = (around[rows] @ weights) @ np.tensordot(weights, moved, 1) ** 2
                    else:
                        part[index, :-1] = weights[:, None] ** 2 * np.einsum("uk,kuf->kf", around[rows], moved**2)
        result[-self.components :] = 0.5 * weights**2 * (around * squares).sum(axis=0)
        return result

    def _tables(self, point: Floats) -> tuple[Floats, list[Floats]]:
        tables = []
        for group, view in zip(self.groups, self.views(point), strict=True):
            logits = view[:, :-1] @ group.deviation.T + view[:, -1:] @ group.base.T
            table = np.exp(logits - logits.max(axis=-1, keepdims=True))
            tables.append(table / table.sum(axis=-1, keepdims=True))
        logits = point[-self.components :]
        weights = np.exp(logits - logits.max())
        return weights / weights.sum(), tables

    def _inside(self, tables: list[Floats]) -> Floats:
        """Return the mean of every function within every component: functions by components."""
        inside = np.ones((len(self._order), self.components))
        for group, table in zip(self.groups, tables, strict=True):
            inside[group.rows] = (table @ group.signs).transpose(0, 2, 1)
        return inside

    def _misfit_gradient(self, weights: Floats, inside: Floats) -> tuple[float, Floats]:
        """Return half the squared misfit, and its slope by every function's mean, for a component of weight one."""
        value, back = 0.0, np.zeros_like(inside)
        weighted = inside * weights
        for slab in self._slabs:
            own, others = inside[slab.rows], inside[slab.columns]
            # model moments sum_r weight_r m_ru m_rv less the measured ones
            residual = weighted[slab.rows] @ others.T
            residual -= slab.estimate
            weighted_residual = slab.information * residual
            value += 0.5 * float(np.vdot(weighted_residual, residual))
            back[slab.rows] += weighted_residual @ others
            back[slab.columns] += weighted_residual.T @ own
        return value, back


def descend(function: Callable[[Floats], tuple[float, Floats]], point: Floats) -> Iterator[Floats]:
    """Yield the points of an L-BFGS descent, one per step, without end: how far to go is the caller's choice.

    Library minimisers run to their own end; here several descents advance in step and stop by held-out reports.
    """
    value, gradient = function(point)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    while True:
        direction = _direction(gradient, pairs)
        slope, length = gradient @ direction, 1.0
        while True:
            next_point = point - length * direction
            next_value, next_gradient = function(next_point)
            # Armijo's rule: at least a ten-thousandth of the decrease that the slope promises
            if next_value <= value - 1e-4 * length * slope or length < 1e-6:
                break
            length *= 0.4
        step, change = next_point - point, next_gradient - gradient
        # a pair without positive curvature would make the inverse Hessian indefinite
        if step @ change > 1e-10:
            pairs.append((step, change, float(1 / (step @ change))))
        point, value, gradient = next_point, next_value, next_gradient
        yield point


def _direction(gradient: Floats, pairs: deque[tuple[Floats, Floats, float]]) -> Floats:
    """Return the two-loop recursion's approximation of the inverse Hessian times the gradient."""
    direction, factors = gradient.copy(), []
    for step, change, scale in reversed(pairs):
        factors.append(scale * (step @ direction))
        direction -= factors[-1] * change
    last = pairs[-1] if pairs else None
    # the usual first guess of the inverse Hessian: (s.y) / (y.y) times the identity
    direction *= 1 / (last[2] * (last[1] @ last[1])) if last else 1 / (np.linalg.norm(gradient) + 1e-12)
    for (step, change, scale), factor in zip(pairs, reversed(factors), strict=True):
        direction += step * (factor - scale * (change @ direction))
    return direction
