"""Which methods an experiment compares: by default all mechanisms in the registry, so that a new one joins."""

from __future__ import annotations

import math

import msgspec

import sottovoce.mechanisms  # noqa: F401 - importing it fills the registry
from sottovoce.errors import ExperimentError
from sottovoce.experiments.specs import Method, QuerySpec
from sottovoce.plan.registry import find_mechanism, mechanism_names

LABELS = {"uniform": "Uni", "spectral": "Spectral"}
"""What figures call a mechanism; any other is called by its name in capitals."""

PAPER_FORMS: dict[str, tuple[tuple[str, bool], str]] = {
    "lhio": (("nonnegative", True), "LHIO, linear"),
    "msw": (("smoothing", True), "MSW, EM"),
}
"""The option that makes a mechanism what fits the paper's claims (docs/reproduction.md), and what the mechanism with
its own defaults, drawn as a further line, is called."""

HIO_REPEATS, HIO_ATTRIBUTES, HIO_INTERVALS, HIO_QUERIES = 5, 7, 4_000_000, (5, 1000)
"""HIO adds up intervals of all attributes together: it gets fewer repeats, only one with more attributes than this, and
as many queries as so many intervals make up, within these bounds; where that is not even a few, none."""

TDG, HDG = Method(label="TDG", mechanism="tdg"), Method(label="HDG", mechanism="hdg")
AHDG = Method(label="AHDG", mechanism="ahdg")
AHDG_MAX_ENTROPY = Method(label="AHDG, maximum entropy", mechanism="ahdg", options=(("estimator", "max_entropy"),))
ITDG = Method(label="ITDG", mechanism="tdg", options=(("postprocess", False),))
IHDG = Method(label="IHDG", mechanism="hdg", options=(("postprocess", False),))
TDG_OUE = Method(label="TDG, OUE", mechanism="tdg", simulated="oue")
HDG_OUE = Method(label="HDG, OUE", mechanism="hdg", simulated="oue")
MSW = Method(label="MSW", mechanism="msw", options=(("smoothing", True),))
MSW_CONTINUOUS = Method(label="MSW, continuous", mechanism="msw", options=MSW.options, simulated="continuous")


def every_method(names: tuple[str, ...] = ()) -> tuple[Method, ...]:
    """Return the methods of every mechanism in the registry, or of those named: one each, two in `PAPER_FORMS`."""
    unknown = [name for name in names if name not in mechanism_names()]
    if unknown:
        raise ExperimentError(f"unknown mechanism {', '.join(unknown)}; known are {', '.join(mechanism_names())}")
    return tuple(method for name in names or mechanism_names() for method in _forms(name))


def _forms(name: str) -> tuple[Method, ...]:
    """Return a mechanism as figures show it: by its defaults, or as the paper has it and then by its defaults."""
    label = LABELS.get(name, name.upper())
    own = Method(label=label, mechanism=name, repeats=HIO_REPEATS if name == "hio" else None)
    if name not in PAPER_FORMS:
        return (own,)
    option, other = PAPER_FORMS[name]
    return own.with_option(*option), msgspec.structs.replace(own, label=other)


def most_repeats(method: Method, attributes: int, repeats: int) -> int:
    """Return how many of the repeats a method gets with so many attributes.

    Args:
        method: What collects and answers.
        attributes: How many attributes the data has; HIO is too slow for repeats where there are many.
        repeats: How many repeats the experiment has.
    """
    if method.mechanism == "hio" and attributes > HIO_ATTRIBUTES:
        return 1
    return min(repeats, method.repeats or repeats)


def most_queries(method: Method, spec: QuerySpec, levels: int) -> int | None:
    """Return how many queries of a set a method is asked, None for all.

    A range of half the levels is made up of about two intervals from each depth of a tree with four branches.

    Args:
        method: What collects and answers.
        spec: The query set.
        levels: How many levels each attribute has.

    Returns:
        A number, 0 where not even the fewest worth measuring could be asked; None for all.
    """
    if method.mechanism != "hio":
        return None
    intervals = (2 * math.log(levels, 4) + 1) ** spec.dimension
    fewest, most = HIO_QUERIES
    possible = min(most, int(HIO_INTERVALS / intervals))
    return possible if possible >= fewest else 0


def with_estimator(method: Method, estimator: str) -> Method:
    """Return the method with this way from pairs to more attributes, where its mechanism has the choice."""
    options = find_mechanism(method.mechanism).options
    chosen = {name for name, _ in method.options}
    fields = {field.name for field in msgspec.structs.fields(options)}
    return method.with_option("estimator", estimator) if "estimator" in fields - chosen else method


def granularities(largest: int) -> tuple[Method, ...]:
    """Return HDG by the guideline, and with every pair of powers of two up to the domain's size."""
    powers = [2**power for power in range(1, largest.bit_length())]
    fixed = [
        Method(label=f"HDG({fine},{coarse})", mechanism="hdg", options=(("g1", fine), ("g2", coarse)))
        for fine in powers
        for coarse in powers
        if coarse <= fine
    ]
    return (HDG, *fixed)
