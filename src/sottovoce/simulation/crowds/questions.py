"""Questions about a crowd: one description that a model can be asked and whose truth a population holds.

>>> longer = Question("difference of shares", where=(Clause("minutes", low=30),),
...                   given=(Clause("mode", ("bus",)),), other=(Clause("mode", ("car",)),))
>>> longer.attributes
('minutes', 'mode')
"""

from __future__ import annotations

from dataclasses import dataclass

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import Clause, say
from sottovoce.simulation.crowds.population import Population

SHARES = ("share of 1", "share of 2", "share of 3", "share of 4")
KINDS = (
    *SHARES,
    "share given another",
    "difference of shares",
    "mean",
    "mean by group",
    "difference of means",
    "quantile",
    "median by group",
    "correlation",
    "association",
)
"""Every kind of question; "share of 3" names three attributes."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; which fields are used depends on the kind.

    Attributes:
        kind: One of `KINDS`.
        where: Who is counted in a share.
        given: The group that a share, mean or quantile is of; everybody if empty.
        other: The group whose share or mean is subtracted.
        name: The attribute whose mean, quantile, correlation or association is asked for.
        second: The attribute that it is correlated or associated with.
        probability: Of a quantile.
    """

    kind: str
    where: tuple[Clause, ...] = ()
    given: tuple[Clause, ...] = ()
    other: tuple[Clause, ...] = ()
    name: str = ""
    second: str = ""
    probability: float = 0.5

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes it names, each once, those asked about before those that make groups."""
        named = [*(clause.name for clause in self.where), self.name, self.second]
        named += [clause.name for clause in (*self.given, *self.other)]
        return tuple(dict.fromkeys(name for name in named if name))

    def text(self, schema: sv.Schema) -> str:
        """Return the question in words and SQL; no two questions of a crowd read the same."""
        where, given, other = (say(schema, clauses) for clauses in (self.where, self.given, self.other))
        among = f" given {given}" if self.given else ""
        against = f" minus given {other}" if self.other else ""
        if self.kind in ("correlation", "association"):
            return f"{self.kind} of {self.name} and {self.second}"
        if self.kind in ("quantile", "median by group"):
            return f"quantile {self.probability:g} of {self.name}{among}"
        return (f"share {where}" if self.where else f"mean {self.name}") + among + against

    def truth(self, population: Population) -> float:
        """Return the answer in a population."""
        match self.kind:
            case "correlation":
                return population.correlation(self.name, self.second)
            case "association":
                return population.association(self.name, self.second)
            case "quantile" | "median by group":
                return population.quantile(self.name, self.probability, self.given)
        groups = (self.given, self.other) if self.other else (self.given,)
        if self.where:
            values = [population.share(self.where, group) for group in groups]
        else:
            values = [population.mean(self.name, group) for group in groups]
        return values[0] - sum(values[1:])

    def scale(self, population: Population) -> float:
        """Return what errors are divided by to compare them: the attribute's deviation for means and quantiles."""
        measured = self.name and self.kind not in ("correlation", "association")
        return population.deviation(self.name) if measured else 1.0

    def ask(self, model: sv.Model, *, level: float = 0.9) -> sv.Answer | sv.Estimate:
        """Return the model's answer."""
        if self.kind == "correlation":
            return model.correlation(self.name, self.second, level=level)
        if self.kind == "association":
            return model.association(self.name, self.second, level=level)
        given, other = (say(model.schema, clauses) for clauses in (self.given, self.other))
        if self.kind in ("quantile", "median by group"):
            return model.quantile(self.name, self.probability, where=given, level=level)
        if self.where:
            where = say(model.schema, self.where)
            first: sv.Answer | sv.Estimate = model.answer(where, given=given, level=level)
            second: sv.Answer | sv.Estimate | None = None
            if self.other:
                second = model.answer(where, given=other, level=level)
        else:
            first = model.mean(self.name, where=given, level=level)
            second = model.mean(self.name, where=other, level=level) if self.other else None
        return first if second is None else sv.difference(first, second, level=level)
