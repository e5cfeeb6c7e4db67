"""Rounds: a later plan of a collection, designed from what the earlier ones' reports show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sottovoce.errors import PlanError
from sottovoce.plan.registry import every_mechanism, find_mechanism

if TYPE_CHECKING:
    from sottovoce.plan.plan import Plan
    from sottovoce.tally.tally import Tally


def is_last_round(plan: Plan) -> bool:
    """Return whether no round follows that of a plan."""
    rounds = find_mechanism(plan.mechanism).rounds
    return rounds is None or plan.waves is not None or plan.round >= len(rounds(plan))


def next_round(plan: Plan, tally: Tally) -> Plan:
    """Return the plan of the next round: all questions so far, asked of nobody any more, and its own after them.

    Raises:
        PlanError: If there is no further round, or the tally is of another collection or round.
    """
    mechanism = find_mechanism(plan.mechanism)
    if mechanism.next_round is None or mechanism.rounds is None:
        able = ", ".join(each.name for each in every_mechanism() if each.next_round is not None)
        raise PlanError(f"{plan.mechanism} asks everything in one round; those of more rounds are: {able}")
    if plan.waves is not None:
        raise PlanError("a plan with waves has one round: people would be asked again by other questions")
    if plan.round >= len(mechanism.rounds(plan)):
        raise PlanError(f"this is round {plan.round} of {len(mechanism.rounds(plan))}, the last: fit its tally")
    if getattr(tally, "collection", None) is None:
        raise PlanError(f"a next round is designed from a Tally of this one, got {type(tally).__name__}")
    if tally.collection != plan.collection or len(tally.plan.questions) != len(plan.questions):
        raise PlanError("the tally is of another collection or round; give the one of this plan's own reports")
    if not tally.total:
        raise PlanError("the tally is empty: a next round is designed from what people of this one reported")
    design = mechanism.next_round(plan, tally)
    later = msgspec.structs.replace(
        plan,
        parameters={**plan.parameters, **design.parameters, "round": plan.round + 1},
        tables=plan.tables + design.tables,
        families=(
            *(msgspec.structs.replace(family, shares=0) for family in plan.families),
            *(family.shifted(len(plan.tables)) for family in design.families),
        ),
        version=plan.version + 1,
        parent=plan.collection,
    )
    later.check()
    return later


_OWN = {"parameters", "tables", "families", "version", "expires", "parent"}
"""In what the plan of a later round may differ from that of an earlier one."""


def continues(later: Plan, earlier: Plan) -> bool:
    """Return whether a plan's first questions are all those of another plan of its collection, and all else is alike.

    That a plan names a collection as its parent proves nothing: what it asks, of whom and at what cost does.
    """
    if earlier.collection != later.collection or len(earlier.families) > len(later.families):
        return False
    if any(getattr(later, name) != getattr(earlier, name) for name in set(later.__struct_fields__) - _OWN):
        return False
    return all(
        (mine.attributes, mine.channel) == (own.attributes, own.channel)
        and [[later.tables[table] for table in choices] for choices in mine.tables]
        == [[earlier.tables[table] for table in choices] for choices in own.tables]
        for mine, own in zip(later.families, earlier.families, strict=False)
    )


def check_parent(parent: object) -> None:
    """Raise PlanError unless a plan names a collection as its parent, or none."""
    if parent is not msgspec.UNSET and not re.fullmatch(r"[0-9a-f]{64}", str(parent)):
        raise PlanError(f"parent is a collection, 64 hexadecimal digits, got {parent!r}")
