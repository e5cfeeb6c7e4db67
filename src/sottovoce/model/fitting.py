"""Fitting: a tally becomes the model of its mechanism, and again where repeated fits tell how much answers vary."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import overload

import numpy as np

from sottovoce._checks import check_choice, check_integer
from sottovoce._types import Progress
from sottovoce.errors import FewReportsWarning, ModelError
from sottovoce.model.model import Model
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.plan.registry import Fitting, find_mechanism
from sottovoce.tally.tally import Tally

QUALITIES = ("default", "fast")

REPLICATES = 12
"""How many resampled tallies are fitted to see how much answers vary."""


@dataclass(frozen=True)
class Refit:
    """The same fit to resampled tallies, when somebody asks for it."""

    plan: Plan
    tally: Tally
    how: Fitting

    def __call__(self) -> list[Model]:
        """Return the models."""
        generator = np.random.default_rng([self.how.seed, REPLICATES])
        fit_again = find_mechanism(self.plan.mechanism).fit
        return [fit_again(self.plan, resample(self.tally, generator), self.how) for _ in range(REPLICATES)]


def _no_progress(done: float) -> None:
    """Tell nobody."""


@overload
def fit(tally: Tally, /, *, seed: int = 0, quality: str = "default", progress: Progress = _no_progress) -> Model: ...
@overload
def fit(
    plan: Plan, tally: Tally, *, seed: int = 0, quality: str = "default", progress: Progress = _no_progress
) -> Model: ...
def fit(
    plan: Plan | Tally,
    tally: Tally | None = None,
    *,
    seed: int = 0,
    quality: str = "default",
    progress: Progress = _no_progress,
) -> Model:
    """Return the model that a plan's mechanism fits to a tally: ``fit(tally)``, or ``fit(plan, tally)``.

    Args:
        plan: The tally, which knows its plan; or the plan that was answered, or another of the same collection.
        tally: What was counted, after a plan.
        seed: For mechanisms that draw at random while fitting; the same seed gives the same model.
        quality: "default", or "fast" for a quicker, slightly less exact fit where the mechanism has one.
        progress: Told how much of the work is done, from 0 to 1.

    Returns:
        A `Model`, of the mechanism's own kind.

    Raises:
        ModelError: If the tally is empty, of another collection, or no tally; or for an unknown quality.

    Warns:
        FewReportsWarning: If the reports are too few for what the model will be asked.
    """
    asked, counted = (plan.plan, plan) if isinstance(plan, Tally) and tally is None else (require_plan(plan), tally)
    quality = check_choice("quality", quality, QUALITIES, error=ModelError)
    seed = check_integer("seed", seed, error=ModelError, least=0)
    if not isinstance(counted, Tally):
        raise ModelError(f"fit takes a Tally, or a Plan and a Tally, got {type(counted).__name__}")
    if counted.collection != asked.collection:
        raise ModelError(
            f"the tally is of collection {counted.collection[:12]}…, the plan's is {asked.collection[:12]}…; "
            "use the plan that the reports answered"
        )
    if asked.waves is not None:
        raise ModelError(
            "this plan has waves: fit_waves makes a model of each; or fit(plan.one_wave, tally.at(3)) of one"
        )
    if not (counted.plan.continues(asked) and asked.continues(counted.plan)):
        raise ModelError(
            f"the tally is of round {counted.plan.round} of its collection, the plan is that of round {asked.round}; "
            "fit the plan of the last round that was counted: fit(tally.plan, tally)"
        )
    if not counted.total:
        raise ModelError("the tally is empty: no report was counted, so there is nothing to fit")
    mechanism = find_mechanism(asked.mechanism)
    model = mechanism.fit(asked, counted, Fitting(seed, quality, progress))
    progress(1.0)
    for caveat in model.caveats:
        warnings.warn(caveat, FewReportsWarning, stacklevel=2)
    if model.resampled:
        model.refit_by(Refit(asked, counted, Fitting(seed, quality, _no_progress)))
    return model


def resample(tally: Tally, generator: np.random.Generator) -> Tally:
    """Return a tally as it might have come out: as many reports on every question, drawn from those counted."""
    drawn = []
    for question in np.flatnonzero(tally.question_totals).tolist():
        codes, counts = tally.pairs(question)
        again = generator.multinomial(int(counts.sum()), counts / counts.sum())
        drawn.append((np.full(len(codes), question), codes, again))
    resampled = Tally(tally.plan)
    resampled.add_counts(*(np.concatenate(columns) for columns in zip(*drawn, strict=True)))
    return resampled
