"""The prior: falls with order, even without it, the same total either way."""

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
