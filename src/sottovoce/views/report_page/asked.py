"""The questions that a report is asked to answer, as a TOML file lists them.

```toml
[[question]]
title = "Who has a long way?"      # every question may have one
where = "minutes >= 45"            # a share of the crowd ...
given = "mode = 'car'"             # ... or of a part of it

[[question]]
mean = "minutes"                   # a mean, in every group that another attribute makes
by = "district"

[[question]]
share = "mode"                     # every value's share; with by, in every group
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sottovoce.errors import QueryError


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One question: a share of those whom a predicate selects, a mean, or every value's share.

    Attributes:
        title: Its heading.
        where: A predicate, of which the share is asked.
        mean: An ordered attribute, of which the mean is asked.
        share: An attribute, of which every value's share is asked.
        by: The attribute that makes groups, for ``mean`` and ``share``.
        given: Who is counted at all.
    """

    title: str = ""
    where: str | None = None
    mean: str | None = None
    share: str | None = None
    by: str | None = None
    given: str | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.where, self.mean, self.share)) != 1:
            raise ValueError("a question has exactly one of where, mean and share")
        if self.where is not None and self.by is not None:
            raise ValueError("by goes with mean or share; for a predicate in a group, say given")

    @property
    def attribute(self) -> str | None:
        """The attribute that is asked about; None for a predicate."""
        return self.mean if self.mean is not None else self.share


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: tuple[Question, ...]


def load_questions(path: str | Path) -> tuple[Question, ...]:
    """Return the questions of a TOML file.

    Raises:
        QueryError: Where it is not TOML, or a question is not one.
    """
    try:
        found = msgspec.convert(tomllib.loads(Path(path).read_text(encoding="utf-8")), _File).question
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise QueryError(
            f"{str(path)!r}: {error}; a file of questions has [[question]] with one of where, mean or share, and "
            "optionally title, by and given"
        ) from error
    if not found:
        raise QueryError(f"{str(path)!r}: there is no question in it; each starts with [[question]]")
    return found


def asked_pairs(questions: Sequence[Question]) -> list[tuple[str, str]]:
    """Return the (attribute, the one that makes the groups) that questions name, each once."""
    pairs = [(one.attribute, one.by) for one in questions if one.attribute is not None and one.by is not None]
    return list(dict.fromkeys(pairs))
