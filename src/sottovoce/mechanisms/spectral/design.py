"""Shares: where the crowd is asked, chosen to minimise the expected squared error of a workload of queries.

A question shows the signs of one, two or three Walsh functions, each of another attribute, through randomised response
over 2, 4 or 8 cells, or only the product of the signs of two, their **parity**: less is said, so there is less noise.
Questions come in **blocks**, products of bands of different attributes, and every question of a block has the same
share. A block informs **groups** of coefficients: each of its bands, and each product of two bands.
Which blocks are asked, and how often, follows from a public prior on how large coefficients are: what could not repay
its reports gets none. This takes the place of a granularity guideline, for any number of people and attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, product
from math import comb, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import GRR
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

LEAST_REPORTS = 100
"""What every question must expect: a rare question is noise, and an attacker's lever."""

_TRIPLE_BANDS, _TRIPLE_BLOCKS = 3, 20_000  # three signs: at most so many bands of an attribute, and blocks in all
_LEAST_BLOCKS = 5  # per attribute, could be asked of the crowd if each were as long as a block may be
_THINNING = 0.1  # the part of the rare blocks that is dropped in a round
_MOST_BOUND = 0.9  # the part of the crowd that the least reports of all questions may take
_MENDINGS, _MENDING_WORK = 300, 2e7  # how many blocks are added or dropped one by one; fewer where there are very many
_WORTH_MENDING = 1e-5  # each must save that part of the error
_ALONE = 2.0  # how much more single attributes matter than as parts of pairs: they are asked for by themselves too
_RESOLUTION = 128  # ranges are enumerated over at most so many cells
_SINGLE_VARIANCE, _SINGLE_DECAY = 0.5, 1.0  # public prior of band 0, halved from band to band
_PAIR_VARIANCE, _PAIR_DECAY = 0.6, 1.2  # the same of a product of bands (0, 0), and its decay per band of either

Band = tuple[int, int]
"""An attribute, and the number of one of its bands."""

Group = tuple[Band, ...]
"""The coefficients of the products of one function of each band."""


class Block(NamedTuple):
    """The questions on one function of each band: they show every sign, or only the product of all."""

    bands: Group
    parity: bool = False

    @property
    def cells(self) -> int:
        """How many different truths a question may have."""
        return 2 if self.parity else 1 << len(self.bands)

    @property
    def shows(self) -> list[Group]:
        """The groups of coefficients that a question informs."""
        return [self.bands] if self.parity else [(band,) for band in self.bands] + [*combinations(self.bands, 2)]


@dataclass(frozen=True, slots=True)
class Workload:
    """What will be asked of the model: ranges of given widths (fractions of a domain; all if None), pairs by weight."""

    pairs: Floats
    widths: tuple[float, ...] | None = None

    @classmethod
    def all_ranges(cls, attributes: int) -> Workload:
        """Return the workload of all ranges over all pairs, alike."""
        return cls((np.ones((attributes, attributes)) - np.eye(attributes)) / max(1, attributes * (attributes - 1) / 2))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Blocks that may be asked, and the groups of coefficients each informs.

    Attributes:
        blocks: The blocks.
        gain: Each block's squared attenuation: the information a report gives on each coefficient it sees.
        informs: (blocks, 6) numbers of groups, padded with the last group, which weighs nothing.
        groups: One or two bands each; the padding group is not among them.
        variance: Each group's prior variance of a coefficient.
        weight: How much a coefficient of each group weighs in the workload.
        questions: The number of questions of each block.
        coefficients: The number of coefficients of each group.
        coarsest: Whether each group is the first function of an attribute that matters.
    """

    blocks: list[Block]
    gain: Floats
    informs: NDArray[np.intp]
    groups: list[Group]
    variance: Floats
    weight: Floats
    questions: Floats
    coefficients: Floats
    coarsest: NDArray[np.bool_]


def prior_variance(axis: Axis, largest: float, decay: float) -> Floats:
    """Return the public prior variance of a coefficient of each band; without order, the same total spread evenly."""
    bands = np.arange(axis.bands)
    variance = largest * 2.0 ** (-decay * bands)
    return np.asarray(variance if axis.ordered else np.full(axis.bands, variance @ 2.0**bands / (2.0**bands).sum()))


def single_prior(axes: Sequence[Axis]) -> Floats:
    """Return the public prior variance of a coefficient of every band of every attribute, one after the other."""
    return np.concatenate([prior_variance(axis, _SINGLE_VARIANCE, _SINGLE_DECAY) for axis in axes])


def pair_prior(axes: Sequence[Axis]) -> Floats:
    """Return the same of products of two bands; for two bands of one attribute it means nothing."""
    own = np.concatenate([prior_variance(axis, _PAIR_VARIANCE**0.5, _PAIR_DECAY) for axis in axes])
    return np.outer(own, own)


def range_energy(axis: Axis, widths: tuple[float, ...] | None = None) -> Floats:
    """Return the mean squared weight, over ranges, of the constant and then of one function of each band.

    A width that comes to the whole domain, about which nobody need be asked, is taken as a cell less.
    """
    cells = min(1 << axis.bands, _RESOLUTION)
    known = cells.bit_length() - 1
    starts, stops = np.triu_indices(cells + 1, k=1)
    if widths is not None:
        wanted = np.isin(stops - starts, [min(max(1, round(width * cells)), cells - 1) for width in widths])
        starts, stops = starts[wanted], stops[wanted]
    prefix = np.concatenate([np.zeros((1, cells)), np.cumsum(walsh_signs(cells, known), axis=0)]) / cells
    squares = ((prefix[stops] - prefix[starts]) ** 2).mean(axis=0)
    energy = [squares[0]] + [squares[1 << band : 2 << band].mean() for band in range(known)]
    while len(energy) <= axis.bands:
        energy.append(energy[-1] / 4)  # the exact law for bands finer than every end of a range
    if not axis.ordered:
        sizes = 2.0 ** np.arange(axis.bands)
        energy[1:] = [np.array(energy[1:]) @ sizes / sizes.sum()] * axis.bands
    return np.array(energy)


def candidates(
    axes: Sequence[Axis], epsilon: Decimal, workload: Workload, *, most: float = inf, together: float = inf
) -> Candidates:
    """Return every block of at most ``most`` questions, ``together`` if on several attributes, and what it is worth."""
    energy = [range_energy(axis, workload.widths) for axis in axes]
    single = [prior_variance(axis, _SINGLE_VARIANCE, _SINGLE_DECAY) for axis in axes]
    pair = [prior_variance(axis, _PAIR_VARIANCE**0.5, _PAIR_DECAY) for axis in axes]
    alone = _ALONE * workload.pairs @ np.array([own[0] for own in energy]) if len(axes) > 1 else np.ones(1)
    bands = [[(place, band) for band in range(axis.bands) if 1 << band <= most] for place, axis in enumerate(axes)]
    groups: list[Group] = [(band,) for own in bands for band in own]
    prior = [single[j][a] for ((j, a),) in groups]
    weight = [alone[j] * energy[j][1 + a] for ((j, a),) in groups]
    for first, second in combinations(bands, 2):
        for (j, a), (k, b) in ((one, other) for one in first for other in second):
            if 1 << (a + b) <= together:
                groups.append(((j, a), (k, b)))
                prior.append(pair[j][a] * pair[k][b])
                weight.append(workload.pairs[j, k] * energy[j][1 + a] * energy[k][1 + b])
    parities = [Block(group, parity=True) for group in groups if len(group) == 2]
    blocks = [*map(Block, groups), *parities, *map(Block, _triples(bands, together))]
    gains = {cells: GRR.design(cells, epsilon).attenuation ** 2 for cells in (2, 4, 8)}
    return Candidates(
        blocks=blocks,
        gain=np.array([gains[block.cells] for block in blocks]),
        informs=_informs(blocks, groups),
        groups=groups,
        variance=np.array([*prior, 1.0]),
        weight=np.array([*weight, 0.0]),
        questions=_products([block.bands for block in blocks]),
        coefficients=np.append(_products(groups), 1.0),
        coarsest=np.array(
            [*(len(group) == 1 and group[0][1] == 0 and w > 0 for group, w in zip(groups, weight, strict=True)), False]
        ),
    )


def restrict(whole: Candidates, kept: NDArray[np.intp]) -> Candidates:
    """Return the candidates of the given places."""
    return replace(
        whole,
        blocks=[whole.blocks[place] for place in kept],
        gain=whole.gain[kept],
        informs=whole.informs[kept],
        questions=whole.questions[kept],
    )


def information(asked: Candidates, users: float, shares: Floats) -> Floats:
    """Return the information on a coefficient of each group when ``users`` people are asked by the blocks' shares."""
    seen = np.bincount(asked.informs.ravel(), np.repeat(asked.gain * shares, 6), len(asked.variance))
    return np.asarray(users * seen / asked.coefficients)


def optimise(
    asked: Candidates, users: float, shares: Floats, *, steps: int, known: Floats | None = None
) -> tuple[Floats, float]:
    """Return shares of less expected squared error, and that error, by multiplicative steps; zeros stay zero.

    ``known`` is information gathered before, for a collection that is under way.
    """
    before = np.zeros(len(asked.variance)) if known is None else known
    current = shares / shares.sum()
    prior, weight = asked.variance, asked.weight
    for _ in range(steps):
        slope = weight * (prior / (1 + prior * (before + information(asked, users, current)))) ** 2
        benefit = asked.gain * slope[asked.informs].sum(axis=1)
        current = current * np.sqrt(benefit / (benefit @ current))
        current /= current.sum()
    after = before + information(asked, users, current)
    return current, float((asked.coefficients * weight * prior / (1 + prior * after)).sum())


def design(axes: Sequence[Axis], epsilon: Decimal, users: int, workload: Workload) -> list[tuple[Block, float]]:
    """Return the blocks to ask and their shares of the crowd; every question expects enough reports.

    Which blocks are asked is a choice among too many to try: the best shares over all blocks are found first, those
    blocks that are not worth the least they may get are dropped in rounds, and what is left is mended one by one.
    """
    most = max(1, users // LEAST_REPORTS)
    together = min(most, max(4, most // (_LEAST_BLOCKS * len(axes))))
    whole = candidates(axes, epsilon, workload, most=most, together=together)
    shares = _mended(whole, users, _thinned(whole, users))
    return [(block, float(share)) for block, share in zip(whole.blocks, shares, strict=True) if share > 0]


def least_shares(asked: Candidates, users: float) -> Floats:
    """Return the least share each block may have."""
    return LEAST_REPORTS * asked.questions / users


def _saved(asked: Candidates, known: Floats, shares: Floats, users: float) -> Floats:
    """Return for each block what it would save of the error, had it that share on top of what is known of its groups.

    ``known`` is by block and group, as in ``informs``; a negative share says what doing without would lose.
    """
    size, prior, weight = (part[asked.informs] for part in (asked.coefficients, asked.variance, asked.weight))
    after = np.maximum(known + (users * asked.gain * shares)[:, None] / size, 0)
    return np.asarray((size * weight * (prior / (1 + prior * known) - prior / (1 + prior * after))).sum(axis=1))


def _price(asked: Candidates, users: float, shares: Floats, known: Floats) -> float:
    """Return what a share is worth elsewhere, at the margin: the mean over what the crowd is asked now."""
    slope = asked.weight * (asked.variance / (1 + asked.variance * known)) ** 2
    return users * float((asked.gain * slope[asked.informs].sum(axis=1)) @ shares)


def _needed(asked: Candidates, shares: Floats, least: Floats) -> NDArray[np.intp]:
    """Return for every attribute a block that shows it: the largest that has enough reports, or else the shortest.

    Shares are compared as far as every machine agrees on them, here and below: a design must not depend on rounding.
    """
    rows, columns = np.nonzero(asked.coarsest[asked.informs])
    shown = asked.informs[rows, columns]
    enough = (shares >= least)[rows] & (least[shares > 0].sum() <= 1)
    order = np.lexsort((np.round(shares[rows], 9), np.where(enough, 0, -asked.questions[rows]), enough, shown))
    last = np.flatnonzero(np.diff(shown[order], append=-1))
    return np.unique(rows[order[last]])


def _thinned(whole: Candidates, users: int) -> Floats:
    """Return shares over fewer blocks, nearly all with enough reports: in rounds, those least worth it are dropped."""
    kept, current, steps = np.arange(len(whole.blocks)), np.ones(len(whole.blocks)), 100
    while True:
        asked = restrict(whole, kept)
        current, _ = optimise(asked, users, current, steps=steps)
        least = least_shares(asked, users)
        needed = _needed(asked, current, least)
        rare = np.setdiff1d(np.flatnonzero(current < least), needed)
        if not len(rare) and least.sum() > 1:  # what is needed leaves no room for all the others
            rare = np.setdiff1d(np.arange(len(kept)), needed)
        if not len(rare):
            break
        known = information(asked, users, current)
        cost = least * _price(asked, users, current, known)
        own = (users * asked.gain * current)[:, None] / asked.coefficients[asked.informs]
        worth = (_saved(asked, np.maximum(known[asked.informs] - own, 0), least, users) / cost)[rare]
        if least.sum() < _MOST_BOUND and worth.min() >= 1:
            break
        dropped = rare[np.argsort(np.round(worth, 6), kind="stable")[: max(1, int(_THINNING * len(rare)))]]
        kept, current, steps = np.delete(kept, dropped), np.delete(current, dropped), 20
    result = np.zeros(len(whole.blocks))
    result[kept] = np.maximum(current, 1e-12)  # what is kept is asked, however small its share became
    return result


def _mended(whole: Candidates, users: int, shares: Floats) -> Floats:
    """Return better shares, none below the least: block by block is added or dropped while that saves error."""
    least, best, error = least_shares(whole, users), shares, inf
    for _ in range(min(_MENDINGS, max(1, int(_MENDING_WORK / len(whole.blocks))))):
        shares, now = _settled(whole, users, shares)
        if now >= error:
            break
        best, error = shares, now
        known, asked = information(whole, users, shares), shares > 0
        price, by_group = _price(whole, users, shares, known), known[whole.informs]
        left = 1 - least[asked].sum()
        joining = _saved(whole, by_group, least, users) - price * least
        leaving = _saved(whole, by_group, -shares, users) + price * shares
        gain = np.where(asked, leaving, np.where(least < left / 2, joining, -inf))
        gain[_needed(whole, shares, least)] = -inf
        place = int(np.round(gain / error, 9).argmax())
        if gain[place] < _WORTH_MENDING * error:
            break
        shares = shares.copy()
        shares[place] = 0.0 if asked[place] else least[place]
    return best


def _settled(whole: Candidates, users: int, shares: Floats) -> tuple[Floats, float]:
    """Return the best shares of the blocks that have one, each at least the least, and the expected squared error."""
    kept = np.flatnonzero(shares > 0)
    asked = restrict(whole, kept)
    least = least_shares(asked, users)
    least *= min(1.0, 1 / least.sum())  # less, if the crowd is too small for anything
    left = max(1 - float(least.sum()), 1e-9)
    start = np.maximum(shares[kept] - least, 1e-4 * left / len(kept))
    free, error = optimise(asked, users * left, start, steps=20, known=information(asked, users, least))
    result = np.zeros(len(whole.blocks))
    result[kept] = least + left * free
    return result, error


def _triples(bands: list[list[Band]], most: float) -> list[Group]:
    """Return three bands each of other attributes, from as many first bands as keep their number within bounds."""
    kept = _TRIPLE_BANDS
    while kept and comb(len(bands), 3) * kept**3 > _TRIPLE_BLOCKS:
        kept -= 1
    return [
        group
        for three in combinations([own[:kept] for own in bands], 3)
        for group in product(*three)
        if 1 << sum(band for _, band in group) <= most
    ]


def _products(groups: Sequence[Group]) -> Floats:
    return 2.0 ** np.array([sum(band for _, band in group) for group in groups], dtype=np.float64)


def _informs(blocks: Sequence[Block], groups: Sequence[Group]) -> NDArray[np.intp]:
    places = {group: place for place, group in enumerate(groups)}
    informs = np.full((len(blocks), 6), len(groups), dtype=np.intp)
    for row, block in enumerate(blocks):
        shown = [places[group] for group in block.shows]
        informs[row, : len(shown)] = shown
    return informs
