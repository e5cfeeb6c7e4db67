"""What remains unknown after a fit, function by function: variances of errors, and what reports could tell at all.

The dependence of a pair is described by the means M of products of two functions, one of each attribute: unit scores,
which are uncorrelated over people and of variance 1 (scores.py). A pair's numbers theta have, given its reports, a
posterior covariance C (joint.py), and M moves with theta by a matrix T (`moments_moved`). So the errors of M have the
variances diag(T C T'), for a **cautious** prior variance of theta: a high quantile of what the pair's own reports leave
possible, pooled with no other pair, because people ask about just those pairs that depend on each other. It is the
prior of functions, not of scores, whose part in the functions may be small (`_own_priors`). Variances are taken larger
than that (`Belief.dependence_doubt`), and most of all of "no answer" where reports tell nothing of it. How far the
answer that is shown lies from the cautious one is known, and counts as an error too.

Of single attributes the whole covariance of their levels' shares is kept, as a root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.joint import Estimate, PairEstimate
from sottovoce.mechanisms.spectral.loglinear import moments_moved
from sottovoce.mechanisms.spectral.mixture import Mixture, Wanted, dependence_of
from sottovoce.mechanisms.spectral.walsh import Axis

_LEAST_ROOT = 1e-3  # of the largest column of a root: what is smaller is left out
_MOST_COLUMNS = 128  # of a root: of a list of thousands of values only the levels' own variances stay exact
_GRID = 2.0**-10  # of its largest number: a root is rounded to about that, which makes files shorter
_LEAST_PART = 1e-9  # of the largest number: what a function has of a score before its own is rounding
_LEAST_PRECISION = 1e-4  # of what a score's own prior has: a function that hardly anybody shows is not without end
_DIGITS = 12  # binary, that are kept of all other numbers


@dataclass(frozen=True, slots=True)
class Doubt:
    """What remains unknown; matrices are by functions of all attributes, one attribute after the other.

    Attributes:
        functions: For each attribute its functions, levels by functions.
        roots: For each attribute a root of the covariance of its levels' shares, levels by columns.
        posterior: The variance of the mean of a product of two functions.
        gap: The cautious mean less the one that the mixture has.
        left: Of the variance that a mean has before any report, the part that reports could not take away.
        falls: How the prior variance of dependence falls with each function.
        rest: By attributes, the variance of products of functions that lie outside these.
    """

    functions: list[Floats]
    roots: list[Floats]
    posterior: Floats
    gap: Floats
    left: Floats
    falls: Floats
    rest: Floats

    def rounded(self) -> Doubt:
        """Return the same in the short float type in which it is kept."""
        return Doubt.from_arrays(self.state())

    def state(self) -> dict[str, Any]:
        """Return short arrays that say the same: of symmetric matrices the upper triangle, row by row."""
        upper, pairs = np.triu_indices(len(self.posterior)), np.triu_indices(len(self.rest), 1)
        return {
            "functions": [_rounded(own) for own in self.functions],
            "roots": [own.astype(np.float32) for own in self.roots],
            "posterior": _rounded(self.posterior[upper]),
            "gap": _rounded(self.gap[upper]),
            "left": _rounded(self.left[upper]),
            "falls": _rounded(self.falls),
            "rest": _rounded(self.rest[pairs]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Doubt:
        """Return what short arrays say, row by row in memory: products round the same after a file as before it."""
        functions = [own.astype(np.float64, order="C") for own in arrays["functions"]]
        count = sum(own.shape[1] for own in functions)
        rest = np.zeros((len(functions), len(functions)))
        pairs = np.triu_indices(len(functions), 1)
        rest[pairs] = rest.T[pairs] = arrays["rest"]
        return cls(
            functions=functions,
            roots=[own.astype(np.float64, order="C") for own in arrays["roots"]],
            posterior=_symmetric(arrays["posterior"], count),
            gap=_symmetric(arrays["gap"], count),
            left=_symmetric(arrays["left"], count),
            falls=arrays["falls"].astype(np.float64),
            rest=rest,
        )

    @classmethod
    def from_state(cls, axes: Sequence[Axis], state: Mapping[str, Any]) -> Doubt:
        """Return what `state` says, if it can be of these attributes."""
        sizes = [axis.size for axis in axes]
        functions, roots = state["functions"], state["roots"]
        if [own.shape[0] for own in functions] != sizes or [own.shape[0] for own in roots] != sizes:
            raise ModelError("intervals need functions of every level of every attribute")
        count = sum(own.shape[1] for own in functions)
        entries = count * (count + 1) // 2
        if any(state[name].shape != (entries,) for name in ("posterior", "gap", "left")):
            raise ModelError("intervals need a variance of every two functions")
        pairs = len(sizes) * (len(sizes) - 1) // 2
        if state["falls"].shape != (count,) or state["rest"].shape != (pairs,):
            raise ModelError("intervals need a prior of every function, and what is beyond them of every pair")
        if (
            (state["falls"] < 0).any()
            or (state["posterior"] < 0).any()
            or (state["left"] < 0).any()
            or (state["rest"] < 0).any()
        ):
            raise ModelError("variances are never below zero")
        return cls.from_arrays(state)


def _symmetric(upper: NDArray[Any], size: int) -> Floats:
    """Return the symmetric matrix with this upper triangle."""
    matrix, where = np.zeros((size, size)), np.triu_indices(size)
    matrix[where] = upper
    matrix.T[where] = upper
    return matrix


def doubt_of(axes: Sequence[Axis], found: Estimate, wanted: Wanted, mixture: Mixture, belief: Belief = BELIEF) -> Doubt:
    """Return what remains unknown after a fit.

    Args:
        axes: The attributes.
        found: What was found of distributions and tables.
        wanted: What the mixture should have.
        mixture: The mixture that is shown, over cells.
        belief: The constants.
    """
    people, units = wanted.people, wanted.functions
    # how each unit function's mean product moves with the scores' numbers if the attributes are independent
    turns = [(own * given[:, None]).T @ scores for own, given, scores in zip(units, people, found.scores, strict=True)]
    priors = [_own_priors(axis, turn, belief) for axis, turn in zip(axes, turns, strict=True)]
    ends = np.cumsum([0, *(own.shape[1] for own in units)]).tolist()
    parts = [slice(*pair) for pair in pairwise(ends)]
    posterior, gap, left = (np.zeros((ends[-1], ends[-1])) for _ in range(3))
    rest = np.zeros((len(axes), len(axes)))
    shown = dependence_of(mixture, wanted.functions)
    for key, pair in found.pairs.items():
        one, other = key
        scores = found.scores[one], found.scores[other]
        variance, moved = _cautious(pair, scores, (units[one], units[other]), (priors[one], priors[other]))
        where = parts[one], parts[other]
        shape = units[one].shape[1], units[other].shape[1]
        turned = np.kron(turns[one], turns[other])
        posterior[where] = variance.reshape(shape)
        gap[where] = moved.reshape(shape) + wanted.dependence[key] - shown[where]
        # scores of values without order are more than their functions: what is left of t theta is t L t / t t
        unknown = ((turned @ pair.left) * turned).sum(axis=1) / np.maximum((turned**2).sum(axis=1), 1e-12)
        left[where] = unknown.reshape(shape)
        rest[key] = rest[other, one] = belief.rest * pair.doubted
    unanswered = [index for index, axis in enumerate(axes) if axis.ordered and axis.nullable]
    firsts = [parts[index].start for index in unanswered]  # of such an attribute the first function is of "no answer"
    more = np.zeros_like(left)
    more[firsts] = more[:, firsts] = belief.no_answer_unmeasured
    posterior *= belief.dependence_doubt * (1 + more * left)
    posterior, gap, left = (matrix + np.triu(matrix, 1).T for matrix in (posterior, gap, left))
    reach = np.concatenate([(own**2).max(axis=0, initial=0.0) for own in units])
    for index, first in zip(unanswered, firsts, strict=True):
        # whatever those without an answer are like: the mean of a product is at most so far from nothing
        none = float(people[index][-1])
        posterior[first] = np.minimum(posterior[first], none / max(1 - none, 1e-12) * reach)
        posterior[:, first] = posterior[first]
    return Doubt(
        functions=[own[cells.of] for own, cells in zip(units, found.cells, strict=True)],
        roots=[
            _root(own.slopes, belief.single_doubt * covariance)
            for own, covariance in zip(found.singles, found.covariances, strict=True)
        ],
        posterior=posterior,
        gap=gap,
        left=left,
        falls=np.concatenate([(own**2).sum(axis=1) for own in turns]),
        rest=rest,
    )


def _own_priors(axis: Axis, turn: Floats, belief: Belief) -> tuple[NDArray[np.intp], Floats]:
    """Return by which score's variance numbers of an attribute are believed in, and each as a sum over scores, by row.

    Values without order have a number for every score. An ordered attribute has one for every function, k^decay times
    what the k-th function has of all scores: what a score adds to those before it may be far smaller than the score,
    where there are few levels or many people at one of them, and dependence on it would be believed to be nothing.

    Args:
        axis: The attribute.
        turn: Its scores (columns) as sums of its functions (rows).
        belief: The constants.
    """
    count = turn.shape[1]
    if not axis.ordered or not turn.size:
        return np.arange(count), np.eye(count)
    adds = (np.abs(turn) > _LEAST_PART * np.abs(turn).max(initial=0.0)).argmax(axis=1)
    usual = np.maximum(adds + 1.0 - axis.nullable, 1.0) ** -belief.score_decay
    # the score of "no answer" is scaled to its share, and its function is that score alone
    usual = np.where((adds == 0) & axis.nullable, np.abs(turn[:, 0]), usual)
    return adds, turn / usual[:, None]


def _cautious(
    pair: PairEstimate,
    scores: tuple[Floats, Floats],
    units: tuple[Floats, Floats],
    priors: Sequence[tuple[NDArray[np.intp], Floats]],
) -> tuple[Floats, Floats]:
    """Return the variance of every mean under the cautious prior, and how far its cautious value is from the shown."""
    (rows, one), (columns, other) = priors
    made = np.kron(one, other)
    variance = pair.cautious.reshape(one.shape[1], other.shape[1])[np.ix_(rows, columns)].ravel()
    precision = (made.T / variance) @ made + np.diag(_LEAST_PRECISION / pair.cautious)
    inverse = np.linalg.inv(pair.information + precision)
    theta = inverse @ (pair.slope + precision @ pair.mean)
    moves = moments_moved(pair.joint, scores, units)
    return ((moves @ inverse) * moves).sum(axis=1), moves @ (theta - pair.theta)


def _root(slopes: Floats, covariance: Floats) -> Floats:
    """Return a matrix whose product with its transpose is the covariance of the shares of levels, with few columns."""
    values, vectors = np.linalg.eigh(covariance)
    root = slopes @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    left, sizes, _ = np.linalg.svd(root, full_matrices=False)
    kept = np.flatnonzero(sizes > _LEAST_ROOT * sizes.max(initial=0.0))[:_MOST_COLUMNS]
    short = left[:, kept] * sizes[kept]
    if len(kept) == _MOST_COLUMNS:
        own = (root**2).sum(axis=1) / np.maximum((short**2).sum(axis=1), 1e-300)
        short *= np.sqrt(own)[:, None]
    # a power of two, so that multiples of it have few digits
    grid = 2.0 ** np.floor(np.log2(_GRID * np.abs(short).max(initial=1e-30)))
    return np.asarray(np.rint(short / grid) * grid)


def _rounded(numbers: Floats) -> NDArray[np.float32]:
    """Return numbers with few binary digits, which take less room in a compressed file."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**_DIGITS), exponent - _DIGITS), dtype=np.float32)
