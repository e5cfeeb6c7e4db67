"""``sottovoce query``: predicates, ranges, means, quantiles and groups, as the library answers them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli.query import parse_ranges, range_expression
from sottovoce.simulation.population import people
from tests.cli.calls import fail, run, succeed, text_of


def test_every_where_is_a_row_with_an_interval(collection: Path) -> None:
    wheres = ["age < 25", "region IN ('north', 'east') OR income IS NULL"]
    given = [argument for where in wheres for argument in ("--where", where)]
    said = succeed("query", "model.json", *given, "--level", 0.5, "--population", 1000)
    model = sv.load_model("model.json")
    for row, answer in zip(said["answers"], model.answers(wheres, level=0.5, population=1000), strict=True):
        assert row == {
            "where": answer.where,
            "fraction": answer.fraction,
            "interval": list(answer.interval),
            "level": 0.5,
            "count": answer.count,
            "count_interval": list(answer.count_interval),
            "evidence": answer.evidence,
            "direct": {"value": float(answer.direct), "interval": list(answer.direct.interval)}
            if answer.direct
            else None,
        }
    assert said["includes"] == model.interval_note


def test_means_quantiles_groups_and_conditionals(collection: Path) -> None:
    model = sv.load_model("model.json")
    said = succeed(
        "query", "model.json", "--where", "age < 25", "--given", "region = 'north'", "--mean", "income",
        "--quantile", "income=0.25",
    )  # fmt: skip
    among = "(age < 25) AND (region = 'north')"
    assert said["answers"][0]["fraction"] == model.answer("age < 25", given="region = 'north'").fraction
    assert said["means"][0]["value"] == float(model.mean("income", where=among))
    assert said["quantiles"][0]["value"] == float(model.quantile("income", 0.25, where=among))


def test_groups_are_of_fractions_means_and_quantiles(collection: Path) -> None:
    model = sv.load_model("model.json")
    said = succeed("query", "model.json", "--group-by", "region", "--given", "age < 25")
    assert [row["value"] for row in said["groups"]] == ["north", "south", "east"]
    assert said["groups"][0]["fraction"] == model.group_by("region", given="age < 25")["north"].fraction
    said = succeed("query", "model.json", "--mean", "income", "--quantile", "income=0.5", "--group-by", "region")
    assert said["groups"] == []
    means, medians = model.mean_by("income", "region"), model.quantile_by("income", "region")
    assert {row["value"]: row["estimate"] for row in said["means"]} == {
        label: float(one) for label, one in means.items()
    }
    assert [row["estimate"] for row in said["quantiles"]] == [float(one) for one in medians.values()]
    assert "mean income, region north" in run("query", "model.json", "--mean", "income", "--group-by", "region").output


def test_a_population_of_zero_is_refused_with_ranges_as_with_wheres(collection: Path) -> None:
    assert "population" in fail("query", "model.json", "--range", "age=20..25", "--population", 0)


def test_people_are_told_what_an_interval_includes(collection: Path) -> None:
    for asked in (("--where", "age < 25"), ("--range", "age=20..25"), ("--mean", "age"), ()):
        shown = " ".join(run("query", "model.json", *asked).output.split())
        assert "do not include people who lied" in shown
        assert "90% interval" in shown


def test_ranges_and_wheres_go_together(collection: Path) -> None:
    said = succeed("query", "model.json", "--where", "age < 20", "--range", "age=20..", "--range", "region=north")
    assert said["answers"][1]["where"] == "age BETWEEN 20.0 AND 1e999 AND region IN ('north')"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--where", "abs(age) > 3"), "at character 1"),
        (("--where", ""), "empty"),
        (("--where", "TRUE", "--level", 2), "level is a number"),
        (("--where", "TRUE", "--population", 0), "population"),
        (("--mean", "region"), "has no mean"),
        (("--mean", "nobody"), "unknown attribute"),
        (("--quantile", "income"), "NAME=P"),
        (("--quantile", "income=half"), "NAME=P"),
        (("--quantile", "income=2"), "from 0 to 1"),
        (("--group-by", "nobody"), "unknown attribute"),
        (("--where", "TRUE", "--given", "age > 99"), "nobody is selected"),
    ],
)
def test_what_cannot_be_asked_takes_one_line(collection: Path, asked: tuple[object, ...], said: str) -> None:
    assert said in fail("query", "model.json", *asked)


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        (["age=50..30"], "reversed"),
        (["size=1..2"], "does not start with one of age="),
        (["age=old"], "write age=LOW..HIGH"),
        (["age=nan..3"], "got nan"),
        (["age=1..2", "age=3..4"], "two ranges"),
        (["region=atlantis"], "allowed are"),
    ],
)
def test_a_range_that_cannot_be_is_refused(folder: Path, ranges: list[str], said: str) -> None:
    plan = sv.Plan.load("plan.json")
    sv.fit(plan, sv.simulate(plan, people(3_000, seed=5), seed=1)).save("model.json")
    given = [argument for text in ranges for argument in ("--range", text)]
    assert said in fail("query", "model.json", *given)


def test_ranges_are_read_as_written(folder: Path) -> None:
    plan = sv.Plan.load("plan.json")
    model = sv.fit(plan, sv.simulate(plan, people(3_000, seed=5), seed=1))
    model.save("model.json")
    infinity = float("inf")
    for text, asked in {
        "age=30..50": {"age": (30, 50)},
        "age=30..": {"age": (30, infinity)},
        "age=..50": {"age": (-infinity, 50)},
        "age=40": {"age": (40, 40)},
        "income=1e4..2.5e4": {"income": (10_000, 25_000)},
        "region=north,south": {"region": ["north", "south"]},
    }.items():
        said = succeed("query", "model.json", "--range", text)
        assert said["fraction"] == pytest.approx(model.answer_ranges([asked])[0], abs=1e-12)
        assert said["expected_count"] == pytest.approx(said["fraction"] * 3_000)


def test_the_longest_name_that_fits_and_quoted_values_are_read() -> None:
    schema = sv.Schema(
        [
            sv.Ordinal("a", 0, 9),
            sv.Ordinal("a=b", 0, 9),
            sv.Categorical("town", ["Paris, Texas", "Rome"]),
        ]
    )
    query = parse_ranges(schema, ("a=b=3..4", "a=1..", 'town="Paris, Texas",Rome'))
    assert query == {"a=b": (3, 4), "a": (1, math.inf), "town": ["Paris, Texas", "Rome"]}


def test_ranges_become_one_predicate_and_no_ranges_mean_everybody() -> None:
    assert str(range_expression({"age": (30.0, 50.0), "region": ["north"]})) == (
        "age BETWEEN 30.0 AND 50.0 AND region IN ('north')"
    )
    assert str(range_expression({})) == "TRUE"


def test_an_open_end_is_null_in_json(collection: Path) -> None:
    said = succeed("query", "model.json", "--range", "age=..25", "--range", "region=north")
    assert said["query"] == {"age": [None, 25.0], "region": ["north"]}


def test_people_are_counted_only_when_the_population_is_known(collection: Path) -> None:
    counted = text_of("query", "model.json", "--where", "TRUE", "--population", 12_000)
    assert "people" in counted.split("interval", 1)[1].split()[:1]
    assert "100.0% 100.0% to 100.0% 12,000" in counted
    assert " 12,000" not in text_of("query", "model.json", "--where", "TRUE")


def test_numbers_are_shown_with_what_they_are_of(collection: Path) -> None:
    text = text_of("query", "model.json", "--mean", "age", "--quantile", "age=0.5", "--where", "region = 'north'")
    assert "mean age, region = 'north'" in text
    assert "age at 0.5, region = 'north'" in text
