"""AHDG: two rounds, the second with grids whose cells fit what the first found of every attribute.

Guarantee: each person reports once, in one of the rounds, through an epsilon-LDP channel; what the second asks depends
only on what others reported. Cost: d questions in the first round, d + d(d-1)/2 in the second; between them a plan for
people not yet asked has to be published. Reference: the idea of Wang et al., VLDB 2024, "PriPL-Tree", and of PrivNUD:
find every attribute's distribution first, then ask where people are. It is neither of them: segments are one layer of
about equal masses, not a tree, and within a segment the first round's own shape is kept, not a straight line.

The first round asks every attribute level by level, by the square wave where levels have an order. The second asks for
segments of every attribute and for coarser bins of every pair, as HDG does, both cut to hold about equal masses. The
segments of both rounds are averaged by their reports; a pair's matrix of levels starts from independent attributes.
Before the second round is counted, the first alone gives a model of independent attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import choose_kind
from sottovoce.errors import PlanError
from sottovoce.estimation.consistency import Grid, post_process
from sottovoce.estimation.em import maximum_likelihood
from sottovoce.estimation.norm_sub import norm_sub
from sottovoce.estimation.weighted_update import PairGrids, response_matrix
from sottovoce.mechanisms.grids import (
    ROUNDS,
    buckets_of,
    even_shares,
    frequencies,
    guideline_2d,
    largest_domain,
    nearest_power,
    pairs_of,
)
from sottovoce.mechanisms.msw import GAIN
from sottovoce.mechanisms.options import (
    MechanismOptions,
    check_choice,
    check_granularity,
    require_pairs,
    require_small_pairs,
)
from sottovoce.mechanisms.pairwise_model import ESTIMATORS, PairwiseModel
from sottovoce.model.origin import Origin
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.questions import Family, Question
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class AHDGOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of AHDG.

    Attributes:
        first: The fraction of the people asked in the first round.
        g2: Into how many bins a pair's attributes are cut, instead of the guideline's number.
        segments: Into how many segments each of these bins is cut.
        alpha2: The guideline's constant.
        estimator: How answers on more than two attributes are made from pairs.
    """

    first: float = 0.2
    g2: int | None = None
    segments: int = 4
    alpha2: float = 0.03
    estimator: str = "max_entropy"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("estimator", self.estimator, ESTIMATORS)
        check_granularity("g2", self.g2)
        if not 0 < self.first < 1:
            raise PlanError(f"first is a fraction above 0 and below 1, got {self.first}")
        if not 1 <= self.segments <= 64 or not 0 < self.alpha2 < math.inf:
            raise PlanError(
                f"segments is from 1 to 64 and alpha2 a positive number, got {self.segments} and {self.alpha2}"
            )


def design(schema: Schema, epsilon: Decimal, users: int, options: AHDGOptions) -> Design:
    """Return the questions of the first round: every attribute level by level, by the square wave if it has order.

    Args:
        schema: What is asked; at least two attributes, no two with more than 2^20 pairs of levels.
        epsilon: The privacy of one answer.
        users: How many people are expected in all rounds; fixes how coarse the pairs of the second may be.
        options: What was asked for; ``first`` is the fraction of the people for this round.

    Raises:
        PlanError: If the schema has one attribute only, or two with too many pairs of levels.
    """
    require_pairs(schema, "ahdg")
    require_small_pairs(schema, "ahdg")
    asked = len(schema.attributes) + len(pairs_of(schema))
    ideal = guideline_2d(users * (1 - options.first) / asked, epsilon, options.alpha2)
    sizes = sorted(set(schema.sizes))
    families = tuple(
        Family(
            attributes=(index,),
            tables=((sizes.index(attribute.size),),),
            channel="square_wave" if attribute.ordered else choose_kind("olh", attribute.size, epsilon),
            shares=share,
        )
        for index, (attribute, share) in enumerate(
            zip(schema.attributes, even_shares(SHARES, len(schema.attributes)), strict=True)
        )
    )
    g2 = options.g2 or nearest_power(ideal, largest_domain(schema))
    return Design({"g2": g2}, tuple(BinMap(identity=size) for size in sizes), families)


def rounds(plan: Plan) -> list[float]:
    """Return the fractions of the people that the two rounds ask."""
    return [plan.options["first"], 1 - plan.options["first"]]


def next_round(plan: Plan, tally: Tally) -> Design:
    """Return the questions of the second round: segments of every attribute, then a grid of bins for every pair."""
    found = _first_round(plan, tally)
    bins = [_equal_masses(own, np.zeros(1, dtype=np.intp), plan.parameters["g2"]) for own in found]
    fine = [_equal_masses(own, starts, plan.options["segments"]) for own, starts in zip(found, bins, strict=True)]
    maps: list[BinMap] = []
    families: list[Family] = []
    pairs = pairs_of(plan.schema)
    singles = [((index,), [fine[index]]) for index in range(len(found))]
    both = [(pair, [bins[index] for index in pair]) for pair in pairs]
    shares = even_shares(SHARES, len(singles) + len(both))
    for (attributes, starts), share in zip((*singles, *both), shares, strict=True):
        own = [
            BinMap(edges=(*map(int, start), plan.schema.sizes[index]))
            for index, start in zip(attributes, starts, strict=True)
        ]
        for each in own:
            if each not in maps:
                maps.append(each)
        cells = math.prod(each.bins for each in own)
        families.append(
            Family(
                attributes=tuple(attributes),
                tables=tuple((maps.index(each),) for each in own),
                channel=choose_kind("olh", cells, plan.epsilon),
                shares=share,
            )
        )
    return Design({"segments": [len(starts) for starts in fine]}, tuple(maps), tuple(families))


def _first_round(plan: Plan, tally: Tally) -> list[Floats]:
    """Return every attribute's distribution as the first round found it."""
    found = []
    for question in plan.questions[: len(plan.schema.attributes)]:
        if question.channel.kind == "square_wave":
            threshold, counts = GAIN * math.exp(plan.epsilon), tally.counts(question.index)
            found.append(maximum_likelihood(question.channel.probabilities(), counts, threshold=threshold))
        else:
            found.append(norm_sub(frequencies(question, tally)))
    return found


def _equal_masses(distribution: Floats, starts: NDArray[np.intp], parts: int) -> NDArray[np.intp]:
    """Return where bins start that cut each of the given ones into so many of about equal mass, at most as many levels.

    There are always two, as a question has at least two cells.
    """
    ends = np.append(starts[1:], len(distribution))
    found: set[int] = set()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        below = np.cumsum(distribution[start:end])
        wanted = np.arange(1, parts) / parts * below[-1]
        # a bin ends after the level at which its mass is nearest to what is wanted
        inside = np.abs(below[:-1, None] - wanted).argmin(axis=0) + 1 if end - start > 1 else []
        found |= {start, *(start + int(step) for step in inside)}
    if len(found) == 1:
        found.add(max(1, len(distribution) // 2))
    return np.array(sorted(found), dtype=np.intp)


def fit(plan: Plan, tally: Tally, how: Fitting) -> PairwiseModel:
    """Return a matrix of levels for every pair; nothing here draws at random.

    Args:
        plan: The plan of either round.
        tally: What was counted in all rounds so far.
        how: The same for every mechanism; nothing of it is used here.

    Returns:
        After one round attributes are taken to be independent, after two the pairs are as they were measured.
    """
    first = _first_round(plan, tally)
    levels = [np.arange(size) for size in plan.schema.sizes]
    pairs = pairs_of(plan.schema)
    if plan.round == 1:
        matrices = {pair: np.outer(first[pair[0]], first[pair[1]]) for pair in pairs}
    else:
        grids = {grid.attributes: grid for grid in _second_round(plan, tally, first)}
        lines = [_fine(first[index], grids[index,], plan) for index in range(len(first))]
        threshold = 1.0 / tally.total
        asked = {question.attributes for question in plan.questions if tally.question_totals[question.index]}
        matrices = {
            pair: _matrix(plan, grids, lines, pair, threshold)
            if pair in asked  # nothing is known of one without reports
            else np.outer(lines[pair[0]], lines[pair[1]])
            for pair in pairs
        }
    return PairwiseModel(Origin.of(plan, tally), estimator=plan.options["estimator"], blocks=levels, matrices=matrices)


def _second_round(plan: Plan, tally: Tally, first: Sequence[Floats]) -> list[Grid]:
    """Return the segments and grids, non-negative and consistent; segments are averaged with the first round's."""
    totals, weights = tally.question_totals, tally.question_weights
    asked = plan.questions[len(first) :]
    coarsest = {question.attributes[0]: question.tables[0] for question in asked if len(question.attributes) == 1}
    for question in asked:
        if len(question.attributes) == 2:
            coarsest |= dict(zip(question.attributes, question.tables, strict=True))
    grids = []
    for question in asked:
        cells = frequencies(question, tally).reshape(question.shape)
        variance = question.oracle.variance(float(weights[question.index]))
        if not totals[question.index]:
            cells = np.full(question.shape, 1 / cells.size)
        if len(question.attributes) == 1:
            cells, variance = _averaged(tally, question, first[question.attributes[0]], (cells, variance))
        grids.append(
            Grid(
                attributes=question.attributes,
                frequencies=cells,
                variance=variance,
                buckets=tuple(
                    buckets_of(own, coarsest[index])
                    for index, own in zip(question.attributes, question.tables, strict=True)
                ),
            )
        )
    return post_process(grids, rounds=ROUNDS)


def _averaged(tally: Tally, question: Question, first: Floats, second: tuple[Floats, float]) -> tuple[Floats, float]:
    """Return the segments' frequencies averaged over both rounds by the number of reports, and their variance."""
    reports = np.array([tally.question_totals[question.attributes[0]], tally.question_totals[question.index]], float)
    parts: Floats = np.asarray(np.bincount(question.tables[0].array(), weights=first), dtype=np.float64)
    if not reports.all():
        return second if reports[1] else (parts, second[1])
    share = reports / reports.sum()
    return share[0] * parts + share[1] * second[0], second[1] * share[1]


def _fine(distribution: Floats, segments: Grid, plan: Plan) -> Floats:
    """Return a distribution over levels: within each segment the first round's shape, scaled to the segment's mass."""
    (index,) = segments.attributes
    question = next(own for own in plan.questions[len(plan.schema.attributes) :] if own.attributes == (index,))
    bins = question.tables[0].array()
    found = np.zeros(len(distribution))
    for segment, mass in enumerate(segments.frequencies.tolist()):
        own = np.flatnonzero(bins == segment)
        total = distribution[own].sum()
        found[own] = mass * (distribution[own] / total if total > 0 else np.full(len(own), 1 / len(own)))
    return found


def _matrix(
    plan: Plan, grids: dict[tuple[int, ...], Grid], lines: Sequence[Floats], pair: tuple[int, int], threshold: float
) -> Floats:
    question = next(own for own in plan.questions[len(lines) :] if own.attributes == pair)
    row_cells, column_cells = (table.array() for table in question.tables)
    rows, columns = lines[pair[0]], lines[pair[1]]
    known = PairGrids(rows, columns, grids[pair].frequencies, row_cells, column_cells)
    matrix, _ = response_matrix(np.outer(rows, columns), known, threshold=threshold)
    return np.asarray(matrix / matrix.sum())


AHDG = Mechanism(
    "ahdg",
    "two rounds: grids whose cells fit what the first found",
    AHDGOptions,
    design,
    fit,
    PairwiseModel,
    rounds=rounds,
    next_round=next_round,
)
