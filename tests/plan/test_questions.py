"""Questions: product families that are never listed, cells, alphabets and shares, each made when asked for."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import LocalHash, SquareWave
from sottovoce.plan.bin_maps import BinMap, tree_maps
from sottovoce.plan.plan import SHARES
from sottovoce.plan.questions import MAX_QUESTIONS, Family, Questions
from tests.crowds import mixed_schema, square_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000, mechanism="hdg")


def product_questions() -> Questions:
    """Return the questions of two families: all pairs of depths of two trees, and one attribute alone."""
    tables = [*tree_maps(8, 2)[1:], BinMap(identity=8)]
    families = [
        Family(attributes=(0, 1), tables=((0, 1, 2), (0, 1, 2)), channel="local_hash", shares=SHARES - 7),
        Family(attributes=(2,), tables=((3,),), channel="square_wave", shares=7),
    ]
    return Questions(square_schema(3, 8), Decimal(1), "00", tables, families)


def test_a_product_family_is_enumerated_by_index() -> None:
    family = Family(attributes=(0, 1), tables=((0, 1), (2, 3, 4)), channel="grr", shares=100)
    assert family.count == 6
    assert [family.choice(number) for number in range(6)] == [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]
    assert [family.share(number) for number in range(6)] == [17, 17, 17, 17, 16, 16]


@pytest.mark.parametrize("shares", [100, (10, 0, 40, 25, 0, 25)])
def test_every_position_belongs_to_the_question_whose_stretch_it_is_in(shares: int | tuple[int, ...]) -> None:
    family = Family(attributes=(0, 1), tables=((0, 1), (2, 3, 4)), channel="grr", shares=shares)
    located = [family.locate(position) for position in range(100)]
    assert [located.count(number) for number in range(6)] == [family.share(number) for number in range(6)]
    assert located == sorted(located)


def test_a_one_bin_table_beside_a_full_one_has_cells() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 4), sv.Ordinal("b", 0, 255)])
    document = {
        **json.loads(PLAN.to_json()),
        "schema": json.loads(schema.to_json()),
        "tables": [{"edges": [0, 5]}, {"identity": 256}],
        "families": [{"attributes": [0, 1], "tables": [[0], [1]], "channel": "grr", "shares": SHARES}],
    }
    question = sv.Plan.from_json(json.dumps(document)).questions[0]
    assert question.cells([np.array([4, 0]), np.array([255, 3])]).tolist() == [255, 3]
    assert question.cell((4, 255)) == 255


def test_questions_are_a_sequence() -> None:
    questions = PLAN.questions
    assert len(questions) == 10 == len(list(questions))
    assert questions[2:4] == [questions[2], questions[3]]
    assert [question.index for question in questions] == list(range(10))
    for index in (-1, 10):
        with pytest.raises(IndexError):
            questions[index]


def test_alphabets_shares_and_channels_are_those_of_the_single_questions() -> None:
    questions = product_questions()
    assert questions.codes.tolist() == [question.channel.codes for question in questions]
    assert questions.shares.tolist() == [question.share for question in questions]
    assert questions.shares.sum() == SHARES == questions.check()
    yielded = list(questions.channels())
    assert all(questions[index].channel == channel for index, channel in yielded)
    assert {channel for _, channel in yielded} == {question.channel for question in questions}
    assert len(yielded) < len(questions), "questions of as many cells share a channel"


def test_a_position_among_the_shares_has_the_question_whose_stretch_it_is_in() -> None:
    questions = product_questions()
    ends = list(itertools.accumulate(question.share for question in questions))
    for index, end in enumerate(ends):
        assert questions.locate(end - 1).index == index
        assert end == SHARES or questions.locate(end).index == index + 1


def test_a_question_nobody_is_asked_is_never_located() -> None:
    families = [Family(attributes=(0,), tables=((0,),), channel="grr", shares=shares) for shares in (0, 5, 0, 4)]
    questions = Questions(square_schema(1, 8), Decimal(1), "00", [BinMap(identity=8)], families)
    assert [questions.locate(position).index for position in range(9)] == [1] * 5 + [3] * 4


def test_one_records_cell_is_its_cell_among_many() -> None:
    levels = np.array(list(itertools.product(range(8), repeat=3))).T
    for question in product_questions():
        many = question.cells([levels[attribute] for attribute in question.attributes])
        assert many.tolist() == [question.cell(record) for record in levels.T.tolist()]
        assert set(many.tolist()) == set(range(question.channel.cells))


def test_a_channel_without_an_unbiased_estimate_is_no_oracle() -> None:
    questions = product_questions()
    assert isinstance(questions[4].oracle, LocalHash)
    assert isinstance(questions[9].channel, SquareWave)
    with pytest.raises(sv.PlanError, match="question 9 is asked by square_wave, which gives no unbiased estimate"):
        questions[9].oracle  # noqa: B018


def test_more_questions_than_a_crowd_could_answer_are_refused_without_listing_them() -> None:
    tables = [BinMap(identity=2)]
    family = Family(attributes=tuple(range(4)), tables=((0,) * 64,) * 4, channel="grr", shares=SHARES)
    questions = Questions(square_schema(4, 2), Decimal(1), "00", tables, [family])
    assert len(questions) == 64**4
    with pytest.raises(sv.PlanError, match=rf"at most 2\^22 = {MAX_QUESTIONS} questions, this one would ask {64**4}"):
        questions.check()
