"""``sottovoce audit``: a row for every family of questions, and the promise in plain words."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli import audit
from sottovoce.cli.audit import family_rows
from sottovoce.cli.output import DataConsole
from sottovoce.plan.audit import promise, round_up
from tests.cli.calls import fail, run, succeed, text_of


@pytest.mark.parametrize("mechanism", ["hdg", "hio", "spectral"])
def test_the_rows_cover_every_question_once_with_its_own_sizes(mechanism: str) -> None:
    schema = sv.Schema([sv.Ordinal("age", 0, 15), sv.Ordinal("hours", 0, 7), sv.Categorical("region", ["n", "s"])])
    plan = sv.Plan.create(schema, epsilon=1, users=5_000, mechanism=mechanism)
    rows = family_rows(plan)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    covered = [index for row in rows for index in range(row["first"], row["first"] + row["count"])]
    assert covered == list(range(len(plan.questions)))
    for row in rows:
        for index in {row["first"], row["first"] + row["count"] - 1}:
            question = plan.question(index)
            assert [schema.names[number] for number in question.attributes] == row["attributes"]
            assert question.channel.cells in row["cells"]
            assert question.channel.codes in row["codes"]


def test_the_worst_case_is_said_as_an_exact_ratio_and_in_words(folder: Path) -> None:
    plan = sv.Plan.load("plan.json")
    exact = plan.audit()
    said = succeed("audit", "plan.json")
    assert int(said["ratio"]["numerator"]) * exact.ratio.denominator == exact.ratio.numerator * int(
        said["ratio"]["denominator"]
    )
    assert said["worst_question"] == exact.question
    text = text_of("audit", "plan.json")
    assert " ".join(promise(exact).split()) in text
    assert f"Attained by question {exact.question}," in text


def test_a_long_list_of_questions_is_cut_on_a_terminal_and_whole_in_a_pipe(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = succeed("audit", "plan.json")["questions"]
    monkeypatch.setattr(audit, "_ROWS", 4)
    lines = [line for line in run("audit", "plan.json").output.splitlines() if line.rstrip().endswith("%")]
    assert len(lines) == len(rows)
    assert succeed("audit", "plan.json")["questions"] == rows
    screen = io.StringIO()
    monkeypatch.setattr(
        audit, "make_console", lambda: DataConsole(file=screen, force_terminal=True, width=100, _environ={})
    )
    run("audit", "plan.json")
    assert f"... and {len(rows) - 4} more rows; a pipe gets all" in screen.getvalue()


def test_what_a_shuffled_crowd_is_promised_is_said_with_who_must_be_trusted(folder: Path) -> None:
    found = sv.Plan.load("plan.json").audit().shuffled(users=50_000, delta=1e-8)
    said = succeed("audit", "plan.json", "--users", 50_000, "--delta", "1e-8")
    assert said["shuffled"] == {"epsilon": found.epsilon, "users": 50_000, "delta": 1e-8, "local": found.local}
    text = text_of("audit", "plan.json", "--users", 50_000, "--delta", "1e-8")
    assert f"(central epsilon {round_up(found.epsilon)}), but for a chance of 1e-08" in text
    assert "serve --release-step 50000" in text
    assert "shuffled" not in succeed("audit", "plan.json")


def test_users_and_delta_go_together(folder: Path) -> None:
    assert "--users and --delta go together" in run("audit", "plan.json", "--users", 50_000).output
    assert "delta is a number above 0 and below 1" in fail("audit", "plan.json", "--users", 50_000, "--delta", 2)
