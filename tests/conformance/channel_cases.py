"""The channels under test. A new one joins by one line in CASES."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import isqrt

import numpy as np
import pytest

from sottovoce.channels import GRR, Channel, LocalHash, Parity, SquareWave
from sottovoce.errors import PlanError

EPSILONS = tuple(Decimal(text) for text in ("0.1", "0.5", "1", "2", "5"))
ENUMERABLE = 2**19
"""The largest table, cells by codes, that is enumerated."""


@dataclass(frozen=True)
class ChannelCase:
    """A way to make channels.

    Attributes:
        name: What tests call it.
        make: (cells, epsilon) -> the channel, or PlanError where it makes no sense.
        sizes: The numbers of cells to try.
        unbiased: Whether ``estimate`` is the linear unbiased one, with ``variance`` the variance of a rare cell.
    """

    name: str
    make: Callable[[int, Decimal], Channel]
    sizes: tuple[int, ...] = (2, 3, 5, 16, 27, 64, 100)
    unbiased: bool = True


def hash_in_parts(cells: int, epsilon: Decimal) -> LocalHash:
    """Return a small channel whose cells are placed in two parts, as only those of very large ones are."""
    together = LocalHash.design(cells, epsilon, seed="5eed")
    bins = next(divisor for divisor in range(2, cells) if cells % divisor == 0)
    digits = [next(t for t in range(1, 64) if together.prime**t >= part) for part in (bins, cells // bins)]
    return LocalHash(cells, together.response, tuple(zip((bins, cells // bins), digits, strict=True)), "5eed")


CASES = (
    ChannelCase("grr", GRR.design),
    ChannelCase("local_hash", lambda cells, epsilon: LocalHash.design(cells, epsilon, seed="5eed")),
    ChannelCase("local_hash_in_parts", hash_in_parts, sizes=(6, 15, 27, 64, 100)),
    ChannelCase("square_wave", SquareWave.design, unbiased=False),
    ChannelCase("parity", Parity.design, sizes=(2, 4, 8, 64), unbiased=False),
    ChannelCase(
        "xor", lambda cells, epsilon: Parity.of_shape((isqrt(cells),) * 2, epsilon), sizes=(16, 64, 256), unbiased=False
    ),
)


@dataclass(frozen=True)
class Instance:
    """One channel with its case and the epsilon it was asked for."""

    case: ChannelCase
    epsilon: Decimal
    channel: Channel


def _instances() -> list[Instance]:
    found = []
    for case in CASES:
        for epsilon in EPSILONS:
            for cells in case.sizes:
                try:
                    channel = case.make(cells, epsilon)
                except PlanError:
                    continue  # a channel says so itself where it makes no sense
                if cells * channel.codes <= ENUMERABLE:
                    found.append(Instance(case, epsilon, channel))
    return found


def _name(instance: Instance) -> str:
    return f"{instance.case.name}-{instance.channel.cells}-eps{instance.epsilon}"


INSTANCES = _instances()
every_channel = pytest.mark.parametrize("instance", INSTANCES, ids=_name)
every_unbiased_channel = pytest.mark.parametrize("instance", [i for i in INSTANCES if i.case.unbiased], ids=_name)


@functools.cache
def exact_table(instance: Instance) -> np.ndarray:
    """Return the exact integer weights, cells by codes."""
    return np.array([instance.channel.row(cell) for cell in range(instance.channel.cells)], dtype=np.uint64)
