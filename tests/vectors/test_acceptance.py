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

YES_NO = {**PLAN["schema"]["attributes"][2], "values": ["no", "yes"]}
SIXTEEN = {**PLAN["schema"]["attributes"][0], "high": 30, "values": [*range(0, 32, 2)]}
DAYS = {**PLAN["schema"]["attributes"][0], "low": 1, "high": 16, "date": [f"{2001 + year}-12-31" for year in range(17)]}

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
    "no title": put("schema", "attributes", 0, "title", ""),
    "a title of null": put("schema", "attributes", 0, "title", None),
    "a title too long": put("schema", "attributes", 0, "title", "🧭" * 2001),
    "a question with a line break": put("schema", "attributes", 0, "question", "How\nold?"),
    "a unit that is a number": put("schema", "attributes", 0, "unit", 1),
    "too few labels": put("schema", "attributes", 2, "labels", ["A"]),
    "the same label twice": put("schema", "attributes", 2, "labels", ["A", "A"]),
    "no labels": put("schema", "attributes", 2, "labels", []),
    "no translations": put("schema", "attributes", 2, "translations", []),
    "a translation to nothing": put("schema", "attributes", 2, "translations", [{"title": "A"}]),
    "a language in words": put("schema", "attributes", 2, "translations", [{"language": "Deutsch"}]),
    "two translations to one": put("schema", "attributes", 2, "translations", [{"language": "de"}] * 2),
    "a translation with too few labels": put(
        "schema", "attributes", 2, "translations", [{"language": "de", "labels": ["A"]}]
    ),
    "a translation of more": put("schema", "attributes", 2, "translations", [{"language": "de", "low": 1}]),
    "a schema in no language": put("schema", "language", ""),
    "a schema of more": put("schema", "title", "A"),
    "a choice without title": put("schema", "attributes", 2, {**YES_NO, "choice_of": "of"}),
    "a choice of other values": put("schema", "attributes", 2, {**PLAN["schema"]["attributes"][2], "choice_of": "x"}),
    "a choice of nothing": put("schema", "attributes", 2, {**YES_NO, "choice_of": "", "title": "A"}),
    "a choice of an attribute": put("schema", "attributes", 2, {**YES_NO, "choice_of": "age", "title": "A"}),
    "values that end elsewhere": put("schema", "attributes", 0, {**SIXTEEN, "high": 99}),
    "values that fall": put("schema", "attributes", 0, {**SIXTEEN, "values": [0, 2, 1, *SIXTEEN["values"][3:]]}),
    "values that are no integers": put(
        "schema", "attributes", 0, {**SIXTEEN, "values": [0, 0.5, *SIXTEEN["values"][2:]]}
    ),
    "values and dates": put("schema", "attributes", 0, {**SIXTEEN, "date": "year"}),
    "other texts that are no value": put("schema", "attributes", 2, "other", "c"),
    "weekdays from 0 to 15": put("schema", "attributes", 0, "date", "weekday"),
    "an unknown part of a date": put("schema", "attributes", 0, "date", "minute"),
    "ranges of days that fall": put("schema", "attributes", 0, {**DAYS, "date": DAYS["date"][::-1]}),
    "ranges of days from 0": put("schema", "attributes", 0, {**DAYS, "low": 0, "high": 15}),
    "a day that is none": put("schema", "attributes", 0, {**DAYS, "date": [*DAYS["date"][:-1], "2021-02-29"]}),
    "a kind that becomes another": put("schema", "attributes", 2, {"type": "boolean", "name": "of", "nullable": False}),
    "a member missing": lambda document: document.pop("purpose"),
}
FINE: dict[str, Change] = {
    "all there is to show": put(
        *("schema", "attributes", 0),
        PLAN["schema"]["attributes"][0]
        | {"title": "Age", "question": "How old?", "unit": "years", "labels": [f"{age} or so" for age in range(16)]}
        | {"translations": [{"language": "de", "title": "Alter"}, {"language": "zh-Hant-TW", "unit": "歲"}]},
    ),
    "a schema in a language": put("schema", "language", "pt-BR"),
    "a title of 2000 characters": put("schema", "attributes", 1, "title", "🧭" * 2000),
    "integers with gaps": put("schema", "attributes", 0, SIXTEEN),
    "years": put("schema", "attributes", 0, {**DAYS, "low": 2005, "high": 2020, "date": "year"}),
    "ranges of days": put("schema", "attributes", 0, DAYS),
    "other texts": put("schema", "attributes", 2, "other", "b"),
    "a choice": put("schema", "attributes", 2, {**YES_NO, "choice_of": "ways", "title": "Bus"}),
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
