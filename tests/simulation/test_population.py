"""The made-up crowd: repeatable, within its schema, and tied together as in life."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sottovoce.schema.frames import encode
from sottovoce.simulation.population import PEOPLE, REGIONS, people


@pytest.fixture(scope="module")
def crowd() -> pa.Table:
    return people(50_000, seed=3)


def column(crowd: pa.Table, name: str) -> np.ndarray:
    return crowd.column(name).to_numpy()


def test_the_same_seed_gives_the_same_people_and_another_seed_others() -> None:
    assert people(100, seed=1).equals(people(100, seed=1))
    assert not people(100, seed=1).equals(people(100, seed=2))


def test_people_fit_their_schema(crowd: pa.Table) -> None:
    assert tuple(crowd.column_names) == PEOPLE.names
    assert [len(levels) for levels in encode(PEOPLE, crowd)] == [50_000] * 6


def test_few_people_are_beyond_the_edges_of_the_schema(crowd: pa.Table) -> None:
    edges = {"income": 200_000, "commute": 60, "hours": 60, "household": 6}
    for name, high in edges.items():
        assert (column(crowd, name) > high).mean() < 0.06
        assert column(crowd, name).min() >= 0


def test_income_rises_with_age_and_falls_again(crowd: pa.Table) -> None:
    age, income = column(crowd, "age"), column(crowd, "income")
    young, middle, old = (np.median(income[(age >= low) & (age < low + 10)]) for low in (18, 45, 75))
    assert young < 0.6 * middle
    assert old < 0.7 * middle


def test_hours_and_income_go_together_among_those_who_work(crowd: pa.Table) -> None:
    hours, income = column(crowd, "hours"), column(crowd, "income")
    works = hours > 0
    assert np.corrcoef(hours[works], np.log(income[works]))[0, 1] > 0.4


def test_few_work_after_seventy_and_who_does_not_work_does_not_commute(crowd: pa.Table) -> None:
    age, hours, commute = (column(crowd, name) for name in ("age", "hours", "commute"))
    assert (hours[age > 70] > 0).mean() < 0.1
    assert (hours[(age > 30) & (age < 55)] > 0).mean() > 0.8
    assert not commute[hours == 0].any()


def test_households_are_largest_in_mid_life(crowd: pa.Table) -> None:
    age, household = column(crowd, "age"), column(crowd, "household")
    assert household[(age > 35) & (age < 48)].mean() > household[age > 70].mean() + 1


def test_regions_differ_in_pay_and_travel(crowd: pa.Table) -> None:
    region, commute, income = (column(crowd, name) for name in ("region", "commute", "income"))
    assert set(region) == set(REGIONS)
    assert commute[region == "south"].mean() > 1.2 * commute[region == "north"].mean()
    assert np.median(income[region == "south"]) > 1.1 * np.median(income[region == "north"])
