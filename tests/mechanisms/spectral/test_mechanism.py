"""Spectral from its plan to its answers, on generated data."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.errors import FewReportsWarning, PlanError
from sottovoce.mechanisms.spectral.mechanism import answers_of
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.plan import SHARES
from tests.crowds import fraction_inside, mixed_crowd, mixed_schema, normal_crowd, square_schema


def spectral(schema, *, epsilon=1, users=100_000, **options):
    return sv.Plan.create(schema, epsilon=epsilon, users=users, mechanism="spectral", **options)


class TestPlan:
    @pytest.mark.parametrize("epsilon", [0.2, 1, 3])
    def test_every_question_expects_a_hundred_reports(self, epsilon):
        plan = spectral(mixed_schema(4), epsilon=epsilon)
        assert (plan.questions.shares * (plan.users / SHARES)).min() > 100 * (1 - 1e-3)
        assert plan.questions.shares.sum() == SHARES

    def test_the_parameters_say_how_many_questions_of_how_many_signs(self):
        plan = spectral(square_schema(3, 16), epsilon=4, users=10**6)
        assert plan.parameters["questions"] == len(plan.questions)
        assert sum(plan.parameters["blocks"].values()) == len(plan.families)
        assert plan.parameters["blocks"]["2"] > 0

    def test_questions_are_as_wide_as_epsilon_allows(self):
        widest = [
            spectral(square_schema(3, 64), epsilon=epsilon, users=10**6).questions.codes.max() for epsilon in (1, 4)
        ]
        assert widest[0] <= 8
        assert 32 <= widest[1] <= 3 * np.exp(4) + 2

    def test_an_attribute_with_too_many_levels_is_refused_with_what_to_do(self):
        with pytest.raises(sv.PlanError, match=r"at most 4096 levels, a has 4097: use bins"):
            spectral(sv.Schema([sv.Ordinal("a", 0, 4096)]))

    def test_a_hundred_and_one_attributes_are_refused(self):
        schema = sv.Schema([sv.Ordinal(f"a{index}", 0, 1) for index in range(101)])
        with pytest.raises(sv.PlanError, match="at most 100 attributes, got 101"):
            spectral(schema)

    def test_the_plan_of_ten_attributes_is_small(self):
        assert len(spectral(square_schema(10, 64), users=10**6).to_json()) < 200_000


class TestWorkload:
    def test_a_pair_that_matters_gets_the_questions(self):
        plan = spectral(square_schema(3, 16), workload={"pairs": [["a", "c", 1.0]]})
        assert {index for family in plan.families for index in family.attributes} == {0, 2}

    def test_an_attribute_that_matters_more_is_asked_more(self):
        def asked(plan):
            return sum(family.shares for family in plan.families if 0 in family.attributes) / SHARES

        even, uneven = (
            spectral(square_schema(3, 16), workload=workload) for workload in ("ranges", {"attributes": {"a": 5.0}})
        )
        assert asked(uneven) > asked(even) + 0.05

    def test_single_values_ask_finer_functions_than_ranges(self):
        def finest(plan):
            return max(max(table.walsh[1:]) for table in plan.tables)

        ranges, marginals = (
            spectral(square_schema(2, 64), users=10**6, workload=workload) for workload in ("ranges", "marginals")
        )
        assert finest(marginals) >= finest(ranges)
        assert marginals != ranges

    def test_widths_are_kept_in_the_plan(self):
        plan = spectral(square_schema(2, 16), workload={"widths": [0.1, 0.5]})
        assert sv.Plan.from_json(plan.to_json()).options["workload"]["widths"] == [0.1, 0.5]

    @pytest.mark.parametrize(
        ("workload", "message"),
        [
            ("everything", r'workload is "ranges", "marginals", or a dict .*got \'everything\''),
            ({"attributes": {"zebra": 1.0}}, r"unknown attributes \['zebra'\]; the schema has a, b"),
            ({"pairs": [["a", "zebra", 1.0]]}, r"unknown attributes \['zebra'\]"),
            ({"pairs": [["a", "a", 1.0]]}, "two different attributes"),
            ({"widths": [0.0]}, "above 0 and at most 1"),
            ({"widths": [1.5]}, "above 0 and at most 1"),
            ({"widths": []}, "at least one width"),
            ({"attributes": {"a": -1.0}}, "zero or positive"),
            ({"attributes": {"a": 0.0}}, "at least one pair"),
            ({"pairs": []}, "at least one pair"),
            ({"flavour": 1}, "flavour"),
            (7, "spectral: "),
        ],
        ids=repr,
    )
    def test_what_cannot_be_meant_is_refused_in_clear_words(self, workload, message):
        with pytest.raises(sv.PlanError, match=message):
            spectral(square_schema(2, 8), workload=workload)


class TestRefresh:
    """Seed 3: a and b follow each other closely, c and d are independent of everything."""

    @pytest.fixture(scope="class")
    @classmethod
    def collection(cls):
        generator = np.random.default_rng(3)
        first = generator.integers(0, 16, 50_000)
        crowd = {
            "a": first,
            "b": (first + generator.integers(0, 2, 50_000)).clip(0, 15),
            "c": generator.integers(0, 16, 50_000),
            "d": generator.integers(0, 16, 50_000),
        }
        plan = spectral(square_schema(4, 16), users=2_000_000)
        return plan, crowd, sv.simulate(plan, crowd, seed=3, users=500_000)

    def test_people_not_yet_asked_are_asked_where_coefficients_are_large(self, collection):
        plan, _, tally = collection

        def share(plan, pair):
            return sum(family.shares for family in plan.families if family.attributes == pair) / SHARES

        new = plan.refresh(tally)
        others = (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)
        assert share(new, (0, 1)) > 1.1 * share(plan, (0, 1))
        # which of the others tells of their attributes themselves is a matter of chance
        assert sum(share(new, pair) for pair in others) < 0.96 * sum(share(plan, pair) for pair in others)

    def test_every_question_still_expects_a_hundred_reports_in_all(self, collection):
        plan, _, tally = collection
        new = plan.refresh(tally)
        for before, after in zip(plan.families, new.families, strict=True):
            expected = (500_000 * before.shares + 1_500_000 * after.shares) / before.count / SHARES
            assert expected >= 100 * (1 - 1e-6)

    def test_both_plans_count_into_one_model(self, collection):
        plan, crowd, tally = collection
        new = plan.refresh(tally)
        assert (new.collection, new.version) == (plan.collection, plan.version + 1)
        assert new.fingerprint != plan.fingerprint
        both = sv.simulate(new, crowd, seed=4, users=1_500_000)
        both.merge(tally)
        model = sv.fit(new, both, quality="fast")
        inside = ((crowd["a"] <= 7) & (crowd["b"] <= 7)).mean()
        assert model.answer_ranges([{"a": (0, 7), "b": (0, 7)}])[0] == pytest.approx(inside, abs=0.03)

    def test_what_cannot_be_refreshed_is_refused(self, collection):
        plan, crowd, tally = collection
        with pytest.raises(PlanError, match="another collection"):
            spectral(square_schema(4, 16), epsilon=2).refresh(tally)
        grids = sv.Plan.create(plan.schema, epsilon=1, users=1000, mechanism="hdg")
        with pytest.raises(PlanError, match="hdg plans have no shares to refresh; those of spectral have"):
            grids.refresh(sv.simulate(grids, crowd, seed=1, users=1000))


def test_an_attribute_that_nobody_is_asked_about_is_warned_of():
    plan = spectral(square_schema(3, 16), workload={"pairs": [["a", "c", 1.0]]})
    tally = sv.simulate(plan, normal_crowd(1000, attributes=3, levels=16, seed=1), seed=1, users=100_000)
    with pytest.warns(FewReportsWarning, match="nobody was asked about b, which weigh"):
        sv.fit(plan, tally, quality="fast")


@pytest.mark.parametrize("epsilon", [0.5, 2, 4, 6])
def test_expected_counts_give_the_true_moments(epsilon):
    """Counts of a plan as expected, but for rounding one part in 10^13: the moments are the crowd's own."""
    plan = spectral(mixed_schema(4), epsilon=epsilon, users=10**6)
    generator = np.random.default_rng(1)
    levels = [generator.integers(0, size, 500) for size in plan.schema.sizes]
    tally = sv.Tally(plan)
    questions, codes, counts = list[int](), list[int](), list[int]()
    for question in plan.questions:
        cells = question.cells([levels[attribute] for attribute in question.attributes])
        frequencies = np.bincount(cells, minlength=question.channel.cells) / 500
        expected = np.rint(1e13 * frequencies @ question.channel.probabilities()).astype(np.int64)
        questions += [question.index] * len(expected)
        codes += range(len(expected))
        counts += expected.tolist()
    tally.add_counts(np.array(questions), np.array(codes), np.array(counts))
    answers = answers_of(plan, tally)
    asked, moments = answers.asked, answers.moments
    functions = np.concatenate(
        [np.ones((500, 1))]
        + [walsh_signs(s, b)[own, 1:] for s, b, own in zip(plan.schema.sizes, asked.bands, levels, strict=True)],
        axis=1,
    )
    seen = moments.information > 0
    np.testing.assert_allclose(moments.estimate[seen], (functions.T @ functions / 500)[seen], atol=1e-11)


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "3", "4", "6", "8"])
def test_no_block_gives_away_more_than_epsilon(epsilon):
    plan = spectral(mixed_schema(4), epsilon=epsilon, users=10**6)
    audit = plan.audit()
    assert float(epsilon) - 1e-9 < audit.epsilon <= float(epsilon)
    assert {family.channel for family in plan.families} <= {"grr", "parity", "xor"}


@pytest.mark.parametrize("stored", json.loads((Path(__file__).parent / "old_plans.json").read_text()), ids=["2", "1.5"])
def test_plans_and_tallies_of_the_first_version_load_count_and_refresh_as_before(stored):
    """Made by version 0.1, with the moments that it gave: signs of one to three attributes, and parities."""
    plan = sv.Plan.from_json(json.dumps(stored["plan"]))
    assert (plan.fingerprint, plan.collection) == (stored["plan"]["fingerprint"], stored["collection"])
    tally = sv.Tally(plan)
    tally.add_counts(*(np.array(stored[name]) for name in ("questions", "codes", "counts")))
    moments = answers_of(plan, tally).moments
    np.testing.assert_allclose(moments.estimate, stored["estimate"], atol=1e-8)
    np.testing.assert_allclose(moments.information, stored["information"], rtol=1e-8, atol=1e-5)
    assert plan.refresh(tally).collection == plan.collection
    assert 0 < sv.fit(plan, tally, quality="fast").answer("age <= 3").fraction < 1


def test_attributes_that_do_not_depend_on_each_other_stay_so():
    """Seeds 1 to 3: no range from 0 in both attributes is more than 0.05 from the product of the two answers."""
    plan = spectral(square_schema(3, 16), users=200_000)
    for seed in (1, 2, 3):
        crowd = normal_crowd(200_000, attributes=3, levels=16, seed=seed, covariance=0.0)
        model = sv.fit(plan, sv.simulate(plan, crowd, seed=seed), seed=seed, quality="fast")
        for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
            joint = model.marginal(first, second)
            invented = np.cumsum(np.cumsum(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0)), axis=0), axis=1)
            assert np.abs(invented).max() < 0.05


def test_correlation_that_is_there_is_found():
    """Seed 1: smoothing shrinks the true 0.77 to 0.57; without any dependence it would be near 0."""
    plan = spectral(square_schema(3, 16), users=200_000)
    crowd = normal_crowd(200_000, attributes=3, levels=16, seed=1)
    model = sv.fit(plan, sv.simulate(plan, crowd, seed=1), quality="fast")
    assert 0.4 < np.array(model.correlation())[0, 1] < 0.9


def test_too_few_reports_for_pairs_are_warned_of():
    plan = spectral(mixed_schema(4), users=100)
    with pytest.warns(
        FewReportsWarning,
        match=r"100 reports at epsilon 1 cannot tell whether \d+ of \d+ pairs",
    ):
        sv.fit(plan, sv.simulate(plan, mixed_crowd(100, seed=1), seed=1), quality="fast")


def test_enough_reports_are_not_warned_of():
    plan = spectral(mixed_schema(4), users=200_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewReportsWarning)
        model = sv.fit(plan, sv.simulate(plan, mixed_crowd(20_000, seed=1), seed=1, users=200_000), quality="fast")
    assert model.caveats == ()


def test_one_attribute_alone_is_answered():
    """Seed 1: ranges over a bell err by at most 0.041; a uniform guess would be off by up to 0.6."""
    plan = spectral(square_schema(1, 64), users=50_000)
    crowd = normal_crowd(50_000, attributes=1, levels=64, seed=1)
    model = sv.fit(plan, sv.simulate(plan, crowd, seed=1), quality="fast")
    queries = [{"a": (low, low + 15)} for low in range(0, 49, 4)]
    truth = [fraction_inside(crowd, query) for query in queries]
    np.testing.assert_allclose(model.answer_ranges(queries), truth, atol=0.06)


def test_no_answer_and_categories_are_estimated():
    """Seed 1: one fraction of each kind, within 0.03."""
    plan = spectral(mixed_schema(4), epsilon=2, users=100_000)
    crowd = mixed_crowd(100_000, seed=1)
    model = sv.fit(plan, sv.simulate(plan, crowd, seed=1), quality="fast")
    assert model.answer("children IS NULL").fraction == pytest.approx(np.isnan(crowd["children"]).mean(), abs=0.03)
    assert model.answer("region = 'south'").fraction == pytest.approx((crowd["region"] == "south").mean(), abs=0.03)


@pytest.mark.slow
def test_answers_are_clearly_closer_than_hdgs():
    """Seeds 1 and 2, half-width ranges over two and four of four attributes: HDG errs at least 1.5 times as much."""
    schema = square_schema(4, 64)
    plans = {
        "spectral": spectral(schema, users=200_000),
        "hdg": sv.Plan.create(schema, epsilon=1, users=200_000, mechanism="hdg"),
    }
    crowd = normal_crowd(200_000, attributes=4, levels=64, seed=1)
    generator = np.random.default_rng(1)
    errors = {}
    for dimensions in (2, 4):
        queries = []
        for _ in range(60):
            names = generator.choice(list("abcd"), dimensions, replace=False).tolist()
            starts = generator.integers(0, 33, dimensions).tolist()
            queries.append({name: (start, start + 31) for name, start in zip(names, starts, strict=True)})
        truth = [fraction_inside(crowd, query) for query in queries]
        for name, plan in plans.items():
            tallies = [sv.simulate(plan, crowd, seed=seed) for seed in (1, 2)]
            models = [sv.fit(plan, tally, quality="fast") for tally in tallies]
            errors[name, dimensions] = np.mean(
                [np.abs(model.answer_ranges(queries) - truth).mean() for model in models]
            )
    for dimensions in (2, 4):
        assert errors["hdg", dimensions] > 1.5 * errors["spectral", dimensions]


def test_a_model_of_ten_attributes_saves_to_a_small_file(tmp_path):
    schema = square_schema(10, 64)
    plan = spectral(schema, users=1_000_000)
    crowd = normal_crowd(20_000, attributes=10, levels=64, seed=1)
    model = sv.fit(plan, sv.simulate(plan, crowd, seed=1, users=1_000_000), quality="fast")
    assert len(model.weights) <= 64
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").stat().st_size < 600_000


def test_direct_answers_vary_as_they_say():
    """Forty collections: the spread of direct answers is what their standard errors say, within a third."""
    schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Categorical("b", ["x", "y", "z"])])
    generator = np.random.default_rng(1)
    a = generator.integers(0, 4, 20_000)
    people = {"a": a, "b": np.array(["x", "y", "z"])[(a + generator.integers(0, 2, 20_000)) % 3]}
    plan = sv.Plan.create(schema, epsilon=1, users=20_000, mechanism="spectral")
    found = []
    for seed in range(40):
        model = sv.fit(plan, sv.simulate(plan, people, seed=seed), quality="fast")
        direct = model.answer("a < 2 AND b = 'x'").direct
        found.append((float(direct), direct.deviation))
    values, errors = np.array(found).T
    truth = np.mean((people["a"] < 2) & (people["b"] == "x"))
    assert values.mean() == pytest.approx(truth, abs=4 * errors.mean() / np.sqrt(40))
    assert 0.67 < values.std(ddof=1) / errors.mean() < 1.33
