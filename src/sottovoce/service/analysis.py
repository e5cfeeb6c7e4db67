"""From counts to answers: the tally of a collection, its model, and what a status says about it."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import secrets
import threading
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from sottovoce.errors import FewReportsWarning, QueryError
from sottovoce.model.answer import Answer, fraction_interval
from sottovoce.model.answer_lines import AnswerLine, FitLine, Told, ToldMany
from sottovoce.model.files import read_model
from sottovoce.model.fitting import fit
from sottovoce.model.model import Model
from sottovoce.model.state_checks import seal
from sottovoce.model.waves import WaveModels
from sottovoce.plan.influence import influence_of_liars
from sottovoce.plan.plan import Plan
from sottovoce.query.ranges import ranges_to_batch
from sottovoce.service.messages import AnswersRequest
from sottovoce.service.releases import released_counts
from sottovoce.service.served import Served, today
from sottovoce.service.store import KeptModel, Store
from sottovoce.service.verbs import Verb
from sottovoce.tally.quality import check_tally
from sottovoce.tally.tally import Tally
from sottovoce.views.explorer import exploration, join_waves, wave_exploration


class TooFewReportsError(Exception):
    """A collection with fewer reports than are needed before anything is said about it."""


class NotFittedError(Exception):
    """A collection of which no model was fitted yet."""


@dataclasses.dataclass(frozen=True)
class Fit:
    """A model that answers from now on, the plan it answers for, and what tells it from earlier and later ones."""

    model: Model
    plan: Plan
    id: str = dataclasses.field(default_factory=lambda: secrets.token_hex(8))

    @cached_property
    def explored(self) -> msgspec.Raw:
        """What the explorer shows of the model, as JSON."""
        show = exploration if self.plan.waves is None else wave_exploration
        return msgspec.Raw(msgspec.json.encode(show(self.model, plan=self.plan)))


LONG_LOOK = 0.1
"""Seconds: what a status says of the counts is exact while a look at them takes no longer."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Look:
    """What a status said of the counts, at which revision, and until when it is not even asked whether they changed."""

    revision: int
    found: dict[str, Any]
    until: float


class Analyst:
    """Fits and answers; one fit at a time, for any number of collections.

    Args:
        store: Where reports are counted and models kept.
        minimum_reports: Below this many reports of a collection nothing is fitted or answered.
        release_step: What is shown changes when so many reports of a plan's wave came since.
    """

    def __init__(self, store: Store, *, minimum_reports: int, release_step: int = 1) -> None:
        self._store, self._minimum, self._step = store, minimum_reports, release_step
        self._fits: dict[tuple[int, int | None], Fit] = {}
        self._fitting = threading.Lock()
        self._looked: dict[str, _Look] = {}
        self._looking = threading.Lock()
        self._plans: dict[str, Plan] = {}

    def fit(self, served: Served, *, seed: int, quality: str, wave: int | None = None) -> Model:
        """Return the model of what was counted so far, which answers from now on; of a plan with waves, of one wave.

        Args:
            served: A plan of the collection.
            seed: For mechanisms that draw at random while fitting.
            quality: "default" or "fast".
            wave: Of a plan with waves, which one; None for the latest that has reports.

        Raises:
            TooFewReportsError: If there are fewer reports than anything is said about.
        """
        with self._fitting:
            tally = self._tally(served)
            answered = tally.plan  # of several rounds, the last that was counted
            if served.plan.waves is not None:
                wave = _latest(tally) if wave is None else wave
                tally = tally.at(wave)
            elif wave is not None:
                raise QueryError(f"this plan has no waves, got wave {wave}; leave it out")
            if tally.total < self._minimum:
                raise TooFewReportsError(
                    f"{tally.total} reports were counted; nothing is fitted or answered below {self._minimum}"
                )
            with warnings.catch_warnings():  # whoever reads answers sees their intervals; a server's log is no place
                warnings.simplefilter("ignore", FewReportsWarning)
                model = fit(tally.plan, tally, seed=seed, quality=quality)
                model.prepare_intervals()  # once, here, and not by all who ask first
            document = msgspec.json.encode(seal(model.document()))
            model = read_model(document, "the kept model")  # so that all collectors say the same to the last digit
            fitted = Fit(model, answered)
            kept = KeptModel(fitted.id, answered.fingerprint, model.origin.reports, document)
            self._store.save_model(served.key.collection, today(), kept, wave)
            self._fits[served.key.collection, None] = fitted
            if wave is not None:
                self._fits[served.key.collection, wave] = fitted
        return model

    def answer(self, served: Served, asked: AnswersRequest) -> ToldMany:
        """Return for each predicate or query the fraction of the crowd inside and its interval."""
        fitted = self._last_fit(served, asked.wave)
        model = fitted.model
        if asked.where:
            found = model.answers(asked.where, given=asked.given, level=asked.level, population=asked.population)
            lines = [AnswerLine.of(answer) for answer in found]
        else:
            lines = [AnswerLine.of(answer) for answer in _by_ranges(model, asked)]
        return ToldMany(
            reports=model.reports,
            fits=[self._line(served, fitted)],
            interval_note=model.interval_note,
            caveats=list(model.caveats),
            answers=lines,
        )

    def ask(self, served: Served, verb: Verb, asked: Any) -> Told[Any]:
        """Return what a verb gives, by the last fit or a wave's; of a verb of several waves by theirs.

        Args:
            served: The plan that is asked about.
            verb: The verb.
            asked: What is asked, as the verb's form.
        """
        if verb.waves:
            chosen = self._wave_fits(served, getattr(asked, "between", None))
            answer = verb.answer(WaveModels(served.plan, {wave: fit.model for wave, fit in chosen.items()}), asked)
        else:
            fitted = self._last_fit(served, asked.wave)
            chosen, answer = {0: fitted}, verb.answer(fitted.model, asked)
        models = [fit.model for fit in chosen.values()]
        return Told(
            reports=sum(model.reports for model in models),
            fits=[self._line(served, fit) for fit in chosen.values()],
            interval_note=models[0].interval_note,
            caveats=list(dict.fromkeys(caveat for model in models for caveat in model.caveats)),
            answer=answer,
        )

    def _line(self, served: Served, fitted: Fit) -> FitLine:
        """Return which model answers; of a plan with waves, whose."""
        heads = {} if served.plan.waves is None else self._store.wave_heads(served.key.collection)
        wave = next((wave for wave, head in heads.items() if head[0] == fitted.id), None)
        return FitLine(fitted.id, fitted.model.reports, wave)

    def _wave_fits(self, served: Served, between: tuple[int, int] | None) -> dict[int, Fit]:
        """Return the models of two waves, or of all that were fitted."""
        if served.plan.waves is None:
            raise QueryError("this plan has no waves: nothing changed between them; ask for answer")
        heads = self._store.wave_heads(served.key.collection)
        for wave in between or ():
            if wave not in heads:
                raise NotFittedError(_fitted_waves(wave, heads))
        if not heads:
            raise NotFittedError("no wave was fitted yet; POST .../fit with its number first")
        return {wave: self._last_fit(served, wave) for wave in between or heads}

    def explore(self, served: Served) -> bytes:
        """Return what the explorer shows of the model, or of every wave's, as JSON; computed once for every fit."""
        last = self._last_fit(served)
        if served.plan.waves is None:
            return msgspec.json.encode({"fit": last.id, "exploration": last.explored})
        waves = self._wave_fits(served, None)
        lines = [FitLine(fitted.id, fitted.model.reports, wave) for wave, fitted in waves.items()]
        shown = join_waves(served.plan, {wave: fitted.explored for wave, fitted in waves.items()})
        return msgspec.json.encode({"fit": last.id, "fits": lines, "exploration": shown})

    def _last_fit(self, served: Served, wave: int | None = None) -> Fit:
        """Return the model that answers, or a wave's, whichever collector of the database fitted it; read once."""
        collection = served.key.collection
        if wave is not None and served.plan.waves is None:
            raise QueryError(f"this plan has no waves, got wave {wave}; leave it out")
        head = self._store.model_head(collection, wave)
        if head is None and wave is not None:
            raise NotFittedError(_fitted_waves(wave, self._store.wave_heads(collection)))
        if head is None:
            raise NotFittedError("no model was fitted yet; POST .../fit first")
        fitted = self._fits.get((collection, wave))
        if fitted is None or fitted.id != head[0]:
            kept = self._store.model(collection, wave)
            assert kept is not None
            documents = {} if kept.plan == served.plan.fingerprint else self._documents(collection)
            plan = self._plan(served, kept.plan, documents.get(kept.plan, served.document))
            fitted = Fit(read_model(kept.document, "the kept model"), plan, kept.id)
            self._fits[collection, wave] = fitted
        return fitted

    def status(self, served: Served) -> dict[str, Any]:
        """Return what was counted and refused by day, the fit, what liars can do, whether the crowd is honest."""
        head = self._store.model_head(served.key.collection)
        return {
            "plan": served.plan.fingerprint,
            "collection": served.plan.collection,
            "minimum_reports": self._minimum,
            "release_step": self._step,
            "fit": {"id": head[0], "reports": head[1]} if head else None,
            **({} if served.plan.waves is None else {"fits": self._fitted(served)}),
            **self._counted(served),
            "warnings": served.warnings,
        }

    def _fitted(self, served: Served) -> list[dict[str, Any]]:
        heads = self._store.wave_heads(served.key.collection)
        return [{"wave": wave, "id": id, "reports": reports} for wave, (id, reports) in heads.items()]

    def _counted(self, served: Served) -> dict[str, Any]:
        """Return what the status says of the counts: read again when they changed, but if that takes long not often.

        One thread reads at a time. A look that took longer than `LONG_LOOK` serves for ten times as long.
        """
        name, known = served.plan.fingerprint, self._looked.get(served.plan.fingerprint)
        if known is not None and monotonic() < known.until:
            return known.found
        with self._looking:
            known = self._looked.get(name)
            if known is not None and monotonic() < known.until:
                return known.found
            revision = self._store.revision(
                served.key.collection
            )  # before the counts: what comes after shows next time
            if known is None or known.revision != revision:
                started = monotonic()
                found = self._look(served)
                taken = monotonic() - started
                known = _Look(revision, found, started + taken + (10 * taken if taken > LONG_LOOK else 0.0))
                self._looked[name] = known
        return known.found

    def _look(self, served: Served) -> dict[str, Any]:
        collection = served.key.collection
        tally = self._tally(served)
        return {
            "reports": tally.total,
            **({} if tally.plan.waves is None else {"waves": tally.wave_totals}),
            "days": [
                {"plan": fingerprint, "day": day.isoformat(), "count": count}
                for fingerprint, day, count in self._store.by_day(collection)
            ],
            "refused": [
                {"day": day.isoformat(), "reason": reason, "count": count}
                for day, reason, count in self._store.refusals(collection)
            ],
            "influence": [
                dataclasses.asdict(worst) for worst in influence_of_liars(served.plan.questions, tally.total)
            ],
            "checks": [
                {"about": check.about, "probability": check.probability, "flagged": check.flagged}
                for check in check_tally(tally)
            ],
        }

    def _tally(self, served: Served) -> Tally:
        """Return the tally of a plan's collection, question totals kept plan by plan."""
        tally = Tally(served.plan)
        for counts in released_counts(self._store, served.key.collection, self._step):
            part = Tally(self._plan(served, counts.fingerprint, bytes(counts.document)))
            part.add_counts(counts.question, counts.code, np.asarray(counts.count))
            tally.merge(part)
        return tally

    def _plan(self, served: Served, fingerprint: str, document: bytes) -> Plan:
        """Return a plan of the collection: the one served, or another, read once."""
        if fingerprint == served.plan.fingerprint:
            return served.plan
        if fingerprint not in self._plans:
            self._plans[fingerprint] = Plan.from_json(document)
        return self._plans[fingerprint]

    def _documents(self, collection: int) -> dict[str, bytes]:
        """Return the plans of a collection as their canonical JSON, by fingerprint."""
        return {hashlib.sha256(document).hexdigest(): document for document in self._store.documents(collection)}


def _by_ranges(model: Model, asked: AnswersRequest) -> Iterator[Answer]:
    """Yield the answers to queries by ranges, a part of them at a time."""
    for start in range(0, len(asked.queries), 500):
        batch = ranges_to_batch(model.schema, asked.queries[start : start + 500], first=start)
        fractions, spread = model.evaluate(batch), model.spread(batch, np.eye(batch.count))
        for fraction, error, known in zip(
            fractions.tolist(), spread.error.tolist(), spread.evidence.tolist(), strict=True
        ):
            yield Answer(
                fraction,
                interval=fraction_interval(fraction, error, asked.level),
                level=asked.level,
                deviation=error,
                reports=model.reports,
                where="",
                interval_note=model.interval_note,
                evidence=None if math.isnan(known) else known,
            )


def _fitted_waves(wave: int, heads: Mapping[int, object]) -> str:
    known = f"those fitted are {', '.join(map(str, heads))}" if heads else "none was"
    return f"wave {wave} was not fitted yet, {known}; POST .../fit with its number first"


def _latest(tally: Tally) -> int:
    """Return the last wave that has reports, or the first if none has."""
    return max((wave for wave, total in enumerate(tally.wave_totals, start=1) if total), default=1)
