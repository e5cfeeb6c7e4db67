"""Kinds that become others: booleans, ordered texts, integers with gaps, dates and multiple choices."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.schema.frames import encode
from sottovoce.schema.kinds import KINDS

ALL = [
    sv.Boolean("car"),
    sv.Ordered("content", ["bad", "so so", "good"], nullable=True),
    sv.Integers("seats", [2, 4, 5, 7]),
    sv.Date("joined", by="weekday"),
    sv.Date("moved", edges=[datetime.date(2020, 1, 1), datetime.date(2024, 1, 1), datetime.date(2027, 12, 31)]),
    sv.Choices("ways", ["bus", "city bike"], question="How do you travel?"),
]


def test_a_schema_holds_three_kinds_only_and_gives_itself_back() -> None:
    schema = sv.Schema(ALL)
    assert schema.names == ("car", "content", "seats", "joined", "moved", "ways_bus", "ways_city_bike")
    assert {type(attribute) for attribute in schema.attributes} == {sv.Ordinal, sv.Categorical}
    assert sv.Schema.from_toml(schema.to_toml()) == schema
    assert sv.Schema.from_json(schema.to_json()) == schema


def test_a_person_can_write_every_kind_in_toml() -> None:
    text = """
        language = "en"
        [[attributes]]
        type = "boolean"
        name = "car"
        [[attributes]]
        type = "ordered"
        name = "content"
        values = ["bad", "so so", "good"]
        nullable = true
        [[attributes]]
        type = "integers"
        name = "seats"
        values = [2, 4, 5, 7]
        [[attributes]]
        type = "date"
        name = "joined"
        by = "weekday"
        [[attributes]]
        type = "date"
        name = "moved"
        edges = [2020-01-01, 2024-01-01, 2027-12-31]
        [[attributes]]
        type = "choices"
        name = "ways"
        choices = ["bus", "city bike"]
        question = "How do you travel?"
        [[attributes]]
        type = "categorical"
        name = "ward"
        values = [1, 2, 12]
        [attributes.translations]
    """.replace(
        "[attributes.translations]", '[[attributes.translations]]\n        language = "de"\n        title = "Bezirk"'
    )
    ward = sv.Categorical("ward", ["1", "2", "12"], translations=[sv.Translation("de", title="Bezirk")])
    assert sv.Schema.from_toml(text) == sv.Schema([*ALL, ward], language="en")


def test_values_are_taken_as_they_come() -> None:
    record = {"car": True, "content": "so so", "seats": 5, "joined": datetime.date(2026, 11, 22), "moved": "2025-05-05"}
    schema = sv.Schema(ALL)
    assert schema.levels({**record, "ways": ["city bike"]}) == (1, 1, 2, 6, 1, 0, 1)
    assert schema.levels({**record, "ways": []}) == (1, 1, 2, 6, 1, 0, 0)
    assert schema.levels({**record, "content": None, "ways_bus": True, "ways_city_bike": "no"}) == (1, 3, 2, 6, 1, 1, 0)


def test_tables_hold_booleans_dates_and_lists_as_they_come() -> None:
    table = pa.table(
        {
            "car": [True, False],
            "content": ["good", None],
            "seats": pa.array([7, 2], pa.int8()),
            "joined": pa.array([datetime.datetime(2026, 11, 16, 9), datetime.datetime(2026, 11, 17, 9)]),
            "moved": pa.array([datetime.date(2020, 1, 1), datetime.date(2027, 12, 31)]),
            "ways": [["bus"], ["bus", "city bike"]],
        }
    )
    expected = [[1, 0], [2, 3], [3, 0], [0, 1], [0, 1], [1, 1], [0, 1]]
    assert [levels.tolist() for levels in encode(sv.Schema(ALL), table)] == expected
    assert [levels.tolist() for levels in encode(sv.Schema(ALL), table.to_pandas())] == expected
    texts = {**{name: table.column(name).to_pylist() for name in table.column_names}, "ways": ["bus", "bus; city bike"]}
    assert [levels.tolist() for levels in encode(sv.Schema(ALL), texts)] == expected


def test_arrays_of_text_hold_labels_and_dates() -> None:
    content, joined = sv.Schema([ALL[1], ALL[3]]).attributes
    assert content.levels(np.array(["good", "bad"])).tolist() == [2, 0]
    assert joined.levels(np.array(["2026-11-22", "Monday"])).tolist() == [6, 0]


@pytest.mark.parametrize("chosen", ["bus", ["tram"], [3], {"bus": True}])
def test_a_choice_that_is_none_is_refused_with_those_there_are(chosen: object) -> None:
    with pytest.raises(sv.RecordError, match=r"^ways: allowed is a list of any of 'bus', 'city bike'"):
        sv.Schema(ALL[-1:]).levels({"ways": chosen})


def test_a_choice_is_given_once() -> None:
    with pytest.raises(sv.RecordError, match="ways: given both as a list and as ways_bus"):
        sv.Schema(ALL[-1:]).levels({"ways": [], "ways_bus": "no"})


def test_choices_without_an_answer() -> None:
    schema = sv.Schema([sv.Choices("ways", ["bus", "bike"], nullable=True)])
    assert schema.levels({"ways": None}) == schema.levels({}) == (2, 2)


def test_queries_and_known_shares_name_values_and_measure_nothing() -> None:
    """A text that is not listed, or a date, stands for a level in a record and for none in a query."""
    place = sv.Categorical("place", ["north", "elsewhere"], other="elsewhere")
    schema = sv.Schema([place, sv.Boolean("car"), sv.Date("joined", by="weekday")])
    plan = sv.Plan.create(schema, epsilon=8, users=2_000)
    crowd = {
        "place": ["north", "moon"] * 1000,
        "car": [True, False] * 1000,
        "joined": ["2026-11-16", "2026-11-22"] * 1000,
    }
    model = sv.fit(plan, sv.simulate(plan, crowd, seed=2), quality="fast")
    # at epsilon 8 the standard error of a half among 2,000 is below 0.02: off by 0.15 in fewer than one run of 1e9
    assert model.answer("car = 'yes' AND place = 'north'").fraction == pytest.approx(0.5, abs=0.15)
    assert model.answer("joined = 'Sunday'").fraction == pytest.approx(0.5, abs=0.15)
    for wrong in ("place = 'moon'", "joined = '2026-11-16'"):
        with pytest.raises(sv.QueryError, match="allowed are"):
            model.answer(wrong)
    with pytest.raises(sv.QueryError, match="place: got 'moon'; allowed are 'north', 'elsewhere'"):
        model.calibrate({"place": {"north": 0.5, "moon": 0.5}})


def test_all_choices_of_a_record_cost_one_epsilon() -> None:
    schema = sv.Schema([sv.Choices("ways", [f"way {number}" for number in range(9)])])
    plan = sv.Plan.create(schema, epsilon=1, users=10_000)
    assert plan.audit().epsilon <= 1
    assert sv.Client(plan).report({"ways": ["way 3", "way 7"]}).plan == plan.fingerprint


def test_translated_choices_are_titles_of_their_own() -> None:
    german = sv.Translation("de", question="Womit?", labels=["Bus", "Rad"])
    bike = sv.Schema([sv.Choices("ways", ["bus", "bike"], question="How?", translations=[german])]).attributes[1]
    assert bike.shown("de")[:2] == ("Rad", "Womit?")
    assert bike.shown()[:2] == ("bike", "How?")


def test_means_and_quantiles_of_integers_with_gaps_are_of_the_integers() -> None:
    schema = sv.Schema([sv.Integers("seats", [2, 4, 5, 40]), sv.Ordered("content", ["bad", "good"])])
    people = {
        "seats": np.array([2, 4, 5, 40] * 5000),
        "content": np.array(["bad", "good", "good", "good"] * 5000, dtype=object),
    }
    plan = sv.Plan.create(schema, epsilon=12, users=20_000, mechanism="msw")
    model = sv.fit(plan, sv.simulate(plan, people, seed=1))
    # at epsilon 12 one report in 160,000 is random: shares err by less than 0.02
    assert model.mean("seats") == pytest.approx(12.75, abs=0.8)
    assert float(model.quantile("seats", 0.5)) in (4, 5)
    assert model.answer("seats BETWEEN 3 AND 30").fraction == pytest.approx(0.5, abs=0.02)
    assert model.answer("content >= 'good'").fraction == pytest.approx(0.75, abs=0.02)
    assert set(model.sample(100, seed=1)["seats"]) <= {2, 4, 5, 40}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (sv.Ordered("a", ["x"]), "a: values are at least two different texts, got"),
        (sv.Ordered("a", ["x", "y"], labels=["X", "Y"]), "a: the values of an ordered attribute are its labels"),
        (sv.Integers("a", [3]), "a: values are at least two rising integers"),
        (sv.Integers("a", [3, 1]), "a: high must be above low"),
        (sv.Date("a"), "a: a date is asked by weekday, month, hour, year, or gives edges"),
        (sv.Date("a", by="minute"), "a: a date is asked by weekday, month, hour, year, got 'minute'"),
        (sv.Date("a", by="year"), "a: by year needs low and high"),
        (sv.Date("a", by="month", low=1, high=3), "a: low and high go with by year, not with month"),
        (sv.Date("a", edges=["2020-01-01", "2020-01-01", "2021-01-01"]), "a: edges are at least three rising days"),
        (sv.Choices("a", ["x"]), "a: choices are at least two different texts"),
        (sv.Choices("a", ["x y", "x-y"]), "they become the attributes a_x_y, a_x_y"),
        (
            sv.Choices("a", ["x", "y"], unit="z"),
            "a: choices have a question and labels, and neither a title nor a unit",
        ),
    ],
)
def test_kinds_that_cannot_be_are_refused_in_clear_words(kind: object, message: str) -> None:
    with pytest.raises(sv.SchemaError, match=message):
        sv.Schema([kind])


def test_a_choice_and_an_attribute_have_different_names() -> None:
    with pytest.raises(sv.SchemaError, match="a multiple choice and an attribute are both named ways"):
        sv.Schema([sv.Choices("ways", ["bus", "bike"]), sv.Ordinal("ways", 0, 3)])


def test_a_wrong_type_names_the_attribute_and_the_nearest() -> None:
    with pytest.raises(sv.SchemaError, match=r"attribute 1 \(car\): there is no type 'bool'; .*did you mean boolean"):
        sv.Schema.from_toml('[[attributes]]\ntype = "bool"\nname = "car"')


def test_every_kind_is_documented() -> None:
    assert list(KINDS) == [kind.__struct_config__.tag for kind in KINDS.values()]
