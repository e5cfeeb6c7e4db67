"""Calibration: publicly known distributions, as a user writes them, and the weights that bring a model to them.

Reference: Deming and Stephan, "On a least squares adjustment of a sampled frequency table", 1940.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce._checks import is_number
from sottovoce._types import Floats
from sottovoce.errors import QueryError, RecordError
from sottovoce.query.batch import span_weights
from sottovoce.query.labels import Label
from sottovoce.query.terms import as_queried
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.schema import AnyAttribute

ROUNDS = 200
TOLERANCE = 1e-9
"""When the largest difference to a known fraction is below this, or after so many rounds, it is done."""


class SharesByValue(Protocol):
    """A dict from values, or bands (low, high), to fractions; None stands for "no answer"."""

    def items(self) -> ItemsView[Label, float]:
        """Return values or bands with their fractions."""


KnownShares = SharesByValue | Sequence[float] | Floats
"""A known distribution: fractions by value or band, or one for every level."""

Cells = tuple[NDArray[np.intp], Floats]
"""For every level its cell, and for every cell its known fraction."""


def known_cells(attribute: AnyAttribute, known: KnownShares, present: Floats) -> Cells:
    """Return the cells of a known distribution; ``present`` is the marginal, for those who gave no answer.

    Args:
        attribute: The attribute.
        known: A dict from values, or bands (low, high), to fractions; or a fraction for every level.
        present: The attribute's marginal in the model.
    """
    if isinstance(known, Mapping):
        cell_of = np.full(attribute.size, -1, dtype=np.intp)
        for cell, key in enumerate(known):
            levels = _levels(attribute, key)
            if (cell_of[levels] >= 0).any():
                _refuse(attribute, f"{key!r} overlaps another value or band")
            cell_of[levels] = cell
        fractions = _fractions(attribute, list(known.values()))
    else:
        if not isinstance(known, Sequence | np.ndarray) or len(known) not in (attribute.size, attribute.value_levels):
            _refuse(attribute, f"give a dict from values to fractions, or {attribute.size} fractions, got {known!r}")
        cell_of = np.arange(attribute.size)
        cell_of[len(known) :] = -1
        fractions = _fractions(attribute, list(known))
    left = np.flatnonzero(cell_of < 0)
    if left.size and (attribute.null_level is None or left.tolist() != [attribute.null_level]):
        _refuse(attribute, "some values have no known fraction; they must cover all of " + attribute.domain)
    if left.size:
        silent = float(present[attribute.null_level])
        cell_of[left] = len(fractions)
        fractions = np.append(fractions * (1 - silent), silent)
    return cell_of, fractions


def _levels(attribute: AnyAttribute, key: Any) -> NDArray[np.intp]:
    if isinstance(key, tuple) and not isinstance(attribute, Categorical):
        numeric = len(key) == 2 and all(map(is_number, key))
        if not numeric or not key[0] <= key[1]:
            _refuse(attribute, f"a band is (low, high), got {key!r}")
        covered = span_weights(attribute.spans(np.array([key], dtype=np.float64)), attribute.size)[0]
        if ((covered > 1e-9) & (covered < 1 - 1e-9)).any():
            _refuse(attribute, f"the band {key!r} cuts through a bin; its ends must be bin boundaries")
        levels = np.flatnonzero(covered > 0.5)
        if not levels.size:
            _refuse(attribute, f"the band {key!r} holds none of {attribute.domain}")
        return levels
    try:
        return np.array([as_queried(attribute).level(key)])
    except RecordError as error:
        raise QueryError(f"{attribute.name}: got {key!r}; allowed are {attribute.domain}") from error


def _fractions(attribute: AnyAttribute, values: list[Any]) -> Floats:
    if any(not is_number(value) for value in values):
        _refuse(attribute, f"known fractions are numbers, got {values!r}")
    fractions = np.array(values, dtype=np.float64)
    if not (fractions >= 0).all() or not abs(fractions.sum() - 1) < 1e-3:
        _refuse(attribute, f"known fractions are at least 0 and add up to 1, these add up to {fractions.sum():g}")
    return np.asarray(fractions / fractions.sum())


def _refuse(attribute: AnyAttribute, why: str) -> NoReturn:
    raise QueryError(f"{attribute.name}: {why}")


def rake(
    marginal: Callable[[int, Mapping[int, Floats]], Floats], known: Mapping[int, Cells], sizes: Sequence[int]
) -> dict[int, Floats]:
    """Return weights per level, by attribute, under which every known cell has its fraction.

    Args:
        marginal: (attribute, weights) -> the attribute's marginal if levels counted by the weights.
        known: For each attribute the cell of every level and the fraction of every cell.
        sizes: How many levels each attribute has.
    """
    weights = {index: np.ones(sizes[index]) for index in known}
    for _ in range(ROUNDS):
        worst = 0.0
        for index, (cell_of, fractions) in known.items():
            present = np.bincount(cell_of, marginal(index, weights), minlength=len(fractions))
            if np.any((present <= 0) & (fractions > 0)):
                raise QueryError("the model sees nobody where a known fraction is above 0: join it with its neighbours")
            worst = max(worst, float(np.abs(present - fractions).max()))
            weights[index] = (
                weights[index] * np.where(fractions > 0, fractions / np.maximum(present, 1e-300), 0)[cell_of]
            )
        if worst < TOLERANCE:
            return weights
    if worst > 1e-4:
        raise QueryError(
            f"no weights bring all marginals to what is known: after {ROUNDS} rounds one is still off by {worst:.2g}; "
            "calibrate to fewer attributes, or to broader bands"
        )
    return weights
