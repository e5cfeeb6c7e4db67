"""A model that a collector keeps, asked over HTTP: the verbs of `Model`, and the same answers.

Nothing is computed here. What was asked, and by whose token, the collector writes down.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec
import numpy as np

from sottovoce._checks import check_integer
from sottovoce._types import Floats
from sottovoce.client.delivery import fetch_plan
from sottovoce.errors import DeliveryError, ModelError, QueryError
from sottovoce.model.answer import Answer, Elsewhere, Estimate
from sottovoce.model.answer_lines import (
    AnswerLine,
    AssociationLine,
    ComparisonLine,
    DistributionLine,
    EstimateLine,
    GroupsLine,
    Number,
    Told,
    ToldMany,
    WaveLine,
    read_answer_groups,
    read_estimate_groups,
    read_matrix,
)
from sottovoce.model.association import Association
from sottovoce.model.groups import Comparison
from sottovoce.model.labelled import Distribution, Groups
from sottovoce.model.model import EVERYBODY
from sottovoce.model.remote_calls import Calls, open_ends, predicate
from sottovoce.plan.plan import Plan
from sottovoce.query.functional import Where
from sottovoce.query.labels import Label, names_level
from sottovoce.query.ranges import Ranges
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

Line = TypeVar("Line")

MOST_QUERIES = 10_000
"""The most queries by ranges of one request."""


class RemoteModel:
    """The model of a collection that a collector keeps: it answers as a `Model` does.

    Values, intervals, evidence and direct answers are those of the model itself, and `sottovoce.difference` of two of
    them is taken by the collector, which knows what errors they share. Needs ``sottovoce[http]``.

    Example:
        >>> model = RemoteModel("https://collect.example.org", "0" * 64, token="sv_0123456789ab_secret")
        >>> model
        <RemoteModel of plan 000000000000 at https://collect.example.org>
    """

    def __init__(self, url: str, plan: Plan | str | None = None, *, token: str, wave: int | None = None) -> None:
        """Take note of whom to ask; nothing is sent yet.

        Args:
            url: The collector's address, such as ``https://collect.example.org``.
            plan: A plan of the collection, or its fingerprint; may be left out if the collector serves one collection.
            token: An analyst's token.
            wave: Of a plan with waves, whose model answers; the last that was fitted, by default.

        Raises:
            DeliveryError: If one of them cannot be.
        """
        self._calls = Calls.to(url, token)
        if not (plan is None or isinstance(plan, Plan | str)):
            raise DeliveryError(f"a plan is a Plan or a fingerprint of 64 hexadecimal digits, got {plan!r}")
        if isinstance(plan, str) and not (len(plan) == 64 and set(plan) <= set("0123456789abcdef")):
            raise DeliveryError(f"a fingerprint has 64 hexadecimal digits, got {plan[:80]!r}")
        self._named = plan.fingerprint if isinstance(plan, Plan) else plan
        self._wave = None if wave is None else check_integer("wave", wave, error=QueryError, least=1)

    @cached_property
    def fingerprint(self) -> str:
        """The plan that is asked about: the one that was named, or the newest of the only collection there is."""
        if self._named is not None:
            return self._named
        found = msgspec.json.decode(self._calls.get("/v1/plans"))["plans"]
        if len({line["collection"] for line in found}) != 1:
            known = "; ".join(f"{line['fingerprint']} ({line['purpose'][:60]})" for line in found) or "none"
            raise DeliveryError(f"this collector serves several collections, or none: name a plan of {known}")
        return str(found[-1]["fingerprint"])

    @cached_property
    def plan(self) -> Plan:
        """The plan, checked against its fingerprint."""
        return fetch_plan(f"{self._calls.url}/v1/plans/{self.fingerprint}")

    @property
    def schema(self) -> Schema:
        """What was asked of people."""
        return self.plan.schema

    @property
    def reports(self) -> int:
        """How many reports the model that answers now was fitted to."""
        return self._everybody.reports

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to keep in mind of the model that answers now."""
        return tuple(self._everybody.caveats)

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        return self._everybody.interval_note

    @property
    def waves(self) -> RemoteWaves:
        """The models of a plan's waves, and what changed between them."""
        return RemoteWaves(self if self._wave is None else self._of_wave(None))

    def status(self) -> dict[str, Any]:
        """Return what was counted and refused by day, the last fit, what liars can do, whether the crowd is honest."""
        status: dict[str, Any] = msgspec.json.decode(self._calls.get(f"/v1/plans/{self.fingerprint}/status"))
        return status

    def tally(self) -> Tally:
        """Return all that was counted, to fit, report on or refresh a plan with here."""
        content = self._calls.get(f"/v1/plans/{self.fingerprint}/tally")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tally.parquet"
            path.write_bytes(content)
            return Tally.load(path)

    def fit(self, *, seed: int = 0, quality: str = "default") -> int:
        """Have the collector fit what was counted so far, and answer from that from now on.

        Args:
            seed: As `sottovoce.fit` takes it.
            quality: As `sottovoce.fit` takes it.

        Returns:
            How many reports it was fitted to.

        Raises:
            ModelError: If there are too few reports, or a fit is running.
        """
        body = {"seed": seed, "quality": quality, "wave": self._wave}
        found: dict[str, Any] = self._calls.post(f"/v1/plans/{self.fingerprint}/fit", body, dict)
        return int(found["reports"])

    def answer(
        self,
        where: Where = EVERYBODY,
        *,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Answer:
        """Return the fraction of the crowd for which a predicate is true, as `Model.answer` does."""
        return self.answers([where], given=given, level=level, population=population)[0]

    def answers(
        self,
        wheres: Sequence[Where],
        *,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> list[Answer]:
        """Return the answers to many predicates at once, as `Model.answers` does."""
        if isinstance(wheres, str) or not isinstance(wheres, Sequence):
            raise QueryError(f"answers takes a list of predicates, got {wheres!r}: wrap it in [ ]")
        texts, condition = [predicate(where) for where in wheres], predicate(given)
        if not texts:
            return []
        body = {"where": texts, "given": condition, "level": level, "population": population, "wave": self._wave}
        told = self._calls.post(self._path(""), body, ToldMany)
        questions = [{"verb": "answer", "where": text, "given": condition} for text in texts]
        return [
            line.value(told.interval_note, self._source(question))
            for line, question in zip(told.answers, questions, strict=True)
        ]

    def answer_ranges(self, queries: Sequence[Ranges]) -> Floats:
        """Return the fraction of the crowd inside each query, as `Model.answer_ranges` does."""
        if isinstance(queries, dict | str) or not isinstance(queries, Sequence):
            raise QueryError(f"answer_ranges takes a list of queries, got {type(queries).__name__}: wrap it in [ ]")
        found: list[float] = []
        for start in range(0, len(queries), MOST_QUERIES):
            part = open_ends(list(queries[start : start + MOST_QUERIES]))
            told = self._calls.post(self._path(""), {"queries": part, "wave": self._wave}, ToldMany)
            found += [line.fraction for line in told.answers]
        return np.array(found, dtype=np.float64)

    def mean(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the mean of an attribute over those a predicate selects and who answered, as `Model.mean` does."""
        asked = {"name": name, "where": predicate(where)}
        told = self._ask("mean", {**asked, "level": level}, Told[EstimateLine])
        return told.answer.estimate(told.interval_note, self._source({"verb": "mean", **asked}))

    @overload
    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate: ...
    @overload
    def quantile(
        self, name: str, probability: Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> list[Estimate]: ...
    def quantile(
        self, name: str, probability: float | Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> Estimate | list[Estimate]:
        """Return the value below which a part of those selected lies, or several, as `Model.quantile` does."""
        body = {"name": name, "probability": probability, "where": predicate(where), "level": level}
        told = self._ask("quantile", body, Told[EstimateLine | list[EstimateLine]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return [line.estimate(told.interval_note) for line in told.answer]

    def mean_by(
        self, name: str, by: str, *, where: Where = EVERYBODY, bands: int | None = None, level: float = 0.9
    ) -> Groups[Estimate]:
        """Return the mean of an attribute in every group that another makes, as `Model.mean_by` does."""
        selected = predicate(where)
        body = {"name": name, "by": by, "where": selected, "bands": bands, "level": level}
        told = self._ask("mean_by", body, Told[GroupsLine[EstimateLine]])

        def source(label: Label) -> Elsewhere:
            return self._source({"verb": "mean", "name": name, "where": _and(selected, by, label)})

        return read_estimate_groups(told.answer, told.interval_note, source)

    def quantile_by(
        self,
        name: str,
        by: str,
        probability: float = 0.5,
        *,
        where: Where = EVERYBODY,
        bands: int | None = None,
        level: float = 0.9,
    ) -> Groups[Estimate]:
        """Return a quantile of an attribute in every group that another makes, as `Model.quantile_by` does."""
        body = {"name": name, "by": by, "probability": probability, "where": predicate(where), "bands": bands}
        told = self._ask("quantile_by", {**body, "level": level}, Told[GroupsLine[EstimateLine]])
        return read_estimate_groups(told.answer, told.interval_note, lambda label: None)

    def group_by(
        self,
        name: str,
        *,
        where: Where = EVERYBODY,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Groups[Answer]:
        """Return the fraction of the crowd for every value of an attribute, as `Model.group_by` does."""
        selected, condition = predicate(where), predicate(given)
        body = {"name": name, "where": selected, "given": condition, "level": level, "population": population}
        told = self._ask("group_by", body, Told[GroupsLine[AnswerLine]])

        def source(label: Label) -> Elsewhere:
            return self._source({"verb": "answer", "where": _and(selected, name, label), "given": condition})

        return read_answer_groups(told.answer, told.interval_note, source)

    def smallest_difference(self, name: str, by: str) -> float:
        """Return the smallest difference that these reports could tell, as `Model.smallest_difference` does."""
        told = self._ask("smallest_difference", {"name": name, "by": by}, Told[Number])
        return float("inf") if told.answer is None else told.answer

    def compare_groups(
        self, by: str, *, names: Sequence[str] | None = None, bands: int | None = None, level: float = 0.9
    ) -> Comparison:
        """Return every attribute by the groups of one, as `Model.compare_groups` does."""
        body = {"by": by, "names": names, "bands": bands, "level": level}
        told = self._ask("compare_groups", body, Told[ComparisonLine])
        return told.answer.comparison(told.interval_note, self._source(None))

    def marginal(self, *names: str, where: Where = EVERYBODY) -> Distribution:
        """Return the distribution of an attribute, or of several together, as `Model.marginal` does."""
        body = {"names": names, "where": predicate(where)}
        return self._ask("marginal", body, Told[DistributionLine]).answer.distribution()

    @overload
    def correlation(self) -> Floats: ...
    @overload
    def correlation(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def correlation(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> Floats | Estimate:
        """Return the correlation of two attributes, or the matrix of all, as `Model.correlation` does."""
        body = {"first": first, "second": second, "level": level}
        told = self._ask("correlation", body, Told[EstimateLine | list[list[Number]]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return read_matrix(told.answer)

    @overload
    def association(self, *, level: float = 0.9) -> list[Association]: ...
    @overload
    def association(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def association(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> list[Association] | Estimate:
        """Return how much two attributes go together, or that of all pairs, as `Model.association` does."""
        body = {"first": first, "second": second, "level": level}
        told = self._ask("association", body, Told[EstimateLine | list[AssociationLine]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return [line.association(told.interval_note) for line in told.answer]

    def __repr__(self) -> str:
        name = "the only collection" if self._named is None else f"plan {self._named[:12]}"
        wave = "" if self._wave is None else f", wave {self._wave},"
        return f"<RemoteModel of {name}{wave} at {self._calls.url}>"

    def _of_wave(self, wave: int | None) -> RemoteModel:
        return RemoteModel(self._calls.url, self.fingerprint, token=self._calls.token, wave=wave)

    @property
    def _everybody(self) -> ToldMany:
        return self._calls.post(self._path(""), {"where": [EVERYBODY], "wave": self._wave}, ToldMany)

    def _path(self, verb: str) -> str:
        return f"/v1/plans/{self.fingerprint}/answers{verb and '/' + verb}"

    def _ask(self, verb: str, body: Mapping[str, object], kind: type[Told[Line]]) -> Told[Line]:
        wave = {} if self._wave is None else {"wave": self._wave}
        return self._calls.post(self._path(verb), {**body, **wave}, kind)

    def _source(self, question: Mapping[str, object] | None) -> Elsewhere:
        return Elsewhere((self._calls.url, self.fingerprint, self._wave), question, self._subtract)

    def _subtract(self, first: Mapping[str, object], second: Mapping[str, object], level: float) -> Estimate:
        told = self._ask("difference", {"first": first, "second": second, "level": level}, Told[EstimateLine])
        return told.answer.estimate(told.interval_note)


def _and(selected: str, name: str, label: Label) -> str:
    """Return the predicate of those selected who have one value of an attribute, or are in one band."""
    own = str(names_level(name, label))
    return own if selected == EVERYBODY else f"({own}) AND ({selected})"


class RemoteWaves(Mapping[int, RemoteModel]):
    """The models of a plan's waves that a collector keeps, by the number of the wave, as `WaveModels` are."""

    def __init__(self, model: RemoteModel) -> None:
        self._model = model

    def _fitted(self) -> list[int]:
        status = self._model.status()
        if "fits" not in status:
            raise ModelError("this plan has no waves; the model itself answers")
        return [fit["wave"] for fit in status["fits"]]

    def __getitem__(self, wave: int) -> RemoteModel:
        return self._model._of_wave(check_integer("wave", wave, error=QueryError, least=1))

    def __iter__(self) -> Iterator[int]:
        return iter(self._fitted())

    def __len__(self) -> int:
        return len(self._fitted())

    def trend(self, where: Where, *, level: float = 0.9) -> dict[int, Answer]:
        """Return the fraction that a predicate selects, wave by wave, as `WaveModels.trend` does."""
        text = predicate(where)
        told = self._model._ask("trend", {"where": text, "level": level}, Told[list[WaveLine]])
        return {line.wave: self._wave_answer(line, text, told.interval_note) for line in told.answer}

    def _wave_answer(self, line: WaveLine, where: str, note: str) -> Answer:
        return line.answer.value(note, self[line.wave]._source({"verb": "answer", "where": where}))

    def change(self, where: Where, *, between: tuple[int, int], level: float = 0.9) -> Estimate:
        """Return by how much the fraction that a predicate selects grew, as `WaveModels.change` does."""
        body = {"where": predicate(where), "between": between, "level": level}
        told = self._model._ask("change", body, Told[EstimateLine])
        return told.answer.estimate(told.interval_note)

    def __repr__(self) -> str:
        return f"<RemoteWaves of {self._model!r}>"
