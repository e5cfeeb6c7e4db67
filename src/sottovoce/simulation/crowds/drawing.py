"""How people of a made-up crowd are drawn: categories, yes and no, opinions, round numbers, three that conspire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats

Flags = NDArray[np.bool_]

Codes = NDArray[np.intp]
Column = NDArray[Any]
Columns = dict[str, Column]


def pick(generator: np.random.Generator, weights: Floats) -> Codes:
    """Return a category for every row, drawn in proportion to that row's weights (people by categories)."""
    below = np.cumsum(weights, axis=1)
    drawn = generator.random(len(weights)) * below[:, -1]
    return np.asarray((drawn[:, None] >= below).sum(axis=1), dtype=np.intp)


def spread(generator: np.random.Generator, weights: Sequence[float], count: int) -> Codes:
    """Return that many categories, all drawn in proportion to the same weights.

    Args:
        generator: Where draws come from.
        weights: One for each category; they need not sum to one.
        count: How many people.
    """
    shares = np.asarray(weights, dtype=np.float64)
    return generator.choice(len(shares), count, p=shares / shares.sum())


def happens(generator: np.random.Generator, chance: Floats) -> Flags:
    """Return for every row whether something of that chance happens."""
    return generator.random(len(chance)) < chance


def logistic(score: Floats) -> Floats:
    """Return the chance that a score stands for."""
    return np.asarray(1.0 / (1.0 + np.exp(-score)))


def words(flags: Flags) -> Column:
    """Return "yes" and "no"."""
    return np.where(flags, "yes", "no")


def opinion(
    generator: np.random.Generator, score: Floats, *, cuts: tuple[float, ...] = (-1.5, -0.6, 0.2, 1.2)
) -> Codes:
    """Return answers from 1 to 5: a score with noise of deviation 1, cut at these points.

    Args:
        generator: Where draws come from.
        score: What each person thinks, on a scale of standard deviations.
        cuts: Four points, rising: above the last the answer is 5.
    """
    return 1 + np.searchsorted(np.array(cuts), score + generator.normal(size=len(score)))


def rounded(generator: np.random.Generator, values: Floats, *, steps: dict[int, float]) -> Floats:
    """Return values as people say them: these shares round to the nearest multiple of a step, the rest to one.

    Args:
        generator: Where draws come from.
        values: The true ones.
        steps: For each step the share of people who round to its multiples, such as {10: 0.3, 5: 0.2}.
    """
    order = sorted(steps)
    said = spread(generator, [*(steps[step] for step in order), 1.0 - sum(steps.values())], len(values))
    step = np.array([*order, 1.0])[said]
    return np.asarray(np.round(values / step) * step)


def favoured(generator: np.random.Generator, values: Floats, favourites: Sequence[float], *, share: float) -> Floats:
    """Return amounts as people say them: this share names the nearest favourite in ratio, the rest say whole numbers.

    Args:
        generator: Where draws come from.
        values: The true ones, above zero.
        favourites: Amounts that come to mind, rising, such as those of notes.
        share: Of those who name a favourite.
    """
    known = np.asarray(favourites, dtype=np.float64)
    nearest = known[np.searchsorted(np.sqrt(known[1:] * known[:-1]), values)]
    return np.where(happens(generator, np.full(len(values), share)), nearest, np.round(values))


def withheld(generator: np.random.Generator, values: Floats, chance: Floats) -> Floats:
    """Return the values with some missing (NaN), each with its chance.

    Args:
        generator: Where draws come from.
        values: The true ones.
        chance: For each person the probability of no answer.
    """
    return np.where(happens(generator, chance), np.nan, values)


def entwined(
    generator: np.random.Generator,
    first: tuple[Flags, float],
    second: tuple[Flags, float],
    *,
    share: float,
    interaction: float,
) -> Flags:
    """Return flags that depend on two others together and on neither alone.

    With s = +1 for yes and -1 for no, and pa(a), pb(b) the chances of the two others, which are independent,
    P(c = yes | a, b) = share + interaction s(a) s(b) / (pa(a) pb(b)). Summed over b with weights pb(b) the second term
    is zero, so every pair of the three is independent while the three are not.

    Args:
        generator: Where chance comes from.
        first: Flags and the chance they were drawn with.
        second: Likewise; independent of the first.
        share: The chance of a yes.
        interaction: How strongly the three hang together; the chances must stay between 0 and 1.
    """
    product = np.full(len(first[0]), interaction)
    for flags, chance in (first, second):
        product *= np.where(flags, 1.0 / chance, -1.0 / (1.0 - chance))
    chances = share + product
    if chances.min() < 0 or chances.max() > 1:
        raise ValueError(f"chances from {chances.min():.2f} to {chances.max():.2f}: use a smaller interaction")
    return happens(generator, chances)
