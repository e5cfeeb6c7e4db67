"""What is believed of dependence and of a model's errors: every constant of fit and intervals, each with its reason.

The constants were settled on four made-up crowds (commuting, health, telemetry, staff), `strong` and `lists` on donors,
players, pets, repairs, anglers and concerts too, `fine`, `profile`, `dependence_doubt`, `triple_ordered` and those of
"no answer" on all crowds but those held out, and looked at on six sets of 64-level attributes;
docs/design/intervals.md has the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce._types import Floats


@dataclass(frozen=True)
class Belief:
    """The prior of how two attributes depend on each other, and of what a model may be wrong by.

    Attributes:
        score_decay: The prior standard deviation of an ordered attribute's a-th score is a^-decay: dependence is
            smooth.
        value_score: That of a value without order, and of "no answer".
        least, most, points: The variances of a pair's dependence considered, evenly in their logarithm.
        pair_spread: Standard deviation of a pair's log variance around the common one: few pairs depend strongly.
        common, common_spread: Centre and spread of that common variance, before any report.
        shown: The quantile of a pair's variance by which its dependence is shrunk. Above one half, because a pair
            whose reports leave both open is asked about more often if it depends.
        strong, strongest: How much larger the variance of a pair's leading numbers (numbers.py) is if it depends
            strongly: 1 + strong t^2 times, t being the standard deviation over people of what these numbers make of
            its log table, up to `strongest`.
        pair_doubt, pair_doubt_spread: Centre and spread of the variance of a pair on its own, pooled with no other: for
            intervals, because people ask about just those pairs that depend on each other.
        cautious: Intervals take this quantile of a pair's own variance.
        dependence_doubt: How much larger the variance of a product of functions is taken than its posterior one.
        lists: Of two attributes without order intervals take 1 + lists (k - 2) times the variance, k being the values
            of the shorter list, up to `most`: all their dependence may be in one product, and be asked about.
        fine: Of two ordered attributes intervals take k^fine times the variance of numbers of the k-th score, of both:
            dependence is not always as smooth as `score_decay` has it.
        profile: The same beside a value without order or "no answer", which may be in the middle of a scale.
        no_answer: The least variance that intervals take for numbers of "no answer", which often follows from another
            attribute: whoever never went has no bill.
        no_answer_unmeasured: By how much more, of products of "no answer" and functions of another attribute, where
            reports tell nothing of them: there the prior alone speaks, and what is skipped depends far more than usual.
        pair_prior: The variance of a pair's dependence before any report, for evidence only: weak dependence, so that
            what counts as measured could tell even that from none.
        single_prior: Of the variance over people of what is asked, the part that its mean may have before any report.
        single_doubt: How much larger the variance of a single attribute's answer is taken than its posterior one.
        rest: Of a pair's variance, the part that products of functions outside its scores have.
        triple, triple_decay: Prior variance of what three attributes do beyond pairs, and its decay per score.
        triple_ordered: The part of it that remains for each attribute with an order: riddles are made of yes or no.
    """

    score_decay: float = 2.0
    value_score: float = 0.5
    least: float = 3e-4
    most: float = 10.0
    points: int = 10
    pair_spread: float = 3.0
    common: float = 0.03
    common_spread: float = 3.0
    shown: float = 0.65
    strong: float = 10.0
    strongest: float = 3.0
    pair_doubt: float = 0.05
    pair_doubt_spread: float = 1.5
    cautious: float = 0.96
    dependence_doubt: float = 1.2
    lists: float = 2.0
    fine: float = 1.0
    profile: float = 2.0
    no_answer: float = 1.0
    no_answer_unmeasured: float = 1.0
    pair_prior: float = 0.02
    single_prior: float = 0.5
    single_doubt: float = 1.6
    rest: float = 0.003
    triple: float = 0.4**2
    triple_decay: float = 2.0
    triple_ordered: float = 0.5

    @cached_property
    def grid(self) -> Floats:
        """The variances considered."""
        return np.exp(np.linspace(np.log(self.least), np.log(self.most), self.points))

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
