"""Which plans a collection takes in: those whose questions are numbered as the others' are, so that all counts add."""

from __future__ import annotations

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store.plan_log import Run


def require_joins(run: Run, plan: Plan, collection: int) -> None:
    """Raise StoreError if a plan is a round of a collection that has another design of it, or does not fit its others.

    Args:
        run: Reads the store, in the transaction that keeps the plan.
        plan: What is about to be kept.
        collection: Its collection's number.
    """
    if run("SELECT 1 FROM plans WHERE fingerprint = ?", (plan.fingerprint,)).fetchone():
        return
    known = run("SELECT fingerprint, document FROM plans WHERE collection = ?", (collection,))
    for fingerprint, document in known.fetchall():
        other = Plan.from_json(bytes(document))
        if not (plan.continues(other) or other.continues(plan)):
            raise StoreError(
                f"the collection {plan.collection[:12]} has the plan {fingerprint[:12]} of round {other.round}, whose "
                f"questions are others than those of {plan.fingerprint[:12]}, round {plan.round}: their counts do not "
                "add. A collection has one design of each round; add refreshed or extended plans of that one"
            )
