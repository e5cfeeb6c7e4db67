"""What tasks share, on disk: populations as levels, query sets and their true answers.

Whoever needs a file first makes it; it appears whole under its name, so workers may come in any order. Populations are
mapped into memory, not read, so that all workers share one copy.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.schema.attributes import Ordinal
from sottovoce.experiments.datasets import load_levels
from sottovoce.experiments.specs import SYNTHETIC, Dataset, QuerySpec, derive_seed, digest
from sottovoce.experiments.queries import QuerySet, draw_queries
from sottovoce.experiments.true_answers import count_inside
from sottovoce.query.batch import Floats
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
            write_whole(path, lambda file: np.save(file, self._draw(data)))
        records: NDArray[np.unsignedinteger] = np.load(path, mmap_mode="r")
        return records

    def queries(self, data: Dataset, spec: QuerySpec) -> tuple[QuerySet, Floats]:
        """Return a query set and the true fraction of people inside each query."""
        path = self._file("queries", ".npz", data, spec)
        if not path.exists():
            asked, truth = self._ask(data, spec)
            write_whole(
                path,
                lambda file: np.savez(
                    file, attributes=asked.attributes, lows=asked.lows, highs=asked.highs, truth=truth
                ),
            )
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


def write_whole(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file that appears under its name only when it is complete."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            write(file)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
