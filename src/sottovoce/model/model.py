"""Models: what `fit` returns. Every model answers a batch of weights; the rest here is shared by all.

A model file is one JSON document: the schema, where the model comes from, and its arrays as base64 of little-endian
numbers with their shape, so that any language can read it.
"""

from __future__ import annotations

import base64
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from sottovoce.model.asking import Asking
from sottovoce.errors import ModelError, QueryError, SottovoceError
from sottovoce.model.fitting import resample
from sottovoce.plan.plan import MECHANISMS, Fitting, Plan, find_mechanism, require_plan
from sottovoce.query.batch import Batch, Floats, chunks
from sottovoce.query.ranges import Ranges, ranges_to_batch
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

FORMAT = "sottovoce-model-1"
QUALITIES = ("default", "fast")

REPLICATES = 12
"""How many resampled tallies are fitted to see how much answers vary."""


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes:
        schema: What was asked.
        mechanism: The mechanism's name.
        epsilon: The privacy of each report.
        collection: The collection that was tallied.
        reports: How many reports were counted.
    """

    schema: Schema
    mechanism: str
    epsilon: float
    collection: str
    reports: int

    @classmethod
    def of(cls, plan: Plan, tally: Tally) -> Origin:
        """Return the origin of a model fitted to a plan's tally."""
        return cls(plan.schema, plan.mechanism, float(plan.epsilon), plan.collection, tally.total)


class Model(Asking):
    """What is known of the crowd: answers any range query. Subclasses say how; they are made by `fit`."""

    kind: ClassVar[str]
    joint: ClassVar[bool] = False
    resampled: ClassVar[bool] = True
    """Whether `deviations` needs replicates; a model that knows its own error does without."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self._refit: Callable[[], Sequence[Model]] | None = None
        self._replicates: list[Model] | None = None

    @property
    def schema(self) -> Schema:
        """What was asked."""
        return self.origin.schema

    @property
    def reports(self) -> int:
        """How many reports the model was fitted to."""
        return self.origin.reports

    @property
    def replicates(self) -> list[Model]:
        """The same fit to resampled tallies, made when first needed; none for a model that was not fitted here."""
        self.prepare_intervals()
        return self._replicates or []

    def prepare_intervals(self) -> None:
        """Repeat the fit now, which otherwise happens when an interval is first asked for."""
        if self._replicates is None:
            self._replicates = list(self._refit()) if self._refit is not None else []

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum of the batch's answers: replicates' spread and drift, and bias."""
        if not self.replicates:
            return np.full(len(sums), np.inf)
        again = np.array([sums @ replicate.evaluate(batch) for replicate in self.replicates])
        drift = again.mean(axis=0) - sums @ self.evaluate(batch)  # what fitting once more does, fitting did before
        return np.asarray(np.sqrt(again.var(axis=0, ddof=1) + drift**2 + self.bias(batch, sums) ** 2))

    def bias(self, batch: Batch, sums: Floats) -> Floats:
        """Return how far off each sum may be on average over collections; nothing, unless a model knows better."""
        return np.zeros(len(sums))

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what `from_state` needs to make this model again: numbers, texts and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> Model:
        """Return the model that `state` describes."""

    def answer_ranges(self, queries: Sequence[Ranges]) -> Floats:
        """Return the fraction of the crowd inside each query.

        Args:
            queries: For each query a dict from attribute names to (low, high), both ends included, in the user's own
                values; to a list of values for a categorical attribute. ``{}`` asks for everybody. A bound outside the
                domain is cut to it.
        """
        if isinstance(queries, dict | str) or not isinstance(queries, Sequence):
            raise QueryError(f"answer_ranges takes a list of queries, got {type(queries).__name__}: wrap it in [ ]")
        answers = np.empty(len(queries))
        for part in chunks(len(queries), sum(self.schema.sizes)):
            answers[part] = self.evaluate(ranges_to_batch(self.schema, queries[part]))
        return answers

    def sample(self, count: int, *, seed: int = 0, frame: str = "pandas") -> Any:
        """Return made-up people that follow the model, as a table; a model that knows no whole records refuses."""
        raise ModelError(self._not_joint("draws no people"))

    def calibrate(self, known: Mapping[str, Any]) -> Model:
        """Return the model reweighted to publicly known marginals; one that knows no whole records refuses."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def reweighted(self, weights: Mapping[int, Floats]) -> Model:
        """Return the model in which each level of some attributes counts by a weight; for `calibrate` and files."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def _not_joint(self, what: str) -> str:
        able = [name for name, mechanism in MECHANISMS.items() if getattr(mechanism.model, "joint", False)]
        return (
            f"a model by {self.origin.mechanism} answers from parts of records and {what}: "
            f"that takes a mechanism that models whole records ({', '.join(able)})"
        )

    def document(self) -> dict[str, Any]:
        """Return what a model file holds."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "origin": {**vars(self.origin), "schema": msgspec.to_builtins(self.schema)},
            "state": _pack_state(self),
            "replicates": [_pack_state(replicate) for replicate in self.replicates],
        }

    def save(self, path: str | Path) -> None:
        """Write the model as one JSON document."""
        Path(path).write_bytes(msgspec.json.encode(self.document()))

    def __repr__(self) -> str:
        origin = self.origin
        return (
            f"<{type(self).__name__} by {origin.mechanism}, {len(self.schema.attributes)} attributes, "
            f"{origin.reports:,} reports, epsilon {origin.epsilon:g}>"
        )


def fit(
    plan: Plan,
    tally: Tally,
    *,
    seed: int = 0,
    quality: str = "default",
    step: Callable[[float], None] = lambda done: None,
) -> Model:
    """Return the model that the plan's mechanism fits to a tally of its collection.

    Args:
        plan: The plan that was answered, or another of the same collection.
        tally: What was counted.
        seed: For mechanisms that draw at random while fitting; the same seed gives the same model.
        quality: "default", or "fast" for a quicker, slightly less exact fit where the mechanism has one.
        step: Told how much of the work is done, from 0 to 1, where a fit takes its time.
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
    if not tally.total:
        raise ModelError("the tally is empty: no report was counted, so there is nothing to fit")
    mechanism = find_mechanism(plan.mechanism)
    model: Model = mechanism.fit(plan, tally, Fitting(seed, quality, step))
    step(1.0)

    def refit() -> list[Model]:
        generator = np.random.default_rng([seed, REPLICATES])
        how = Fitting(seed, quality, lambda done: None)
        return [mechanism.fit(plan, resample(tally, generator), how) for _ in range(REPLICATES)]

    if model.resampled:
        model._refit = refit
    return model


def load_model(path: str | Path) -> Model:
    """Return the model that `Model.save` wrote."""
    try:
        document = msgspec.json.decode(Path(path).read_bytes())
        if document["format"] != FORMAT:
            raise ModelError(f"format {document['format']!r} is not {FORMAT!r}")
        origin = document["origin"]
        origin["schema"] = msgspec.convert(origin["schema"], Schema)
        settled = Origin(**origin)
        kind = find_mechanism(settled.mechanism).model
        model: Model = kind.from_state(settled, _unpack_state(document["state"]))
        model._replicates = [kind.from_state(settled, _unpack_state(state)) for state in document["replicates"]]
        if document.get("calibration"):
            model = model.reweighted({int(place): unpack(w) for place, w in document["calibration"].items()})
    except OSError as error:
        raise ModelError(f"cannot read the model {str(path)!r}: {error}") from error
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, AttributeError, SottovoceError) as error:
        raise ModelError(f"{str(path)!r} is not a model, or damaged: {error}") from error
    return model


def _pack_state(model: Model) -> dict[str, Any]:
    return {name: pack(value) for name, value in model.state().items()}


def _unpack_state(packed: dict[str, Any]) -> dict[str, Any]:
    return {name: unpack(value) for name, value in packed.items()}


def pack(value: Any) -> Any:
    """Return a value as JSON holds it: an array with its type and shape, its numbers as base64."""
    if isinstance(value, np.ndarray):
        kind = value.dtype.name if value.dtype.kind == "f" else "int64"
        data = np.ascontiguousarray(value, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
        return {"array": kind, "shape": list(value.shape), "base64": base64.b64encode(data).decode()}
    return [pack(item) for item in value] if isinstance(value, list | tuple) else value


def unpack(value: Any) -> Any:
    """Return the value that `pack` wrote."""
    if isinstance(value, dict) and "base64" in value:
        kind = np.dtype(value["array"]).newbyteorder("<")
        array: NDArray[Any] = np.frombuffer(base64.b64decode(value["base64"]), dtype=kind)
        return array.astype(kind.newbyteorder("=")).reshape(value["shape"])
    return [unpack(item) for item in value] if isinstance(value, list) else value
