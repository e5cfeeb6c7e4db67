"""The people of the atlas: four made-up sets of any number of attributes and levels, two surveys, and sets of a folder.

`normal` and `laplace` are the usual ones: every two attributes go together. `heaped` is a crowd of skewed amounts, many
of them zero or round, some pairs of which go together. `waves` has several humps an attribute and weak dependence.
`survey` has small categories that hidden classes explain; `opinions` has short scales and yes/no answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from accuracy import BASE, real
from sottovoce.simulation.synthetic import Synthetic, synthesize

ROWS = 400_000
MADE, SURVEYS = ("normal", "laplace", "heaped", "waves"), ("survey", "opinions")
SURVEY_SIZES, OPINION_SIZES = (2, 3, 4, 5, 6, 8), (5, 5, 2, 7, 10, 4)
MIXED_SIZES = (64, 5, 2, 256, 12, 16)
"""The sizes of mixed attributes, again and again; those of 5 and 12 are categories."""

CATEGORIES = tuple(f"v{number}" for number in range(16))


@dataclass(frozen=True)
class People:
    """A set of people: a schema, and their levels by attribute."""

    schema: sv.Schema
    columns: list[np.ndarray]

    @property
    def count(self) -> int:
        """How many people there are."""
        return len(self.columns[0])

    @property
    def table(self) -> dict[str, Any]:
        """The people as a table in the schema's own values."""
        words = np.array(CATEGORIES)
        return {
            attribute.name: column if attribute.ordered else words[column]
            for attribute, column in zip(self.schema.attributes, self.columns, strict=True)
        }


def draw(name: str, attributes: int, levels: str, folder: Path | None) -> People:
    """Return a set of people with so many attributes and levels, where the set leaves the choice."""
    if name in SURVEYS:
        sizes: tuple[int, ...] = SURVEY_SIZES if name == "survey" else OPINION_SIZES
        columns = _survey(sizes) if name == "survey" else _opinions(sizes)
        return People(_schema(sizes, (name == "survey",) * len(sizes)), columns)
    if name not in MADE:
        if folder is None:
            raise SystemExit(f"{name} needs --data, a folder with {name}_levels.npz")
        records = real(name, replace(BASE, attributes=attributes, levels=64), folder)
        return People(_schema((64,) * attributes, (False,) * attributes), list(records.T))
    sizes = tuple(
        MIXED_SIZES[index % len(MIXED_SIZES)] if levels == "mixed" else int(levels) for index in range(attributes)
    )
    listed = tuple(levels == "mixed" and size in (5, 12) for size in sizes)
    values = (
        _heaped(attributes) if name == "heaped" else _waves(attributes) if name == "waves" else _bells(name, attributes)
    )
    columns = []
    for index, (size, unordered) in enumerate(zip(sizes, listed, strict=True)):
        column = np.minimum(values[index].astype(np.int64) * size // FINE, size - 1)
        columns.append(np.random.default_rng([1, index]).permutation(size)[column] if unordered else column)
    return People(_schema(sizes, listed), [column.astype(np.uint16) for column in columns])


FINE = 1 << 12
"""Made-up values are drawn in so many levels, then put in as many as are asked for."""


def _schema(sizes: tuple[int, ...], listed: tuple[bool, ...]) -> sv.Schema:
    return sv.Schema(
        [
            sv.Categorical(f"a{index}", CATEGORIES[:size]) if unordered else sv.Ordinal(f"a{index}", 0, size - 1)
            for index, (size, unordered) in enumerate(zip(sizes, listed, strict=True))
        ]
    )


def _bells(kind: str, attributes: int) -> np.ndarray:
    cut = 6.0 if kind in MADE else 4.0
    return synthesize(Synthetic(kind, users=ROWS, attributes=attributes, levels=FINE, cut=cut), seed=0)


def _heaped(attributes: int) -> np.ndarray:
    """Return amounts: a part is zero, others are rounded to a tenth or a twentieth; neighbours go together."""
    generator = np.random.default_rng(2)
    hidden = generator.standard_normal((3, ROWS))
    columns = []
    for index in range(attributes):
        together = (0.8, 0.5, 0.0)[index % 3]
        value = together * hidden[index // 3 % 3] + np.sqrt(1 - together**2) * generator.standard_normal(ROWS)
        amount = np.clip(np.exp(0.7 * value) / 6, 0, 0.999)
        rounds = generator.random(ROWS)
        amount = np.where(rounds < 0.3, np.round(amount * 10) / 10, amount)
        amount = np.where((rounds > 0.3) & (rounds < 0.5), np.round(amount * 20) / 20, amount)
        nothing = generator.random(ROWS) < (0.0, 0.25, 0.6)[(index + 1) % 3]
        columns.append(np.where(nothing, 0.0, np.minimum(amount, 0.999)) * FINE)
    return np.array(columns, dtype=np.uint16)


def _waves(attributes: int) -> np.ndarray:
    """Return spread-out attributes of two or three humps, each weakly dependent on the one before."""
    generator = np.random.default_rng(3)
    columns: list[np.ndarray] = []
    before = generator.random(ROWS)
    for index in range(attributes):
        humps = 2 + index % 2
        nearest = np.floor(np.clip(before + 0.5 * generator.standard_normal(ROWS), 0, 0.999) * humps)
        value = (nearest + 0.5) / humps + 0.11 * generator.standard_normal(ROWS)
        value = np.where(generator.random(ROWS) < 0.3, generator.random(ROWS), value)
        before = np.clip(value, 0, 0.999)
        columns.append(before * FINE)
    return np.array(columns, dtype=np.uint16)


def _survey(sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Return categories that four hidden classes explain."""
    generator = np.random.default_rng(4)
    hidden = generator.choice(4, ROWS, p=(0.4, 0.3, 0.2, 0.1))
    return [_picked(generator, generator.dirichlet(np.ones(size), 4), hidden) for size in sizes]


def _opinions(sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Return scales: two hidden attitudes, each behind some of the answers, and an attribute that goes with nothing."""
    generator = np.random.default_rng(5)
    hidden = generator.standard_normal((2, ROWS))
    columns = []
    for index, size in enumerate(sizes):
        strength = (0.8, 0.6, 0.7, 0.5, 0.4, 0.0)[index]
        value = strength * hidden[index % 2] + np.sqrt(1 - strength**2) * generator.standard_normal(ROWS)
        columns.append(np.clip((value + 0.3 * (index - 2) + 2.2) / 4.4 * size, 0, size - 1).astype(np.uint16))
    return columns


def _picked(generator: np.random.Generator, chances: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    steps = np.cumsum(chances, axis=1)[hidden][:, :-1]
    return (generator.random((len(hidden), 1)) > steps).sum(axis=1).astype(np.uint16)
