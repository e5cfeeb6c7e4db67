"""A plan that is kept is the one that was fetched, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.client.kept_plans import KeptPlans
from tests.collectors import make_plan

PLAN = make_plan()
URL = f"https://collector.example/v1/plans/{PLAN.fingerprint}"


def test_a_plan_is_found_again_under_its_address(tmp_path: Path) -> None:
    kept = KeptPlans(tmp_path / "plans")
    assert kept.find(URL) is None
    assert kept.all() == []
    kept.keep(URL, PLAN)
    assert kept.find(URL) == PLAN
    assert kept.all() == [(URL, PLAN)]
    assert kept.find(URL.replace("collector", "elsewhere")) is None
    (file,) = (tmp_path / "plans").iterdir()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"users":10000', b'"users":10001'),
        (b'"purpose":"a test"', b'"purpose":"a jest"'),
        (b"{", b""),
        (b"}", b"\xff"),
    ],
)
def test_what_was_altered_or_damaged_is_not_taken(tmp_path: Path, old: bytes, new: bytes) -> None:
    kept = KeptPlans(tmp_path)
    kept.keep(URL, PLAN)
    (file,) = tmp_path.iterdir()
    text = file.read_bytes()
    assert old in text
    file.write_bytes(text.replace(old, new, 1))
    assert kept.find(URL) is None
    assert kept.all() == []


def test_a_plan_under_another_plans_name_is_not_taken(tmp_path: Path) -> None:
    kept, other = KeptPlans(tmp_path), make_plan(purpose="another")
    kept.keep(URL, PLAN)
    (file,) = tmp_path.iterdir()
    file.rename(tmp_path / f"{other.fingerprint}.json")
    assert kept.find(URL.replace(PLAN.fingerprint, other.fingerprint)) is None


@pytest.mark.parametrize("url", ["", "/", "https://c.example/..", "https://c.example/a/%2e%2e/b"])
def test_no_address_leads_out_of_the_directory(tmp_path: Path, url: str) -> None:
    (tmp_path / "b.json").write_text("{}")
    assert KeptPlans(tmp_path / "plans").find(url) is None


def test_a_device_that_cannot_keep_a_plan_goes_on(tmp_path: Path) -> None:
    (tmp_path / "plans").write_text("no directory")
    KeptPlans(tmp_path / "plans").keep(URL, PLAN)
    assert KeptPlans(tmp_path / "plans").find(URL) is None
