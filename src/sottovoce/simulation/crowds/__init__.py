"""Made-up crowds to be honest on: twenty-four surveys whose every answer is known, more than a hundred questions each.

    >>> crowd = CROWDS["commuting"]
    >>> people = crowd.draw(1000, seed=0)
    >>> truth = crowd.questions()[0].truth(Population(crowd.schema, people))

Each crowd has strong, weak and no dependence, between categories of many values and numbers above all; small groups;
attributes that go with nothing or hardly anything; and in half of them three attributes that depend on each other only
as three.

`BUILDING` names the crowds that a method may be built and tuned on. `LOOKED_AT` names eighteen that were measured while
methods were built, most several times; on donors and players the limits of answers were settled too, on these and the
four after them how far strong dependence, two lists and "no answer" may go, and on all of them how fine dependence may
be. `HELD_OUT` names two that are measured once, at the end, as they come out: what was tuned on a crowd is not measured
on it. The crowds outside `BUILDING` are unlike those in it on purpose (rent is missing for most of those who own; a
school's marks run backwards and its languages are rare ones; a queue that depends on weekend and rain together annoys;
watering pays or costs depending on the district; gifts come once or twelve times a year, in notes; ages have two humps,
and the young do not know the fee; the youngest and the oldest animals see the vet most; what is not mended takes the
whole hour, and few are neither glad nor sorry; only who caught a fish is asked how long it was; who was invited does
not know the price, and fans and the curious want to come again to different places; nobody can have served longer than
they are old enough for, and parents come by day if they work shifts; incomes heap at a benefit's rate, and few large
debts or many small ones come to the same; half of a colony's gardens have one area, and who took over from the family
neither waited nor says what was paid; nights come in weeks, and a town is dear in summer or just then not; who cares
under one roof does so round the clock or cannot count the hours; prices end just below the tens, and only who sent
something back is asked when the money came; a hurried section spoils a first birth and hardly a later one, and the
young do not know what it cost; some offences happen in one place only, and what was small and not reported is forgotten
or never added up; who looks for work writes the ten letters that the office wants to see, which cheers at first and no
more after a year; banks hide their fee, and an app pleases where everybody is paid by telephone), so that they show
what a method does with a crowd that nobody had in mind.
"""

from __future__ import annotations

from sottovoce.simulation.crowds.allotments import CROWD as _ALLOTMENTS
from sottovoce.simulation.crowds.anglers import CROWD as _ANGLERS
from sottovoce.simulation.crowds.brigades import CROWD as _BRIGADES
from sottovoce.simulation.crowds.carers import CROWD as _CARERS
from sottovoce.simulation.crowds.clauses import Clause
from sottovoce.simulation.crowds.commuting import CROWD as _COMMUTING
from sottovoce.simulation.crowds.concerts import CROWD as _CONCERTS
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.debtors import CROWD as _DEBTORS
from sottovoce.simulation.crowds.donors import CROWD as _DONORS
from sottovoce.simulation.crowds.farms import CROWD as _FARMS
from sottovoce.simulation.crowds.health import CROWD as _HEALTH
from sottovoce.simulation.crowds.households import CROWD as _HOUSEHOLDS
from sottovoce.simulation.crowds.learning import CROWD as _LEARNING
from sottovoce.simulation.crowds.lodgers import CROWD as _LODGERS
from sottovoce.simulation.crowds.mothers import CROWD as _MOTHERS
from sottovoce.simulation.crowds.parcels import CROWD as _PARCELS
from sottovoce.simulation.crowds.pets import CROWD as _PETS
from sottovoce.simulation.crowds.players import CROWD as _PLAYERS
from sottovoce.simulation.crowds.population import Population
from sottovoce.simulation.crowds.questions import KINDS, Question
from sottovoce.simulation.crowds.repairs import CROWD as _REPAIRS
from sottovoce.simulation.crowds.seekers import CROWD as _SEEKERS
from sottovoce.simulation.crowds.senders import CROWD as _SENDERS
from sottovoce.simulation.crowds.staff import CROWD as _STAFF
from sottovoce.simulation.crowds.telemetry import CROWD as _TELEMETRY
from sottovoce.simulation.crowds.victims import CROWD as _VICTIMS
from sottovoce.simulation.crowds.visitors import CROWD as _VISITORS

__all__ = ["BUILDING", "CROWDS", "HELD_OUT", "KINDS", "LOOKED_AT", "Clause", "Crowd", "Population", "Question"]

CROWDS: dict[str, Crowd] = {
    crowd.name: crowd
    for crowd in (
        *(_COMMUTING, _HEALTH, _TELEMETRY, _STAFF),
        *(_HOUSEHOLDS, _LEARNING, _VISITORS, _FARMS),
        *(_DONORS, _PLAYERS, _PETS, _REPAIRS),
        *(_ANGLERS, _CONCERTS, _BRIGADES, _DEBTORS),
        *(_ALLOTMENTS, _LODGERS, _CARERS, _PARCELS),
        *(_MOTHERS, _VICTIMS, _SEEKERS, _SENDERS),
    )
}
"""Every crowd by name."""

BUILDING = ("commuting", "health", "telemetry", "staff")
"""Crowds that methods may be built and tuned on."""

LOOKED_AT = (
    *("households", "learning", "visitors", "farms", "donors", "players", "pets", "repairs"),
    *("anglers", "concerts", "brigades", "debtors", "allotments", "lodgers", "carers", "parcels"),
    *("mothers", "victims"),
)
"""Crowds that were measured while methods were built; what was settled on some of them is said above."""

HELD_OUT = ("seekers", "senders")
"""Crowds that are measured once, at the end."""
