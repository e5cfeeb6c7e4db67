"""A collector's model from Python: every verb gives what the model itself gives, also after a restart."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.association import Association
from sottovoce.model.groups import Comparison
from sottovoce.model.remote import RemoteWaves
from tests.collectors import Running, make_plan, running

pytestmark = pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick

SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", 18, 60, nullable=True),
        sv.Numeric("pay", 0, 8, bins=16),
        sv.Categorical("the region", ["north", "it's south", "east"]),
    ]
)
PEOPLE = 6_000
GIVEN = "age > 30"

QUESTIONS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "answer of everybody": ("answer", (), {}),
    "answer": ("answer", ("age > 40 AND pay < 3",), {"level": 0.8, "population": 70_000}),
    "answer of some": ("answer", ("pay >= 4",), {"given": GIVEN}),
    "answer by col": ("answer", (sv.col("the region").isin(["it's south"]),), {"given": sv.col("age") <= 30}),
    "answers": ("answers", (["age = 20", "age IS NULL", "pay < 1"],), {"given": "pay < 6"}),
    "answers of nothing": ("answers", ([],), {}),
    "answer_ranges": ("answer_ranges", ([{"age": (20, 30)}, {"pay": (-math.inf, 4), "the region": ["east"]}, {}],), {}),
    "mean": ("mean", ("pay",), {"where": GIVEN, "level": 0.95}),
    "quantile": ("quantile", ("pay", 0.25), {"where": GIVEN}),
    "quantiles": ("quantile", ("age", [0.0, 0.5, 1.0]), {}),
    "group_by": ("group_by", ("the region",), {"where": "pay > 2", "given": GIVEN, "population": 900}),
    "group_by of bins": ("group_by", ("pay",), {}),
    "group_by of integers and no answer": ("group_by", ("age",), {}),
    "mean_by": ("mean_by", ("pay", "the region"), {"where": GIVEN}),
    "mean_by of bands": ("mean_by", ("pay", "age"), {"bands": 3}),
    "quantile_by": ("quantile_by", ("pay", "age", 0.75), {"level": 0.8}),
    "compare_groups": ("compare_groups", ("the region",), {}),
    "compare_groups of some": ("compare_groups", ("age",), {"names": ["the region"], "bands": 2, "level": 0.5}),
    "association": ("association", ("age", "pay"), {}),
    "association of all": ("association", (), {"level": 0.5}),
    "correlation": ("correlation", ("age", "pay"), {"level": 0.5}),
    "correlation of all": ("correlation", (), {}),
    "smallest_difference": ("smallest_difference", ("pay", "the region"), {}),
    "marginal": ("marginal", ("age",), {}),
    "marginal of two": ("marginal", ("the region", "pay"), {"where": GIVEN}),
}


def people(shift: float = 0.0) -> dict[str, Any]:
    generator = np.random.default_rng(5)
    age = generator.integers(18, 61, PEOPLE)
    pay = np.clip(generator.normal(3 + shift + age / 30, 1.0, PEOPLE), 0, 8)
    region = np.array(SCHEMA["the region"].values)[generator.integers(0, 3, PEOPLE)]
    return {"age": [None if n % 9 == 0 else int(n) for n in age], "pay": pay, "the region": region.tolist()}


def told(value: Any) -> Any:
    """Return all that a value says, so that two can be compared to the last digit."""
    if isinstance(value, Answer | Estimate):
        about = {name: told(each) for name, each in vars(value).items() if name != "source"}
        return (type(value), repr(float(value)), str(value), about)
    if isinstance(value, Comparison):
        return (
            value.by,
            value.level,
            value.summary(),
            [told(getattr(line, part)) for line in value.lines for part in PARTS],
        )
    if isinstance(value, Association):
        return value.first, value.second, told(value.strength), value.told
    if isinstance(value, np.ndarray):
        return np.asarray(value).tobytes(), value.shape, getattr(value, "names", None), getattr(value, "labels", None)
    if isinstance(value, Mapping):
        return getattr(value, "by", None), [(key, told(each)) for key, each in value.items()]
    return [told(each) for each in value] if isinstance(value, list) else value


def numbers(value: Estimate) -> list[float]:
    """Return the numbers of an estimate and its direct one; -1 for evidence that there is not."""
    direct = [] if value.direct is None else numbers(value.direct)
    evidence = -1.0 if value.evidence is None else value.evidence
    return [float(value), *value.interval, value.level, evidence, *direct]


PARTS = ("what", "group", "value", "gap", "probability", "told")


@dataclass(frozen=True)
class Kept:
    """A collector's model, the same fitted here, and where the collector's database is."""

    plan: sv.Plan
    here: sv.Model
    database: str

    def remote(self, collector: Running) -> sv.RemoteModel:
        token = collector.token()["authorization"].removeprefix("Bearer ")
        return sv.RemoteModel(str(collector.http.base_url), self.plan, token=token)


def post_all(collector: Running, plan: sv.Plan, table: dict[str, Any], wave: int | None = None) -> sv.Tally:
    """Post a report of everybody; return what a tally that counts the same says."""
    tally = sv.Tally(plan)
    reports = sv.randomize(plan, table) if wave is None else sv.randomize(plan, table, wave=wave)
    tally.add(reports)
    wires = [
        sv.Report(plan.fingerprint, f"{number + 10_000 * (wave or 0):032x}", question, code).to_json()
        for number, (question, code) in enumerate(
            zip(reports["question"].to_pylist(), reports["code"].to_pylist(), strict=True)
        )
    ]
    answer = collector.post(plan, "[" + ",".join(wires) + "]").raise_for_status()
    assert answer.json()["counted"] == len(wires)
    return tally


@pytest.fixture(scope="module", params=["spectral", "hdg"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    plan = sv.Plan.create(SCHEMA, epsilon=3, users=PEOPLE, mechanism=request.param)
    database = str(tmp_path_factory.mktemp("remote") / "c.db")
    with running([plan], database) as collector:
        tally = post_all(collector, plan, people())
        fitted = sv.fit(plan, tally, seed=4, quality="fast")
        fitted.save(f"{database}.model")
        here = sv.load_model(f"{database}.model")
        there = Kept(plan, here, database).remote(collector)
        assert there.tally() == tally
        assert there.fit(seed=4, quality="fast") == PEOPLE
        for name in QUESTIONS:
            assert_same(there, here, name)
        for ask in (lambda model: model.mean("pay", where=GIVEN), lambda model: model.answer("pay < 3", given=GIVEN)):
            one, other = ask(there), ask(fitted)  # a file holds the reports' own noise in single precision
            assert (float(one), one.interval, one.evidence) == (float(other), other.interval, other.evidence)
    return Kept(plan, here, database)


@pytest.fixture(scope="module")
def restarted(kept: Kept) -> Iterator[sv.RemoteModel]:
    with running([kept.plan], kept.database) as collector:
        yield kept.remote(collector)


def assert_same(there: sv.RemoteModel, here: sv.Model, name: str) -> None:
    verb, values, named = QUESTIONS[name]
    assert told(getattr(there, verb)(*values, **named)) == told(getattr(here, verb)(*values, **named)), name


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_verb_gives_what_the_model_gives_before_and_after_a_restart(
    kept: Kept, restarted: sv.RemoteModel, name: str
) -> None:
    assert_same(restarted, kept.here, name)


def test_differences_are_taken_where_the_errors_are_known(kept: Kept, restarted: sv.RemoteModel) -> None:
    pairs = [
        lambda model: (model.answer("pay < 3", given=GIVEN), model.answer("pay < 3", given="age <= 30")),
        lambda model: (model.mean("pay", where=GIVEN), model.mean("pay", where="age <= 30")),
        lambda model: (model.quantile("pay", 0.5, where=GIVEN), model.quantile("pay", 0.5)),
        lambda model: list(model.group_by("the region", where=GIVEN, given="pay > 1").values())[:2],
        lambda model: list(model.group_by("pay").values())[3:5],
        lambda model: list(model.mean_by("pay", "age", where="pay > 1").values())[:2],
        lambda model: list(model.mean_by("pay", "age").values())[-2:],
        lambda model: list(model.quantile_by("pay", "the region").values())[:2],
    ]
    for pair in pairs:
        there, here = (sv.difference(*pair(model), level=0.8) for model in (restarted, kept.here))
        assert numbers(there) == pytest.approx(numbers(here), rel=1e-9, abs=1e-12)  # sums in another order
    lines = restarted.compare_groups("the region").lines
    with pytest.raises(sv.QueryError, match="ask for both with answer or mean"):
        sv.difference(lines[0].value, lines[1].value)


def test_an_answer_is_a_value_that_can_be_copied_and_kept_without_its_token(restarted: sv.RemoteModel) -> None:
    answer = restarted.answer("pay < 3")
    kept = pickle.dumps(answer)
    assert restarted._calls.token.encode() not in kept
    assert told(pickle.loads(kept)) == told(answer) == told(copy.deepcopy(answer))
    assert restarted._calls.token not in repr(restarted) + repr(restarted._calls)


def test_it_takes_what_a_model_takes() -> None:
    verbs = {verb for verb, _, _ in QUESTIONS.values()}
    asked_of_models = {
        name
        for name, member in inspect.getmembers(sv.Model, inspect.isfunction)
        if not name.startswith("_") and name in vars(sv.Model)
    }
    elsewhere = {"sample", "calibrate", "reweighted", "document", "save", "attribute_index"}  # not asked of a collector
    assert asked_of_models - elsewhere == verbs
    for verb in verbs:
        own, model = (inspect.signature(getattr(kind, verb)) for kind in (sv.RemoteModel, sv.Model))
        assert own == model, verb


def test_what_the_model_is_fitted_to_and_by_what_can_be_asked(kept: Kept, restarted: sv.RemoteModel) -> None:
    assert restarted.plan == kept.plan
    assert restarted.schema == SCHEMA
    assert (restarted.reports, restarted.caveats) == (PEOPLE, kept.here.caveats)
    assert restarted.interval_note == kept.here.interval_note
    assert restarted.status()["reports"] == PEOPLE
    unnamed = sv.RemoteModel(restarted._calls.url, token=restarted._calls.token)
    assert unnamed.answer("pay < 3") == restarted.answer("pay < 3")


@pytest.mark.parametrize(
    ("verb", "values", "named", "words"),
    [
        ("answer", ("age >",), {}, "at character 5, near '>'"),
        ("answer", ("size > 3",), {}, "unknown attribute 'size'.*age, pay, the region"),
        ("answer", ("age > 3",), {"level": 2}, "level: .*less than 1"),
        ("answer", (3,), {}, "SQL text or made with col, got int"),
        ("answers", ("age > 3",), {}, "wrap it in"),
        ("answer_ranges", ({"age": (1, 2)},), {}, "wrap it in"),
        ("answer_ranges", ([{"age": (30, 20)}],), {}, "reversed"),
        ("mean", ("the region",), {}, "the region"),
        ("mean", ("pay",), {"where": "age > 99"}, "nobody is selected"),
        ("mean", (object(),), {}, "numbers and texts"),
        ("quantile", ("pay", 1.5), {}, "less than or equal to 1"),
        ("compare_groups", ("the region",), {"names": "age"}, "names: "),
        ("association", ("age",), {}, "two attributes"),
        ("marginal", (), {}, "names: "),
        ("marginal", ("age", "age"), {}, "different attributes"),
    ],
)
def test_a_question_that_cannot_be_is_a_query_error_in_words(
    restarted: sv.RemoteModel, verb: str, values: tuple[Any, ...], named: dict[str, Any], words: str
) -> None:
    with pytest.raises(sv.QueryError, match=words):
        getattr(restarted, verb)(*values, **named)


def test_who_may_not_ask_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan, make_plan(mechanism="hdg")], str(tmp_path / "c.db")) as collector:
        url, token = str(collector.http.base_url), collector.token()["authorization"].removeprefix("Bearer ")
        with pytest.raises(sv.ModelError, match="no model was fitted yet"):
            sv.RemoteModel(url, plan, token=token).answer("age > 3")
        with pytest.raises(sv.ModelError, match="0 reports were counted"):
            sv.RemoteModel(url, plan, token=token).fit()
        with pytest.raises(sv.DeliveryError, match="several collections") as several:
            sv.RemoteModel(url, token=token).answer("age > 3")
        assert plan.fingerprint in str(several.value)
        with pytest.raises(sv.DeliveryError, match="404: no such plan") as unknown:
            sv.RemoteModel(url, "0" * 64, token=token).answer("age > 3")
        assert unknown.value.lasting
        reporter = collector.token("reporter")["authorization"].removeprefix("Bearer ")
        with pytest.raises(sv.DeliveryError, match="role analyst, this one is of role reporter"):
            sv.RemoteModel(url, plan, token=reporter).answer("age > 3")
        with pytest.raises(sv.DeliveryError, match="401: this needs a token"):
            sv.RemoteModel(url, plan, token="sv_000000000000_guess").answer("age > 3")
        with pytest.raises(sv.ModelError, match="no waves"):
            len(sv.RemoteModel(url, plan, token=token).waves)
        with pytest.raises(sv.QueryError, match="no waves"):
            sv.RemoteModel(url, plan, token=token).waves.change("age > 3", between=(1, 2))
        with pytest.raises(sv.QueryError, match="no waves, got wave 1"):
            sv.RemoteModel(url, plan, token=token, wave=1).answer("age > 3")


def test_waves_and_what_changed_between_them(database: str) -> None:
    plan = sv.Plan.create(SCHEMA, users=2 * PEOPLE, mechanism="hdg", waves=3, lifetime=3)
    with running([plan], database) as collector:
        there = Kept(plan, None, database).remote(collector)  # type: ignore[arg-type]
        tally = post_all(collector, plan, people(), wave=1)
        tally.merge(post_all(collector, plan, people(1.0), wave=2))
        with pytest.raises(sv.ModelError, match="wave 1 was not fitted yet, none was"):
            there.waves.change("pay < 3", between=(1, 2))
        here = sv.fit_waves(plan, tally, quality="fast")  # hdg's files hold everything exactly
        for wave in here:
            assert there.waves[wave].fit(quality="fast") == PEOPLE
        assert told(there.answer("pay < 3")) == told(here[2].answer("pay < 3"))
    with running([plan], database) as collector:
        there = Kept(plan, None, database).remote(collector)  # type: ignore[arg-type]
        waves = there.waves
        assert isinstance(waves[1].waves, RemoteWaves)
        assert list(waves) == list(here) == [1, 2]
        assert len(waves) == 2
        assert told(waves.trend("pay < 3", level=0.8)) == told(here.trend("pay < 3", level=0.8))
        for between in ((1, 2), (2, 1)):
            changed = waves.change("pay < 3", between=between)
            assert told(changed) == told(here.change("pay < 3", between=between))
        assert told(waves[1].mean("pay", where=GIVEN)) == told(here[1].mean("pay", where=GIVEN))
        with pytest.raises(sv.ModelError, match="wave 3 was not fitted yet, those fitted are 1, 2"):
            waves.change("pay < 3", between=(1, 3))
        with pytest.raises(sv.QueryError, match="between two waves"):
            waves.change("pay < 3", between=(1, 1))
