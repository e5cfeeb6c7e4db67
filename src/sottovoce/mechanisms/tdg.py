"""TDG: one coarse 2-D grid for every pair of attributes (section 4 of the paper).

Guarantee: each person reports one cell of one grid through an epsilon-LDP channel. Cost: d(d-1)/2 questions; the values
within a cell are taken as alike, which is what limits it. Reference: Yang et al., VLDB 2021, "TDG"; with
``postprocess=False`` the appendix's "ITDG".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sottovoce.estimation.consistency import Grid, post_process
from sottovoce.mechanisms.grids import (
    ROUNDS,
    GridOptions,
    GridQuestions,
    attribute_map,
    estimate_grids,
    guideline_2d,
    largest_domain,
    nearest_power,
    pair_shares,
    pairs_of,
    raw_grids,
)
from sottovoce.mechanisms.options import check_granularity, check_positive, require_pairs
from sottovoce.mechanisms.pairwise_model import PairwiseModel
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class TDGOptions(GridOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of TDG.

    Attributes:
        g2: The granularity of the grids, instead of the guideline's.
        alpha2: The guideline's constant.
    """

    g2: int | None = None
    alpha2: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        check_granularity("g2", self.g2)
        check_positive(alpha2=self.alpha2)


def design(schema: Schema, epsilon: Decimal, users: int, options: TDGOptions) -> Design:
    """Return the questions of TDG: the same share for every pair.

    Args:
        schema: What is asked; at least two attributes.
        epsilon: The privacy of one answer.
        users: How many people are expected; fixes the granularity by the guideline of section 4.6.
        options: Which oracle, and ``g2`` where the guideline is not to choose.

    Raises:
        PlanError: If the schema has one attribute only.
    """
    require_pairs(schema, "tdg")
    pairs, largest = pairs_of(schema), largest_domain(schema)
    granularity = options.g2 or nearest_power(guideline_2d(users / len(pairs), epsilon, options.alpha2), largest)
    questions = GridQuestions(schema, epsilon, options.oracle)
    for pair, share in zip(pairs, pair_shares(schema), strict=True):
        questions.add(pair, granularity, share)
    return Design({"g2": granularity}, tuple(questions.tables), tuple(questions.families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> PairwiseModel:
    """Return the pairs' grids, made non-negative and consistent; nothing here draws at random.

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
        plan: The plan, whose options say whether estimates are made non-negative and consistent, and which estimator.
        grids: The estimate of every pair.
        raw: The same before it was touched, for direct answers; none leaves the model without.
    """
    if plan.options["postprocess"]:
        grids = post_process(grids, rounds=ROUNDS)
    matrices = {(grid.attributes[0], grid.attributes[1]): grid.frequencies for grid in grids}
    return PairwiseModel(origin, estimator=plan.options["estimator"], blocks=_blocks(plan), matrices=matrices, raw=raw)


def _blocks(plan: Plan) -> list[NDArray[np.intp]]:
    """Return the bin of every level of every attribute."""
    return [attribute_map(attribute, plan.parameters["g2"]).array() for attribute in plan.schema.attributes]


TDG = Mechanism("tdg", "one coarse grid for every pair of attributes", TDGOptions, design, fit, PairwiseModel)
