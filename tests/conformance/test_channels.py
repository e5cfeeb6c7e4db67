"""The conformance suite on every channel that Sottovoce has. A new one joins by one line."""

from __future__ import annotations

from decimal import Decimal
from math import isqrt

from sottovoce.channels import GRR, LocalHash, Parity, SquareWave
from sottovoce.testing import channel_suite


def hash_in_parts(cells: int, epsilon: Decimal) -> LocalHash:
    """Return a small channel whose cells are placed in two parts, as only those of very large ones are."""
    together = LocalHash.design(cells, epsilon, seed="5eed")
    bins = next(divisor for divisor in range(2, cells) if cells % divisor == 0)
    digits = [next(t for t in range(1, 64) if together.prime**t >= part) for part in (bins, cells // bins)]
    return LocalHash(cells, together.response, tuple(zip((bins, cells // bins), digits, strict=True)), "5eed")


TestGRR = channel_suite("grr", GRR.design)
TestLocalHash = channel_suite("local_hash", lambda cells, epsilon: LocalHash.design(cells, epsilon, seed="5eed"))
TestLocalHashInParts = channel_suite("local_hash_in_parts", hash_in_parts, sizes=(6, 15, 27, 64, 100))
TestSquareWave = channel_suite("square_wave", SquareWave.design, unbiased=False)
TestParity = channel_suite("parity", Parity.design, sizes=(2, 4, 8, 64), unbiased=False)
TestXor = channel_suite(
    "xor", lambda cells, epsilon: Parity.of_shape((isqrt(cells),) * 2, epsilon), sizes=(16, 64, 256), unbiased=False
)
