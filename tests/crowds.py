"""Schemas and made-up crowds that the tests share: those of the conformance suite."""

from sottovoce.testing.crowds import (
    ATTRIBUTES,
    fraction_inside,
    mixed_crowd,
    mixed_schema,
    normal_crowd,
    records,
    square_schema,
)

__all__ = [
    "ATTRIBUTES",
    "fraction_inside",
    "mixed_crowd",
    "mixed_schema",
    "normal_crowd",
    "records",
    "square_schema",
]
