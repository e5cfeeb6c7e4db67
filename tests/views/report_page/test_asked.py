"""Files of questions: what they may say, and what is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.views.report_page.asked import Question, asked_pairs, load_questions


def write(folder: Path, text: str) -> Path:
    path = folder / "questions.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_lists_shares_means_and_groups(tmp_path: Path) -> None:
    text = """
        [[question]]
        title = "Long ways"
        where = "minutes >= 45"
        given = "mode = 'car'"
        [[question]]
        mean = "minutes"
        by = "mode"
        [[question]]
        share = "mode"
    """
    questions = load_questions(write(tmp_path, text))
    assert questions == (
        Question(title="Long ways", where="minutes >= 45", given="mode = 'car'"),
        Question(mean="minutes", by="mode"),
        Question(share="mode"),
    )
    assert [question.attribute for question in questions] == [None, "minutes", "mode"]
    assert asked_pairs(questions) == [("minutes", "mode")]
    assert asked_pairs([*questions, *questions]) == [("minutes", "mode")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[question]]\nmean = 'a'\nshare = 'b'", "exactly one of where, mean and share"),
        ("[[question]]\ntitle = 'a'", "exactly one of where, mean and share"),
        ("[[question]]\nwhere = 'a = 1'\nby = 'b'", "by goes with mean or share"),
        ("[[question]]\naverage = 'a'", "average"),
        ("[[question]", "Expected"),
        ("question = []", "no question in it"),
    ],
)
def test_what_is_no_question_is_refused_with_the_file_and_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(sv.QueryError, match=f"questions.toml.*{reason}"):
        load_questions(write(tmp_path, text))
