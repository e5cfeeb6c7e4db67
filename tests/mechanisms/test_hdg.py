"""HDG: a fine grid per attribute sharpens the coarse grids of pairs."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from tests.crowds import fraction_inside, normal_crowd, square_schema
from tests.mechanisms.noiseless import sharp


class TestWithoutNoise:
    def test_a_finer_grid_per_attribute_sharpens_a_coarse_pair(self):
        """On HDG's own lines 1-D answers are exact; TDG with the same pairs takes values within a cell as alike."""
        crowd = normal_crowd(20_000, attributes=2, levels=16, seed=1)
        hybrid = sharp("hdg", crowd, square_schema(2, 16), g1=16, g2=2)
        plain = sharp("tdg", crowd, square_schema(2, 16), g2=2)
        query = {"a": (3, 6)}
        truth = np.mean((crowd["a"] >= 3) & (crowd["a"] <= 6))
        assert hybrid.answer_ranges([query])[0] == pytest.approx(truth, abs=1e-3)
        assert plain.answer_ranges([query])[0] == pytest.approx(np.mean(crowd["a"] < 8) / 2, abs=1e-3)


class TestRawEstimates:
    def test_post_processing_halves_the_error_of_fine_grids(self):
        """Seeds 0 to 4 at epsilon 2: twenty seeds gave 0.021 with it and 0.045 without."""
        schema, crowd = square_schema(3, 16), normal_crowd(50_000, attributes=3, levels=16, seed=1)
        queries = [{"a": (low, low + 7), "b": (high, high + 7)} for low in range(9) for high in range(9)]
        truth = [fraction_inside(crowd, query) for query in queries]
        errors = {}
        for postprocess in (True, False):
            plan = sv.Plan.create(schema, epsilon=2, users=50_000, mechanism="hdg", postprocess=postprocess)
            models = [sv.fit(plan, sv.simulate(plan, crowd, seed=seed)) for seed in range(5)]
            errors[postprocess] = np.mean([np.abs(model.answer_ranges(queries) - truth).mean() for model in models])
        assert errors[True] < 0.7 * errors[False]
