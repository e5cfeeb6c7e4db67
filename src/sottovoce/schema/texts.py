"""Values written as text, as files hold them: numbers, words for yes and no, labels, dates and lists.

>>> from sottovoce.schema.attributes import Categorical, Ordinal
>>> read_text(Ordinal("age", 0, 99), "34"), read_text(Categorical("car", ["no", "yes"]), "TRUE")
(34.0, 'yes')
"""

from __future__ import annotations

from sottovoce.schema.attributes import YES_NO, Categorical, Ordinal
from sottovoce.schema.kinds import AnyAttribute

NULLS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
"""Texts that say "no answer", unless they are values."""

YES_WORDS = ("yes", "y", "true", "t", "1", "ja", "oui", "si", "sí")
NO_WORDS = ("no", "n", "false", "f", "0", "nein", "non")


def read_text(attribute: AnyAttribute, text: str) -> object:
    """Return the value that a text stands for; a text that stands for none is returned as it is, to be refused."""
    if isinstance(attribute, Categorical):
        if attribute.values != YES_NO or text in YES_NO:
            return text
        word = text.strip().casefold()
        return "yes" if word in YES_WORDS else "no" if word in NO_WORDS else text
    if isinstance(attribute, Ordinal) and attribute.labels and text in attribute.labels:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def is_null(attribute: AnyAttribute, text: str) -> bool:
    """Return whether a text says "no answer": an empty one or a usual abbreviation that is no value."""
    if isinstance(attribute, Categorical) and text in attribute.values:
        return False
    return text in NULLS and text not in (attribute.labels or ())
