"""The whole fit of a mixture: textures, how far by held-out reports, the average of several fits, then pair by pair.

An attribute may be a smooth bell or stand at a few values; its texture is the one under which its own measured means
are the most probable. Early stopping is the smoothing of how attributes go together, because the basis puts smooth
changes first; the number of steps is chosen by reports that were held out. Neither costs privacy. The average of
several fits from different starts is again a mixture of products. It follows all pairs alike, so what held-out reports
do not confirm of its dependence is taken back (confirmation.py), and it is then moved, pair by pair, towards what the
reports say beyond it as far as chance does not explain that (dependence.py).
The starts are the same for every fit: the same tally gives the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats, Progress
from sottovoce.mechanisms.spectral.confirmation import confirm
from sottovoce.mechanisms.spectral.dependence import Doubt, asked_moments, correct, model_moments
from sottovoce.mechanisms.spectral.moments import Asked, Moments, Shown, pool, split
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.objective import TEXTURES, Mixture, Objective, Texture, descend, logit_basis
from sottovoce.mechanisms.spectral.single import SingleProblem
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_START_SCALE = 0.1  # standard deviation of random starts, in prior standard deviations
_FIRST_STEPS, _STEP_GROWTH = 5, 1.35  # when held-out reports are looked at first, and how much later each time
_PATIENCE = 12  # looks without progress: leaving the saddle of independence takes some tens of steps
_TOLERANCE = 5.0  # of the held-out misfit: so much is chance in the starts, and every second fit stops that early
_LEAST_CURVATURE = 0.05  # below this a number is moved in units of its prior
_ANCHOR = 0.005  # prior precision of moving away from the average of the fits, in its own prior's units
_SEED = 0x5EC7


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a fit does.

    Attributes:
        folds: Parts of the reports; each is held out once to say how many steps to make.
        fits: Fits from different starts that are averaged: what one start makes of chance, others do not.
        components: Components of each fit: enough for the dependence of a usual crowd, as fits are averaged.
        most_steps: Steps of a fit at most; the best number is usually below a hundred.
        polish: Steps towards the corrected moments. At a million people and epsilon 4, 200 had errors 4 % larger and
            800 2 % smaller; with fewer reports there was no difference.
    """

    folds: int
    fits: int
    components: int
    most_steps: int
    polish: int = 400


EFFORTS = {"default": Effort(5, 8, 8, 300), "fast": Effort(2, 4, 8, 200, 80)}


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

    @property
    def noise(self) -> Noise:
        """How far chance moves what they say."""
        kept = [
            np.broadcast_to(np.asarray(given, dtype=np.float64), block.shape)
            for block, given in zip(self.blocks, self.attenuations, strict=True)
        ]
        return Noise(self.blocks, self.counts, kept)

    def moments(self, counts: Sequence[NDArray[Any]] | None = None) -> Moments:
        """Return the moments of these counts, or of others of the same questions."""
        return pool(self.asked, self.blocks, self.counts if counts is None else counts, self.attenuations)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted mixture, what remains unknown, and what the reports say beyond it.

    Attributes:
        mixture: The mixture.
        doubt: What remains unknown, by bands of all attributes.
        residual: Measured minus fitted, for all functions asked and their products; zero where nobody was asked.
        gap: The cautious correction minus fitted, likewise.
        steps: How many steps held-out reports chose.
    """

    mixture: Mixture
    doubt: Doubt
    residual: Floats
    gap: Floats
    steps: int


@dataclass(frozen=True, slots=True)
class _Fold:
    """The reports without a part, and that part: what each is fitted and judged by, and the moments of the first.

    Only what anyone was asked for is kept of each: of many attributes or levels that is a small part of all moments.
    """

    train: Objective
    test: Objective
    moments: Moments

    @classmethod
    def of(cls, answers: Answers, whole: Objective, moments: Moments, counts: Sequence[NDArray[Any]]) -> _Fold:
        part = answers.moments(counts)
        # moments add up over reports, so those without a part need not be counted again
        rest = moments.minus(part)
        where = asked_moments(moments)
        return cls(whole.on(rest), whole.on(part), Moments(rest.estimate[where], rest.information[where]))


def fit_mixture(answers: Answers, effort: Effort, *, progress: Progress = lambda done: None) -> Fitted:
    """Return the mixture that explains the answers.

    Args:
        answers: The counts, and what the questions show.
        effort: How many components, fits, folds and steps.
        progress: Told how much of the work is done, from 0 to 1.

    Returns:
        The mixture, what remains unknown after it, and what the reports say beyond it.
    """
    generator = np.random.default_rng(_SEED)
    moments, asked = answers.moments(), answers.asked
    parts = split(answers.counts, effort.folds, generator)
    textures = choose_textures(answers.axes, asked, moments)
    progress(0.1)
    objective = Objective(answers.axes, asked, moments, components=effort.components, textures=textures)
    folds = [_Fold.of(answers, objective, moments, counts) for counts in parts]
    chosen, ends = _held_out(folds, effort, generator)
    progress(0.4)
    steps = [number * effort.folds // (effort.folds - 1) for number in chosen]  # those fits saw that much less
    base = _base(objective)
    points = [_one_fit(objective, base, steps[number % 2], generator) for number in range(effort.fits)]
    progress(0.6)
    mixture = average([objective.mixture(point) for point in points])
    where = asked_moments(moments)
    fits = [_moments_of(answers, objective.mixture(end))[where] for end in ends]
    trained = [(fold.moments, own) for fold, own in zip(folds, fits, strict=True)]
    confirmed, trained = confirm(asked, moments, _moments_of(answers, mixture), trained)
    correction = correct(answers.axes, asked, moments, confirmed, trained)
    joined = Objective(
        answers.axes, asked, correction.target, components=effort.fits * effort.components, textures=textures
    )
    mixture = joined.mixture(_refined(joined, joined.joining(objective, points), effort.polish))
    progress(1.0)
    final = _moments_of(answers, mixture)
    residual, gap = (
        np.where(moments.information > 0, other - final, 0.0) for other in (moments.estimate, correction.cautious)
    )
    return Fitted(mixture, correction.doubt, residual, gap, steps[0])


def _moments_of(answers: Answers, mixture: Mixture) -> Floats:
    return model_moments(answers.axes, answers.asked, mixture.weights, mixture.factors)


def _one_fit(objective: Objective, base: list[Floats], steps: int, generator: np.random.Generator) -> Floats:
    path = descend(objective, _start(objective, base, generator))
    return next(islice(path, steps - 1, None))


def _refined(objective: Objective, start: Floats, steps: int) -> Floats:
    """Return the point after descending towards targets that are shrunk already: held near its start, not near zero.

    Rare values and light components hardly bend the misfit, so each number is moved in units of its own curvature.
    """
    units = 1 / np.sqrt(objective.curvature(start) + _LEAST_CURVATURE)

    def anchored(moves: Floats) -> tuple[float, Floats]:
        moved = units * moves
        # the chain rule through the units: a move of one changes the misfit by about as much everywhere
        value, gradient = objective.misfit_gradient(start + moved)
        return value + 0.5 * _ANCHOR * float(moved @ moved), units * (gradient + _ANCHOR * moved)

    return start + units * next(islice(descend(anchored, np.zeros_like(start)), steps - 1, None))


def average(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the mixture that is the mean of several."""
    return Mixture(
        np.concatenate([mixture.weights for mixture in mixtures]) / len(mixtures),
        [np.concatenate(factors) for factors in zip(*(mixture.factors for mixture in mixtures), strict=True)],
    )


def _held_out(
    folds: Sequence[_Fold], effort: Effort, generator: np.random.Generator
) -> tuple[tuple[int, int], list[Floats]]:
    """Return after how many steps held-out reports are explained best, and first about as well; and the fits then."""
    paths = [descend(fold.train, _start(fold.train, _base(fold.train), generator)) for fold in folds]
    scores: dict[int, float] = {}
    seen: dict[int, list[Floats]] = {}
    steps, target = 0, _FIRST_STEPS
    while steps < effort.most_steps:
        seen[target] = [next(islice(path, target - steps - 1, None)) for path in paths]
        steps, target = target, int(target * _STEP_GROWTH)
        scores[steps] = sum(fold.test.misfit(point) for fold, point in zip(folds, seen[steps], strict=True))
        lowest = min(scores, key=scores.__getitem__)
        if list(scores).index(lowest) + _PATIENCE < len(scores):
            break
    # chance in the starts hides differences below the tolerance: the earliest such number is as good
    early = next(number for number, score in scores.items() if score <= scores[lowest] + _TOLERANCE)
    return (lowest, early), seen[lowest]


def choose_textures(axes: Sequence[Axis], asked: Asked, moments: Moments) -> list[Texture]:
    """Return for every attribute the texture under which its measured means are the most probable.

    Args:
        axes: The attributes.
        asked: Which functions of each attribute were asked.
        moments: What was measured; only the means of single attributes are looked at.

    Returns:
        One of `TEXTURES` each; the first for an attribute without order.
    """
    chosen = []
    for index, axis in enumerate(axes):
        own, signs = asked.indices(index), walsh_signs(axis.size, asked.bands[index])[:, 1:]
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
            [SingleProblem(group.signs, group.base, estimate[own], information[own]).solve() for own in group.indices]
        )
        for group in objective.groups
    ]


def _start(objective: Objective, base: list[Floats], generator: np.random.Generator) -> Floats:
    point = _START_SCALE * generator.standard_normal(objective.length)
    for view, own in zip(objective.views(point), base, strict=True):
        view[:, -1] = own
    point[-objective.components :] = 0.0
    return np.asarray(point)
