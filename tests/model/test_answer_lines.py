"""Answers as JSON: every number comes through, also those that JSON has not."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from sottovoce.model.answer import Answer, Elsewhere, Estimate
from sottovoce.model.answer_lines import (
    AnswerLine,
    AssociationLine,
    ComparedLine,
    ComparisonLine,
    DistributionLine,
    EstimateLine,
    GroupLine,
    GroupsLine,
    answer_groups,
    estimate_groups,
    matrix_lines,
    read_answer_groups,
    read_estimate_groups,
    read_matrix,
)
from sottovoce.model.association import Association
from sottovoce.model.groups import Compared, Comparison
from sottovoce.model.labelled import Distribution, Groups

THIRD = Estimate(1 / 3, interval=(-math.inf, math.inf), level=0.9, evidence=0.1 + 0.2)


def answer(**about: object) -> Answer:
    given = {
        "interval": (0.1, 0.30000000000000004),
        "level": 0.8,
        "deviation": math.inf,
        "reports": 7,
        "where": "a < 3",
    }
    return Answer(0.2, **{**given, **about})  # type: ignore[arg-type]


def through(line: object, kind: type) -> object:
    return msgspec.json.decode(msgspec.json.encode(line), type=kind)


@pytest.mark.parametrize("one", [answer(), answer(direct=THIRD, evidence=0.5, population=10**12, deviation=1e-300)])
def test_an_answer_comes_through_to_the_last_digit(one: Answer) -> None:
    line = through(AnswerLine.of(one), AnswerLine)
    assert isinstance(line, AnswerLine)
    again = line.value(one.interval_note)
    assert again == one
    direct = [each.direct and vars(each.direct) for each in (again, one)]
    if one.direct is not None:  # a direct answer has the level of its own
        assert direct[0]["interval"] == direct[1]["interval"]
    assert {**vars(again), "direct": 0} == {**vars(one), "direct": 0}
    assert line.words == str(one) == str(again)


@pytest.mark.parametrize(
    "one", [THIRD, Estimate(math.nan, interval=(-1.0, 1.0), level=0.5), Estimate(5e-324, interval=(0, 1), level=0.9)]
)
def test_an_estimate_comes_through_with_open_ends(one: Estimate) -> None:
    line = through(EstimateLine.of(one), EstimateLine)
    assert isinstance(line, EstimateLine)
    again = line.estimate(one.interval_note)
    assert repr(float(again)) == repr(float(one))
    assert vars(again) == vars(one)


def test_groups_keep_their_labels_and_say_where_each_came_from() -> None:
    asked: list[object] = []
    fractions = Groups("a", [(3, answer()), ("x", answer()), ((0.0, 2.5), answer()), (None, answer())])
    line = through(answer_groups(fractions), GroupsLine[AnswerLine])
    assert isinstance(line, GroupsLine)
    assert [each.words for each in line.groups] == ["3", "x", "0 to 2.5", "no answer"]
    again = read_answer_groups(line, answer().interval_note, asked.append)  # type: ignore[arg-type]
    assert list(again) == list(fractions) == asked
    assert again.by == "a"
    means = read_estimate_groups(estimate_groups(Groups("a", [((1, 2), THIRD)])), "", lambda label: None)
    assert vars(means[1, 2])["interval"] == THIRD.interval
    assert isinstance(line.groups[0], GroupLine)


def test_comparisons_pairs_and_distributions_come_through() -> None:
    source = Elsewhere((), None, lambda first, second, level: THIRD)
    lines = (Compared("mean b", None, THIRD, THIRD, 0.5, False), Compared("c = x", (1, 2), answer(), THIRD, 0.0, True))
    line = through(ComparisonLine.of(Comparison("a", lines, 0.9)), ComparisonLine)
    assert isinstance(line, ComparisonLine)
    assert isinstance(line.lines[0], ComparedLine)
    again = line.comparison(THIRD.interval_note, source)
    assert again.summary() == line.summary
    assert [(one.what, one.group, float(one.value), one.probability, one.told) for one in again.lines] == [
        (one.what, one.group, float(one.value), one.probability, one.told) for one in lines
    ]
    assert [type(one.value) for one in again.lines] == [Estimate, Answer]
    pair = through(AssociationLine.of(Association("a", "b", THIRD)), AssociationLine)
    assert isinstance(pair, AssociationLine)
    assert pair.association("").strength.interval == THIRD.interval
    found = Distribution.of(np.arange(6.0).reshape(2, 3), ["a", "b"], [["x", None], [1, 2, 3]])
    shown = through(DistributionLine.of(found), DistributionLine)
    assert isinstance(shown, DistributionLine)
    assert (shown.distribution() == found).all()
    assert shown.distribution().to_frame("arrow") == found.to_frame("arrow")


def test_a_matrix_keeps_its_holes() -> None:
    matrix = np.array([[1.0, math.nan], [math.nan, 1.0]])
    assert matrix_lines(matrix) == [[1.0, None], [None, 1.0]]
    assert np.array_equal(read_matrix(matrix_lines(matrix)), matrix, equal_nan=True)
