"""Randomisers, one per file: the client's draw, the exact table and, of frequency oracles, the unbiased estimate.

Everything that touches privacy here is integers and the operating system's randomness. Draws are pure Python, so that
a client needs no numpy; estimators import it when they are called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from decimal import Decimal

from sottovoce.channels.channel import Channel, FrequencyOracle
from sottovoce.channels.exact import parse_epsilon, system_words, triple_exp
from sottovoce.channels.grr import GRR
from sottovoce.channels.local_hash import MAX_CELLS, LocalHash, best_prime
from sottovoce.channels.parity import Parity
from sottovoce.channels.plugins import make_plugin_channel, plugins
from sottovoce.channels.square_wave import SquareWave
from sottovoce.channels.support import Support
from sottovoce.errors import PlanError, TooLargeError

__all__ = [
    "GRR",
    "KINDS",
    "MAX_CELLS",
    "ORACLES",
    "Channel",
    "FrequencyOracle",
    "LocalHash",
    "Parity",
    "SquareWave",
    "Support",
    "choose_kind",
    "make_channel",
    "parse_epsilon",
    "system_words",
]

KINDS = ("grr", "local_hash", "adaptive", "square_wave", "parity", "xor")
"""The names by which plans refer to channels; "adaptive" is the better of the first two for each number of cells."""

ORACLES = ("olh", "grr", "adaptive")
"""How a mechanism may ask for a cell: local hashing, randomised response, or the better of the two."""


@functools.lru_cache(maxsize=2**14)
def make_channel(kind: str, cells: int, epsilon: Decimal, seed: str, parts: tuple[int, ...] = ()) -> Channel:
    """Return the channel a plan names by its kind.

    Args:
        kind: One of KINDS, or the name of a plug-in. Local hashing of no more cells than its hash has values is
            randomised response.
        cells: How many cells go in.
        epsilon: The privacy asked for.
        seed: The plan's public seed, by which local hashing places cells.
        parts: The bins of each attribute that together make a cell, for "xor" and for local hashing of more than 2^20
            cells.
    """
    if cells < 2:
        raise PlanError(f"a channel needs at least two cells, got {cells}")
    if kind in ("local_hash", "adaptive"):
        chosen = choose_kind("olh" if kind == "local_hash" else kind, cells, epsilon)
        if chosen == "local_hash":
            return LocalHash.design(cells, epsilon, seed=seed, parts=parts)
        kind = "grr"
    if kind not in KINDS:
        if kind in plugins("channels"):
            return make_plugin_channel(kind, cells, epsilon)
        raise PlanError(
            f"unknown channel {kind!r}; known are {', '.join((*KINDS, *plugins('channels')))}: "
            "this plan needs a newer version, or the package that brings the channel"
        )
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"{kind} takes at most 2^20 = {MAX_CELLS} cells, got {cells}; use local hashing or fewer bins"
        )
    if kind == "xor":
        return Parity.of_shape(parts, epsilon)
    makers: dict[str, Callable[[int, Decimal], Channel]] = {
        "grr": GRR.design,
        "square_wave": SquareWave.design,
        "parity": Parity.design,
    }
    return makers[kind](cells, epsilon)


def choose_kind(oracle: str, cells: int, epsilon: Decimal) -> str:
    """Return the channel that an oracle uses for this many cells.

    "adaptive" takes randomised response while cells - 2 < 3 e^epsilon, where its variance is the smaller. Local hashing
    to at least as many values as there are cells is randomised response.

    Args:
        oracle: "olh", "grr" or "adaptive"; an option of the mechanism that asks.
        cells: How many cells the question tells apart.
        epsilon: The privacy of one answer.

    Returns:
        "grr" or "local_hash", the names under which plans keep channels.
    """
    if oracle == "grr" or best_prime(epsilon) >= cells:
        return "grr"
    if oracle == "adaptive" and cells - 2 < triple_exp(epsilon):
        return "grr"
    return "local_hash"
