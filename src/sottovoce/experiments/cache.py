"""What tasks share, on disk: populations as levels, query sets and their true answers.

Whoever needs a file first makes it; it appears whole under its name, so workers may come in any order. Populations are
mapped into memory, not read, so that all workers share one copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce._files import whole_file
from sottovoce._types import Floats
from sottovoce.experiments.datasets import load_levels
from sottovoce.experiments.queries import QuerySet, draw_queries
from sottovoce.experiments.specs import SYNTHETIC, Dataset, QuerySpec, derive_seed, digest
from sottovoce.experiments.true_answers import count_inside
from sottovoce.schema.attributes import Ordinal
from sottovoce.schema.schema import Schema
from sottovoce.simulation.synthetic import Synthetic, synthesize


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of populations and queries, all drawn from one seed."""

    directory: Path
    seed: int

    def records(self, data: Dataset) -> NDArray[np.unsignedinteger]:
        """Return a population's levels, attributes by people."""
        path = self._file("data", ".npy", data)
        if not path.exists():
            with whole_file(path) as part, part.open("wb") as file:
                np.save(file, self._draw(data))
        records: NDArray[np.unsignedinteger] = np.load(path, mmap_mode="r")
        return records

    def queries(self, data: Dataset, spec: QuerySpec) -> tuple[QuerySet, Floats]:
        """Return a query set and the true fraction of people inside each query."""
        path = self._file("queries", ".npz", data, spec)
        if not path.exists():
            asked, truth = self._ask(data, spec)
            with whole_file(path) as part, part.open("wb") as file:
                np.savez(file, attributes=asked.attributes, lows=asked.lows, highs=asked.highs, truth=truth)
        with np.load(path) as stored:
            return QuerySet(stored["attributes"], stored["lows"], stored["highs"]), stored["truth"]

    def _file(self, kind: str, suffix: str, *parts: object) -> Path:
        return self.directory / f"{kind}-{digest(self.seed, *parts)[:24]}{suffix}"

    def _draw(self, data: Dataset) -> NDArray[np.unsignedinteger]:
        if data.name not in SYNTHETIC:
            return load_levels(data, seed=derive_seed(self.seed, "people", data.name))
        assert data.covariance is not None
        assert data.cut is not None
        crowd = Synthetic(data.name, data.users, data.attributes, data.levels, data.covariance, data.cut)
        return synthesize(crowd, seed=derive_seed(self.seed, "people", data.name))

    def _ask(self, data: Dataset, spec: QuerySpec) -> tuple[QuerySet, Floats]:
        """Draw queries; random ones depend on the shape of the data alone, so that data sets share them."""
        records = self.records(data)
        seed = derive_seed(self.seed, "queries", data.attributes, data.levels, spec)
        asked = draw_queries(
            spec,
            data.attributes,
            data.levels,
            seed=seed,
            count=lambda queries: count_inside(records, data.levels, queries),
        )
        return asked, count_inside(records, data.levels, asked) / data.users


def schema_of(data: Dataset) -> Schema:
    """Return the schema of a population of levels."""
    return Schema(tuple(Ordinal(f"a{number}", 0, data.levels - 1) for number in range(1, data.attributes + 1)))
