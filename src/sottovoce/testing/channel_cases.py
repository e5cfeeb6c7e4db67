"""Channels under test: a way to make them, and at which sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import Channel
from sottovoce.errors import PlanError

EPSILONS = tuple(Decimal(text) for text in ("0.1", "0.5", "1", "2", "5"))
SIZES = (2, 3, 5, 16, 27, 64, 100)
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
    sizes: tuple[int, ...] = SIZES
    unbiased: bool = True


@dataclass(frozen=True)
class Instance:
    """One channel with its case and the epsilon it was asked for."""

    case: ChannelCase
    epsilon: Decimal
    channel: Channel


def instances(case: ChannelCase) -> list[Instance]:
    """Return the channels of a case, at every epsilon and number of cells at which it makes sense."""
    found = []
    for epsilon in EPSILONS:
        for cells in case.sizes:
            try:
                channel = case.make(cells, epsilon)
            except PlanError:
                continue  # a channel says so itself where it makes no sense
            if cells * channel.codes <= ENUMERABLE:
                found.append(Instance(case, epsilon, channel))
    return found


def name_of(instance: Instance) -> str:
    """Return what a test of this channel is called."""
    return f"{instance.case.name}-{instance.channel.cells}-eps{instance.epsilon}"


@functools.cache
def exact_table(instance: Instance) -> NDArray[np.uint64]:
    """Return the exact integer weights, cells by codes."""
    return np.array([instance.channel.row(cell) for cell in range(instance.channel.cells)], dtype=np.uint64)
