"""Files of models: altered, impossible or greedy ones are refused before they take memory or answer."""

from __future__ import annotations

import base64
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.errors import ModelError
from sottovoce.model.files import pack, unpack
from sottovoce.model.state_checks import check_array, check_seal, check_state, seal
from tests.crowds import mixed_crowd, mixed_schema

SCHEMA = mixed_schema(3)


def fitted(mechanism: str, path: Path) -> dict[str, Any]:
    table = mixed_crowd(2_000, seed=1)
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=2_000, mechanism=mechanism)
    sv.fit(plan, sv.simulate(plan, table, seed=1), quality="fast").save(path)
    document: dict[str, Any] = json.loads(path.read_text())
    return document


def load_again(document: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(seal(document)))
    sv.load_model(path)


def test_a_model_that_was_altered_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = fitted("hdg", path)
    sv.load_model(path)
    document["origin"]["reports"] += 1
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError, match="altered or damaged"):
        sv.load_model(path)
    del document["digest"]
    path.write_text(json.dumps(document))
    sv.load_model(path)  # as older versions wrote it


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("name", ["weights", "factors"])
def test_numbers_that_no_fit_gives_are_refused(tmp_path: Path, name: str, value: float) -> None:
    path = tmp_path / "model.json"
    document = fitted("spectral", path)
    packed = document["state"][name]
    target = packed[0] if isinstance(packed, list) else packed
    kind = np.dtype(target["array"])
    numbers = np.frombuffer(base64.b64decode(target["base64"]), dtype=kind).copy()
    numbers[0] = value
    target["base64"] = base64.b64encode(numbers.tobytes()).decode()
    with pytest.raises(ModelError, match=r"not finite|below zero"):
        load_again(document, path)


@pytest.mark.parametrize("name", ["blocks", "matrices"])
def test_a_model_of_other_shapes_than_the_schema_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.json"
    document = fitted("hdg", path)
    document["state"][name] = document["state"][name][:-1]
    with pytest.raises(ModelError, match=f"{name} are"):
        load_again(document, path)


def alter(document: dict[str, Any], name: str, change: Callable[[list[Any]], None]) -> None:
    """Change a list of a state's arrays, unpacked."""
    unpacked = unpack(document["state"][name])
    change(unpacked)
    document["state"][name] = pack(unpacked)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("grids", lambda grids: grids.pop(), "one entry for each grid"),
        ("grids", lambda grids: grids.__setitem__(0, grids[1]), "listed once"),
        ("grids", lambda grids: grids.__setitem__(0, [9]), "one or two of 3 attributes"),
        ("grids", lambda grids: grids.__setitem__(-1, [2, 1]), "in their order"),
        ("bins", lambda bins: bins.__setitem__(0, []), "for each of its attributes"),
        ("bins", lambda bins: bins.__setitem__(0, [bins[0][0][:-1]]), "bins has the shape"),
        ("bins", lambda bins: bins[0][0].__setitem__(0, 200_000_000), "bins number at most"),
        ("bins", lambda bins: bins[0][0].__setitem__(0, -1), "below zero"),
        ("raw", lambda raw: raw.__setitem__(0, raw[0][:-1]), "raw has the shape"),
        ("raw", lambda raw: raw[0].__setitem__(0, np.nan), "not finite"),
        ("noise", lambda noise: noise.__setitem__((0, 0), 1.0), "at least two reports"),
        ("noise", lambda noise: noise.__setitem__((0, 1), 1.5), "probabilities"),
        ("noise", lambda noise: noise.__setitem__((0, 2), noise[0, 1]), "above the second"),
        ("noise", lambda noise: noise.__setitem__((0, 3), -0.5), "below zero"),
    ],
)
def test_raw_grids_that_no_fit_gives_are_refused(
    tmp_path: Path, name: str, change: Callable[[Any], None], says: str
) -> None:
    path = tmp_path / "model.json"
    document = fitted("hdg", path)
    alter(document, name, change)
    with pytest.raises(ModelError, match=says):
        load_again(document, path)


def test_a_model_of_an_older_version_has_no_raw_grids_and_answers_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = fitted("hdg", path)
    model = sv.load_model(path)
    assert model.answer("age <= 24").direct is not None
    for name in ("grids", "bins", "raw", "noise"):
        del document["state"][name]
    path.write_text(json.dumps(seal(document)))
    older = sv.load_model(path)
    assert older.answer("age <= 24").direct is None
    assert older.answer("age <= 24").interval == model.answer("age <= 24").interval


def test_a_small_file_that_asks_for_much_memory_is_refused_without_taking_it(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = fitted("hdg", path)
    size = SCHEMA.sizes[0]
    document["state"]["blocks"][0] = pack(np.full(size, 200_000_000, dtype=np.int64))
    path.write_text(json.dumps(seal(document)))
    code = f"import sottovoce as sv\ntry:\n    sv.load_model({str(path)!r})\nexcept sv.ModelError as e:\n    print(e)"

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, preexec_fn=bounded)
    assert "at most" in done.stdout


@pytest.mark.parametrize(
    ("kind", "shape", "size"),
    [
        ("float64", [2], 8),
        ("float64", [-1], 8),
        ("O", [1], 8),
        ("V9", [1], 9),
        ("float64", [10**6, 10**6], 8),
        ("float64", "2", 16),
        ("float64", [True], 8),
        ("float64", None, 8),
        (None, [1], 8),
    ],
)
def test_an_array_that_is_not_what_it_says_is_refused(kind: object, shape: object, size: int) -> None:
    with pytest.raises(ModelError):
        check_array(kind, shape, size)


def test_a_seal_holds_what_it_seals() -> None:
    document = seal({"a": [1, 2.5], "b": "é"})
    check_seal(document)
    check_seal({"a": 1})
    with pytest.raises(ModelError):
        check_seal({**document, "a": [1, 2.25]})
    check_state(SCHEMA, {"unknown to us": np.ones(3), "text": "any"})
