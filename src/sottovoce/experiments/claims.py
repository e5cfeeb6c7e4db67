"""The paper's claims about who is ahead of whom, counted setting by setting.

A setting is one data set, epsilon and number of attributes in a query. In each the methods' mean errors are compared,
with LHIO and MSW in the form that fits the paper; one line counts against their defaults instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow as pa

from sottovoce.experiments.panels import named
from sottovoce.experiments.results import varying

PRIVATE = ("HDG", "TDG", "CALM", "LHIO", "HIO", "MSW")
"""The paper's methods but Uni, which asks nobody."""

BY_DEFAULT = ("HDG", "TDG", "CALM", "LHIO, linear", "HIO", "MSW, EM")

Errors = dict[str, float]
"""The mean error of each method in one setting."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that holds in a setting or not.

    Attributes:
        words: What is claimed.
        needs: The methods it speaks of: it is not counted where one of them was not measured.
        holds: Whether it holds, given their errors.
        least_epsilon: From which epsilon on it is claimed.
    """

    words: str
    needs: tuple[str, ...]
    holds: Callable[[Errors], bool]
    least_epsilon: float = 0.0


def _first(label: str, among: tuple[str, ...]) -> Callable[[Errors], bool]:
    return lambda errors: errors[label] <= min(errors[name] for name in among)


def _last(label: str, among: tuple[str, ...]) -> Callable[[Errors], bool]:
    return lambda errors: errors[label] >= max(errors[name] for name in among)


def _ahead(label: str, other: str) -> Claim:
    return Claim(f"{label} ahead of {other}", (label, other), lambda errors: errors[label] < errors[other])


CLAIMS = (
    Claim("HDG first", PRIVATE, _first("HDG", PRIVATE)),
    Claim("HDG first, against LHIO and MSW by default", BY_DEFAULT, _first("HDG", BY_DEFAULT)),
    _ahead("HDG", "TDG"),
    _ahead("TDG", "CALM"),
    replace(_ahead("TDG", "CALM"), words="TDG ahead of CALM, from epsilon 0.6 on", least_epsilon=0.6),
    _ahead("CALM", "LHIO"),
    _ahead("CALM", "LHIO, linear"),
    _ahead("TDG", "MSW"),
    Claim("HIO the last of the private ones", PRIVATE, _last("HIO", PRIVATE)),
    _ahead("Uni", "HIO"),
)


@dataclass(frozen=True, slots=True)
class Counted:
    """In how many settings a claim holds, of how many, in all and by the number of attributes in a query."""

    claim: Claim
    held: dict[int, int]
    of: dict[int, int]

    def written(self, dimension: int | None = None) -> str:
        """Return the count as tables show it."""
        if dimension is None:
            return f"{sum(self.held.values())} of {sum(self.of.values())}"
        return f"{self.held[dimension]} of {self.of[dimension]}"


def count_claims(summary: pa.Table) -> list[Counted]:
    """Return every claim with the settings in which it holds."""
    keys = [key for key in varying(summary) if key not in ("method", "queries", "index")]
    settings: dict[tuple[object, ...], tuple[float, int, Errors]] = {}
    for row in (row for row in summary.to_pylist() if row["mean"] is not None):
        place = tuple(row[key] for key in keys)
        settings.setdefault(place, (row["epsilon"], row["dimension"], {}))[2][row["method"]] = row["mean"]
    dimensions = sorted({dimension for _, dimension, _ in settings.values()})
    found = []
    for claim in CLAIMS:
        counted = Counted(claim, dict.fromkeys(dimensions, 0), dict.fromkeys(dimensions, 0))
        for epsilon, dimension, errors in settings.values():
            if epsilon >= claim.least_epsilon and set(claim.needs) <= set(errors):
                counted.of[dimension] += 1
                counted.held[dimension] += claim.holds(errors)
        found.append(counted)
    return found


def claim_rows(summary: pa.Table) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of claims."""
    counted = count_claims(summary)
    dimensions = list(counted[0].of)
    head = ["claim", "holds in", *(named("dimension", number) for number in dimensions)]
    return head, [[one.claim.words, one.written(), *(one.written(number) for number in dimensions)] for one in counted]
