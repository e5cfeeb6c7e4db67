"""The largest local epsilon whose plan keeps a central promise."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sottovoce import Plan, Schema, SottovoceError

MAX_EPSILON = Decimal(2)
"""Clients refuse more unless a person allows it, so more is never chosen for them."""

_STEPS = 200
"""Epsilons are tried in steps of a hundredth, from 0.01 to 2."""


def largest_epsilon(schema: Schema, about: Mapping[str, Any], central: float, delta: float) -> Decimal:
    """Return the largest epsilon, to two digits and at most 2, whose plan keeps a central epsilon.

    Args:
        schema: What is asked.
        about: What else `Plan.create` is told; its ``users`` are the reports that are counted together.
        central: The epsilon for whoever sees only their counts.
        delta: How much probability is exempt from it.

    Raises:
        SottovoceError: If even an epsilon of 0.01 does not keep it.
    """

    def keeps(step: int) -> bool:
        plan = Plan.create(schema, **{**about, "epsilon": _epsilon(step)})
        return plan.audit().shuffled(users=plan.users, delta=delta).epsilon <= central

    if keeps(_STEPS):
        return MAX_EPSILON
    low, high = 0, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    if not low:
        raise SottovoceError(
            f"no epsilon of 0.01 or more keeps a central epsilon of {central:g} for counts of {about['users']:,} "
            "reports; allow more, or count more reports together"
        )
    return _epsilon(low)


def _epsilon(step: int) -> Decimal:
    return Decimal(step) * MAX_EPSILON / _STEPS
