"""LHIO: a 2-D hierarchy for every pair of attributes, made consistent (section 3.4 of the paper).

Guarantee: each person reports one cell of one combination of depths of one pair's trees through an epsilon-LDP channel.
Cost: d(d-1)/2 times (h + 1)^2 - 1 questions, so that each has few people; a range over a pair carries the noise of few
nodes. Reference: Yang et al., VLDB 2021, "LHIO"; constrained inference after Hay et al., VLDB 2010. Where nobody
reported on a combination, its nodes are taken as uniform; a pair that nobody reported on has no weight among the pairs.

Estimates of all nodes are first fitted by leaves, pair by pair, whose sums then answer any decomposition alike; then
the pairs are shifted to agree on their attributes. Both steps are linear: nothing is cut off at zero, because zeroing
leaves, each of which is mostly noise, would undo what the nodes above them know. Answers may so be below zero.

With ``nonnegative=True`` the leaves go through Norm-Sub and consistency in turn, as the cells of grids do. Section 3.4
does not speak of negative estimates, but what the paper reports of LHIO fits this form alone (docs/reproduction.md).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from sottovoce._types import Floats
from sottovoce.errors import PlanError
from sottovoce.estimation.consistency import Grid, make_consistent, post_process
from sottovoce.estimation.hierarchy import infer_2d
from sottovoce.mechanisms.grids import ROUNDS, frequencies, pair_shares, pairs_of
from sottovoce.mechanisms.options import check_choice, require_pairs, require_small_pairs
from sottovoce.mechanisms.pairwise_model import ESTIMATORS, PairwiseModel
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.mechanisms.trees import TreeOptions, TreeQuestions, family_offsets, question_number, tree_starts
from sottovoce.model.origin import Origin
from sottovoce.plan.bin_maps import tree_maps
from sottovoce.plan.plan import Plan
from sottovoce.plan.questions import Question
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class LHIOOptions(TreeOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of LHIO.

    Attributes:
        estimator: How answers on more than two attributes are made from pairs.
        postprocess: Whether the pairs are made consistent with one another.
        nonnegative: Whether that includes Norm-Sub on their leaves.
    """

    estimator: str = "max_entropy"
    postprocess: bool = True
    nonnegative: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("estimator", self.estimator, ESTIMATORS)
        if self.nonnegative and not self.postprocess:
            raise PlanError("nonnegative=True is a part of post-processing: leave postprocess=True")


def design(schema: Schema, epsilon: Decimal, users: int, options: LHIOOptions) -> Design:
    """Return the questions of LHIO: the same share for every pair, and for every combination of depths within it.

    Args:
        schema: What is asked; at least two attributes, no two with more than 2^20 pairs of levels.
        epsilon: The privacy of one answer.
        users: How many people are expected; changes nothing here.
        options: Which oracle, and how many children a node has.

    Raises:
        PlanError: If the schema has one attribute only, or two with too many pairs of levels.
    """
    require_pairs(schema, "lhio")
    require_small_pairs(schema, "lhio")
    questions = TreeQuestions(schema, options)
    for pair, share in zip(pairs_of(schema), pair_shares(schema), strict=True):
        questions.add(pair, share)
    heights = [len(tree) - 1 for tree in questions.trees]
    return Design({"heights": heights}, tuple(questions.tables), tuple(questions.families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> PairwiseModel:
    """Return the leaves of every pair's hierarchy; nothing here draws at random.

    Args:
        plan: The plan that was answered.
        tally: What was counted.
        how: The same for every mechanism; nothing of it is used here.
    """
    pairs, sizes = pairs_of(plan.schema), plan.schema.sizes
    asked = [_hierarchy(plan, tally, number) for number in range(len(pairs))]
    grids = [_leaves(plan, pair, nodes) for pair, nodes in zip(pairs, asked, strict=True)]
    if plan.options.get("nonnegative"):  # plans made before there was the option have none
        grids = post_process(grids, rounds=ROUNDS)
    elif plan.options["postprocess"]:
        grids = make_consistent(grids)
    return PairwiseModel(
        Origin.of(plan, tally),
        estimator=plan.options["estimator"],
        blocks=[np.arange(size) for size in sizes],
        matrices={pair: grid.frequencies for pair, grid in zip(pairs, grids, strict=True)},
        raw=[nodes.raw for hierarchy in asked for nodes in hierarchy.values() if nodes.raw.reports >= 2],
    )


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The estimates of the nodes at two depths of a pair's trees, and how many reports they come from."""

    raw: RawGrid
    reports: int


def _hierarchy(plan: Plan, tally: Tally, number: int) -> dict[tuple[int, ...], _Nodes]:
    """Return the nodes of one pair's hierarchy by their depths, both roots left out."""
    pair = pairs_of(plan.schema)[number]
    tables = [tree_maps(plan.schema.sizes[index], plan.options["branching"]) for index in pair]
    depths = [len(own) for own in tables]
    offsets, first = family_offsets(depths), plan.questions.offsets[2 * number]  # two families a pair
    totals, weights = tally.question_totals, tally.question_weights
    found = {}
    for chosen in np.ndindex(*depths):
        if any(chosen):
            question = plan.questions[first + question_number(depths, chosen, offsets)]
            own = [tables[axis][depth] for axis, depth in enumerate(chosen)]
            raw = RawGrid(
                attributes=pair,
                bins=tuple(table.array() for table in own),
                estimates=_estimate(question, tally).reshape([table.bins for table in own]),
                reports=float(weights[question.index]),
                support=question.oracle.support(),
            )
            found[chosen] = _Nodes(raw, int(totals[question.index]))
    return found


def _leaves(plan: Plan, pair: tuple[int, int], nodes: dict[tuple[int, ...], _Nodes]) -> Grid:
    """Return the leaves that fit all estimates of one pair's hierarchy, shifted to add up to one."""
    rows, columns = (tree_starts(plan.schema.sizes[index], plan.options["branching"]) for index in pair)
    estimates: list[list[Floats]] = [[np.ones((1, 1)) for _ in columns] for _ in rows]
    for (row, column), own in nodes.items():
        estimates[row][column] = own.raw.estimates
    reports = sum(own.reports for own in nodes.values())
    leaves = infer_2d(estimates, rows, columns)
    return Grid(
        attributes=pair,
        frequencies=leaves + (1.0 - leaves.sum()) / leaves.size,
        variance=1.0 / reports if reports else np.inf,
        buckets=(rows[-1], columns[-1]),
    )


def _estimate(question: Question, tally: Tally) -> Floats:
    """Return the raw estimates of a question's nodes; if nobody reported, the fraction of levels that each holds."""
    if len(tally.pairs(question.index)[0]):
        return frequencies(question, tally)
    widths = [np.bincount(table.array()) / len(table.array()) for table in question.tables]
    return np.asarray(functools.reduce(np.multiply.outer, widths))


LHIO = Mechanism("lhio", "a consistent hierarchy for every pair", LHIOOptions, design, fit, PairwiseModel)
