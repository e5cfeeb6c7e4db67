"""Fitting: a tally becomes the model of its mechanism, and again where repeated fits tell how much answers vary."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

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


def fit(
    plan: Plan,
    tally: Tally,
    *,
    seed: int = 0,
    quality: str = "default",
    progress: Progress = _no_progress,
) -> Model:
    """Return the model that the plan's mechanism fits to a tally of its collection.

    Args:
        plan: The plan that was answered, or another of the same collection.
        tally: What was counted.
        seed: For mechanisms that draw at random while fitting; the same seed gives the same model.
        quality: "default", or "fast" for a quicker, slightly less exact fit where the mechanism has one.
        progress: Told how much of the work is done, from 0 to 1.
    """
    require_plan(plan)
    if quality not in QUALITIES:
        raise ModelError(f"quality is one of {', '.join(QUALITIES)}, got {quality!r}")
    if not isinstance(tally, Tally):
        raise ModelError(f"fit takes a Tally, got {type(tally).__name__}")
    if tally.collection != plan.collection:
        raise ModelError(
            f"the tally is of collection {tally.collection[:12]}…, the plan's is {plan.collection[:12]}…; "
            "use the plan that the reports answered"
        )
    if not (tally.plan.continues(plan) and plan.continues(tally.plan)):
        raise ModelError(
            f"the tally is of round {tally.plan.round} of its collection, the plan is that of round {plan.round}; "
            "fit the plan of the last round that was counted: fit(tally.plan, tally)"
        )
    if not tally.total:
        raise ModelError("the tally is empty: no report was counted, so there is nothing to fit")
    mechanism = find_mechanism(plan.mechanism)
    model = mechanism.fit(plan, tally, Fitting(seed, quality, progress))
    progress(1.0)
    for caveat in model.caveats:
        warnings.warn(caveat, FewReportsWarning, stacklevel=2)
    if model.resampled:
        model.refit_by(Refit(plan, tally, Fitting(seed, quality, _no_progress)))
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
