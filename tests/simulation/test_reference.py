"""Reference populations fit any schema, differ from each other, and follow from their seed."""

from __future__ import annotations

import numpy as np

from sottovoce.schema.frames import encode
from sottovoce.simulation.reference import CLOSENESS, PEOPLE, reference_populations
from tests.crowds import mixed_schema, square_schema

SCHEMA = mixed_schema(4)


class TestReferencePopulations:
    def test_they_fit_any_schema_and_differ(self) -> None:
        tables = list(reference_populations(SCHEMA, 2, seed=1))
        levels = [encode(SCHEMA, table) for table in tables]
        for columns in levels:
            assert len(columns[0]) == PEOPLE
            for column, attribute in zip(columns, SCHEMA.attributes, strict=True):
                assert column.max() < attribute.size
                assert (column == attribute.null_level).any() == attribute.accepts_null
        assert any(not np.array_equal(one, two) for one, two in zip(*levels, strict=True))

    def test_a_seed_determines_them(self) -> None:
        one, same, other = (next(reference_populations(SCHEMA, 1, seed=seed)) for seed in (1, 1, 2))
        assert one == same != other

    def test_attributes_follow_each_other_as_closely_as_their_population_says(self) -> None:
        """Seed 1: ranks of 100,000 people; a correlation's standard error is below 0.01 of it."""
        followed = []
        for table in reference_populations(square_schema(2, 1024), len(CLOSENESS), seed=1):
            a, b = (np.argsort(np.argsort(table.column(name).to_numpy())) for name in "ab")
            followed.append(np.corrcoef(a, b)[0, 1])
        assert all(0 < each < 1 for each in followed)
        assert np.argsort(followed).tolist() == np.argsort(CLOSENESS).tolist()
