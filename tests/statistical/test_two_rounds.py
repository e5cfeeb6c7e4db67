"""The mechanism of two rounds beside the program it takes its idea from, on the sets of the reference figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.simulation.rounds import simulate_rounds

SHARED = Path(__file__).parents[2].parent / "shared" / "data"

PRIPL_TREE = {("normal", "l2"): 0.0238, ("normal", "l4"): 0.0449, ("laplace", "l2"): 0.0172, ("laplace", "l4"): 0.0380}
"""Its authors' program, mean absolute error of three runs at epsilon 1; lambda 4 with a repair."""


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference figures are not here")
@pytest.mark.parametrize("name", ["normal", "laplace"])
def test_two_rounds_are_at_most_15_percent_behind_pripl_tree(name: str) -> None:
    """Seeds 0 to 2: 0.0151 and 0.0292 on Normal, 0.0152 and 0.0297 on Laplace, with deviations of 0.001 to 0.004."""
    with np.load(SHARED / f"{name}_n1e6_d6_c64.npz") as stored:
        people = {f"a{place}": stored["records"][:, place] for place in range(6)}
    schema = sv.Schema([sv.Ordinal(column, 0, 63) for column in people])
    plan = sv.Plan.create(schema, epsilon=1, users=10**6, mechanism="ahdg", estimator="weighted_update")
    tallies = [simulate_rounds(plan, people, seed=seed) for seed in range(3)]
    models = [sv.fit(tally.plan, tally) for tally in tallies]
    for queries in ("l2", "l4"):
        asked = json.loads((SHARED / f"queries_{queries}.json").read_text())
        truth = json.loads((SHARED / f"truth_{queries}.json").read_text())[f"{name}_n1e6_d6_c64"]
        ranges = [{f"a{place}": tuple(bounds) for place, bounds in query.items()} for query in asked]
        errors = [np.abs(model.answer_ranges(ranges) - truth).mean() for model in models]
        assert np.mean(errors) < 1.15 * PRIPL_TREE[name, queries]
