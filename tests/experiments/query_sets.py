"""Query sets for tests."""

from __future__ import annotations

import numpy as np

from sottovoce.experiments.queries import QuerySet, draw_queries
from sottovoce.experiments.specs import QuerySpec


def draw(spec: QuerySpec, *, attributes: int = 4, levels: int = 64, seed: int = 0) -> QuerySet:
    return draw_queries(spec, attributes, levels, seed=seed, count=lambda queries: np.zeros(len(queries), np.int64))
