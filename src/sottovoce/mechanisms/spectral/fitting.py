"""The whole fit: distributions and tables of pairs from what was counted, and one mixture that has them all.

Nothing in it is drawn at random: the same tally gives the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats, Progress
from sottovoce.mechanisms.spectral.doubt import Doubt, doubt_of
from sottovoce.mechanisms.spectral.joint import Estimate, estimate
from sottovoce.mechanisms.spectral.mixture import FEW_PAIRS, Mixture, Wanted, mixture
from sottovoce.mechanisms.spectral.moments import Asked, Moments, Shown, pool
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.observations import observations
from sottovoce.mechanisms.spectral.scores import unit_scores
from sottovoce.mechanisms.spectral.walsh import Axis


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a fit does.

    Attributes:
        steps: Gauss-Newton steps for distributions and tables, at most.
        scores: Scores of an ordered attribute; fewer are taken of many attributes, whose pairs have few reports each.
        common: Whether to look for a cause that all attributes share.
        components: Components of the mixture.
        leaps: Longer steps that take the mixture to the tables, at most.
    """

    steps: int
    scores: int
    common: bool
    components: int
    leaps: int


EFFORTS = {"default": Effort(12, 8, True, 64, 60), "fast": Effort(12, 5, False, 64, 20)}


@dataclass(frozen=True)
class Answers:
    """What was asked and counted: axes, blocks, and for each block its counts and attenuation."""

    axes: Sequence[Axis]
    blocks: Sequence[Shown]
    counts: Sequence[NDArray[np.int64]]
    attenuations: Sequence[Floats | float]

    @property
    def asked(self) -> Asked:
        """The functions that were asked."""
        return Asked.of(len(self.axes), self.blocks)

    @property
    def noise(self) -> Noise:
        """How far chance moves what they say."""
        kept = [
            np.broadcast_to(np.asarray(given, dtype=np.float64), block.shape)
            for block, given in zip(self.blocks, self.attenuations, strict=True)
        ]
        return Noise(self.blocks, self.counts, kept)

    @cached_property
    def moments(self) -> Moments:
        """The moments of these counts."""
        return pool(self.asked, self.blocks, self.counts, self.attenuations)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted mixture, and what remains unknown."""

    mixture: Mixture
    doubt: Doubt


def fit_mixture(answers: Answers, effort: Effort, *, progress: Progress = lambda done: None) -> Fitted:
    """Return the mixture that explains the answers.

    Args:
        answers: The counts, and what the questions show.
        effort: How many scores, steps and components.
        progress: Told how much of the work is done, from 0 to 1.
    """
    seen = observations(len(answers.axes), answers.blocks, answers.counts, answers.attenuations)
    found = estimate(
        answers.axes,
        seen,
        steps=effort.steps,
        most_scores=_scores(effort.scores, len(answers.axes)),
        common=effort.common,
        progress=lambda done: progress(0.8 * done),
    )
    target = wanted(found)
    joined = mixture(target, components=effort.components, leaps=effort.leaps)
    doubt = doubt_of(answers.axes, found, target, joined)
    # within a cell people stand as they do alone, whatever the component
    within = [cells.within(own.levels) for cells, own in zip(found.cells, found.singles, strict=True)]
    factors = [own @ levels.T for own, levels in zip(joined.factors, within, strict=True)]
    progress(1.0)
    return Fitted(Mixture(joined.weights, factors), doubt)


def wanted(found: Estimate) -> Wanted:
    """Return what a mixture should have: the distributions and the tables that were found."""
    people = [cells.sums(own.levels) for cells, own in zip(found.cells, found.singles, strict=True)]
    units = [unit_scores(own, given)[0] for own, given in zip(people, found.scores, strict=True)]
    return Wanted(people, units, {key: pair.joint for key, pair in found.pairs.items()})


def _scores(most: int, attributes: int) -> int:
    """Return how many scores to take: so many that pairs' numbers are about as many as with ten attributes."""
    pairs = attributes * (attributes - 1) / 2
    return max(2, min(most, int(most * (FEW_PAIRS / max(pairs, FEW_PAIRS)) ** 0.5)))
