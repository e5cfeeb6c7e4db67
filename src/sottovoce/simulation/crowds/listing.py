"""The list of questions about a crowd, made from the conditions its author names: the same list every time.

Half of the questions about two attributes are about pairs that the author made depend on each other, half about pairs
taken in turn from all others, so that no pair is left out for being dull.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, cycle, islice
from typing import TypeVar

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import Clause
from sottovoce.simulation.crowds.questions import Question

COUNTS = {
    "share of 1": 12,
    "share of 2": 16,
    "share of 3": 10,
    "share of 4": 8,
    "share given another": 16,
    "difference of shares": 28,
    "mean": 8,
    "mean by group": 14,
    "difference of means": 16,
    "quantile": 10,
    "median by group": 10,
    "correlation": 10,
    "association": 12,
}
"""How many questions of each kind a crowd gets, if it has so many."""

_FINE = 9
"""An ordered attribute of at least so many levels is worth a quantile."""

Pair = tuple[str, str]
Item = TypeVar("Item")


class Listing:
    """Makes the questions of one crowd.

    Args:
        schema: What the crowd is asked.
        events: Conditions that are counted; the first on an attribute is the broadest.
        groups: Conditions that exclude each other, for each attribute that makes groups.
        related: Pairs of attributes that depend on each other.
        together: Three attributes that depend on each other only as three: an outcome and two that make groups.
    """

    def __init__(
        self,
        schema: sv.Schema,
        events: tuple[Clause, ...],
        groups: tuple[tuple[Clause, ...], ...],
        related: tuple[Pair, ...],
        together: tuple[str, ...] = (),
    ) -> None:
        self._generator = np.random.default_rng(0)
        self._schema, self._related, self._together = schema, related, together
        self._events: dict[str, list[Clause]] = {}
        for clause in events:
            self._events.setdefault(clause.name, []).append(clause)
        self._groups = {clauses[0].name: clauses for clauses in groups}
        self._ordered = [attribute.name for attribute in schema.attributes if attribute.ordered]
        self._fine = [a.name for a in schema.attributes if a.ordered and a.size >= _FINE]

    def questions(self) -> tuple[Question, ...]:
        """Return the list, kind by kind."""
        made = [*self._shares(), *self._conditionals(), *self._means(), *self._quantiles(), *self._dependence()]
        kept: dict[object, Question] = {}
        counts = dict.fromkeys(COUNTS, 0)
        for question in made:
            essence = _essence(question)
            if essence not in kept and counts[question.kind] < COUNTS[question.kind]:
                counts[question.kind] += 1
                kept[essence] = question
        return tuple(kept.values())

    def _shares(self) -> Iterator[Question]:
        rows = [self._events[name] for name in self._schema.names]
        for turn in range(max(map(len, rows))):
            yield from (Question("share of 1", where=(row[turn],)) for row in rows if turn < len(row))
        for first, second in self._pairs(self._schema.names, 24):
            yield Question("share of 2", where=(self._event(first), self._event(second)))
        for names in self._several(3, first=self._together):
            yield Question("share of 3", where=tuple(self._events[name][0] for name in names))
        for names in self._several(4):
            yield Question("share of 4", where=tuple(self._events[name][0] for name in names))

    def _conditionals(self) -> Iterator[Question]:
        if self._together:
            outcome, first, second = self._together
            event = (self._events[outcome][0],)
            one, (two, three) = self._groups[first][0], self._groups[second]
            yield Question("share given another", where=event, given=(one, two))
            yield Question("difference of shares", where=event, given=(one, two), other=(one, three))
        for name, by in self._pairs(self._schema.names, 32, grouped=True):
            yield Question("share given another", where=(self._event(name),), given=(self._two_groups(by)[0],))
        for name, by in self._pairs(self._schema.names, 56, grouped=True):
            first_group, second_group = self._two_groups(by)
            yield Question("difference of shares", (self._event(name),), (first_group,), (second_group,))

    def _means(self) -> Iterator[Question]:
        yield from (Question("mean", name=name) for name in self._ordered)
        for first, second in self._shuffled(combinations(self._ordered, 2)):
            yield Question("mean", name=first, given=(self._events[second][0],))
        for name, by in self._pairs(self._ordered, 28, grouped=True):
            yield Question("mean by group", name=name, given=(self._two_groups(by)[0],))
        for name, by in self._pairs(self._ordered, 32, grouped=True):
            first_group, second_group = self._two_groups(by)
            yield Question("difference of means", name=name, given=(first_group,), other=(second_group,))

    def _quantiles(self) -> Iterator[Question]:
        for probability in (0.5, 0.25, 0.9, 0.75, 0.1):
            yield from (Question("quantile", name=name, probability=probability) for name in self._fine)
        for name, by in self._pairs(self._fine, 20, grouped=True):
            yield Question("median by group", name=name, given=(self._two_groups(by)[0],))

    def _dependence(self) -> Iterator[Question]:
        for first, second in self._pairs(self._ordered, 40):
            if first in self._ordered and second in self._ordered:
                yield Question("correlation", name=first, second=second)
        for first, second in self._pairs(self._schema.names, 24):
            yield Question("association", name=first, second=second)

    def _pairs(self, names: Iterable[str], count: int, *, grouped: bool = False) -> Iterator[Pair]:
        """Yield pairs, related ones and others in turn; grouped: the first is asked about, the second makes groups."""
        asked = list(names)
        related = [pair for pair in self._related if pair[0] in asked]
        if grouped:
            everything = [(name, by) for name in asked for by in self._groups if name != by]
        else:
            everything = list(combinations(asked, 2))
        others = [pair for pair in everything if pair not in related and pair[::-1] not in related]
        turns = zip(cycle(related), cycle(self._shuffled(others)), strict=False)
        yield from islice((pair for turn in turns for pair in turn), count)

    def _several(self, size: int, first: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """Yield sets of attributes, each attribute about equally often."""
        if first:
            yield first
        yield from self._shuffled(combinations(self._schema.names, size))

    def _event(self, name: str) -> Clause:
        choices = self._events[name]
        return choices[int(self._generator.integers(len(choices)))]

    def _two_groups(self, by: str) -> tuple[Clause, Clause]:
        choices = self._groups[by]
        first, second = self._generator.choice(len(choices), 2, replace=False)
        return choices[int(first)], choices[int(second)]

    def _shuffled(self, items: Iterable[Item]) -> list[Item]:
        listed = list(items)
        return [listed[int(index)] for index in self._generator.permutation(len(listed))]


def _essence(question: Question) -> object:
    """Return what two questions share that differ only in order: of conditions, of groups, of attributes."""
    groups, named = frozenset((question.given, question.other)), frozenset((question.name, question.second))
    return question.kind, frozenset(question.where), groups, named, question.probability
