"""What is asked: an ordered list of attributes, and how a record becomes levels.

>>> schema = Schema([Ordinal("age", 0, 119), Numeric("income", 0, 200_000)])
>>> schema.levels({"age": 34, "income": 52_000})
(34, 16)
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import msgspec
import rfc8785

from sottovoce._files import read_whole, write_whole
from sottovoce.errors import RecordError, SchemaError
from sottovoce.schema.attributes import Attribute, Categorical, Numeric, Ordinal, index_by_name, settle
from sottovoce.schema.notebook import rows_html

SHOWN = 8
"""How many attributes a schema's one-line form names."""

AnyAttribute = Union[Ordinal, Numeric, Categorical]  # noqa: UP007 - msgspec reads this at run time


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The attributes of a collection, in order; readable from and writable to JSON and TOML."""

    attributes: tuple[AnyAttribute, ...]

    if TYPE_CHECKING:

        def __init__(self, attributes: Sequence[AnyAttribute]) -> None: ...

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

    def __len__(self) -> int:
        return len(self.attributes)

    def __iter__(self) -> Iterator[AnyAttribute]:
        return iter(self.attributes)

    def __contains__(self, wanted: object) -> bool:
        """Return whether an attribute, or one of that name, is asked."""
        return wanted in (
            self.names if isinstance(wanted, str) else self.attributes if isinstance(wanted, Attribute) else ()
        )

    def __getitem__(self, wanted: str | int) -> AnyAttribute:
        """Return the attribute of a name or index.

        Raises:
            SchemaError: If there is none; it names those there are.
        """
        try:
            return self.attributes[self.index(wanted) if isinstance(wanted, str) else wanted]
        except (LookupError, TypeError) as error:
            raise SchemaError(f"this schema has no attribute {wanted!r}; it has {', '.join(self.names)}") from error

    def __repr__(self) -> str:
        listed = [f"{attribute.name} ({attribute.size})" for attribute in self.attributes[:SHOWN]]
        more = f", and {len(self) - SHOWN} more" if len(self) > SHOWN else ""
        return f"<Schema {', '.join(listed)}{more}>"

    def _repr_html_(self) -> str:
        return rows_html(
            ("attribute", "kind", "allowed", "levels"),
            [
                (each.name, type(each).__name__, each.domain + (" or no answer" * each.accepts_null), f"{each.size:,}")
                for each in self.attributes
            ],
        )

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
        if not isinstance(text, str):
            raise SchemaError(f"the TOML form of a schema is a text, got {type(text).__name__}")
        try:
            return msgspec.convert(tomllib.loads(text), cls)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeError, RecursionError) as error:
            raise SchemaError(f"not a schema: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Schema:
        """Return the schema that a JSON text describes."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError) as error:
            raise SchemaError(f"not a schema: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the schema as TOML if the path ends in ``.toml``, as JSON otherwise."""
        write_whole(path, (self.to_toml() if Path(path).suffix == ".toml" else self.to_json()).encode())

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema: TOML if the path ends in ``.toml``, JSON otherwise."""
        try:
            text = read_whole(path, "schema", error=SchemaError).decode()
        except UnicodeDecodeError as error:
            raise SchemaError(f"cannot read the schema {str(path)!r}: {error}") from error
        return cls.from_toml(text) if Path(path).suffix == ".toml" else cls.from_json(text)


def _without_none(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None}
