"""Rooms: each gives its public names by itself, the same things that the package gives."""

from __future__ import annotations

import importlib

import pytest

import sottovoce as sv
from tests.interpreters import run_fresh

ROOMS = ("client", "model", "plan", "schema", "tally")


@pytest.mark.parametrize(
    "statement",
    [
        "from sottovoce.client import randomize",
        "from sottovoce.model import fit, load_model, Model",
        "from sottovoce.schema import Schema, Ordinal",
        "from sottovoce.tally import Tally",
        "from sottovoce.plan import Plan",
    ],
)
def test_a_room_can_be_the_first_thing_imported(statement: str) -> None:
    """In a fresh interpreter: rooms import each other, and one that needs another first would fail here."""
    names = statement.partition(" import ")[2].split(", ")
    told = run_fresh(f"{statement}\nimport sottovoce as sv\nprint([{', '.join(f'{n} is sv.{n}' for n in names)}])")
    assert told.strip() == str([True] * len(names))


@pytest.mark.parametrize("room", ROOMS)
def test_a_rooms_names_exist_and_are_those_of_the_package(room: str) -> None:
    module = importlib.import_module(f"sottovoce.{room}")
    for name in module.__all__:
        thing = getattr(module, name)
        assert name not in sv.__all__ or thing is getattr(sv, name)


def test_a_name_that_a_room_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'sottovoce\.client' has no attribute 'magic'"):
        importlib.import_module("sottovoce.client").magic  # noqa: B018
