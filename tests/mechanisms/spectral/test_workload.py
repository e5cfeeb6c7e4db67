"""The workload: how much every function weighs in ranges."""

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs
from sottovoce.mechanisms.spectral.workload import Workload, range_energy


def test_all_pairs_weigh_alike_and_one_together():
    pairs = Workload.all_ranges(4).pairs
    assert np.triu(pairs, 1).sum() == pytest.approx(1)
    assert not pairs.diagonal().any()


@pytest.mark.parametrize("size", [2, 8, 64])
def test_the_energy_of_ranges_is_their_mean_square(size):
    """By Parseval, the squared weights of a range over all functions add up to its width."""
    energy = range_energy(Axis(size))
    starts, stops = np.triu_indices(size + 1, k=1)
    counts = np.concatenate([[1], 2.0 ** np.arange(len(energy) - 1)])
    assert energy @ counts == pytest.approx(np.mean(stops - starts) / size)


def test_finer_bands_than_enumerated_follow_the_law_of_those_that_are():
    exact = range_energy(Axis(128))
    stretched = range_energy(Axis(1024))
    assert len(stretched) == 11
    np.testing.assert_allclose(stretched[:8], exact)
    np.testing.assert_allclose(stretched[8:] / stretched[7:-1], 0.25)


@pytest.mark.parametrize("size", [2, 64])
def test_ranges_as_wide_as_the_domain_leave_something_to_ask(size):
    assert (range_energy(Axis(size), (1.0,))[1:] > 0).any()


def test_functions_of_a_band_weigh_alike_in_ranges():
    prefix = np.concatenate([np.zeros((1, 32)), np.cumsum(walsh_signs(32, 5), axis=0)])
    for band in range(5):
        own = np.abs(prefix[:, 1 << band : 2 << band])
        np.testing.assert_array_equal(own, np.repeat(own[:, :1], own.shape[1], axis=1))
