"""Mechanisms under test: what each promises, and the plans and models that tests share."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import msgspec
import numpy as np

import sottovoce as sv
from sottovoce.plan.plan import SHARES
from sottovoce.schema.frames import encode
from sottovoce.testing.crowds import ATTRIBUTES, mixed_crowd, mixed_schema


@dataclass(frozen=True)
class Promise:
    """What a mechanism's answers keep to.

    Attributes:
        additive: Up to how many attributes a query's answer is the sum of its parts' answers.
        monotone: Up to how many attributes a wider query never answers less.
        one_attribute: Whether a schema of one attribute can be asked; if not, there is a clear error.
        categorical: Whether an attribute without order can be asked; if not, there is a clear error.
    """

    additive: int = 2
    monotone: int = 2
    one_attribute: bool = True
    categorical: bool = True


PROMISES: dict[str, Promise] = {
    "spectral": Promise(additive=4, monotone=4),
    "hdg": Promise(one_attribute=False),
    "tdg": Promise(one_attribute=False),
    "calm": Promise(one_attribute=False),
    "ahdg": Promise(one_attribute=False),
    "lhio": Promise(one_attribute=False, monotone=0),
    "hio": Promise(additive=0, monotone=0),
    "msw": Promise(additive=4, monotone=4, categorical=False),
    "uniform": Promise(additive=4, monotone=4),
}


def promise_of(mechanism: str) -> Promise:
    """Return what the mechanism promises; one that is not listed promises what most do."""
    return PROMISES.get(mechanism, Promise())


PEOPLE = 20_000


def schema_of(mechanism: str, attributes: int = 3) -> sv.Schema:
    """Return the mixed schema, or its first ordered attributes for a mechanism that takes no others."""
    if promise_of(mechanism).categorical:
        return mixed_schema(attributes)
    return sv.Schema(tuple(attribute for attribute in ATTRIBUTES if attribute.ordered)[:attributes])


@functools.cache
def plan_of(mechanism: str, *, epsilon: str = "1", attributes: int = 3) -> sv.Plan:
    """Return the mechanism's plan for the mixed schema, with default options.

    Args:
        mechanism: The name of a mechanism.
        epsilon: The privacy of one answer.
        attributes: How many attributes the schema has.
    """
    return sv.Plan.create(schema_of(mechanism, attributes), epsilon=epsilon, users=PEOPLE, mechanism=mechanism)


@functools.cache
def model_of(mechanism: str, *, attributes: int = 3) -> sv.Model:
    """Return the model fitted to the mixed crowd, simulated with seed 7."""
    plan = plan_of(mechanism, attributes=attributes)
    return sv.fit(plan, sv.simulate(plan, mixed_crowd(PEOPLE, seed=7), seed=7))


def expected_pairs(plan: sv.Plan, table: object) -> np.ndarray:
    """Return the exact probability of every (question, code) pair for a person drawn from the table's rows."""
    levels = encode(plan.schema, table)
    parts = []
    for question in plan.questions:
        cells = question.cells([levels[attribute] for attribute in question.attributes])
        frequencies = np.bincount(cells, minlength=question.channel.cells) / len(cells)
        parts.append(frequencies @ question.channel.probabilities() * (question.share / SHARES))
    return np.concatenate(parts)


def counted_pairs(tally: sv.Tally) -> np.ndarray:
    """Return the count of every (question, code) pair, in the same order."""
    return np.concatenate([tally.counts(question.index) for question in tally.plan.questions])


def reshared(plan: sv.Plan) -> sv.Plan:
    """Return another plan of the same collection: its shares turned round, its version and expiry changed."""
    shares = plan.questions.shares[::-1].tolist()
    families, start = [], 0
    for family in plan.families:
        families.append(msgspec.structs.replace(family, shares=tuple(shares[start : start + family.count])))
        start += family.count
    return msgspec.structs.replace(plan, families=tuple(families), version=2, expires="2031-01-01")
