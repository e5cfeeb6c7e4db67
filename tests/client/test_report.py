"""The report: two forms that give it back, and nothing else that is taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv

hexadecimal = st.integers(0, 2**256 - 1)
reports = st.builds(
    lambda plan, identity, question, code: sv.Report(f"{plan:064x}", f"{identity:032x}", question, code),
    hexadecimal,
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**63 - 1),
)


def wire(**changes: object) -> str:
    """Return the JSON of a report with something changed."""
    return json.dumps({"plan": "0" * 64, "id": "0" * 32, "question": 0, "code": 0, **changes})


class TestReport:
    @given(reports)
    def test_both_forms_give_the_report_back(self, report: sv.Report):
        assert sv.Report.from_json(report.to_json()) == report
        assert sv.Report.from_bytes(report.to_bytes()) == report
        assert list(json.loads(report.to_json())) == ["plan", "id", "question", "code"]
        assert 51 <= len(report.to_bytes()) <= 49 + 18

    @given(reports, st.data())
    def test_a_cut_or_longer_binary_form_is_refused(self, report: sv.Report, data: st.DataObject):
        whole = report.to_bytes()
        cut = data.draw(st.integers(0, len(whole) - 1))
        for wrong in (whole[:cut], whole + b"\x00", b"\x02" + whole[1:], whole[:49] + b"\xff" * 20):
            with pytest.raises(sv.TallyError, match=r"not a report|from 0 to 2\^63 - 1"):
                sv.Report.from_bytes(wrong)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{}",
            "[1]",
            '{"plan": "00", "id": "00", "question": 0, "code": 0}',
            wire(question=-1),
            wire(code=0.5),
            wire(code=2**63),
            wire(name="me"),
            wire(plan="G" * 64),
            b"\xff",
        ],
    )
    def test_a_text_that_is_no_report_is_refused(self, text: str | bytes):
        with pytest.raises(sv.TallyError, match=r"not a report|hexadecimal|from 0 to"):
            sv.Report.from_json(text)

    @pytest.mark.parametrize("change", [{"question": 1.5}, {"code": True}, {"code": "1"}, {"plan": 5}, {"id": None}])
    def test_a_report_holds_texts_and_integers(self, change: dict[str, Any]):
        fields = {"plan": "0" * 64, "id": "0" * 32, "question": 0, "code": 0}
        with pytest.raises(sv.TallyError, match=r"got "):
            sv.Report(**{**fields, **change})
