"""HIO: all combinations of depths, unbiased answers, sparse reports."""

import itertools

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.mechanisms.trees import family_offsets, question_number
from sottovoce.query.ranges import ranges_to_batch
from sottovoce.simulation.simulate import seeded_words

SCHEMA = sv.Schema(
    [sv.Ordinal("a", 0, 8), sv.Categorical("b", ["x", "y", "z"]), sv.Numeric("c", 0, 1, bins=5, nullable=True)]
)


def crowd(people=500, seed=3):
    generator = np.random.default_rng(seed)
    a = generator.integers(0, 9, people)
    c = np.where(generator.random(people) < 0.3, np.nan, a / 10)
    return {"a": a, "b": np.array(["x", "y", "z"])[a // 3], "c": c}


def test_every_combination_of_depths_but_all_roots_is_asked_alike():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hio", branching=3)
    assert plan.parameters == {"heights": [2, 1, 2]}
    assert len(plan.questions) == 3 * 2 * 3 - 1
    assert plan.questions.shares.max() - plan.questions.shares.min() <= 1
    asked = []
    for question in plan.questions:
        depths = dict(
            zip(
                question.attributes, (table.tree[2] for table in question.tables if table.tree is not None), strict=True
            )
        )
        asked.append(tuple(depths.get(index, 0) for index in range(3)))
    assert len(set(asked)) == len(asked)
    assert (0, 0, 0) not in asked
    offsets = family_offsets([3, 2, 3])
    assert [question_number([3, 2, 3], depths, offsets) for depths in asked] == list(range(17))


def test_the_plan_is_exactly_private():
    for oracle in ("olh", "grr", "adaptive"):
        audit = sv.Plan.create(SCHEMA, epsilon=2, users=1000, mechanism="hio", oracle=oracle).audit()
        assert 2 - 1e-9 < audit.epsilon <= 2


QUERIES = [
    {"a": (1, 7)},
    {"a": (2, 8), "b": ["x", "z"]},
    {"b": ["y", "z"], "c": (0.1, 0.75)},
    {"a": (0, 4), "b": ["x", "y"], "c": (0.0, 0.5)},
    {"c": (0.0, 1.0)},
]


def truth(table):
    a, b, c = table["a"], table["b"], table["c"]
    levels = np.where(np.isnan(c), 5, np.floor(np.nan_to_num(c) * 5)).astype(int)
    partial = np.array([0.5, 1, 1, 0.75, 0, 0])[levels]
    half = np.array([1, 1, 0.5, 0, 0, 0])[levels]
    return [
        ((a >= 1) & (a <= 7)).mean(),
        ((a >= 2) & (b != "y")).mean(),
        ((b != "x") * partial).mean(),
        ((a <= 4) & (b != "z")).astype(float) @ half / len(a),
        (~np.isnan(c)).mean(),
    ]


@pytest.mark.parametrize("oracle", ["olh", "grr", "adaptive"])
def test_answers_are_unbiased(oracle):
    """Seeds 0 to 99; five normal deviates within 4.5: a false alarm for one choice of seeds in 29,000."""
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hio", branching=3, oracle=oracle)
    table = crowd()
    tallies = [sv.simulate(plan, table, seed=seed, users=1000) for seed in range(100)]
    runs = np.array([sv.fit(plan, tally).answer_ranges(QUERIES) for tally in tallies])
    scores = (runs.mean(axis=0) - truth(table)) / (runs.std(axis=0) / np.sqrt(len(runs)))
    assert np.abs(scores).max() < 4.5


def test_the_whole_domain_answers_one_exactly():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hio")
    model = sv.fit(plan, sv.simulate(plan, crowd(), seed=1))
    assert model.answer_ranges([{}, {"a": (0, 8)}, {"a": (-5, 99), "b": ["x", "y", "z"]}]).tolist() == [1, 1, 1]
    assert model.answer_ranges([{"b": []}]).tolist() == [0]


def test_a_combination_without_reports_is_uniform():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hio", branching=3)
    tally = sv.Tally(plan)
    tally.add_counts(np.array([len(plan.questions) - 1]), np.array([0]), np.array([1]))
    answers = sv.fit(plan, tally).answer_ranges([{"a": (1, 7)}, {"a": (0, 3), "b": ["y"]}])
    np.testing.assert_allclose(answers, [7 / 9, 4 / 9 / 3])


def large_plan(attributes=6, **options):
    schema = sv.Schema([sv.Ordinal(f"a{index}", 0, 63) for index in range(attributes)])
    return sv.Plan.create(schema, epsilon=1, users=10**6, mechanism="hio", **options)


FINEST = 3 * 4**5 - 1
"""The question at the leaves of all six trees: the last of those that look at all attributes."""


@pytest.mark.slow
def test_a_domain_of_64_to_the_6th_is_asked_and_answered(tmp_path):
    plan = large_plan()
    assert len(plan.questions) == 4**6 - 1
    assert plan.questions[FINEST].channel.cells == 64**6
    assert 2**37 < plan.questions.codes.max() < 2**40
    table = {f"a{index}": np.full(20_000, 10 * index) for index in range(6)}
    tally = sv.Tally(plan)
    tally.add(sv.randomize(plan, table))
    model = sv.fit(plan, tally)
    queries = [{f"a{index}": (0, 31) for index in indices} for indices in itertools.combinations(range(6), 4)]
    answers = model.answer_ranges(queries)
    assert np.isfinite(answers).all()
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(sv.load_model(tmp_path / "model.json").answer_ranges(queries), answers)


def test_the_finest_question_of_a_large_hierarchy_is_unbiased():
    """Seed 5: 20,000 reports on the one question with 64^6 cells; z-scores within 5, a false alarm in a million."""
    plan = large_plan()
    question = plan.questions[FINEST]
    generator = np.random.default_rng(5)
    people = [np.full(20_000, 10 * index) for index in range(6)]
    people[0][:5000] = 63
    codes, counts = np.unique(
        question.channel.draw_many(question.cells(people), seeded_words(generator)), return_counts=True
    )
    cells = [question.cell([first, 10, 20, 30, 40, last]) for first, last in ((0, 50), (63, 50), (0, 51), (1, 2))]
    found = question.oracle.estimate_some(codes.astype(np.int64), counts, np.array(cells))
    scores = (found - [0.75, 0.25, 0, 0]) / np.sqrt(question.oracle.variance(20_000) + 0.25 / 20_000)
    assert np.abs(scores).max() < 5


def test_direct_answers_are_the_answers_with_the_error_that_they_have():
    """Seeds 0 to 99: sums of squared errors over variances within chi-square limits of 10^-6, and a tenth of room."""
    schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
    table = {"a": np.array([0, 0, 0, 0, 5, 6, 7, 3]), "b": np.array([7, 7, 7, 0, 1, 6, 2, 3])}
    plan = sv.Plan.create(schema, epsilon=2, users=10_000, mechanism="hio")
    batch = ranges_to_batch(schema, [{}, {"a": (0, 3)}, {"a": (0, 3), "b": (4, 7)}])
    sums = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 2]])
    truth, scores = sums @ [1, 5 / 8, 3 / 8], []
    for seed in range(100):
        model = sv.fit(plan, sv.simulate(plan, table, seed=seed, users=10_000))
        spread = model.spread(batch, sums)
        np.testing.assert_allclose(spread.direct, sums @ model.evaluate(batch))
        assert spread.direct_error[0] == 0
        scores.append((spread.direct - truth)[1:] / spread.direct_error[1:])
    squares = (np.array(scores) ** 2).sum(axis=0)
    assert squares.max() < 1.1 * stats.chi2.isf(1e-6 / 3, 100)
    assert squares.min() > 0.9 * stats.chi2.ppf(1e-6 / 3, 100)


def test_what_nobody_reported_on_has_no_direct_answer():
    schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
    plan = sv.Plan.create(schema, epsilon=2, users=10_000, mechanism="hio")
    model = sv.fit(plan, sv.simulate(plan, {"a": [0], "b": [0]}, seed=1, users=2))
    answer = model.answer("a <= 3 AND b <= 3")
    assert answer.direct is None
    assert model.answer("TRUE").direct is not None


def test_codes_beyond_the_limit_are_refused_with_the_limit():
    with pytest.raises(sv.PlanError, match=r"needs \d+ codes, at most 2\^63.*fewer attributes"):
        large_plan(attributes=10)
    with pytest.raises(sv.PlanError, match=r"at most 2\^22 = 4194304 questions"):
        large_plan(attributes=40)


def test_branching_is_checked():
    with pytest.raises(sv.PlanError, match="branching is an integer from 2 to 1024, got 1"):
        large_plan(branching=1)
