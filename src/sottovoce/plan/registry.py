"""The registry: mechanisms and engines by name, each imported when it is first used.

A plan's file names its mechanism, and only what is registered here, or by an installed package in the entry-point group
``sottovoce.mechanisms``, can be named: never a module. So reading, auditing and answering a plan loads nothing of what
designs, counts or fits.
"""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from sottovoce.channels.plugins import load_plugin, package_of, plugins
from sottovoce.errors import PlanError
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.questions import Family
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    from sottovoce._types import Progress
    from sottovoce.model.model import Model
    from sottovoce.plan.plan import Plan
    from sottovoce.tally.tally import Tally

DEFAULT_MECHANISM = "spectral"
"""What designs a plan unless another is named."""


class PlanKeywords(TypedDict, total=False):
    """The keywords of `Plan.create` and `forecast`: what any plan carries, and the options of the built-in mechanisms.

    A mechanism of somebody else's has its own options struct, which goes in as ``options=``.
    """

    purpose: str
    contact: str
    expires: str | datetime.date | None
    waves: int
    lifetime: float | str | Decimal
    first_wave: str | datetime.date
    wave_days: int
    oracle: str
    estimator: str
    postprocess: bool
    nonnegative: bool
    smoothing: bool
    first: float
    segments: int
    g1: int | None
    g2: int | None
    alpha1: float
    alpha2: float
    sigma: float | None
    branching: int
    workload: str | Mapping[str, object] | msgspec.Struct


class Design(msgspec.Struct, frozen=True):
    """What a mechanism's design step returns: what it chose, and the questions that follow."""

    parameters: dict[str, Any]
    tables: tuple[BinMap, ...]
    families: tuple[Family, ...]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How one fit runs: its seed, its quality and who is told of its progress.

    Attributes:
        seed: The same seed gives the same model.
        quality: "default" or "fast".
        progress: Told how much of the work is done, from 0 to 1.
    """

    seed: int
    quality: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism is two functions, the options they take, and the kind of model they give.

    Attributes:
        name: What `Plan.create` calls it.
        summary: What it does, in a few words.
        options: The frozen struct that validates its options.
        design: (schema, epsilon, users, options) -> `Design`.
        fit: (plan, tally, `Fitting`) -> a model.
        model: The class of that model, which reads it back from a file.
        refresh: (plan, tally) -> new shares, one per family, where a collection's shares may change under way.
        rounds: (plan) -> the fraction of the people that each round should ask, where there is more than one round.
        next_round: (plan, tally) -> the questions that the next round adds; asked after every round but the last.
    """

    name: str
    summary: str
    options: type[msgspec.Struct]
    design: Callable[[Schema, Decimal, int, Any], Design]
    fit: Callable[[Plan, Tally, Fitting], Model]
    model: type[Model]
    refresh: Callable[[Plan, Tally], list[int]] | None = None
    rounds: Callable[[Plan], list[float]] | None = None
    next_round: Callable[[Plan, Tally], Design] | None = None

    def settle(self, options: Mapping[str, object], given: msgspec.Struct | None = None) -> msgspec.Struct:
        """Return the options as the mechanism's own struct; an unknown or impossible one is refused.

        Args:
            options: Options by keyword.
            given: Or that struct itself.

        Raises:
            PlanError: Naming what the mechanism takes.
        """
        if given is not None:
            if not isinstance(given, self.options) or options:
                raise PlanError(
                    f"{self.name} takes options={self.options.__name__}(...), or its options by keyword, not both; "
                    f"got {type(given).__name__}" + (f" and {', '.join(options)}" if options else "")
                )
            return given
        allowed = {field.name: field for field in msgspec.structs.fields(self.options)}
        unknown = [name for name in options if name not in allowed]
        if unknown:
            takes = ", ".join(allowed) or "none"
            raise PlanError(f"{self.name} has no option {', '.join(unknown)}; its options are: {takes}")
        try:
            return msgspec.convert(dict(options), self.options)
        except (
            msgspec.ValidationError,
            UnicodeError,
            AttributeError,
        ) as error:  # of texts and objects that are no JSON
            raise PlanError(f"{self.name}: {error}") from error


MECHANISMS: dict[str, str | Mechanism] = {
    "spectral": "sottovoce.mechanisms.spectral:SPECTRAL",
    "hdg": "sottovoce.mechanisms.hdg:HDG",
    "tdg": "sottovoce.mechanisms.tdg:TDG",
    "calm": "sottovoce.mechanisms.calm:CALM",
    "lhio": "sottovoce.mechanisms.lhio:LHIO",
    "hio": "sottovoce.mechanisms.hio:HIO",
    "msw": "sottovoce.mechanisms.msw:MSW",
    "ahdg": "sottovoce.mechanisms.ahdg:AHDG",
    "uniform": "sottovoce.mechanisms.uniform:UNIFORM",
}
"""Every mechanism by name: where it is to be found, or itself once it was used."""

_ENGINES = {
    "parquet": "sottovoce.engines.parquet:tally_parquet",
    "spark": "sottovoce.engines.spark:tally_spark",
    "store": "sottovoce.service.tallies:tally_store",
}


REGISTERED: dict[str, Mechanism] = {}
"""The mechanisms of `register`: known to this process alone, until they are sent to others."""


def register(mechanism: Mechanism) -> None:
    """Make a mechanism available under its name, in this process."""
    MECHANISMS[mechanism.name] = REGISTERED[mechanism.name] = mechanism


def find_mechanism(name: str) -> Mechanism:
    """Return the mechanism called ``name``, imported if this is its first use.

    Raises:
        PlanError: If none has that name; it lists those there are.
    """
    if not isinstance(name, str) or name not in mechanism_names():
        raise PlanError(f"unknown mechanism {name!r}; known are {', '.join(mechanism_names())}")
    found = MECHANISMS[name] if name in MECHANISMS else _of_package(name)
    if isinstance(found, str):
        found = _load(found)
    MECHANISMS[name] = found
    return found


def _of_package(name: str) -> Mechanism:
    found = load_plugin("mechanisms", name)
    if not isinstance(found, Mechanism) or found.name != name:
        raise PlanError(
            f"{package_of('mechanisms', name)} gives {name!r} as a mechanism, and it is {found!r}; it should be a "
            "Mechanism of that name"
        )
    return found


def mechanism_names() -> list[str]:
    """Return the names of all mechanisms: Sottovoce's own, those of installed packages, and those registered here."""
    return list(dict.fromkeys((*MECHANISMS, *plugins("mechanisms"))))


def every_mechanism() -> list[Mechanism]:
    """Return all mechanisms, imported."""
    return [find_mechanism(name) for name in mechanism_names()]


def find_engine(name: str) -> Callable[..., Tally]:
    """Return the function by which an engine counts reports where they are."""
    engine: Callable[..., Tally] = _load(_ENGINES[name])
    return engine


def _load(home: str) -> Any:
    module, _, name = home.partition(":")
    return getattr(importlib.import_module(module), name)
