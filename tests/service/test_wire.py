"""The bytes of a request become reports, and what is refused is refused by its index and reason."""

from __future__ import annotations

import datetime
import json

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.served import Served
from sottovoce.service.store import PlanKey
from sottovoce.service.wire import BadBodyError, BatchSizeError, decode_binary, decode_json
from tests.collectors import Running, as_array, draw, make_plan


def test_what_cannot_be_is_refused_by_index_and_reason_and_the_rest_is_counted(collector: Running, plan: Plan) -> None:
    good = draw(plan, 6)
    wires = [json.loads(report.to_json()) for report in good]
    codes = plan.questions.codes
    wires[1]["question"] = len(codes)
    wires[2]["code"] = int(codes[wires[2]["question"]])
    wires[3]["plan"] = "0" * 64
    wires[4]["id"] = wires[4]["id"].upper()[:-1] + "G"
    answer = collector.post(plan, json.dumps([*wires, {"plan": 1}, 7])).json()
    reasons = ["impossible question", "impossible code", "wrong plan", "malformed", "malformed", "malformed"]
    indices = [1, 2, 3, 4, 6, 7]
    assert answer["counted"] == 2
    assert answer["refused"] == [{"index": i, "reason": r} for i, r in zip(indices, reasons, strict=True)]


def test_both_forms_of_a_report_are_the_same_report(collector: Running, plan: Plan) -> None:
    (report,) = draw(plan, 1)
    collector.post(plan, report.to_bytes(), "application/octet-stream")
    assert collector.post(plan, report.to_json()).json()["duplicate"] == 1


def test_a_binary_report_that_is_cut_off_or_too_long_is_refused(collector: Running, plan: Plan) -> None:
    data = draw(plan, 1)[0].to_bytes()
    for body in (data[:-1], data + b"\0", data[:20], data + data[:40]):
        assert collector.post(plan, body, "application/octet-stream").status_code == 400
    assert collector.post(plan, data, "application/octet-stream").json()["counted"] == 1


DAY = datetime.date(2026, 3, 1)


@pytest.fixture(scope="module")
def served(plan: Plan) -> Served:
    return Served(plan, PlanKey(plan=3, collection=1))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "A" * 32),
        ("id", "a" * 31 + "g"),
        ("id", "a" * 31),
        ("id", "a" * 33),
        ("id", "a" * 31 + "\n"),
        ("id", " " + "a" * 31),
        ("id", "\N{FULLWIDTH DIGIT ZERO}" * 32),
        ("id", ""),
        ("id", None),
        ("plan", "A" * 64),
        ("plan", "a" * 63),
        ("plan", "0x" + "a" * 62),
        ("plan", 7),
    ],
)
def test_an_id_or_a_plan_that_is_no_lower_case_hexadecimal_is_malformed_and_the_rest_counts(
    served: Served, field: str, value: object
) -> None:
    reports = draw(served.plan, 4)
    wires = [json.loads(report.to_json()) for report in reports]
    wires[2][field] = value
    decoded = decode_json(json.dumps(wires).encode(), {served.plan.fingerprint: served}, DAY, limit=10)
    assert decoded.refused == [(2, "malformed")]
    kept = reports[:2] + reports[3:]
    assert decoded.reports.ids.tobytes().hex() == "".join(report.id for report in kept)
    assert decoded.reports.question.tolist() == [report.question for report in kept]
    assert decoded.reports.code.tolist() == [report.code for report in kept]
    alone = decode_json(json.dumps(wires[2]).encode(), {served.plan.fingerprint: served}, DAY, limit=10)
    assert (len(alone.reports), alone.refused) == (0, [(0, "malformed")])


def test_several_malformed_reports_are_refused_each_by_its_own_index(served: Served) -> None:
    wires = [json.loads(report.to_json()) for report in draw(served.plan, 5)]
    wires[0]["id"] = wires[0]["id"][:-1] + "G"
    wires[3]["plan"] = wires[3]["plan"][:-1] + "G"
    wires[4]["plan"] = "0" * 64
    decoded = decode_json(json.dumps(wires).encode(), {served.plan.fingerprint: served}, DAY, limit=10)
    assert decoded.refused == [(0, "malformed"), (3, "malformed"), (4, "wrong plan")]
    assert len(decoded.reports) == 2


def test_both_forms_give_the_same_columns_under_the_stores_number_of_the_plan(served: Served) -> None:
    reports = draw(served.plan, 20)
    text = decode_json(as_array(reports).encode(), {served.plan.fingerprint: served}, DAY, limit=20)
    binary = decode_binary(b"".join(report.to_bytes() for report in reports), served, DAY, limit=20)
    for decoded in (text, binary):
        assert decoded.refused == []
        assert decoded.reports.ids.tobytes().hex() == "".join(report.id for report in reports)
        assert set(decoded.reports.plan.tolist()) == {3}
        assert decoded.reports.question.tolist() == [report.question for report in reports]
        assert decoded.reports.code.tolist() == [report.code for report in reports]


def test_every_report_is_judged_by_its_own_plan(served: Served) -> None:
    expired = Served(make_plan(expires="2026-02-28"), PlanKey(plan=9, collection=1))
    stranger = make_plan(purpose="another collection")
    plans = {one.plan.fingerprint: one for one in (served, expired)}
    mixed = [*draw(served.plan, 1), *draw(expired.plan, 1), *draw(stranger, 1), *draw(served.plan, 1)]
    decoded = decode_json(as_array(mixed).encode(), plans, DAY, limit=10)
    assert decoded.refused == [(1, "expired plan"), (2, "wrong plan")]
    assert decoded.reports.plan.tolist() == [3, 3]
    on_its_last_day = decode_json(as_array(mixed).encode(), plans, DAY - datetime.timedelta(days=1), limit=10)
    assert on_its_last_day.reports.plan.tolist() == [3, 9, 3]


def test_a_batch_above_the_limit_is_refused_as_a_whole_malformed_ones_counted_too(served: Served) -> None:
    reports = draw(served.plan, 3)
    plans = {served.plan.fingerprint: served}
    assert len(decode_json(as_array(reports).encode(), plans, DAY, limit=3).reports) == 3
    with pytest.raises(BatchSizeError, match="at most 2 reports, this one has 3"):
        decode_json(as_array(reports).encode(), plans, DAY, limit=2)
    with pytest.raises(BatchSizeError, match="at most 2 reports, this one has 3"):
        decode_json(b"[{}, {}, {}]", plans, DAY, limit=2)
    with pytest.raises(BatchSizeError, match="at most 2 reports, this one has 3"):
        decode_binary(b"".join(report.to_bytes() for report in reports), served, DAY, limit=2)


def test_binary_reports_of_another_plan_are_no_reports_of_this_one(served: Served) -> None:
    other = draw(make_plan(purpose="another"), 1)[0].to_bytes()
    for body in (other, draw(served.plan, 1)[0].to_bytes() + other):
        with pytest.raises(BadBodyError, match="not binary reports of this plan"):
            decode_binary(body, served, DAY, limit=10)


@pytest.mark.parametrize(
    "text",
    [
        b'{"plan":"\\ud800","id":"x","question":0,"code":0}',
        b'{"plan":"a","id":"\\udc00\\ud800","question":0,"code":0}',
        b'{"pl\\ud800":1}',
        b'"\\ud800"',
        b'"\\\\ud800"',
        b'"\\ud83e\\udded"',
        b'{"plan":"\xed\xa0\x80","id":"x","question":0,"code":0}',
        b'{"plan":"\xff","id":"x","question":0,"code":0}',
    ],
)
def test_half_a_surrogate_pair_or_no_unicode_spoils_its_own_report_and_no_other(served: Served, text: bytes) -> None:
    first, last = draw(served.plan, 2)
    body = b"[" + first.to_json().encode() + b"," + text + b"," + last.to_json().encode() + b"]"
    decoded = decode_json(body, {served.plan.fingerprint: served}, DAY, limit=10)
    assert decoded.refused == [(1, "malformed")]
    assert decoded.reports.ids.tobytes().hex() == first.id + last.id


@pytest.mark.parametrize("text", [b"[[[[", b"[1,", b"[}", b"[" * 3000, b'["\\u12"'])
def test_what_is_no_json_at_all_is_refused_whole(served: Served, text: bytes) -> None:
    with pytest.raises(BadBodyError, match="not JSON"):
        decode_json(text, {served.plan.fingerprint: served}, DAY, limit=10)
