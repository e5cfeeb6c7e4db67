"""What the explorer's page of a collection with waves is given: what it shows of every wave's model."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from sottovoce.model.model import Model
from sottovoce.model.waves import WaveModels
from sottovoce.plan.audit import waves_words
from sottovoce.plan.plan import Plan
from sottovoce.views.explorer.document import exploration, title

FORMAT = "sottovoce-exploration-waves-1"


def waves_exploration(models: WaveModels, *, level: float = 0.9, population: int | None = None) -> dict[str, Any]:
    """Return all that the explorer shows of the waves of a collection, as JSON holds it.

    Args:
        models: Fitted models of a mechanism that explains the crowd by a mixture.
        level: The probability with which intervals should hold the true fraction.
        population: How many people the crowd stands for; as many as reported in a wave, unless given.
    """
    plan = models.plan
    shown = {
        wave: wave_exploration(model, plan=plan, level=level, population=population) for wave, model in models.items()
    }
    return join_waves(plan, shown)


def wave_exploration(model: Model, *, plan: Plan, level: float = 0.9, population: int | None = None) -> dict[str, Any]:
    """Return what the explorer shows of one wave, with what its certificate says of all of them.

    Args:
        model: The wave's model.
        plan: The plan with waves that was answered.
        level: The probability with which intervals should hold the true fraction.
        population: How many people the crowd stands for; as many as reported in the wave, unless given.
    """
    shown = exploration(model, plan=plan.one_wave, level=level, population=population)
    shown["certificate"] += waves_words(plan.audit())
    return shown


def join_waves(plan: Plan, explorations: Mapping[int, object]) -> dict[str, Any]:
    """Return the document of several waves, given what is shown of each, as JSON holds it or holding it already."""
    return {
        "format": FORMAT,
        "title": title(plan),
        "number": plan.questions.waves,
        "waves": [
            {"wave": wave, "day": _first_day(plan, wave), "exploration": shown} for wave, shown in explorations.items()
        ],
    }


def _first_day(plan: Plan, wave: int) -> str | None:
    """Return the day on which a wave begins, if the plan says it."""
    if plan.waves is None or plan.waves.first is None or plan.waves.days is None:
        return None
    first = datetime.date.fromisoformat(plan.waves.first)
    return (first + datetime.timedelta(days=(wave - 1) * plan.waves.days)).isoformat()
