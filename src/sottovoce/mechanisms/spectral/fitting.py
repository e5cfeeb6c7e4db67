"""The whole fit of a mixture: each attribute's texture, how far by held-out reports, then the average of several fits.

An attribute may be a smooth bell or stand at a few values; its texture is the one under which its own measured means
are the most probable. Early stopping is the smoothing of how attributes go together, because the basis puts smooth
changes first; the number of steps is chosen by reports that were held out. Neither costs privacy. The average of
several fits from different starts is again a mixture of products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.moments import Asked, Moments, Shown, pool, split
from sottovoce.mechanisms.spectral.objective import TEXTURES, Mixture, Objective, Texture, descend, logit_basis
from sottovoce.mechanisms.spectral.single import SingleProblem
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_START_SCALE = 0.1  # standard deviation of random starts, in prior standard deviations
_FIRST_STEPS, _STEP_GROWTH, _PATIENCE = 5, 1.35, 4


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a fit does."""

    folds: int
    fits: int
    components: int
    most_steps: int


EFFORTS = {"default": Effort(3, 8, 8, 300), "fast": Effort(2, 4, 8, 200)}


@dataclass(frozen=True, slots=True)
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

    def moments(self, counts: Sequence[NDArray[Any]] | None = None) -> Moments:
        """Return the moments of these counts, or of others of the same questions."""
        return pool(self.asked, self.blocks, self.counts if counts is None else counts, self.attenuations)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What held-out reports chose, and the objective on all reports."""

    objective: Objective
    steps: int


def fit_mixture(
    answers: Answers, effort: Effort, *, seed: int, step: Callable[[float], None] = lambda done: None
) -> tuple[Mixture, Chosen]:
    """Return the average of several fits, its components those of the fits in turn, and what was chosen.

    ``step`` is told how much is done.
    """
    generator = np.random.default_rng([seed, 0x5EC7])
    moments = answers.moments()
    parts = [answers.moments(counts) for counts in split(answers.counts, effort.folds, generator)]
    textures = choose_textures(answers.axes, answers.asked, moments)
    step(0.1)
    objective = Objective(answers.axes, answers.asked, moments, components=effort.components, textures=textures)
    scores = _held_out(objective, parts, effort, generator)
    step(0.5)
    steps = min(scores, key=scores.__getitem__) * effort.folds // (effort.folds - 1)  # those fits saw that much less
    base = _base(objective)
    mixtures = []
    for number in range(effort.fits):
        mixtures.append(_one_fit(objective, base, steps, generator))
        step(0.5 + 0.5 * (number + 1) / effort.fits)
    return average(mixtures), Chosen(objective, steps)


def repeat_fit(chosen: Chosen, count: int, *, seed: int) -> list[Mixture]:
    """Return single fits to moments perturbed by their own noise: how far a fit to other reports might lie."""
    generator = np.random.default_rng([seed, 0x4E401])
    moments = chosen.objective.moments
    spread = np.divide(
        1.0, np.sqrt(moments.information), out=np.zeros_like(moments.information), where=moments.information > 0
    )
    mixtures = []
    for _ in range(count):
        noise = np.triu(generator.standard_normal(spread.shape))
        again = chosen.objective.on(
            Moments(moments.estimate + spread * (noise + np.triu(noise, 1).T), moments.information)
        )
        mixtures.append(_one_fit(again, _base(again), chosen.steps, generator))
    return mixtures


def _one_fit(objective: Objective, base: list[Floats], steps: int, generator: np.random.Generator) -> Mixture:
    path = descend(objective, _start(objective, base, generator))
    return objective.mixture(next(islice(path, steps - 1, None)))


def average(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the mixture that is the mean of several."""
    return Mixture(
        np.concatenate([mixture.weights for mixture in mixtures]) / len(mixtures),
        [np.concatenate(factors) for factors in zip(*(mixture.factors for mixture in mixtures), strict=True)],
    )


def _held_out(
    objective: Objective, parts: Sequence[Moments], effort: Effort, generator: np.random.Generator
) -> dict[int, float]:
    """Return the misfit of held-out reports, summed over parts, after growing numbers of steps."""
    paths, tests = [], []
    for part in parts:
        train = objective.on(objective.moments.minus(part))
        paths.append(descend(train, _start(train, _base(train), generator)))
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


def choose_textures(axes: Sequence[Axis], asked: Asked, moments: Moments) -> list[Texture]:
    """Return for every attribute the texture under which its measured means are the most probable."""
    chosen = []
    for place, axis in enumerate(axes):
        own, signs = asked.places(place), walsh_signs(axis.size, asked.bands[place])[:, 1:]
        evidence = {}
        for texture in TEXTURES if axis.ordered else TEXTURES[:1]:
            basis = logit_basis(axis, texture)
            problem = SingleProblem(signs, basis, moments.estimate[0, own], moments.information[0, own])
            evidence[texture] = problem.evidence(problem.solve())
        chosen.append(max(evidence, key=evidence.__getitem__))
    return chosen


def _base(objective: Objective) -> list[Floats]:
    """Return the logits of the one-attribute estimates: the base of every start."""
    estimate, information = objective.moments.estimate[0], objective.moments.information[0]
    return [
        np.array(
            [SingleProblem(group.signs, group.base, estimate[own], information[own]).solve() for own in group.places]
        )
        for group in objective.groups
    ]


def _start(objective: Objective, base: list[Floats], generator: np.random.Generator) -> Floats:
    point = _START_SCALE * generator.standard_normal(objective.length)
    for view, own in zip(objective.views(point), base, strict=True):
        view[:, -1] = own
    point[-objective.components :] = 0.0
    return np.asarray(point)
