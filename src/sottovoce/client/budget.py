"""The budget: how much privacy a device is willing to spend, and what of it is spent. Exact sums of decimal numbers.

Epsilons of different collections add up, whoever asks: twenty twins of a plan of epsilon 1 would tell as much as one of
epsilon 20. So a device adds up what it answered in the last days of a **period**, refuses what would pass its budget,
and refuses any one collection above a largest epsilon. A person may keep several profiles on a device, for several
people; as nothing proves that they are several, all of them together keep a budget as well.

Both clients know the same rules and say the same words: ``vectors/budgets.json``.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable
from decimal import Decimal

import msgspec

from sottovoce._checks import check_integer
from sottovoce.channels import parse_epsilon
from sottovoce.errors import BudgetError, PlanError

MAX_EPSILON = Decimal(2)
"""The largest epsilon of one collection that a device answers unless its program says otherwise: odds change by 7.4."""

BUDGET = Decimal(4)
"""What one person spends in a period unless the program says otherwise."""

PERIOD = 365
"""The days for which what was spent counts."""

MOST = Decimal(1000)
"""The largest budget that can be set: above it the number says nothing any more."""

_EXACT = decimal.Context(prec=80, traps=[decimal.Inexact, decimal.InvalidOperation])


class Spent(msgspec.Struct, frozen=True):
    """One collection that was answered.

    Attributes:
        collection: Its name, 64 hexadecimal digits.
        epsilon: What it cost; None if it was answered before costs were written down, then it counts as `MAX_EPSILON`.
        day: When, ISO 8601.
        profile: Whose answer it was.
        purpose: What it was for, as its plan said.
    """

    collection: str
    epsilon: Decimal | None
    day: str
    profile: int = 1
    purpose: str = ""


class Limits(msgspec.Struct, frozen=True):
    """How much may be spent: by a person, and by all profiles of a device together, in so many days."""

    budget: Decimal = BUDGET
    period: int = PERIOD
    device_budget: Decimal = 2 * BUDGET

    def since(self, today: str) -> str:
        """Return the first day that still counts."""
        first = datetime.date.fromisoformat(today).toordinal() - self.period + 1
        return datetime.date.fromordinal(max(1, first)).isoformat()


class Cost(msgspec.Struct, frozen=True):
    """What an answer would cost, and what was spent: to be shown to the person before anything is drawn.

    Attributes:
        epsilon: What this collection costs.
        max_epsilon: The largest that this device answers.
        spent: What this person spent in the period.
        device_spent: What all profiles of the device spent in the period.
        limits: How much may be spent.
    """

    epsilon: Decimal
    max_epsilon: Decimal
    spent: Decimal
    device_spent: Decimal
    limits: Limits

    @property
    def refusal(self) -> str | None:
        """Why this is not answered, in words; None if it may be."""
        if self.epsilon > self.max_epsilon:
            return (
                f"this collection asks for epsilon {plain(self.epsilon)}, and this device answers at most "
                f"{plain(self.max_epsilon)}: nothing is drawn; a program that wants more must say so to the person"
            )
        for spent, budget, who in (
            (self.spent, self.limits.budget, "you"),
            (self.device_spent, self.limits.device_budget, "all people on this device"),
        ):
            if total([spent, self.epsilon]) > budget:
                return (
                    f"this collection costs epsilon {plain(self.epsilon)}, and {who} spent {plain(spent)} of "
                    f"{plain(budget)} in the last {self.limits.period} days: nothing is drawn"
                )
        return None

    @property
    def words(self) -> str:
        """The same for the person who is asked: what it costs, what was spent, and which limits were raised."""
        said = [
            f"This collection costs epsilon {plain(self.epsilon)}.",
            f"In the last {self.limits.period} days you spent {plain(self.spent)} of {plain(self.limits.budget)}.",
        ]
        if self.max_epsilon > MAX_EPSILON:
            said.append(f"This program raised the limit of one collection from 2 to {plain(self.max_epsilon)}.")
        usual = Limits()
        if (
            self.limits.budget > usual.budget
            or self.limits.period < usual.period
            or self.limits.device_budget > usual.device_budget
        ):
            raised = f"{plain(self.limits.budget)} in {self.limits.period} days"
            everybody = f"{plain(self.limits.device_budget)} for all people on this device"
            said.append(f"This program raised the budget from 4 in 365 days to {raised}, {everybody}.")
        return " ".join(said)


def cost_of(
    charged: tuple[Decimal, Decimal], entries: Iterable[Spent], limits: Limits, *, profile: int, day: str
) -> Cost:
    """Return what an answer would cost one person on one day.

    Args:
        charged: What the collection asks for, and the largest that the device answers.
        entries: Everything that was answered on the device.
        limits: How much may be spent.
        profile: Whose answer it would be.
        day: The day it is, ISO 8601.
    """
    first = limits.since(day)
    counting = [entry for entry in entries if entry.day >= first]
    own = [entry for entry in counting if entry.profile == profile]
    return Cost(*charged, spent_by(own), spent_by(counting), limits)


def spent_by(entries: Iterable[Spent]) -> Decimal:
    """Return what was spent on some collections, exactly."""
    return total(MAX_EPSILON if entry.epsilon is None else entry.epsilon for entry in entries)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of decimal numbers.

    Example:
        >>> total([Decimal("0.1")] * 3), total([Decimal("1.0000000000000000000000000001"), Decimal(19)])
        (Decimal('0.3'), Decimal('20.0000000000000000000000000001'))
    """
    found = Decimal(0)
    for amount in amounts:
        found = _EXACT.add(found, amount)
    return found


def plain(amount: Decimal) -> str:
    """Return a number without exponent or needless zeros.

    Example:
        >>> plain(Decimal("4.00")), plain(Decimal("1E+1")), plain(Decimal("0.50"))
        ('4', '10', '0.5')
    """
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse_limits(budget: object, period: object, device_budget: object) -> Limits:
    """Return the limits that a program asks for.

    Args:
        budget: How much epsilon one person may spend within a period: a number from 0 to 1000, or its text.
        period: How many days that is, from 1 to 100,000.
        device_budget: The same for all people on the device together; None for twice the budget.

    Raises:
        BudgetError: If one of them cannot be; it names what was given and what is allowed.
    """
    most = check_integer("period, in days,", period, error=BudgetError, least=1, most=100_000)
    own = _amount("budget", budget)
    return Limits(own, most, total([own, own]) if device_budget is None else _amount("device_budget", device_budget))


def parse_max_epsilon(value: object) -> Decimal:
    """Return the largest epsilon that a program lets its device answer."""
    try:
        return parse_epsilon(value)
    except PlanError as error:
        raise BudgetError(f"max_epsilon: {error}") from error


def _amount(name: str, value: object) -> Decimal:
    """Return a budget: a number from 0 to 1000, as a text or a float reads."""
    if isinstance(value, Decimal | int | float | str) and not isinstance(value, bool):
        try:
            found = Decimal(str(value))
        except decimal.InvalidOperation:
            found = Decimal("NaN")
        if found.is_finite() and 0 <= found <= MOST and len(found.as_tuple().digits) <= 28:
            return found
    raise BudgetError(f"{name} is a number from 0 to {MOST}, got {value!r}; the default is 4 in 365 days")
