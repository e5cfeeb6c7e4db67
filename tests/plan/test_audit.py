"""The audit: the worst case over all questions, exact, and the words that tell it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

import sottovoce as sv
from sottovoce.plan.audit import audit_questions, exact_words, influence_words, promise, ratio_words, scope_words
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.influence import Influence
from sottovoce.plan.questions import Family, Questions
from tests.crowds import mixed_schema, square_schema

TABLES = [BinMap(edges=(0, 3, 12)), BinMap(identity=12)]


def family(channel: str, table: int) -> Family:
    return Family(attributes=(0,), tables=((table,),), channel=channel, shares=2**30)


def worst_by_hand(questions: Questions) -> Fraction:
    """Return the largest ratio of two weights of one code, over all codes and pairs of cells of all questions."""
    ratios = []
    for question in questions:
        rows = [question.channel.row(cell) for cell in range(question.channel.cells)]
        ratios += [Fraction(max(weights), min(weights)) for weights in zip(*rows, strict=True)]
    return max(ratios)


@pytest.mark.parametrize("kinds", [("grr", "local_hash", "square_wave"), ("square_wave", "grr"), ("local_hash",)])
@pytest.mark.parametrize("epsilon", ["0.3", "1", "2.7"])
def test_the_audit_is_the_worst_ratio_of_all_rows_and_names_who_attains_it(
    kinds: tuple[str, ...], epsilon: str
) -> None:
    families = [family(kind, table) for kind in kinds for table in (0, 1)]
    questions = Questions(square_schema(1, 12), Decimal(epsilon), "00", TABLES, families)
    audit = audit_questions(questions, 1_000)
    assert audit.ratio == worst_by_hand(questions) == questions[audit.question].channel.worst_ratio()
    assert audit.channel == questions[audit.question].channel.kind
    assert audit.epsilon <= audit.limit == float(epsilon)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "1.1", "20"])
def test_the_exact_epsilon_never_looks_larger_than_the_one_asked_for(epsilon: str) -> None:
    plan = sv.Plan.create(mixed_schema(), epsilon=epsilon, users=1_000, mechanism="hdg")
    words = exact_words(plan.audit())
    assert len(words.partition(".")[2]) == 20
    assert Decimal(epsilon) - Decimal("1e-6") < Decimal(words) <= Decimal(epsilon)


def test_the_promise_tells_odds_as_chances() -> None:
    assert "a factor of at most 3: " in ratio_words(3.0)
    assert "between 25.0% and 75.0%" in ratio_words(3.0)
    audit = sv.Plan.create(mixed_schema(), epsilon=1, users=1_000, mechanism="hdg").audit()
    assert "a factor of at most 2.71828: " in promise(audit)
    assert "between 26.9% and 73.1%" in promise(audit)


def test_the_scope_names_how_many_questions_and_which_is_worst() -> None:
    plan = sv.Plan.create(mixed_schema(), epsilon=1, users=1_000, mechanism="hdg")
    audit = plan.audit()
    assert f"all {len(plan.questions)} questions" in scope_words(plan, audit)
    assert f"question {audit.question} attains it" in scope_words(plan, audit)


def test_liars_who_can_do_anything_are_said_to() -> None:
    assert influence_words(Influence(100, 0.0512, 3), 10_000) == (
        "100 liars among 10,000 people (1.0%) move the raw estimate of a question by at most 5.1% of the crowd "
        "(question 3)."
    )
    assert "move the raw estimate of a question to anything (question 3)" in influence_words(Influence(1, 1.0, 3), 10)
