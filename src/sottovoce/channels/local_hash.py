"""Local hashing over a prime field: hash the cell by a random linear map, then randomise the small hash value.

The cells stand on distinct points of F_q^t. The client draws a non-zero vector ``a``, computes ``<a, point> mod q`` and
reports ``a`` together with the randomised response of that value over q. One integer carries both.

Up to 2^20 cells are placed together, by a public permutation of the q^t points. More are placed in **parts**: a cell is
a bin of each of several attributes, every attribute's bin is placed by its own permutation on digits of its own, and
the cell's point is all these digits in a row. Then nothing ever has to list the cells.

Guarantee: ``a`` is independent of the cell, and given ``a`` the answer is randomised response over q values, so the
worst ratio is that of GRR over q. Cost: the variance is that of optimal local hashing with g = q, whatever the number
of cells; the server reads all cells' supports off a few Fourier transforms instead of hashing every cell for every
report. Reference: section 2.2 of the paper (OLH); Wang et al. 2017.
"""

from __future__ import annotations

import functools
import hashlib
import math
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels.exact import SCALE, Words, below, exp_less_one, many_below
from sottovoce.channels.grr import GRR
from sottovoce.channels.support import Support
from sottovoce.errors import PlanError, TooLargeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CELLS = 2**20
"""The most cells that are placed together, and estimated at once."""

AT_ONCE = 2**22
"""The most pairs of a report and a cell that are hashed at once."""

_HASHES_PER_POINT = 12  # a report is hashed against so many cells in the time of a point of a Fourier transform
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class LocalHash:
    """Local hashing of ``cells`` cells to ``prime`` values by ``digits``-digit vectors; a code is (a - 1) * q + answer.

    Attributes:
        cells: How many cells go in.
        response: The randomised response over hash values.
        parts: The number of bins and of digits of each part of a cell, most significant first.
        seed: What places the cells, hexadecimal and public.

    Example:
        >>> channel = LocalHash.design(16, Decimal(1), seed="00")
        >>> channel.prime, channel.digits, channel.codes
        (3, 3, 78)
    """

    cells: int
    response: GRR
    parts: tuple[tuple[int, int], ...]
    seed: str
    kind = "local_hash"

    @classmethod
    def design(cls, cells: int, epsilon: Decimal, *, seed: str, parts: tuple[int, ...] = ()) -> LocalHash:
        """Return the channel for this many cells at this epsilon, its cells placed by a public hexadecimal seed.

        More than 2^20 cells need ``parts``, the bins of each attribute, of which they are all combinations.

        Args:
            cells: How many cells the question tells apart.
            epsilon: The privacy of one answer.
            seed: The plan's public seed, in hexadecimal: it says on which point each cell is placed.
            parts: The bins of each attribute; needed above 2^20 cells, where their product must be the number of cells.

        Raises:
            TooLargeError: If there are more than 2^20 cells and they are not all combinations of the parts.
            PlanError: If the hash has as many values as there are cells: randomised response is what that is.
        """
        if cells > MAX_CELLS and math.prod(parts) != cells:
            raise TooLargeError(
                f"local hashing places at most 2^20 = {MAX_CELLS} cells together, got {cells}; use parts"
            )
        prime = best_prime(epsilon)
        if prime >= cells:
            raise PlanError(f"{cells} cells at epsilon {epsilon} are fewer than the hash's {prime} values; use grr")
        chosen = parts if cells > MAX_CELLS else (cells,)
        sizes = tuple((bins, next(t for t in range(1, 64) if prime**t >= bins)) for bins in chosen)
        return cls(cells, GRR.design(prime, epsilon), sizes, seed)

    @property
    def digits(self) -> int:
        """How many digits a vector has."""
        return sum(digits for _, digits in self.parts)

    @property
    def prime(self) -> int:
        """How many values a hash has."""
        return self.response.cells

    @property
    def vectors(self) -> int:
        """How many non-zero vectors, and so hash functions, there are."""
        return int(self.prime**self.digits) - 1

    @property
    def codes(self) -> int:
        """One per vector and answer."""
        return self.vectors * self.prime

    @property
    def scale(self) -> int:
        """What the integer weights of a row add up to."""
        return self.vectors * SCALE

    @property
    def attenuation(self) -> float:
        """How much more often a cell's own reports support it than another cell's."""
        return self.support().difference

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell."""
        return [
            weight for vector in range(1, self.vectors + 1) for weight in self.response.row(self.hash(vector, cell))
        ]

    def worst_ratio(self) -> Fraction:
        """Return the worst ratio over hash values: the vector is drawn alike for every cell."""
        return self.response.worst_ratio()

    def variation(self) -> Fraction:
        """Return that of the randomised response, for the vectors under which two cells have two hashes."""
        return (1 - self._collide) * self.response.variation()

    def blanket(self) -> Fraction:
        """Return that of the randomised response: at least so much is drawn alike under every vector.

        That two cells may share a hash adds nothing to it, as there are others that do not share it.
        """
        return self.response.blanket()

    @property
    def _collide(self) -> Fraction:
        """How often two cells have the same hash."""
        return Fraction(self.prime ** (self.digits - 1) - 1, self.vectors)

    def point(self, cell: int) -> int:
        """Return the number of the cell's point: for each part, a public permutation of that part's points."""
        point, weight = 0, 1
        for bins, digits in reversed(self.parts):
            cell, slot = divmod(cell, bins)
            points: int = self.prime**digits
            mask, shift, rounds = _permutation(points, self.seed)
            while True:  # walk along the cycle until back among the points: two steps on average
                for multiplier, addend in rounds:
                    slot = (slot * multiplier + addend) & mask
                    slot ^= slot >> shift
                if slot < points:
                    break
            point, weight = point + slot * weight, weight * points
        return point

    def hash(self, vector: int, cell: int) -> int:
        """Return ``<vector, point> mod q``, both read as t digits in base q."""
        point, total = self.point(cell), 0
        for _ in range(self.digits):
            vector, left = divmod(vector, self.prime)
            point, right = divmod(point, self.prime)
            total += left * right
        return total % self.prime

    def answer(self, cell: int, vector: int, word: int) -> int:
        """Return the code that a vector and a 64-bit word give.

        Args:
            cell: The cell of the record.
            vector: Which hash function, from 1 to q^t - 1.
            word: A uniform 64-bit word, which decides the response.

        Returns:
            The code: vector and response as one integer.
        """
        return (vector - 1) * self.prime + self.response.answer(self.hash(vector, cell), word)

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        return self.answer(cell, 1 + below(self.vectors), secrets.randbits(64))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        import numpy as np

        small = np.min_scalar_type(max(self.vectors, self.digits * self.prime**2))
        vectors = many_below(self.vectors, len(cells), words).astype(small)
        hashes, rest = np.zeros(len(cells), dtype=small), vectors + small.type(1)
        for coordinate in self._coordinates_of(cells):
            rest, own = np.divmod(rest, small.type(self.prime))
            hashes += own * coordinate.astype(small, copy=False)
        answers = self.response.draw_many(hashes % small.type(self.prime), words)
        codes = vectors.astype(np.min_scalar_type(self.codes - 1))
        codes *= codes.dtype.type(self.prime)
        codes += answers.astype(codes.dtype)
        return codes

    def _coordinates_of(self, cells: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Yield the coordinates of many cells' points, least significant first."""
        import numpy as np

        for number, (bins, digits) in enumerate(reversed(self.parts)):
            last = number == len(self.parts) - 1
            rest, slot = (cells, cells) if last else np.divmod(cells, cells.dtype.type(bins))
            if bins <= 4 * len(cells):
                yield from (row[slot] for row in _coordinates(bins, self.prime, digits, self.seed)[::-1])
            else:
                yield from _points(slot, self.prime, digits, self.seed)[::-1]
            cells = rest

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        hashes = _hash_table(self)
        return np.asarray(self.response.probabilities()[hashes].reshape(self.cells, self.codes) / self.vectors)

    def support(self) -> Support:
        """Return how often a report supports cells; of two foreign ones, on average over where the seed places cells.

        Of the q^t - 1 vectors q^(t-1) - 1 give two points the same hash, and q^(t-2) - 1 three points, unless these are
        in line: then what two of them share all do. Of the q^t - 2 other points q - 2 are in line with two.
        """
        keep, other = Fraction(self.response.keep, SCALE), Fraction(self.response.other, SCALE)
        pair = self._collide
        three = Fraction(self.prime ** (self.digits - 2) - 1, self.vectors)
        line = Fraction(self.prime - 2, self.vectors - 1)
        shared = line * pair * keep + (1 - line) * (three * keep + (pair - three) * other)
        return Support(float(keep), float(pair * keep + (1 - pair) * other), float(pair * keep), float(shared))

    def supports(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return, for every cell, how many reports support it: those whose answer is the cell's hash.

        A cell's support is a sum over characters of F_q, each one t-dimensional Fourier transform read at the points.
        """
        import numpy as np

        prime, digits, coordinates = self.prime, self.digits, self.coordinates()
        by_vector = np.zeros((self.vectors + 1, prime))
        by_vector[1:] = counts.reshape(self.vectors, prime)
        characters = np.fft.fft(by_vector, axis=1)
        total = np.full(self.cells, counts.sum() / prime)
        for k in range(1, prime // 2 + 1):
            transform = np.fft.ifftn(characters[:, k].reshape((prime,) * digits)).ravel() * (self.vectors + 1)
            index = np.ravel_multi_index(tuple(k * coordinates % prime), (prime,) * digits)
            total += transform.real[index] * ((1 if 2 * k == prime else 2) / prime)
        return total

    def estimate(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the unbiased estimate of every cell's frequency; zeros for no reports."""
        import numpy as np

        codes = np.flatnonzero(counts)
        if self.cells <= MAX_CELLS and len(codes) * self.cells < _HASHES_PER_POINT * self.prime * (self.vectors + 1):
            return self.estimate_some(codes, counts[codes], np.arange(self.cells))
        support = self.support()
        return np.asarray((self.supports(counts) / counts.sum() - support.foreign) / support.difference)

    def estimate_some(
        self, codes: NDArray[np.int64], counts: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the same estimate for some cells alone, from the codes that were reported and how often.

        Every report is hashed against every one of these cells: a matrix product, taken modulo q.

        Args:
            codes: The codes that were reported, each once.
            counts: How many reports gave each of them.
            cells: The cells to estimate.

        Returns:
            The frequency of each of these cells, unbiased; zeros without any report.
        """
        import numpy as np

        if not len(codes):
            return np.zeros(len(cells))
        largest = self.digits * (self.prime - 1) ** 2
        exact = np.float32 if largest < 2**24 else np.float64  # codes below 2^63 keep it well below 2^53
        vectors, answers = np.divmod(codes, self.prime)
        own_digits: NDArray[Any] = _digits(vectors + 1, self.prime, self.digits).astype(exact)
        points: NDArray[Any] = np.array(list(self._coordinates_of(cells))[::-1]).astype(exact)
        small = np.min_scalar_type(largest)
        wanted, supports = answers.astype(small)[:, None], np.empty(len(cells))
        step = max(1, AT_ONCE // max(1, len(codes)))
        for start in range(0, len(cells), step):
            part = slice(start, start + step)
            hashes = (own_digits.T @ points[:, part]).astype(small) % small.type(self.prime)
            supports[part] = counts @ (hashes == wanted)
        support = self.support()
        return np.asarray((supports / counts.sum() - support.foreign) / support.difference)

    def coordinates(self) -> NDArray[np.int64]:
        """Return the t coordinates of every cell's point, most significant first."""
        import numpy as np

        if self.cells > MAX_CELLS:
            raise PlanError(f"{self.cells} cells are too many to estimate at once; ask for some of them")
        return np.array(list(self._coordinates_of(np.arange(self.cells)))[::-1], dtype=np.int64)

    def variance(self, reports: float) -> float:
        """Return the variance of a rare cell's estimate; infinite for no reports."""
        return self.support().rare_variance(reports)


def best_prime(epsilon: Decimal) -> int:
    """Return the prime q that minimises the variance (e^epsilon - 1 + q)^2 / ((e^epsilon - 1)^2 (q - 1))."""
    excess = exp_less_one(epsilon)
    ideal = int(excess) + 2  # the variance falls up to q = e^epsilon + 1 and rises from there
    candidates = {_prime_near(ideal, -1), _prime_near(ideal + 1, 1)}
    exact = Fraction(excess)  # no rounding decides between two primes
    return min(candidates, key=lambda prime: (exact + prime) ** 2 / (prime - 1))


def _prime_near(number: int, step: int) -> int:
    while not _is_prime(number):
        number += step
    return number


def _is_prime(number: int) -> bool:
    return number >= 2 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


@functools.lru_cache(maxsize=256)
def _permutation(points: int, seed: str) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    """Return the mask, shift and round constants of a public permutation of the integers below a power of two."""
    bits = max(1, (points - 1).bit_length())
    mask = (1 << bits) - 1
    rounds = []
    for number in range(_ROUNDS):
        digest = hashlib.sha256(f"sottovoce placement {seed} {points} {number}".encode()).digest()
        rounds.append((int.from_bytes(digest[:8], "big") & mask | 1, int.from_bytes(digest[8:16], "big") & mask))
    return mask, (bits + 1) // 2, tuple(rounds)


@functools.lru_cache(maxsize=256)
def _coordinates(bins: int, prime: int, digits: int, seed: str) -> NDArray[np.unsignedinteger[Any]]:
    """Return the coordinates of every bin's point, most significant first, in the smallest type."""
    import numpy as np

    return _points(np.arange(bins), prime, digits, seed)


def _points(bins: NDArray[Any], prime: int, digits: int, seed: str) -> NDArray[np.unsignedinteger[Any]]:
    """Return the coordinates of some bins' points, most significant first, in the smallest type."""
    import numpy as np

    count: int = prime**digits
    mask, shift, rounds = _permutation(count, seed)
    points = bins.astype(np.uint64)
    outside = np.ones(len(points), dtype=bool)
    while outside.any():
        walking = points[outside]
        for multiplier, addend in rounds:
            walking = (walking * np.uint64(multiplier) + np.uint64(addend)) & np.uint64(mask)
            walking ^= walking >> np.uint64(shift)
        points[outside] = walking
        outside[outside] = walking >= np.uint64(count)
    return _digits(points.astype(np.int64), prime, digits)


def _digits(numbers: NDArray[np.int64], prime: int, digits: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return the digits of numbers in base ``prime``, most significant first, in the smallest type."""
    import numpy as np

    found = np.empty((digits, len(numbers)), dtype=np.min_scalar_type(prime - 1))
    for slot in range(digits - 1, -1, -1):
        numbers, found[slot] = np.divmod(numbers, prime)
    return found


def _hash_table(channel: LocalHash) -> NDArray[np.int64]:
    """Return every cell's hash under every vector, cells by vectors."""
    import numpy as np

    vectors = _digits(np.arange(1, channel.vectors + 1), channel.prime, channel.digits).astype(np.int64)
    return np.asarray(channel.coordinates().T @ vectors % channel.prime)
