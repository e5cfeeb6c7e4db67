"""Labels: every level has one, and the predicate that names it selects that level alone."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.query.functional import fraction_of, parse
from sottovoce.query.labels import level_labels, level_values, names_level
from tests.oracle import SCHEMA


def test_levels_have_labels() -> None:
    assert [level_labels(attribute) for attribute in SCHEMA.attributes] == [
        [-1, 0, 1, 2, None],
        [(0, 10), (10, 30), (30, 70), None],
        ["north", "it's", "east", None],
        [1, 2, 3],
    ]


@pytest.mark.parametrize("index", range(4), ids=SCHEMA.names)
def test_a_levels_own_predicate_selects_it_alone(index: int) -> None:
    attribute = SCHEMA.attributes[index]
    for level, label in enumerate(level_labels(attribute)):
        named = names_level(attribute.name, label)
        for where in (named, str(named)):
            ((coefficient, weights),) = fraction_of(SCHEMA, parse(SCHEMA, where)).products
            assert coefficient == 1
            np.testing.assert_allclose(weights[index], np.eye(attribute.size)[level])


def test_a_levels_value_is_its_integer_or_the_middle_of_its_bin() -> None:
    assert level_values(SCHEMA.attributes[0]).tolist() == [-1, 0, 1, 2]
    assert level_values(SCHEMA.attributes[1]).tolist() == [5, 20, 50]
