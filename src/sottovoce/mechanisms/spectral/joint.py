"""All attributes and all pairs at once: distributions, tables of two attributes, and how sure they are.

A pair's table is log-linear: exp of a sum over products of scores, scaled to the distributions of its two attributes
(scores.py, loglinear.py). Unknown are the logits of every attribute and the numbers theta of every pair. Both have
normal priors, those of pairs with a variance that each pair's reports call for (scale.py), and a few Gauss-Newton steps
find the most probable of them. Pairs say much of single attributes, and the more so the more they depend: given that
high x means high y, whoever is asked for both tells of x twice. So every step eliminates the pairs' numbers and
solves for all logits together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats, Progress
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.loglinear import table
from sottovoce.mechanisms.spectral.numbers import Numbers
from sottovoce.mechanisms.spectral.observations import Observations
from sottovoce.mechanisms.spectral.pairs import Expansion, Pair
from sottovoce.mechanisms.spectral.scale import CommonCause, Key, Told, alone, pooled
from sottovoce.mechanisms.spectral.scores import Cells, scores
from sottovoce.mechanisms.spectral.single import Single, SingleProblem, fit_single
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_LONGEST_LOGITS = 2.0  # of a step, where people are: what a linear approximation bears
_LONGEST_INTERACTION = 1.0  # of a step of a pair: standard deviation of the change of its log table
_WORTH_MOVING = 1e-4  # a level with fewer people may move further
_MOST_UNKNOWNS = 1500  # of all logits, solved for together; of more, each attribute by itself
_LEAST_LEVEL = 1e-9  # of people at a level
_SWEEPS = 8, 2  # over all attributes, of what they have in common: at first, and after every further step
_SETTLED = 0.02  # a step that moves no log table by more, in standard deviation over people, is the last


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """What was found of a pair.

    Attributes:
        joint: The table of both attributes' cells.
        theta: The numbers that describe their dependence, in products of scores.
        information: What the reports tell of these numbers, about the table: minus the curvature.
        slope: g, so that the reports' log probability is g theta - theta N theta / 2.
        mean: What is expected of theta by what all attributes have in common.
        shown: The variance by which each number of theta was shrunk.
        cautious: Ones that the pair's own reports leave possible, by what they tell about independence or about the
            table found, whichever is larger (strong dependence saturates, and looks weaker from independence), and
            by what such numbers may be (numbers.py).
        doubted: The first of these, of the pair as a whole: before any number's own.
        left: (1 + v N)^-1 with the variance v that theta has before any report (`Belief.pair_prior`) and the
            information N of reports if the two are independent: the part of v that reports leave.
    """

    joint: Floats
    theta: Floats
    information: Floats
    slope: Floats
    mean: Floats
    shown: Floats
    cautious: Floats
    doubted: float
    left: Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """What was found of a crowd.

    Attributes:
        singles: The distribution of each attribute.
        covariances: Of each attribute the covariance of its unknowns.
        cells: The cells into which each attribute's levels are joined for pairs.
        scores: The scores of these cells.
        pairs: What was found of every pair.
    """

    singles: list[Single]
    covariances: list[Floats]
    cells: list[Cells]
    scores: list[Floats]
    pairs: dict[Key, PairEstimate]


def estimate(  # noqa: PLR0913 - what a fit is told
    axes: Sequence[Axis],
    seen: Observations,
    *,
    steps: int,
    most_scores: int,
    common: bool = True,
    belief: Belief = BELIEF,
    progress: Progress = lambda done: None,
) -> Estimate:
    """Return the most probable distributions and tables, given what was counted.

    Args:
        axes: The attributes.
        seen: What was counted of them.
        steps: How many Gauss-Newton steps to make.
        most_scores: How many scores an ordered attribute has.
        common: Whether to look for a cause that all attributes share.
        belief: The constants.
        progress: Told how much of the work is done, from 0 to 1.
    """
    singles = [fit_single(axis, own) for axis, own in zip(axes, seen.single, strict=True)]
    progress(1 / (steps + 1))
    search = _Search(axes, seen, singles, most_scores, belief)
    cause = CommonCause([own.shape[1] for own in search.scores]) if common and len(axes) > 2 else None
    for step in range(steps):
        search.expand(sums=step > 0)
        search.weigh(cause)
        moved = search.step(sums=step > 0)
        progress((step + 2) / (steps + 1))
        if moved < _SETTLED and step > 1:
            break
    return search.result()


class _Search:
    """Where the search stands, and what the last expansion found there."""

    def __init__(
        self, axes: Sequence[Axis], seen: Observations, singles: list[Single], most_scores: int, belief: Belief
    ) -> None:
        self.belief, self.singles = belief, singles
        self.cells = [Cells.joining(axis, own.levels) for axis, own in zip(axes, singles, strict=True)]
        self.scores = [
            scores(axis, self._people(index), most=most_scores, belief=belief) for index, axis in enumerate(axes)
        ]
        # the sums of every Walsh function over the people of every cell: within a cell people stand as they do alone
        signs = [
            walsh_signs(axis.size, axis.bands).T @ cells.within(own.levels)
            for axis, cells, own in zip(axes, self.cells, singles, strict=True)
        ]
        self._alone = [SingleProblem(axis, own, alone=False) for axis, own in zip(axes, seen.single, strict=True)]
        self._keys = list(combinations(range(len(axes)), 2))
        self._pairs = {key: Pair(seen.pair.get(key, []), signs[key[0]], signs[key[1]]) for key in self._keys}
        self._theta = {key: np.zeros(self._size(key)) for key in self._keys}
        self._mean = {key: np.zeros(self._size(key)) for key in self._keys}
        self._numbers = {key: Numbers.of((axes[key[0]], axes[key[1]]), self._shape(key), belief) for key in self._keys}
        self._shown: dict[Key, float] = {}
        self._first: dict[Key, float] = {}
        self._grown: dict[Key, Floats] = {}
        self._variance: dict[Key, Floats] = {}
        self._cautious: dict[Key, float] = {}
        self._left: dict[Key, Floats] = {}
        self._joint = {key: self._table(key) for key in self._keys}
        starts = np.cumsum([0] + [len(own.point) for own in singles])
        self._unknowns = [slice(*ends) for ends in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        self._expansions: dict[Key, Expansion] = {}
        self._inverses: dict[Key, Floats] = {}  # of the last expansion, with the prior's precision
        self._last: dict[Key, tuple[Floats, float]] = {}

    def expand(self, *, sums: bool) -> None:
        """Expand what was counted of every pair about the present tables; with sums, by attributes' logits too."""
        self._inverses.clear()
        moves = [cells.sums(own.slopes) for cells, own in zip(self.cells, self.singles, strict=True)] if sums else None
        for key, pair in self._pairs.items():
            own = None if moves is None else (moves[key[0]], moves[key[1]])
            self._expansions[key] = pair.expand(self._joint[key], (self.scores[key[0]], self.scores[key[1]]), own)

    def weigh(self, cause: CommonCause | None) -> None:
        """Find how strongly pairs depend, and what they have in common, from the last expansion.

        All is moved half-way from where it was, because what reports tell of strong dependence changes with it.
        """
        if not self._keys:
            return
        told, first = self._told(), not self._shown
        if first:
            self._cautious = self._cautious_variances(told)
            self._left = {key: self._unknown(key) for key in self._keys}
        variances = self._variances(told, cause)
        if cause is not None:
            for _ in range(_SWEEPS[0] if first else _SWEEPS[1]):
                cause.learn(told, variances)
                variances = self._variances(told, cause)
        for key in self._keys:
            mean = np.zeros(self._size(key)) if cause is None else cause.mean(key)
            self._shown[key] = variances[key] if first else float(np.sqrt(variances[key] * self._shown[key]))
            self._mean[key] = mean if first else (mean + self._mean[key]) / 2
            grown = self._growth(key)
            self._grown[key] = grown if first else np.sqrt(grown * self._grown[key])
            # about the table of a pair that depends strongly reports tell little of its leading numbers, and call for
            # a smaller variance than they did about independence: the larger counts
            least = np.where(self._numbers[key].leading, self._first.setdefault(key, variances[key]), 0.0)
            self._variance[key] = np.maximum(self._shown[key], least) * self._grown[key]

    def step(self, *, sums: bool) -> float:
        """Move to the most probable point of the last expansion, or towards it as far as it can be trusted.

        Returns:
            How far the log table of a pair moved at most: the standard deviation of its change over people.
        """
        moved, furthest = np.zeros(self._unknowns[-1].stop), 0.0
        if sums:
            moved = self._trusted(self._solve(*self._system()))
            self.singles = [own.moved(moved[part]) for own, part in zip(self.singles, self._unknowns, strict=True)]
        for key in self._keys:
            inverse, slope = self._shrunk(key)
            if sums:
                slope = slope - self._across(key).T @ moved[self._both(key)]
            step = self._damped(key, inverse @ slope)
            size = self._deviation(key, step)
            furthest = max(furthest, size)
            self._theta[key] = self._theta[key] + step * min(1.0, _LONGEST_INTERACTION / max(size, 1e-12))
            self._joint[key] = self._table(key)
        return furthest

    def _damped(self, key: Key, step: Floats) -> Floats:
        """Return a step of a pair, shortened by half each time that it turns back: Fisher scoring may overshoot."""
        last, length = self._last.get(key, (step, 1.0))
        length = length / 2 if step @ last < 0 else min(1.0, 1.5 * length)
        self._last[key] = step, length
        return length * step

    def result(self) -> Estimate:
        """Return what was found, and how sure it is."""
        self.expand(sums=True)
        system, _ = self._system()
        if len(system) <= _MOST_UNKNOWNS:
            inverse = np.linalg.inv(system)
            covariances = [np.asarray(inverse[part, part], np.float64) for part in self._unknowns]
        else:
            covariances = [np.asarray(np.linalg.inv(system[part, part]), np.float64) for part in self._unknowns]
        pairs = {}
        cautious = self._cautious_variances(self._told()) if self._keys else {}
        for key in self._keys:
            information, slope = self._own(key)
            doubted = max(self._cautious[key], self._shown[key], cautious[key])
            pairs[key] = PairEstimate(
                self._joint[key],
                self._theta[key],
                information,
                slope,
                self._mean[key],
                self._variance[key],
                self._numbers[key].widened(np.maximum(doubted * self._grown[key], self._variance[key])),
                doubted,
                self._left[key],
            )
        return Estimate(self.singles, covariances, self.cells, self.scores, pairs)

    def _people(self, index: int) -> Floats:
        people = self.cells[index].sums(np.maximum(self.singles[index].levels, _LEAST_LEVEL))
        return np.asarray(people / people.sum())

    def _shape(self, key: Key) -> tuple[int, int]:
        return self.scores[key[0]].shape[1], self.scores[key[1]].shape[1]

    def _size(self, key: Key) -> int:
        return int(np.prod(self._shape(key)))

    def _deviation(self, key: Key, theta: Floats) -> float:
        """Return the standard deviation over people of the log table that these numbers make."""
        made = self.scores[key[0]] @ theta.reshape(self._shape(key)) @ self.scores[key[1]].T
        return float(np.sqrt(self._people(key[0]) @ made**2 @ self._people(key[1])))

    def _growth(self, key: Key) -> Floats:
        """Return how many times larger the variance of each number is because the pair depends strongly."""
        numbers = self._numbers[key]
        return numbers.grown(self._deviation(key, numbers.leading * (self._theta[key] - self._mean[key])))

    def _table(self, key: Key) -> Floats:
        interaction = self.scores[key[0]] @ self._theta[key].reshape(self._shape(key)) @ self.scores[key[1]].T
        return table(interaction, self._people(key[0]), self._people(key[1]))

    def _own(self, key: Key) -> tuple[Floats, Floats]:
        """Return N and g of a pair's numbers: their log probability is g theta - theta N theta / 2."""
        count = self._size(key)
        information = self._expansions[key].information[:count, :count]
        return information, self._expansions[key].slope[:count] + information @ self._theta[key]

    def _unknown(self, key: Key) -> Floats:
        """Return the part of a pair's prior variance that the last expansion leaves."""
        count, prior = self._size(key), self.belief.pair_prior
        information = self._expansions[key].information[:count, :count]
        return np.asarray(np.linalg.inv(np.eye(count) + prior * information))

    def _told(self) -> dict[Key, Told]:
        """Return what reports tell of every pair's numbers, by the last expansion."""
        return {key: Told.of(*self._own(key), self._shape(key)) for key in self._keys}

    def _cautious_variances(self, told: dict[Key, Told]) -> dict[Key, float]:
        """Return a variance that each pair's own reports leave possible."""
        by_itself = alone(np.array([own.evidence(self.belief.grid) for own in told.values()]), self.belief)
        return dict(zip(told, self.belief.quantile(by_itself, self.belief.cautious).tolist(), strict=True))

    def _variances(self, told: dict[Key, Told], cause: CommonCause | None) -> dict[Key, float]:
        """Return the variance of every pair, by what all of them show."""
        grid = self.belief.grid
        evidence = [
            own.evidence(grid) if cause is None else own.evidence(grid, cause.mean(key), cause.spread(key, own))
            for key, own in told.items()
        ]
        shown = self.belief.quantile(pooled(np.array(evidence), self.belief), self.belief.shown)
        return dict(zip(told, shown.tolist(), strict=True))

    def _shrunk(self, key: Key) -> tuple[Floats, Floats]:
        """Return the inverse of N with the prior's precision, and the slope with the prior's."""
        count, variance, expansion = self._size(key), self._variance[key], self._expansions[key]
        if key not in self._inverses:
            inverse = np.linalg.inv(expansion.information[:count, :count] + np.diag(1 / variance))
            self._inverses[key] = np.asarray(inverse, np.float64)
        return self._inverses[key], expansion.slope[:count] - (self._theta[key] - self._mean[key]) / variance

    def _both(self, key: Key) -> NDArray[np.intp]:
        """Return where the unknowns of a pair's two attributes stand."""
        return np.concatenate([np.arange(self._unknowns[index].start, self._unknowns[index].stop) for index in key])

    def _across(self, key: Key) -> Floats:
        """Return what the reports on a pair tell of its attributes' unknowns and its own numbers together."""
        count = self._size(key)
        return self._expansions[key].information[count:, :count]

    def _system(self) -> tuple[Floats, Floats]:
        """Return the curvature and the slope of all attributes' unknowns, the pairs' numbers being eliminated."""
        size = self._unknowns[-1].stop
        system, slope = np.eye(size), np.zeros(size)
        for own, problem, part in zip(self.singles, self._alone, self._unknowns, strict=True):
            gradient, curvature = problem.expand(own)
            system[part, part] += curvature
            slope[part] -= gradient + own.point
        for key in self._keys:
            count, both = self._size(key), self._both(key)
            expansion, across = self._expansions[key], self._across(key)
            inverse, gradient = self._shrunk(key)
            # Schur's complement: what is left of the unknowns' information once the pair's numbers follow them
            system[np.ix_(both, both)] += expansion.information[count:, count:] - across @ inverse @ across.T
            slope[both] += expansion.slope[count:] - across @ (inverse @ gradient)
        return system, slope

    def _solve(self, system: Floats, slope: Floats) -> Floats:
        if len(system) <= _MOST_UNKNOWNS:
            return np.asarray(np.linalg.solve(system, slope))
        return np.concatenate([np.linalg.solve(system[part, part], slope[part]) for part in self._unknowns])

    def _trusted(self, step: Floats) -> Floats:
        """Return a step of all unknowns, shortened to what the expansion can be trusted for."""
        longest = 0.0
        for own, part in zip(self.singles, self._unknowns, strict=True):
            change = own.basis @ step[part]
            change = (change - own.levels @ change)[own.levels > _WORTH_MOVING]
            longest = max(longest, float(np.abs(change).max(initial=0.0)))
        return step * min(1.0, _LONGEST_LOGITS / max(longest, 1e-12))
