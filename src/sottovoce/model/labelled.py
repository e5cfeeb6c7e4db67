"""Results that know their labels: distributions over levels, and answers by group, each as a table if asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
import pyarrow as pa

from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.samples import to_frame
from sottovoce.query.labels import Label

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from sottovoce.model.samples import Frame

Found = TypeVar("Found", bound=Answer | Estimate)


class Distribution(np.ndarray[Any, np.dtype[np.float64]]):
    """Fractions of the crowd by level: an array with one axis per attribute, whose levels have labels.

    What is computed from it, a slice or a sum, is a plain array of numbers to `to_frame`: it has no labels.

    Attributes:
        names: The attributes, one per axis.
        labels: For every axis what each level stands for: an integer, a text, (low, high), None for "no answer".
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]

    @classmethod
    def of(cls, fractions: Floats, names: Sequence[str], labels: Iterable[Sequence[Label]]) -> Distribution:
        """Return fractions with their labels.

        Args:
            fractions: An array with an axis for each attribute.
            names: The attributes, in the order of the axes.
            labels: For each of them what its levels are called.

        Example:
            >>> Distribution.of(np.array([0.25, 0.75]), ["region"], [["north", "south"]]).to_frame("arrow").to_pylist()
            [{'region': 'north', 'fraction': 0.25}, {'region': 'south', 'fraction': 0.75}]
        """
        made = np.asarray(fractions).view(cls)
        made.names, made.labels = tuple(names), tuple(tuple(each) for each in labels)
        return made

    def __array_finalize__(self, made_from: object) -> None:
        self.names, self.labels = (), ()

    def __reduce__(self) -> tuple[Callable[..., Distribution], tuple[object, ...]]:
        return Distribution.of, (np.asarray(self), self.names, self.labels)

    def __copy__(self) -> Distribution:
        return Distribution.of(np.array(self), self.names, self.labels)

    def __deepcopy__(self, memo: object) -> Distribution:
        return Distribution.of(np.array(self), self.names, self.labels)

    @overload
    def to_frame(self, frame: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def to_frame(self, frame: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_frame(self, frame: Literal["arrow"]) -> pa.Table: ...
    @overload
    def to_frame(self, frame: str) -> Frame: ...
    def to_frame(self, frame: str = "pandas") -> Frame:
        """Return a table with a row for every combination of levels: the labels, then ``fraction``.

        Args:
            frame: "pandas", "polars" or "arrow"; the last needs nothing installed.

        Raises:
            QueryError: If this is a part of a distribution, which has no labels.
        """
        if self.shape != tuple(map(len, self.labels)) or not self.names:
            raise QueryError("a part of a distribution has no labels: take to_frame of what marginal returned")
        levels = np.indices(self.shape).reshape(self.ndim, -1)
        columns = {
            name: _label_column([own[level] for level in column.tolist()])
            for name, own, column in zip(self.names, self.labels, levels, strict=True)
        }
        return to_frame(pa.table(columns | {"fraction": pa.array(np.asarray(self).ravel())}), frame)


class Groups(dict[Label, Found]):
    """Answers or estimates by the label of a group; a dict that can be shown as a table.

    Attributes:
        by: The attribute that makes the groups.
    """

    def __init__(self, by: str, found: Iterable[tuple[Label, Found]]) -> None:
        super().__init__(found)
        self.by = by

    def __reduce__(self) -> tuple[type[Groups[Found]], tuple[object, ...]]:
        return Groups, (self.by, list(self.items()))

    @overload
    def to_frame(self, frame: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def to_frame(self, frame: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_frame(self, frame: Literal["arrow"]) -> pa.Table: ...
    @overload
    def to_frame(self, frame: str) -> Frame: ...
    def to_frame(self, frame: str = "pandas") -> Frame:
        """Return a table with a row for every group: its label, ``value``, ``low``, ``high`` and ``evidence``.

        Args:
            frame: "pandas", "polars" or "arrow"; the last needs nothing installed.
        """
        columns = {
            self.by: _label_column(list(self)),
            "value": pa.array(map(float, self.values()), pa.float64()),
            "low": pa.array((each.interval[0] for each in self.values()), pa.float64()),
            "high": pa.array((each.interval[1] for each in self.values()), pa.float64()),
            "evidence": pa.array((each.evidence for each in self.values()), pa.float64()),
        }
        return to_frame(pa.table(columns), frame)


def _label_column(labels: Sequence[Label]) -> pa.Array:
    """Return labels as a column: integers and texts as they are, intervals as "low to high"."""
    return pa.array([f"{label[0]:g} to {label[1]:g}" if isinstance(label, tuple) else label for label in labels])
