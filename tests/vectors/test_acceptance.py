"""Python and the browser accept exactly the same plans: whatever one refuses, the other does."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.errors import SottovoceError

BUNDLE = Path(__file__).parents[2] / "clients" / "js" / "sottovoce.js"
SCRIPT = """
import { readFileSync } from "node:fs";
const { Plan } = await import(process.argv[1]);
const answers = [];
for (const text of JSON.parse(readFileSync(0, "utf-8"))) {
  try {
    try {
      await Plan.parse(text, "0".repeat(64));
    } catch (error) {
      const found = /content gives ([0-9a-f]{64})/.exec(error.message);
      if (!found) throw error;
      await Plan.parse(text, found[1]);
    }
    answers.push("");
  } catch (error) {
    answers.push(`${error.name}: ${error.message}`);
  }
}
console.log(JSON.stringify(answers));
"""

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Numeric("income", 0, 100, bins=4), sv.Categorical("of", ["a", "b"])])
PLAN = json.loads(sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hdg", oracle="adaptive").to_json())

Change = Callable[[dict[str, Any]], Any]


def put(*path: object) -> Change:
    """Return a change that puts the last of ``path`` where the others lead."""
    *way, last, value = path

    def change(document: dict[str, Any]) -> None:
        part: Any = document
        for step in way:
            part = part[step]
        part[last] = value

    return change


def one_more_table(table: object) -> Change:
    return lambda document: document["tables"].append(table)


def wide(document: dict[str, Any]) -> None:
    """Ask one question of 2^21 cells, by "adaptive" at the largest epsilon: the range of randomised response."""
    document["schema"]["attributes"] = [
        {"type": "ordinal", "name": name, "low": 0, "high": 2**top - 1, "nullable": False, "clip": False}
        for name, top in (("a", 11), ("b", 10))
    ]
    document["epsilon"] = "20"
    document["tables"] = [{"identity": 2**11}, {"identity": 2**10}]
    document["families"] = [{"attributes": [0, 1], "tables": [[0], [1]], "channel": "adaptive", "shares": 2**32}]


BROKEN: dict[str, Change] = {
    "an empty table": one_more_table({}),
    "a table without edges": one_more_table({"edges": []}),
    "a table of null": one_more_table({"identity": None}),
    "a table of two kinds, one null": put("tables", 0, {"identity": 16, "edges": None}),
    "a negative identity": one_more_table({"identity": -1}),
    "falling edges": one_more_table({"edges": [0, 9, 3]}),
    "a tree too deep": one_more_table({"tree": [16, 4, 9]}),
    "a Walsh function that is none": one_more_table({"walsh": [16, 16]}),
    "adaptive over 2^21 cells": wide,
    "boundaries beyond floats": put(
        "schema", "attributes", 1, {**PLAN["schema"]["attributes"][1], "low": -1e308, "high": 1e308, "bins": 2}
    ),
    "a large integer in options": put("options", "sigma", 2**53),
    "a large number in parameters": put("parameters", "g1", 1e16),
    "version 0": put("version", 0),
    "users 0": put("users", 0),
    "too many users": put("users", 10**12 + 1),
    "a name with an escape": put("schema", "attributes", 0, "name", "a\x1b[2J"),
    "a name of two directions": put("schema", "attributes", 0, "name", "a\u202eb"),
    "a name of 201 characters": put("schema", "attributes", 0, "name", "🧭" * 201),
    "no name": put("schema", "attributes", 0, "name", ""),
    "a category with a line break": put("schema", "attributes", 2, "values", ["a", "b\n"]),
    "a category with a tag": put("schema", "attributes", 2, "values", ["a", "b\U000e0041"]),
    "a purpose with a bell": put("purpose", "why\x07"),
    "a contact with a mark of direction": put("contact", "a\u200fb"),
    "an option's text with an escape": put("options", "estimator", "\x9b2J"),
    "a member too many": put("more", 1),
    "a member missing": lambda document: document.pop("purpose"),
}
FINE: dict[str, Change] = {
    "as it is": lambda document: None,
    "brackets and quotes": put("schema", "attributes", 0, "name", "income [EUR] </script>\"'"),
    "a name of 200 characters": put("schema", "attributes", 0, "name", "🧭" * 200),
    "joined emoji": put("purpose", "for 👨\u200d👩\u200d👧"),
    "a table that nobody uses": one_more_table({"identity": 5}),
    "a hard space": put("contact", "a\u00a0b"),
}


def python_refuses(text: str) -> bool:
    try:
        sv.Plan.from_json(text)
    except SottovoceError:
        return True
    return False


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_both_clients_refuse_the_same_plans() -> None:
    texts = []
    for change in (*BROKEN.values(), *FINE.values()):
        document = copy.deepcopy(PLAN)
        change(document)
        texts.append(json.dumps(document))
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, str(BUNDLE)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    browser = dict(zip((*BROKEN, *FINE), json.loads(done.stdout), strict=True))
    python = {name: python_refuses(text) for name, text in zip((*BROKEN, *FINE), texts, strict=True)}
    assert [name for name in BROKEN if not python[name]] == []
    assert [name for name in BROKEN if not browser[name]] == []
    assert [name for name in FINE if python[name]] == []
    assert {name: browser[name] for name in FINE if browser[name]} == {}
