"""How an attribute is shown to people: title, question, unit, labels of its values, and all of these translated.

Nothing here changes what is asked or how it is randomised. What was not given is left out of a plan altogether, so a
plan without presentation is the same document, to the last byte, as one made before there was any.

    >>> Translation("de", title="Alter", unit="Jahre").title
    'Alter'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import msgspec

from sottovoce._checks import is_readable
from sottovoce.errors import SchemaError

MAX_TEXT = 2000
"""The most characters of one text that is shown."""

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)
_TEXTS = ("title", "question", "unit")


class Shown(NamedTuple):
    """The words for one attribute in one language; empty where there are none, but for the title."""

    title: str
    question: str
    unit: str
    labels: tuple[str, ...]


class Texts(TypedDict, total=False):
    """The texts that an attribute may be given by name, for checkers of types."""

    title: str | None
    question: str | None
    unit: str | None
    labels: Sequence[str] | None
    translations: Sequence[Translation] | None


class Presentation(msgspec.Struct, frozen=True, kw_only=True):
    """The optional texts of an attribute or a translation; `msgspec.UNSET`, which is false, where one was not given."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    question: str | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET
    labels: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class Translation(Presentation, frozen=True, forbid_unknown_fields=True, repr_omit_defaults=True):
    """The texts of an attribute in another language, such as ``de`` or ``pt-BR``."""

    language: str

    if TYPE_CHECKING:

        def __init__(
            self,
            language: str,
            *,
            title: str | None = None,
            question: str | None = None,
            unit: str | None = None,
            labels: Sequence[str] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_language("a translation", self.language)
        settle_texts(self, f"the translation to {self.language}")


class Translated(Presentation, frozen=True, kw_only=True):
    """Texts, and the same in other languages."""

    translations: tuple[Translation, ...] | msgspec.UnsetType = msgspec.UNSET


def settle(value: msgspec.Struct, **fields: object) -> None:
    """Give frozen fields their settled form, during construction only."""
    for name, settled in fields.items():
        msgspec.structs.force_setattr(value, name, settled)


def check_language(what: str, language: object) -> None:
    """Raise SchemaError unless a language is written as BCP 47 writes it, in its plain form."""
    if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        raise SchemaError(f"{what}: a language is a code such as en, de or pt-BR, got {language!r}")


def settle_texts(value: Presentation, what: str) -> None:
    """Bring texts into their settled form; raise SchemaError for one that cannot be shown."""
    for name in _TEXTS:
        text: Any = getattr(value, name)
        if text is None:
            settle(value, **{name: msgspec.UNSET})
        elif text is not msgspec.UNSET and not _is_shown(text):
            raise SchemaError(f"{what}: {name} is 1 to {MAX_TEXT} visible characters, got {text!r}")
    labels: Any = value.labels
    if labels is None:
        settle(value, labels=msgspec.UNSET)
    elif labels is not msgspec.UNSET:
        settle(value, labels=_settled_labels(what, labels))


def check_labels(what: str, labels: tuple[str, ...] | msgspec.UnsetType, levels: int) -> None:
    """Check that there is a label for every value, or none at all.

    Args:
        what: Whose labels they are, for the message.
        labels: The labels, in the order of the values.
        levels: How many values there are.

    Raises:
        SchemaError: If there are some, but not one for each.
    """
    if labels and len(labels) != levels:
        raise SchemaError(f"{what}: {len(labels)} labels for {levels} values; give one for each, in order, or none")


def _settled_labels(what: str, labels: object) -> tuple[str, ...]:
    settled = () if isinstance(labels, str) or not isinstance(labels, Iterable) else tuple(labels)
    if not settled or not all(map(_is_shown, settled)) or len(set(settled)) != len(settled):
        raise SchemaError(
            f"{what}: labels are different texts of 1 to {MAX_TEXT} visible characters, one for each value, "
            f"got {labels!r}"
        )
    return settled


def _is_shown(text: object) -> bool:
    return is_readable(text) and 1 <= len(text) <= MAX_TEXT
