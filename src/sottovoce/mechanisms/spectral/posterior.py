"""How far answers of a mixture may be from the truth: variances of sums of products of weights, in formulas.

A query is a product of weights of levels, f_j for each attribute it names. In Walsh functions f_j = sum_u f_ju wal_u.
With E the model's mean, and other attributes taken as they are in the model, errors d_u of the means of single
functions and d_uv of products move the expected product by

    sum_j sum_u f_ju d_u (E[others] - sum_k (E f_k - f_k0) E[others but k])  +  sum_jk sum_uv f_ju f_kv d_uv E[others],

which is exact for two attributes. Weights of all products of a sum add up before they are squared, so what cancels in
a comparison cancels here. Three things are added: errors that stand where people stand (`Belief.coherent`), because a
smooth model may miss a single value, what three attributes do beyond pairs (`Belief.triple`), and the prior's variance
of functions never asked, which is part of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.dependence import Doubt, Layout
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.prior import pair_falls, single_prior
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

Products = Mapping[int, tuple[NDArray[np.intp], Floats]]
"""For each attribute, which products name it, and the weights of its levels in each."""

_NUMBERS_AT_ONCE = 2**21


@dataclass(frozen=True, slots=True)
class Variances:
    """What is known of sums of products, one number each.

    Attributes:
        variance: Posterior variance of the model's answer.
        prior: Its variance before any report.
        evidence: How much was measured rather than assumed: 1 - posterior / prior variance under the public prior,
            which depends on the reports' noise alone and not on what they said; of what single attributes contribute
            and of what pairs and triples do, the lesser of the two; from 0 to 1.
        shift: What the reports say beyond the model.
        direct: The variance of model plus shift; infinite where attributes were not asked together.
    """

    variance: Floats
    prior: Floats
    evidence: Floats
    shift: Floats
    direct: Floats


class Posterior:
    """Variances of answers of one mixture.

    Args:
        axes: The attributes.
        weights: The mixture's weights.
        factors: Its distributions, components by levels.
        doubt: What remains unknown, by bands.
        residual: Measured minus model for all functions of all attributes, the constant first; zero if not asked.
        gap: The cautious correction minus model, likewise.
        noise: How far chance moves what was measured; without it there are no direct answers.
        belief: The constants.
    """

    def __init__(  # noqa: PLR0913 - what a fit leaves
        self,
        axes: Sequence[Axis],
        weights: Floats,
        factors: Sequence[Floats],
        doubt: Doubt,
        residual: Floats,
        gap: Floats,
        *,
        noise: Noise | None = None,
        belief: Belief = BELIEF,
    ) -> None:
        self.axes, self.weights, self.factors = list(axes), weights, list(factors)
        self.doubt, self.residual, self.gap = doubt, residual, gap
        self.noise, self.belief = noise, belief
        self.marginals = [weights @ factor for factor in factors]
        self._layout = Layout.of([axis.bands for axis in axes])

    @cached_property
    def expansions(self) -> list[Floats]:
        """For each attribute the matrix from weights of levels to weights of Walsh functions, the constant first."""
        variance = self.doubt.noise + self.doubt.bias
        of = self._layout.functions
        result = []
        for index, axis in enumerate(self.axes):
            own = np.flatnonzero(self._layout.attribute == index)
            others = np.flatnonzero((self._layout.attribute != index) & (self._layout.attribute >= 0))
            # what a weight on a function costs: its own variance and the mean one of its products with others
            cost = variance[0, own] + (variance[np.ix_(own, others)].mean(axis=1) if others.size else 0.0)
            bands = of[np.isin(of, own)] - own[0] if own.size else np.zeros(0, np.intp)
            result.append(expansion(axis, np.concatenate([[1e-6], cost[bands]])))
        return result

    @cached_property
    def _variance(self) -> Floats:
        """The variance of every function over the crowd: where a value is rare, little of it can depend on others."""
        means = [
            own @ walsh_signs(axis.size, axis.bands)[:, 1:] for axis, own in zip(self.axes, self.marginals, strict=True)
        ]
        return np.concatenate([[1.0], *(np.clip(1 - mean**2, 0.0, 1.0) for mean in means)])

    @cached_property
    def _room(self) -> Floats:
        """The same by bands."""
        return np.asarray(np.bincount(self._layout.functions, self._variance) / np.bincount(self._layout.functions))

    @cached_property
    def _tables(self) -> dict[str, Floats]:
        """Variances by bands: the posterior, the prior, and of the measured coefficients."""
        falls = self._room * np.concatenate([[1.0], *(pair_falls(axis) for axis in self.axes)])
        # a product of two functions varies by at most the product of their own variances over the crowd
        prior = self.belief.pair_prior * np.outer(falls, falls)
        prior[0, 1:] = prior[1:, 0] = single_prior(self.axes)
        asked = np.isfinite(self.doubt.measured)
        measured = np.where(asked, self.doubt.measured, 1.0)
        return {
            # normal-normal update: 1 / (1/prior + 1/measured)
            "assumed": np.where(asked, prior * measured / (prior + measured), prior),
            "posterior": self.doubt.noise + self.doubt.bias,
            "prior": prior,
            "bias": self.doubt.bias,
            "unasked": np.where(asked, 0.0, self.doubt.bias),
        }

    def prior_parts(self) -> dict[str, Floats]:
        """Return what the prior is made of, by bands or functions of all attributes, the constant left out.

        ``single`` is the variance of a function of each band, ``pair`` the factor that each of two bands has in the
        variance of their product, and ``triple`` the factor of each function in that of a product of three.
        """
        prior = self._tables["prior"]
        falls = np.concatenate([self._triple(index) for index in range(len(self.axes))])
        triple = self.belief.triple ** (1 / 3) * falls
        return {"single": prior[0, 1:], "pair": np.sqrt(np.diag(prior)[1:]), "triple": triple}

    def spread(self, count: int, products: Products, sums: Floats) -> Variances:
        """Return the spread of sums (rows) of ``count`` products.

        Args:
            count: How many products there are.
            products: For each attribute that some product names: which products, and their weights over its levels.
            sums: How much of every product (columns) goes into each sum (rows).
        """
        names = ("posterior", "prior", "unasked", "assumed")
        single, several = ({name: np.zeros(len(sums)) for name in names} for _ in range(2))
        shift, drift, direct = (np.zeros(len(sums)) for _ in range(3))
        together = np.full(len(sums), self.noise is not None)
        terms = _Terms(self, count, products)
        for part, members, amounts in _parts(sums, sum(axis.size for axis in self.axes)):
            together[part] &= ~((amounts != 0) & (terms.named.sum(axis=0)[members] > 2)).any(axis=1)
            weights: dict[tuple[int, ...], Floats] = {}
            for attributes, factor, others in terms.of(1, 2):
                scaled = amounts * factor[members]
                if not scaled.any():
                    continue
                into = single if len(attributes) == 1 else several
                found, weights[attributes], beyond, aside = self._one(
                    attributes,
                    scaled,
                    [terms.functions[index][members] for index in attributes],
                    amounts * others[members],
                    [terms.centred[index][members] for index in attributes],
                )
                for name in names:
                    into[name][part] += found[name]
                shift[part] += beyond
                drift[part] += aside
                if len(attributes) == 2 and not self._asked_together(*attributes):
                    together[part] &= ~scaled.any(axis=1)
            if self.noise is not None and together[part].any():
                direct[part] = self.noise.variance(weights, len(part))
            for attributes, factor, _ in terms.of(3):
                scaled = amounts * factor[members]
                if scaled.any():
                    grams = [self._gram(terms.functions[index][members], self._triple(index)) for index in attributes]
                    wide = self.belief.triple * _quadratic(scaled, *grams)
                    for name in names:
                        several[name][part] += wide
        alone = several["prior"] <= 0
        # the known distance to the cautious answer counts as an error: with pairs where there are any
        single["posterior"] += np.where(alone, drift**2, 0.0)
        several["posterior"] += np.where(alone, 0.0, drift**2)
        return Variances(
            variance=single["posterior"] + several["posterior"],
            prior=single["prior"] + several["prior"],
            evidence=np.clip(np.minimum(_gained(single), _gained(several)), 0.0, 1.0),
            shift=shift,
            direct=np.where(together, direct + single["unasked"] + several["unasked"], np.inf),
        )

    def _one(
        self,
        attributes: tuple[int, ...],
        amounts: Floats,
        vectors: list[Floats],
        plain: Floats,
        centred: list[Floats],
    ) -> tuple[dict[str, Floats], Floats, Floats, Floats]:
        """Return variances, weights, shift and drift of the coefficients of one attribute or pair.

        ``vectors`` are weights of functions (sums, products, functions) and ``amounts`` what the products count for;
        ``centred`` are weights of levels less their mean, and ``plain`` what products count for besides those levels.
        """
        if len(attributes) == 1:
            # weights of coefficients of the whole sum: products add up before they are squared, so differences cancel
            total = np.einsum("fk,fku->fu", amounts, vectors[0])[:, None, :]
        else:
            total = (amounts[:, :, None] * vectors[0]).transpose(0, 2, 1) @ vectors[1]
        bands = [np.array([0])] if len(attributes) == 1 else []
        bands += [np.flatnonzero(self._layout.attribute == index) for index in attributes]
        indices = [np.flatnonzero(np.isin(self._layout.functions, own)) for own in bands]
        # the variance of a sum of independent coefficients: squared weights by band, times the band's variance
        energy = total**2
        for axis, own in enumerate(bands):
            starts = np.searchsorted(self._layout.functions[indices[axis]], own)
            energy = np.add.reduceat(energy, starts, axis=axis + 1)
        where = np.ix_(*bands)
        found = {name: (energy * self._tables[name][where]).sum(axis=(1, 2)) for name in self._tables}
        # sum of weight times (y - m), and times (cautious - m): the shift of direct answers, and the known distance
        beyond, aside = ((total * matrix[np.ix_(*indices)]).sum(axis=(1, 2)) for matrix in (self.residual, self.gap))
        grams = [self._gram(own, self.marginals[index]) for index, own in zip(attributes, centred, strict=True)]
        doubtful = self.belief.coherent
        if len(attributes) == 2:
            listed = any(map(self.is_list, attributes))
            doubtful = self.belief.coherent_listed if listed else self.belief.coherent_pair
        # errors of a pair's coefficients go together where whole cells are off: a coherent part of the variance
        coherent = _quadratic(plain, *grams)
        sizes = np.outer(*(2.0 ** self._layout.band[own] for own in bands))
        for name, table, weight in (  # what is doubted more does not count as measured the sooner
            ("posterior", "bias", doubtful),
            ("prior", "prior", self.belief.coherent),
            ("unasked", "unasked", doubtful),
            ("assumed", "assumed", self.belief.coherent),
        ):
            mean = float((sizes * self._tables[table][where]).sum() / sizes.sum())
            found[name] = found[name] + weight * coherent * mean
        return found, total[:, 0] if len(attributes) == 1 else total, beyond, aside

    def is_list(self, index: int) -> bool:
        """Return whether an attribute is a category of three or more values (`Belief.coherent_listed`)."""
        return not self.axes[index].ordered and self.axes[index].size > 2

    def _asked_together(self, first: int, second: int) -> bool:
        own, other = (np.flatnonzero(self._layout.attribute == index) for index in (first, second))
        return bool(np.isfinite(self.doubt.measured[np.ix_(own, other)]).any())

    def _triple(self, index: int) -> Floats:
        """Return how the prior of triples falls with an attribute's functions."""
        own = self._layout.functions[self._layout.attribute[self._layout.functions] == index]
        falls = 2.0 ** (-self.belief.triple_decay * self._layout.band[own])
        return np.asarray(falls * self._variance[self._layout.attribute[self._layout.functions] == index])

    @staticmethod
    def _gram(vectors: Floats, weights: Floats) -> Floats:
        return np.asarray((vectors * weights) @ vectors.transpose(0, 2, 1))


class _Terms:
    """The products of a batch taken apart.

    Attributes:
        named: Which attributes (rows) each product names.
        functions: For each attribute the weights of its functions in each product, the constant left out.
        centred: The weights of its levels less their mean in the model.
    """

    def __init__(self, model: Posterior, count: int, products: Products) -> None:
        self._model = model
        self.named = np.zeros((len(model.axes), count), dtype=bool)
        self.functions: dict[int, Floats] = {}
        self.centred: dict[int, Floats] = {}
        self._inside: dict[int, Floats] = {}
        self._own: dict[int, Floats] = {}
        for index in sorted(products):
            queries, weights = products[index]
            self.named[index, queries] = True
            expanded, mean = weights @ model.expansions[index].T, weights @ model.marginals[index]
            self.functions[index] = np.zeros((count, expanded.shape[1] - 1))
            self.functions[index][queries] = expanded[:, 1:]
            self.centred[index] = np.zeros((count, weights.shape[1]))
            self.centred[index][queries] = weights - mean[:, None]
            self._inside[index] = np.ones((count, len(model.weights)))
            self._inside[index][queries] = weights @ model.factors[index].T
            self._own[index] = np.zeros(count)
            self._own[index][queries] = mean - expanded[:, 0]

    def of(self, *sizes: int) -> Iterator[tuple[tuple[int, ...], Floats, Floats]]:
        """Yield some attributes, the factor of their functions in each product, and the mean of all the others."""
        for size in sizes:
            for indices in combinations(self.functions, size):
                naming = self.named[list(indices)].all(axis=0)
                if not naming.any():
                    continue
                others = np.where(naming, self._without(indices), 0.0)
                factor = others
                if size == 1:  # the mean of a product is measured itself, so an error here leaves it as it is
                    for other in set(self.functions) - set(indices):
                        both = naming & self.named[other]
                        # E[others] - sum_k (E f_k - f_k0) E[others but k], the factor of d_u (module's formula)
                        factor = factor - np.where(both, self._own[other] * self._without((*indices, other)), 0.0)
                yield indices, factor, others

    def _without(self, indices: tuple[int, ...]) -> Floats:
        """Return each product's expectation if it did not name these attributes."""
        inside = np.tile(self._model.weights, (self.named.shape[1], 1))
        for index, own in self._inside.items():
            if index not in indices:
                inside *= own
        return np.asarray(inside.sum(axis=1))


def expansion(axis: Axis, cost: Floats) -> Floats:
    """Return the matrix from weights of levels to weights of all Walsh functions that is cheapest.

    Where the size is no power of two the functions are more than the levels, and many sums of them are the same
    weights; of those the one is taken whose squares, times the cost of each function, add up to the least.
    """
    signs = walsh_signs(axis.size, axis.bands)
    # minimum of sum cost_u c_u^2 with signs c = weights: c = C^-1 S' (S C^-1 S')^-1 weights (Lagrange)
    scaled = signs.T / cost[:, None]
    return np.asarray(scaled @ np.linalg.inv(signs @ scaled))


def _quadratic(amounts: Floats, *grams: Floats) -> Floats:
    """Return the quadratic forms of amounts in the products, element by element, of matrices."""
    matrix = np.prod(grams, axis=0)
    return np.asarray(np.maximum(np.einsum("fk,fkl,fl->f", amounts, matrix, amounts), 0.0))


def _gained(parts: dict[str, Floats]) -> Floats:
    """Return 1 - posterior / prior variance under the public prior alone; 1 where there is nothing to know."""
    nothing = parts["prior"] <= 1e-18
    return np.where(nothing, 1.0, 1 - parts["assumed"] / np.where(nothing, 1.0, parts["prior"]))


def _parts(sums: Floats, levels: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]:
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
