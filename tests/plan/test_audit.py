"""The audit: the worst case over all questions, exact, and the words that tell it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

import sottovoce as sv
from sottovoce.plan.audit import (
    audit_questions,
    exact_words,
    influence_words,
    promise,
    ratio_words,
    round_up,
    scope_words,
    shuffled_words,
)
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


def test_the_variation_is_that_of_two_records_that_differ_in_every_question() -> None:
    families = [family("grr", 0), family("grr", 1), family("square_wave", 1), family("local_hash", 1)]
    questions = Questions(square_schema(1, 12), Decimal(1), "00", TABLES, families)
    total = Fraction(0)
    for question in questions:
        rows = [question.channel.row(cell) for cell in range(question.channel.cells)]
        apart = max(sum(abs(a - b) for a, b in zip(one, other, strict=True)) for one in rows for other in rows)
        total += Fraction(apart, 2 * question.channel.scale) / 4
    assert total <= audit_questions(questions, 1_000).variation <= total * (1 + Fraction(1, 10**9))


def test_a_shuffled_crowd_is_promised_more_than_one_report_and_says_on_whose_word() -> None:
    audit = sv.Plan.create(mixed_schema(), epsilon=1, users=1_000, mechanism="hdg").audit()
    found = audit.shuffled(users=100_000, delta=1e-9)
    assert 0 < found.epsilon < 0.03
    assert found.local == audit.epsilon
    assert audit.shuffled(users=1, delta=1e-9).epsilon == pytest.approx(1, abs=1e-6)
    words = " ".join(shuffled_words(found))
    assert f"(central epsilon {round_up(found.epsilon)})" in words
    assert float(round_up(found.epsilon)) >= found.epsilon
    assert "serve --release-step 100000" in words
    assert "void for whoever saw which question a device was given" in words
    assert "no more than epsilon 1." in words


@pytest.mark.parametrize(("users", "delta"), [(0, 1e-9), (True, 1e-9), (10.5, 1e-9), (10, 0), (10, 1), (10, "1e-9")])
def test_a_crowd_or_a_delta_that_cannot_be_is_refused(users: object, delta: object) -> None:
    audit = sv.Plan.create(mixed_schema(), epsilon=1, users=1_000, mechanism="hdg").audit()
    with pytest.raises(sv.PlanError, match=r"users is an integer of at least 1|delta is a number above 0 and below 1"):
        audit.shuffled(users=users, delta=delta)  # type: ignore[arg-type]


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
