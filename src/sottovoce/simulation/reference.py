"""Reference populations: made-up crowds for any schema, unlike each other, to try a plan on before anyone is asked.

Nothing is known of a crowd that was not asked yet. What crowds have in common is public: attributes are uneven, some
smooth and some with spikes, and they go together more or less. Each reference population is one draw of how uneven and
how close; together they span what real data look like.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.model.samples import make_table
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.schema import AnyAttribute, Schema

PEOPLE = 100_000
"""How many rows a reference population has; a simulated crowd of any size is drawn from them with replacement."""

CLOSENESS = (0.9, 0.8, 0.95, 0.6, 0.85, 0.4)
"""How strongly the attributes of successive populations follow one common cause."""


def reference_populations(schema: Schema, count: int, *, seed: int) -> Iterator[pa.Table]:
    """Yield that many populations, as tables that fit the schema.

    In every other one, whose attributes follow each other closely, people unusual in one attribute tend to be so
    in all: some are far out, most are not.

    Args:
        schema: What is asked.
        count: How many populations.
        seed: The same seed gives the same ones.

    Example:
        >>> schema = Schema([Categorical("region", ["north", "south"])])
        >>> next(reference_populations(schema, 1, seed=1)).column_names
        ['region']
    """
    for number in range(count):
        generator = np.random.default_rng([seed, number])
        closeness = CLOSENESS[number % len(CLOSENESS)]
        cause = generator.standard_normal(PEOPLE)
        scale = np.sqrt(generator.exponential(size=PEOPLE)) if number % 2 == 0 else np.ones(PEOPLE)
        levels = []
        for attribute in schema.attributes:
            own = generator.standard_normal(PEOPLE)
            position = scale * (np.sqrt(closeness) * cause + np.sqrt(1 - closeness) * own)
            levels.append(_levels(attribute, position, generator))
        yield make_table(schema, levels, generator)


def _levels(attribute: AnyAttribute, position: Floats, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return levels that rise with a normal position and have a made-up marginal."""
    marginal = _marginal(attribute, generator)
    ranks = np.argsort(np.argsort(position))
    levels = np.searchsorted(np.cumsum(marginal), (ranks + 0.5) / len(ranks)).clip(0, len(marginal) - 1)
    if attribute.accepts_null:
        silent = generator.random(len(levels)) < generator.uniform(0.02, 0.2)
        levels = np.where(silent, attribute.value_levels, levels)
    return np.asarray(levels, dtype=np.intp)


def _marginal(attribute: AnyAttribute, generator: np.random.Generator) -> Floats:
    """Return a distribution over values: for an ordered attribute a hump or two, and sometimes spikes."""
    size = attribute.value_levels
    if isinstance(attribute, Categorical):
        return np.asarray(generator.dirichlet(np.full(size, 1.5)))
    axis = (np.arange(size) + 0.5) / size
    marginal = np.full(size, 0.05 / size)
    for _ in range(generator.integers(1, 3)):
        centre, width = generator.uniform(0.1, 0.9), generator.uniform(0.03, 0.12)
        hump = np.exp(-(((axis - centre) / width) ** 2) / 2)
        marginal += generator.uniform(0.3, 1) * hump / hump.sum()
    if generator.random() < 0.5:
        spikes = generator.integers(0, size, generator.integers(1, 4))
        marginal[spikes] += generator.uniform(0.1, 0.5) * marginal.sum()
    return np.asarray(marginal / marginal.sum())
