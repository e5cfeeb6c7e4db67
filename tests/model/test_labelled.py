"""Labelled results: arrays and dicts as before, that know what each number is of."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import sottovoce as sv
from tests.oracle import make_model

MODEL = make_model(2)


def test_a_marginal_is_an_array_whose_table_names_every_level() -> None:
    marginal = MODEL.marginal("region")
    assert isinstance(marginal, np.ndarray)
    assert list(marginal.to_frame().columns) == ["region", "fraction"]
    rows = marginal.to_frame("arrow").to_pylist()
    assert {row["region"]: row["fraction"] for row in rows} == pytest.approx(
        {label: float(answer) for label, answer in MODEL.group_by("region").items()}
    )


def test_a_joint_distribution_has_a_row_for_every_combination_of_levels() -> None:
    joint = MODEL.marginal("age", "region")
    rows = joint.to_frame("arrow").to_pylist()
    assert len(rows) == joint.size
    assert sum(row["fraction"] for row in rows) == pytest.approx(1)
    labels = joint.labels
    for row in rows:
        index = labels[0].index(row["age"]), labels[1].index(row["region"])
        assert row["fraction"] == joint[index]


def test_a_part_of_a_distribution_has_no_labels() -> None:
    with pytest.raises(sv.QueryError, match="a part of a distribution has no labels"):
        MODEL.marginal("region")[:2].to_frame()


def test_labels_survive_copies_and_pickles() -> None:
    marginal = MODEL.marginal("age", "region")
    for again in (copy.copy(marginal), copy.deepcopy(marginal), pickle.loads(pickle.dumps(marginal))):
        assert again.names == marginal.names
        assert again.to_frame("arrow") == marginal.to_frame("arrow")


def test_answers_by_group_are_a_dict_and_a_table() -> None:
    groups = MODEL.group_by("income")
    again = pickle.loads(pickle.dumps(groups))
    assert again == groups == dict(groups)
    rows = again.to_frame("arrow").to_pylist()
    assert [row["value"] for row in rows] == [float(answer) for answer in groups.values()]
    assert [(row["low"], row["high"]) for row in rows] == [answer.interval for answer in groups.values()]
    assert all(row["income"] is None or " to " in row["income"] for row in rows)
