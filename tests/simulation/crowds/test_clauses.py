"""Clauses: conditions in SQL and as weights, on the edges of bins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sottovoce as sv
from sottovoce.simulation.crowds import CROWDS, Clause, Crowd, Population
from sottovoce.simulation.crowds.clauses import at_most, between, is_in, missing, say

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
COMMUTING = CROWDS["commuting"]
TABLE = COMMUTING.draw(5_000, seed=3)
FRAME = pd.DataFrame(TABLE)
POPULATION = Population(COMMUTING.schema, TABLE)


@EACH
def test_no_bound_cuts_a_bin(crowd: Crowd) -> None:
    named = {attribute.name: attribute for attribute in crowd.schema.attributes}
    for clause in (*crowd.events, *(clause for group in crowd.groups for clause in group)):
        assert set(clause.weights(named[clause.name])) == {0.0, 1.0}, clause


@EACH
def test_the_groups_of_an_attribute_exclude_each_other(crowd: Crowd) -> None:
    named = {attribute.name: attribute for attribute in crowd.schema.attributes}
    for group in crowd.groups:
        assert sum(clause.weights(named[clause.name]) for clause in group).max() == 1.0


def test_a_bound_inside_a_bin_counts_the_part_of_the_bin_that_it_covers() -> None:
    attribute = sv.Numeric("money", 0, 10, bins=5)
    np.testing.assert_allclose(Clause("money", low=1.0, high=4.5).weights(attribute), [0.5, 1, 0.25, 0, 0])


def test_clauses_are_said_in_sql() -> None:
    clauses = (between("days", 2, 4), at_most("cost", 75), is_in("mode", "car", "bus"), missing("cost"))
    assert say(COMMUTING.schema, clauses) == (
        "days BETWEEN 2 AND 4 AND cost < 75 AND mode IN ('car', 'bus') AND cost IS NULL"
    )
    assert say(COMMUTING.schema, ()) == "TRUE"
