"""What the explorer's page of a collection with waves is given: what it shows of every wave's model."""

from __future__ import annotations

import datetime
from typing import Any

from sottovoce.model.waves import WaveModels
from sottovoce.plan.audit import waves_words
from sottovoce.plan.plan import Plan
from sottovoce.views.explorer.document import exploration

FORMAT = "sottovoce-exploration-waves-1"


def waves_exploration(models: WaveModels, *, level: float = 0.9, population: int | None = None) -> dict[str, Any]:
    """Return all that the explorer shows of the waves of a collection, as JSON holds it.

    Args:
        models: Fitted models of a mechanism that explains the crowd by a mixture.
        level: The probability with which intervals should hold the true fraction.
        population: How many people the crowd stands for; as many as reported in a wave, unless given.
    """
    plan, words = models.plan, waves_words(models.plan.audit())
    waves: list[dict[str, Any]] = []
    for wave, model in models.items():
        shown = exploration(model, plan=plan.one_wave, level=level, population=population)
        shown["certificate"] += words
        waves.append({"wave": wave, "day": _first_day(plan, wave), "exploration": shown})
    return {
        "format": FORMAT,
        "title": waves[0]["exploration"]["title"],
        "number": plan.questions.waves,
        "waves": waves,
    }


def _first_day(plan: Plan, wave: int) -> str | None:
    """Return the day on which a wave begins, if the plan says it."""
    if plan.waves is None or plan.waves.first is None or plan.waves.days is None:
        return None
    first = datetime.date.fromisoformat(plan.waves.first)
    return (first + datetime.timedelta(days=(wave - 1) * plan.waves.days)).isoformat()
