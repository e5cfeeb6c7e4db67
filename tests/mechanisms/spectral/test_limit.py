"""The limit: nothing that can be asked is beyond it, and the design comes near."""

from itertools import product

import numpy as np
import pytest

from sottovoce.channels import GRR, SquareWave, parse_epsilon
from sottovoce.mechanisms.spectral.blocks import Candidates, coefficient_groups
from sottovoce.mechanisms.spectral.design import design, expected_error, information
from sottovoce.mechanisms.spectral.limit import domain_limit, kappa, limit, query_limit, water_filling
from sottovoce.mechanisms.spectral.prior import PRIOR
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload


@pytest.mark.parametrize("epsilon", ["0.25", "1", "3", "6"])
@pytest.mark.parametrize("make", [GRR.design, SquareWave.design])
@pytest.mark.parametrize("cells", [2, 5, 16, 64])
def test_no_channel_carries_more_than_kappa(make, cells, epsilon):
    """The variance of the likelihood ratio, for records that are equally frequent in every cell."""
    table = make(cells, parse_epsilon(epsilon)).probabilities()
    codes = table.mean(axis=0)
    carried = (codes * (table / codes).var(axis=0)).sum()
    assert carried <= kappa(float(epsilon)) * (1 + 1e-9)


def test_water_fills_to_one_level():
    groups = coefficient_groups([Axis(64)] * 2, Workload.all_ranges(2))
    filled = water_filling(groups, 1.0, 10**5)
    assert groups.coefficients @ filled == pytest.approx(10**5 * kappa(1.0))
    slope = groups.weight * (groups.variance / (1 + groups.variance * filled)) ** 2
    assert np.ptp(slope[filled > 0]) < 1e-6 * slope.max()
    assert (slope[filled == 0] <= slope[filled > 0].min() * (1 + 1e-6)).all()


def ratio(axes, epsilon, users, least):
    workload = Workload.all_ranges(len(axes))
    groups = coefficient_groups(axes, workload, prior=PRIOR.at(parse_epsilon(epsilon)))
    blocks = design(axes, parse_epsilon(epsilon), users, workload)
    asked = Candidates.of(groups, parse_epsilon(epsilon), [block for block, _ in blocks])
    error = expected_error(groups, information(asked, users, np.array([share for _, share in blocks])))
    return np.sqrt(error / least(groups, float(epsilon), users))


@pytest.mark.parametrize(("attributes", "epsilon"), list(product((2, 6), ("0.25", "0.5", "1", "2", "3", "4"))))
def test_the_design_is_within_six_hundredths_of_the_limit(attributes, epsilon):
    assert 1 <= ratio([Axis(64)] * attributes, epsilon, 10**6, limit) < 1.06


@pytest.mark.parametrize("epsilon", ["0.25", "0.5", "1", "2", "3", "4", "6"])
def test_one_attribute_is_within_four_hundredths_of_its_domains_limit(epsilon):
    assert 1 <= ratio([Axis(64)], epsilon, 10**6, domain_limit) < 1.04


def test_the_limit_of_a_domain_is_that_of_all_where_the_domain_is_large():
    groups = coefficient_groups([Axis(1024)], Workload.all_ranges(1))
    assert 0.99 < domain_limit(groups, 1.0, 10**6) / limit(groups, 1.0, 10**6) < 1.01
    with pytest.raises(ValueError, match="one attribute, got 2"):
        domain_limit(coefficient_groups([Axis(4)] * 2, Workload.all_ranges(2)), 1.0, 100)


def test_one_query_asked_of_all_has_an_error_above_the_limit():
    """Of half the crowd: (e^eps + 1)^2 / (4 (e^eps - 1)^2 n) by Warner; two cells hold less than kappa."""
    inside = np.arange(1000) < 500
    e = np.e
    warner = ((e + 1) / (e - 1)) ** 2 / 4 / 10**4
    assert query_limit(inside[None], 1.0, 10**4) == pytest.approx(0.25 / (kappa(1.0) * 10**4))
    assert query_limit(inside[None], 1.0, 10**4) < warner
