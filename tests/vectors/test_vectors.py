"""The vectors that both clients read: they are current, and the Python side reproduces them from the files."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import json
import math
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

import sottovoce as sv
from sottovoce.channels import make_channel
from sottovoce.channels.local_hash import best_prime
from sottovoce.plan.bin_maps import BinMap
from sottovoce.schema.schema import AnyAttribute

FOLDER = Path(__file__).parents[2] / "vectors"


def load_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vectors_make", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = load_maker()


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", make.VECTORS)
def test_the_file_is_what_the_script_writes(name: str) -> None:
    current = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert make.text_of(name) == current, f"vectors/{name}.json is not current: run python vectors/make.py"


@pytest.mark.parametrize("vector", read("attributes"), ids=lambda vector: vector["attribute"]["name"])
def test_every_value_has_its_level_or_is_refused(vector: dict[str, Any]) -> None:
    attribute = msgspec.convert(vector["attribute"], AnyAttribute)
    for value, level in zip(vector["values"], vector["levels"], strict=True):
        if level is None:
            with pytest.raises(sv.RecordError):
                attribute.level(make.read_value(value))
        else:
            assert attribute.level(make.read_value(value)) == level


@pytest.mark.parametrize("vector", read("tables"), ids=lambda vector: str(vector["table"]))
def test_every_level_has_its_bin(vector: dict[str, Any]) -> None:
    table = msgspec.convert(vector["table"], BinMap)
    table.check(vector["levels"])
    assert [table.bin(level) for level in range(vector["levels"])] == vector["bin"]
    assert table.array().tolist() == vector["bin"]


@pytest.mark.parametrize("vector", read("channels"), ids=lambda v: f"{v['kind']}-{v['parts']}-{v['epsilon']}")
def test_a_channel_gives_the_same_codes_for_the_same_words(vector: dict[str, Any]) -> None:
    parts = tuple(vector["parts"])
    channel: Any = make_channel(vector["kind"], math.prod(parts), Decimal(vector["epsilon"]), vector["seed"], parts)
    assert channel.kind == vector["becomes"]
    assert (channel.codes, channel.scale) == (int(vector["integers"]["codes"]), int(vector["integers"]["scale"]))
    for name, method in (("points", "point"), ("hashes", "hash"), ("answers", "answer")):
        for numbers in vector.get(name, ()):
            *given, expected = map(int, numbers)
            assert getattr(channel, method)(*given) == expected
    for cell, row in enumerate(vector.get("weights", ())):
        assert channel.row(cell) == list(map(int, row))
        assert sum(map(int, row)) == channel.scale


def test_local_hashing_takes_the_same_prime() -> None:
    for epsilon, prime in read("primes"):
        assert best_prime(Decimal(epsilon)) == prime


@pytest.mark.parametrize("vector", read("plans"), ids=lambda vector: vector["name"])
def test_a_plan_has_the_same_fingerprint_levels_and_cells(vector: dict[str, Any]) -> None:
    plan = sv.Plan.from_json(json.dumps(vector["plan"]))
    assert hashlib.sha256(vector["canonical"].encode()).hexdigest() == plan.fingerprint == vector["fingerprint"]
    assert plan.collection == vector["collection"]
    assert plan.for_browsers
    for record, levels in zip(vector["records"], vector["levels"], strict=True):
        assert list(plan.schema.levels(record)) == levels
    for question, expected in zip(plan.questions, vector["questions"], strict=True):
        assert (list(question.shape), question.share) == (expected["shape"], expected["share"])
        assert [str(question.cell(levels)) for levels in vector["levels"]] == expected["cells"]
    for position, index in vector["positions"]:
        assert plan.questions.locate(position).index == index
    assert (plan.waves is None) == ("days" not in vector)
    for day, wave in vector.get("days", ()):
        assert plan.waves is not None
        if wave == "unknown":
            with pytest.raises(sv.PlanError):
                plan.waves.on(datetime.date.fromisoformat(day))
        else:
            assert plan.waves.on(datetime.date.fromisoformat(day)) == wave


@pytest.mark.parametrize("vector", read("refused_plans"), ids=lambda vector: vector["why"])
def test_a_document_that_is_almost_a_plan_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(sv.PlanError):
        sv.Plan.from_json(json.dumps(vector["plan"]))


@pytest.mark.parametrize("vector", read("reports"))
def test_a_report_has_the_same_two_forms(vector: dict[str, Any]) -> None:
    report = sv.Report.from_json(vector["json"])
    assert report.to_json() == vector["json"]
    assert report.to_bytes().hex() == vector["bytes"]
