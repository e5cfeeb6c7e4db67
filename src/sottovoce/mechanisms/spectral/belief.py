"""What is believed of a model's own error: every constant of the intervals, each with its reason.

The constants were settled on four made-up crowds (commuting, health, telemetry, staff) at ten numbers of people and
epsilons, and on three sets of 64-level attributes; docs/design/intervals.md has the measurements.
The slopes were settled on the same crowds and on one set of short scales (opinions of benchmarks/atlas.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce._types import Floats


@dataclass(frozen=True)
class Belief:
    """The prior of truth minus model, coefficient by coefficient of Walsh functions and of products of two.

    Attributes:
        least: The smallest variance considered: an error of a thousandth.
        points: Variances considered, from ``least`` to 1, evenly in their logarithm; 30 makes steps of 1.6.
        decay: How fast the variance falls per band. Measured errors of fits were all but flat over bands, unlike the
            coefficients themselves, which fall by 1 to 1.2 per band.
        block_spread: Standard deviation of the log variance over blocks of bands, around that of their pair.
        owner_spread: The same over pairs (or attributes) around what is common: few pairs depend strongly.
        common, common_spread: Centre and spread of the log of that common variance, before any report.
        pair_doubt, pair_doubt_spread: The same for a pair on its own, pooled with no other: for intervals, because
            people ask about just those pairs that depend on each other. An error of 0.11 was usual where reports
            could tell nothing; 0.14 is taken, because small groups are missed by more.
        single_doubt, single_doubt_spread: The same for a single attribute: smaller, and less sure.
        pair_prior: Variance of a coefficient of a pair about independence before any report, as a part of the product
            of its functions' own variances, for evidence only: weak dependence, so that what counts as measured could
            tell even that from none. Where a value is rare, even strong dependence moves a coefficient little. It falls
            with the bands as the design's prior does.
        pair_quantile, single_quantile: Intervals take this quantile of the variance, not its mean.
        boldness: How far the shrinkage of pairs follows the pair on its own rather than the pooled variance.
        pseudo: How many observations the pooled leverage counts for in a block's own.
        single_noise: How much more a sum of one attribute's functions varies than if their noise were independent.
            Exactly it is .1 to 4 times as much, by the levels asked for (noise.py): people are not spread evenly.
        coherent: Weight of errors that stand at few levels, where people stand, beside those spread over all.
        coherent_pair: The same for pairs: what depends on each other often does so at few values.
        coherent_listed: The same for pairs with a category of three or more values: one value may differ from all the
            others, and the more people have it the larger the error.
        slope_spread: How far the part of a fit's coarsest dependence that held-out reports confirm lies from all.
        slope_step: How far it moves from one fineness to the next.
        slope_pair: How far a pair's own lies from what is common.
        triple, triple_decay: Prior variance of a product of three functions about what pairs explain, as a part of the
            product of their own variances, and its decay per band. Three yes/no attributes may hang together as three
            only, with coefficients of 0.3 to 0.4; of many values, what three do beyond pairs was small.
    """

    least: float = 1e-6
    points: int = 30
    decay: float = 0.15
    block_spread: float = 0.7
    owner_spread: float = 1.7
    common: float = 0.002
    common_spread: float = 1.5
    pair_doubt: float = 0.02
    pair_doubt_spread: float = 1.5
    single_doubt: float = 0.004
    single_doubt_spread: float = 2.0
    pair_prior: float = 0.008
    pair_quantile: float = 0.98
    single_quantile: float = 0.9
    boldness: float = 0.15
    pseudo: float = 6.0
    single_noise: float = 1.4
    coherent: float = 0.5
    coherent_pair: float = 1.5
    coherent_listed: float = 3.5
    slope_spread: float = 0.05
    slope_step: float = 0.1
    slope_pair: float = 1.0
    triple: float = 0.4**2
    triple_decay: float = 2.0

    @cached_property
    def grid(self) -> Floats:
        """The variances considered."""
        return np.exp(np.linspace(np.log(self.least), 0.0, self.points))

    def kernel(self, spread: float) -> Floats:
        """Return the probability of each variance (rows) around each other (columns)."""
        steps = np.log(self.grid)
        # log-normal around each variance, on the grid: columns add up to one
        weights = np.exp(-0.5 * ((steps[:, None] - steps[None, :]) / spread) ** 2)
        return np.asarray(weights / weights.sum(axis=0))

    def around(self, centre: float, spread: float) -> Floats:
        """Return the log prior of a variance around a centre, up to a constant."""
        return np.asarray(-0.5 * ((np.log(self.grid) - np.log(centre)) / spread) ** 2)

    def quantile(self, posterior: Floats, level: float) -> Floats:
        """Return that quantile of each row of probabilities of the variances, interpolated in the logarithm."""
        steps = np.log(self.grid)
        half = (steps[1] - steps[0]) / 2
        # each point of the grid stands for the interval around it, so quantiles move smoothly between points
        ends = np.concatenate([[steps[0] - half], steps + half])
        below = np.concatenate([np.zeros((len(posterior), 1)), np.cumsum(posterior, axis=1)], axis=1)
        return np.exp([np.interp(level, row, ends) for row in below])


BELIEF = Belief()
