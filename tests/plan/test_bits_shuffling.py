"""Several yes-or-no questions: against brute force over what others may be, a second evaluation, and its own steps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import LocalHash
from sottovoce.plan.bits_shuffling import _crowds, _Group, _Listed, _own_parts, bits_epsilon
from tests.plan.test_binary_shuffling import second_evaluation
from tests.plan.test_shuffling import counts_of

Record = tuple[int, ...]


def law(ratio: float, shares: Sequence[float], record: Record) -> np.ndarray:
    """Return the probability of every report, question by question: the other bit and the record's own."""
    keep = ratio / (ratio + 1)
    return np.array(
        [
            share * (keep if bit == own else 1 - keep)
            for share, own in zip(shares, record, strict=True)
            for bit in (0, 1)
        ]
    )


def crowds(questions: int, others: int, *, every: bool) -> Iterator[tuple[Record, ...]]:
    """Yield the others' records: every way, or two kinds of people in equal numbers, one of them perhaps nobody."""
    records = list(itertools.product((0, 1), repeat=questions))
    if every:
        yield from itertools.combinations_with_replacement(records, others)
        return
    for one, two in itertools.combinations_with_replacement(records, 2):
        yield (one,) * (others // 2) + (two,) * (others - others // 2)


CASES = [
    ((0.5, 0.5), 6, True),
    ((0.8, 0.2), 5, True),
    ((0.5, 0.3, 0.2), 4, True),
    ((0.5, 0.5), 20, False),
    ((0.9, 0.1), 20, False),
    ((0.5, 0.5), 50, False),
]


def exact_delta(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    """Return the exact delta that goes with an epsilon between two distributions, both ways."""
    growth = math.exp(epsilon)
    return float(max(np.maximum(first - growth * second, 0).sum(), np.maximum(second - growth * first, 0).sum()))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize(("shares", "users", "every"), CASES)
def test_it_is_enough_for_every_crowd_and_one_in_a_hundred_less_is_not(
    shares: tuple[float, ...], users: int, every: bool, epsilon: float
):
    """The person's two records differ in every question; what others say of each is free."""
    ratio, questions = math.exp(epsilon), len(shares)
    found = {delta: bits_epsilon(ratio, users=users, delta=delta) for delta in (1e-2, 1e-4, 1e-6)}
    too_small = set()
    for others in crowds(questions, users - 1, every=every):
        rows = [law(ratio, shares, record) for record in others]
        first, second = (counts_of([*rows, law(ratio, shares, (bit,) * questions)]) for bit in (0, 1))
        for delta, enough in found.items():
            assert exact_delta(first, second, enough) <= delta
            if exact_delta(first, second, enough / 1.01) > delta:
                too_small.add(delta)
    assert too_small == set(found)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_records_that_agree_in_a_question_are_told_apart_no_better(epsilon: float):
    ratio, shares, users = math.exp(epsilon), (0.6, 0.4), 5
    found = {delta: bits_epsilon(ratio, users=users, delta=delta) for delta in (1e-1, 1e-2, 1e-4)}
    for others in crowds(2, users - 1, every=True):
        rows = [law(ratio, shares, record) for record in others]
        first, second = (counts_of([*rows, law(ratio, shares, record)]) for record in ((0, 0), (1, 0)))
        for delta, enough in found.items():
            assert exact_delta(first, second, enough) <= delta


@pytest.mark.parametrize("users", [10**4, 10**6, 10**8])
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_of_people_who_say_one_thing_to_every_question_it_equals_a_second_evaluation_from_above(
    epsilon: float, users: int
):
    """Then only the number of ones matters, as in one question: these crowds are known exactly, by other means."""
    ratio = math.exp(epsilon)
    exact = max(second_evaluation(ratio, users, ones, 1e-9) for ones in (0, users - 1))
    assert exact <= bits_epsilon(ratio, users=users, delta=1e-9) <= 1.025 * exact


@pytest.mark.parametrize("ratio", [1.2, 3.0, 20.0])
def test_what_a_group_gives_is_never_below_the_list_of_any_crowd_in_it(ratio: float):
    others = 150
    table = _own_parts(others, ratio)
    for first, last in ((0, 0), (0, 9), (70, 80), (75, 75), (141, 150), (150, 150)):
        group = _Group.of(first, last, others, ratio)
        for agreeing in {first, (first + last) // 2, last}:
            listed = _Listed.of(agreeing, others, ratio, table)
            for epsilon in np.log(ratio) * np.array([0.0, 0.03, 0.1, 0.3, 0.7, 0.95]):
                assert listed.delta(epsilon) <= group.delta(epsilon) * (1 + 1e-9)  # both are raised by 1e-6


@pytest.mark.parametrize("others", [0, 1, 256, 257, 1000, 12_345])
def test_the_groups_hold_every_crowd_once(others: int):
    held: list[int] = []
    for crowd in _crowds(others, 3.0):
        if isinstance(crowd, _Group):
            held += range(crowd.first, crowd.last + 1)
    assert sorted(held) == list(range(others + 1)) if others > 256 else not held


def test_more_people_smaller_exemptions_and_larger_ratios_change_it_as_they_must():
    by_users = [bits_epsilon(3.0, users=users, delta=1e-6) for users in (1, 2, 10, 257, 258, 10**5)]
    assert by_users[0] == pytest.approx(math.log(3), abs=1e-3)
    assert by_users == sorted(by_users, reverse=True)
    by_delta = [bits_epsilon(3.0, users=5000, delta=delta) for delta in (1e-3, 1e-6, 1e-12)]
    assert by_delta == sorted(by_delta)
    by_ratio = [bits_epsilon(ratio, users=5000, delta=1e-6) for ratio in (1.5, 3.0, 9.0)]
    assert by_ratio == sorted(by_ratio)


HABITS = [sv.Categorical(name, ["no", "yes"]) for name in ("smokes", "drinks", "walks")]


def test_a_plan_whose_reports_are_all_bits_uses_it_and_one_with_a_wider_question_does_not():
    """At a small epsilon single attributes are asked for, and the parity of two."""
    several = sv.Plan.create(sv.Schema(HABITS), epsilon="0.2", users=10_000)
    assert {question.channel.kind for question in several.questions} == {"grr", "parity"}
    audit = several.audit()
    assert audit.bits
    assert not audit.binary
    expected = bits_epsilon(float(audit.ratio), users=10_000, delta=1e-9)
    assert audit.shuffled(users=10_000, delta=1e-9).epsilon == pytest.approx(expected, rel=1e-3)
    region = sv.Categorical("region", ["a", "b", "c"])
    assert not sv.Plan.create(sv.Schema([*HABITS, region]), epsilon="0.2", users=10_000).audit().bits


@pytest.mark.parametrize(("epsilon", "values"), [("0.2", 2), ("1", 3)])
def test_hashes_of_two_values_are_bits_under_many_questions(epsilon: str, values: int):
    hashed = sv.Plan.create(sv.Schema(HABITS[:2]), epsilon=epsilon, users=10_000, mechanism="calm")
    (question,) = hashed.questions
    assert isinstance(question.channel, LocalHash)
    assert question.channel.prime == values
    assert hashed.audit().bits == (values == 2)
    assert not hashed.audit().binary
