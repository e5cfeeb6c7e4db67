"""Where a model comes from: what was asked, how, and how many answered."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from sottovoce.plan.plan import Plan
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    from sottovoce.tally.tally import Tally


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes:
        schema: What was asked.
        mechanism: The mechanism's name.
        epsilon: The privacy of each report.
        collection: The collection that was tallied.
        reports: How many reports were counted.
    """

    schema: Schema
    mechanism: str
    epsilon: Decimal
    collection: str
    reports: int

    @classmethod
    def of(cls, plan: Plan, tally: Tally) -> Origin:
        """Return the origin of a model fitted to a plan's tally."""
        return cls(plan.schema, plan.mechanism, plan.epsilon, plan.collection, tally.total)
