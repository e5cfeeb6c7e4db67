"""Exact numbers for privacy draws: integer weights for e^epsilon, and the operating system's random words.

No float decides a draw. A probability is an integer weight out of 2^64; e^epsilon enters once, through ``decimal``, and
is rounded so that a channel is never less private than was asked for.
"""

from __future__ import annotations

import decimal
import os
import secrets
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.errors import PlanError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Words = Callable[[int], "NDArray[np.uint64]"]
"""A source of that many independent uniform 64-bit words."""

SCALE = 2**64
"""Weights are out of this many."""

EPSILON_LOW, EPSILON_HIGH = Decimal("0.01"), Decimal(20)
"""What epsilon may be: below, a report says nothing; above, it says everything."""

_PRECISION = decimal.Context(prec=60)
_DOWN = decimal.Context(prec=60, rounding=decimal.ROUND_FLOOR)
_BELOW_ONE = _PRECISION.subtract(Decimal(1), Decimal("1e-50"))


def parse_epsilon(value: object) -> Decimal:
    """Return epsilon as an exact decimal number; anything but a number from 0.01 to 20 is refused.

    Example:
        >>> parse_epsilon("1.50")
        Decimal('1.5')
    """
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
            raise ValueError
        epsilon = Decimal(str(value))
        if not EPSILON_LOW <= epsilon <= EPSILON_HIGH:
            raise ValueError
    except (ValueError, decimal.InvalidOperation) as error:
        raise PlanError(
            f"epsilon is a number from {EPSILON_LOW} to {EPSILON_HIGH}, got {value!r}; "
            "1 is a common choice, smaller is more private"
        ) from error
    return Decimal(format(epsilon.normalize(), "f"))


def exp_floor(epsilon: Decimal) -> Decimal:
    """Return e^epsilon to about 50 digits, rounded down: never above it, whatever decimal context the caller has.

    ``exp`` is correctly rounded to 60 digits, so it is off by at most half a unit of the 60th; a factor of 1 - 10^-50,
    and a product that is rounded down, bring it below for certain.
    """
    return _DOWN.multiply(_PRECISION.exp(epsilon), _BELOW_ONE)


def triple_exp(epsilon: Decimal) -> Decimal:
    """Return 3 e^epsilon, rounded down: where local hashing begins to beat randomised response."""
    return _DOWN.multiply(Decimal(3), exp_floor(epsilon))


def exp_less_one(epsilon: Decimal) -> Decimal:
    """Return e^epsilon - 1, rounded down."""
    return _DOWN.subtract(exp_floor(epsilon), Decimal(1))


def log_ratio(ratio: Fraction) -> Decimal:
    """Return the natural logarithm of a ratio to about 50 digits."""
    return _PRECISION.ln(_PRECISION.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))


def response_weights(cells: int, epsilon: Decimal) -> tuple[int, int]:
    """Return (keep, other): randomised response's weight for the true cell and for each other one, out of 2^64.

    ``other`` is rounded up and ``keep`` is what remains, so keep/other never exceeds e^epsilon.
    """
    divisor = _PRECISION.add(exp_floor(epsilon), Decimal(cells - 1))
    quotient = _PRECISION.divide(Decimal(SCALE), divisor)
    other = int(quotient.to_integral_value(rounding=decimal.ROUND_CEILING))
    return SCALE - (cells - 1) * other, other


def wave_reach(cells: int, epsilon: Decimal) -> int:
    """Return how many buckets to each side of a cell the square wave takes as near: delta times cells, rounded down.

    Delta (section 3.5) falls from a half at small epsilon towards zero at large ones, where nothing but the cell itself
    is near.
    """
    growth = exp_floor(epsilon)
    above = _PRECISION.add(_PRECISION.multiply(growth, _PRECISION.subtract(epsilon, Decimal(1))), Decimal(1))
    excess = _PRECISION.subtract(_PRECISION.subtract(growth, Decimal(1)), epsilon)
    below_ = _PRECISION.multiply(Decimal(2), _PRECISION.multiply(growth, excess))
    return int(_PRECISION.multiply(_PRECISION.divide(above, below_), Decimal(cells)))


def wave_weights(cells: int, width: int, epsilon: Decimal) -> tuple[int, int, int]:
    """Return (near, extra, far), out of 2^64: ``width`` near buckets, ``extra`` of which weigh one more, and others.

    ``far`` is rounded up and what remains is shared out over the near buckets as evenly as integers allow; where the
    one more would exceed e^epsilon times far, far is raised by one, which is always enough.

    Args:
        cells: How many cells there are; ``cells - 1`` of all buckets are far from a value.
        width: How many buckets are near a value, 2b + 1.
        epsilon: The privacy of one answer.

    Returns:
        Integers with ``width * near + extra + (cells - 1) * far == 2^64``.
    """
    growth = exp_floor(epsilon)
    divisor = _PRECISION.add(_PRECISION.multiply(growth, Decimal(width)), Decimal(cells - 1))
    far = int(_PRECISION.divide(Decimal(SCALE), divisor).to_integral_value(rounding=decimal.ROUND_CEILING))
    near, extra = divmod(SCALE - (cells - 1) * far, width)
    if near + (extra > 0) > _PRECISION.multiply(growth, Decimal(far)):
        far += 1
        near, extra = divmod(SCALE - (cells - 1) * far, width)
    return near, extra, far


def system_words(count: int) -> NDArray[np.uint64]:
    """Return random words from the operating system."""
    import numpy as np

    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def below(limit: int) -> int:
    """Return a uniform integer from 0 to ``limit - 1``, from the operating system's randomness."""
    return secrets.randbelow(limit)


def many_below(limit: int, count: int, words: Words) -> NDArray[np.uint64]:
    """Return ``count`` uniform integers from 0 to ``limit - 1``: words by rejection, so none is favoured.

    Args:
        limit: One more than the largest integer, from 1 to 2^64.
        count: How many integers.
        words: Where 64-bit words come from; the operating system for anything a person reports.

    Returns:
        The integers, exactly uniform.
    """
    import numpy as np

    largest = np.uint64(SCALE // limit * limit - 1)
    drawn = words(count)
    while (rejected := np.flatnonzero(drawn > largest)).size:
        drawn = drawn.copy()
        drawn[rejected] = words(rejected.size)
    result: NDArray[Any] = drawn % np.uint64(limit) if limit < SCALE else drawn
    return result
