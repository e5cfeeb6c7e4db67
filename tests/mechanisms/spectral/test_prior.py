"""The prior: falls with order, even without it, the same total either way."""

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.prior import PRIOR, Prior, band_variance
from sottovoce.mechanisms.spectral.walsh import Axis


def test_finer_bands_of_an_ordered_attribute_vary_less():
    assert (np.diff(PRIOR.single(Axis(64))) < 0).all()
    assert (np.diff(PRIOR.pair(Axis(64))) < 0).all()
    assert PRIOR.single(Axis(64))[0] == PRIOR.single_variance


def test_categories_have_the_same_total_in_no_order():
    ordered, other = (band_variance(Axis(16, ordered=way), 0.5, 1.0) for way in (True, False))
    sizes = 2.0 ** np.arange(4)
    assert np.ptp(other) == 0
    assert other @ sizes == pytest.approx(ordered @ sizes)


def test_every_constant_is_explained():
    assert all(f"{name}:" in (Prior.__doc__ or "") for name in Prior.__dataclass_fields__)


def test_single_attributes_weigh_more_where_a_report_tells_much():
    assert PRIOR.at(Decimal("0.1")) == PRIOR.at(Decimal(3)) == PRIOR
    assert PRIOR.at(Decimal(4)).single_weight == pytest.approx(2 * 3.6269 / 2.1293, rel=1e-4)
    assert PRIOR.at(Decimal(6)).single_weight == pytest.approx(2 * 10.0179 / 2.1293, rel=1e-4)
