"""The plans that a collector serves, as the parts that read and count reports want them."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.plan.plan import Plan
from sottovoce.service.store import PlanKey, Store


@dataclass(frozen=True)
class Served:
    """A plan, the numbers under which it is kept, and for how many days after its last reports are still taken.

    With all plans of its collection in ``together`` it stands for reports that name their collection alone.
    """

    plan: Plan
    key: PlanKey
    grace: int = 0
    together: tuple[Served, ...] = ()

    @property
    def name(self) -> str:
        """What the reports that it stands for name: the plan, or the collection."""
        return self.plan.collection if self.together else self.plan.fingerprint

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The size of every question's alphabet; 0 for one that nobody is asked, where a liar would be alone."""
        if self.together:
            largest: NDArray[np.int64] = np.zeros(max(len(served.codes) for served in self.together), dtype=np.int64)
            for served in self.together:  # an earlier round has the first questions alone
                np.maximum(largest[: len(served.codes)], served.codes, out=largest[: len(served.codes)])
            return largest
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

    @cached_property
    def last_day(self) -> str:
        """The last day on which its reports are taken: what was drawn on the plan's last day may come later."""
        if self.together:
            return max(served.last_day for served in self.together)
        if self.plan.expires is None:
            return "9999-12-31"
        try:
            return (datetime.date.fromisoformat(self.plan.expires) + datetime.timedelta(days=self.grace)).isoformat()
        except OverflowError:
            return "9999-12-31"

    def expired(self, today: datetime.date) -> bool:
        """Return whether the plan's last day, and the days of grace after it, are over."""
        return today.isoformat() > self.last_day


def by_collection(plans: Iterable[Served]) -> Served:
    """Return what takes the reports that name their collection alone: they are counted under its newest plan.

    That is one of the last round, which has the questions of all.
    """
    together = tuple(plans)
    newest = max(together, key=lambda served: (served.plan.round, served.plan.version, served.key.plan))
    return Served(newest.plan, newest.key, newest.grace, together)


def today() -> datetime.date:
    """Return the day it is, by universal time: the finest time that a collector knows."""
    return datetime.datetime.now(datetime.UTC).date()


def register_plans(store: Store, plans: Iterable[Plan], grace: int = 0) -> dict[str, Served]:
    """Return the plans by fingerprint, each kept in the store from now on, and the others of their collections.

    A plan that was served once goes on being taken: reports were drawn for it, and their privacy is spent.

    Args:
        store: Where they are kept.
        plans: What to serve.
        grace: For how many days after a plan's last its reports are still taken.
    """
    found = {plan.fingerprint: Served(plan, store.register(plan), grace) for plan in plans}
    for collection in {served.key.collection for served in found.values()}:
        found |= other_plans(store, collection, found, grace)
    return found


def other_plans(store: Store, collection: int, known: Collection[str], grace: int) -> dict[str, Served]:
    """Return the plans of a collection that a store has and ``known`` has not.

    Args:
        store: Where they are kept.
        collection: The collection's number in the store.
        known: Fingerprints of those that are served already.
        grace: For how many days after a plan's last its reports are still taken.
    """
    missing = set(store.fingerprints(collection)) - set(known)
    found = {}
    for document in store.documents(collection) if missing else ():
        if hashlib.sha256(document).hexdigest() in missing:
            plan = Plan.from_json(document)
            found[plan.fingerprint] = Served(plan, store.register(plan), grace)
    return found
