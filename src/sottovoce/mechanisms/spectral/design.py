"""Shares: where the crowd is asked, chosen to minimise the expected squared error of a workload of queries.

With prior variance v, weight w and information I of a coefficient, the error is the sum of ``w v / (1 + v I)``, and a
design is a distribution of the crowd over blocks of questions: a convex problem with far too many unknowns to list.
So blocks are generated as they are needed (column generation): the best shares of a few blocks give every
coefficient's slope, the slopes price all blocks, and the best of these join. Then every question must expect enough
reports: blocks that are not worth the least they may get are dropped in rounds, and others tried one by one.
This replaces a granularity guideline, for any number of people and attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import inf, sinh

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.blocks import Block, Candidates, Groups, coefficient_groups
from sottovoce.mechanisms.spectral.pricing import Pricing
from sottovoce.mechanisms.spectral.prior import PRIOR, Prior
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload

LEAST_REPORTS = 100
"""What every question must expect: a rare question is noise, and an attacker's lever."""

_BLOCKS_PER_ATTRIBUTE = 5  # a joint block may have at most 1/(5 d) of the questions that the crowd can support
_ROUNDS, _ROUND_STEPS = 16, 12  # of column generation, and steps of shares in each
_ROUND_WORK = 1000  # few pairs of attributes get more rounds, up to this many rounds times pairs
_ENTERING_SHARE = 0.3  # the part of the crowd that the blocks of a round enter with
_MAX_ENTERING = 2000  # blocks enter in a round
_MIN_ENTERING_GAIN = 0.002  # relative: what an entering block saves above the shadow price
_DROPPED_PER_ROUND = 0.15  # the part of the rare blocks that is dropped in a round
_QUESTION_COST = 8e-4  # a question is dropped that saves less than that part of an attribute's or pair's mean error
_DEAR_BELOW = 0.27  # information per report, epsilon 1: with less a question needs more reports, and costs more
_MAX_BOUND_SHARE = 0.75  # the part of the crowd that the least reports of all questions may take
_LOCAL_SEARCH_STEPS = 100  # at most: each adds or drops one block
_LOCAL_SEARCH_WORK = 2e6  # at most, steps times entries of the matrix of blocks by groups
_MIN_RELATIVE_GAIN = 1e-4  # a step of the local search must save this part of the error


def information(asked: Candidates, users: float, shares: Floats) -> Floats:
    """Return the information on a coefficient of each group when ``users`` people are asked by the blocks' shares.

    Args:
        asked: The blocks.
        users: How many people report.
        shares: For each block the fraction of the people whom it is asked.

    Returns:
        For each group the expected number of reports, weighed by squared attenuation, on one of its coefficients.
    """
    # I = n sum over blocks of share * coefficients shown * tau^2, spread over the group's coefficients
    return np.asarray(users * asked.by_group(asked.gains * shares[asked.rows]) / asked.groups.coefficients)


def slopes(groups: Groups, known: Floats) -> Floats:
    """Return what information on one coefficient of each group saves of the error, at the margin."""
    # s = w (v / (1 + v I))^2 (design/limit.md, How blocks are chosen)
    return np.asarray(groups.weight * (groups.variance / (1 + groups.variance * known)) ** 2)


def expected_error(groups: Groups, known: Floats) -> float:
    """Return the expected squared error of the workload, given the information on each group."""
    # sum of w v / (1 + v I) over all coefficients: the objective of every step below
    return float((groups.coefficients * groups.weight * groups.variance / (1 + groups.variance * known)).sum())


def optimise(
    asked: Candidates, users: float, shares: Floats, *, steps: int, known: Floats | None = None
) -> tuple[Floats, float]:
    """Return shares of less expected squared error, and that error, by multiplicative steps; zeros stay zero.

    Args:
        asked: The blocks.
        users: How many people are asked.
        shares: Where to start.
        steps: How many steps to make; none makes the error larger.
        known: Information gathered before, for a collection that is under way.
    """
    groups = asked.groups
    before = np.zeros(len(groups.variance)) if known is None else known
    current = shares / shares.sum()
    for _ in range(steps):
        # minus the derivative of the posterior variance v / (1 + v I) in I is (v / (1 + v I))^2
        slope = slopes(groups, before + information(asked, users, current))
        benefit = asked.by_block(asked.gains * slope[asked.columns])
        # a multiplicative step on the simplex: at the optimum every block in use has the same benefit (Kuhn-Tucker);
        # the square root damps it enough that the error never rises (Torsney's algorithm with exponent 1/2)
        current = current * np.sqrt(benefit / (benefit @ current))
        current /= current.sum()
    return current, expected_error(groups, before + information(asked, users, current))


def design(
    axes: Sequence[Axis], epsilon: Decimal, users: int, workload: Workload, *, prior: Prior = PRIOR
) -> list[tuple[Block, float]]:
    """Return the blocks to ask and their shares of the crowd; every question expects enough reports.

    Args:
        axes: The attributes.
        epsilon: The privacy of each person.
        users: How many people are expected.
        workload: What will be asked of the model.
        prior: The public belief about coefficients; for this epsilon single attributes may weigh more (`Prior.at`).
    """
    most = max(1, users // LEAST_REPORTS)
    groups = coefficient_groups(axes, workload, most=most, prior=prior.at(epsilon))
    together = min(most, max(4, most // (_BLOCKS_PER_ATTRIBUTE * len(axes))))
    pairs = len(axes) * (len(axes) - 1) / 2
    pricing = Pricing(groups, epsilon, most=most, together=together, usual=most / (len(axes) + pairs))
    asked, shares = _generate_columns(groups, epsilon, users, pricing)
    cost = _question_cost(asked, epsilon)
    shares = _local_search(asked, users, _drop_rare_blocks(asked, users, shares, cost), cost)
    shares = np.round(shares, 9)  # as far as every machine agrees
    return [(block, float(share)) for block, share in zip(asked.blocks, shares, strict=True) if share > 0]


def least_shares(asked: Candidates, users: float) -> Floats:
    """Return the least share each block may have."""
    return LEAST_REPORTS * asked.questions / users


def _generate_columns(groups: Groups, epsilon: Decimal, users: int, pricing: Pricing) -> tuple[Candidates, Floats]:
    """Return blocks and shares that hardly any other block could improve, were questions allowed to be rare."""
    asked, shares = Candidates.of(groups, epsilon, []), np.zeros(0)
    for _ in range(
        max(_ROUNDS, min(100, _ROUND_WORK // len(groups.pairs(groups.weight)))) if len(groups.axes) > 1 else 40
    ):
        known = information(asked, users, shares)
        slope = slopes(groups, known)
        # what a report saves where it is asked now; a block enters if a report saves more there (reduced cost)
        price = float(asked.by_block(asked.gains * slope[asked.columns]) @ shares)
        offers = {offer.block: offer.saves for offer in pricing.offers(slope) if offer.saves > 0}
        better = [block for block, saves in offers.items() if saves > (1 + _MIN_ENTERING_GAIN) * price]
        better.sort(key=lambda block: -round(offers[block] / max(price, 1e-300), 6) if price else 0)
        there = set(asked.blocks)
        entering = [block for block in better[: None if not there else _MAX_ENTERING] if block not in there]
        if not entering:
            break
        asked = asked.plus(entering, epsilon)
        entry = _ENTERING_SHARE if there else 1.0
        # entering blocks share one part of the crowd evenly; the steps below find how much each is worth
        shares = np.append((1 - entry) * shares, np.full(len(entering), entry / len(entering)))
        shares, _ = optimise(asked, users, shares, steps=_ROUND_STEPS)
    return asked, shares


def _error_reduction(asked: Candidates, known: Floats, shares: Floats, users: float) -> Floats:
    """Return for each block what it would save of the error, had it that share on top of what is known by entry.

    A negative share says what doing without would lose.
    """
    groups = asked.groups
    size, prior, weight = (part[asked.columns] for part in (groups.coefficients, groups.variance, groups.weight))
    # v / (1 + v I) before and after, not its slope: what is added or dropped need not be small
    after = np.maximum(known + users * asked.gains * shares[asked.rows] / size, 0)
    return asked.by_block(size * weight * (prior / (1 + prior * known) - prior / (1 + prior * after)))


def _shadow_price(asked: Candidates, users: float, shares: Floats, known: Floats) -> float:
    """Return the shadow price of a share: what it is worth elsewhere at the margin, the mean over what is asked now."""
    slope = slopes(asked.groups, known)
    return users * float(asked.by_block(asked.gains * slope[asked.columns]) @ shares)


def _indispensable(asked: Candidates, shares: Floats, least: Floats) -> NDArray[np.intp]:
    """Return for every attribute that matters a block that shows it: the largest with enough reports, or the shortest.

    Shares are compared as far as every machine agrees on them, here and below: a design must not depend on rounding.
    """
    groups = asked.groups
    single = (asked.columns < len(groups.axes) * groups.bands) & (groups.weight[asked.columns] > 0)
    rows, shown = asked.rows[single], asked.columns[single] // groups.bands
    enough = (shares >= least)[rows] & (least[shares > 0].sum() <= 1)
    # the last key counts first: by attribute, then those with enough reports, then few questions, then share
    order = np.lexsort((np.round(shares[rows], 9), np.where(enough, 0, -asked.questions[rows]), enough, shown))
    last = np.flatnonzero(np.diff(shown[order], append=-1))
    return np.unique(rows[order[last]])


def _question_cost(asked: Candidates, epsilon: Decimal) -> Floats:
    """Return the part of the error that every block must save for its number of questions: short plans are worth it."""
    dear = max(1.0, _DEAR_BELOW / sinh(float(epsilon) / 2) ** 2)
    owners = len(asked.groups.axes) + len(asked.groups.pairs(asked.groups.weight))
    return _QUESTION_COST * dear * asked.questions / owners


def _drop_rare_blocks(whole: Candidates, users: int, current: Floats, cost: Floats) -> Floats:
    """Return shares over fewer blocks, nearly all with enough reports: in rounds, those least worth it are dropped.

    First go blocks whose questions would be rare, if the least reports would save less there than elsewhere; then
    blocks that others can replace, as long as each question dropped costs next to nothing.
    """
    kept, steps = np.arange(len(whole.blocks)), 30
    while True:
        asked = whole.restrict(kept)
        current, error = optimise(asked, users, current, steps=steps)
        least = least_shares(asked, users)
        needed = _indispensable(asked, current, least)
        rare = np.setdiff1d(np.flatnonzero(current < least), needed)
        if not len(rare) and least.sum() > 1:  # what is needed leaves no room for all the others
            rare = np.setdiff1d(np.arange(len(kept)), needed)
        known = information(asked, users, current)
        price = _shadow_price(asked, users, current, known)
        own = users * asked.gains * current[asked.rows] / asked.groups.coefficients[asked.columns]
        # information that would be left on each coefficient if this block alone were not asked
        without = np.maximum(known[asked.columns] - own, 0)
        # what the least reports save here over what they save elsewhere; below 1 they are better spent there
        worth = (_error_reduction(asked, without, least, users) / (least * price))[rare]
        if not len(rare) or (least.sum() < _MAX_BOUND_SHARE and worth.min() >= 1):
            rare = np.setdiff1d(np.arange(len(kept)), needed)
            # what doing without loses net of the share it frees, over what its questions must be worth
            lost = (_error_reduction(asked, without, current, users) - price * current) / (error * cost[kept])
            rare = rare[lost[rare] < 1]
            worth = lost[rare]
        if not len(rare):
            break
        dropped = rare[np.argsort(np.round(worth, 6), kind="stable")[: max(1, int(_DROPPED_PER_ROUND * len(rare)))]]
        kept, current, steps = np.delete(kept, dropped), np.delete(current, dropped), 15
    result = np.zeros(len(whole.blocks))
    result[kept] = np.maximum(current, 1e-12)  # what is kept is asked, however small its share became
    return result


def _local_search(whole: Candidates, users: int, shares: Floats, cost: Floats) -> Floats:
    """Return better shares, none below the least: a local search that adds or drops one block at a time."""
    least, best, error = least_shares(whole, users), shares, inf
    for _ in range(min(_LOCAL_SEARCH_STEPS, max(1, int(_LOCAL_SEARCH_WORK / len(whole.rows))))):
        shares, now = _reoptimise(whole, users, shares)
        if now >= error:
            break
        best, error = shares, now
        known, asked = information(whole, users, shares), shares > 0
        price, by_entry = _shadow_price(whole, users, shares, known), known[whole.columns]
        left = 1 - least[asked].sum()
        # net gain of adding a block at its least share, or of dropping one: the share has its shadow price
        joining = _error_reduction(whole, by_entry, least, users) - price * least - error * cost
        leaving = _error_reduction(whole, by_entry, -shares, users) + price * shares + error * cost
        gain = np.where(asked, leaving, np.where(least < left / 2, joining, -inf))
        gain[_indispensable(whole, shares, least)] = -inf
        index = int(np.round(gain / error, 9).argmax())
        if gain[index] < _MIN_RELATIVE_GAIN * error:
            break
        shares = shares.copy()
        shares[index] = 0.0 if asked[index] else least[index]
    return best


def _reoptimise(whole: Candidates, users: int, shares: Floats) -> tuple[Floats, float]:
    """Return the best shares of the blocks that have one, each at least the least, and the expected squared error."""
    kept = np.flatnonzero(shares > 0)
    asked = whole.restrict(kept)
    least = least_shares(asked, users)
    least *= min(1.0, 1 / least.sum())  # less, if the crowd is too small for anything
    left = max(1 - float(least.sum()), 1e-9)
    start = np.maximum(shares[kept] - least, 1e-4 * left / len(kept))
    # every block gets its least first; only what is left of the crowd is optimised, given what that tells
    free, error = optimise(asked, users * left, start, steps=20, known=information(asked, users, least))
    result = np.zeros(len(whole.blocks))
    result[kept] = least + left * free
    return result, error
