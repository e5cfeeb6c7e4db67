"""What a mechanism's model gives: the expectation of products of weights, and how far sums of them may be off.

All that people ask of a model follows from these (`sottovoce.model.model`), whatever the mechanism.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, overload

import numpy as np
import pyarrow as pa

from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError
from sottovoce.model.answer import INTERVAL_NOTE
from sottovoce.model.origin import Origin
from sottovoce.model.samples import to_frame
from sottovoce.plan.registry import every_mechanism
from sottovoce.query.batch import Batch
from sottovoce.query.functional import Functional
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from sottovoce.model.calibration import KnownShares
    from sottovoce.model.model import Model
    from sottovoce.model.samples import Frame


@dataclass(frozen=True, slots=True)
class Spread:
    """What is known of the errors of sums of answers, one number each.

    Attributes:
        error: The standard error; infinite if unknown.
        evidence: How much was measured rather than assumed, from 0 to 1; NaN where the model cannot tell.
        direct: What the reports themselves say; NaN where they say nothing.
        direct_error: The standard error of that.
    """

    error: Floats
    evidence: Floats
    direct: Floats
    direct_error: Floats

    @classmethod
    def unknown(cls, count: int) -> Spread:
        """Return the spread of which nothing is known."""
        nothing = np.full(count, np.nan)
        return cls(np.full(count, np.inf), nothing, nothing, nothing)


class Fitted(ABC):
    """The side of a model that a mechanism gives: expectations, their errors, and a state that can be kept."""

    kind: ClassVar[str]
    joint: ClassVar[bool] = False
    resampled: ClassVar[bool] = True
    """Whether `deviations` needs replicates; a model that knows its own error does without."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self._identity = secrets.token_hex(16)  # survives copies and pickles, as which answers go together must
        self.caveats: tuple[str, ...] = ()
        self._refit: Callable[[], Sequence[Fitted]] | None = None
        self._replicates: list[Fitted] | None = None

    def is_same(self, other: Fitted) -> bool:
        """Return whether this is the other model or a copy of it, so that their errors are the same."""
        return self._identity == other._identity

    @property
    def schema(self) -> Schema:
        """What was asked."""
        return self.origin.schema

    @property
    def reports(self) -> int:
        """How many reports the model was fitted to."""
        return self.origin.reports

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        return INTERVAL_NOTE

    def attribute_index(self, name: str) -> int:
        """Return where an attribute stands in the schema, from 0; QueryError if there is none of that name."""
        try:
            return self.schema.index(name)
        except (KeyError, TypeError) as error:
            raise QueryError(
                f"unknown attribute {name!r}; this collection has {', '.join(self.schema.names)}"
            ) from error

    @abstractmethod
    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""

    @property
    def replicates(self) -> list[Fitted]:
        """The same fit to resampled tallies, made when first needed; none for a model that was not fitted here."""
        self.prepare_intervals()
        return self._replicates or []

    def refit_by(self, refit: Callable[[], Sequence[Fitted]]) -> None:
        """Take note of how to repeat the fit."""
        self._refit = refit

    def keep_replicates(self, replicates: Sequence[Fitted]) -> None:
        """Take the repeated fits that a file holds."""
        self._replicates = list(replicates)

    def prepare_intervals(self) -> None:
        """Repeat the fit now, which otherwise happens when an interval is first asked for."""
        if self._replicates is None:
            self._replicates = list(self._refit()) if self._refit is not None else []

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum of the batch's answers: replicates' spread and drift, and bias."""
        if not self.replicates:
            return np.full(len(sums), np.inf)
        again = np.array([sums @ replicate.evaluate(batch) for replicate in self.replicates])
        drift = again.mean(axis=0) - sums @ self.evaluate(batch)  # the bootstrap estimate of the fit's bias
        return np.asarray(np.sqrt(again.var(axis=0, ddof=1) + drift**2 + self.bias(batch, sums) ** 2))

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        """Return all that is known of the error of each sum; a model may know more than its standard error."""
        return replace(Spread.unknown(len(sums)), error=self.deviations(batch, sums))

    def imputed(self, functional: Functional, index: int, tilt: Floats | None = None) -> Functional:
        """Return the functional whose error is that of a mean, or a share below somewhere, among a group who answered.

        The one given, unless a model works out errors about everybody's distributions (sottovoce.query.functional).

        Args:
            functional: Its influence function.
            index: The attribute's number; one that may have no answer.
            tilt: By how much people at each of its levels count besides; evenly unless given.
        """
        return functional

    def bias(self, batch: Batch, sums: Floats) -> Floats:
        """Return how far off each sum may be on average over collections; nothing, unless a model knows better."""
        return np.zeros(len(sums))

    @overload
    def sample(self, count: int, *, seed: int = 0, frame: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def sample(self, count: int, *, seed: int = 0, frame: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def sample(self, count: int, *, seed: int = 0, frame: Literal["arrow"]) -> pa.Table: ...
    @overload
    def sample(self, count: int, *, seed: int = 0, frame: str) -> Frame: ...
    def sample(self, count: int, *, seed: int = 0, frame: str = "pandas") -> Frame:
        """Return made-up people that follow the model, as a table of the schema's own types.

        Nobody in it exists: whatever is computed from reports is as private as they are.

        Args:
            count: How many people, from none to a billion.
            seed: The same seed draws the same people.
            frame: "pandas", "polars" or "arrow"; the last needs nothing installed.

        Raises:
            ModelError: If the model knows no whole records, such as one of pairs; or the frame is not installed.
            QueryError: If the number, the seed or the frame cannot be.
        """
        return to_frame(self._draw_table(count, seed), frame)

    def _draw_table(self, count: int, seed: int) -> pa.Table:
        raise ModelError(self._not_joint("draws no people"))

    def calibrate(self, known: Mapping[str, KnownShares]) -> Model:
        """Return the model reweighted to publicly known marginals; one that knows no whole records refuses."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def reweighted(self, weights: Mapping[int, Floats]) -> Model:
        """Return the model in which each level of some attributes counts by a weight; for `calibrate` and files."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def _not_joint(self, what: str) -> str:
        able = [mechanism.name for mechanism in every_mechanism() if mechanism.model.joint]
        return (
            f"a model by {self.origin.mechanism} answers from parts of records and {what}: "
            f"that takes a mechanism that models whole records ({', '.join(able)})"
        )

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what `from_state` needs to make this model again: numbers, texts and arrays."""

    def replicate_state(self) -> dict[str, Any]:
        """Return what `from_state` needs to make it again as a replicate, which nobody asks but for its answers."""
        return self.state()

    @classmethod
    @abstractmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> Self:
        """Return the model that `state` describes."""
