"""Synthetic crowds: the paper's Normal and Laplace data, of any size.

Every two attributes have the same covariance, so a person is one shared draw and one draw per attribute: the
distribution is the multivariate normal's, at covariance 1 too. Laplace is a normal vector times the root of an
exponential. Values are cut to a range and put in equal bins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import SchemaError

KINDS = ("normal", "laplace")

PEOPLE_AT_ONCE = 2**20
"""People are drawn in blocks of this size, each from a seed of its own."""


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A crowd to be drawn.

    Attributes:
        kind: "normal" or "laplace"; mean 0 and standard deviation 1 on every attribute.
        users: How many people.
        attributes: How many attributes.
        levels: How many equal bins an attribute's range is put in.
        covariance: Of every two attributes, from 0 to 1.
        cut: Values are cut to the range from -cut to cut.
    """

    kind: str
    users: int
    attributes: int
    levels: int = 64
    covariance: float = 0.8
    cut: float = 6.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SchemaError(f"a synthetic crowd is one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.users < 1 or self.attributes < 1 or self.levels < 2:
            raise SchemaError(
                "a synthetic crowd has at least one person, one attribute and two levels, got "
                f"users={self.users}, attributes={self.attributes}, levels={self.levels}"
            )
        if not 0 <= self.covariance <= 1:
            raise SchemaError(f"the covariance of every two attributes is from 0 to 1, got {self.covariance}")
        if not 0 < self.cut < math.inf:
            raise SchemaError(f"cut is a positive number, got {self.cut}")


def synthesize(crowd: Synthetic, *, seed: int) -> NDArray[np.unsignedinteger]:
    """Return the levels of a synthetic crowd, attributes by people, in the smallest unsigned integers.

    The same seed gives the same crowd; one with fewer attributes has the first of these.

    Example:
        >>> synthesize(Synthetic("normal", users=3, attributes=2, covariance=1.0), seed=0)
        array([[32, 31, 35],
               [32, 31, 35]], dtype=uint8)
    """
    records = np.empty((crowd.attributes, crowd.users), dtype=np.min_scalar_type(crowd.levels - 1))
    for block, start in enumerate(range(0, crowd.users, PEOPLE_AT_ONCE)):
        generator = np.random.default_rng([seed, block])
        people = slice(start, min(start + PEOPLE_AT_ONCE, crowd.users))
        count = people.stop - people.start
        scale = np.sqrt(generator.exponential(size=count)) if crowd.kind == "laplace" else 1.0
        shared = math.sqrt(crowd.covariance) * generator.standard_normal(count)
        for attribute in range(crowd.attributes):
            values = scale * (shared + math.sqrt(1 - crowd.covariance) * generator.standard_normal(count))
            bins = np.floor((values + crowd.cut) * (crowd.levels / (2 * crowd.cut)))
            records[attribute, people] = np.clip(bins, 0, crowd.levels - 1)
    return records
