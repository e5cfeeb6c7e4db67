"""What experiments are made of: data, queries, methods, and the smallest pieces of work.

All are frozen, and all have one JSON form, from which come the names of cached files, the keys of finished work and
every seed: the same piece of work gives the same numbers wherever and whenever it runs.
"""

from __future__ import annotations

import hashlib

import msgspec

from sottovoce.errors import ExperimentError
from sottovoce.experiments.code import code_digest

SYNTHETIC = ("normal", "laplace")
MEASURES = ("error", "errors", "answers", "matrix-change", "answer-change", "granularity")
QUERY_KINDS = ("random", "zero-count", "non-zero-count", "marginals", "ranges")


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A population as levels.

    Attributes:
        name: "normal", "laplace", or a real data set's name.
        users: How many people.
        attributes: How many attributes.
        levels: How many levels every attribute has.
        covariance: Of every two attributes; None for real data.
        cut: The range that synthetic values are cut to; None for real data.
        source: The file that real data comes from.
        stamp: The file's size and time, so that another file under the same name is other data.
    """

    name: str
    users: int
    attributes: int
    levels: int
    covariance: float | None = None
    cut: float | None = None
    source: str = ""
    stamp: str = ""


class QuerySpec(msgspec.Struct, frozen=True, kw_only=True):
    """A set of queries to be drawn.

    Attributes:
        kind: "random"; "zero-count" or "non-zero-count", random ones with or without anybody inside; "marginals", every
            cell of every pair; "ranges", every range of the volume on every pair.
        dimension: How many attributes a query names, the paper's lambda.
        volume: The fraction of an attribute's levels inside its range, the paper's omega.
        count: How many; what "marginals" and "ranges" hold is given by the data.
        aligned: Whether both ends of a range lie on sixteenths of the domain, as the authors' generator draws them;
            otherwise they lie anywhere.
    """

    kind: str = "random"
    dimension: int = 2
    volume: float = 0.5
    count: int = 200
    aligned: bool = True


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """A mechanism with its options, as one line of a figure.

    Attributes:
        label: What the figure calls it.
        mechanism: The mechanism's name in the registry.
        options: Options of `Plan.create`, as pairs.
        repeats: The most repeats it gets, where it is too slow for all of them.
        simulated: A randomiser that no plan can name, to be simulated in place of the mechanism's own; one of
            `oracles.SIMULATED`, or "" for its own.
    """

    label: str
    mechanism: str
    options: tuple[tuple[str, str | int | float | bool], ...] = ()
    repeats: int | None = None
    simulated: str = ""

    def with_option(self, name: str, value: str | float | bool) -> Method:
        """Return the method with one more option."""
        return msgspec.structs.replace(self, options=(*self.options, (name, value)))


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One collection, simulated and fitted once, and what is measured on it.

    Attributes:
        data: The population.
        epsilon: The privacy of each person.
        method: What collects and answers.
        queries: The query sets it answers.
        asked: How many queries of each set it is asked, the first ones; None for all.
        measure: What is kept: "error", the mean absolute error of a set; "errors", the absolute error of each query;
            "answers", each query with its answer (see `answers.COLUMNS`); "matrix-change" and "answer-change", how
            much Algorithms 1 and 2 move in each sweep; "granularity", g1, g2.
        level: The probability with which the intervals of answers should hold the truth; None asks for none.
        repeat: The number of the repeat.
        seed: The seed of the whole run.
    """

    data: Dataset
    epsilon: float
    method: Method
    queries: tuple[QuerySpec, ...]
    asked: tuple[int | None, ...]
    measure: str = "error"
    level: float | None = None
    repeat: int = 0
    seed: int = 0

    @property
    def collection_seed(self) -> int:
        """The seed of the simulated collection; where a file lies does not matter to it."""
        data = msgspec.structs.replace(self.data, source="", stamp="")
        return derive_seed(self.seed, data, self.epsilon, self.method.mechanism, self.method.options, self.repeat)

    @property
    def key(self) -> str:
        """What finished work is known by: it changes with anything that could change the numbers."""
        return digest(self, code_digest(self.method.mechanism))[:24]


def digest(*parts: object) -> str:
    """Return the SHA-256 of the parts' JSON, 64 hexadecimal digits."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def derive_seed(*parts: object) -> int:
    """Return a seed that the parts determine."""
    return int(digest(*parts)[:15], 16)


def check_member(what: str, given: str, allowed: tuple[str, ...]) -> None:
    """Raise ExperimentError for a word that is not among those allowed.

    Args:
        what: What is being chosen, for the message.
        given: The word that was given.
        allowed: All that may be.
    """
    if given not in allowed:
        raise ExperimentError(f"{what} is one of {', '.join(allowed)}, got {given!r}")
