"""Raw grids: what a model's file holds of them makes them again."""

from __future__ import annotations

import numpy as np

from sottovoce.channels import Support
from sottovoce.mechanisms.raw_grids import RawGrid, grids_from_state, grids_state
from sottovoce.model.files import pack, unpack

GRIDS = [
    RawGrid((1,), (np.arange(3),), np.array([0.5, -0.1, 0.6]), 12.5, Support(0.6, 0.2, 0.0, 0.0)),
    RawGrid((0, 1), (np.array([0, 1]), np.array([0, 0, 1])), np.eye(2) / 2, 90.0, Support(0.6, 0.3, 0.2, 0.1)),
]


def test_raw_grids_come_back_from_their_state() -> None:
    state = {name: unpack(pack(value)) for name, value in grids_state(GRIDS).items()}
    for again, grid in zip(grids_from_state(state), GRIDS, strict=True):
        assert (again.attributes, again.reports, again.support) == (grid.attributes, grid.reports, grid.support)
        np.testing.assert_array_equal(again.estimates, grid.estimates)
        for own, bins in zip(again.bins, grid.bins, strict=True):
            np.testing.assert_array_equal(own, bins)


def test_a_model_without_raw_grids_keeps_nothing_of_them() -> None:
    assert grids_state([]) == {}
    assert grids_from_state({}) == []
