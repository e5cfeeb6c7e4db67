"""The routes of answers: for analysts, written down, refused in words; tests/model/test_remote.py has the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.store import open_store
from sottovoce.service.verbs import VERBS
from tests.collectors import Running, as_array, draw

BODIES: dict[str, dict[str, Any]] = {
    "mean": {"name": "age"},
    "quantile": {"name": "age", "probability": [0.5]},
    "group_by": {"name": "region"},
    "mean_by": {"name": "age", "by": "region"},
    "quantile_by": {"name": "age", "by": "region"},
    "difference": {"first": {"verb": "mean", "name": "age"}, "second": {"verb": "mean", "name": "hours"}},
    "compare_groups": {"by": "region"},
    "association": {},
    "correlation": {},
    "smallest_difference": {"name": "age", "by": "region"},
    "marginal": {"names": ["age"]},
    "trend": {"where": "age > 3"},
    "change": {"between": [1, 2]},
}


def ask(collector: Running, plan: Plan, verb: str, body: object, token: dict[str, str]) -> Any:
    return collector.http.post(collector.path(plan, f"/answers/{verb}"), headers=token, json=body)


@pytest.fixture(scope="module")
def token(collector: Running, plan: Plan) -> dict[str, str]:
    analyst = collector.token()
    collector.post(plan, as_array(draw(plan, 200)))
    fit = collector.http.post(collector.path(plan, "/fit"), headers=analyst, json={"quality": "fast"})
    assert fit.status_code == 200
    return analyst


def test_every_verb_has_a_route() -> None:
    assert BODIES.keys() == VERBS.keys()


@pytest.mark.parametrize("verb", BODIES)
def test_a_verb_is_for_analysts(collector: Running, plan: Plan, verb: str) -> None:
    assert ask(collector, plan, verb, BODIES[verb], {}).status_code == 401
    assert ask(collector, plan, verb, BODIES[verb], collector.token("reporter")).status_code == 403


@pytest.mark.parametrize("verb", [verb for verb, own in VERBS.items() if not own.waves])
def test_an_answer_says_what_it_rests_on(collector: Running, plan: Plan, token: dict[str, str], verb: str) -> None:
    answer = ask(collector, plan, verb, BODIES[verb], token)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    told = answer.json()
    assert told["reports"] == 200 == told["fits"][0]["reports"]
    assert told["interval_note"].startswith("Intervals include")
    assert isinstance(told["caveats"], list)


def test_fractions_have_an_interval_evidence_and_words(collector: Running, plan: Plan, token: dict[str, str]) -> None:
    body = {"where": ["age > 3"], "given": "hours < 9", "population": 5_000, "level": 0.8}
    told = collector.http.post(collector.path(plan, "/answers"), headers=token, json=body).json()
    (line,) = told["answers"]
    assert line["interval"][0] <= line["fraction"] <= line["interval"][1]
    assert (line["level"], line["population"], line["where"]) == (0.8, 5_000, "age > 3, of those with hours < 9")
    assert "80% interval" in line["words"]
    assert "of 5,000 people" in line["words"]


def test_what_was_asked_is_written_down(collector: Running, plan: Plan, token: dict[str, str]) -> None:
    ask(collector, plan, "mean", {"name": "age", "where": "hours = 11"}, token)
    collector.http.post(
        collector.path(plan, "/answers"), headers=token, json={"where": ["age > 3"], "given": "hours < 2"}
    )
    store = open_store(collector.settings.database)
    asked = {what for _, _, _, what, _ in store.asked()}
    store.close()
    assert 'mean {"name":"age","where":"hours = 11"}' in asked
    assert 'answers ["age > 3"] {"given":"hours < 2"}' in asked


@pytest.mark.parametrize(
    ("verb", "body", "words"),
    [
        ("mean", {"name": "height"}, "unknown attribute 'height'; this collection has age, hours, region"),
        ("mean", {"name": "region"}, "region"),
        ("mean", {"name": "age", "where": "age; DROP TABLE counts"}, "at character"),
        ("mean", {"name": "age", "level": 1}, "less than 1"),
        ("mean", {"name": "age", "wave": 1}, "this plan has no waves, got wave 1"),
        ("mean", {}, "Field required"),
        ("quantile", {"name": "age", "probability": [0.5] * 1001}, "1000"),
        ("difference", {"first": {"verb": "sum"}, "second": {"verb": "answer"}}, "'answer', 'mean', 'quantile'"),
        ("change", {"between": [1, 2]}, "no waves"),
        ("trend", {}, "no waves"),
        ("men", {}, "did you mean mean?"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(
    collector: Running, plan: Plan, token: dict[str, str], verb: str, body: object, words: str
) -> None:
    answer = ask(collector, plan, verb, body, token)
    assert answer.status_code == (422 if verb in VERBS else 404)
    assert words in str(answer.json()["detail"])


def test_given_goes_with_predicates(collector: Running, plan: Plan, token: dict[str, str]) -> None:
    body = {"queries": [{"age": [1, 2]}], "given": "age > 3"}
    answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json=body)
    assert answer.status_code == 422
    assert "go with where" in answer.text
