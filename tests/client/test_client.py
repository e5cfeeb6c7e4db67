"""The client: light, careful with whole records, and exact in what it sends."""

from __future__ import annotations

import datetime
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.log import Log
from tests.crowds import mixed_schema
from tests.interpreters import loaded_by

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000)
GOOD = {"age": 20, "income": 30.5, "region": "south", "children": 2}


class TestLightness:
    def test_a_saved_plan_is_answered_without_numpy(self, tmp_path):
        PLAN.save(tmp_path / "plan.json")
        script = """
import sys
import sottovoce.client
from sottovoce.plan import Plan
plan = Plan.load(sys.argv[1])
report = sottovoce.client.Client(plan).report({"age": 20, "income": 30.5, "region": "south", "children": 2})
print(report.to_json())
heavy = {"numpy", "pyarrow", "pandas", "narwhals", "sottovoce.mechanisms"} & set(sys.modules)
sys.exit(f"loaded {sorted(heavy)}" if heavy else 0)
"""
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "plan.json")], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        report = sv.Report.from_json(done.stdout)
        assert sv.Tally(PLAN).add(report) == 1

    def test_the_public_names_of_a_client_load_no_numpy(self):
        script = "import sys, sottovoce as sv; sv.Client, sv.Report, sv.Schema; sys.exit('numpy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

    @pytest.mark.parametrize("mechanism", ["spectral", "hdg", "hio"])
    def test_reading_a_plan_and_reporting_loads_nothing_that_designs_counts_or_asks(self, mechanism: str, tmp_path):
        sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000, mechanism=mechanism).save(tmp_path / "plan.json")
        script = f"import sys, sottovoce as sv; sv.Client(sv.Plan.load(sys.argv[1])).report({GOOD!r})"
        assert loaded_by(script, tmp_path / "plan.json") == []


class TestReport:
    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("age", 17),
            ("age", "20"),
            ("age", None),
            ("income", float("nan")),
            ("income", 90.1),
            ("region", "west"),
            ("region", None),
            ("children", 5),
            ("children", True),
            ("shoe", 44),
        ],
    )
    def test_one_wrong_answer_is_an_error_whatever_is_asked(self, name: str, wrong: object):
        """Only one question in ten looks at one attribute alone: 200 tries meet all of them."""
        client = sv.Client(PLAN)
        for _ in range(200):
            with pytest.raises(sv.RecordError, match=name):
                client.report({**GOOD, name: wrong})

    def test_a_missing_answer_is_a_level_and_every_question_is_still_asked(self):
        """System randomness: ten questions, 1,000 reports; one stays unasked once in 10^45 runs."""
        client = sv.Client(PLAN)
        asked = {client.draw({**GOOD, "children": None}).question for _ in range(1000)}
        assert asked == set(range(len(PLAN.questions)))

    def test_a_client_takes_a_plan_and_nothing_else(self):
        with pytest.raises(sv.PlanError, match=r"a Plan is needed here, got str; Plan\.load reads one"):
            sv.Client("plan.json")


class TestOnce:
    def test_a_second_call_gives_the_first_report_and_draws_nothing(self, monkeypatch: pytest.MonkeyPatch):
        client = sv.Client(PLAN)
        first = client.report(GOOD)
        monkeypatch.setattr("secrets.randbits", lambda bits: pytest.fail("it was drawn again"))
        assert [client.report(dict(GOOD)) for _ in range(5)] == [first] * 5

    @pytest.mark.parametrize(
        "spelled",
        [
            {"age": 20.0, "income": 30.5, "region": "south", "children": None},
            {"children": None, "region": "south", "income": 30.5, "age": np.int8(20)},
            {"age": 20, "income": 35, "region": "south"},
        ],
    )
    def test_records_of_the_same_levels_are_the_same_record(self, spelled: dict[str, Any]):
        """A report looks at levels alone: 30.5 and 35 are in one bin, and no answer may be left out."""
        client = sv.Client(PLAN)
        assert client.report({**GOOD, "children": None}) == client.report(spelled)

    @pytest.mark.parametrize("change", [{"age": 21}, {"region": "north"}, {"children": None}, {"income": 60}])
    def test_another_record_is_refused_with_what_to_do_instead(self, change: dict[str, Any]):
        client = sv.Client(PLAN)
        first = client.report(GOOD)
        with pytest.raises(sv.RecordError, match=r"another record.*randomize.*Client\.draw"):
            client.report({**GOOD, **change})
        assert client.report(GOOD) == first

    def test_a_record_that_does_not_fit_leaves_the_report_to_be_drawn(self):
        client = sv.Client(PLAN)
        with pytest.raises(sv.RecordError, match="age"):
            client.report({**GOOD, "age": 99})
        assert sv.Tally(PLAN).add(client.report(GOOD)) == 1

    def test_each_draw_is_a_report_of_its_own_and_leaves_the_one_report_alone(self):
        """System randomness: two ids of 128 bits are equal once in 10^34 runs."""
        client = sv.Client(PLAN)
        reported = client.report(GOOD)
        drawn = [client.draw({**GOOD, "age": age}) for age in (20, 20, 25)]
        assert len({report.id for report in (reported, *drawn)}) == 4
        assert client.report(GOOD) == reported

    def test_two_clients_of_a_plan_report_apart(self):
        """System randomness: two ids of 128 bits are equal once in 10^38 runs."""
        assert sv.Client(PLAN).report(GOOD).id != sv.Client(PLAN).report(GOOD).id


class TestLedger:
    """What a client with a ledger answers, and what its reports name."""

    def test_of_twenty_twins_a_device_answers_four(self, tmp_path):
        ledger = sv.Ledger(tmp_path)
        twins = [sv.Plan.create(PLAN.schema, epsilon=1, users=10_000, purpose="why" + " " * n) for n in range(20)]
        assert len({twin.collection for twin in twins}) == 20
        for twin in twins[:4]:
            sv.Client(twin, ledger=ledger).report(GOOD)
        for twin in twins[4:]:
            with pytest.raises(sv.BudgetError, match="you spent 4 of 4 in the last 365 days"):
                sv.Client(twin, ledger=ledger).report(GOOD)

    def test_a_plan_of_epsilon_20_is_answered_only_on_the_programs_word_which_the_person_is_shown(self, tmp_path):
        plan = sv.Plan.create(PLAN.schema, epsilon=20, users=10_000)
        with pytest.raises(sv.BudgetError, match="asks for epsilon 20, and this device answers at most 2"):
            sv.Client(plan)
        with pytest.raises(sv.BudgetError, match="costs epsilon 20, and you spent 0 of 4"):
            sv.Client(plan, ledger=sv.Ledger(tmp_path), max_epsilon=20).report(GOOD)
        client = sv.Client(plan, ledger=sv.Ledger(tmp_path, budget=25), max_epsilon=20)
        assert "raised the limit of one collection from 2 to 20" in client.cost.words
        assert "raised the budget from 4 in 365 days to 25 in 365 days" in client.cost.words
        assert sv.Tally(plan).add(client.report(GOOD)) == 1

    def test_a_record_that_does_not_fit_costs_nothing(self, tmp_path):
        client = sv.Client(PLAN, ledger=sv.Ledger(tmp_path))
        with pytest.raises(sv.RecordError, match="age"):
            client.report({**GOOD, "age": 99})
        assert client.ledger.entries() == []

    def test_a_refreshed_plan_returns_what_was_drawn(self, tmp_path):
        first = sv.Client(PLAN, ledger=sv.Ledger(tmp_path)).report(GOOD)
        later = sv.Plan.create(PLAN.schema, epsilon=1, users=10_000, expires="2999-01-01")
        client = sv.Client(later, ledger=sv.Ledger(tmp_path))
        assert client.report({**GOOD, "age": 25}) == first
        assert client.cost.spent == 1
        assert client.cost.epsilon == 0

    def test_its_reports_name_the_collection_or_the_plan_that_a_log_lists(self, tmp_path):
        log = Log().add(PLAN, datetime.date(2030, 1, 1))
        named = {
            sv.Client(PLAN).draw(GOOD).plan: PLAN.fingerprint,
            sv.Client(PLAN, ledger=sv.Ledger(tmp_path)).draw(GOOD).plan: PLAN.collection,
            sv.Client(PLAN, ledger=sv.Ledger(tmp_path), log=log).draw(GOOD).plan: PLAN.fingerprint,
        }
        assert all(found == expected for found, expected in named.items())
        with pytest.raises(sv.PlanError, match="not in the log"):
            sv.Client(PLAN, log=Log())

    def test_both_names_are_counted(self, tmp_path):
        tally = sv.Tally(PLAN)
        reports = [sv.Client(PLAN).draw(GOOD), sv.Client(PLAN, ledger=sv.Ledger(tmp_path)).draw(GOOD)]
        assert tally.add(reports) == 2
        assert {name: int(totals.sum()) for name, totals in tally.totals_by_plan.items()} == {PLAN.fingerprint: 2}
