"""Queries with intervals, charts, reports, forecasts and comparisons on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from click.testing import CliRunner, Result

import sottovoce as sv
from sottovoce.cli import main
from tests.crowds import mixed_crowd

SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", 18, 30),
        sv.Numeric("income", 0.0, 90.0, bins=10, nullable=True),
        sv.Categorical("region", ("north", "south", "east")),
    ]
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def succeed(*arguments: object) -> dict[str, object]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    document: dict[str, object] = json.loads(result.stdout)
    return document


def fail(*arguments: object, code: int = 1) -> str:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a schema, a table, and a finished collection of it."""
    folder = tmp_path_factory.mktemp("collection")
    crowd = mixed_crowd(4_000, seed=3)
    crowd["income"][::7] = float("nan")
    SCHEMA.save(folder / "schema.toml")
    pc.write_csv(
        pa.table({name: pa.array(crowd[name], from_pandas=True) for name in SCHEMA.names}), folder / "people.csv"
    )
    plan = sv.Plan.create(SCHEMA, epsilon=4, users=4_000, mechanism="hdg", purpose="Rooms & <rents>", contact="a@b.c")
    tally = sv.simulate(plan, crowd, seed=1)
    tally.refused["wrong plan"] = 12
    plan.save(folder / "plan.json")
    tally.save(folder / "tally.parquet")
    sv.fit(plan, tally).save(folder / "model.json")
    return folder


@pytest.fixture
def folder(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(collection)
    return collection


class TestQuery:
    def test_every_where_is_a_row_with_an_interval(self, folder: Path) -> None:
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
            }
        assert said["includes"] == model.includes

    def test_means_quantiles_groups_and_conditionals(self, folder: Path) -> None:
        model = sv.load_model("model.json")
        said = succeed(
            "query", "model.json", "--where", "age < 25", "--given", "region = 'north'", "--mean", "income",
            "--quantile", "income=0.25", "--group-by", "region",
        )  # fmt: skip
        among = "(age < 25) AND (region = 'north')"
        assert said["answers"][0]["fraction"] == model.answer("age < 25", given="region = 'north'").fraction
        assert said["means"][0]["value"] == float(model.mean("income", where=among))
        assert said["quantiles"][0]["value"] == float(model.quantile("income", 0.25, where=among))
        assert [row["value"] for row in said["groups"]] == ["north", "south", "east"]
        assert said["groups"][0]["fraction"] == model.group_by("region", where=among)["north"].fraction

    def test_people_are_told_what_an_interval_includes(self, folder: Path) -> None:
        for asked in (("--where", "age < 25"), ("--range", "age=20..25"), ("--mean", "age"), ()):
            shown = " ".join(run("query", "model.json", *asked).output.split())
            assert "do not include people who lied" in shown
            assert "90% interval" in shown

    def test_ranges_and_wheres_go_together(self, folder: Path) -> None:
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
    def test_what_cannot_be_asked_takes_one_line(self, folder: Path, asked: tuple[object, ...], said: str) -> None:
        assert said in fail("query", "model.json", *asked)


class TestChart:
    @pytest.mark.parametrize("names", [("age",), ("income",), ("region",), ("age", "income"), ("region", "age")])
    @pytest.mark.parametrize("suffix", ["png", "svg", "html"])
    def test_pictures_hold_no_address_to_fetch_from(self, folder: Path, names: tuple[str, ...], suffix: str) -> None:
        out = Path(f"chart.{suffix}")
        assert succeed("chart", "model.json", *names, "--out", out)["attributes"] == list(names)
        content = out.read_bytes()
        if suffix == "png":
            assert content.startswith(b"\x89PNG")
            return
        text = content.decode()
        assert not re.search(r"""(?:src|href)=["']https?:""", text)
        if suffix == "svg":
            assert text.startswith("<svg")
            assert all(f">{name}" in text for name in names)

    def test_what_cannot_be_drawn_takes_one_line(self, folder: Path) -> None:
        assert ".png, .svg, .html" in fail("chart", "model.json", "age", "--out", "chart.pdf")
        assert "unknown attribute" in fail("chart", "model.json", "nobody", "--out", "chart.svg")
        assert "unknown attribute" in fail("chart", "model.json", "age", "nobody", "--out", "chart.svg")
        assert "two different attributes" in fail("chart", "model.json", "age", "age", "--out", "chart.svg")
        assert not Path("chart.pdf").exists()

    def test_without_the_extra_the_error_says_how_to_get_it(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(__import__("sys").modules, "altair", None)
        assert 'pip install "sottovoce[plots]"' in fail("chart", "model.json", "age", "--out", "chart.svg")
        assert "sottovoce[plots]" in fail("report", "plan.json", "tally.parquet", "model.json", "--out", "r.html")


class TestReport:
    def test_one_page_holds_it_all_and_fetches_nothing(self, folder: Path) -> None:
        said = succeed("report", "plan.json", "tally.parquet", "model.json", "--out", "report.html")
        assert said["reports"] == 4_000
        assert said["suspicious_plans"] == []
        page = Path("report.html").read_text(encoding="utf-8")
        assert "<h1>Rooms &amp; &lt;rents&gt;</h1>" in page
        assert "<rents>" not in page
        for part in ("Privacy certificate", "Data quality", "wrong plan", "Each attribute", "What goes together"):
            assert part in page
        assert "3.99999999999999" in page, "the exact epsilon"
        assert page.count("<svg") == 3 + 3, "every attribute, and three pairs"
        assert "as the plan&#x27;s shares would give them" in page
        assert not re.search(r"""(?:src|href)=["']|@import|<script|url\((?!["']?#)""", page)

    def test_files_of_different_collections_are_refused(self, folder: Path) -> None:
        sv.Plan.create(SCHEMA, epsilon=3, users=4_000).save("other.json")
        assert "of another collection" in fail("report", "other.json", "tally.parquet", "model.json", "-o", "x.html")

    def test_totals_that_do_not_fit_the_shares_are_said_to_be(self, folder: Path) -> None:
        plan, tally = sv.Plan.load("plan.json"), sv.Tally.load("tally.parquet")
        tally.add_counts(np.array([0]), np.array([0]), np.array([500]))
        tally.save("odd.parquet")
        sv.fit(plan, tally).save("odd.json")
        assert (
            "do not fit the plan's shares"
            in run("report", "plan.json", "odd.parquet", "odd.json", "-o", "odd.html").output
        )
        assert 'class="bad">NOT as the plan' in Path("odd.html").read_text(encoding="utf-8")
        run("report", "plan.json", "odd.parquet", "model.json", "-o", "stale.html")
        assert "fit again" in Path("stale.html").read_text(encoding="utf-8")


class TestForecast:
    @pytest.mark.slow
    def test_a_plan_comes_with_what_to_expect_and_how_many_people_it_takes(self, folder: Path) -> None:
        asked = ("plan", "schema.toml", "--epsilon", 2, "--users", 5_000, "--out", "new.json", "--forecast")
        said = succeed(*asked, "--within", 0.2, "--chart", "forecast.svg")["forecast"]
        assert [row["dimensions"] for row in said["expected"]] == [1, 2, 3]
        for row in said["expected"]:
            assert 0 < row["easiest"] <= row["error"] <= row["hardest"] < 1
            assert row["error"] < row["within"]
        assert 1_000 <= said["people_needed"] < 100_000
        assert Path("forecast.svg").read_text(encoding="utf-8").startswith("<svg")
        shown = run(*asked, "--like", "people.csv").output
        assert "Expected error with 5,000 people" in shown
        assert "simulated collections" in " ".join(shown.split())
        assert "forecast" not in succeed("plan", "schema.toml", "--epsilon", 2, "--users", 5_000, "--out", "new.json")

    def test_comparing_tries_every_mechanism_and_epsilon_and_says_who_cannot(self, folder: Path) -> None:
        said = succeed("compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--epsilon", 8)
        tried = {(one["mechanism"], one["epsilon"]) for one in said["compared"]}
        assert tried >= {("hdg", 1), ("hdg", 8), ("calm", 1), ("tdg", 8)}
        assert "no order" in said["refused"]["msw"]
        one, eight = (found["expected"][1]["error"] for found in said["compared"] if found["mechanism"] == "calm")
        assert eight < one, "less noise at a larger epsilon"
        shown = run(
            "compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--mechanism", "hdg", "--chart", "c.svg"
        )
        assert "4,000 people report" in shown.output
        assert Path("c.svg").exists()

    def test_a_comparison_that_cannot_be_takes_one_line(self, folder: Path) -> None:
        compare = ("compare", "schema.toml", "--data")
        assert "no order" in fail(*compare, "people.csv", "--mechanism", "msw")
        assert "known are" in fail(*compare, "people.csv", "--mechanism", "magic")
        assert "missing.csv" in fail(*compare, "missing.csv")
