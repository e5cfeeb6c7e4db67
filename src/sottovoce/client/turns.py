"""The turn of a device in a plan with waves: the one wave in which it reports, and its question.

It is drawn at joining, without looking at any record, and kept until its wave: a device that joins late, or misses its
wave, is silent for good. It never draws another turn, for then it could report twice.
"""

from __future__ import annotations

import secrets

import msgspec

from sottovoce.channels.exact import below
from sottovoce.errors import DeliveryError
from sottovoce.plan.plan import Plan

TURN_LENGTH = 64
"""The bytes that a device keeps for its turn, whatever it is."""


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a device keeps between waves: the number of its question among those of all waves."""

    question: int

    def wave(self, plan: Plan) -> int:
        """Return the wave in which the device reports, the first being 1."""
        return self.question // plan.questions.per_wave + 1

    def to_json(self) -> str:
        """Return what the ledger keeps."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | None) -> Turn:
        """Return the turn that a ledger kept.

        Raises:
            DeliveryError: If it was lost before it was written down: the device is silent for good.
        """
        if text is None:
            raise DeliveryError(
                "this device joined the collection, but its turn was lost before it was written down: nothing is drawn "
                "again, and it is silent in all waves"
            )
        return msgspec.json.decode(text, type=cls)


def draw_turn(plan: Plan) -> Turn:
    """Return a turn drawn by the operating system's randomness: each wave as likely, the question by its share."""
    wave = below(plan.questions.waves)
    return Turn(wave * plan.questions.per_wave + plan.questions.locate(secrets.randbits(32)).index)
