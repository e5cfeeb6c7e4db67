"""The small distribution for devices: what it holds is enough, and all that it needs is small."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import sottovoce as sv

ROOT = Path(__file__).parent.parent
MOST_BYTES = 20_000_000

ANSWER = """
import sys
class OnlyDevice:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED and name.partition(".")[0] not in sys.stdlib_module_names:
            raise ModuleNotFoundError(name, name=name)
ALLOWED = {"sottovoce", "msgspec", "rfc8785"}
sys.path.insert(0, sys.argv[1])
sys.meta_path.insert(0, OnlyDevice())
import sottovoce as sv
assert sv.__file__.startswith(sys.argv[1]), sv.__file__
plan = sv.Plan.load(sys.argv[2])
report = sv.Client(plan).report({"age": 34, "region": "north"})
print(report.to_json())
try:
    sv.fit
except sv.SottovoceError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel of the device's distribution holds."""
    folder = tmp_path_factory.mktemp("device")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / "clients" / "python", check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_a_device_answers_a_plan_with_two_small_libraries_and_says_what_it_lacks(
    unpacked: Path, tmp_path: Path
) -> None:
    plan = sv.Plan.create(
        sv.Schema([sv.Ordinal("age", 0, 119), sv.Categorical("region", ["north", "south"])]), epsilon=1, users=10_000
    )
    plan.save(tmp_path / "plan.json")
    said = subprocess.run(
        [sys.executable, "-c", ANSWER, str(unpacked), str(tmp_path / "plan.json")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert sv.Report.from_json(said[0]).plan == plan.fingerprint
    assert "pip install sottovoce" in said[1]


def test_a_device_with_http_takes_less_than_twenty_megabytes(unpacked: Path) -> None:
    metadata = next(unpacked.glob("*.dist-info/METADATA")).read_text()
    needed = [Requirement(line) for line in re.findall(r"^Requires-Dist: (.*)", metadata, flags=re.MULTILINE)]
    seen = set[str]()
    while needed:
        requirement = needed.pop()
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": "http"})
        if applies and requirement.name not in seen:
            seen.add(requirement.name)
            needed += map(Requirement, importlib.metadata.distribution(requirement.name).requires or [])
    assert {"msgspec", "rfc8785", "httpx", "platformdirs"} <= seen
    files = [file for name in seen for file in importlib.metadata.distribution(name).files or []]
    size = sum(path.stat().st_size for path in (Path(str(file.locate())) for file in files) if path.exists())
    own = sum(path.stat().st_size for path in unpacked.rglob("*") if path.is_file())
    assert own < 500_000
    assert size + own < MOST_BYTES
