"""A whole collection of one or several rounds, simulated: each person answers in one of them."""

from __future__ import annotations

import numpy as np

from sottovoce._types import Floats
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.plan.registry import find_mechanism
from sottovoce.schema.frames import column_arrays
from sottovoce.simulation.simulate import simulate
from sottovoce.tally.tally import Tally

_STREAM = int.from_bytes(b"rounds", "big")
"""The stream of the draw of who is asked in which round."""


def simulate_rounds(plan: Plan, table: object, *, seed: int, users: int | None = None) -> Tally:
    """Return the tally of all rounds of a simulated collection, with the last round's plan; one round is `simulate`.

    The people are divided at random, as the mechanism says; each round is designed from the tally of those before it.

    Args:
        plan: The plan of the first round. Of a later one all rounds are simulated anew: what it asks was designed for
            the crowd that answered before it, and need not fit another.
        table: The population: a pandas, polars or Arrow table, or a dict of arrays.
        seed: The same seed gives the same tally.
        users: None lets each row report once, in one of the rounds; a number draws that many people in all.
    """
    require_plan(plan)
    rounds = find_mechanism(plan.mechanism).rounds
    if rounds is None:
        return simulate(plan, table, seed=seed, users=users)
    if plan.round > 1:
        plan = _first_round(plan)
    fractions = np.array(rounds(plan))
    parts = _divided(table, plan, fractions, users, seed)
    tally: Tally | None = None
    for number, (rows, count) in enumerate(parts):
        counted = simulate(plan, rows, seed=seed + number * 2**40, users=count)
        if tally is not None:
            counted.merge(tally)
        tally = counted
        if number + 1 < len(parts):
            plan = plan.next_round(tally)
    assert tally is not None
    return tally


def _first_round(plan: Plan) -> Plan:
    """Return a plan of the first round, for as many people, by the same mechanism and options."""
    options = find_mechanism(plan.mechanism).settle(plan.options)
    return Plan.create(plan.schema, epsilon=plan.epsilon, users=plan.users, mechanism=plan.mechanism, options=options)


def _divided(
    table: object, plan: Plan, fractions: Floats, users: int | None, seed: int
) -> list[tuple[object, int | None]]:
    """Return the rows of each round, or the whole table and how many are drawn from it."""
    ends = np.cumsum(fractions / fractions.sum())
    if users is not None:
        counts = np.diff(np.rint(ends * users).astype(int), prepend=0)
        return [(table, int(max(1, count))) for count in counts]
    columns = column_arrays(plan.schema, table)
    people = len(next(iter(columns.values())))
    order = np.random.default_rng([seed, _STREAM]).permutation(people)
    splits = np.split(order, np.rint(ends[:-1] * people).astype(int))
    return [({name: column[own] for name, column in columns.items()}, None) for own in splits]
