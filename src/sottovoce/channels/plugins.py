"""What other packages add: entry points by group and name, and the check that a channel from outside must pass.

A package names what it adds in its own metadata, in the groups ``sottovoce.mechanisms``, ``sottovoce.channels``,
``sottovoce.datasets`` and ``sottovoce.queries``. Installing it is the registration: nothing is imported before it is
used by name, and a plan's file can name only what is installed, never a module. What Sottovoce has under a name itself
cannot be replaced.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels.channel import Channel
from sottovoce.channels.exact import exp_floor
from sottovoce.errors import PlanError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = ("mechanisms", "channels", "datasets", "queries")

MAX_TABLE = 2**20
"""The largest table, cells by codes, of a channel from outside: all of it is looked at before the channel is used."""


@functools.cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages add to a group, by name; of two with one name the first that is found."""
    from importlib.metadata import entry_points  # slow to import, and a device rarely needs it

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"sottovoce.{group}"):
        found.setdefault(entry.name, entry)
    return found


def load_plugin(group: str, name: str) -> Any:
    """Return what a package adds under this name.

    Raises:
        PlanError: If it cannot be imported; it names the package.
    """
    entry = plugins(group)[name]
    try:
        return entry.load()
    except Exception as error:  # whatever a package does when it is imported
        raise PlanError(f"{name!r} of {package_of(group, name)} cannot be imported ({entry.value}): {error}") from error


def package_of(group: str, name: str) -> str:
    """Return the package, with its version, that adds something."""
    distribution = plugins(group)[name].dist
    return "an unknown package" if distribution is None else f"{distribution.name} {distribution.version}"


def make_plugin_channel(kind: str, cells: int, epsilon: Decimal) -> Channel:
    """Return a channel from outside, having read its whole integer table.

    Its entry point is a function of the cells and epsilon, such as a class's ``design``. What it says of itself is not
    relied on: rows add up to its scale, every code is possible for every cell, and no ratio exceeds e^epsilon.

    Args:
        kind: The name of the entry point in the group ``sottovoce.channels``.
        cells: How many cells it must tell apart.
        epsilon: The privacy that its table must keep.

    Returns:
        The channel, whose table keeps what it promises.

    Raises:
        PlanError: If it does not hold, or the table is too large to be looked at.
    """
    make: Callable[[int, Decimal], Channel] = load_plugin("channels", kind)
    channel = make(cells, epsilon)
    where = f"channel {kind!r} of {package_of('channels', kind)}"
    if channel.cells != cells or channel.kind != kind:
        raise PlanError(f"{where} has {channel.cells} cells and kind {channel.kind!r}, {cells} and {kind!r} were asked")
    if cells * channel.codes > MAX_TABLE:
        raise PlanError(
            f"{where} has {cells} cells and {channel.codes} codes; at most 2^20 numbers can be audited: use fewer bins"
        )
    if table_facts(channel)[0] > Fraction(exp_floor(epsilon)):
        raise PlanError(f"{where} promises epsilon {epsilon} and its table does not keep it: do not use it")
    return channel


def table_facts(channel: Channel) -> tuple[Fraction, Fraction]:
    """Return the worst ratio of two probabilities of one code, and the blanket, read off the whole integer table.

    Raises:
        PlanError: If rows do not add up, or a code is possible for one cell and not for another.
    """
    largest, smallest = [0] * channel.codes, [channel.scale] * channel.codes
    for cell in range(channel.cells):
        row = channel.row(cell)
        if len(row) != channel.codes or sum(row) != channel.scale or any(type(weight) is not int for weight in row):
            raise PlanError(f"row {cell} of channel {channel.kind!r} is not {channel.codes} integers that add up")
        largest = list(map(max, largest, row))
        smallest = list(map(min, smallest, row))
    if min(smallest) <= 0:
        raise PlanError(
            f"a code of channel {channel.kind!r} is impossible for some cell: it would tell who is elsewhere"
        )
    return max(map(Fraction, largest, smallest)), Fraction(sum(smallest), channel.scale)
