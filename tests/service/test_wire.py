"""The bytes of a request become reports, and what is refused is refused by its place and reason."""

from __future__ import annotations

import json

from sottovoce.plan.plan import Plan
from tests.collectors import Running, draw


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


def test_both_forms_of_a_report_are_the_same_report(collector: Running, plan: Plan) -> None:
    (report,) = draw(plan, 1)
    collector.post(plan, report.to_bytes(), "application/octet-stream")
    assert collector.post(plan, report.to_json()).json()["duplicate"] == 1


def test_a_binary_report_that_is_cut_off_or_too_long_is_refused(collector: Running, plan: Plan) -> None:
    data = draw(plan, 1)[0].to_bytes()
    for body in (data[:-1], data + b"\0", data[:20], data + data[:40]):
        assert collector.post(plan, body, "application/octet-stream").status_code == 400
    assert collector.post(plan, data, "application/octet-stream").json()["counted"] == 1
