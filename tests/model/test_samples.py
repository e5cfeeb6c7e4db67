"""Made-up people come in the user's own types, and as the kind of table asked for."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.samples import FRAMES, make_table, to_frame
from sottovoce.schema.frames import encode
from tests.crowds import mixed_schema


class TestMadeUpPeople:
    @pytest.mark.parametrize("frame", FRAMES)
    def test_levels_become_people_who_have_these_levels(self, frame: str):
        schema, generator = mixed_schema(4), np.random.default_rng(1)
        levels = [generator.integers(0, size, 300) for size in schema.sizes]
        people = to_frame(make_table(schema, levels, generator), frame)
        for given, found in zip(levels, encode(schema, people), strict=True):
            np.testing.assert_array_equal(found, given)

    def test_numbers_are_spread_within_their_bin_and_never_reach_the_next(self):
        schema = sv.Schema([sv.Numeric("income", edges=[0, 1e-300, 1, 1e9])])
        levels = np.repeat([0, 1, 2], 500)
        values = make_table(schema, [levels], np.random.default_rng(1)).column("income").to_numpy()
        assert len(np.unique(values[1000:])) == 500
        np.testing.assert_array_equal(encode(schema, {"income": values})[0], levels)
