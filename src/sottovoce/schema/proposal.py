"""A schema proposed from a table of texts: kinds, ranges and categories, and which columns to leave out.

Ranges and categories that are read off private data say something about the people in it. So ranges are rounded
outwards, rare categories are lumped, and the file says that both should be replaced by what is known without the data.

    >>> propose("age", Counter({"34": 2, "71": 1})).document
    {'type': 'ordinal', 'name': 'age', 'low': 30, 'high': 80, 'clip': True}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.schema.dates import date_number
from sottovoce.schema.texts import NO_WORDS, NULLS, YES_WORDS

_CATEGORIES = 30
"""The most categories that are proposed."""

_RARE = 0.01
"""Categories with a smaller share than this are lumped."""

_FINE = 200
"""Integers that span more than this are proposed in bins."""

_SCALES = (
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very bad", "bad", "fair", "good", "very good"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("low", "medium", "high"),
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed for a column: an attribute's document and remarks, or why there is none."""

    name: str
    document: dict[str, Any] | None
    remarks: tuple[str, ...]


def propose(name: str, values: Mapping[str, int]) -> Proposal:
    """Return the attribute proposed for a column, given how often each text occurs in it."""
    texts = {text: count for text, count in values.items() if text not in NULLS}
    rows = sum(texts.values())
    if len(texts) < 2:
        return Proposal(name, None, ("everybody says the same, or nothing",))
    found = (
        _yes_no(texts)
        or _dates(texts)
        or _numbers(texts, rows)
        or _scale(texts)
        or _choices(texts)
        or _categories(texts, rows)
    )
    kind, about, remarks = found
    silent = len(texts) < len(values) and kind != "choices"  # nothing chosen is an answer
    nullable = {"nullable": True} if silent else {}
    return Proposal(name, None if kind is None else {"type": kind, "name": name, **about, **nullable}, remarks)


_Found = tuple[str | None, dict[str, Any], tuple[str, ...]]


def _yes_no(texts: Iterable[str]) -> _Found | None:
    words = {text.strip().casefold() for text in texts}
    if words <= {*YES_WORDS, *NO_WORDS} and words & {*YES_WORDS} and words & {*NO_WORDS}:
        return "boolean", {}, ()
    return None


def _dates(texts: Iterable[str]) -> _Found | None:
    years = [date_number("year", text) for text in texts]
    if any(year is None for year in years):
        return None
    first, last = min(year or 0 for year in years), max(year or 0 for year in years)
    remark = "a date may also be asked by weekday, month, hour (if it has a time), or in ranges: edges = [days]"
    if last - first < 2:
        return "date", {"by": "month"}, (remark,)
    return "date", {"by": "year", "low": first // 5 * 5, "high": -(-(last + 1) // 5) * 5, "clip": True}, (remark, _LEAK)


_LEAK = "the range was read off the data and rounded: put one that is known without it"
_LEAK_VALUES = "the values were read off the data: put those that are known without it"


def _numbers(texts: Mapping[str, int], rows: int) -> _Found | None:
    try:
        numbers = sorted(float(text) for text in texts)
    except ValueError:
        return None
    if not all(map(math.isfinite, numbers)):
        return None
    whole = all(number.is_integer() for number in numbers)
    if whole and len(numbers) == rows > 50 and numbers[-1] - numbers[0] < 2 * rows:
        return None, {}, ("every row has a number of its own: an identifier?",)
    low, high = outwards(numbers[0], numbers[-1])
    gaps = numbers[-1] - numbers[0] > 2 * len(numbers)
    if whole and gaps and len(numbers) <= 12 and rows >= 5 * len(numbers):
        return "integers", {"values": [int(number) for number in numbers]}, (_LEAK_VALUES,)
    if whole and numbers[-1] - numbers[0] <= 12:
        return "ordinal", {"low": int(numbers[0]), "high": int(numbers[-1]), "clip": True}, (_LEAK,)
    if whole and high - low <= _FINE:
        return "ordinal", {"low": int(low), "high": int(high), "clip": True}, (_LEAK,)
    return "numeric", {"low": low, "high": high, "bins": 64, "clip": True}, (_LEAK,)


def outwards(low: float, high: float) -> tuple[float, float]:
    """Return a range that holds another, with ends that are round: multiples of a tenth of its width or less.

    Example:
        >>> outwards(18, 93), outwards(0.13, 0.87)
        ((10.0, 100.0), (0.1, 0.9))
    """
    step = 10.0 ** math.floor(math.log10(high - low))
    return round(math.floor(low / step) * step, 12), round(math.ceil(high / step) * step, 12)


def _scale(texts: Iterable[str]) -> _Found | None:
    said = {text.strip().casefold(): text for text in texts}
    for scale in _SCALES:
        if len(said) >= min(3, len(scale)) and said.keys() <= set(scale):
            values = [said.get(value, value) for value in scale]
            return "ordered", {"values": values}, ("from low to high; check the order",)
    return None


def _choices(texts: Mapping[str, int]) -> _Found | None:
    """Return a multiple choice where texts list a few words again and again."""
    listed = [[part.strip() for part in text.split(";") if part.strip()] for text in texts]
    words = Counter(word for parts in listed for word in parts)
    if max(map(len, listed)) < 2 or not 2 <= len(words) <= min(_CATEGORIES, len(texts)):
        return None
    return "choices", {"choices": sorted(words)}, ("any number of these; each becomes a yes or no of its own",)


def _categories(texts: Mapping[str, int], rows: int) -> _Found:
    if len(texts) > 0.5 * rows > 20:
        return None, {}, ("free text, or too many different values; group them first",)
    usual = [text for text, count in Counter(texts).most_common(_CATEGORIES) if count >= _RARE * rows]
    rare = len(texts) - len(usual)
    if not rare:
        return "categorical", {"values": sorted(usual)}, ()
    other = "other" if "other" not in usual else "any other"
    remark = f"{rare} rare values are lumped as {other!r}; list those that you mean to ask for"
    return "categorical", {"values": [*sorted(usual), other], "other": other}, (remark,)
