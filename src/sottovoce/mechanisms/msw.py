"""MSW: the distribution of every attribute by the square wave, and products of them (section 3.5 of the paper).

Guarantee: each person reports one attribute through an epsilon-LDP channel. Cost: d questions; attributes are taken as
independent, so every correlation is lost, and what is left is as good as that. Reference: Yang et al., VLDB 2021, "MSW"
(multiplied square wave), after Li et al., SIGMOD 2020. An attribute that nobody reported on is taken as uniform.

"No answer" is the last bucket of an attribute's axis, next to its highest value.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import PlanError
from sottovoce.estimation.em import maximum_likelihood
from sottovoce.mechanisms.grids import even_shares
from sottovoce.mechanisms.options import MechanismOptions
from sottovoce.model.answer import INTERVAL_NOTE
from sottovoce.model.joint import JointModel, Levels
from sottovoce.model.origin import Origin
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.questions import Family
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.query.batch import Batch
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

GAIN = 1e-3
"""A sweep of expectation maximisation that raises the log-likelihood by less than this times e^epsilon is the last.

It is the rule of the square wave's authors. Going on to the very maximum fits the noise: spikes, and larger errors.
With smoothing, which keeps spikes down by itself, their rule is this number alone."""


class MSWOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of MSW.

    Attributes:
        smoothing: Whether every sweep of expectation maximisation ends with an average over neighbouring levels (EMS),
            as in the square wave's authors' own program. It helps where a distribution has no spikes at the scale of
            a level, and blurs those that it has.
    """

    smoothing: bool = False


class ProductModel(JointModel):
    """A distribution for every attribute, all independent."""

    kind = "product"

    def __init__(self, origin: Origin, *, distributions: list[Floats]) -> None:
        super().__init__(origin)
        self.distributions = distributions

    def evaluate(self, batch: Batch) -> Floats:
        """Return the product of the attributes' expected weights for every query of a batch."""
        answers = np.ones(batch.count)
        for attribute, selection in batch.selections.items():
            answers[selection.queries] *= selection.weights @ self.distributions[attribute]
        return answers

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        independent = "They leave out that attributes are taken as independent, so beyond one they are too narrow."
        return f"{INTERVAL_NOTE} {independent}"

    def draw_levels(self, count: int, generator: np.random.Generator) -> Levels:
        """Return levels drawn attribute by attribute."""
        return [generator.choice(len(own), count, p=own / own.sum()) for own in self.distributions]

    def state(self) -> dict[str, Any]:
        """Return the distributions."""
        return {"distributions": self.distributions}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> ProductModel:
        """Return the model that `state` describes."""
        return cls(origin, distributions=state["distributions"])


def design(schema: Schema, epsilon: Decimal, users: int, options: MSWOptions) -> Design:
    """Return the questions of MSW: every attribute level by level, the same share for each.

    Args:
        schema: What is asked; ordered attributes only.
        epsilon: The privacy of one answer.
        users: How many people are expected; changes nothing here.
        options: How reports are decoded.

    Raises:
        PlanError: If an attribute has no order, to be near in.
    """
    unordered = [attribute.name for attribute in schema.attributes if not attribute.ordered]
    if unordered:
        raise PlanError(
            f"msw reports a value near the true one, and {', '.join(map(repr, unordered))} has no order to be near in; "
            "use hdg or calm, which take categorical attributes, or leave it out"
        )
    sizes = sorted(set(schema.sizes))
    families = tuple(
        Family(attributes=(index,), tables=((sizes.index(size),),), channel="square_wave", shares=share)
        for index, (size, share) in enumerate(
            zip(schema.sizes, even_shares(SHARES, len(schema.attributes)), strict=True)
        )
    )
    return Design({}, tuple(BinMap(identity=size) for size in sizes), families)


def fit(plan: Plan, tally: Tally, how: Fitting) -> ProductModel:
    """Return the likeliest distribution of every attribute; nothing here draws at random.

    Args:
        plan: The plan that was answered.
        tally: What was counted.
        how: The same for every mechanism; nothing of it is used here.
    """
    distributions = [
        decode(question.channel.probabilities(), tally.counts(question.index), plan) for question in plan.questions
    ]
    return ProductModel(Origin.of(plan, tally), distributions=distributions)


def decode(table: Floats, counts: NDArray[np.int64], plan: Plan) -> Floats:
    """Return one attribute's distribution, by the rules of the square wave's authors and as the plan's options say.

    Args:
        table: The probability of every code (columns) given every level (rows).
        counts: How many reports gave each code.
        plan: Its options say whether the estimate is smoothed; epsilon fixes when the search ends.
    """
    smoothing = plan.options.get("smoothing", False)  # plans made before there was the option have none
    threshold = GAIN if smoothing else GAIN * math.exp(plan.epsilon)
    return maximum_likelihood(table, counts, threshold=threshold, smoothing=smoothing)


MSW = Mechanism("msw", "the square wave on every attribute, multiplied", MSWOptions, design, fit, ProductModel)
