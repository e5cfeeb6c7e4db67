"""The list of questions: enough of every kind, the same every time, over most pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from sottovoce.simulation.crowds import CROWDS, KINDS, Crowd, Population

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
COMMUTING = CROWDS["commuting"]
TABLE = COMMUTING.draw(5_000, seed=3)
FRAME = pd.DataFrame(TABLE)
POPULATION = Population(COMMUTING.schema, TABLE)


@EACH
def test_a_crowd_has_a_hundred_questions_and_six_of_every_kind(crowd: Crowd) -> None:
    questions = crowd.questions()
    counts = Counter(question.kind for question in questions)
    assert len(questions) >= 100
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 6


@EACH
def test_questions_are_the_same_every_time_and_no_two_read_alike(crowd: Crowd) -> None:
    texts = [question.text(crowd.schema) for question in crowd.questions()]
    assert texts == [question.text(crowd.schema) for question in crowd.questions()]
    assert len(set(texts)) == len(texts)


@EACH
def test_a_share_of_so_many_names_so_many_attributes(crowd: Crowd) -> None:
    for question in crowd.questions():
        if question.kind.startswith("share of "):
            assert len(question.attributes) == int(question.kind[-1])


@EACH
def test_questions_cover_most_pairs_of_attributes_and_differences_from_none_to_large(crowd: Crowd) -> None:
    population = Population(crowd.schema, crowd.draw(40_000, seed=0))
    questions = crowd.questions()
    pairs = {frozenset(question.attributes) for question in questions if len(question.attributes) == 2}
    count = len(crowd.schema.attributes)
    assert len(pairs) > 0.75 * count * (count - 1) / 2
    gaps = np.abs([question.truth(population) for question in questions if question.kind == "difference of shares"])
    assert (gaps < 0.02).sum() >= 5
    assert (gaps > 0.2).sum() >= 4
