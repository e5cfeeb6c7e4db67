"""Calibration: known distributions as people write them, and the weights that bring a table to them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import sottovoce as sv
from sottovoce._types import Floats
from sottovoce.model.calibration import known_cells, rake
from tests.oracle import SCHEMA, TableModel, make_model

MODEL = make_model(5)


class TestKnownCells:
    def test_values_and_bands_become_cells_with_their_fractions(self) -> None:
        cells, fractions = known_cells(
            SCHEMA.attributes[0], {(-1, 0): 0.3, 1: 0.5, 2: 0.1, None: 0.1}, MODEL.marginal("age")
        )
        assert cells.tolist() == [0, 0, 1, 2, 3]
        assert fractions == pytest.approx([0.3, 0.5, 0.1, 0.1])

    def test_those_who_gave_no_answer_stay_as_many_unless_they_are_listed(self) -> None:
        present = np.array([0.1, 0.1, 0.3, 0.25, 0.25])
        cells, fractions = known_cells(SCHEMA.attributes[0], [0.2, 0.2, 0.2, 0.4], present)
        assert cells.tolist() == [0, 1, 2, 3, 4]
        assert fractions == pytest.approx([0.15, 0.15, 0.15, 0.3, 0.25])
        cells, fractions = known_cells(SCHEMA.attributes[0], {(-1, 0): 0.4, (1, 2): 0.6}, present)
        assert cells.tolist() == [0, 0, 1, 1, 2]
        assert fractions == pytest.approx([0.3, 0.45, 0.25])

    def test_fractions_that_are_rounded_are_made_to_add_up(self) -> None:
        _, fractions = known_cells(SCHEMA.attributes[3], [0.333, 0.333, 0.333], MODEL.marginal("the rooms"))
        assert fractions == pytest.approx([1 / 3] * 3)

    @pytest.mark.parametrize(
        ("name", "known", "said"),
        [
            ("the rooms", [0.5, 0.5], "or 3 fractions"),
            ("the rooms", [0.5, 0.6, 0.5], "add up to 1, these add up to 1.6"),
            ("the rooms", [1.5, -0.5, 0], "at least 0"),
            ("the rooms", ["a", 0.5, 0.5], "are numbers"),
            ("the rooms", {1: 0.5, 2: 0.5}, "must cover all of the integers 1 to 3"),
            ("the rooms", {(1, 2): 0.5, (2, 3): 0.5}, "overlaps"),
            ("the rooms", {(1, 2): 0.5, 7: 0.5}, "got 7"),
            ("the rooms", {(2, 1): 0.5, 3: 0.5}, "a band is"),
            ("the rooms", {(1, 3): 0.5, (8, 9): 0.5}, "holds none of"),
            ("income", {(0, 5): 0.5, (5, 70): 0.5}, "cuts through a bin"),
            ("region", {"north": 0.5, "atlantis": 0.5}, "allowed are"),
        ],
    )
    def test_what_cannot_be_known_is_refused(self, name: str, known: object, said: str) -> None:
        with pytest.raises(sv.QueryError, match=said):
            known_cells(SCHEMA.attributes[SCHEMA.index(name)], known, MODEL.marginal(name))
        with pytest.raises(sv.QueryError, match=said):
            MODEL.calibrate({name: known})


def test_raking_meets_both_marginals_and_keeps_the_odds_ratio() -> None:
    """Deming and Stephan's adjustment of a table: what two attributes have to do with each other stays."""
    joint = np.array([[0.4, 0.1], [0.2, 0.3]])

    def marginal(index: int, weights: Mapping[int, Floats]) -> Floats:
        weighted = joint * np.outer(weights[0], weights[1])
        return weighted.sum(axis=1 - index) / weighted.sum()

    known = {0: (np.arange(2), np.array([0.7, 0.3])), 1: (np.arange(2), np.array([0.2, 0.8]))}
    weights = rake(marginal, known, (2, 2))
    assert marginal(0, weights) == pytest.approx([0.7, 0.3], abs=1e-8)
    assert marginal(1, weights) == pytest.approx([0.2, 0.8], abs=1e-8)
    raked = joint * np.outer(weights[0], weights[1])
    assert raked[0, 0] * raked[1, 1] / (raked[0, 1] * raked[1, 0]) == pytest.approx(0.4 * 0.3 / (0.1 * 0.2))


def test_a_value_that_the_model_never_saw_cannot_be_weighted() -> None:
    table = MODEL.table.copy()
    table[:, :, :, 0] = 0
    with pytest.raises(sv.QueryError, match="sees nobody"):
        TableModel(table / table.sum()).calibrate({"the rooms": [0.2, 0.2, 0.6]})


def test_marginals_that_contradict_the_model_are_refused() -> None:
    table = np.zeros(SCHEMA.sizes)
    table[0, 0, 0, 0] = table[1, 0, 1, 0] = 0.5
    with pytest.raises(sv.QueryError, match="no weights bring all marginals"):
        TableModel(table).calibrate(
            {
                "age": {-1: 0.9, 0: 0.1, (1, 2): 0, None: 0},
                "region": {"north": 0.5, "it's": 0.5, "east": 0, None: 0},
            }
        )
