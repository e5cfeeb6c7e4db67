"""Models of waves: one for each, a trend of answers, and changes between independent waves."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.belief import student_level
from sottovoce.model.state_checks import seal
from sottovoce.model.waves import load_fitted

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Ordinal("income", 0, 15)])
PLAN = sv.Plan.create(SCHEMA, users=60_000, waves=3, lifetime=2, mechanism="hdg")


def people(shift: int) -> dict[str, np.ndarray]:
    """Return 20,000 people whose incomes are shifted by so many levels."""
    generator = np.random.default_rng(7)
    age = generator.integers(0, 16, 20_000)
    return {"age": age, "income": np.clip(age // 2 + generator.integers(0, 6, 20_000) + shift, 0, 15)}


def collected(*waves: int) -> sv.Tally:
    """Return the tally in which incomes are one level higher in every wave."""
    tally = sv.Tally(PLAN)
    for wave in waves:
        tally.merge(sv.simulate(PLAN, people(wave), seed=wave, wave=wave))
    return tally


def test_each_wave_is_fitted_by_its_own_reports() -> None:
    tally = collected(1, 3)
    models = sv.fit_waves(PLAN, tally)
    assert list(models) == [1, 3]
    assert len(models) == 2
    assert list(sv.fit_waves(tally)) == [1, 3]
    for wave in (1, 3):
        alone = sv.fit(PLAN.one_wave, tally.at(wave))
        assert models[wave].answer("income >= 8").fraction == alone.answer("income >= 8").fraction
        assert models[wave].origin.reports == 20_000
    with pytest.raises(sv.QueryError, match="there are reports of the waves 1, 3, got wave 2"):
        models[2]
    assert repr(models) == "<WaveModels of 2 of 3 waves by hdg>"


def test_a_trend_is_the_answers_wave_by_wave_and_a_change_adds_their_independent_errors() -> None:
    models = sv.fit_waves(PLAN, collected(1, 2, 3))
    trend = models.trend("income >= 8", level=0.8)
    truth = {wave: float((people(wave)["income"] >= 8).mean()) for wave in (1, 2, 3)}
    for wave, answer in trend.items():
        assert answer.level == 0.8
        assert answer.fraction == pytest.approx(truth[wave], abs=5 * answer.deviation)
    change = models.change("income >= 8", between=(1, 3), level=0.8)
    assert float(change) == pytest.approx(trend[3].fraction - trend[1].fraction)
    # limits of a fraction reach further towards one half, so not to the last digit
    assert change.deviation == pytest.approx(math.hypot(trend[1].deviation, trend[3].deviation), rel=0.01)
    assert change.interval[0] > 0  # every wave is one level richer
    back = models.change("income >= 8", between=(3, 1), level=0.8)
    assert float(back) == pytest.approx(-float(change))


def test_several_changes_hold_all_at_once_and_the_surest_comes_first() -> None:
    models = sv.fit_waves(PLAN, collected(1, 3))
    wheres = ["age < 8", "income >= 8", "age = 3"]
    found = models.changes(wheres, level=0.8)
    assert found[0].number == 1
    assert found[0].told
    assert {each.number for each in found} == {0, 1, 2}
    for each in found:
        level = student_level(1 - 0.2 / 3, len(models[1].replicates) - 1)
        alone = models.change(wheres[each.number], between=(1, 3), level=level)
        assert each.gap.interval == pytest.approx(alone.interval)
        assert float(each.gap) == pytest.approx(each.after.fraction - each.before.fraction)
        assert each.told == (not each.gap.interval[0] <= 0 <= each.gap.interval[1])
    with pytest.raises(sv.QueryError, match="reports of 1"):
        sv.fit_waves(PLAN, collected(2)).changes(wheres)
    with pytest.raises(sv.QueryError, match="level"):
        models.changes(wheres, level=2)


def test_what_is_not_between_two_waves_is_refused() -> None:
    models = sv.fit_waves(PLAN, collected(1, 2))
    for between in ((1, 1), (1,), 3, (1, 2, 3)):
        with pytest.raises(sv.QueryError, match=r"between (takes )?two waves"):
            models.change("income >= 8", between=between)  # type: ignore[arg-type]


def test_plans_with_and_without_waves_are_not_fitted_by_each_others_functions() -> None:
    with pytest.raises(sv.ModelError, match="fit_waves makes a model of each"):
        sv.fit(PLAN, collected(1))
    with pytest.raises(sv.ModelError, match="has no waves"):
        sv.fit_waves(PLAN.one_wave, sv.Tally(PLAN.one_wave))
    with pytest.raises(sv.ModelError, match="empty"):
        sv.fit_waves(PLAN, sv.Tally(PLAN))
    with pytest.raises(sv.ModelError, match="own collection"):
        sv.fit_waves(PLAN, sv.Tally(PLAN.one_wave))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[sv.WaveModels, Path]:
    """Two waves' models, and the file that holds them."""
    path = tmp_path_factory.mktemp("waves") / "models.json"
    models = sv.fit_waves(PLAN, collected(1, 3))
    models.save(path)
    return models, path


def test_models_are_saved_loaded_and_pickled_as_they_are(saved: tuple[sv.WaveModels, Path]) -> None:
    models, path = saved
    for again in (sv.WaveModels.load(path), load_fitted(path), pickle.loads(pickle.dumps(models))):
        assert isinstance(again, sv.WaveModels)
        assert again.plan == models.plan
        assert list(again) == [1, 3]
        for where in ("income >= 8", "age < 4 AND income >= 8"):
            assert again.change(where, between=(1, 3)) == models.change(where, between=(1, 3))
            assert again.change(where, between=(1, 3)).interval == pytest.approx(
                models.change(where, between=(1, 3)).interval, abs=1e-9
            )
    models[1].save(path.with_name("one.json"))
    assert isinstance(load_fitted(path.with_name("one.json")), sv.Model)


def test_a_file_that_was_damaged_or_altered_is_refused(saved: tuple[sv.WaveModels, Path], tmp_path: Path) -> None:
    _, path = saved
    document = json.loads(path.read_bytes())

    def refused(changed: object, match: str) -> None:
        other = tmp_path / "other.json"
        other.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
        with pytest.raises(sv.ModelError, match=match):
            sv.WaveModels.load(other)

    def altered(**members: object) -> dict[str, object]:
        return seal({**document, **members})

    refused({**document, "models": {"1": document["models"]["1"]}}, "digest")
    refused(path.read_bytes()[:-20], "damaged")
    refused(b"[]", "damaged")
    refused(altered(format="sottovoce-model-1"), "format 'sottovoce-model-1' is not 'sottovoce-waves-1'")
    refused(altered(models={}), "there is no model in it")
    refused(altered(models={"4": document["models"]["1"]}), "wave is an integer from 1 to 3")
    refused(altered(plan=json.loads(PLAN.one_wave.to_json())), "this plan has no waves")
    other = sv.Plan.create(SCHEMA, users=60_000, waves=3, lifetime=2, mechanism="hdg", purpose="another")
    refused(altered(plan=json.loads(other.to_json())), "of another collection")
    array = document["models"]["1"]["state"]["matrices"][0]
    wider = json.loads(json.dumps(document["models"]))
    wider["1"]["state"]["matrices"][0]["shape"] = [array["shape"][0] * 2, *array["shape"][1:]]
    refused(altered(models=wider), "bytes")
    (tmp_path / "junk.json").write_bytes(b"{}")
    with pytest.raises(sv.ModelError, match="not a model"):
        load_fitted(tmp_path / "junk.json")
