"""A list of questions, one per line, becomes the attributes that ask them.

>>> read_questions(["car: Do you own a car? | yes/no"])[0].document
{'type': 'boolean', 'name': 'car', 'question': 'Do you own a car?'}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sottovoce.errors import SchemaError
from sottovoce.schema.proposal import Proposal

FORMS = (
    "yes/no",
    "0..99 years",
    "0..9000 EUR in 45 bins",
    "never < sometimes < always",
    "north, south, east",
    "any of: bus, bike, car",
    "year 1950..2026, weekday, month or hour",
)
"""What may stand behind the bar, by example."""

_RANGE = re.compile(r"(-?[\d.]+?)\s*\.\.\s*(-?[\d.]+)\s*(.*)")
_BINS = re.compile(r"(.*?)\s*\bin (\d+) bins")
_SMALL_WORDS = frozenset(
    (
        *(
            "a",
            "am",
            "an",
            "and",
            "are",
            "at",
            "by",
            "did",
            "do",
            "does",
            "for",
            "had",
            "has",
            "have",
            "here",
            "how",
            "i",
        ),
        *("in", "is", "it", "many", "much", "my", "of", "on", "or", "our", "the", "to", "was", "we", "were", "what"),
        *("when", "where", "which", "who", "why", "will", "with", "would", "you", "your"),
    )
)


def read_questions(lines: Iterable[str]) -> list[Proposal]:
    """Return the attribute of every question; empty lines and those that start with ``#`` are left alone.

    Raises:
        SchemaError: For a line that says nothing about answers, with its number and what may be written.
    """
    proposals: list[Proposal] = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            proposals.append(_proposal(line.strip(), number, {one.name for one in proposals}))
    if not proposals:
        raise SchemaError(f"the list holds no question; write one per line, such as: How old are you? | {FORMS[1]}")
    return proposals


def _proposal(line: str, number: int, taken: set[str]) -> Proposal:
    asked, bar, answers = (part.strip() for part in line.rpartition("|"))
    about = _answers(answers) if bar and asked else None
    if about is None:
        raise SchemaError(
            f"line {number}: {line!r} does not say what may be answered; write a bar and then, for example, "
            + ", or ".join(repr(form) for form in FORMS)
        )
    named = re.fullmatch(r"(\w+):\s*(\S.*)", asked)
    name, question = (named[1], named[2]) if named else (_name(asked, taken), asked)
    if name in taken:
        raise SchemaError(f"line {number}: there is a question named {name} already; give this one another name")
    return Proposal(name, {"type": about.pop("type"), "name": name, "question": question, **about}, ())


def _name(question: str, taken: set[str]) -> str:
    """Return a name of up to two words of a question that say something, unlike names that are taken."""
    words = re.findall(r"\w+", question.lower())
    telling = [word for word in words if word not in _SMALL_WORDS] or words or ["question"]
    name = "_".join(telling[:2])
    return next(one for one in (name, *(f"{name}_{number}" for number in range(2, 10_000))) if one not in taken)


def _answers(text: str) -> dict[str, Any] | None:
    if text.casefold() in ("yes/no", "yes / no", "yes or no"):
        return {"type": "boolean"}
    if text.casefold() in ("weekday", "month", "hour"):
        return {"type": "date", "by": text.casefold()}
    if text.casefold().startswith("year "):
        years = _RANGE.fullmatch(text[5:].strip())
        return None if years is None else {"type": "date", "by": "year", "low": int(years[1]), "high": int(years[2])}
    if text.casefold().startswith("any of:"):
        return _several("choices", "choices", text[7:].split(","))
    if "<" in text:
        return _several("ordered", "values", text.split("<"))
    found = _RANGE.fullmatch(text)
    if found is not None:
        return _range(found)
    return _several("categorical", "values", text.split(","))


def _several(kind: str, field: str, texts: Iterable[str]) -> dict[str, Any] | None:
    values = [text.strip() for text in texts if text.strip()]
    return {"type": kind, field: values} if len(values) > 1 else None


def _range(found: re.Match[str]) -> dict[str, Any] | None:
    bins = _BINS.fullmatch(found[3])
    unit = (bins[1] if bins else found[3]).strip()
    try:
        low, high = float(found[1]), float(found[2])
    except ValueError:
        return None
    shown = {"unit": unit} if unit else {}
    if bins is None and low.is_integer() and high.is_integer():
        return {"type": "ordinal", "low": int(low), "high": int(high), **shown}
    return {"type": "numeric", "low": low, "high": high, **({"bins": int(bins[2])} if bins else {}), **shown}
