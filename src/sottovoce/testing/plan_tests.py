"""What every mechanism must show of its plan, its reports and its tally; part of `sottovoce.testing`."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import rfc8785

import sottovoce as sv
from sottovoce.plan.plan import SHARES
from sottovoce.testing.chances import assert_drawn_from
from sottovoce.testing.crowds import mixed_crowd, mixed_schema, records, square_schema
from sottovoce.testing.mechanism_cases import (
    PEOPLE,
    counted_pairs,
    expected_pairs,
    plan_of,
    promise_of,
    reshared,
    schema_of,
)


class PlanTests:
    """What a plan of every mechanism keeps to."""

    @pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "5"])
    @pytest.mark.parametrize("users", [1000, 10_000_000])
    def test_the_audit_is_never_above_the_epsilon_asked_for(self, mechanism: str, epsilon: str, users: int) -> None:
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

    def test_the_audit_is_the_worst_of_all_questions(self, mechanism: str) -> None:
        plan = plan_of(mechanism, epsilon="0.7", attributes=4)
        assert plan.audit().ratio == max(question.channel.worst_ratio() for question in plan.questions)

    def test_json_and_files_give_the_plan_back(self, mechanism: str, tmp_path: Path) -> None:
        plan = plan_of(mechanism)
        plan.save(tmp_path / "plan.json")
        for copy in (sv.Plan.from_json(plan.to_json()), sv.Plan.load(tmp_path / "plan.json")):
            assert copy == plan
            assert (copy.fingerprint, copy.collection) == (plan.fingerprint, plan.collection)

    def test_the_fingerprint_is_the_hash_of_the_canonical_json(self, mechanism: str) -> None:
        plan = plan_of(mechanism)
        canonical = rfc8785.dumps(json.loads(plan.to_json()))
        assert plan.to_json() == canonical
        assert plan.fingerprint == hashlib.sha256(canonical).hexdigest()

    def test_the_same_design_has_the_same_fingerprint(self, mechanism: str) -> None:
        again = sv.Plan.create(schema_of(mechanism), epsilon=1.0, users=PEOPLE, mechanism=mechanism)
        assert again.fingerprint == plan_of(mechanism).fingerprint

    def test_the_collection_ignores_shares_version_and_expiry_alone(self, mechanism: str) -> None:
        plan = plan_of(mechanism)
        other = msgspec.structs.replace(reshared(plan), expires=datetime.date(2031, 1, 2).isoformat())
        assert other.collection == plan.collection
        assert other.fingerprint != plan.fingerprint
        for change in ({"purpose": "another"}, {"contact": "x"}, {"users": 5}, {"epsilon": "1.1"}):
            assert msgspec.structs.replace(plan, **change).collection != plan.collection

    def test_shares_add_up_and_every_position_has_its_question(self, mechanism: str) -> None:
        plan = plan_of(mechanism, attributes=4)
        shares = plan.questions.shares
        assert shares.sum() == SHARES
        ends = np.cumsum(shares)
        for position in {0, SHARES - 1, *(ends[:20] - 1).tolist(), *ends[:20].tolist()} - {SHARES}:
            assert plan.questions.locate(position).index == np.searchsorted(ends, position, side="right")

    def test_every_record_falls_in_a_cell_that_the_channel_has(self, mechanism: str) -> None:
        plan = plan_of(mechanism, attributes=4)
        corners = list(itertools.product(*((0, size - 1) for size in plan.schema.sizes)))
        for question in plan.questions:
            cells = [question.cell(levels) for levels in corners]
            assert 0 <= min(cells) <= max(cells) < question.channel.cells == np.prod(question.shape)
            columns = [np.array([levels[attribute] for levels in corners]) for attribute in question.attributes]
            np.testing.assert_array_equal(question.cells(columns), cells)
            assert plan.questions.codes[question.index] == question.channel.codes

    def test_one_attribute_works_or_is_refused_in_clear_words(self, mechanism: str) -> None:
        schema = sv.Schema((sv.Ordinal("age", 0, 9),))
        if not promise_of(mechanism).one_attribute:
            with pytest.raises(sv.PlanError, match=r"only 'age'.*add an attribute"):
                sv.Plan.create(schema, epsilon=1, users=1000, mechanism=mechanism)
            return
        plan = sv.Plan.create(schema, epsilon=1, users=1000, mechanism=mechanism)
        model = sv.fit(plan, sv.simulate(plan, {"age": np.arange(1000) % 10}, seed=0))
        np.testing.assert_allclose(model.answer_ranges([{}, {"age": (0, 9)}]), 1, atol=1e-6)

    def test_an_attribute_without_order_works_or_is_refused_in_clear_words(self, mechanism: str) -> None:
        if promise_of(mechanism).categorical:
            assert sv.Plan.create(mixed_schema(), epsilon=1, users=1000, mechanism=mechanism).schema == mixed_schema()
            return
        with pytest.raises(sv.PlanError, match=r"'region' has no order.*use hdg"):
            sv.Plan.create(mixed_schema(), epsilon=1, users=1000, mechanism=mechanism)

    def test_an_unknown_option_is_refused_with_the_names_of_those_allowed(self, mechanism: str) -> None:
        options: Any = {"flavour": "salt"}
        with pytest.raises(sv.PlanError, match=rf"{mechanism} has no option flavour; its options are: \w+"):
            sv.Plan.create(schema_of(mechanism), epsilon=1, users=1000, mechanism=mechanism, **options)


class ReportTests:
    """How reports are drawn and read."""

    def test_a_clients_report_can_be_read_back_and_is_counted(self, mechanism: str) -> None:
        plan = plan_of(mechanism, attributes=4)
        client, tally = sv.Client(plan, plugins=True), sv.Tally(plan)
        table = mixed_crowd(50, seed=1)
        reports = [client.draw(record) for record in records({name: table[name] for name in plan.schema.names})]
        for report in reports:
            assert sv.Report.from_json(report.to_json()) == report == sv.Report.from_bytes(report.to_bytes())
            assert report.plan == plan.fingerprint
            assert 0 <= report.code < plan.questions[report.question].channel.codes
        assert len({report.id for report in reports}) == 50
        assert tally.add(reports) == tally.total == 50
        assert not tally.refused

    def test_clients_reports_follow_the_plan(self, mechanism: str) -> None:
        """System randomness: a correct program fails less than once in 10^9 runs."""
        plan, table = plan_of(mechanism), mixed_crowd(4000, seed=2)
        client, tally = sv.Client(plan, plugins=True), sv.Tally(plan)
        tally.add([client.draw(record) for record in records({name: table[name] for name in plan.schema.names})])
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    def test_randomized_tables_follow_the_plan(self, mechanism: str) -> None:
        """System randomness: a correct program fails less than once in 10^9 runs."""
        plan, table = plan_of(mechanism, attributes=4), mixed_crowd(60_000, seed=3)
        reports, tally = sv.randomize(plan, table, plugins=True), sv.Tally(plan)
        assert reports.schema.metadata[b"sottovoce.plan"] == plan.fingerprint.encode()
        assert tally.add(reports) == 60_000
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    @pytest.mark.parametrize("users", [None, 2000, 300_000])
    def test_simulated_tallies_follow_the_plan(self, mechanism: str, users: int | None) -> None:
        """Seed 4: a correct program fails for less than one seed in 10^9. The crowd has the same seed on purpose."""
        plan, table = plan_of(mechanism, attributes=4), mixed_crowd(30_000, seed=4)
        tally = sv.simulate(plan, table, seed=4, users=users)
        assert tally.total == (users or 30_000)
        assert not tally.refused
        assert_drawn_from(counted_pairs(tally), expected_pairs(plan, table))

    @pytest.mark.parametrize("users", [None, 5000])
    def test_a_seed_determines_a_simulated_tally(self, mechanism: str, users: int | None) -> None:
        plan, table = plan_of(mechanism), mixed_crowd(5000, seed=5)
        first, again, other = (sv.simulate(plan, table, seed=seed, users=users) for seed in (1, 1, 2))
        assert first == again
        assert first != other


class TallyTests:
    """How tallies add."""

    def test_merging_commutes_and_associates(self, mechanism: str) -> None:
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

    def test_a_tally_in_parts_is_the_tally_of_all(self, mechanism: str) -> None:
        plan = plan_of(mechanism)
        reports = sv.randomize(plan, mixed_crowd(1000, seed=1), plugins=True)
        whole, left, right = sv.Tally(plan), sv.Tally(plan), sv.Tally(plan)
        whole.add(reports)
        left.add(reports.slice(0, 300))
        right.add(reports.slice(300))
        left.merge(right)
        assert left == whole

    def test_a_saved_tally_is_the_same_tally(self, mechanism: str, tmp_path: Path) -> None:
        tally = sv.simulate(plan_of(mechanism), mixed_crowd(1000, seed=1), seed=1)
        tally.merge(sv.simulate(reshared(tally.plan), mixed_crowd(10, seed=1), seed=1))
        tally.refused["wrong plan"] += 3
        tally.save(tmp_path / "tally.parquet")
        loaded = sv.Tally.load(tmp_path / "tally.parquet")
        assert loaded == tally
        assert loaded.plan == tally.plan
        assert loaded.plans == tally.plans
