"""Marginals: the distribution of every attribute through the Hadamard channel, and products of them.

Guarantee: each person reports one attribute through an epsilon-LDP channel. Cost: d questions; every correlation is
lost. Reference: none; it is an example.
"""

from __future__ import annotations

from decimal import Decimal

from sottovoce.estimation.norm_sub import norm_sub
from sottovoce.mechanisms.grids import attribute_map, estimate_grids, even_shares
from sottovoce.mechanisms.msw import ProductModel
from sottovoce.mechanisms.options import MechanismOptions
from sottovoce.model import Origin
from sottovoce.plan import SHARES, Design, Fitting, Mechanism, Plan
from sottovoce.plan.questions import Family
from sottovoce.schema import Schema
from sottovoce.tally import Tally


class MarginalsOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of Marginals: the most bins an attribute is put in."""

    bins: int = 64


def design(schema: Schema, epsilon: Decimal, users: int, options: MarginalsOptions) -> Design:
    """Return one question per attribute, the same share for each."""
    maps = [attribute_map(attribute, options.bins) for attribute in schema.attributes]
    shares = even_shares(SHARES, len(maps))
    families = tuple(
        Family(attributes=(index,), tables=((index,),), channel="hadamard", shares=share)
        for index, share in enumerate(shares)
    )
    return Design({}, tuple(maps), families)


def fit(plan: Plan, tally: Tally, how: Fitting) -> ProductModel:
    """Return every attribute's distribution, made non-negative; nothing here draws at random."""
    distributions = []
    for grid, question in zip(estimate_grids(plan, tally), plan.questions, strict=True):
        bins = question.tables[0].array()
        levels_in_bin = (bins[:, None] == bins).sum(axis=0)
        distributions.append(norm_sub(grid.frequencies)[bins] / levels_in_bin)
    return ProductModel(Origin.of(plan, tally), distributions=distributions)


MARGINALS = Mechanism(
    "marginals", "the Hadamard channel on every attribute, multiplied", MarginalsOptions, design, fit, ProductModel
)
