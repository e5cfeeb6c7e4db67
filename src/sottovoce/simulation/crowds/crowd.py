"""A made-up crowd: what it is asked, how its people are drawn, and the questions whose answers are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import Clause
from sottovoce.simulation.crowds.drawing import Columns
from sottovoce.simulation.crowds.listing import Listing
from sottovoce.simulation.crowds.questions import Question


@dataclass(frozen=True)
class Crowd:
    """A crowd to measure honesty on.

    Attributes:
        name: One word.
        summary: What it is, in a sentence.
        schema: What it is asked.
        sample: Draws people with a given generator.
        events: Conditions that questions count; the first on an attribute is the broadest.
        groups: Conditions that exclude each other, for each attribute that makes groups.
        related: Pairs of attributes that depend on each other.
        together: Three attributes that depend on each other only as three, or none.
    """

    name: str
    summary: str
    schema: sv.Schema
    sample: Callable[[int, np.random.Generator], Columns]
    events: tuple[Clause, ...]
    groups: tuple[tuple[Clause, ...], ...]
    related: tuple[tuple[str, str], ...]
    together: tuple[str, ...] = ()

    def draw(self, count: int, seed: int) -> Columns:
        """Return that many people as one array per attribute; the same seed gives the same people."""
        return self.sample(count, np.random.default_rng(seed))

    def questions(self) -> tuple[Question, ...]:
        """Return more than a hundred questions of every kind, the same ones every time."""
        return Listing(self.schema, self.events, self.groups, self.related, self.together).questions()
