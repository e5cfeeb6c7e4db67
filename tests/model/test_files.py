"""Model files: what is saved comes back, any language can read it, and what was altered is refused."""

from __future__ import annotations

import base64
import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import sottovoce as sv
from sottovoce.model.files import pack, unpack
from sottovoce.model.state_checks import seal
from tests.crowds import mixed_crowd, mixed_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon="0.7", users=10_000, mechanism="hdg")
MODEL = sv.fit(PLAN, sv.simulate(PLAN, mixed_crowd(5000, seed=1), seed=1))


class TestFiles:
    def test_the_file_is_json_that_any_language_reads(self, tmp_path):
        MODEL.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_text())
        assert document["format"] == "sottovoce-model-1"
        packed = document["state"]["matrices"][0]
        raw = np.frombuffer(base64.b64decode(packed["base64"]), dtype="<f8").reshape(packed["shape"])
        np.testing.assert_array_equal(raw, MODEL.matrices[0, 1])

    def test_replicates_are_kept_without_what_only_the_model_itself_is_asked(self, tmp_path):
        MODEL.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_text())
        assert set(document["state"]) - set(document["replicates"][0]) == {"grids", "bins", "raw", "noise"}
        before, after = (model.answer("age <= 24") for model in (MODEL, sv.load_model(tmp_path / "model.json")))
        assert after.interval == before.interval
        assert after.direct.interval == before.direct.interval

    @pytest.mark.parametrize(
        "change",
        [
            lambda document: document.clear(),
            lambda document: document.update(format="sottovoce-model-2"),
            lambda document: document["origin"].update(mechanism="magic"),
            lambda document: document["origin"].update(mechanism="sottovoce.mechanisms.hdg:HDG"),
            lambda document: document.update(kind="spectral"),
            lambda document: document.pop("kind"),
            lambda document: document["origin"].update(schema={"attributes": []}),
            lambda document: document["origin"].pop("reports"),
            lambda document: document["state"].pop("blocks"),
            lambda document: document["state"]["matrices"].pop(),
            lambda document: document["state"]["matrices"][0].update(base64="!!!"),
            lambda document: document["state"]["matrices"][0].update(shape=[1, 2]),
            lambda document: document["state"]["matrices"][0].update(array="gold"),
        ],
    )
    def test_an_altered_file_is_refused(self, change, tmp_path):
        MODEL.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_text())
        change(document)
        (tmp_path / "model.json").write_text(json.dumps(document))
        with pytest.raises(sv.ModelError, match=r"model\.json' is not a model, or damaged"):
            sv.load_model(tmp_path / "model.json")

    def test_a_cut_or_missing_file_is_refused(self, tmp_path):
        MODEL.save(tmp_path / "model.json")
        (tmp_path / "model.json").write_bytes((tmp_path / "model.json").read_bytes()[:-10])
        with pytest.raises(sv.ModelError, match="is not a model, or damaged"):
            sv.load_model(tmp_path / "model.json")
        (tmp_path / "model.json").write_text("[]")
        with pytest.raises(sv.ModelError, match="is not a model, or damaged"):
            sv.load_model(tmp_path / "model.json")
        with pytest.raises(sv.ModelError, match="cannot read the model"):
            sv.load_model(tmp_path / "nowhere")

    def test_a_model_of_another_kind_than_its_mechanism_fits_is_refused_by_name(self, tmp_path):
        MODEL.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_text())
        assert document["kind"] == MODEL.kind
        (tmp_path / "model.json").write_text(json.dumps(seal({**document, "kind": "spectral"})))
        with pytest.raises(sv.ModelError, match="a model of kind 'spectral' is not what hdg fits"):
            sv.load_model(tmp_path / "model.json")

    def test_where_a_model_comes_from_and_its_replicates_come_back(self, tmp_path):
        MODEL.save(tmp_path / "model.json")
        loaded = sv.load_model(tmp_path / "model.json")
        assert loaded.origin == MODEL.origin
        assert loaded.origin.epsilon == Decimal("0.7")
        assert loaded.document() == MODEL.document()


kinds = st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">i4", "|u1"])
packable = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4).flatmap(
    lambda shape: kinds.flatmap(lambda kind: arrays.arrays(kind, shape))
)


@given(packable)
def test_an_array_of_any_type_and_layout_comes_back_from_json(array: np.ndarray) -> None:
    for laid_out in (array, array.T):
        back, *rest = unpack(json.loads(json.dumps(pack((laid_out, "x", [2, None])))))
        np.testing.assert_array_equal(back, laid_out)
        assert rest == ["x", [2, None]]
        assert back.dtype == (array.dtype.newbyteorder("=") if array.dtype.kind == "f" else np.int64)
