"""The one interface of every randomiser, and what those add to it whose codes can be turned into frequencies at once.

Every `Channel` can be drawn from, audited and decoded by maximum likelihood, for which its table of probabilities is
all that is needed. A `FrequencyOracle` also gives an unbiased estimate of every cell, linear in the counts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sottovoce.channels.exact import Words
    from sottovoce.channels.support import Support


class Channel(Protocol):
    """Turns one of ``cells`` cells into one of ``codes`` codes, at random, with exactly known probabilities."""

    @property
    def kind(self) -> str:
        """The name plans use."""

    @property
    def cells(self) -> int:
        """How many cells go in."""

    @property
    def codes(self) -> int:
        """How many codes may come out."""

    @property
    def scale(self) -> int:
        """What the integer weights of a row add up to."""

    @property
    def attenuation(self) -> float | None:
        """How much of a difference between two cells is left in the codes: the distance of two rows of the table.

        None for a channel that offers no unbiased estimate and so has no raw coefficient.
        """

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell."""

    def worst_ratio(self) -> Fraction:
        """Return the largest ratio, over codes and pairs of cells, of two probabilities: e^epsilon at the most."""

    def variation(self) -> Fraction:
        """Return the largest total variation between the codes of two cells: how often they differ at the most."""

    def blanket(self) -> Fraction:
        """Return how often a code can be drawn alike for all cells: the smallest probability of each, added up."""

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""


@runtime_checkable
class FrequencyOracle(Channel, Protocol):
    """A channel whose counts of codes give an unbiased estimate of every cell's frequency."""

    def estimate(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the unbiased estimate of every cell's frequency from the counts of codes; zeros for no reports."""

    def estimate_some(
        self, codes: NDArray[np.int64], counts: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the same estimate for some cells alone, from the codes that were reported and how often.

        Args:
            codes: The codes that were reported, each once.
            counts: How many reports gave each of them.
            cells: The cells to estimate.

        Returns:
            The frequency of each of these cells, unbiased; below 0 or above 1 where noise says so.
        """

    def support(self) -> Support:
        """Return how often a report supports cells: what the variance of sums of estimates depends on."""

    def variance(self, reports: float) -> float:
        """Return the variance of a rare cell's estimate; infinite for no reports."""
