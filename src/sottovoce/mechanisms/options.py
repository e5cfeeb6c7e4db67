"""The checks that mechanisms make of their options and schemas, in one wording."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_type_hints

import msgspec

from sottovoce.channels import MAX_CELLS
from sottovoce.errors import PlanError, TooLargeError
from sottovoce.schema.schema import Schema


class MechanismOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every mechanism's options are: a frozen struct whose members are of the types they say."""

    def __post_init__(self) -> None:
        types = get_type_hints(type(self))
        for name in self.__struct_fields__:
            try:
                msgspec.structs.force_setattr(self, name, msgspec.convert(getattr(self, name), types[name]))
            except (msgspec.ValidationError, UnicodeError, AttributeError) as error:  # of what is no JSON at all
                raise PlanError(f"{name}: {error}, got {getattr(self, name)!r}") from error


def check_choice(name: str, given: str, allowed: Sequence[str]) -> None:
    """Raise PlanError for a choice that is not among those allowed.

    Args:
        name: The option's name, for the message.
        given: What was given.
        allowed: All that may be.
    """
    if given not in allowed:
        raise PlanError(f"{name} is one of {', '.join(allowed)}, got {given!r}")


def check_granularity(name: str, granularity: int | None) -> None:
    """Raise PlanError for a granularity that cannot be."""
    if granularity is not None and granularity < 2:
        raise PlanError(f"{name} is at least 2, got {granularity}")


def check_positive(**numbers: float) -> None:
    """Raise PlanError for a number that is not positive and finite."""
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise PlanError(f"{name} is a positive number, got {number}")


def require_pairs(schema: Schema, mechanism: str) -> None:
    """Raise PlanError unless the schema has at least one pair of attributes."""
    if len(schema.attributes) < 2:
        raise PlanError(
            f"{mechanism} asks about pairs of attributes, and this schema has only {schema.names[0]!r}; "
            "add an attribute, or use a mechanism that takes one"
        )


def require_small_pairs(schema: Schema, mechanism: str) -> None:
    """Raise PlanError unless every pair of levels of every pair of attributes can be estimated at once."""
    sizes = sorted(zip(schema.sizes, schema.names, strict=True))[-2:]
    cells = math.prod(size for size, _ in sizes)
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"{mechanism} estimates every pair of levels, at most 2^20 = {MAX_CELLS} of them, and "
            f"{' and '.join(repr(name) for _, name in sizes)} have {cells}; use fewer bins, or hdg"
        )
