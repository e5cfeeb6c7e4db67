"""Questions: which attributes are looked at, how a record becomes a cell, which channel randomises it, who is asked.

Questions come in product **families**: for each attribute a list of tables, and one question for every way to choose
one table per attribute. A family of a million questions is stored as its factors and never listed.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import msgspec

from sottovoce.channels import MAX_CELLS, Channel, FrequencyOracle, make_channel
from sottovoce.errors import PlanError, TooLargeError
from sottovoce.plan.bin_maps import BinMap
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_QUESTIONS = 2**22
"""The most questions one plan may ask: with more, a question would wait for its first report for ever."""


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The questions that look at the same attributes through every combination of the listed tables.

    ``tables[i]`` lists the plan's tables for ``attributes[i]``; the last attribute's table varies fastest. ``shares``
    is one integer per question, or a single one to be split evenly, the first questions taking what is left over.
    """

    attributes: tuple[int, ...]
    tables: tuple[tuple[int, ...], ...]
    channel: str
    shares: int | tuple[int, ...]

    @property
    def count(self) -> int:
        """How many questions the family holds."""
        return math.prod(len(choices) for choices in self.tables)

    @property
    def total_share(self) -> int:
        """The share of the whole family."""
        return self.shares if isinstance(self.shares, int) else sum(self.shares)

    def choice(self, number: int) -> tuple[int, ...]:
        """Return the plan's table for each attribute, in the family's question of that number."""
        chosen: list[int] = []
        for choices in reversed(self.tables):
            number, index = divmod(number, len(choices))
            chosen.append(choices[index])
        return tuple(reversed(chosen))

    def share(self, number: int) -> int:
        """Return one question's share."""
        if not isinstance(self.shares, int):
            return self.shares[number]
        each, left = divmod(self.shares, self.count)
        return each + (number < left)

    def shifted(self, tables: int) -> Family:
        """Return the family as it stands after so many other tables."""
        moved = tuple(tuple(table + tables for table in choices) for choices in self.tables)
        return msgspec.structs.replace(self, tables=moved)

    def locate(self, position: int) -> int:
        """Return the question whose interval of the family's share holds ``position``."""
        if not isinstance(self.shares, int):
            return bisect.bisect_right(list(itertools.accumulate(self.shares)), position)
        each, left = divmod(self.shares, self.count)
        if position < left * (each + 1):
            return position // (each + 1)
        return left + (position - left * (each + 1)) // each


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the cell map (a table per attribute), the channel, and its share of the crowd out of 2^32."""

    index: int
    attributes: tuple[int, ...]
    tables: tuple[BinMap, ...]
    channel: Channel
    share: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins along each attribute."""
        return tuple(table.bins for table in self.tables)

    @property
    def oracle(self) -> FrequencyOracle:
        """The channel, where it estimates frequencies at once; PlanError where it must be decoded otherwise."""
        if not isinstance(self.channel, FrequencyOracle):
            raise PlanError(f"question {self.index} is asked by {self.channel.kind}, which gives no unbiased estimate")
        return self.channel

    def cell(self, levels: Sequence[int]) -> int:
        """Return the cell of a record, given its level on every attribute of the schema."""
        cell = 0
        for attribute, table in zip(self.attributes, self.tables, strict=True):
            cell = cell * table.bins + table.bin(levels[attribute])
        return cell

    def cells(self, levels: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return the cells of many records, given one array of levels per attribute this question looks at."""
        import numpy as np

        small = np.min_scalar_type(self.channel.cells)
        cells: NDArray[Any] | None = None
        for table, column in zip(self.tables, levels, strict=True):
            bins = table.array().astype(small)[column]
            cells = bins if cells is None else cells * small.type(table.bins) + bins
        assert cells is not None
        return cells


class Questions(Sequence[Question]):
    """All questions of a plan, made when asked for; of a plan with waves those of every wave, one after the other.

    Args:
        schema: What is asked.
        epsilon: The privacy of one answer.
        seed: The plan's public seed, in hexadecimal, by which local hashing places cells.
        tables: The maps from levels to bins, to which families refer.
        families: Which attributes are asked together, by which tables and channel, and how often.
        waves: How many waves ask the same questions again.
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: Decimal,
        seed: str,
        tables: Sequence[BinMap],
        families: Sequence[Family],
        *,
        waves: int = 1,
    ) -> None:
        self.schema, self.epsilon, self.seed, self.waves = schema, epsilon, seed, waves
        self.tables, self.families = tables, families
        self.offsets = list(itertools.accumulate((family.count for family in families), initial=0))

    @property
    def per_wave(self) -> int:
        """How many questions a wave has; all of them where there are no waves."""
        return self.offsets[-1]

    def __len__(self) -> int:
        return self.per_wave * self.waves

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> list[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | list[Question]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(f"question {index} of {len(self)}")
        wave, number = divmod(index, self.per_wave)
        family_index = bisect.bisect_right(self.offsets, number) - 1
        question = self._make(family_index, number - self.offsets[family_index])
        return replace(question, index=index) if wave else question

    def _make(self, family_index: int, number: int) -> Question:
        family = self.families[family_index]
        tables = tuple(self.tables[table] for table in family.choice(number))
        channel = self._channel(family, tuple(table.bins for table in tables))
        return Question(self.offsets[family_index] + number, family.attributes, tables, channel, family.share(number))

    def _channel(self, family: Family, shape: tuple[int, ...]) -> Channel:
        cells = math.prod(shape)
        parted = cells > MAX_CELLS or family.channel == "xor"
        parts = tuple(bins for bins in shape if bins > 1) if parted else ()
        return make_channel(family.channel, cells, self.epsilon, self.seed, parts)

    def locate(self, position: int) -> Question:
        """Return the first wave's question whose interval of the shares holds ``position``, from 0 to 2^32 - 1."""
        family_index = bisect.bisect_right(self._family_ends, position)
        start = self._family_ends[family_index - 1] if family_index else 0
        return self._make(family_index, self.families[family_index].locate(position - start))

    @cached_property
    def _family_ends(self) -> list[int]:
        return list(itertools.accumulate(family.total_share for family in self.families))

    def channels(self) -> Iterator[tuple[int, Channel]]:
        """Yield a question of the first wave for every multiset of bin counts of each family, with its channel."""
        for family_index, family in enumerate(self.families):
            first: dict[tuple[int, ...], int] = {(): 0}
            for choices in family.tables:
                grown: dict[tuple[int, ...], int] = {}
                for shape, number in first.items():
                    for step, table in enumerate(choices):
                        grown.setdefault(self._extend(shape, table), number * len(choices) + step)
                first = grown
            for shape, number in first.items():
                yield self.offsets[family_index] + number, self._channel(family, shape)

    def _extend(self, shape: tuple[int, ...], table: int) -> tuple[int, ...]:
        """Return the bin numbers, in order of size, with one more table's; a single bin adds nothing."""
        bins = self.tables[table].bins
        return shape if bins == 1 else tuple(sorted((*shape, bins)))

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The size of every question's alphabet."""
        import numpy as np

        return np.tile(np.concatenate([self._family_codes(family) for family in self.families]), self.waves)

    def _family_codes(self, family: Family) -> NDArray[np.int64]:
        """Return the size of every alphabet of a family: one channel per multiset of bin counts, then looked up."""
        import numpy as np

        shapes: dict[tuple[int, ...], int] = {(): 0}
        numbers = np.zeros(1, dtype=np.intp)
        for choices in family.tables:
            grown: dict[tuple[int, ...], int] = {}
            steps = [
                [grown.setdefault(self._extend(shape, table), len(grown)) for table in choices] for shape in shapes
            ]
            numbers = np.array(steps, dtype=np.intp)[numbers].ravel()
            shapes = grown
        return np.array([self._channel(family, shape).codes for shape in shapes], dtype=np.int64)[numbers]

    @cached_property
    def shares(self) -> NDArray[np.int64]:
        """Every question's share of the crowd, out of 2^32; of a plan with waves, the share of a wave's reports."""
        import numpy as np

        parts = []
        for family in self.families:
            if isinstance(family.shares, int):
                each, left = divmod(family.shares, family.count)
                parts.append(each + (np.arange(family.count) < left))
            else:
                parts.append(np.array(family.shares))
        return np.tile(np.concatenate(parts).astype(np.int64), self.waves)

    def check(self) -> int:
        """Raise PlanError unless every family fits its schema; return the sum of all shares."""
        if not self.families:
            raise PlanError("a plan asks at least one question, got none")
        count = self.per_wave * self.waves  # len() cannot tell more than fits a machine's word
        if count > MAX_QUESTIONS:
            raise TooLargeError(
                f"a plan asks at most 2^22 = {MAX_QUESTIONS} questions, this one would ask {count}; "
                "use fewer attributes or waves, a larger branching, or a mechanism that asks about pairs"
            )
        for family in self.families:
            self._check_family(family)
        return sum(family.total_share for family in self.families)

    def _check_family(self, family: Family) -> None:
        attributes = family.attributes
        if not attributes or len(set(attributes)) != len(attributes) or len(attributes) != len(family.tables):
            raise PlanError(f"a family lists tables for each of its attributes once, got {msgspec.to_builtins(family)}")
        for attribute, choices in zip(attributes, family.tables, strict=True):
            if not 0 <= attribute < len(self.schema.attributes):
                raise PlanError(f"a question looks at attribute {attribute} of {len(self.schema.attributes)}")
            if not choices or any(not 0 <= table < len(self.tables) for table in choices):
                raise PlanError(f"a question refers to tables {choices} of {len(self.tables)}")
            for table in choices:
                self.tables[table].check(self.schema.sizes[attribute])
        shares = (family.shares,) if isinstance(family.shares, int) else family.shares
        if any(share < 0 for share in shares) or (not isinstance(family.shares, int) and len(shares) != family.count):
            raise PlanError(f"a family of {family.count} questions needs one share each, none negative")
