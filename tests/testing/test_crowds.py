"""Crowds for tests fit their schemas and follow their seeds."""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.schema.frames import encode
from sottovoce.testing.crowds import ATTRIBUTES, fraction_inside, mixed_crowd, mixed_schema, normal_crowd, records


def test_a_mixed_crowd_fits_its_schema_at_every_number_of_attributes() -> None:
    crowd = mixed_crowd(500, seed=1)
    for count in range(1, len(ATTRIBUTES) + 1):
        assert len(encode(mixed_schema(count), crowd)) == count
    assert all(
        np.array_equal(crowd[name], again, equal_nan=name == "children")
        for name, again in mixed_crowd(500, seed=1).items()
    )


def test_rows_are_records_with_none_for_what_was_not_answered() -> None:
    crowd = mixed_crowd(200, seed=2)
    rows = list(records(crowd))
    assert sum(row["children"] is None for row in rows) == int(np.isnan(crowd["children"]).sum()) > 0
    sv.Client(sv.Plan.create(mixed_schema(4), epsilon=1, users=1000)).draw(rows[0])


def test_a_normal_crowd_has_the_covariance_asked_for() -> None:
    """Seed 3: 100,000 people, a standard error of 0.003."""
    crowd = normal_crowd(100_000, attributes=2, levels=1024, seed=3, covariance=0.5)
    correlation = np.corrcoef(crowd["a"], crowd["b"])[0, 1]
    assert abs(correlation - 0.5) < 0.02
    assert fraction_inside(crowd, {"a": (0, 511)}) == np.mean(crowd["a"] < 512)
