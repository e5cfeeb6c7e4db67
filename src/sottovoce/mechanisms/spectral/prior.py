"""The public prior and every other constant of the design, in one place, each with its reason.

A plan is made before anyone has answered, so what is worth asking follows from a public belief about how large the
coefficients of a crowd are: the mean of a Walsh function, or of the product of two, is taken to have mean zero and a
variance that halves every so many bands. `docs/design/limit.md` says what each constant was tuned and judged on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import sinh

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.walsh import Axis


@dataclass(frozen=True, slots=True)
class Prior:
    """How large coefficients are believed to be, and how much single attributes matter.

    Attributes:
        single_variance: Variance of the mean of an ordered attribute's first function. One half is that of a crowd
            whose share below the middle is anything between none and all, seldom in between.
        single_decay: How many times the variance halves from one band to the next. At 1 the total over a band is
            constant, as for smooth curves; spikes (ages given in tens, full weeks) keep it alive at fine bands, and
            one half costs smooth attributes nothing that was measured.
        pair_variance: Variance of the mean of the product of two first functions.
        pair_decay: The same decay for each of the two bands of a product: dependence is smoother than single
            attributes are, as it takes many people to make it.
        single_weight: How much more single attributes weigh than as parts of pairs: they are asked for by themselves.
        rich: The epsilon from which on they weigh more still (`at`).
    """

    single_variance: float = 0.5
    single_decay: float = 0.5
    pair_variance: float = 0.6
    pair_decay: float = 1.2
    single_weight: float = 2.0
    rich: float = 3.0

    def at(self, epsilon: Decimal) -> Prior:
        """Return the prior for an epsilon, of one that is for none yet: where a report tells much, singles weigh more.

        Pairs have so many more coefficients that they would take nearly all of it, and single attributes, which every
        answer rests on, would be known no better than by asking less. So from `rich` on their weight grows as
        sinh(epsilon / 2) does, the root of what a report can tell.
        """
        more = sinh(float(epsilon) / 2) / sinh(self.rich / 2)
        return replace(self, single_weight=self.single_weight * max(1.0, more))

    def single(self, axis: Axis) -> Floats:
        """Return the variance of the mean of a function of each band."""
        return band_variance(axis, self.single_variance, self.single_decay)

    def pair(self, axis: Axis) -> Floats:
        """Return each band's factor of the variance of the mean of a product of two functions."""
        return band_variance(axis, self.pair_variance**0.5, self.pair_decay)


PRIOR = Prior()


def band_variance(axis: Axis, largest: float, decay: float) -> Floats:
    """Return a variance that falls from band to band; without order the bands share the same total evenly.

    Args:
        axis: The attribute.
        largest: The variance of the coarsest band.
        decay: How many times it halves from one band to the next.

    Returns:
        One variance for each band of the attribute.
    """
    bands = np.arange(axis.bands)
    # without order bands mean nothing: the total over all 2^b functions of all bands b is spread evenly
    variance = largest * 2.0 ** (-decay * bands)
    return np.asarray(variance if axis.ordered else np.full(axis.bands, variance @ 2.0**bands / (2.0**bands).sum()))


def single_prior(axes: Sequence[Axis]) -> Floats:
    """Return the public prior variance of a coefficient of every band of every attribute, one after the other."""
    return np.concatenate([PRIOR.single(axis) for axis in axes])


def pair_prior(axes: Sequence[Axis]) -> Floats:
    """Return the same of products of two bands; for two bands of one attribute it means nothing."""
    own = np.concatenate([PRIOR.pair(axis) for axis in axes])
    return np.outer(own, own)
