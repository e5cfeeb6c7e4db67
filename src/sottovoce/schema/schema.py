"""What is asked: an ordered list of attributes, and how a record becomes levels.

>>> schema = Schema([Ordinal("age", 0, 119), Numeric("income", 0, 200_000)])
>>> schema.levels({"age": 34, "income": 52_000})
(34, 16)
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

import msgspec
import rfc8785

from sottovoce._files import write_whole
from sottovoce.errors import RecordError, SchemaError
from sottovoce.schema.attributes import Attribute, Categorical, Numeric, Ordinal, index_by_name, settle

AnyAttribute = Union[Ordinal, Numeric, Categorical]  # noqa: UP007 - msgspec reads this at run time


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The attributes of a collection, in order; readable from and writable to JSON and TOML."""

    attributes: tuple[AnyAttribute, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Iterable):
            raise SchemaError(f"a schema is a list of Ordinal, Numeric and Categorical, got {self.attributes!r}")
        attributes = tuple(self.attributes)
        if not attributes:
            raise SchemaError("a schema needs at least one attribute, got none")
        for attribute in attributes:
            if not isinstance(attribute, Attribute):
                raise SchemaError(f"a schema is a list of Ordinal, Numeric and Categorical, got {attribute!r}")
        names = [attribute.name for attribute in attributes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"attribute names must differ, got {', '.join(twice)} more than once")
        settle(self, attributes=attributes)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The attributes' numbers of levels, in order."""
        return tuple(attribute.size for attribute in self.attributes)

    def index(self, name: str) -> int:
        """Return where the attribute called ``name`` stands in the schema, from 0, or raise KeyError."""
        return index_by_name(self.names)[name]

    def levels(self, record: Mapping[str, object]) -> tuple[int, ...]:
        """Return the record's level on every attribute, having checked all of it."""
        if not isinstance(record, Mapping):
            raise RecordError(f"a record maps attribute names to values, got {type(record).__name__}")
        unknown = [name for name in record if name not in index_by_name(self.names)]
        if unknown:
            raise RecordError(f"unknown attributes {unknown!r}; this schema asks for {', '.join(self.names)}")
        return tuple(attribute.level(record.get(attribute.name)) for attribute in self.attributes)

    def to_toml(self) -> str:
        """Return the TOML form."""
        document = {"attributes": [_without_none(attribute) for attribute in msgspec.to_builtins(self)["attributes"]]}
        import tomli_w

        return tomli_w.dumps(document)

    def to_json(self) -> str:
        """Return the canonical (RFC 8785) JSON form."""
        return rfc8785.dumps(msgspec.to_builtins(self)).decode()

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """Return the schema that a TOML text describes."""
        try:
            return msgspec.convert(tomllib.loads(text), cls)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise SchemaError(f"not a schema: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Schema:
        """Return the schema that a JSON text describes."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.MsgspecError as error:
            raise SchemaError(f"not a schema: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the schema as TOML if the path ends in ``.toml``, as JSON otherwise."""
        write_whole(path, (self.to_toml() if Path(path).suffix == ".toml" else self.to_json()).encode())

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema: TOML if the path ends in ``.toml``, JSON otherwise."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SchemaError(f"cannot read the schema {str(path)!r}: {error}") from error
        return cls.from_toml(text) if Path(path).suffix == ".toml" else cls.from_json(text)


def _without_none(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None}
