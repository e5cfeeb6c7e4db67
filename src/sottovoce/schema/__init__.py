"""What is asked: attributes, the schema that lists them, and how tables of records become levels and back."""

from __future__ import annotations

from sottovoce.schema.attributes import Attribute, Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema

__all__ = ["AnyAttribute", "Attribute", "Categorical", "Numeric", "Ordinal", "Schema"]
