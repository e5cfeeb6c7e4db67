"""The registry: a plan names a mechanism, never a module, and nothing is imported before it is used."""

from __future__ import annotations

import json

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan import registry
from sottovoce.plan.registry import MECHANISMS, Mechanism, every_mechanism, find_engine, find_mechanism, register
from tests.crowds import mixed_crowd, mixed_schema
from tests.interpreters import loaded_by, run_fresh

NO_MECHANISMS = [
    "os:system",
    "sottovoce.mechanisms.hdg:HDG",
    "sottovoce.mechanisms.hdg",
    "HDG",
    "hdg ",
    "",
    "__class__",
]


@pytest.fixture
def nothing_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the registry would import anything."""
    monkeypatch.setattr(registry, "_load", lambda home: pytest.fail(f"{home} was imported"))


class TestNames:
    @pytest.mark.usefixtures("nothing_is_imported")
    @pytest.mark.parametrize("name", [*NO_MECHANISMS, None, 5, ["hdg"]])
    def test_what_is_not_registered_is_refused_and_not_imported(self, name: object) -> None:
        with pytest.raises(sv.PlanError, match=r"unknown mechanism .*; known are spectral, hdg, tdg"):
            find_mechanism(name)

    @pytest.mark.parametrize("name", NO_MECHANISMS)
    def test_a_plans_file_can_name_a_mechanism_and_never_a_module(
        self, name: str, tmp_path, request: pytest.FixtureRequest
    ) -> None:
        """Such a plan is still answered, which takes no mechanism; but nothing is designed or fitted by it."""
        plan = sv.Plan.create(mixed_schema(2), epsilon=1, users=1_000, mechanism="hdg")
        (tmp_path / "plan.json").write_text(json.dumps({**json.loads(plan.to_json()), "mechanism": name}))
        loaded = sv.Plan.load(tmp_path / "plan.json")
        tally = sv.simulate(loaded, mixed_crowd(100, seed=1), seed=1)
        request.getfixturevalue("nothing_is_imported")
        for use in (lambda: sv.fit(loaded, tally), lambda: loaded.refresh(tally)):
            with pytest.raises(sv.PlanError, match="unknown mechanism"):
                use()

    def test_every_registered_name_is_the_mechanisms_own(self) -> None:
        assert [mechanism.name for mechanism in every_mechanism()] == list(MECHANISMS)
        assert all(isinstance(MECHANISMS[name], Mechanism) for name in MECHANISMS), "kept once it was used"

    def test_a_mechanism_of_ones_own_is_found_once_it_is_registered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(registry, "MECHANISMS", dict(MECHANISMS))
        own = Mechanism("own", "", msgspec.Struct, None, None, None)
        register(own)
        assert find_mechanism("own") is own
        with pytest.raises(sv.PlanError, match=r"known are .*, own"):
            find_mechanism("other")


class TestOptions:
    def test_options_become_the_mechanisms_own_struct_with_its_defaults(self) -> None:
        hdg = find_mechanism("hdg")
        settled = hdg.settle({"g1": 8})
        assert isinstance(settled, hdg.options)
        assert settled == msgspec.structs.replace(hdg.settle({}), g1=8)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"granularity": 4, "g1": 8}, "hdg has no option granularity; its options are: .*g1, g2"),
            ({"g1": "eight"}, r"hdg: Expected `int \| null`, got `str` - at `\$\.g1`"),
        ],
    )
    def test_an_unknown_or_impossible_option_is_refused(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(sv.PlanError, match=said):
            find_mechanism("hdg").settle(options)


class TestLightness:
    """Each in an interpreter that has loaded nothing yet."""

    @pytest.mark.parametrize("mechanism", ["spectral", "hdg", "uniform"])
    def test_a_plan_is_designed_by_the_plan_room_alone(self, mechanism: str) -> None:
        told = run_fresh(f"""
from sottovoce.plan import Plan
from sottovoce.schema import Ordinal, Schema
schema = Schema([Ordinal("a", 0, 7), Ordinal("b", 0, 7)])
print(Plan.create(schema, epsilon=1, users=1000, mechanism={mechanism!r}).fingerprint)
""")
        schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
        assert told.strip() == sv.Plan.create(schema, epsilon=1, users=1000, mechanism=mechanism).fingerprint

    def test_the_registry_itself_loads_nothing_that_it_lists(self) -> None:
        assert loaded_by("import sottovoce.plan.registry, sottovoce.plan") == []

    def test_a_mechanism_is_loaded_without_the_others(self) -> None:
        told = run_fresh("""
import sys
from sottovoce.plan import find_mechanism
find_mechanism("uniform")
print(*(name for name in ("hio", "msw", "spectral") if f"sottovoce.mechanisms.{name}" in sys.modules))
""")
        assert told.split() == []


def test_engines_are_the_functions_that_the_package_gives(tmp_path) -> None:
    assert find_engine("parquet") is sv.tally_parquet
    assert find_engine("spark") is sv.tally_spark
