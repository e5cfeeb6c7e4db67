"""How strongly pairs depend on each other: a variance for every pair, by empirical Bayes, and what all have in common.

For a pair the reports give, about the present table, a log probability g theta - theta N theta / 2 of the numbers theta
that describe its dependence. If theta has mean m and variance s along every one of them, then in the eigenvectors of N,
with l its eigenvalues and r those of g - N m, the reports have the log probability

    sum of  -log(1 + s l) / 2  +  s r^2 / (1 + s l) / 2

up to a constant. The variances of all pairs lie around a common one, in the logarithm; all sums over a grid are exact.
A pair whose reports show more than chance gets a large variance and hardly any shrinkage.

Means m are what a single common cause would do: theta_jk = a_j a_k', with a vector a_j for every attribute. The a_j are
found in turn (variational Bayes), each with its uncertainty, so that a cause that reports do not show vanishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Told:
    """What reports tell of the dependence of a pair: g theta - theta N theta / 2.

    Attributes:
        values: The eigenvalues of N.
        vectors: Its eigenvectors, by column.
        slope: g, in the eigenvectors.
        shape: How many numbers there are of the one and of the other attribute.
    """

    values: Floats
    vectors: Floats
    slope: Floats
    shape: tuple[int, int]

    @classmethod
    def of(cls, information: Floats, slope: Floats, shape: tuple[int, int]) -> Told:
        """Return what N and g tell.

        Args:
            information: N.
            slope: g.
            shape: How many numbers there are of the one and of the other attribute.
        """
        values, vectors = np.linalg.eigh(information)
        return cls(np.maximum(values, 0.0), vectors, vectors.T @ slope, shape)

    def evidence(self, variances: Floats, mean: Floats | None = None, spread: Floats | None = None) -> Floats:
        """Return the log probability of the reports for every variance, up to a constant.

        Args:
            variances: The variances of theta considered.
            mean: The mean of theta; nothing unless given.
            spread: The variance of that mean along each eigenvector, if it is itself uncertain.
        """
        left = self.slope if mean is None else self.slope - self.values * (self.vectors.T @ mean)
        grown = 1 + variances[:, None] * self.values
        result = -0.5 * np.log(grown) + 0.5 * variances[:, None] * left**2 / grown
        if spread is not None:
            result -= 0.5 * self.values * spread / grown
        return np.asarray(result.sum(axis=1))


def pooled(evidence: Floats, belief: Belief = BELIEF) -> Floats:
    """Return for every pair (rows) how probable each variance of the grid is, given what all pairs show.

    Args:
        evidence: The log probability of each pair's reports, pairs by variances.
        belief: The grid, and how far pairs lie from what is common.
    """
    kernel = belief.kernel(belief.pair_spread)
    likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    told = np.log(likely @ kernel + 1e-300)
    # what a pair hears of the common variance: the prior, and all other pairs
    others = belief.around(belief.common, belief.common_spread) + told.sum(axis=0) - told
    return _normal(np.log(likely + 1e-300) + np.log(_normal(others) @ kernel.T + 1e-300))


def alone(evidence: Floats, belief: Belief = BELIEF) -> Floats:
    """Return the same for every pair on its own: what other pairs show says nothing."""
    return _normal(evidence + belief.around(belief.pair_doubt, belief.pair_doubt_spread))


def _normal(logarithms: Floats) -> Floats:
    """Return probabilities, along the last axis, from their logarithms up to a constant."""
    weights = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


class CommonCause:
    """The vectors a_j of one cause that all attributes may share, and how sure they are.

    Args:
        counts: How many numbers describe each attribute.
    """

    def __init__(self, counts: list[int]) -> None:
        self._means = [np.zeros(count) for count in counts]
        self._covariances = [np.zeros((count, count)) for count in counts]
        self._precision = 1.0
        self._started = False

    def mean(self, key: Key) -> Floats:
        """Return what the cause makes of a pair."""
        return np.outer(self._means[key[0]], self._means[key[1]]).ravel()

    def spread(self, key: Key, told: Told) -> Floats:
        """Return the variance of that along each eigenvector of what is told."""
        one, other = (self._second(index) for index in key)
        vectors = told.vectors.reshape(*told.shape, -1)
        # the second moments of a product are the product of both: never written out, being of size 4
        squares = (vectors * (other @ np.tensordot(one, vectors, 1))).sum(axis=(0, 1))
        return np.asarray(np.maximum(squares - (self.mean(key) @ told.vectors) ** 2, 0.0))

    def learn(self, told: Mapping[Key, Told], variances: Mapping[Key, float]) -> None:
        """Find the vectors anew, each once.

        Args:
            told: What reports tell of each pair.
            variances: How far each pair lies from what the cause makes of it.
        """
        if not self._started:
            self._start(told, variances)
        known = {key: self._integrated(own, variances[key]) for key, own in told.items()}
        for index in range(len(self._means)):
            self._learn_one(index, known)
        size = sum(len(mean) for mean in self._means)
        total = sum(float(np.trace(self._second(index))) for index in range(len(self._means)))
        self._precision = (size + 2) / (total + 0.02)  # a vague prior, so that it is never infinite

    def _second(self, index: int) -> Floats:
        return self._covariances[index] + np.outer(self._means[index], self._means[index])

    @staticmethod
    def _integrated(told: Told, variance: float) -> tuple[Floats, Floats]:
        """Return N and g for the mean of theta alone: theta's own variance about it is integrated out."""
        shrunk = 1 / (1 + variance * told.values)
        information = (told.vectors * (told.values * shrunk)) @ told.vectors.T
        return information.reshape(*told.shape, *told.shape), (told.vectors @ (told.slope * shrunk)).reshape(told.shape)

    def _learn_one(self, index: int, known: Mapping[Key, tuple[Floats, Floats]]) -> None:
        count = len(self._means[index])
        precision, slope = self._precision * np.eye(count), np.zeros(count)
        for key, (information, gradient) in known.items():
            if index not in key:
                continue
            other = key[1] if index == key[0] else key[0]
            second, mean = self._second(other), self._means[other]
            if index == key[0]:
                precision += np.einsum("abcd,bd->ac", information, second)
                slope += gradient @ mean
            else:
                precision += np.einsum("abcd,ac->bd", information, second)
                slope += gradient.T @ mean
        self._covariances[index] = np.asarray(np.linalg.inv(precision), np.float64)
        self._means[index] = self._covariances[index] @ slope

    def _start(self, told: Mapping[Key, Told], variances: Mapping[Key, float]) -> None:
        """Start at the largest common part of what each pair's reports say: nothing is a saddle, and never left."""
        starts = np.cumsum([0] + [len(mean) for mean in self._means])
        whole = np.zeros((starts[-1], starts[-1]))
        for (one, other), own in told.items():
            shrunk = variances[one, other] / (1 + variances[one, other] * own.values)
            block = (own.vectors @ (shrunk * own.slope)).reshape(own.shape)
            whole[starts[one] : starts[one + 1], starts[other] : starts[other + 1]] = block
        whole += whole.T
        self._means = np.split(_leading(whole, starts), starts[1:-1])
        self._started = True


def _leading(whole: Floats, starts: Floats) -> Floats:
    """Return the vector whose products come nearest to a symmetric matrix outside its diagonal blocks."""
    vector = np.linalg.eigh(whole)[1][:, -1]
    parts = [slice(*ends) for ends in pairwise(starts)]
    for _ in range(30):  # least squares in turn: each attribute's part, given all others'
        for part in parts:
            others = vector.copy()
            others[part] = 0.0
            vector[part] = whole[part] @ others / max(float(others @ others), 1e-12)
    return np.asarray(vector)
