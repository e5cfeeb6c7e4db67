"""Walsh functions: signs that are orthogonal, nest in bands, and are the same as in a plan's tables."""

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs
from sottovoce.plan.bin_maps import BinMap, walsh_bits


@pytest.mark.parametrize("size", [2, 4, 8, 64, 256])
def test_functions_over_a_power_of_two_are_orthogonal(size):
    signs = walsh_signs(size, walsh_bits(size))
    np.testing.assert_array_equal(signs.T @ signs, size * np.eye(size))


@pytest.mark.parametrize("size", [2, 3, 5, 7, 10, 16, 33, 100])
def test_signs_are_those_of_the_tables_that_people_answer_by(size):
    signs = walsh_signs(size, walsh_bits(size))
    np.testing.assert_array_equal(signs[:, 0], 1)
    for index in range(1, signs.shape[1]):
        np.testing.assert_array_equal(signs[:, index], 1 - 2 * BinMap(walsh=(size, index)).array())


@pytest.mark.parametrize("size", [2, 3, 5, 6, 31, 64, 100])
def test_all_functions_together_tell_every_distribution_apart(size):
    assert np.linalg.matrix_rank(walsh_signs(size, walsh_bits(size))) == size


@pytest.mark.parametrize("size", [2, 5, 9, 64, 100])
def test_the_first_function_splits_the_domain_in_the_middle(size):
    first = walsh_signs(size, 1)[:, 1]
    assert (np.diff(first) <= 0).all()
    assert abs(first.sum()) <= 1


def test_fewer_bands_are_the_first_functions_of_more():
    whole = walsh_signs(20, 5)
    for bands in range(6):
        np.testing.assert_array_equal(walsh_signs(20, bands), whole[:, : 1 << bands])


@pytest.mark.parametrize(
    ("attribute", "axis", "bands"),
    [
        (sv.Ordinal("a", 0, 63), Axis(64), 6),
        (sv.Ordinal("a", 0, 63, nullable=True), Axis(65, nullable=True), 7),
        (sv.Categorical("a", ["x", "y", "z"]), Axis(3, ordered=False), 2),
        (sv.Categorical("a", ["x", "y"], nullable=True), Axis(3, ordered=False, nullable=True), 2),
        (sv.Numeric("a", 0, 1, bins=2), Axis(2), 1),
    ],
)
def test_an_axis_knows_order_no_answer_and_its_bands(attribute, axis, bands):
    assert Axis.of(attribute) == axis
    assert axis.bands == bands
