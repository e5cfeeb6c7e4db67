"""HDG: a coarse 2-D grid for every pair and a finer 1-D grid for every attribute (section 4 of the paper).

Guarantee: each person reports one cell of one grid through an epsilon-LDP channel. Cost: d + d(d-1)/2 questions; a
query over k cells carries k cells' noise. Reference: Yang et al., VLDB 2021, "HDG"; with ``postprocess=False`` the
appendix's "IHDG". A grid that nobody reported on is taken as uniform and has no weight in the consistency step.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import PlanError
from sottovoce.estimation.consistency import Grid, post_process
from sottovoce.estimation.weighted_update import PairGrids, response_matrix
from sottovoce.mechanisms.grids import (
    ROUNDS,
    GridOptions,
    GridQuestions,
    attribute_map,
    estimate_grids,
    even_shares,
    guideline_1d,
    guideline_2d,
    largest_domain,
    nearest_power,
    pairs_of,
    raw_grids,
)
from sottovoce.mechanisms.options import check_granularity, check_positive, require_pairs
from sottovoce.mechanisms.pairwise_model import Pair, PairwiseModel
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class HDGOptions(GridOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of HDG.

    Attributes:
        g1: The granularity of the 1-D grids, instead of the guideline's; a multiple of g2.
        g2: The granularity of the 2-D grids, instead of the guideline's.
        alpha1: The guideline's constant for 1-D grids.
        alpha2: The guideline's constant for 2-D grids.
        sigma: The fraction of the crowd asked about 1-D grids; by default every grid gets the same number of people.
    """

    g1: int | None = None
    g2: int | None = None
    alpha1: float = 0.7
    alpha2: float = 0.03
    sigma: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_granularity("g1", self.g1)
        check_granularity("g2", self.g2)
        check_positive(alpha1=self.alpha1, alpha2=self.alpha2)
        if self.sigma is not None and not 0 < self.sigma < 1:
            raise PlanError(f"sigma is a fraction above 0 and below 1, got {self.sigma}")


def design(schema: Schema, epsilon: Decimal, users: int, options: HDGOptions) -> Design:
    """Return the questions of HDG: 1-D grids first, then pairs.

    Args:
        schema: What is asked; at least two attributes.
        epsilon: The privacy of one answer.
        users: How many people are expected; fixes the granularities by the guideline of section 4.6.
        options: Which oracle, and ``g1``, ``g2``, ``sigma`` where the guideline is not to choose.

    Raises:
        PlanError: If the schema has one attribute only, or g1 is no multiple of g2.
    """
    require_pairs(schema, "hdg")
    singles, pairs = len(schema.attributes), pairs_of(schema)
    sigma = options.sigma or singles / (singles + len(pairs))
    largest = largest_domain(schema)
    ideal1 = guideline_1d(users * sigma / singles, epsilon, options.alpha1)
    ideal2 = guideline_2d(users * (1 - sigma) / len(pairs), epsilon, options.alpha2)
    g1 = options.g1 or nearest_power(ideal1, largest)
    g2 = options.g2 or min(nearest_power(ideal2, largest), g1)
    if g1 % g2 and g1 < largest:
        raise PlanError(f"g1 must be a multiple of g2 so that cells nest, got g1={g1}, g2={g2}; powers of two do")
    shares = _shares(options.sigma, singles, len(pairs))
    questions = GridQuestions(schema, epsilon, options.oracle)
    for index, share in enumerate(shares[:singles]):
        questions.add((index,), g1, share)
    for pair, share in zip(pairs, shares[singles:], strict=True):
        questions.add(pair, g2, share)
    return Design({"g1": g1, "g2": g2}, tuple(questions.tables), tuple(questions.families))


def _shares(sigma: float | None, singles: int, pairs: int) -> list[int]:
    if sigma is None:
        return even_shares(SHARES, singles + pairs)
    first = round(SHARES * sigma)
    return even_shares(first, singles) + even_shares(SHARES - first, pairs)


def fit(plan: Plan, tally: Tally, how: Fitting) -> PairwiseModel:
    """Return response matrices for all pairs; nothing here draws at random.

    Args:
        plan: The plan that was answered.
        tally: What was counted.
        how: The same for every mechanism; nothing of it is used here.
    """
    grids = estimate_grids(plan, tally)
    raw = raw_grids(plan, tally, grids, _blocks(plan))
    return from_grids(Origin.of(plan, tally), plan, grids, raw)


def from_grids(origin: Origin, plan: Plan, grids: Sequence[Grid], raw: Sequence[RawGrid] = ()) -> PairwiseModel:
    """Return the model that raw estimates of a plan's grids give, in the order of its questions.

    Args:
        origin: What the model says of itself: schema, plan, reports.
        plan: The plan, whose options say which estimator answers queries on more than two attributes.
        grids: The estimate of every attribute and pair.
        raw: The same before it was touched, for direct answers; none leaves the model without.
    """
    matrices = {pair: matrix for pair, (matrix, _) in response_matrices(plan, grids, origin.reports).items()}
    return PairwiseModel(origin, estimator=plan.options["estimator"], blocks=_blocks(plan), matrices=matrices, raw=raw)


def response_matrices(plan: Plan, grids: Sequence[Grid], reports: int) -> dict[Pair, tuple[Floats, list[float]]]:
    """Return every pair's response matrix, and how much it changed in each sweep of Algorithm 1.

    Args:
        plan: The plan, whose options say whether grids are made non-negative and consistent first.
        grids: The estimate of every attribute and pair.
        reports: How many people reported, n: a matrix is done when a sweep changes less than 1/n in all.
    """
    if plan.options["postprocess"]:
        grids = post_process(grids, rounds=ROUNDS)
    by_attributes = {grid.attributes: grid for grid in grids}
    values = [np.bincount(block) / len(block) for block in _blocks(plan)]
    threshold = 1.0 / reports
    return {
        pair: _matrix(by_attributes, pair, np.outer(values[pair[0]], values[pair[1]]), threshold)
        for pair in pairs_of(plan.schema)
    }


def _blocks(plan: Plan) -> list[NDArray[np.intp]]:
    """Return the 1-D bin of every level of every attribute."""
    return [attribute_map(attribute, plan.parameters["g1"]).array() for attribute in plan.schema.attributes]


def _matrix(
    grids: dict[tuple[int, ...], Grid], pair: Pair, start: Floats, threshold: float
) -> tuple[Floats, list[float]]:
    rows, columns, cells = grids[pair[:1]], grids[pair[1:]], grids[pair]
    known = PairGrids(rows.frequencies, columns.frequencies, cells.frequencies, rows.buckets[0], columns.buckets[0])
    return response_matrix(start, known, threshold=threshold)


HDG = Mechanism("hdg", "a coarse grid per pair and a fine one per attribute", HDGOptions, design, fit, PairwiseModel)
