"""Tables in parts of bounded size, and results that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.cli import files, randomize
from sottovoce.cli.files import read_parquet, read_records, replacing, suffix_of
from tests.cli.calls import succeed

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 99), sv.Categorical("region", ["north", "south"], nullable=True)])


def test_large_tables_are_read_in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 1_000)
    monkeypatch.setattr(files, "_BYTES_AT_ONCE", 2**14)
    for data in ("people.csv", "people.parquet"):
        sizes: list[int] = []

        def spy(plan: sv.Plan, table: pa.Table, sizes: list[int] = sizes) -> pa.Table:
            sizes.append(table.num_rows)
            return sv.randomize(plan, table)

        monkeypatch.setattr(randomize, "randomize", spy)
        assert succeed("randomize", "plan.json", data, "--out", "reports.parquet")["rows"] == 3_000
        assert len(sizes) >= 3
        assert max(sizes) <= 1_000
        assert succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")["total"] == 3_000


def test_an_empty_field_is_no_answer_and_a_category_called_na_is_itself(folder: Path) -> None:
    schema = sv.Schema(
        [sv.Ordinal("age", 0, 9, nullable=True), sv.Categorical("country", ["NA", "DE", "FR"], nullable=True)]
    )
    sv.Plan.create(schema, epsilon=20, users=1_000, mechanism="hdg", oracle="grr").save("plan.json")
    Path("data.csv").write_text("age,country\n" + "3,NA\n,\n" * 2_000, encoding="utf-8")
    succeed("randomize", "plan.json", "data.csv", "--out", "reports.parquet")
    succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")
    succeed("fit", "plan.json", "tally.parquet", "--out", "model.json")
    # The noise is fresh, but at epsilon 20 it is the sampling of questions only: over ten standard deviations to 0.15.
    marginal = sv.load_model("model.json").marginal("country")
    assert marginal == pytest.approx([0.5, 0, 0, 0.5], abs=0.15)


class TestReplacing:
    def test_a_result_may_not_overwrite_what_it_is_made_of_under_any_name(self, tmp_path: Path) -> None:
        source, link = tmp_path / "plan.json", tmp_path / "link.json"
        source.write_text("the plan", encoding="utf-8")
        link.symlink_to(source)
        for out in (source, tmp_path / "." / "plan.json", link):
            with (
                pytest.raises(sv.SottovoceError, match="is read and would be overwritten"),
                replacing(out, inputs=[tmp_path / "absent", source]),
            ):
                pytest.fail("nothing may be written")
        assert source.read_text(encoding="utf-8") == "the plan"

    def test_a_directory_is_no_name_of_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(sv.SottovoceError, match="is a directory"), replacing(tmp_path):
            pytest.fail("nothing may be written")

    def test_an_error_while_writing_keeps_the_file_that_was_there(self, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        out.write_text("before", encoding="utf-8")
        with pytest.raises(sv.RecordError), replacing(out) as part:  # noqa: PT012 - the error comes after some writing
            part.write_text("half", encoding="utf-8")
            raise sv.RecordError("the second half is wrong")
        assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
            ("out.json", "before")
        ]
        with replacing(out) as part:
            part.write_text("after", encoding="utf-8")
        assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("out.json", "after")]


def test_the_kind_of_a_table_is_told_by_its_suffix_in_any_case() -> None:
    assert suffix_of(Path("people.CSV")) == ".csv"
    assert suffix_of(Path("a.csv.parquet")) == ".parquet"
    for wrong in ("people", "people.csv.gz", ".csv"):
        with pytest.raises(sv.SottovoceError, match=r"ends in \.csv or \.parquet"):
            suffix_of(Path(wrong))


def write_people(path: Path, ages: list[int]) -> None:
    """Write people with a column that no schema names."""
    table = pa.table({"name": ["x"] * len(ages), "region": ["north"] * len(ages), "age": ages})
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        lines = [",".join(str(value) for value in row.values()) for row in table.to_pylist()]
        path.write_text("\n".join([",".join(table.column_names), *lines]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_only_the_columns_of_the_schema_are_read_all_rows_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 30)
    monkeypatch.setattr(files, "_BYTES_AT_ONCE", 400)
    ages = [age % 100 for age in range(100)]
    write_people(tmp_path / name, ages)
    told: list[float] = []
    parts = list(read_records(tmp_path / name, SCHEMA, told.append))
    assert len(parts) >= 3
    assert {tuple(part.column_names) for part in parts} == {SCHEMA.names}
    assert pa.concat_tables(parts).column("age").to_pylist() == ages
    assert told == sorted(told)
    assert told[-1] == 1, "the progress ends at the end"


def test_a_parquet_files_metadata_comes_with_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 2)
    pq.write_table(pa.table({"code": [1, 2, 3]}).replace_schema_metadata({"plan": "abc"}), tmp_path / "r.parquet")
    parts = list(read_parquet(tmp_path / "r.parquet", ["code"], lambda fraction: None))
    assert [part.num_rows for part in parts] == [2, 1]
    assert all(part.schema.metadata[b"plan"] == b"abc" for part in parts)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("short.parquet", None, "there is no column 'region'; the columns are 'age'"),
        ("short.csv", "age\n3\n", "region"),
        ("empty.csv", "", "its first line names the columns"),
        ("broken.parquet", "PAR1 and no more", "(?i)parquet"),
    ],
)
def test_an_error_about_a_table_names_its_file(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    path = tmp_path / name
    if content is None:
        pq.write_table(pa.table({"age": [1]}), path)
    else:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(sv.RecordError, match=said) as raised:
        list(read_records(path, SCHEMA, lambda fraction: None))
    assert str(raised.value).startswith(f"{str(path)!r}: ")
