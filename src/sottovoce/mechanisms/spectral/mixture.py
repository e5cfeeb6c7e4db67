"""A mixture of products that has given tables of two attributes: one distribution of whole records for all of them.

Tables of pairs are found one by one (joint.py). A mixture p(x) = sum over components of weight * product of
distributions has them all at once: never negative, additive, and 1 for everybody; and what three or more attributes do
together follows from it.

The dependence of a pair is its table less the product of both sums, in functions that are uncorrelated and of variance
1 over people. A component stands at a point of the space of all these functions; products of its coordinates, averaged
over components, are the dependence. So a factorisation of all dependence together says where components should stand:
along orthogonal columns that are spread as normal variables are, each point with its opposite, so that pairs come out
right and three or more attributes go together as a normal cause would have it. (At the corners of a cube, where each
column is two points, attributes of few values that share a cause come out wrong in fours.)

From there expectation maximisation takes the mixture to the tables: each round divides the people of every cell of
every table among the components by how probable each makes it there, and gives each component the distributions of its
people. The sum over pairs of the divergence (Kullback and Leibler's) of the mixture's table from the given one falls
with every round, more slowly the nearer it is; so every two rounds are followed by a longer step along the way they
went (SQUAREM, Varadhan and Roland 2008), which is taken back if the divergence does not fall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from sottovoce._types import Floats

_FACTOR_ROUNDS = 20  # of filling the diagonal of the dependence with what the factors make of it
_BALANCING = 20  # rounds of bringing components' sums to what is given, before and after
_SPREADING = 10  # rounds of making columns both normal and orthogonal: more change little
_SCALES = 1.0, 1.25, 1.6, 2.0, 2.5, 3.2  # of components' logits: the one that moves them apart as far as is wanted
_LEAST = 1e-300  # what nobody has in common is divided by this
FEW_PAIRS = 45  # of ten attributes: with more of them each gets fewer scores, and the steps end earlier
_WORTH = 3e-5  # a longer step that takes less off the divergence, of more pairs more, is the last
_LONGEST = 30.0  # a longer step, in rounds
_MOST_LOST = 5.0  # by a longer step alone, of the logarithm of a share: what is next to zero hardly comes back


@dataclass(frozen=True, slots=True)
class Mixture:
    """Component weights, and one array of distributions per attribute (components by levels, or by cells)."""

    weights: Floats
    factors: list[Floats]

    def table(self, one: int, other: int) -> Floats:
        """Return the table of two attributes."""
        return np.asarray((self.factors[one] * self.weights[:, None]).T @ self.factors[other])


@dataclass(frozen=True)
class Wanted:
    """What a mixture should have.

    Attributes:
        people: The distribution of each attribute, over cells.
        functions: For each attribute functions of its cells, of mean zero, uncorrelated and of variance 1.
        tables: For each pair the table of both.
    """

    people: Sequence[Floats]
    functions: Sequence[Floats]
    tables: Mapping[tuple[int, int], Floats]

    @cached_property
    def dependence(self) -> dict[tuple[int, int], Floats]:
        """For each pair the covariances of both attributes' functions."""
        return {
            (one, other): self.functions[one].T
            @ (table - np.outer(self.people[one], self.people[other]))
            @ self.functions[other]
            for (one, other), table in self.tables.items()
        }


def dependence_of(given: Mixture, functions: Sequence[Floats]) -> Floats:
    """Return the covariances of all functions of all attributes between the components of a mixture.

    Args:
        given: The mixture.
        functions: For each attribute functions of its cells, cells by functions.
    """
    means = np.concatenate([own @ function for own, function in zip(given.factors, functions, strict=True)], axis=1)
    centred = means - given.weights @ means
    return np.asarray((centred * given.weights[:, None]).T @ centred)


def mixture(wanted: Wanted, *, components: int, leaps: int) -> Mixture:
    """Return a mixture that has what is wanted, as nearly as so many steps bring it.

    Args:
        wanted: Distributions and tables.
        components: How many components: an even number.
        leaps: How many longer steps at most, each after two rounds of expectation maximisation.
    """
    if not wanted.tables:
        return Mixture(np.ones(1), [own[None] for own in wanted.people])
    found, before = _start(wanted, components), np.inf
    worth = _WORTH * max(1.0, len(wanted.tables) / FEW_PAIRS)
    for _ in range(leaps):
        once = _nearer(found, wanted.tables)
        twice = _nearer(once, wanted.tables)
        further = _nearer(_leap(found, once, twice), wanted.tables)
        found, value = further, _divergence(further, wanted.tables)
        if value > before:
            found, value = twice, _divergence(twice, wanted.tables)
        if before - value < worth:
            break
        before = value
    return _balanced(found, wanted.people)


def _divergence(given: Mixture, tables: Mapping[tuple[int, int], Floats]) -> float:
    """Return the sum over pairs of the divergence of the mixture's table from the given one."""
    return sum(
        float((table * np.log(np.maximum(table, _LEAST) / np.maximum(given.table(*key), _LEAST))).sum())
        for key, table in tables.items()
    )


def _leap(found: Mixture, once: Mixture, twice: Mixture) -> Mixture:
    """Return where two rounds would lead if they went on as they began: further along both, in logarithms."""
    logs = [
        [np.log(np.maximum(own, _LEAST)) for own in (step.weights[:, None], *step.factors)]
        for step in (found, once, twice)
    ]
    people = [np.ones((1, 1)), *([found.weights[:, None]] * len(found.factors))]
    shares = [own * by for own, by in zip((found.weights[:, None], *found.factors), people, strict=True)]
    first = [b - a for a, b, _ in zip(*logs, strict=True)]
    bend = [c - 2 * b + a for a, b, c in zip(*logs, strict=True)]
    sizes = [sum(float((of * own * own).sum()) for of, own in zip(shares, part, strict=True)) for part in (first, bend)]
    length = min(max(np.sqrt(sizes[0] / max(sizes[1], _LEAST)), 1.0), _LONGEST)
    ends = [
        np.maximum(a + 2 * length * b + length**2 * c, d - _MOST_LOST)
        for a, b, c, d in zip(logs[0], first, bend, logs[2], strict=True)
    ]
    weights, *factors = (np.exp(own - own.max(axis=0 if own.shape[1] == 1 else 1, keepdims=True)) for own in ends)
    return Mixture(weights[:, 0] / weights.sum(), [_normal(own) for own in factors])


def _nearer(given: Mixture, tables: Mapping[tuple[int, int], Floats]) -> Mixture:
    """Return a mixture that is nearer to the tables: a round of expectation maximisation."""
    weighted = [own * given.weights[:, None] for own in given.factors]
    people = [np.zeros_like(own) for own in given.factors]
    for (one, other), table in tables.items():
        # of a cell's people a component has the part  weight * first * second  of what all components make of the cell
        ratio = table / np.maximum(weighted[one].T @ given.factors[other], _LEAST)
        people[one] += weighted[one] * (given.factors[other] @ ratio.T)
        people[other] += weighted[other] * (given.factors[one] @ ratio)
    weights = sum(own.sum(axis=1) for own in people)
    return Mixture(weights / weights.sum(), [_normal(own) for own in people])


def _start(wanted: Wanted, components: int) -> Mixture:
    """Return a mixture whose components stand where the factors of all dependence say."""
    ends = np.cumsum([0, *(own.shape[1] for own in wanted.functions)]).tolist()
    parts = [slice(*pair) for pair in pairwise(ends)]
    dependence, between = np.zeros((ends[-1], ends[-1])), np.ones((ends[-1], ends[-1]))
    for part in parts:
        between[part, part] = 0.0
    for (one, other), block in wanted.dependence.items():
        dependence[parts[one], parts[other]], dependence[parts[other], parts[one]] = block, block.T
    columns = _columns(components)
    factors = _factors(dependence, between, min(columns.shape[1], ends[-1]))
    tables = [
        _apart(own, functions, factors[part], columns[:, : factors.shape[1]])
        for own, functions, part in zip(wanted.people, wanted.functions, parts, strict=True)
    ]
    return _balanced(Mixture(np.full(components, 1 / components), tables), wanted.people)


def _apart(people: Floats, functions: Floats, factors: Floats, columns: Floats) -> Floats:
    """Return an attribute's distributions in components, as far apart as its factors say.

    Args:
        people: The attribute's distribution over cells.
        functions: Functions of its cells, uncorrelated and of variance 1.
        factors: What each factor does to the means of these functions.
        columns: Where components stand along the factors.
    """
    wanted, moved = float((factors**2).sum()), functions @ factors
    # components move people apart; what they have in common is as much narrower
    away = columns @ moved.T - 0.5 * (moved**2).sum(axis=1)
    found = []
    for scale in _SCALES:  # a yes-or-no answer takes larger logits than a long scale to be as far apart
        logits = np.log(np.maximum(people, 1e-12)) + scale * away
        found.append(_normal(np.exp(logits - logits.max(axis=1, keepdims=True))))
    return min(found, key=lambda table: abs(float(((table @ functions) ** 2).sum()) / len(table) - wanted))


def _balanced(given: Mixture, people: Sequence[Floats]) -> Mixture:
    """Return the mixture with components' distributions scaled until together they have the given ones."""
    factors = given.factors
    for _ in range(_BALANCING):
        factors = [
            _normal(own * (wanted / np.maximum(given.weights @ own, _LEAST)))
            for own, wanted in zip(factors, people, strict=True)
        ]
    return Mixture(given.weights, factors)


def _normal(table: Floats) -> Floats:
    """Return rows that sum to one."""
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), _LEAST))


def _factors(dependence: Floats, between: Floats, count: int) -> Floats:
    """Return factors whose products come near to the dependence between attributes."""
    filled, factors = dependence, np.zeros((len(dependence), count))
    for _ in range(_FACTOR_ROUNDS):
        values, vectors = np.linalg.eigh(filled)
        factors = vectors[:, : -count - 1 : -1] * np.sqrt(np.maximum(values[: -count - 1 : -1], 0.0))
        # the dependence of an attribute on itself is whatever suits the factors
        filled = np.where(between > 0, dependence, factors @ factors.T)
    return factors


def _columns(count: int) -> Floats:
    """Return columns that are orthogonal to each other and to one, each spread nearly as a normal variable is.

    The second half of the rows is the first with opposite signs, so that no product of three columns has a mean.
    """
    half, normal = count // 2, NormalDist()
    quantiles = np.array([normal.inv_cdf((row + 0.5) / half) for row in range(half)])
    # multiples of roots of primes (Weyl), of squares so that no two columns have the same order, fill space evenly
    columns = np.arange(1, half + 1)[:, None] ** 2 * np.sqrt(_primes(max(half - 1, 1))) % 1
    for _ in range(_SPREADING):  # ranked, and made orthogonal by as little as it takes
        left, _, right = np.linalg.svd(quantiles[columns.argsort(axis=0).argsort(axis=0)], full_matrices=False)
        columns = left @ right * np.sqrt(half)
    return np.asarray(np.concatenate([columns, -columns]))


def _primes(count: int) -> list[int]:
    """Return the first primes."""
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found
