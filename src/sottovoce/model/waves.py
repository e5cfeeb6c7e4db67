"""Models of waves: one for every wave of a plan, and what changed between them.

Everybody reports in one wave, so the noise of two waves is of different people and independent: the error of a change
is that of two answers put together, whether nobody changed or everybody did.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sottovoce._checks import check_fraction
from sottovoce._files import read_whole, write_whole
from sottovoce._types import Progress
from sottovoce.errors import ModelError, QueryError, SottovoceError
from sottovoce.model.answer import Answer, Estimate, difference
from sottovoce.model.belief import student_level
from sottovoce.model.files import DAMAGED, load_model, model_from
from sottovoce.model.fitting import fit
from sottovoce.model.model import Model
from sottovoce.model.state_checks import check_seal, seal
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.query.functional import Where
from sottovoce.tally.tally import Tally

FORMAT = "sottovoce-waves-1"


@dataclass(frozen=True, slots=True)
class Change:
    """How much the fraction that a predicate selects changed from one wave to another.

    Attributes:
        number: Which of the predicates that were asked it is.
        before: The fraction in the earlier wave, with its own interval.
        after: That in the later one.
        gap: By how much it grew; its interval holds together with those of all changes that were asked.
    """

    number: int
    before: Answer
    after: Answer
    gap: Estimate

    @property
    def told(self) -> bool:
        """Whether it can be told from chance."""
        low, high = self.gap.interval
        return not low <= 0 <= high


class WaveModels(Mapping[int, Model]):
    """The models of a plan's waves, by the number of the wave; of waves without reports there is none.

    Example:
        >>> import numpy as np, sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Ordinal("b", 0, 3)])
        >>> plan = sv.Plan.create(schema, users=40_000, waves=2, lifetime=1)
        >>> people = {"a": np.arange(20_000) % 4, "b": np.arange(20_000) % 3}
        >>> tally = sv.simulate(plan, people, seed=1, wave=1)
        >>> tally.merge(sv.simulate(plan, people, seed=2, wave=2))
        >>> models = sv.fit_waves(plan, tally)
        >>> low, high = models.change("a <= 1", between=(1, 2)).interval
        >>> low < 0 < high
        True
    """

    def __init__(self, plan: Plan, models: Mapping[int, Model]) -> None:
        self.plan = require_plan(plan)
        if not isinstance(models, Mapping) or not all(isinstance(each, Model) for each in models.values()):
            raise ModelError(f"the models of waves are a dict from wave to Model, got {type(models).__name__}")
        if self.plan.waves is None:
            raise ModelError("this plan has no waves: its reports have one model")
        for wave, model in models.items():
            self.plan.waves.check_wave(wave)
            if model.origin.collection != self.plan.one_wave.collection:
                raise ModelError(f"the model of wave {wave} is not one of this plan's waves, but of another collection")
        self._models = dict(sorted(models.items()))

    def __getitem__(self, wave: int) -> Model:
        try:
            return self._models[wave]
        except (KeyError, TypeError):
            known = ", ".join(str(one) for one in self._models)
            raise QueryError(f"there are reports of the waves {known}, got wave {wave!r}") from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def trend(self, where: Where, *, level: float = 0.9) -> dict[int, Answer]:
        """Return the fraction of the crowd that a predicate selects, wave by wave, each with its own interval.

        The waves' errors are independent: of ten intervals of level 0.9 about one misses.

        Args:
            where: A predicate, as `Model.answer` takes it.
            level: The probability with which each interval should hold the true fraction.
        """
        return {wave: model.answer(where, level=level) for wave, model in self._models.items()}

    def change(self, where: Where, *, between: tuple[int, int], level: float = 0.9) -> Estimate:
        """Return by how much the fraction that a predicate selects grew from one wave to another.

        Args:
            where: A predicate, as `Model.answer` takes it.
            between: The two waves, the earlier first.
            level: The probability with which the interval should hold the true change.

        Raises:
            QueryError: If either wave has no reports, or it is twice the same.
        """
        try:
            earlier, later = between
        except (TypeError, ValueError):
            raise QueryError(f"between takes two waves, such as (3, 7), got {between!r}") from None
        if earlier == later:
            raise QueryError(f"a change is between two waves, got {earlier!r} twice")
        return difference(self[later].answer(where, level=level), self[earlier].answer(where, level=level), level=level)

    def changes(self, wheres: Sequence[Where], *, level: float = 0.9) -> list[Change]:
        """Return how much each of several predicates changed from the first wave to the last, the surest first.

        With probability ``level`` all intervals hold at once (Bonferroni), so that at level 0.9 at most one list of
        told changes in ten holds one that was chance. Where errors are the spread of a few repeated fits, intervals
        allow for how little such a spread tells about far tails (Student's distribution).

        Args:
            wheres: Predicates, as `Model.answer` takes them.
            level: The probability with which all intervals should hold the true changes.

        Raises:
            QueryError: If there are not two waves with reports.
        """
        if len(self) < 2:
            raise QueryError(f"a change is between two waves, and there are reports of {len(self)}")
        check_fraction("level", level, error=QueryError, usual="0.9 is a common choice")
        first, *_, last = self._models
        apart = 1 - (1 - level) / max(1, len(wheres))
        fits = min(len(self[wave].replicates) for wave in (first, last))
        if fits > 1:
            apart = student_level(apart, fits - 1)
        before, after = (self[wave].answers(list(wheres), level=level) for wave in (first, last))
        found = [
            Change(number, one, other, difference(other, one, level=apart))
            for number, (one, other) in enumerate(zip(before, after, strict=True))
        ]
        return sorted(found, key=lambda each: -abs(float(each.gap)) / (each.gap.deviation or math.inf))

    def save(self, path: str | Path) -> None:
        """Write the plan and all models as one JSON document."""
        document = {
            "format": FORMAT,
            "plan": msgspec.json.decode(self.plan.to_json()),
            "models": {str(wave): model.document() for wave, model in self._models.items()},
        }
        write_whole(path, msgspec.json.encode(seal(document)))

    @classmethod
    def load(cls, path: str | Path) -> WaveModels:
        """Return the models that `save` wrote.

        Raises:
            ModelError: If the file cannot be read, is something else, or was damaged or altered.
        """
        data = read_whole(path, "model of waves", error=ModelError)
        try:
            document = msgspec.json.decode(data)
            check_seal(document)
            if document["format"] != FORMAT:
                raise ModelError(f"format {document['format']!r} is not {FORMAT!r}")
            plan = Plan.from_json(msgspec.json.encode(document["plan"]))
            models = {int(wave): model_from(model) for wave, model in document["models"].items()}
            if not models:
                raise ModelError("there is no model in it")
            return cls(plan, models)
        except (*DAMAGED, SottovoceError) as error:
            raise ModelError(f"{str(path)!r} holds no models of waves, or is damaged: {error}") from error

    def __repr__(self) -> str:
        return f"<WaveModels of {len(self)} of {self.plan.questions.waves} waves by {self.plan.mechanism}>"


def fit_waves(
    plan: Plan | Tally,
    tally: Tally | None = None,
    *,
    seed: int = 0,
    quality: str = "default",
    progress: Progress = lambda done: None,
) -> WaveModels:
    """Return a model for every wave that has reports.

    Args:
        plan: The plan that was answered, or another of the same collection; or the tally alone, as `fit` takes it.
        tally: What was counted.
        seed: As `fit` takes it.
        quality: As `fit` takes it.
        progress: Told how much of the work is done, from 0 to 1.

    Raises:
        ModelError: If the plan has no waves, the tally is of another collection, or is empty.
    """
    asked, counted = (plan.plan, plan) if isinstance(plan, Tally) and tally is None else (require_plan(plan), tally)
    if asked.waves is None:
        raise ModelError("this plan has no waves; fit makes the one model of its reports")
    if not isinstance(counted, Tally) or counted.collection != asked.collection:
        raise ModelError("fit_waves takes a tally of the plan's own collection")
    waves = [wave for wave, total in enumerate(counted.wave_totals, start=1) if total]
    if not waves:
        raise ModelError("the tally is empty: no report was counted, so there is nothing to fit")
    models: dict[int, Model] = {}
    for wave in waves:
        models[wave] = fit(asked.one_wave, counted.at(wave), seed=seed, quality=quality)
        progress(len(models) / len(waves))
    return WaveModels(asked, models)


def load_fitted(path: str | Path) -> Model | WaveModels:
    """Return what a file holds: a model, or the models of waves.

    Raises:
        ModelError: If it is neither.
    """
    try:
        head = msgspec.json.decode(read_whole(path, "model", error=ModelError), type=_Head)
    except msgspec.MsgspecError as error:
        raise ModelError(f"{str(path)!r} is not a model, or damaged: {error}") from error
    return WaveModels.load(path) if head.format == FORMAT else load_model(path)


class _Head(msgspec.Struct):
    """What every file of models begins with."""

    format: str
