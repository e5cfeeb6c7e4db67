"""``sottovoce compare-groups``: a table of differences, as the model gives them, and which could be chance."""

from __future__ import annotations

import sottovoce as sv
from tests.cli.calls import fail, succeed, text_of


def test_the_table_has_a_line_for_every_difference_and_a_sentence_at_the_end(collection) -> None:
    comparison = sv.load_model("model.json").compare_groups("region")
    said = text_of("compare-groups", "model.json", "--by", "region")
    assert said.count("could be chance") + said.count("told from chance") >= len(comparison.lines)
    assert f"Of {len(comparison.lines)} differences" in " ".join(said.split())


def test_json_holds_what_the_model_says(collection) -> None:
    said = succeed("compare-groups", "model.json", "--by", "region", "--attribute", "age")
    comparison = sv.load_model("model.json").compare_groups("region", names=["age"])
    assert said["compared"] == len(comparison.lines)
    assert [row["difference"] for row in said["differences"]] == [float(line.gap) for line in comparison.lines]


def test_only_what_can_be_told_is_shown_if_asked_for(collection) -> None:
    said = succeed("compare-groups", "model.json", "--by", "region", "--told")
    assert all(row["told"] for row in said["differences"])


def test_an_attribute_that_there_is_not_is_refused_in_one_line(collection) -> None:
    assert "unknown attribute 'shoe'" in fail("compare-groups", "model.json", "--by", "shoe")
