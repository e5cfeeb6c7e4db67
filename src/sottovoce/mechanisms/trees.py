"""What HIO and LHIO share: the questions of a hierarchy over several attributes, and the options of trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import ORACLES
from sottovoce.errors import PlanError
from sottovoce.estimation.hierarchy import starts_of
from sottovoce.mechanisms.options import MechanismOptions, check_choice
from sottovoce.plan.bin_maps import BinMap, tree_maps
from sottovoce.plan.questions import Family
from sottovoce.schema.schema import Schema


class TreeOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of every mechanism that asks about the nodes of trees.

    Attributes:
        oracle: How a node is asked for.
        branching: How many children a node has.
    """

    oracle: str = "olh"
    branching: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("oracle", self.oracle, ORACLES)
        if not 2 <= self.branching <= 1024:
            raise PlanError(f"branching is an integer from 2 to 1024, got {self.branching}; 4 or 5 serve best")


class TreeQuestions:
    """Collects the tables and families of a plan made of hierarchies.

    A hierarchy asks about every combination of depths of its attributes' trees but one: all roots together are a single
    cell, which holds everybody. So the questions come in one family for each attribute that may be the first below its
    root; the attributes before it are not looked at.
    """

    def __init__(self, schema: Schema, options: TreeOptions) -> None:
        self.trees = [tree_maps(size, options.branching) for size in schema.sizes]
        self.channel = "local_hash" if options.oracle == "olh" else options.oracle
        self.tables: list[BinMap] = []
        self.families: list[Family] = []

    def add(self, attributes: Sequence[int], share: int) -> None:
        """Add the hierarchy of some attributes, its share split evenly over its questions."""
        choices = [tuple(self._index(table) for table in self.trees[index]) for index in attributes]
        offsets = family_offsets([len(choice) for choice in choices])
        each, left = divmod(share, offsets[-1])
        for number in range(len(attributes)):
            count = offsets[number + 1] - offsets[number]
            self.families.append(
                Family(
                    attributes=tuple(attributes[number:]),
                    tables=(choices[number][1:], *choices[number + 1 :]),
                    channel=self.channel,
                    shares=each * count + min(max(left - offsets[number], 0), count),
                )
            )

    def _index(self, table: BinMap) -> int:
        if table not in self.tables:
            self.tables.append(table)
        return self.tables.index(table)


def family_offsets(depths: Sequence[int]) -> list[int]:
    """Return where each family of a hierarchy starts, and how many questions it has in all, given its trees' depths."""
    offsets = [0]
    for index, own in enumerate(depths):
        offsets.append(offsets[-1] + (own - 1) * math.prod(depths[index + 1 :]))
    return offsets


def question_number(depths: Sequence[int], chosen: Sequence[int], offsets: Sequence[int]) -> int:
    """Return the number, within its hierarchy, of the question at the chosen depths, not all of them roots.

    Args:
        depths: How many depths each attribute's tree has.
        chosen: The depth of each attribute; 0 is its root.
        offsets: Where the questions start whose first attribute below its root is this one (`family_offsets`).
    """
    first = next(index for index, depth in enumerate(chosen) if depth)
    number = chosen[first] - 1
    for own, depth in zip(depths[first + 1 :], chosen[first + 1 :], strict=True):
        number = number * own + depth
    return offsets[first] + number


def tree_starts(size: int, branching: int) -> list[NDArray[np.intp]]:
    """Return the first level of every node, for each depth of an attribute's tree."""
    return [starts_of(table.array()) for table in tree_maps(size, branching)]
