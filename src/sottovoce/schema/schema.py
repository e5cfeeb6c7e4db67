"""What is asked: an ordered list of attributes, and how a record becomes levels.

>>> schema = Schema([Ordinal("age", 0, 119), Numeric("income", 0, 200_000)])
>>> schema.levels({"age": 34, "income": 52_000})
(34, 16)
"""

from __future__ import annotations

import datetime
import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import rfc8785

from sottovoce._files import read_whole, write_whole
from sottovoce.errors import RecordError, SchemaError
from sottovoce.schema.attribute import Attribute, index_by_name
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.kinds import KINDS, AnyAttribute, AnyKind
from sottovoce.schema.notebook import rows_html
from sottovoce.schema.presentation import check_language, settle

__all__ = ["SHOWN", "AnyAttribute", "Schema", "chosen"]

SHOWN = 8
"""How many attributes a schema's one-line form names."""


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The attributes of a collection, in order; readable from and writable to JSON and TOML.

    Kinds that become others (`Boolean`, `Ordered`, `Integers`, `Date`, `Choices`) may stand in the list: the schema
    holds what they become. ``language`` is the one that titles, questions and labels are in.
    """

    attributes: tuple[AnyAttribute, ...]
    language: str | msgspec.UnsetType = msgspec.UNSET

    if TYPE_CHECKING:

        def __init__(self, attributes: Sequence[AnyAttribute | AnyKind], language: str | None = None) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Iterable):
            raise SchemaError(f"a schema is a list of Ordinal, Numeric and Categorical, got {self.attributes!r}")
        attributes = tuple(one for given in self.attributes for one in _lowered(given))
        if not attributes:
            raise SchemaError("a schema needs at least one attribute, got none")
        names = [attribute.name for attribute in attributes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"attribute names must differ, got {', '.join(twice)} more than once")
        language: Any = self.language
        if language is None:
            settle(self, language=msgspec.UNSET)
        elif language is not msgspec.UNSET:
            check_language("the schema", language)
        settle(self, attributes=attributes)
        taken = sorted(set(self.choices) & set(names))
        if taken:
            raise SchemaError(f"a multiple choice and an attribute are both named {', '.join(taken)}; rename one")

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The attributes' numbers of levels, in order."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def choices(self) -> dict[str, tuple[Categorical, ...]]:
        """The attributes that are choices of one question each, by that question's name."""
        found: dict[str, tuple[Categorical, ...]] = {}
        for attribute in self.attributes:
            if isinstance(attribute, Categorical) and attribute.choice_of:
                found[attribute.choice_of] = (*found.get(attribute.choice_of, ()), attribute)
        return found

    @property
    def languages(self) -> tuple[str, ...]:
        """The schema's own language, if it says so, and those that anything is translated to."""
        translated = {one.language for attribute in self.attributes for one in attribute.translations or ()}
        own = [self.language] if self.language else []
        return (*own, *sorted(translated - set(own)))

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
        """Return the record's level on every attribute, having checked all of it.

        A multiple choice may be given by its own name, as the list of what was chosen.
        """
        if not isinstance(record, Mapping):
            raise RecordError(f"a record maps attribute names to values, got {type(record).__name__}")
        record = self._chosen(record)
        unknown = [name for name in record if name not in index_by_name(self.names)]
        if unknown:
            raise RecordError(f"unknown attributes {unknown!r}; this schema asks for {', '.join(self.names)}")
        return tuple(attribute.level(record.get(attribute.name)) for attribute in self.attributes)

    def _chosen(self, record: Mapping[str, object]) -> Mapping[str, object]:
        """Return a record with a yes or no for each choice in place of the lists of what was chosen."""
        given = {name: members for name, members in self.choices.items() if name in record}
        if not given:
            return record
        plain = {name: value for name, value in record.items() if name not in given}
        for name, members in given.items():
            twice = [member.name for member in members if member.name in plain]
            if twice:
                raise RecordError(f"{name}: given both as a list and as {', '.join(twice)}; give one of the two")
            plain |= chosen(name, members, record[name])
        return plain

    def to_toml(self) -> str:
        """Return the TOML form."""
        document = msgspec.to_builtins(self)
        document["attributes"] = [_without_none(attribute) for attribute in document["attributes"]]
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
            return _read(tomllib.loads(text))
        except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
            raise SchemaError(f"not a schema: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Schema:
        """Return the schema that a JSON text describes."""
        try:
            return _read(msgspec.json.decode(text))
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


def chosen(name: str, members: tuple[Categorical, ...], value: object) -> dict[str, str | None]:
    """Return yes or no for each choice of a multiple choice, given the list of what was chosen; None is no answer.

    Args:
        name: The multiple choice's name, for the message.
        members: The attributes that it is made of, one for each choice.
        value: A list, tuple or set of titles; None for no answer.

    Returns:
        For each member's name "yes", "no" or None.

    Raises:
        RecordError: If the value is something else, or names what is no choice.
    """
    if value is None:
        return {member.name: None for member in members}
    titles = [member.title for member in members]
    listed = list(value) if isinstance(value, list | tuple | set | frozenset) else None
    if listed is None or not all(one in titles for one in listed):
        raise RecordError(f"{name}: allowed is a list of any of {', '.join(map(repr, titles))}")
    return {member.name: "yes" if member.title in listed else "no" for member in members}


def _lowered(given: object) -> tuple[AnyAttribute, ...]:
    if isinstance(given, AnyKind):
        return given.lowered()
    if not isinstance(given, Ordinal | Numeric | Categorical):
        names = ", ".join(kind.__name__ for kind in KINDS.values())
        raise SchemaError(f"a schema is a list of attributes ({names}), got {given!r}")
    return (given,)


def _read(document: object) -> Schema:
    """Return the schema of a document, each attribute of any kind; errors name the attribute and what is allowed."""
    if not isinstance(document, dict) or not isinstance(document.get("attributes"), list):
        raise SchemaError(f'not a schema: it lists "attributes", each with a type ({", ".join(KINDS)}) and a name')
    more = {name: value for name, value in document.items() if name != "attributes"}
    if more.keys() - {"language"}:
        raise SchemaError(
            f"not a schema: it has attributes and a language, and no {', '.join(more.keys() - {'language'})}"
        )
    attributes: Any = [_read_attribute(one, number) for number, one in enumerate(document["attributes"], 1)]
    return Schema(attributes, **more)


def _read_attribute(document: object, number: int) -> AnyAttribute | AnyKind:
    if not isinstance(document, dict):
        raise SchemaError(f"not a schema: attribute {number} is a table with a type and a name, got {document!r}")
    name = f"attribute {number} ({document.get('name', 'without a name')})"
    kind = document.get("type")
    if kind not in KINDS:
        near = difflib.get_close_matches(str(kind), KINDS, n=1)
        said = "it has no type" if kind is None else f"there is no type {kind!r}"
        raise SchemaError(
            f"not a schema: {name}: {said}; the types are {', '.join(KINDS)}"
            f"{f': did you mean {near[0]}?' if near else ''}"
        )
    fields = KINDS[kind].__struct_fields__
    unknown = [field for field in document if field not in ("type", *fields)]
    if unknown:
        raise SchemaError(
            f"not a schema: {name}: an attribute of type {kind} has no {', '.join(unknown)}; "
            f"it may have {', '.join(fields)}"
        )
    try:
        return msgspec.convert(_plain(document), KINDS[kind])
    except msgspec.ValidationError as error:
        raise SchemaError(f"not a schema: {name}: {error}") from error


def _plain(value: Any) -> Any:
    """Return a value with days of TOML as text, and integers as text where they are categories."""
    if isinstance(value, dict):
        plain = {name: _plain(one) for name, one in value.items()}
        if plain.get("type") == "categorical" and isinstance(plain.get("values"), list):
            plain["values"] = [str(one) if type(one) is int else one for one in plain["values"]]
        return plain
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date) else value
