"""What is released: built twice from copies of the tree it is the same to the last byte, and holds what it should."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import sottovoce as sv

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "node_modules", "dist", "build", "out")


def build(tree: Path, into: Path, *kinds: str, umask: int = 0o022) -> dict[str, Path]:
    """Return the files that hatchling builds from a tree, by their suffix."""
    options = [word for kind in kinds for word in ("-t", kind)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *options, "-d", str(into)],
        cwd=tree,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"},
        umask=umask,
        check=True,
        capture_output=True,
        timeout=300,
    )
    return {path.suffix: path for path in into.iterdir() if path.suffix in (".whl", ".gz")}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Path]]:
    """Two builds of copies of the tree, of different folders, times and permissions, and a wheel of the archive."""
    folder = tmp_path_factory.mktemp("release")
    found = []
    for number, umask in enumerate((0o022, 0o077)):
        tree = folder / f"tree {number}"
        shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
        for path in tree.rglob("*.py"):
            os.utime(path, (10**9 + number, 10**9 + number))
        found.append(build(tree, folder / f"dist {number}", "sdist", "wheel", umask=umask))
    with tarfile.open(found[0][".gz"]) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return [*found, build(unpacked, folder / "dist of the archive", "wheel")]


def test_two_builds_are_the_same_to_the_last_byte(built: list[dict[str, Path]]) -> None:
    first, second, of_archive = built
    for suffix in (".whl", ".gz"):
        assert first[suffix].name == second[suffix].name
        assert first[suffix].read_bytes() == second[suffix].read_bytes(), suffix
    assert of_archive[".whl"].read_bytes() == first[".whl"].read_bytes(), "a wheel of the source archive is the same"


def test_the_wheel_holds_the_package_and_nothing_else(built: list[dict[str, Path]]) -> None:
    with zipfile.ZipFile(built[0][".whl"]) as archive:
        names = archive.namelist()
        metadata = archive.read(f"sottovoce-{sv.__version__}.dist-info/METADATA").decode()
    assert {name.split("/")[0] for name in names} == {"sottovoce", f"sottovoce-{sv.__version__}.dist-info"}
    shipped = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    shipped = {name for name in shipped if "__pycache__" not in name}
    assert shipped <= set(names)
    assert f"sottovoce-{sv.__version__}.dist-info/licenses/LICENSE" in names
    for minor in range(11, 15):
        assert f"Classifier: Programming Language :: Python :: 3.{minor}\n" in metadata


def test_the_source_archive_holds_what_its_tests_need(built: list[dict[str, Path]]) -> None:
    with tarfile.open(built[0][".gz"]) as archive:
        members = archive.getmembers()
    top = {member.name.split("/")[1] for member in members}
    needed = {"src", "tests", "vectors", "clients", "examples", "docs", "deploy", "docker", "benchmarks", ".ci"}
    assert needed | {"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"} <= top
    assert {member.mtime for member in members} == {1_800_000_000}
    assert not [member.name for member in members if "node_modules" in member.name or "__pycache__" in member.name]


def test_all_that_is_released_has_one_version() -> None:
    package = json.loads((ROOT / "clients" / "js" / "package.json").read_text())
    lock = json.loads((ROOT / "clients" / "js" / "package-lock.json").read_text())
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert cited is not None
    assert package["version"] == lock["version"] == cited[1] == sv.__version__


def test_every_extra_is_tried_when_all_is_released() -> None:
    tried = re.search(r"^EXTRAS \?= (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert tried is not None
    assert sorted(tried[1].split()) == sorted(["base", *PROJECT["optional-dependencies"]])


def test_what_is_declared_of_python_is_one_list() -> None:
    declared = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert declared == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={declared[0]}"
