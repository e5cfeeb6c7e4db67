"""The whole fit of a mixture: how rough and how far by held-out reports, then the average of several fits.

Early stopping is the smoothing, because the basis puts smooth changes first. Both the number of steps and the texture
are chosen by reports that were held out, which costs no privacy. The average of several fits from different starts is
again a mixture of products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.estimation.mixture import ROUGH, SMOOTH, Mixture, Objective, Texture, descend
from sottovoce.estimation.moments import Asked, Moments, pool, split
from sottovoce.estimation.shares import Block
from sottovoce.estimation.walsh import Axis, Floats

_START_SCALE = 0.1  # standard deviation of random starts, in prior standard deviations
_BASE_STEPS = 100
_FIRST_STEPS, _STEP_GROWTH, _PATIENCE = 20, 1.3, 3

Progress = Callable[[float], None]
"""Told the fraction of the work that is done."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a fit does."""

    folds: int
    fits: int
    components: int
    most_steps: int


EFFORTS = {"default": Effort(3, 4, 16, 600), "fast": Effort(2, 2, 16, 300)}


@dataclass(frozen=True, slots=True)
class Answers:
    """What was asked and counted: axes, blocks, and for each block its counts and attenuation."""

    axes: Sequence[Axis]
    blocks: Sequence[Block]
    counts: Sequence[NDArray[np.int64]]
    attenuations: Sequence[float]

    @property
    def asked(self) -> Asked:
        """The functions that were asked."""
        return Asked.of(len(self.axes), self.blocks)

    def moments(self, counts: Sequence[NDArray[Any]] | None = None) -> Moments:
        """Return the moments of these counts, or of others of the same questions."""
        return pool(self.asked, self.blocks, self.counts if counts is None else counts, self.attenuations)


def fit_mixture(answers: Answers, effort: Effort, *, seed: int, progress: Progress = lambda done: None) -> Mixture:
    """Return the average of several fits, its components those of the fits in turn."""
    generator = np.random.default_rng([seed, 0x5EC7])
    moments = answers.moments()
    parts = [answers.moments(counts) for counts in split(answers.counts, effort.folds, generator)]
    scores: dict[tuple[Texture, int], float] = {}
    for number, texture in enumerate((SMOOTH, ROUGH)):
        objective = _objective(answers, moments, effort.components, texture)
        for steps, score in _held_out(answers, objective, texture, parts, effort, generator).items():
            scores[texture, steps] = score
        progress(0.3 * (number + 1))
    texture, steps = min(scores, key=scores.__getitem__)
    objective = _objective(answers, moments, effort.components, texture)
    base = _base(answers, moments, texture)
    mixtures = []
    for number in range(effort.fits):
        path = descend(objective, _start(objective, base, generator))
        mixtures.append(objective.mixture(next(islice(path, steps - 1, None))))
        progress(0.6 + 0.4 * (number + 1) / effort.fits)
    return average(mixtures)


def average(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the mixture that is the mean of several."""
    return Mixture(
        np.concatenate([mixture.weights for mixture in mixtures]) / len(mixtures),
        [np.concatenate(factors) for factors in zip(*(mixture.factors for mixture in mixtures), strict=True)],
    )


def _objective(answers: Answers, moments: Moments, components: int, texture: Texture) -> Objective:
    return Objective(answers.axes, answers.asked, moments, components=components, texture=texture)


def _held_out(
    answers: Answers,
    objective: Objective,
    texture: Texture,
    parts: Sequence[Moments],
    effort: Effort,
    generator: np.random.Generator,
) -> dict[int, float]:
    """Return the misfit of held-out reports, summed over parts, after growing numbers of steps."""
    paths, tests = [], []
    for part in parts:
        rest = objective.moments.minus(part)
        base = _base(answers, rest, texture)
        paths.append(descend(objective.on(rest), _start(objective, base, generator)))
        tests.append(objective.on(part))
    scores: dict[int, float] = {}
    steps, target = 0, _FIRST_STEPS
    while steps < effort.most_steps:
        points = [next(islice(path, target - steps - 1, None)) for path in paths]
        steps, target = target, int(target * _STEP_GROWTH)
        scores[steps] = sum(test.misfit(point) for test, point in zip(tests, points, strict=True))
        if list(scores).index(min(scores, key=scores.__getitem__)) + _PATIENCE < len(scores):
            break
    return scores


def _base(answers: Answers, moments: Moments, texture: Texture) -> list[Floats]:
    """Return the logits of the one-attribute estimates: the base of every start."""
    alone = np.zeros_like(moments.information)
    alone[0], alone[:, 0] = moments.information[0], moments.information[:, 0]
    single = _objective(answers, Moments(moments.estimate, alone), 1, texture)
    point = next(islice(descend(single, np.zeros(single.length)), _BASE_STEPS, None))
    return [view[:, 0] + view[:, 1] for view in single.views(point)]


def _start(objective: Objective, base: list[Floats], generator: np.random.Generator) -> Floats:
    point = _START_SCALE * generator.standard_normal(objective.length)
    for view, own in zip(objective.views(point), base, strict=True):
        view[:, -1] = own
    point[-objective.components :] = 0.0
    return np.asarray(point)
