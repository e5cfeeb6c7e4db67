"""Made-up crowds to be honest on: six surveys whose every answer is known, and more than a hundred questions each.

    >>> crowd = CROWDS["commuting"]
    >>> people = crowd.draw(1000, seed=0)
    >>> truth = crowd.questions()[0].truth(Population(crowd.schema, people))

Each crowd has strong, weak and no dependence, between categories of many values and numbers above all; small groups;
attributes that go with nothing; and in most of them three attributes that depend on each other only as three.

`BUILDING` names the crowds that a method may be built and tuned on. `HELD_OUT` names two that are measured once, at the
end, as they come out: what was tuned on a crowd is not measured on it. The two kept back are unlike the others on
purpose (rent is missing for most of those who own; a school's marks run backwards and its
languages are rare ones), so that they show what a method does with a crowd that nobody had in mind.
"""

from __future__ import annotations

from sottovoce.simulation.crowds.clauses import Clause
from sottovoce.simulation.crowds.commuting import CROWD as _COMMUTING
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.health import CROWD as _HEALTH
from sottovoce.simulation.crowds.households import CROWD as _HOUSEHOLDS
from sottovoce.simulation.crowds.learning import CROWD as _LEARNING
from sottovoce.simulation.crowds.population import Population
from sottovoce.simulation.crowds.questions import KINDS, Question
from sottovoce.simulation.crowds.staff import CROWD as _STAFF
from sottovoce.simulation.crowds.telemetry import CROWD as _TELEMETRY

__all__ = ["BUILDING", "CROWDS", "HELD_OUT", "KINDS", "Clause", "Crowd", "Population", "Question"]

CROWDS: dict[str, Crowd] = {
    crowd.name: crowd for crowd in (_COMMUTING, _HEALTH, _TELEMETRY, _STAFF, _HOUSEHOLDS, _LEARNING)
}
"""Every crowd by name."""

BUILDING = ("commuting", "health", "telemetry", "staff")
"""Crowds that methods may be built and tuned on."""

HELD_OUT = ("households", "learning")
"""Crowds that are measured once, at the end."""
