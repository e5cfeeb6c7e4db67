"""The plans that a collector serves, as the parts that read and count reports want them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.plan.plan import Plan
from sottovoce.service.store import PlanKey, Store


@dataclass(frozen=True)
class Served:
    """A plan and the numbers under which it is kept."""

    plan: Plan
    key: PlanKey

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The size of every question's alphabet; 0 for one that nobody is asked, where a liar would be alone."""
        return np.where(self.plan.questions.shares > 0, self.plan.questions.codes, 0)

    @cached_property
    def code_list(self) -> list[int]:
        """The same as a list, from which one number is read faster."""
        sizes: list[int] = self.codes.tolist()
        return sizes

    @cached_property
    def document(self) -> bytes:
        """The canonical JSON, whose SHA-256 is the fingerprint."""
        return self.plan.to_json()

    @cached_property
    def warnings(self) -> list[str]:
        """What people who are asked would miss in this plan."""
        missing = [name for name in ("purpose", "contact", "expires") if not getattr(self.plan, name)]
        return [f"the plan does not state its {name}: people cannot know it" for name in missing]

    def expired(self, today: datetime.date) -> bool:
        """Return whether the plan's last day is over."""
        return self.plan.expires is not None and today.isoformat() > self.plan.expires


def today() -> datetime.date:
    """Return the day it is, by universal time: the finest time that a collector knows."""
    return datetime.datetime.now(datetime.UTC).date()


def register_plans(store: Store, plans: Iterable[Plan]) -> dict[str, Served]:
    """Return the plans by fingerprint, each kept in the store from now on."""
    return {plan.fingerprint: Served(plan, store.register(plan)) for plan in plans}
