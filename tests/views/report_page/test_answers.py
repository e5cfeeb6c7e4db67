"""Answers in a report are the model's, for every kind of question."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.answer import plain_number
from sottovoce.views.report_page.answers import answer_question, one_attribute, together
from sottovoce.views.report_page.asked import Question

PEOPLE = 3_000


@pytest.fixture(scope="module")
def model() -> sv.Model:
    schema = sv.Schema([sv.Ordinal("age", 0, 79), sv.Categorical("pet", ["cat", "dog", "none"], nullable=True)])
    plan = sv.Plan.create(schema, epsilon=8, users=PEOPLE, mechanism="hdg")
    generator = np.random.default_rng(3)
    pets = np.array(["cat", "dog", "none", None], dtype=object)
    table = {"age": generator.integers(0, 80, PEOPLE), "pet": pets[generator.integers(0, 4, PEOPLE)]}
    return sv.fit(plan, sv.simulate(plan, table, seed=1))


def test_an_attribute_of_many_values_is_told_by_mean_median_and_bands(model: sv.Model) -> None:
    page = one_attribute(model, "age", 0.8)
    assert f"Mean {plain_number(float(model.mean('age')))} (" in page
    assert "median" in page
    assert page.count('<th scope="row">') == 8
    band = model.answer("age BETWEEN 10 AND 19", level=0.8)
    assert f">{100 * band:.1f}% (" in page or f">{100 * band:.0f}% (" in page
    assert "with 80% intervals" in page


def test_groups_stand_side_by_side_and_every_row_is_of_the_group(model: sv.Model) -> None:
    page = together(model, "pet", "age", 0.9)
    groups = model.mean_by("age", "age")
    assert page.count('<th scope="row">') == len(groups) == 5
    assert "Mean" not in page
    first = next(iter(groups))
    assert isinstance(first, tuple)
    low, high = first
    cat = model.answer("pet = 'cat'", given=f"age BETWEEN {low} AND {high}")
    assert f">{cat:.0%}</td>" in page
    assert "Mean age by pet" in together(model, "age", "pet", 0.9)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (Question(where="age >= 40", given="pet = 'cat'"), ["age >= 40, of those with pet = 'cat'", "share"]),
        (Question(title="<Old>", where="age >= 40"), ["<h3>&lt;Old&gt;</h3>"]),
        (Question(mean="age"), ["<h3>age</h3>", "Mean "]),
        (Question(mean="age", by="pet"), ["<h3>age by pet</h3>", "dog", "no answer"]),
        (Question(share="pet", given="age < 30"), ["<h3>pet, of those with age &lt; 30</h3>", "none"]),
        (Question(share="pet", by="age"), ["each row adds up to 100%"]),
    ],
)
def test_every_kind_of_question_is_answered(model: sv.Model, question: Question, texts: list[str]) -> None:
    page = answer_question(model, question, 0.9)
    for text in texts:
        assert text in page or text in unescape(page)


def test_a_question_about_what_there_is_not_is_refused_by_name(model: sv.Model) -> None:
    with pytest.raises(sv.QueryError, match="unknown attribute 'size'"):
        answer_question(model, Question(mean="size"), 0.9)
    with pytest.raises(sv.QueryError, match="pet"):
        answer_question(model, Question(mean="pet", by="age"), 0.9)
