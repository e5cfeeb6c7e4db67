"""How far answers of a mixture may be from the truth: variances of sums of products of weights, in formulas.

A query is a product of weights of levels, f_j for each attribute it names. With E the model's mean, and other
attributes taken as they are in the model, errors e_j of an attribute's distribution and errors d_ab of the mean of a
product of two unit functions (doubt.py) move the expected product by

    sum_j  f_j e_j E[others]  +  sum_jk  sum_ab  a_j b_k d_ab E[others],

where a_j are the covariances of f_j with the functions of its attribute. Weights of all products of a sum add up before
they are squared, so what cancels in a comparison cancels here. Two things are added: what lies outside the functions,
and what three attributes do beyond pairs (`Belief.triple`), of which nobody was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.doubt import Doubt
from sottovoce.mechanisms.spectral.walsh import Axis

Products = Mapping[int, tuple[NDArray[np.intp], Floats]]
"""For each attribute, which products name it, and the weights of its levels in each."""

_NUMBERS_AT_ONCE = 2**21


@dataclass(frozen=True, slots=True)
class Variances:
    """What is known of sums of products, one number each.

    Attributes:
        variance: Posterior variance of the model's answer.
        evidence: How much was measured rather than assumed: 1 - posterior / prior variance under the public prior,
            which depends on the reports' noise and hardly on what they said; of what single attributes contribute
            and of what pairs and triples do, the lesser of the two; from 0 to 1.
    """

    variance: Floats
    evidence: Floats


class Posterior:
    """Variances of answers of one mixture.

    Args:
        axes: The attributes.
        weights: The mixture's weights.
        factors: Its distributions, components by levels.
        doubt: What remains unknown.
        belief: The constants.
    """

    def __init__(
        self,
        axes: Sequence[Axis],
        weights: Floats,
        factors: Sequence[Floats],
        doubt: Doubt,
        *,
        belief: Belief = BELIEF,
    ) -> None:
        self.axes, self.weights, self.factors = list(axes), weights, list(factors)
        self.doubt, self.belief = doubt, belief
        self.marginals = [weights @ factor for factor in factors]
        ends = np.cumsum([0, *(own.shape[1] for own in doubt.functions)]).tolist()
        self._of = [slice(*pair) for pair in pairwise(ends)]

    @cached_property
    def triple_falls(self) -> list[Floats]:
        """For each attribute, how the prior of what three attributes do falls with its functions."""
        result = []
        for axis, own in zip(self.axes, self.doubt.functions, strict=True):
            count = own.shape[1]
            # of an ordered attribute the first functions are the smoothest; values without order are all alike
            falls = self.belief.triple_ordered * np.arange(1, count + 1.0) ** -self.belief.triple_decay
            result.append(falls if axis.ordered else np.full(count, min(1.0, 2 / max(count, 1))))
        return result

    def spread(self, count: int, products: Products, sums: Floats) -> Variances:
        """Return the spread of sums (rows) of ``count`` products.

        Args:
            count: How many products there are.
            products: For each attribute that some product names: which products, and their weights over its levels.
            sums: How much of every product (columns) goes into each sum (rows).
        """
        names = ("posterior", "prior", "assumed")
        single, several = ({name: np.zeros(len(sums)) for name in names} for _ in range(2))
        drift = np.zeros(len(sums))
        terms = Terms(self.weights, self.factors, count, products)
        functions = {
            index: own @ (self.marginals[index][:, None] * self.doubt.functions[index])
            for index, own in terms.centred.items()
        }
        for part, members, amounts in parts_of(sums, sum(axis.size for axis in self.axes)):
            for attributes, others in terms.of(1, 2, 3):
                scaled = amounts * others[members]
                if not scaled.any():
                    continue
                if len(attributes) == 1:
                    found = self._single(*attributes, scaled, terms.centred[attributes[0]][members])
                    into = single
                elif len(attributes) == 2:
                    found, moved = self._pair(
                        attributes,
                        scaled,
                        [functions[index][members] for index in attributes],
                        [terms.centred[index][members] for index in attributes],
                    )
                    drift[part] += moved
                    into = several
                else:
                    grams = [_gram(functions[index][members], self.triple_falls[index]) for index in attributes]
                    found = dict.fromkeys(names, self.belief.triple * quadratic(scaled, *grams))
                    into = several
                for name in names:
                    into[name][part] += found[name]
        return Variances(
            # the known distance to the cautious answer counts as an error
            variance=single["posterior"] + several["posterior"] + drift**2,
            evidence=np.clip(np.minimum(_gained(single), _gained(several)), 0.0, 1.0),
        )

    def _single(self, index: int, amounts: Floats, centred: Floats) -> dict[str, Floats]:
        """Return variances of what one attribute contributes; ``centred`` is by sums, products and levels."""
        total = np.einsum("fk,fkl->fl", amounts, centred)
        posterior = ((total @ self.doubt.roots[index]) ** 2).sum(axis=1)
        prior = self.belief.single_prior * (total**2 @ self.marginals[index])
        return {"posterior": posterior, "prior": prior, "assumed": posterior}

    def _pair(
        self, attributes: tuple[int, ...], amounts: Floats, vectors: list[Floats], centred: list[Floats]
    ) -> tuple[dict[str, Floats], Floats]:
        """Return variances of what a pair contributes, and how far it lies from the cautious answer.

        ``vectors`` are weights of functions, ``centred`` of levels: sums, products, functions or levels.
        """
        one, other = attributes
        where = self._of[one], self._of[other]
        total = (amounts[:, :, None] * vectors[0]).transpose(0, 2, 1) @ vectors[1]
        energy = total**2
        grams = [_gram(own, self.marginals[index]) for index, own in zip(attributes, centred, strict=True)]
        # all that the weights have in common with each other over people, less what the functions have of it
        outside = np.maximum(quadratic(amounts, *grams) - energy.sum(axis=(1, 2)), 0.0)
        prior = self.belief.pair_prior * np.outer(self.doubt.falls[where[0]], self.doubt.falls[where[1]])
        beyond = self.belief.pair_prior * self.belief.rest * outside
        posterior = (energy * self.doubt.posterior[where]).sum(axis=(1, 2)) + self.doubt.rest[one, other] * outside
        found = {
            "posterior": posterior,
            "prior": (energy * prior).sum(axis=(1, 2)) + beyond,
            "assumed": (energy * prior * self.doubt.left[where]).sum(axis=(1, 2)) + beyond,
        }
        return found, (total * self.doubt.gap[where]).sum(axis=(1, 2))


class Terms:
    """The products of a batch taken apart.

    Args:
        weights: The mixture's weights.
        factors: Its distributions, components by levels.
        count: How many products there are.
        products: For each attribute that some product names: which products, and their weights over its levels.

    Attributes:
        named: Which attributes (rows) each product names.
        centred: For each attribute the weights of its levels in each product, less their mean in the model.
    """

    def __init__(self, weights: Floats, factors: Sequence[Floats], count: int, products: Products) -> None:
        self._weights = weights
        self.named = np.zeros((len(factors), count), dtype=bool)
        self.centred: dict[int, Floats] = {}
        self._inside: dict[int, Floats] = {}
        for index in sorted(products):
            queries, own = products[index]
            self.named[index, queries] = True
            self._inside[index] = np.ones((count, len(weights)))
            self._inside[index][queries] = own @ factors[index].T
            self.centred[index] = np.zeros((count, own.shape[1]))
            self.centred[index][queries] = own - (self._inside[index][queries] @ weights)[:, None]

    def of(self, *sizes: int) -> Iterator[tuple[tuple[int, ...], Floats]]:
        """Yield some attributes, and in each product that names them the mean of all others; nothing elsewhere."""
        for size in sizes:
            for indices in combinations(self.centred, size):
                naming = self.named[list(indices)].all(axis=0)
                if naming.any():
                    yield indices, np.where(naming, self.without(indices), 0.0)

    def without(self, indices: tuple[int, ...]) -> Floats:
        """Return each product's expectation if it did not name these attributes."""
        inside = np.tile(self._weights, (self.named.shape[1], 1))
        for index, own in self._inside.items():
            if index not in indices:
                inside *= own
        return np.asarray(inside.sum(axis=1))


def _gram(vectors: Floats, weights: Floats) -> Floats:
    return np.asarray((vectors * weights) @ vectors.transpose(0, 2, 1))


def quadratic(amounts: Floats, *grams: Floats) -> Floats:
    """Return the quadratic forms of amounts in the products, element by element, of matrices."""
    matrix = np.prod(grams, axis=0)
    return np.asarray(np.maximum(np.einsum("fk,fkl,fl->f", amounts, matrix, amounts), 0.0))


def _gained(parts: dict[str, Floats]) -> Floats:
    """Return 1 - posterior / prior variance under the public prior alone; 1 where there is nothing to know."""
    nothing = parts["prior"] <= 1e-18
    return np.where(nothing, 1.0, 1 - parts["assumed"] / np.where(nothing, 1.0, parts["prior"]))


def parts_of(sums: Floats, levels: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]:
    """Yield sums in parts of bounded size: their numbers, the products each adds up, padded, and the amounts."""
    lengths = np.count_nonzero(sums, axis=1)
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        step = 1
        while start + step < len(order):
            widest = max(1, int(lengths[order[start + step]]))
            if (step + 1) * widest * (levels + widest) + (step + 1) * 4096 > _NUMBERS_AT_ONCE:
                break
            step += 1
        part = order[start : start + step]
        widest = max(1, int(lengths[part].max()))
        members = np.argsort(sums[part] == 0, axis=1, kind="stable")[:, :widest]
        yield part, members, np.take_along_axis(sums[part], members, axis=1)
        start += step
