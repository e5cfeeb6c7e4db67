"""The collector's API, asked over a real connection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.service.guard import HEADERS
from sottovoce.service.store import Reports
from sottovoce.tally.tally import Tally
from sottovoce.views.explorer import exploration
from tests.collectors import RECORD, Running, as_array, draw, make_plan, running


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan()


@pytest.fixture(scope="module")
def collector(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    database = str(tmp_path_factory.mktemp("collector") / "collector.db")
    with running([plan], database, minimum_reports=50) as started:
        yield started


def test_a_plan_is_served_as_the_bytes_whose_digest_is_its_fingerprint(collector: Running, plan: Plan) -> None:
    answer = collector.http.get(collector.path(plan))
    assert hashlib.sha256(answer.content).hexdigest() == plan.fingerprint
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["etag"] == f'"{plan.fingerprint}"'
    assert "x-sottovoce-warning" not in answer.headers
    assert collector.http.get("/v1/plans").json()["plans"][0]["fingerprint"] == plan.fingerprint


@pytest.mark.parametrize("rest", ["", "/status", "/exploration", "/reports", "/fit", "/answers"])
def test_a_plan_that_is_not_served_is_not_found(collector: Running, rest: str) -> None:
    method = "GET" if rest in ("", "/status", "/exploration") else "POST"
    answer = collector.http.request(
        method,
        f"/v1/plans/{'0' * 64}{rest}",
        headers=collector.token(),
        json={"queries": [{}]} if rest == "/answers" else None,
    )
    assert answer.status_code == 404


def test_reports_are_counted_one_by_one_in_arrays_and_as_bytes(collector: Running, plan: Plan) -> None:
    before = collector.total(plan)
    one, *some = draw(plan, 30)
    assert collector.post(plan, one.to_json()).json() == {"counted": 1, "duplicate": 0, "refused": []}
    assert collector.post(plan, as_array([one, *some])).json() == {"counted": 29, "duplicate": 1, "refused": []}
    more = draw(plan, 20)
    binary = b"".join(report.to_bytes() for report in [*more, *more[:5], one])
    answer = collector.post(plan, binary, "application/octet-stream")
    assert answer.json() == {"counted": 20, "duplicate": 6, "refused": []}
    assert collector.total(plan) == before + 50


def test_both_forms_of_a_report_are_the_same_report(collector: Running, plan: Plan) -> None:
    (report,) = draw(plan, 1)
    collector.post(plan, report.to_bytes(), "application/octet-stream")
    assert collector.post(plan, report.to_json()).json()["duplicate"] == 1


def test_what_cannot_be_is_refused_by_place_and_reason_and_the_rest_is_counted(collector: Running, plan: Plan) -> None:
    good = draw(plan, 6)
    wires = [json.loads(report.to_json()) for report in good]
    codes = plan.questions.codes
    wires[1]["question"] = len(codes)
    wires[2]["code"] = int(codes[wires[2]["question"]])
    wires[3]["plan"] = "0" * 64
    wires[4]["id"] = wires[4]["id"].upper()[:-1] + "G"
    answer = collector.post(plan, json.dumps([*wires, {"plan": 1}, 7])).json()
    reasons = ["impossible question", "impossible code", "wrong plan", "malformed", "malformed", "malformed"]
    places = [1, 2, 3, 4, 6, 7]
    assert answer["counted"] == 2
    assert answer["refused"] == [{"index": i, "reason": r} for i, r in zip(places, reasons, strict=True)]


def test_refusals_are_shown_by_reason(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        assert collector.post(plan, "[{}, {}, 3]").json()["counted"] == 0
        collector.post(plan, draw(plan, 1)[0].to_json())
        status = collector.http.get(collector.path(plan, "/status"), headers=collector.token()).json()
    assert [(line["reason"], line["count"]) for line in status["refused"]] == [("malformed", 3)]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("[", "application/json", 400),
        ("", "application/json", 400),
        ("nonsense", "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"", "application/octet-stream", 400),
        (b"\x01" * 100, "application/octet-stream", 400),
        ("{}", "text/plain", 415),
        ("{}", "", 415),
        ("[" + "0," * 10_000 + "0]", "application/json", 413),
        (" " * (4 * 2**20 + 1), "application/json", 413),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_body_that_is_no_report_is_refused_whole(
    collector: Running, plan: Plan, body: str | bytes, kind: str, status: int
) -> None:
    before = collector.total(plan)
    answer = collector.post(plan, body, kind)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert collector.total(plan) == before


def test_a_binary_report_that_is_cut_off_or_too_long_is_refused(collector: Running, plan: Plan) -> None:
    data = draw(plan, 1)[0].to_bytes()
    for body in (data[:-1], data + b"\0", data[:20], data + data[:40]):
        assert collector.post(plan, body, "application/octet-stream").status_code == 400
    assert collector.post(plan, data, "application/octet-stream").json()["counted"] == 1


def test_status_fit_and_answers_need_an_analysts_token(collector: Running, plan: Plan) -> None:
    for method, rest in (("GET", "/status"), ("GET", "/exploration"), ("POST", "/fit"), ("POST", "/answers")):
        path, body = collector.path(plan, rest), {"queries": [{}]} if rest == "/answers" else None
        assert collector.http.request(method, path, json=body).status_code == 401
        wrong = {"authorization": "Bearer sv_000000000000_guess"}
        assert collector.http.request(method, path, json=body, headers=wrong).status_code == 401
        assert collector.http.request(method, path, json=body, headers=collector.token("reporter")).status_code == 403


def test_the_fitted_model_answers_as_the_library_does(collector: Running, plan: Plan) -> None:
    reports, token = draw(plan, 3_000), collector.token()
    collector.post(plan, as_array(reports))
    fitted = collector.http.post(collector.path(plan, "/fit"), headers=token).json()
    assert fitted["reports"] == collector.total(plan)
    queries = [{}, {"age": [4, 9]}, {"age": [0, 7], "region": ["south"]}]
    answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries}).json()
    assert answer["reports"] == fitted["reports"]
    assert answer["answers"][0]["fraction"] == pytest.approx(1)
    assert all(-1e-9 <= line["fraction"] <= 1 + 1e-9 for line in answer["answers"])
    sql = ["TRUE", "age BETWEEN 4 AND 9", "age < 8 AND region = 'south'"]
    same = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"where": sql}).json()
    for line, other in zip(answer["answers"], same["answers"], strict=True):
        assert line["fraction"] == pytest.approx(other["fraction"])
        assert other["interval"][0] <= other["fraction"] <= other["interval"][1]
    for wrong in ({"where": ["age >"]}, {"where": []}, {"where": ["TRUE"], "queries": [{}]}):
        assert collector.http.post(collector.path(plan, "/answers"), headers=token, json=wrong).status_code == 422


def test_answers_are_those_of_the_same_tally_fitted_here(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        reports, token = draw(plan, 2_000), collector.token()
        collector.post(plan, as_array(reports))
        collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast", "seed": 3})
        queries = [{"age": [4, 9]}, {"hours": [0, 3], "age": [7, 7]}]
        answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries}).json()
    tally = Tally(plan)
    tally.add(reports)
    expected = sv.fit(plan, tally, seed=3, quality="fast").answer_ranges(queries)
    assert [line["fraction"] for line in answer["answers"]] == pytest.approx(expected.tolist())


def test_the_explorer_gets_the_last_fit_and_the_status_says_which_it_is(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=100) as collector:
        token, path = collector.token(), collector.path(plan, "/exploration")
        assert collector.http.get(path, headers=token).status_code == 409
        status = collector.http.get(collector.path(plan, "/status"), headers=token).json()
        assert (status["fit"], status["minimum_reports"]) == (None, 100)
        reports, seen = draw(plan, 5_000), set()
        collector.post(plan, as_array(reports))
        for _ in range(2):
            collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast"})
            explored = collector.http.get(path, headers=token)
            status = collector.http.get(collector.path(plan, "/status"), headers=token).json()
            assert status["fit"] == {"id": explored.json()["fit"], "reports": 5_000}
            assert explored.headers["cache-control"] == "no-store"
            seen.add(status["fit"]["id"])
        assert len(seen) == 2
    tally = Tally(plan)
    tally.add(reports)
    here = exploration(sv.fit(plan, tally, quality="fast"), plan=plan)
    assert explored.json()["exploration"] == json.loads(msgspec.json.encode(here))


def test_the_explorers_page_may_run_its_own_program_and_talk_to_its_collector(collector: Running) -> None:
    answer = collector.http.get("/explore")
    policy = answer.headers["content-security-policy"]
    assert answer.headers["content-type"].startswith("text/html")
    assert "connect-src 'self'" in policy
    assert "script-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_nothing_is_fitted_or_answered_below_the_minimum(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10) as collector:
        token = collector.token()
        collector.post(plan, as_array(draw(plan, 9)))
        refused = collector.http.post(collector.path(plan, "/fit"), headers=token)
        assert refused.status_code == 409
        assert "below 10" in refused.json()["detail"]
        asked = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": [{}]})
        assert asked.status_code == 409
        collector.post(plan, as_array(draw(plan, 1)))
        assert collector.http.post(collector.path(plan, "/fit"), headers=token).status_code == 200


@pytest.mark.parametrize(
    "queries",
    [[{"height": [1, 2]}], [{"age": [9, 3]}], [{"age": [1]}], [{"region": ["west"]}], [], "age", [{"age": None}]],
)
def test_a_query_that_cannot_be_understood_is_refused(collector: Running, plan: Plan, queries: object) -> None:
    token = collector.token()
    collector.post(plan, as_array(draw(plan, 60)))
    collector.http.post(collector.path(plan, "/fit"), headers=token)
    answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries})
    assert answer.status_code == 422


def test_an_expired_plan_takes_no_reports(tmp_path: Path) -> None:
    old, new = make_plan(expires="2020-01-01"), make_plan()
    assert old.collection == new.collection
    with running([old, new], str(tmp_path / "c.db")) as collector:
        assert collector.post(old, draw(old, 1)[0].to_json()).status_code == 410
        mixed = collector.post(new, as_array([*draw(old, 1), *draw(new, 1)])).json()
        assert mixed == {"counted": 1, "duplicate": 0, "refused": [{"index": 0, "reason": "expired plan"}]}


def test_every_plan_of_a_collection_is_taken_and_counted_under_its_own_fingerprint(tmp_path: Path) -> None:
    first, second = make_plan(), make_plan(expires="2998-12-31")
    with running([first, second], str(tmp_path / "c.db")) as collector:
        reports = [*draw(first, 3), *draw(second, 4)]
        assert collector.post(first, as_array(reports)).json()["counted"] == 7
        assert collector.post(second, as_array(reports)).json()["duplicate"] == 7
        status = collector.http.get(collector.path(first, "/status"), headers=collector.token()).json()
    assert {line["plan"]: line["count"] for line in status["days"]} == {first.fingerprint: 3, second.fingerprint: 4}
    assert status["reports"] == 7


def test_a_question_that_nobody_is_asked_is_refused(tmp_path: Path) -> None:
    plan = make_plan()
    families = list(plan.families)
    first, second = families[0], families[1]
    assert isinstance(first.shares, int)
    assert isinstance(second.shares, int)
    families[0] = type(first)(first.attributes, first.tables, first.channel, 0)
    families[1] = type(second)(second.attributes, second.tables, second.channel, first.shares + second.shares)
    document = json.loads(plan.to_json())
    document["families"] = [msgspec.to_builtins(family) for family in families]
    narrowed = Plan.from_json(json.dumps(document))
    assert narrowed.collection == plan.collection
    with running([narrowed], str(tmp_path / "c.db")) as collector:
        report = json.loads(draw(narrowed, 1)[0].to_json()) | {"question": 0, "code": 0}
        assert collector.post(narrowed, json.dumps(report)).json()["refused"][0]["reason"] == "impossible question"


def test_posting_needs_a_token_where_that_is_asked_for(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), require_token=True) as collector:
        body = draw(plan, 1)[0].to_json()
        assert collector.post(plan, body).status_code == 401
        assert collector.post(plan, body, **collector.token("analyst")).status_code == 403
        assert collector.post(plan, body, **collector.token("reporter")).json()["counted"] == 1


def test_a_token_may_be_used_only_so_often(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), rate="3/hour") as collector:
        token, path = collector.token(), collector.path(plan, "/status")
        assert [collector.http.get(path, headers=token).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert collector.http.get(path, headers=collector.token()).status_code == 200


def test_a_plan_that_does_not_say_what_it_is_for_is_served_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    silent = make_plan(purpose="", contact="", expires=None)
    with running([silent], str(tmp_path / "c.db")) as collector:
        assert "purpose" in collector.http.get(collector.path(silent)).headers["x-sottovoce-warning"]
        status = collector.http.get(collector.path(silent, "/status"), headers=collector.token()).json()
    assert len(status["warnings"]) == 3
    assert "does not state its contact" in caplog.text


def test_web_pages_of_a_plans_own_origins_may_post_and_no_others(plan: Plan, tmp_path: Path) -> None:
    other = make_plan(purpose="another")
    origins = {plan.fingerprint: ("https://survey.example.org",)}

    def ask(collector: Running, asked: Plan, origin: str, rest: str = "/reports") -> str | None:
        headers = {"origin": origin, "access-control-request-method": "POST"}
        answer = collector.http.options(collector.path(asked, rest), headers=headers)
        return answer.headers.get("access-control-allow-origin")

    with running([plan, other], str(tmp_path / "c.db"), origins=origins) as collector:
        assert ask(collector, plan, "https://survey.example.org") == "https://survey.example.org"
        assert ask(collector, plan, "https://elsewhere.example.org") is None
        assert ask(collector, other, "https://survey.example.org") is None
        assert ask(collector, plan, "https://survey.example.org", "/answers") is None


def test_every_answer_carries_the_security_headers(collector: Running, plan: Plan) -> None:
    for path in ("/v1/plans", collector.path(plan), "/nowhere", "/metrics", "/healthz", "/v1/openapi.json"):
        headers = collector.http.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
        assert "server" not in headers


def test_pages_are_served_beside_the_api(plan: Plan, tmp_path: Path) -> None:
    for folder, name in (("first", "index.html"), ("second", "module.js")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f"in {folder}")
    pages = (tmp_path / "first", tmp_path / "second")
    with running([plan], str(tmp_path / "c.db"), pages=pages) as collector:
        assert collector.http.get("/").text == "in first"
        assert collector.http.get("/module.js").text == "in second"
        assert collector.http.get("/../c.db").status_code == 404
        assert collector.http.get("/v1/plans").status_code == 200


def test_metrics_and_health_are_there_and_say_nothing_about_when(collector: Running, plan: Plan) -> None:
    collector.post(plan, draw(plan, 1)[0].to_json())
    text = collector.http.get("/metrics").text
    assert 'sottovoce_reports_total{outcome="counted"}' in text
    assert 'sottovoce_requests_total{route="/v1/plans/{fingerprint}/reports",status="200"}' in text
    assert "_created" not in text
    assert collector.http.get("/healthz").json() == {"status": "ok"}


def test_a_store_that_fails_acknowledges_nothing_and_the_same_bytes_count_later(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        body = draw(plan, 1)[0].to_json()
        with monkeypatch.context() as broken:
            broken.setattr(Reports, "pairs", lambda self: 1 / 0)
            answer = collector.post(plan, body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert collector.post(plan, body).json()["counted"] == 1


def test_the_client_of_a_collector_sends_over_http(collector: Running, plan: Plan, tmp_path: Path) -> None:
    before = collector.total(plan)
    sv.Client.from_url(collector.url(plan), spent=tmp_path).send(RECORD)
    assert collector.total(plan) == before + 1


def test_the_description_of_the_api_is_there_without_pages_from_elsewhere(collector: Running) -> None:
    described = collector.http.get("/v1/openapi.json").json()
    assert "/v1/plans/{fingerprint}/reports" in described["paths"]
    assert collector.http.get("/docs").status_code == 404
