"""The tree of errors: drawn as it is, whole, and catchable by its root."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce import errors

PACKAGE = Path(errors.__file__).parent
KINDS = [thing for thing in vars(errors).values() if inspect.isclass(thing)]


def test_every_error_is_a_sottovoce_error_or_a_warning_and_stands_in_the_tree():
    for name, thing in vars(errors).items():
        if inspect.isclass(thing):
            assert issubclass(thing, sv.SottovoceError | UserWarning)
            assert name in errors.__doc__
            assert name in sv.__all__


def test_the_tree_is_drawn_as_it_is() -> None:
    drawing = errors.__doc__.split("```")[1].strip().splitlines()
    path: list[str] = []
    children: dict[str, list[str]] = {}
    for line in drawing:
        indent, name = re.match(r"([│├└─ ]*)(\w+)", line).groups()
        path[len(indent) // 4 :] = [name]
        children.setdefault(name, [])
        if len(path) > 1:
            children[path[-2]].append(name)
    assert {name: [kind.__name__ for kind in getattr(errors, name).__subclasses__()] for name in children} == children


def test_no_room_of_the_library_has_public_errors_of_its_own() -> None:
    """The service has signals that become HTTP answers, and the command line those that become one line."""
    own = re.compile(r"^class ([A-Z]\w+)\(.*(?:Error|Exception|Warning)\b.*\):", re.MULTILINE)
    found = {
        (path.relative_to(PACKAGE).parts[0], name)
        for path in PACKAGE.rglob("*.py")
        for name in own.findall(path.read_text(encoding="utf-8"))
    }
    assert {("errors.py", kind.__name__) for kind in KINDS} - {("errors.py", "SottovoceError")} <= found
    assert {room for room, _ in found} <= {"errors.py", "service", "cli"}


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_comes_back_from_another_process_with_its_message(kind: type[Exception]) -> None:
    """Experiments run in several processes."""
    error = pickle.loads(pickle.dumps(kind("what was given; what is allowed")))
    assert type(error) is kind
    assert str(error) == "what was given; what is allowed"
