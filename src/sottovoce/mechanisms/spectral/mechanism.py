"""Spectral: ask for the signs of Walsh functions, and explain all answers by one mixture of products.

Guarantee: each person reports the signs of a few Walsh functions of their record, or only products of two signs,
through randomised response over as many cells as there are combinations, which is epsilon-LDP; about e^epsilon + 1
cells tell most. Cost: at most one question per 100 people; the fit takes seconds, and any query microseconds. Answers
are never negative, additive over disjoint ranges, monotone, and 1 for everybody. A question that got no report has no
information and no part in the fit. Reference: docs/spectral.md, docs/design/limit.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from sottovoce._types import Floats
from sottovoce.channels import GRR
from sottovoce.errors import PlanError
from sottovoce.mechanisms.options import MechanismOptions
from sottovoce.mechanisms.spectral.blocks import Block, Candidates, coefficient_groups
from sottovoce.mechanisms.spectral.design import LEAST_REPORTS, least_shares, optimise
from sottovoce.mechanisms.spectral.design import design as design_shares
from sottovoce.mechanisms.spectral.fitting import EFFORTS, Answers, fit_mixture
from sottovoce.mechanisms.spectral.model import Known, MixtureModel
from sottovoce.mechanisms.spectral.moments import Shown
from sottovoce.mechanisms.spectral.patterns import leads_of
from sottovoce.mechanisms.spectral.prior import PRIOR
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload
from sottovoce.model.answer import TOLD_NINE_IN_TEN
from sottovoce.model.origin import Origin
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.questions import Family
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

MAX_LEVELS, MAX_ATTRIBUTES = 4096, 100

STRONG, PAIRS_NAMED = 0.5, 6
"""A mean product of two signs that is called strong dependence; how many pairs a warning names."""


class WorkloadOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What matters, where not everything does alike.

    Attributes:
        widths: The widths of ranges that will be asked, as fractions of a domain; all by default.
        attributes: How much attributes matter, by name; those not named weigh 1.
        pairs: How much pairs matter, as [name, name, weight]; where given, pairs not named weigh nothing.
    """

    widths: tuple[float, ...] | None = None
    attributes: dict[str, float] = msgspec.field(default_factory=dict)
    pairs: tuple[tuple[str, str, float], ...] | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            widths: Sequence[float] | None = None,
            attributes: Mapping[str, float] = ...,
            pairs: Sequence[tuple[str, str, float]] | None = None,
        ) -> None: ...


class SpectralOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of Spectral.

    Attributes:
        workload: "ranges" for all ranges, "marginals" for single values, or what matters in detail.
    """

    workload: str | WorkloadOptions = "ranges"

    if TYPE_CHECKING:

        def __init__(self, *, workload: Literal["ranges", "marginals"] | WorkloadOptions = "ranges") -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.workload, str) and self.workload not in ("ranges", "marginals"):
            raise PlanError(
                f'workload is "ranges", "marginals", or a dict of widths, attributes and pairs, got {self.workload!r}'
            )


def design(schema: Schema, epsilon: Decimal, users: int, options: SpectralOptions) -> Design:
    """Return the questions of Spectral: a product family for every block of bands that repays its reports.

    Args:
        schema: What is asked; any kinds of attributes, at most 100 of at most 4096 levels.
        epsilon: The privacy of one answer.
        users: How many people are expected; fixes how finely, and how many attributes together, they are asked.
        options: Which queries matter.

    Raises:
        PlanError: If there are too many attributes or levels, or the workload names an attribute that is not there.
    """
    if len(schema.attributes) > MAX_ATTRIBUTES:
        raise PlanError(f"spectral takes at most {MAX_ATTRIBUTES} attributes, got {len(schema.attributes)}")
    for attribute in schema.attributes:
        if attribute.size > MAX_LEVELS:
            raise PlanError(
                f"spectral takes at most {MAX_LEVELS} levels, {attribute.name} has {attribute.size}: use bins"
            )
    axes = [Axis.of(attribute) for attribute in schema.attributes]
    blocks = design_shares(axes, epsilon, users, _workload(schema, options.workload))
    tables: dict[BinMap, int] = {}
    families = []
    for (block, _), share in zip(blocks, _whole([share for _, share in blocks]), strict=True):
        choices = []
        for (index, _), listed in zip(block.patterns, block.tables, strict=True):
            own = [BinMap(walsh=(axes[index].size, *functions)) for functions in listed]
            choices.append(tuple(tables.setdefault(table, len(tables)) for table in own))
        families.append(
            Family(
                attributes=tuple(index for index, _ in block.patterns),
                tables=tuple(choices),
                channel=block.channel,
                shares=share,
            )
        )
    together = max(3, *(len(block.patterns) for block, _ in blocks))
    kinds = {
        str(count): sum(len(block.patterns) == count for block, _ in blocks if not block.parity)
        for count in range(1, together + 1)
    }
    kinds["parity"] = sum(block.parity for block, _ in blocks)
    questions = sum(family.count for family in families)
    return Design({"questions": questions, "blocks": kinds}, tuple(tables), tuple(families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> MixtureModel:
    """Return the mixture of products that explains the tally; a tally has one model, whatever the seed.

    Args:
        plan: A plan of the collection.
        tally: What was counted.
        how: Its quality chooses among `EFFORTS`, its progress is told; its seed is not used.
    """
    answers = answers_of(plan, tally)
    origin = Origin.of(plan, tally)
    with threadpool_limits(1):  # matrices are small: several threads would only wait for each other
        fitted = fit_mixture(answers, EFFORTS[how.quality], progress=how.progress)
    mixture, known = fitted.mixture, Known.of(answers, fitted)
    model = MixtureModel(origin, weights=mixture.weights, factors=mixture.factors, known=known)
    model.caveats = tuple(_caveats(plan, answers))
    return model


def refresh(plan: Plan, tally: Tally) -> list[int]:
    """Return shares that suit the sizes of coefficients that a tally shows, band by band; every question keeps some.

    Sizes are estimated per band, never per coefficient, so that pooled estimates stay all but unbiased.
    """
    answers = answers_of(plan, tally)
    options = msgspec.convert(plan.options, SpectralOptions)
    workload = _workload(plan.schema, options.workload)
    groups = coefficient_groups(answers.axes, workload, prior=PRIOR.at(plan.epsilon))
    asked = Candidates.of(groups, plan.epsilon, [block_of(plan, family) for family in plan.families])
    known, variance = _what_is_known(asked, answers)
    left = max(plan.users - tally.total, LEAST_REPORTS * len(plan.questions))
    start = np.array([float(family.total_share) for family in plan.families])
    # the same convex problem as the design's, given what is known already and the variances that the tally shows
    shares, _ = optimise(replace(asked, groups=replace(groups, variance=variance)), left, start, steps=200, known=known)
    least = least_shares(asked, plan.users)  # of everybody, before and after: enough in all
    least *= min(1.0, 1 / least.sum())
    more = np.maximum(shares - least, 0)
    return _whole((least + (1 - least.sum()) * more / max(more.sum(), 1e-12)).tolist())


def _what_is_known(asked: Candidates, answers: Answers) -> tuple[Floats, Floats]:
    """Return, for every group of coefficients, the information gathered and the variance that is believed.

    Empirical Bayes: the prior variance, shrunk towards the method-of-moments estimate by that estimate's own precision.
    """
    where, moments, groups = answers.asked, answers.moments, asked.groups
    known, variance = np.zeros(len(groups.variance)), groups.variance.copy()
    for group in sorted({group for block in asked.blocks for group in block.shows}):
        rows = where.indices(*group[0]) if len(group) == 2 else np.array([0])
        block = np.ix_(rows, where.indices(*group[-1]))
        information = moments.information[block]
        if not (information > 0).all():
            continue
        number = groups.number(group)
        known[number], prior = information.mean(), groups.variance[number]
        # E y^2 = theta^2 + 1/I, so the mean of y^2 - 1/I is unbiased for the group's variance
        shown = float((moments.estimate[block] ** 2 - 1 / information).mean())
        # the variance of a mean of m squares of a normal with variance s is 2 s^2 / m
        chance = 2 * (1 / known[number] + prior) ** 2 / information.size  # the variance of what shows
        # empirical Bayes: shrink the method-of-moments variance towards the prior's by how uncertain it is
        believed = prior + (shown - prior) / (1 + chance / prior**2)
        variance[number] = min(max(believed, 0.1 * prior), 1.0)
    return known, variance


def answers_of(plan: Plan, tally: Tally) -> Answers:
    """Return what was asked and counted, family by family."""
    questions, codes, counts = tally.columns()
    weights = np.minimum(tally.question_weights / np.maximum(tally.question_totals, 1), 1.0)
    axes = [Axis.of(attribute) for attribute in plan.schema.attributes]
    blocks, by_block, attenuations = [], [], []
    for family, (first, stop) in zip(plan.families, pairwise(plan.questions.offsets), strict=True):
        block = shown_by(plan, family)
        among = slice(*np.searchsorted(questions, (first, stop)))
        table = np.zeros((family.count, int(plan.questions.codes[first:stop].max())), dtype=np.int64)
        table[questions[among] - first, codes[among]] = counts[among]
        # capped at the expected count + 4 sd, so that liars cannot buy weight
        crowded = np.flatnonzero(weights[first:stop] < 1)
        table[crowded] = np.rint(table[crowded] * weights[first:stop][crowded, None])
        blocks.append(block)
        by_block.append(block.counted(table))
        sizes = plan.questions.codes[first:stop].tolist()
        # tau of the channel's own integers, not of e^epsilon: what was drawn is what is undone
        kept = {size: GRR.design(size, plan.epsilon).attenuation for size in set(sizes)}
        attenuations.append(np.array([kept[size] for size in sizes]).reshape(block.shape))
    return Answers(axes, blocks, by_block, attenuations)


def shown_by(plan: Plan, family: Family) -> Shown:
    """Return the functions that a family's questions show."""
    tables = [[_functions(plan.tables[table]) for table in choices] for choices in family.tables]
    return Shown.of(family.attributes, tables, plan.schema.sizes, parity=family.channel != "grr")


def block_of(plan: Plan, family: Family) -> Block:
    """Return the block that a family was made of."""
    leads = [leads_of(_functions(plan.tables[choices[0]])) for choices in family.tables]
    return Block(tuple(zip(family.attributes, leads, strict=True)), parity=family.channel != "grr")


def _functions(table: BinMap) -> tuple[int, ...]:
    assert table.walsh is not None
    return table.walsh[1:]


def _whole(shares: list[float]) -> list[int]:
    """Return integers in proportion to the shares that add up to 2^32; what rounding leaves goes to the largest."""
    whole = [int(share / sum(shares) * SHARES) for share in shares]
    whole[whole.index(max(whole))] += SHARES - sum(whole)
    return whole


def _workload(schema: Schema, asked: str | WorkloadOptions) -> Workload:
    names = schema.names
    everything = Workload.all_ranges(len(names))
    if isinstance(asked, str):
        return Workload(everything.pairs, None if asked == "ranges" else (1 / max(schema.sizes),))
    unknown = {*asked.attributes, *(name for pair in asked.pairs or () for name in pair[:2])} - set(names)
    if unknown:
        raise PlanError(f"workload names unknown attributes {sorted(unknown)}; the schema has {', '.join(names)}")
    if asked.widths is not None and not (asked.widths and all(0 < width <= 1 for width in asked.widths)):
        raise PlanError(
            "workload widths are at least one width, each a fraction of a domain above 0 and at most 1, "
            f"got {list(asked.widths)}"
        )
    if any(first == second for first, second, _ in asked.pairs or ()):
        raise PlanError(
            f"workload pairs are of two different attributes, got {[list(pair) for pair in asked.pairs or ()]}"
        )
    weights = np.array([asked.attributes.get(name, 1.0) for name in names])
    pairs = everything.pairs * np.outer(weights, weights)
    if asked.pairs is not None:
        pairs = np.zeros_like(pairs)
        for first, second, weight in asked.pairs:
            one, other = names.index(first), names.index(second)
            pairs[one, other] = pairs[other, one] = weight
    if (weights < 0).any() or (pairs < 0).any() or (len(names) > 1 and not pairs.any()):
        raise PlanError("workload weights are zero or positive, and at least one pair of attributes matters")
    return Workload(pairs, asked.widths)


def _caveats(plan: Plan, answers: Answers) -> list[str]:
    """Return what reports cannot tell: attributes nobody was asked about, pairs of which even strong dependence hides.

    A pair is judged by its coarsest product of signs, which is asked most.
    """
    asked, information, names = answers.asked, answers.moments.information, plan.schema.names
    found = []
    unasked = [name for name, bands in zip(names, asked.bands, strict=True) if not bands]
    if unasked:
        found.append(
            f"nobody was asked about {', '.join(unasked)}, which weigh nothing in the plan's workload: answers on them "
            "are guesses, and their intervals mean nothing"
        )
    pairs = [
        pair for pair in combinations(range(len(answers.axes)), 2) if all(asked.bands[attribute] for attribute in pair)
    ]
    # a coefficient is told from none nine times in ten if it is 2.93 standard errors 1 / sqrt I
    needed = (TOLD_NINE_IN_TEN / STRONG) ** 2
    few = [
        f"{names[one]} and {names[other]}"
        for one, other in pairs
        if information[np.ix_(asked.indices(one, 0), asked.indices(other, 0))].item() < needed
    ]
    if few:
        listed = ", ".join(few[:PAIRS_NAMED]) + (
            f" and {len(few) - PAIRS_NAMED} more" if len(few) > PAIRS_NAMED else ""
        )
        reports = sum(int(counts.sum()) for counts in answers.counts)
        found.append(
            f"{reports:,} reports at epsilon {plan.epsilon} cannot tell whether {len(few)} of {len(pairs)} pairs of "
            f"attributes go together even strongly ({listed}): read answers on these as if they were independent, "
            "collect more reports, or ask fewer attributes"
        )
    return found


SPECTRAL = Mechanism(
    name="spectral",
    summary="signs of Walsh functions, explained by a mixture of products",
    options=SpectralOptions,
    design=design,
    fit=fit,
    model=MixtureModel,
    refresh=refresh,
)
