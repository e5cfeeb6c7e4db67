"""Errors beside those of other programs: only where both were measured in the same setting."""

from __future__ import annotations

from sottovoce.experiments.rivals import RIVALS, SETTING, rival_rows
from tests.experiments.summaries import summary_of


def test_each_error_stands_beside_the_figures_of_the_same_data_and_queries() -> None:
    rows = [
        {"method": "AHDG", "dataset": name, "dimension": number, "value": 0.019, **SETTING}
        for name in ("normal", "laplace")
        for number in (2, 4)
    ]
    head, body = rival_rows(summary_of(*rows))
    assert head == ["data", "", "method", "error", "of PriPL-Tree", "of AHEAD", "of PrivNUD"]
    assert body[0] == ["laplace", "λ = 2", "AHDG", "0.0190", "1.10 (0.0172)", "0.48 (0.0394)", "0.78 (0.0243)"]
    assert len(body) == 4
    assert all(len(figures) == 4 for figures in RIVALS.values())


def test_other_settings_have_nothing_beside_them() -> None:
    other = {"method": "AHDG", "dataset": "normal", "dimension": 2, "value": 0.019}
    assert rival_rows(summary_of({**other, **SETTING, "users": 20_000}, {**other, **SETTING, "aligned": True}))[1] == []
    _, (row,) = rival_rows(summary_of({**other, **SETTING, "dimension": 3}))
    assert row[4:] == ["", "", ""]
