"""What every mechanism must show, from its plan to its answers."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import itertools
import json
from fractions import Fraction

import msgspec
import numpy as np
import pytest
import rfc8785

import sottovoce as sv
from sottovoce.plan.plan import SHARES
from tests.chances import assert_drawn_from
from tests.conformance.mechanism_cases import (
    PEOPLE,
    counted_pairs,
    every_mechanism,
    expected_pairs,
    model_of,
    plan_of,
    promise_of,
    schema_of,
)
from tests.crowds import mixed_crowd, mixed_schema, records, square_schema

pytestmark = pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")

WHOLE = {"age": (18, 30), "income": (0, 90), "region": ["north", "south", "east"]}


def reshared(plan: sv.Plan) -> sv.Plan:
    """Return another plan of the same collection: its shares turned round, its version and expiry changed."""
    shares = plan.questions.shares[::-1].tolist()
    families, start = [], 0
    for family in plan.families:
        families.append(msgspec.structs.replace(family, shares=tuple(shares[start : start + family.count])))
        start += family.count
    return msgspec.structs.replace(plan, families=tuple(families), version=2, expires="2031-01-01")


class TestPlan:
    @every_mechanism
    @pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "5"])
    @pytest.mark.parametrize("users", [1000, 10_000_000])
    def test_the_audit_is_never_above_the_epsilon_asked_for(self, mechanism: str, epsilon: str, users: int):
        for schema in (schema_of(mechanism, 4), square_schema(3, 64)):
            plan = sv.Plan.create(schema, epsilon=epsilon, users=users, mechanism=mechanism)
            audit = plan.audit()
            with decimal.localcontext(prec=80):
                bound = Fraction(decimal.Decimal(epsilon).exp() * (1 - decimal.Decimal(10) ** -70))
            assert audit.ratio <= bound
            assert audit.epsilon <= float(epsilon) == audit.limit
            assert audit.epsilon == pytest.approx(float(epsilon), abs=1e-9)
            assert plan.questions[audit.question].channel.worst_ratio() == audit.ratio
            assert plan.questions[audit.question].channel.kind == audit.channel

    @every_mechanism
    def test_the_audit_is_the_worst_of_all_questions(self, mechanism: str):
        plan = plan_of(mechanism, epsilon="0.7", attributes=4)
        assert plan.audit().ratio == max(question.channel.worst_ratio() for question in plan.questions)

    @every_mechanism
    def test_json_and_files_give_the_plan_back(self, mechanism: str, tmp_path):
        plan = plan_of(mechanism)
        plan.save(tmp_path / "plan.json")
        for copy in (sv.Plan.from_json(plan.to_json()), sv.Plan.load(tmp_path / "plan.json")):
            assert copy == plan
            assert (copy.fingerprint, copy.collection) == (plan.fingerprint, plan.collection)

    @every_mechanism
    def test_the_fingerprint_is_the_hash_of_the_canonical_json(self, mechanism: str):
        plan = plan_of(mechanism)
        canonical = rfc8785.dumps(json.loads(plan.to_json()))
        assert plan.to_json() == canonical
        assert plan.fingerprint == hashlib.sha256(canonical).hexdigest()

    @every_mechanism
    def test_the_same_design_has_the_same_fingerprint(self, mechanism: str):
        again = sv.Plan.create(schema_of(mechanism), epsilon=1.0, users=PEOPLE, mechanism=mechanism)
        assert again.fingerprint == plan_of(mechanism).fingerprint

    @every_mechanism
    def test_the_collection_ignores_shares_version_and_expiry_alone(self, mechanism: str):
        plan = plan_of(mechanism)
        other = msgspec.structs.replace(reshared(plan), expires=datetime.date(2031, 1, 2).isoformat())
        assert other.collection == plan.collection
        assert other.fingerprint != plan.fingerprint
        for change in ({"purpose": "another"}, {"contact": "x"}, {"users": 5}, {"epsilon": "1.1"}):
            assert msgspec.structs.replace(plan, **change).collection != plan.collection

    @every_mechanism
    def test_shares_add_up_and_every_position_has_its_question(self, mechanism: str):
        plan = plan_of(mechanism, attributes=4)
        shares = plan.questions.shares
        assert shares.sum() == SHARES
        ends = np.cumsum(shares)
        for position in {0, SHARES - 1, *(ends[:20] - 1).tolist(), *ends[:20].tolist()} - {SHARES}:
            assert plan.questions.locate(position).index == np.searchsorted(ends, position, side="right")

    @every_mechanism
    def test_every_record_falls_in_a_cell_that_the_channel_has(self, mechanism: str):
        plan = plan_of(mechanism, attributes=4)
        corners = list(itertools.product(*((0, size - 1) for size in plan.schema.sizes)))
        for question in plan.questions:
            cells = [question.cell(levels) for levels in corners]
            assert 0 <= min(cells) <= max(cells) < question.channel.cells == np.prod(question.shape)
            columns = [np.array([levels[attribute] for levels in corners]) for attribute in question.attributes]
            np.testing.assert_array_equal(question.cells(columns), cells)
            assert plan.questions.codes[question.index] == question.channel.codes

    @every_mechanism
    def test_one_attribute_works_or_is_refused_in_clear_words(self, mechanism: str):
        schema = sv.Schema([sv.Ordinal("age", 0, 9)])
        if not promise_of(mechanism).one_attribute:
            with pytest.raises(sv.PlanError, match=r"only 'age'.*add an attribute"):
                sv.Plan.create(schema, epsilon=1, users=1000, mechanism=mechanism)
            return
        plan = sv.Plan.create(schema, epsilon=1, users=1000, mechanism=mechanism)
        model = sv.fit(plan, sv.simulate(plan, {"age": np.arange(1000) % 10}, seed=0))
        np.testing.assert_allclose(model.answer_ranges([{}, {"age": (0, 9)}]), 1, atol=1e-6)

    @every_mechanism
    def test_an_attribute_without_order_works_or_is_refused_in_clear_words(self, mechanism: str):
        if promise_of(mechanism).categorical:
            assert sv.Plan.create(mixed_schema(), epsilon=1, users=1000, mechanism=mechanism).schema == mixed_schema()
            return
        with pytest.raises(sv.PlanError, match=r"'region' has no order.*use hdg"):
            sv.Plan.create(mixed_schema(), epsilon=1, users=1000, mechanism=mechanism)

    @every_mechanism
    def test_an_unknown_option_is_refused_with_the_names_of_those_allowed(self, mechanism: str):
        with pytest.raises(sv.PlanError, match=rf"{mechanism} has no option flavour; its options are: \w+"):
            sv.Plan.create(schema_of(mechanism), epsilon=1, users=1000, mechanism=mechanism, **{"flavour": "salt"})


class TestReports:
    @every_mechanism
    def test_a_clients_report_can_be_read_back_and_is_counted(self, mechanism: str):
        plan = plan_of(mechanism, attributes=4)
        client, tally = sv.Client(plan), sv.Tally(plan)
        table = mixed_crowd(50, seed=1)
        reports = [client.draw(record) for record in records({name: table[name] for name in plan.schema.names})]
        for report in reports:
            assert sv.Report.from_json(report.to_json()) == report == sv.Report.from_bytes(report.to_bytes())
            assert report.plan == plan.fingerprint
            assert 0 <= report.code < plan.questions[report.question].channel.codes
        assert len({report.id for report in reports}) == 50
        assert tally.add(reports) == tally.total == 50
        assert not tally.refused

    @every_mechanism
    def test_clients_reports_follow_the_plan(self, mechanism: str):
        """System randomness: a correct program fails less than once in 10^9 runs."""
        plan, table = plan_of(mechanism), mixed_crowd(4000, seed=2)
        client, tally = sv.Client(plan), sv.Tally(plan)
        tally.add([client.draw(record) for record in records({name: table[name] for name in plan.schema.names})])
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    @every_mechanism
    def test_randomized_tables_follow_the_plan(self, mechanism: str):
        """System randomness: a correct program fails less than once in 10^9 runs."""
        plan, table = plan_of(mechanism, attributes=4), mixed_crowd(60_000, seed=3)
        reports, tally = sv.randomize(plan, table), sv.Tally(plan)
        assert reports.schema.metadata[b"sottovoce.plan"] == plan.fingerprint.encode()
        assert tally.add(reports) == 60_000
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    @every_mechanism
    @pytest.mark.parametrize("users", [None, 2000, 300_000])
    def test_simulated_tallies_follow_the_plan(self, mechanism: str, users: int | None):
        """Seed 4: a correct program fails for less than one seed in 10^9. The crowd has the same seed on purpose."""
        plan, table = plan_of(mechanism, attributes=4), mixed_crowd(30_000, seed=4)
        tally = sv.simulate(plan, table, seed=4, users=users)
        assert tally.total == (users or 30_000)
        assert not tally.refused
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    @every_mechanism
    @pytest.mark.parametrize("users", [None, 5000])
    def test_a_seed_determines_a_simulated_tally(self, mechanism: str, users: int | None):
        plan, table = plan_of(mechanism), mixed_crowd(5000, seed=5)
        first, again, other = (sv.simulate(plan, table, seed=seed, users=users) for seed in (1, 1, 2))
        assert first == again
        assert first != other


class TestTally:
    @every_mechanism
    def test_merging_commutes_and_associates(self, mechanism: str):
        plan = plan_of(mechanism)
        plans = (plan, plan, reshared(plan))

        def merged(*order: int) -> sv.Tally:
            tallies = [
                sv.simulate(each, mixed_crowd(300, seed=number), seed=number) for number, each in enumerate(plans)
            ]
            for number in order[1:]:
                tallies[order[0]].merge(tallies[number])
            return tallies[order[0]]

        right = merged(1, 2)
        whole = merged(0)
        whole.merge(right)
        assert whole == merged(0, 1, 2) == merged(2, 1, 0) == merged(1, 0, 2)
        assert whole.total == 900
        assert set(whole.plans) == {plan.fingerprint, reshared(plan).fingerprint}
        assert {key: int(totals.sum()) for key, totals in whole.totals_by_plan.items()} == {
            plan.fingerprint: 600,
            reshared(plan).fingerprint: 300,
        }

    @every_mechanism
    def test_a_tally_in_parts_is_the_tally_of_all(self, mechanism: str):
        plan = plan_of(mechanism)
        reports = sv.randomize(plan, mixed_crowd(1000, seed=1))
        whole, left, right = sv.Tally(plan), sv.Tally(plan), sv.Tally(plan)
        whole.add(reports)
        left.add(reports.slice(0, 300))
        right.add(reports.slice(300))
        left.merge(right)
        assert left == whole

    @every_mechanism
    def test_a_saved_tally_is_the_same_tally(self, mechanism: str, tmp_path):
        tally = sv.simulate(plan_of(mechanism), mixed_crowd(1000, seed=1), seed=1)
        tally.merge(sv.simulate(reshared(tally.plan), mixed_crowd(10, seed=1), seed=1))
        tally.refused["wrong plan"] += 3
        tally.save(tmp_path / "tally.parquet")
        loaded = sv.Tally.load(tmp_path / "tally.parquet")
        assert loaded == tally
        assert loaded.plan == tally.plan
        assert loaded.plans == tally.plans


def parts_of(query: dict, name: str, wider: bool) -> list[dict]:
    """Return the two halves of a query's range on one attribute, or (``wider``) a narrower and the query itself."""
    asked = query[name]
    if name == "region":
        return [{**query, name: asked[:1]}, query if wider else {**query, name: asked[1:]}]
    low, high = asked
    middle = low + (high - low) // 2
    upper = middle + 1 if name in ("age", "children") else middle
    return [{**query, name: (low, middle)}, query if wider else {**query, name: (upper, high)}]


QUERIES = [
    {"age": (20, 27)},
    {"region": ["south", "east"]},
    {"children": (1, 4)},
    {"age": (19, 30), "income": (13, 71)},
    {"income": (0, 40), "region": ["north", "east"]},
    {"region": ["north", "south"], "children": (0, 2)},
    {"age": (18, 24), "income": (25, 90), "region": ["south", "east"]},
    {"age": (22, 29), "income": (10, 65), "region": ["north", "south", "east"], "children": (0, 3)},
]


def asked_of(model: sv.Model | sv.Plan, queries: list[dict]) -> list[dict]:
    """Return the queries that name only attributes of the schema."""
    return [query for query in queries if set(query) <= set(model.schema.names)]


def whole_of(model: sv.Model | sv.Plan) -> dict:
    """Return the query that holds every value of the schema's attributes that require an answer."""
    return {name: asked for name, asked in WHOLE.items() if name in model.schema.names}


class TestModel:
    @every_mechanism
    def test_everybody_is_one(self, mechanism: str):
        model = model_of(mechanism)
        some = [
            {name: WHOLE[name] for name in names}
            for count in range(4)
            for names in itertools.combinations(whole_of(model), count)
        ]
        np.testing.assert_allclose(model.answer_ranges(some), 1, atol=1e-6)
        assert model.answer_ranges([{}])[0] == 1

    @every_mechanism
    def test_answers_are_fractions(self, mechanism: str):
        model = model_of(mechanism, attributes=4)
        answers = model.answer_ranges(asked_of(model, QUERIES))
        assert np.isfinite(answers).all()
        if promise_of(mechanism).monotone >= 2:
            assert (answers >= -1e-12).all()
            assert (answers <= 1 + 1e-6).all()

    @every_mechanism
    def test_parts_add_up_to_the_whole_where_promised(self, mechanism: str):
        model = model_of(mechanism, attributes=4)
        for query in asked_of(model, QUERIES):
            if len(query) > promise_of(mechanism).additive:
                continue
            for name in query:
                whole, *parts = model.answer_ranges([query, *parts_of(query, name, wider=False)])
                assert whole == pytest.approx(sum(parts), abs=1e-9), (query, name)

    @every_mechanism
    def test_a_wider_query_never_answers_less_where_promised(self, mechanism: str):
        model = model_of(mechanism, attributes=4)
        for query in asked_of(model, QUERIES):
            if len(query) > promise_of(mechanism).monotone:
                continue
            for name in query:
                narrow, wide = model.answer_ranges(parts_of(query, name, wider=True))
                assert narrow <= wide + 1e-12, (query, name)

    @every_mechanism
    def test_an_answer_does_not_depend_on_the_batch_it_is_in(self, mechanism: str):
        model = model_of(mechanism, attributes=4)
        queries = asked_of(model, QUERIES)
        alone = [model.answer_ranges([query])[0] for query in queries]
        np.testing.assert_allclose(model.answer_ranges(queries), alone, atol=1e-12)
        np.testing.assert_allclose(model.answer_ranges(queries[::-1] * 3)[::-1][: len(queries)], alone, atol=1e-12)

    @every_mechanism
    def test_marginals_are_the_answers_at_every_level(self, mechanism: str):
        model = model_of(mechanism)
        name, values = "region", [["north"], ["south"], ["east"]]
        if not promise_of(mechanism).categorical:
            name, values = "income", [(9 * level, 9 * level + 9) for level in range(10)]
        answers = model.answer_ranges([{name: asked} for asked in values])
        np.testing.assert_allclose(model.marginal(name), answers, atol=1e-12)
        pair = model.marginal(name, "age")
        assert pair.shape == (len(values), 13)
        assert pair[1, 4] == pytest.approx(model.answer_ranges([{name: values[1], "age": (22, 22)}])[0], abs=1e-12)
        np.testing.assert_allclose(pair, model.marginal("age", name).T, atol=1e-12)

    @every_mechanism
    def test_a_nullable_attributes_marginal_ends_with_no_answer(self, mechanism: str):
        marginal = model_of(mechanism, attributes=4).marginal("children")
        assert len(marginal) == 6
        given = model_of(mechanism, attributes=4).answer_ranges([{"children": (0, 4)}])[0]
        if promise_of(mechanism).additive >= 1:
            assert marginal[:5].sum() == pytest.approx(given, abs=1e-9)
            assert marginal.sum() == pytest.approx(1, abs=1e-6)

    @every_mechanism
    def test_a_saved_model_gives_the_same_answers(self, mechanism: str, tmp_path):
        model = model_of(mechanism, attributes=4)
        model.save(tmp_path / "model.any")
        loaded = sv.load_model(tmp_path / "model.any")
        assert type(loaded) is type(model)
        assert loaded.origin == model.origin
        queries = asked_of(model, QUERIES)
        np.testing.assert_array_equal(loaded.answer_ranges(queries), model.answer_ranges(queries))

    @every_mechanism
    @pytest.mark.parametrize("quality", ["default", "fast"])
    def test_fitting_is_determined_by_its_seed(self, mechanism: str, quality: str):
        plan = plan_of(mechanism)
        tally = sv.simulate(plan, mixed_crowd(3000, seed=1), seed=1)
        queries = asked_of(plan, QUERIES)
        one, two = (sv.fit(plan, tally, seed=3, quality=quality).answer_ranges(queries) for _ in range(2))
        np.testing.assert_array_equal(one, two)

    @every_mechanism
    def test_fitting_changes_nothing_in_the_tally(self, mechanism: str):
        plan = plan_of(mechanism)
        tally, copy = (sv.simulate(plan, mixed_crowd(500, seed=1), seed=1) for _ in range(2))
        sv.fit(plan, tally)
        assert tally == copy

    @every_mechanism
    @pytest.mark.parametrize("reports", [1, 2, 5])
    def test_questions_without_reports_do_not_break_the_fit(self, mechanism: str, reports: int):
        plan = plan_of(mechanism, attributes=4)
        tally = sv.simulate(plan, mixed_crowd(reports, seed=1), seed=1)
        model = sv.fit(plan, tally)
        assert np.isfinite(model.answer_ranges(asked_of(model, QUERIES))).all()
        np.testing.assert_allclose(model.answer_ranges([{}, whole_of(model)]), 1, atol=1e-6)

    @every_mechanism
    def test_an_empty_tally_is_refused(self, mechanism: str):
        with pytest.raises(sv.ModelError, match="the tally is empty"):
            sv.fit(plan_of(mechanism), sv.Tally(plan_of(mechanism)))

    @every_mechanism
    def test_a_tally_of_another_collection_is_refused(self, mechanism: str):
        other = plan_of(mechanism, epsilon="2")
        tally = sv.simulate(other, mixed_crowd(10, seed=1), seed=1)
        with pytest.raises(sv.ModelError, match="use the plan that the reports answered"):
            sv.fit(plan_of(mechanism), tally)

    @every_mechanism
    def test_a_plan_with_refreshed_shares_fits_the_same_collection(self, mechanism: str):
        plan = plan_of(mechanism)
        tally = sv.simulate(plan, mixed_crowd(2000, seed=1), seed=1)
        first, second = (
            sv.fit(each, tally).answer_ranges([whole_of(plan), {"age": (20, 25)}]) for each in (plan, reshared(plan))
        )
        np.testing.assert_array_equal(first, second)
