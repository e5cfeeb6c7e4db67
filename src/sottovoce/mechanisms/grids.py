"""What mechanisms of grids share: the granularity guideline, the questions, and the raw estimates of their cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import ORACLES, choose_kind
from sottovoce.estimation.consistency import Grid
from sottovoce.mechanisms.options import MechanismOptions, check_choice
from sottovoce.mechanisms.pairwise_model import ESTIMATORS
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.plan.bin_maps import BinMap, grid_map
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.questions import Family, Question
from sottovoce.schema.schema import AnyAttribute, Schema
from sottovoce.tally.tally import Tally

_MOST_CODES = 2**26  # of a question, that are counted in one array: half a gigabyte

ROUNDS = 10
"""How often consistency and non-negativity take turns; a hundred rounds change errors by less than one percent."""


def guideline_1d(users: float, epsilon: Decimal, alpha: float) -> float:
    """Return the ideal granularity of a 1-D grid that ``users`` people report on (section 4.6).

    Args:
        users: How many people report on this one grid.
        epsilon: The privacy of one answer.
        alpha: How uneven cells are taken to be inside, the paper's alpha_1 (0.7).

    Returns:
        A real number above 0; `nearest_power` makes it a granularity.
    """
    growth = math.exp(epsilon)
    return float((users * (growth - 1) ** 2 * alpha**2 / (2 * growth)) ** (1 / 3))


def guideline_2d(users: float, epsilon: Decimal, alpha: float) -> float:
    """Return the ideal granularity, per attribute, of a 2-D grid that ``users`` people report on (section 4.6).

    Args:
        users: How many people report on this one grid.
        epsilon: The privacy of one answer.
        alpha: How uneven cells are taken to be inside, the paper's alpha_2 (0.03).

    Returns:
        A real number above 0; `nearest_power` makes it a granularity.
    """
    growth = math.exp(epsilon)
    return math.sqrt(2 * alpha * (growth - 1) * math.sqrt(users / growth))


def nearest_power(ideal: float, largest: int) -> int:
    """Return the power of two closest to the ideal granularity, at least 2, at most the largest domain.

    Example:
        >>> nearest_power(11.9, 64), nearest_power(0.3, 64), nearest_power(500, 100)
        (8, 2, 100)
    """
    lower: int = 2 ** max(1, math.floor(math.log2(max(ideal, 2.0))))
    nearest = lower if ideal - lower <= 2 * lower - ideal else 2 * lower
    return min(nearest, largest)


class GridQuestions:
    """Collects the tables and families of a plan made of grids.

    Args:
        schema: What is asked.
        epsilon: The privacy of one answer.
        oracle: "olh", "grr" or "adaptive": which channel a grid of so many cells gets.
    """

    def __init__(self, schema: Schema, epsilon: Decimal, oracle: str) -> None:
        self.schema, self.epsilon, self.oracle = schema, epsilon, oracle
        self.tables: list[BinMap] = []
        self.families: list[Family] = []

    def add(self, attributes: Sequence[int], granularity: int, share: int) -> None:
        """Add a grid over some attributes, of at most ``granularity`` bins each.

        Args:
            attributes: Their numbers in the schema.
            granularity: The most bins of an attribute; one of fewer levels is asked level by level.
            share: How many of 2^32 people are asked this.
        """
        tables = [attribute_map(self.schema.attributes[index], granularity) for index in attributes]
        cells = math.prod(table.bins for table in tables)
        self.families.append(
            Family(
                attributes=tuple(attributes),
                tables=tuple((self._index(table),) for table in tables),
                channel=choose_kind(self.oracle, cells, self.epsilon),
                shares=share,
            )
        )

    def _index(self, table: BinMap) -> int:
        if table not in self.tables:
            self.tables.append(table)
        return self.tables.index(table)


def attribute_map(attribute: AnyAttribute, granularity: int) -> BinMap:
    """Return an attribute's bins at a granularity; "no answer" is a bin of its own."""
    return grid_map(attribute.value_levels, granularity, nullable=attribute.accepts_null)


def even_shares(total: int, count: int) -> list[int]:
    """Return ``count`` integers as equal as can be that add up to ``total``."""
    each, left = divmod(total, count)
    return [each + (index < left) for index in range(count)]


def largest_domain(schema: Schema) -> int:
    """Return the number of values of the largest attribute, "no answer" not counted: no grid is finer."""
    return max(attribute.value_levels for attribute in schema.attributes)


def pairs_of(schema: Schema) -> list[tuple[int, int]]:
    """Return all pairs of attributes, by index."""
    return list(combinations(range(len(schema.attributes)), 2))


def pair_shares(schema: Schema) -> list[int]:
    """Return equal shares for all pairs of attributes."""
    return even_shares(SHARES, len(pairs_of(schema)))


def frequencies(question: Question, tally: Tally) -> Floats:
    """Return the unbiased estimate of every cell of a question, one after the other; zeros if nobody reported."""
    oracle = question.oracle
    if oracle.codes <= _MOST_CODES:
        return oracle.estimate(tally.counts(question.index))
    # local hashing at a large epsilon has more codes than memory: only those that were reported count
    return oracle.estimate_some(*tally.pairs(question.index), np.arange(oracle.cells))


def estimate_grids(plan: Plan, tally: Tally) -> list[Grid]:
    """Return the raw estimate of every grid; a grid that nobody reported on is uniform, with infinite variance.

    A grid's variance is that of the reports that its share lets one expect, should it have got more than chance allows.
    """
    totals, weights = tally.question_totals, tally.question_weights
    estimates = []
    for question in plan.questions:
        reports = int(totals[question.index])
        channel = question.oracle
        cells = frequencies(question, tally) if reports else np.full(channel.cells, 1 / channel.cells)
        estimates.append((cells, channel.variance(float(weights[question.index]))))
    return make_grids(plan, estimates)


def make_grids(plan: Plan, estimates: Sequence[tuple[Floats, float]]) -> list[Grid]:
    """Return a grid for every question, given the estimates of its cells and the variance of one of them."""
    coarsest = _coarsest_maps(plan)
    return [
        Grid(
            attributes=question.attributes,
            frequencies=cells.reshape(question.shape),
            variance=variance,
            buckets=tuple(
                buckets_of(table, coarsest[attribute])
                for attribute, table in zip(question.attributes, question.tables, strict=True)
            ),
        )
        for question, (cells, variance) in zip(plan.questions, estimates, strict=True)
    ]


def raw_grids(plan: Plan, tally: Tally, grids: Sequence[Grid], blocks: Sequence[NDArray[np.intp]]) -> list[RawGrid]:
    """Return what direct answers need of grids that at least two people reported on.

    Args:
        plan: The plan, one grid a question.
        tally: What was counted.
        grids: The raw estimates, by `estimate_grids`.
        blocks: For each attribute, the model's block of every level; blocks nest within the bins of all grids.
    """
    weights = tally.question_weights
    found = []
    for question, grid in zip(plan.questions, grids, strict=True):
        reports = float(weights[question.index])
        if reports < 2:
            continue
        bins = []
        for attribute, table in zip(question.attributes, question.tables, strict=True):
            bins.append(np.zeros(int(blocks[attribute].max()) + 1, dtype=np.intp))
            bins[-1][blocks[attribute]] = table.array()
        found.append(RawGrid(question.attributes, tuple(bins), grid.frequencies, reports, question.oracle.support()))
    return found


def _coarsest_maps(plan: Plan) -> dict[int, BinMap]:
    coarsest: dict[int, BinMap] = {}
    for question in plan.questions:
        for attribute, table in zip(question.attributes, question.tables, strict=True):
            if attribute not in coarsest or table.bins < coarsest[attribute].bins:
                coarsest[attribute] = table
    return coarsest


def buckets_of(fine: BinMap, coarse: BinMap) -> NDArray[np.intp]:
    """Return, for every bin of a fine table, the bin of the coarse table that holds it."""
    buckets = np.zeros(fine.bins, dtype=np.intp)
    buckets[fine.array()] = coarse.array()
    return buckets


class GridOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of every mechanism that reads pairs off grids.

    Attributes:
        oracle: How a cell is asked for: "olh", "grr" or "adaptive".
        estimator: How answers on more than two attributes are made from pairs: "max_entropy" or "weighted_update".
        postprocess: Whether grids are made non-negative and consistent with one another.
    """

    oracle: str = "olh"
    estimator: str = "max_entropy"
    postprocess: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("oracle", self.oracle, ORACLES)
        check_choice("estimator", self.estimator, ESTIMATORS)
