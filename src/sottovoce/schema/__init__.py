"""What is asked: attributes, the schema that lists them, and how tables of records become levels and back."""

from __future__ import annotations

from sottovoce.schema.attribute import Attribute
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.kinds import AnyAttribute, Boolean, Choices, Date, Integers, Ordered
from sottovoce.schema.presentation import Translation
from sottovoce.schema.schema import Schema

__all__ = [
    "AnyAttribute",
    "Attribute",
    "Boolean",
    "Categorical",
    "Choices",
    "Date",
    "Integers",
    "Numeric",
    "Ordered",
    "Ordinal",
    "Schema",
    "Translation",
]
