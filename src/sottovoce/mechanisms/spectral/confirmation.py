"""How much of a fit's dependence held-out reports confirm: what they do not is taken back before anything else.

A fit stops where held-out reports are explained best as a whole. Where attributes go together but weakly, it has then
followed noise in the fine functions of every pair. For a coefficient of a pair let g be what a fit to the other reports
says of it less what it would be if the two attributes were independent, and z what the held-out reports say less the
same, with information I. If the truth is a g plus what the fit missed, then z = a g + chance, and the slope

    a = sum I z g / sum I g^2        with variance        1 / sum I g^2

says how much of the fit to believe: 1 if all of it, 0 if it was noise. Each part of the reports is held out once, and
the sums go over all parts as if these fits had no reports in common. Coarse functions are confirmed more than fine
ones and some pairs more than others, so a = beta(fineness) + gamma(pair), with normal priors (`Belief`): beta is a walk
that starts near 1, gamma lies around 0. One small linear system has the solution. Where held-out reports can tell
nothing the prior decides, and the fit stays as it is.

A fit explains held-out reports better with its dependence than without if a is above 1/2. So it is kept whole from
there, and below in proportion: 2 a, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.dependence import Layout, asked_moments
from sottovoce.mechanisms.spectral.moments import Asked, Moments


def confirm(
    asked: Asked,
    moments: Moments,
    model: Floats,
    parts: Sequence[tuple[Moments, Floats]],
    belief: Belief = BELIEF,
) -> tuple[Floats, list[tuple[Moments, Floats]]]:
    """Return a model and fits to parts of the reports with no more dependence than held-out reports confirm.

    Args:
        asked: The functions asked.
        moments: What the reports say.
        model: What the fitted model says, of the same functions.
        parts: The reports less each held-out part, and what a fit to those says, of `asked_moments`.
        belief: The constants.

    Returns:
        The model and the parts, as given but for pairs.
    """
    rows, columns = asked_moments(moments)
    pairs = np.flatnonzero(rows)
    if not pairs.size:
        return model, list(parts)
    single = np.flatnonzero(rows == 0)
    first, second = rows[pairs], columns[pairs]
    whole, estimate = moments.information[first, second], moments.estimate[first, second]
    agrees, says = np.zeros((2, len(pairs)))
    products = []
    for rest, fit in parts:
        means = model[0].copy()  # for functions that were asked in products alone
        means[columns[single]] = fit[single]
        products.append(means[first] * means[second])  # what a product's mean is if its two attributes are independent
        dependence = fit[pairs] - products[-1]
        held_out = whole - rest.information[pairs]
        # information times estimate adds up over parts: what is left of all reports is the held-out part's
        shown = whole * estimate - rest.information[pairs] * rest.estimate[pairs]
        agrees += (shown - held_out * products[-1]) * dependence
        says += held_out * dependence**2
    layout = Layout.of(asked.bands)
    attribute, band = layout.attribute[layout.functions], layout.band[layout.functions]
    owner = attribute[first] * len(asked.bands) + attribute[second]
    slope = _slopes(owner, band[first] + band[second], agrees, says, belief)
    slope = np.clip(2 * slope, 0.0, 1.0)
    product = model[0, first] * model[0, second]
    cut = model.copy()
    cut[first, second] = cut[second, first] = product + slope * (model[first, second] - product)
    kept = []
    for (rest, fit), alone in zip(parts, products, strict=True):
        own = fit.copy()
        own[pairs] = alone + slope * (fit[pairs] - alone)
        kept.append((rest, own))
    return cut, kept


def _slopes(
    owner: NDArray[np.intp], fineness: NDArray[np.intp], agrees: Floats, says: Floats, belief: Belief
) -> Floats:
    """Return the slope of every coefficient: the posterior mean of its fineness's plus its pair's."""
    owners, pair = np.unique(owner, return_inverse=True)
    count = int(fineness.max()) + 1
    shared = np.zeros((len(owners), count))
    np.add.at(shared, (pair, fineness), says)
    steps = np.diff(np.eye(count), axis=0)
    walk = steps.T @ steps / belief.slope_step**2  # the prior's precision: a walk of normal steps ...
    walk[0, 0] += 1 / belief.slope_spread**2  # ... from about 1
    own = shared.sum(axis=1) + 1 / belief.slope_pair**2
    told = np.bincount(pair, agrees)
    # the pairs' slopes are eliminated from the normal equations (their block is diagonal)
    left = walk + np.diag(shared.sum(axis=0)) - (shared / own[:, None]).T @ shared
    right = walk @ np.ones(count) + np.bincount(fineness, agrees, count) - shared.T @ (told / own)
    common = np.linalg.solve(left, right)
    apart = (told - shared @ common) / own
    return np.asarray(common[fineness] + apart[pair])
