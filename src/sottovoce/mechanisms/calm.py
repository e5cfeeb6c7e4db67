"""CALM: the full 2-D marginal of every pair of attributes, one cell per pair of levels (section 3.2 of the paper).

Guarantee: each person reports one cell of one marginal through an epsilon-LDP channel. Cost: d(d-1)/2 questions; a
query over k pairs of levels carries k cells' noise, so large domains are noisy, while nothing is lost within a cell.
Reference: Zhang et al., CCS 2018, "CALM", with marginals of two attributes, made non-negative and consistent. A
marginal that nobody reported on is taken as uniform and has no weight in the consistency step.
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
    estimate_grids,
    pair_shares,
    pairs_of,
    raw_grids,
)
from sottovoce.mechanisms.options import require_pairs, require_small_pairs
from sottovoce.mechanisms.pairwise_model import PairwiseModel
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class CALMOptions(GridOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of CALM: those of every mechanism that reads pairs off grids."""


def design(schema: Schema, epsilon: Decimal, users: int, options: CALMOptions) -> Design:
    """Return the questions of CALM: every pair level by level, the same share for each.

    Args:
        schema: What is asked; at least two attributes, no two with more than 2^20 pairs of levels.
        epsilon: The privacy of one answer.
        users: How many people are expected; changes nothing here.
        options: Which oracle, and what is done to its estimates.

    Raises:
        PlanError: If the schema has one attribute only, or two with too many pairs of levels.
    """
    require_pairs(schema, "calm")
    require_small_pairs(schema, "calm")
    questions = GridQuestions(schema, epsilon, options.oracle)
    for pair, share in zip(pairs_of(schema), pair_shares(schema), strict=True):
        questions.add(pair, max(schema.sizes), share)
    return Design({}, tuple(questions.tables), tuple(questions.families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> PairwiseModel:
    """Return the pairs' marginals, made non-negative and consistent; nothing here draws at random.

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
    return [np.arange(size) for size in plan.schema.sizes]


CALM = Mechanism("calm", "the full marginal of every pair of attributes", CALMOptions, design, fit, PairwiseModel)
