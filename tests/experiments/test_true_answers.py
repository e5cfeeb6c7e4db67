"""True answers are exact, however many attributes a query names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sottovoce.experiments.queries import QuerySet
from sottovoce.experiments.specs import QuerySpec
from sottovoce.experiments.true_answers import PEOPLE_AT_ONCE, count_inside
from tests.experiments.query_sets import draw

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def brute_force(records: np.ndarray, queries: QuerySet) -> list[int]:
    return [
        int(np.all((people >= lows) & (people <= highs), axis=1).sum())
        for people, lows, highs in zip(
            records[queries.attributes].transpose(0, 2, 1), queries.lows, queries.highs, strict=True
        )
    ]


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_true_answers_equal_a_count_one_by_one(dimension: int) -> None:
    records = np.random.default_rng(2).integers(0, 20, (5, PEOPLE_AT_ONCE + 777)).astype(np.uint8)
    queries = draw(QuerySpec(dimension=dimension, volume=0.4, count=20, aligned=False), attributes=5, levels=20)
    assert count_inside(records, 20, queries).tolist() == brute_force(records, queries)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference figures are not here")
@pytest.mark.parametrize("name", ["l2", "l4", "l4_aligned"])
def test_true_answers_equal_the_reference(name: str) -> None:
    with np.load(SHARED / "laplace_n1e6_d6_c64.npz") as stored:
        records = np.ascontiguousarray(stored["records"].T)
    asked = json.loads((SHARED / f"queries_{name}.json").read_text())
    truth = json.loads((SHARED / f"truth_{name}.json").read_text())["laplace_n1e6_d6_c64"]
    attributes = np.array([sorted(map(int, query)) for query in asked])
    bounds = np.array([[query[key] for key in sorted(query, key=int)] for query in asked])
    counts = count_inside(records, 64, QuerySet(attributes, bounds[..., 0], bounds[..., 1]))
    assert np.allclose(counts / 1_000_000, truth, rtol=0, atol=1e-12)


def test_queries_on_several_pairs_are_each_counted_on_their_own_attributes() -> None:
    records = np.array([[0, 1, 2, 3], [3, 2, 1, 0], [0, 0, 3, 3]])
    queries = QuerySet(
        attributes=np.array([[0, 1], [0, 2], [1, 2], [0, 1]]),
        lows=np.array([[0, 0], [0, 0], [0, 3], [3, 3]]),
        highs=np.array([[3, 3], [1, 0], [1, 3], [3, 3]]),
    )
    assert count_inside(records, 4, queries).tolist() == [4, 2, 2, 0]
