"""Waves: the same people asked again and again, each of them answering once.

A plan with waves is a panel. At joining, a device draws its **turn**: the one wave in which it reports, each as likely,
and its question. In that wave it reports; in all others it is silent, and as the draw looked at no record, silence
tells nothing. All that is ever learnt of a history of records is therefore one report about one of them: over all
histories the loss is that of one report, exactly, however many waves there are and whoever changes when.

Questions are numbered wave by wave: question ``q`` of wave ``w``, the first being 1, is ``(w - 1) * per_wave + q``.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import msgspec

from sottovoce._checks import check_integer
from sottovoce.channels import parse_epsilon
from sottovoce.errors import PlanError

MAX_WAVES = 1000


class Waves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often people are asked again, and when.

    Attributes:
        number: How many waves there are, from 2 to 1000.
        first: The first day of the first wave, ISO 8601; None if programs say which wave it is.
        days: How many days a wave lasts, the next following at once; None if ``first`` is.
    """

    number: int
    first: str | None
    days: int | None

    def check(self) -> None:
        """Raise PlanError unless these can be waves."""
        check_integer("waves", self.number, error=PlanError, least=2, most=MAX_WAVES)
        if (self.first is None) != (self.days is None):
            raise PlanError(
                f"first_wave, a date, and wave_days go together, got {self.first!r} and {self.days!r}; "
                "without them programs say which wave it is"
            )
        if self.first is not None:
            check_integer("wave_days", self.days, error=PlanError, least=1, most=3660)
            check_date("first_wave", self.first)

    def check_wave(self, wave: object) -> int:
        """Return a wave's number; raise PlanError unless there is such a wave."""
        return check_integer("wave", wave, error=PlanError, least=1, most=self.number)

    def on(self, day: datetime.date) -> int | None:
        """Return which wave it is on a day; None before the first and after the last.

        Raises:
            PlanError: If the plan does not say when its waves are.

        Example:
            >>> weekly = Waves(number=3, first="2027-01-04", days=7)
            >>> [weekly.on(datetime.date(2027, 1, day)) for day in (3, 4, 10, 11, 24, 25)]
            [None, 1, 1, 2, 3, None]
        """
        if self.first is None or self.days is None:
            raise PlanError("this plan does not say when its waves are; say which wave it is")
        passed = (day - datetime.date.fromisoformat(self.first)).days
        wave = passed // self.days + 1
        return wave if 1 <= wave <= self.number else None


def read_waves(epsilon: object, options: dict[str, Any]) -> tuple[Decimal, Waves | None]:
    """Return the epsilon of one report, and the waves that options ask for, which are taken out of them.

    Raises:
        PlanError: Unless either an epsilon is given, or waves and a lifetime.
    """
    number, lifetime, first, days = (
        options.pop(name, None) for name in ("waves", "lifetime", "first_wave", "wave_days")
    )
    if number is None:
        if lifetime is not None or first is not None or days is not None:
            raise PlanError("lifetime, first_wave and wave_days are about waves; say how many there are, as waves=12")
        return parse_epsilon(epsilon), None
    if lifetime is None or epsilon is not None:
        raise PlanError(
            f"a plan with waves states the epsilon over all of them: give lifetime and no epsilon, got lifetime "
            f"{lifetime!r} and epsilon {epsilon!r}; a person reports once, so it is that of the report too"
        )
    waves = Waves(number, first.isoformat() if isinstance(first, datetime.date) else first, days)
    waves.check()
    return parse_epsilon(lifetime), waves


def check_date(name: str, text: object) -> None:
    """Raise PlanError unless a text is a date."""
    try:
        if not isinstance(text, str) or datetime.date.fromisoformat(text).isoformat() != text:
            raise ValueError
    except ValueError as error:
        raise PlanError(f"{name} is a date such as 2030-12-31, got {text!r}") from error
