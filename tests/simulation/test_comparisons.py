"""Typical comparisons: the truth is that of the people, and a model that knows it all is not off."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.schema.frames import encode
from sottovoce.simulation.comparisons import KINDS, typical_comparisons

SCHEMA = sv.Schema(
    [sv.Ordinal("age", 0, 7), sv.Categorical("region", ["north", "south", "east"]), sv.Numeric("pay", 0, 8, bins=8)]
)


def people(seed: int, count: int = 4_000) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    region = generator.choice(3, count, p=[0.5, 0.4, 0.1])
    age = generator.integers(0, 8, count)
    return {
        "age": age,
        "region": np.array(["north", "south", "east"])[region],
        "pay": np.clip(age * (region + 1) / 3 + generator.random(count), 0, 7.99),
    }


def test_the_truth_is_that_of_the_people() -> None:
    table = people(1)
    found = typical_comparisons(SCHEMA, encode(SCHEMA, table), most=10, seed=1)
    assert len(found) == 6
    one = next(each for each in found if (each.name, each.by) == ("age", "region"))
    north, south = (table["age"][table["region"] == region] for region in ("north", "south"))
    upper = np.median(table["age"])
    half = int(str(one.event).split("BETWEEN ")[1].split()[0])
    assert upper <= half <= upper + 1
    assert one.shares == pytest.approx(((north >= half).mean(), (south >= half).mean()))
    assert one.means == pytest.approx((north.mean() / table["age"].std(), south.mean() / table["age"].std()))


def test_a_model_with_next_to_no_noise_is_hardly_off() -> None:
    """Seed 1: at epsilon 20 CALM knows every pair of levels; the errors are those of rounding."""
    table = people(2)
    plan = sv.Plan.create(SCHEMA, epsilon=20, users=4_000, mechanism="calm")
    model = sv.fit(plan, sv.simulate(plan, table, users=300_000, seed=1))
    for one in typical_comparisons(SCHEMA, encode(SCHEMA, table), most=10, seed=1):
        off = one.errors(model)
        assert set(off) <= set(KINDS)
        assert max(max(each) for each in off.values()) < 0.02


def test_no_more_come_than_are_asked_for_and_groups_are_by_one_attribute_if_named() -> None:
    levels = encode(SCHEMA, people(3))
    assert len(typical_comparisons(SCHEMA, levels, most=2, seed=1)) == 2
    assert {one.by for one in typical_comparisons(SCHEMA, levels, most=9, seed=1, by="pay")} == {"pay"}
