"""Texts of a table become values, and those that cannot are named by row and column, all of them.

Rows count from 1, the header not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sottovoce.errors import RecordError
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.frames import encode, listed_choices
from sottovoce.schema.kinds import AnyAttribute
from sottovoce.schema.schema import Schema, chosen
from sottovoce.schema.texts import is_null, read_text

_TOLD = 3
"""How many faults an error tells of; ``--check`` tells of all."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that an attribute does not allow."""

    row: int
    column: str
    value: object
    why: str

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}: got {self.value!r}; {self.why}"


def as_values(attribute: AnyAttribute, column: pa.ChunkedArray, *, decimal_comma: bool) -> pa.ChunkedArray:
    """Return a column of texts as an attribute's values.

    Args:
        attribute: What the column answers.
        column: Texts, or nulls.
        decimal_comma: Whether "1,5" is one and a half, as in files whose columns are parted by semicolons.

    Returns:
        Numbers, or texts that are values; the column as it is if one text stands for no value, so that it is refused.
    """
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    if decimal_comma and not isinstance(attribute, Categorical):
        texts = [text.replace(",", ".") for text in texts]
    values = [None if is_null(attribute, text) else read_text(attribute, text) for text in texts]
    numbers = {type(value) for value in values if value is not None} <= {float}
    kind = pa.float64() if numbers and not isinstance(attribute, Categorical) else pa.string()
    if kind == pa.string() and any(isinstance(value, float) for value in values):
        values = [_number(attribute, value) for value in values]
        if not all(value is None or isinstance(value, float) for value in values):
            return column
        kind = pa.float64()
    return pa.chunked_array([pc.take(pa.array(values, kind), encoded.indices)])


def _number(attribute: AnyAttribute, value: Any) -> Any:
    """Return the number that a label or a date among numbers stands for; a text that stands for none stays."""
    if not isinstance(value, str):
        return value
    try:
        level = attribute.level(value)
    except RecordError:
        return value
    assert not isinstance(attribute, Categorical)
    return float(getattr(attribute, "integers")[level])  # noqa: B009


def find_faults(schema: Schema, table: pa.Table, first: int) -> list[Fault]:
    """Return every value of a table that its attribute does not allow.

    Args:
        schema: What is asked.
        table: Some rows of a file.
        first: The number of the table's first row in its file.

    Returns:
        The faults in the order of their rows; none if the whole table may be randomised.

    Raises:
        RecordError: If the table cannot be read for another reason, such as a column that is missing.
    """
    try:
        encode(schema, table)
    except RecordError:
        faults = [
            fault
            for name in table.column_names
            for fault in _column_faults(schema, name, table.column(name).to_pylist(), first)
        ]
        if not faults:
            raise
        return sorted(faults, key=lambda fault: fault.row)
    return []


def _column_faults(schema: Schema, name: str, values: Sequence[object], first: int) -> list[Fault]:
    members = schema.choices.get(name)
    faults = []
    known: dict[object, str] = {}
    for row, value in enumerate(values, first):
        key = value if isinstance(value, str | int | float | None) else repr(value)
        if key not in known:
            try:
                if members:
                    _check_choices(name, members, value)
                else:
                    _check_value(schema.attributes[schema.index(name)], value)
                known[key] = ""
            except RecordError as error:
                known[key] = str(error).removeprefix(f"{name}: ")
        if known[key]:
            faults.append(Fault(row, name, value, known[key]))
    return faults


def _check_choices(name: str, members: tuple[Categorical, ...], value: object) -> None:
    found = chosen(name, members, listed_choices(value, [str(member.title) for member in members]))
    for member in members:
        member.level(found[member.name])


def _check_value(attribute: AnyAttribute, value: object) -> None:
    if isinstance(value, str):
        value = None if is_null(attribute, value) else read_text(attribute, value)
    attribute.level(value)


def fault_words(faults: Sequence[Fault]) -> str:
    """Return the first few faults in one line, and how many there are."""
    more = len(faults) - _TOLD
    shown = ". ".join(map(str, faults[:_TOLD]))
    return f"{shown}{f'. And {more:,} more' if more > 0 else ''} (rows count from 1, the header not counted)"
