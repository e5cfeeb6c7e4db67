"""The plan: what is designed, what is refused, and what becomes of damaged files."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.plan import MAX_USERS, SHARES
from tests.crowds import mixed_schema, square_schema

PLAN = sv.Plan.create(
    mixed_schema(4), epsilon=1, users=10_000, mechanism="hdg", purpose="a test", contact="a@b.c", expires="2030-12-31"
)


def granularities() -> list[tuple[int, float, str, int, int]]:
    """Return all entries of the paper's table: d, lg(n), epsilon, g1, g2."""
    lines = (Path(__file__).parent / "paper_granularities.csv").read_text().splitlines()
    entries = []
    for attributes, users, *cells in csv.reader(line for line in lines if not line.startswith("#")):
        for number, cell in enumerate(cells, start=1):
            g1, g2 = cell.split("/")
            entries.append((int(attributes), float(users), f"{number / 5:g}", int(g1), int(g2)))
    return entries


class TestGuideline:
    def test_the_table_has_190_entries(self):
        assert len(granularities()) == 190

    def test_all_entries_of_the_papers_table_are_reproduced(self):
        for attributes, users, epsilon, g1, g2 in granularities():
            plan = sv.Plan.create(
                square_schema(attributes, 64), epsilon=epsilon, users=round(10**users), mechanism="hdg"
            )
            assert plan.parameters == {"g1": g1, "g2": g2}, (attributes, users, epsilon)

    def test_a_granularity_is_capped_by_each_attributes_size(self):
        schema = sv.Schema([sv.Ordinal("a", 0, 2), sv.Ordinal("b", 0, 99, nullable=True)])
        plan = sv.Plan.create(schema, epsilon=1, users=1000, mechanism="hdg", g1=16, g2=4)
        assert [question.shape for question in plan.questions] == [(3,), (17,), (3, 5)]
        plan = sv.Plan.create(schema, epsilon=5, users=10**9, mechanism="tdg")
        assert plan.parameters == {"g2": 100}
        assert plan.questions[0].shape == (3, 100 + 1)

    def test_options_are_recorded_and_obeyed(self):
        plan = sv.Plan.create(
            square_schema(3, 64), epsilon=1, users=10**6, mechanism="hdg", g1=8, g2=8, sigma=0.25, oracle="grr"
        )
        assert plan.parameters == {"g1": 8, "g2": 8}
        assert plan.options["oracle"] == "grr"
        assert plan.questions.shares[:3].sum() == SHARES / 4
        assert {question.channel.kind for question in plan.questions} == {"grr"}

    def test_larger_constants_give_finer_grids(self):
        fine = sv.Plan.create(
            square_schema(3, 64), epsilon=1, users=10**6, mechanism="hdg", alpha1=3.0, alpha2=0.3
        ).parameters
        assert fine == {"g1": 64, "g2": 16}


class TestRefusals:
    @pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 1e9, True, "one", None, 0.001])
    def test_an_impossible_epsilon(self, epsilon: object):
        with pytest.raises(sv.PlanError, match=r"epsilon is a number from 0\.01 to 20, got "):
            sv.Plan.create(mixed_schema(), epsilon=epsilon, users=1000)

    @pytest.mark.parametrize("epsilon", ["0.01", 20, "1.123456789", np.float64(0.5)])
    def test_epsilons_at_the_ends_and_between_are_taken(self, epsilon: object):
        plan = sv.Plan.create(mixed_schema(), epsilon=epsilon, users=1000)
        assert plan.audit().epsilon <= float(epsilon) == pytest.approx(plan.audit().epsilon, abs=1e-6)

    @pytest.mark.parametrize("users", [0, -5, 1.5, 1e6, True, "1000", None, MAX_USERS + 1])
    def test_an_impossible_number_of_users(self, users: object):
        with pytest.raises(sv.PlanError, match=rf"users is an integer from 1 to {MAX_USERS}, got "):
            sv.Plan.create(mixed_schema(), epsilon=1, users=users)

    @pytest.mark.parametrize("users", [1, MAX_USERS, np.int64(5)])
    def test_one_user_and_huge_crowds_are_planned_for(self, users: int):
        plan = sv.Plan.create(mixed_schema(4), epsilon=5, users=users)
        assert plan.users == users
        assert sv.Plan.from_json(plan.to_json()) == plan

    def test_what_is_not_a_schema(self):
        with pytest.raises(sv.PlanError, match="a plan is made for a Schema, got list"):
            sv.Plan.create([sv.Ordinal("a", 0, 1)], epsilon=1, users=10)

    @pytest.mark.parametrize("mechanism", ["magic", "HDG", None, ["hdg"]])
    def test_an_unknown_mechanism(self, mechanism: object):
        with pytest.raises(sv.PlanError, match=r"unknown mechanism .*; known are .*hdg"):
            sv.Plan.create(mixed_schema(), epsilon=1, users=10, mechanism=mechanism)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"oracle": "oue"}, r"oracle is one of olh, grr, adaptive, got 'oue'"),
            ({"estimator": "guess"}, r"estimator is one of max_entropy, weighted_update, got 'guess'"),
            ({"postprocess": "no"}, r"Expected `bool`, got `str` - at `\$\.postprocess`"),
            ({"g1": 1}, r"g1 is at least 2, got 1"),
            ({"g2": -4}, r"g2 is at least 2, got -4"),
            ({"g1": 8.5}, r"Expected `int \| null`, got `float` - at `\$\.g1`"),
            ({"g1": 12, "g2": 8}, r"g1 must be a multiple of g2 so that cells nest, got g1=12, g2=8"),
            ({"g1": 2**60, "g2": 2}, r"integers below 2\^53"),
            ({"alpha1": 0}, r"alpha1 is a positive number, got 0"),
            ({"alpha2": float("nan")}, r"alpha2 is a positive number, got nan"),
            ({"sigma": 1.0}, r"sigma is a fraction above 0 and below 1, got 1"),
            ({"granularity": 4}, r"no option granularity; its options are: oracle, estimator, postprocess, g1, g2"),
            ({"purpose": 5}, r"purpose and contact are texts, got 5"),
            ({"contact": "\ud800"}, r"hold no control characters"),
            ({"expires": "31.12.2030"}, r"expires is a date such as 2030-12-31, got '31\.12\.2030'"),
            ({"expires": "2030-02-30"}, r"expires is a date such as 2030-12-31"),
        ],
    )
    def test_an_impossible_option(self, options: dict[str, Any], message: str):
        with pytest.raises(sv.PlanError, match=message):
            sv.Plan.create(square_schema(3, 64), epsilon=1, users=10_000, mechanism="hdg", **options)


def changed(**changes: object) -> bytes:
    """Return the plan's JSON with something changed and no fingerprint to give it away."""
    return json.dumps({**json.loads(PLAN.to_json()), **changes}).encode()


def first_family(**changes: object) -> list[dict[str, Any]]:
    """Return the plan's families, the first one changed."""
    families = json.loads(PLAN.to_json())["families"]
    return [{**families[0], **changes}, *families[1:]]


class TestEpsilon:
    @pytest.mark.parametrize("given", [0.1, "0.1", "0.10", Decimal("0.1"), np.float64(0.1)])
    def test_it_is_the_decimal_number_that_was_written_however_it_was(self, given: object):
        plan = sv.Plan.create(mixed_schema(), epsilon=given, users=1000, mechanism="hdg")
        assert isinstance(plan.epsilon, Decimal)
        assert plan.epsilon == Decimal("0.1")
        assert plan == sv.Plan.create(mixed_schema(), epsilon="0.1", users=1000, mechanism="hdg")

    def test_a_document_holds_it_as_one_text_and_gives_it_back_exactly(self):
        plan = sv.Plan.create(mixed_schema(), epsilon="1.10", users=1000, mechanism="hdg")
        assert json.loads(plan.to_json())["epsilon"] == "1.1"
        assert sv.Plan.from_json(plan.to_json()).epsilon == Decimal("1.1")

    @pytest.mark.parametrize("written", [1, 1.0, "1.0", "01", "1e0", "+1", " 1", "\uff11", None, ["1"]])
    def test_a_document_that_writes_it_in_another_way_is_refused(self, written: object):
        with pytest.raises(sv.PlanError, match="not a plan, or damaged"):
            sv.Plan.from_json(changed(epsilon=written))


class TestFiles:
    def test_what_people_are_shown_is_kept(self, tmp_path):
        PLAN.save(tmp_path / "plan.json")
        plan = sv.Plan.load(tmp_path / "plan.json")
        assert (plan.purpose, plan.contact, plan.expires) == ("a test", "a@b.c", "2030-12-31")
        assert json.loads((tmp_path / "plan.json").read_text())["fingerprint"] == plan.fingerprint

    def test_a_file_cut_anywhere_is_refused(self, tmp_path):
        PLAN.save(tmp_path / "plan.json")
        whole = (tmp_path / "plan.json").read_bytes()
        for cut in [*range(0, len(whole), 97), len(whole) - 1]:
            (tmp_path / "plan.json").write_bytes(whole[:cut])
            with pytest.raises(sv.PlanError, match=r"plan\.json.*not a plan, or damaged"):
                sv.Plan.load(tmp_path / "plan.json")

    @pytest.mark.parametrize("change", [("1", "2"), ('"epsilon":"1"', '"epsilon":"9"'), ("a test", "a rest")])
    def test_an_altered_file_is_refused(self, change: tuple[str, str], tmp_path):
        PLAN.save(tmp_path / "plan.json")
        whole = (tmp_path / "plan.json").read_text()
        assert change[0] in whole
        (tmp_path / "plan.json").write_text(whole.replace(change[0], change[1], 1))
        with pytest.raises(sv.PlanError, match=r"altered: it says fingerprint|not a plan, or damaged"):
            sv.Plan.load(tmp_path / "plan.json")

    def test_another_layout_of_the_same_plan_is_the_same_plan(self):
        assert sv.Plan.from_json(json.dumps(json.loads(PLAN.to_json()), indent=4)) == PLAN

    def test_a_missing_file_or_a_folder_is_refused(self, tmp_path):
        for path in (tmp_path / "nowhere.json", tmp_path):
            with pytest.raises(sv.PlanError, match="cannot read the plan"):
                sv.Plan.load(path)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (b"", "truncated"),
            (b"\xff\xfe", "malformed"),
            (b"[]", "Expected `object`, got `array`"),
            (b"[" * 100_000, "not a plan, or damaged"),
            (b"{}", "missing required field"),
            (changed(format="sottovoce-plan-2"), "plan format 'sottovoce-plan-2' is not 'sottovoce-plan-1'"),
            (changed(surprise=1), "unknown field `surprise`"),
            (changed(epsilon=1), "a plain decimal number, in quotes, got 1"),
            (changed(epsilon="1.0"), "a plain decimal number, in quotes, got '1.0'"),
            (changed(epsilon="99"), r"a number from 0\.01 to 20"),
            (changed(users=-5), "users is an integer from 1"),
            (changed(version=0), "version is an integer of at least 1, got 0"),
            (changed(version=2**60), r"integers below 2\^53"),
            (changed(options={"g1": 2**60}), r"integers below 2\^53"),
            (changed(families=[]), "at least one question, got none"),
            (changed(tables=[{}]), "exactly one kind"),
            (changed(tables=[{"identity": 4, "edges": [0, 4]}] * 9), "exactly one kind"),
            (changed(families=first_family(shares=5)), r"shares must add up to 2\^32 = 4294967296, got "),
            (changed(families=first_family(shares=-5)), "one share each, none negative"),
            (changed(families=first_family(shares=[1, 2])), "one share each"),
            (changed(families=first_family(attributes=[9])), "attribute 9 of 4"),
            (changed(families=first_family(attributes=[0, 0])), "each of its attributes once"),
            (changed(families=first_family(tables=[[99]])), "refers to tables"),
            (changed(families=first_family(tables=[[]])), "refers to tables"),
            (changed(families=first_family(attributes=[1])), "does not cover an attribute of 10 levels"),
            (changed(families=first_family(channel="telepathy")), "unknown channel 'telepathy'"),
        ],
    )
    def test_a_text_that_is_no_plan_is_refused(self, text: bytes, message: str):
        with pytest.raises(sv.PlanError, match=message):
            sv.Plan.from_json(text)

    def test_codes_beyond_2_to_the_63_are_refused(self):
        """Unlikely sizes, but a plan from elsewhere may ask for them: the limit is named."""
        schema = sv.Schema([sv.Ordinal(name, 0, 2**20 - 1) for name in "abcd"])
        document = {
            **json.loads(PLAN.to_json()),
            "schema": json.loads(schema.to_json()),
            "tables": [{"identity": 2**20}],
            "families": [{"attributes": [0, 1, 2, 3], "tables": [[0]] * 4, "channel": "local_hash", "shares": SHARES}],
        }
        with pytest.raises(sv.PlanError, match=r"at most 2\^63 are allowed"):
            sv.Plan.from_json(json.dumps(document))


class TestCollections:
    def test_a_plan_for_browsers_says_so(self):
        assert PLAN.for_browsers

    def test_shares_refreshed_by_hand_make_another_plan_of_the_collection(self):
        families = list(PLAN.families)
        families[0] = msgspec.structs.replace(families[0], shares=families[0].total_share - 5)
        families[1] = msgspec.structs.replace(families[1], shares=families[1].total_share + 5)
        other = msgspec.structs.replace(PLAN, families=tuple(families))
        other.check()
        assert other.collection == PLAN.collection
        assert other.fingerprint != PLAN.fingerprint
