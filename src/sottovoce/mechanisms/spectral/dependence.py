"""How far truth may lie from a fitted model, pair by pair: empirical Bayes on what the fit left over.

For a coefficient theta (the mean of a Walsh function, or of a product of two) the reports give y = theta + n, n with
variance 1/I, and the fit gives m. Near the fit m = a + h y, where h is the coefficient's **leverage**: how much of its
own noise it follows. With delta = (1 - h) theta - a, what the fit left over and its error are

    y - m = delta + (1 - h) n,        theta - m = delta - h n,

so if delta has variance b, the best correction s (y - m) and the variance that remains are

    s = max(0, (b - h (1 - h)/I) / (b + (1 - h)^2/I)),        (1 - s)^2 b + (h + s (1 - h))^2 / I.

Leverage is seen in fits to parts of the reports: where their data differ, so do they. The variances b are estimated
block by block (a band of one attribute with a band of another), around a variance of the pair, around one that all
pairs have in common: a pair whose reports show more than chance gets a large one, and hardly any shrinkage.

Intervals must hold for just those pairs that somebody asks about. They take a high quantile of b, of the pair on its
own: the **cautious** correction that it gives, and the variance that remains then. How far the answer that is shown
lies from the cautious one is known, and counts as an error too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.moments import Asked, Moments
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

    def shape(self, decay: float) -> Floats:
        """Return how the variance of an error falls with the bands; not for single attributes."""
        # b of a block is that of its pair times 2^(-decay (band + band)): fine structure errs less
        shape = 2.0 ** (-decay * (self.band[:, None] + self.band[None, :]))
        shape[0] = shape[:, 0] = 1.0
        return np.asarray(shape)


@dataclass(frozen=True, slots=True)
class Doubt:
    """What remains unknown after the cautious correction, by bands (symmetric matrices, the constant first).

    Attributes:
        noise: The variance of a coefficient that comes from the reports' noise.
        bias: The variance of what is wrong besides; the prior's where nobody was asked.
        measured: The variance of the measured coefficient itself; infinite where nobody was asked.
    """

    noise: Floats
    bias: Floats
    measured: Floats


@dataclass(frozen=True, slots=True)
class Correction:
    """Where a model should move; the cautious correction, and what is unknown after it.

    The target counts by the information of the reports, not by what is known of it: a mixture has too few components to
    be held to the independence of many pairs, of which much is known, and not lose others.
    """

    target: Moments
    cautious: Floats
    doubt: Doubt


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


def asked_moments(moments: Moments) -> tuple[NDArray[np.intp], ...]:
    """Return the rows and columns of the moments that anyone was asked for, of the upper triangle."""
    return np.nonzero(np.triu(moments.information))


def correct(
    axes: Sequence[Axis],
    asked: Asked,
    moments: Moments,
    model: Floats,
    parts: Sequence[tuple[Moments, Floats]],
    belief: Belief = BELIEF,
) -> Correction:
    """Return where a fitted model should move, and how far from the truth it may be then.

    Args:
        axes: The attributes.
        asked: The functions asked.
        moments: What the reports say.
        model: What the fitted model says, of the same functions.
        parts: Parts of the reports, and what a fit to each says, of `asked_moments`.
        belief: The constants.
    """
    layout = Layout.of(asked.bands)
    rows, columns = asked_moments(moments)
    first, second = layout.functions[rows], layout.functions[columns]  # bands; first is 0 for a single attribute
    blocks, block = np.unique(first * len(layout.band) + second, return_inverse=True)
    one, other = np.divmod(blocks, len(layout.band))
    information, left = moments.information[rows, columns], (moments.estimate - model)[rows, columns]
    # a fit that follows noise by the leverage h leaves residuals of variance (1 - h)^2 / I plus that of its own bias
    leverage = _leverage(parts, block, _kinds(layout, one, other), belief)
    shape = layout.shape(belief.decay)[one, other]
    likelihood = np.zeros((len(blocks), belief.points))
    variance = shape[block, None] * belief.grid + ((1 - leverage[block]) ** 2 / information)[:, None]
    # normal log-likelihood of each block's residuals, for every variance of the grid
    np.add.at(likelihood, block, -0.5 * (np.log(variance) + left[:, None] ** 2 / variance))
    probable, high, unasked = _variances(axes, layout, one, other, likelihood, belief)

    own = leverage[block]
    # empirical Bayes: the part of a residual to follow is the posterior mean over the grid of variances
    kept = expected_shrinkage(probable[block], shape[block, None] * belief.grid, own, information, twice=one[block] > 0)
    target, cautious = model.copy(), model.copy()
    target[rows, columns] += kept * left  # m + s (y - m) (design/intervals.md, The shown answer)
    # the same with a high quantile of b, for intervals
    kept, bias, noise = shrinkage((high * shape)[block], own, information)
    noise = np.where(one[block] > 0, noise, belief.single_noise * noise)
    cautious[rows, columns] += kept * left
    for matrix in (target, cautious):
        matrix[columns, rows] = matrix[rows, columns]

    whole = Layout.of([axis.bands for axis in axes])
    indices = {
        key: number for number, key in enumerate(zip(whole.attribute.tolist(), whole.band.tolist(), strict=True))
    }
    number = np.array([indices[key] for key in zip(layout.attribute.tolist(), layout.band.tolist(), strict=True)])
    where = number[one], number[other]
    count = np.bincount(block)
    tables = np.zeros((2, len(whole.band), len(whole.band)))
    tables[1] = unasked
    measured = np.full(unasked.shape, np.inf)
    for table, values in ((tables[0], noise), (tables[1], bias), (measured, 1 / information)):
        table[where] = table[where[::-1]] = np.bincount(block, values) / count
    return Correction(Moments(target, moments.information), cautious, Doubt(tables[0], tables[1], measured))


def shrinkage(variance: Floats, leverage: Floats, information: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the part of a residual to follow, and the variance that remains of the model's error and of noise.

    Args:
        variance: The variance of the model's error, without the reports' noise.
        leverage: How much of a change of the data the model follows already, from 0 to 1.
        information: One over the variance of the reports' noise.

    Returns:
        Three arrays of the arguments' common shape; the first from 0 to 1.
    """
    against, within = leverage * (1 - leverage) / information, (1 - leverage) ** 2 / information
    # minimises E (true - (model + kept * residual))^2 where model and data share the leverage's part of the noise
    kept = np.clip((variance - against) / (variance + within), 0.0, 1.0)
    return kept, (1 - kept) ** 2 * variance, (leverage + kept * (1 - leverage)) ** 2 / information


def expected_shrinkage(
    probable: Floats, variances: Floats, leverage: Floats, information: Floats, *, twice: NDArray[np.bool_]
) -> Floats:
    """Return the part of a residual to follow if the variance of the model's error is uncertain.

    The best part is the mean of the best parts. That of the mean variance would be larger: parts are concave in it.
    Of pairs it is applied twice, to the residual and to what it leaves: the mixture that is then moved there cannot
    follow noise that differs from coefficient to coefficient, and so shrinks them itself. Where less than half of the
    residual is followed, most of it is noise, and the second time counts for less.

    Args:
        probable: Rows of probabilities over the grid of variances.
        variances: The grid, one row for all or one for each.
        leverage: How much of a change of the data the model follows already, one for each row.
        information: One over the variance of the reports' noise, one for each row.
        twice: Which rows are of pairs.

    Returns:
        One part for each row.
    """
    each, _, _ = shrinkage(variances, leverage[:, None], information[:, None])
    kept = (probable * each).sum(axis=1)
    return np.asarray(kept + np.where(twice, np.minimum(1.0, 2 * kept) * kept * (1 - kept), 0.0))


def _kinds(layout: Layout, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for blocks of bands which are alike: single attributes or pairs, by how fine they are."""
    return np.where(one > 0, 100, 0) + layout.band[one] + layout.band[other]


def _leverage(
    parts: Sequence[tuple[Moments, Floats]],
    block: NDArray[np.intp],
    kinds: NDArray[np.intp],
    belief: Belief,
) -> Floats:
    """Return for every block how much fits follow the noise of a coefficient: the slope of fits on their data."""
    data = np.array([moments.estimate for moments, _ in parts])
    fits = np.array([model for _, model in parts])
    information = np.min([moments.information for moments, _ in parts], axis=0)
    data, fits = data - data.mean(axis=0), fits - fits.mean(axis=0)
    # least-squares slope of fitted on measured coefficients over parts of the reports, pooled over alike blocks
    follows = np.bincount(block, information * (data * fits).sum(axis=0), len(kinds))
    moves = np.bincount(block, information * (data * data).sum(axis=0), len(kinds))
    # a ratio estimator: blocks with few coefficients lean on those of their kind by a few pseudo-observations
    pooled = np.bincount(kinds, follows)[kinds] / np.maximum(np.bincount(kinds, moves)[kinds], 1e-12)
    return np.asarray(np.clip((follows + belief.pseudo * pooled) / (moves + belief.pseudo), 0.0, 0.95))


def _variances(
    axes: Sequence[Axis],
    layout: Layout,
    one: NDArray[np.intp],
    other: NDArray[np.intp],
    likelihood: Floats,
    belief: Belief,
) -> tuple[Floats, Floats, Floats]:
    """Return how probable each block's variances are, a high one for intervals, and those of all bands if not asked."""
    whole = Layout.of([axis.bands for axis in axes])
    single = single_prior(axes)
    unasked = np.zeros((len(whole.band), len(whole.band)))
    unasked[0, 1:] = unasked[1:, 0] = single
    probable, high = np.zeros((len(one), belief.points)), np.zeros(len(one))
    attributes = len(axes)
    for pairs in (False, True):
        which = np.flatnonzero((one > 0) == pairs)
        owner = layout.attribute[one[which]] * attributes + layout.attribute[other[which]] if pairs else None
        owner = layout.attribute[other[which]] if owner is None else owner
        owners, index = np.unique(owner, return_inverse=True)
        centre, spread = (
            (belief.pair_doubt, belief.pair_doubt_spread)
            if pairs
            else (belief.single_doubt, belief.single_doubt_spread)
        )
        level = belief.pair_quantile if pairs else belief.single_quantile
        alone = belief.around(centre, spread)
        if which.size:
            common = belief.around(belief.common, belief.common_spread)
            pooled, _ = hierarchy(likelihood[which], index, common, belief, pooled=True)
            apart, others = hierarchy(likelihood[which], index, alone, belief, pooled=False)
            high[which] = belief.quantile(apart, level)
            boldness = belief.boldness if pairs else 0.0
            # mostly what all pairs have in common; a little of the pair alone, so that a rare strong one is followed
            probable[which] = (1 - boldness) * pooled + boldness * apart
            high[which] = np.maximum(high[which], np.exp(probable[which] @ np.log(belief.grid)))
        if pairs:
            fresh = _normal(alone) @ belief.kernel(belief.block_spread).T
            table = np.full((attributes, attributes), belief.quantile(fresh[None], level)[0])
            if which.size:
                table[np.divmod(owners, attributes)] = belief.quantile(others, level)
            table = np.triu(table, 1) + np.triu(table, 1).T
            inner = table[np.ix_(whole.attribute[1:], whole.attribute[1:])]
            unasked[1:, 1:] = np.minimum(inner * whole.shape(belief.decay)[1:, 1:], pair_prior(axes))
    return probable, high, unasked


def hierarchy(
    likelihood: Floats, owner: NDArray[np.intp], top: Floats, belief: Belief, *, pooled: bool
) -> tuple[Floats, Floats]:
    """Return the posterior over the grid of variances of every block, and of a new block of every owner.

    Blocks lie around their owner's variance, and owners around a common one. All sums over the grid are exact.

    Args:
        likelihood: The log likelihood of every block (rows) over the grid of variances.
        owner: For each block the number of its owner, an attribute or a pair.
        top: The log prior over the grid, of the common variance; without pooling, of each owner's own.
        belief: The grid, and how far blocks and owners lie from what they lie around.
        pooled: Whether owners tell each other what is usual.

    Returns:
        Rows of probabilities over the grid: one for each block, and one for each owner.
    """
    inner = belief.kernel(belief.block_spread)
    # belief propagation on a tree of three floors: blocks, owners, all; sums over the grid replace integrals
    upward = np.log(np.exp(likelihood - likelihood.max(axis=1, keepdims=True)) @ inner + 1e-300)
    owned = np.zeros((int(owner.max()) + 1, belief.points))
    np.add.at(owned, owner, upward)
    if pooled:
        outer = belief.kernel(belief.owner_spread)
        # what an owner hears of the others: their product without its own part, through the kernel, up and down
        message = np.log(np.exp(owned - owned.max(axis=1, keepdims=True)) @ outer + 1e-300)
        above = _normal(top + message.sum(axis=0) - message) @ outer.T
    else:
        above = np.tile(_normal(top), (len(owned), 1))
    above = np.log(above + 1e-300)
    # the message down to a block leaves out what that block itself said
    before = _normal(owned[owner] - upward + above[owner]) @ inner.T
    return _normal(np.log(before + 1e-300) + likelihood), _normal(owned + above) @ inner.T


def _normal(logarithms: Floats) -> Floats:
    """Return probabilities, along the last axis, from their logarithms up to a constant."""
    weights = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
