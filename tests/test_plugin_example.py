"""The example of a plug-in, installed as a user would: everything it brings is there by name, everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import textwrap
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLUGIN = ROOT / "examples" / "plugin"

SCHEMA = """
[[attributes]]
type = "ordinal"
name = "age"
low = 0
high = 15

[[attributes]]
type = "ordinal"
name = "hours"
low = 0
high = 15
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of a fresh environment into which the wheels of Sottovoce and of the package are installed.

    What they depend on is that of the environment which tests, behind them on the path: so it works without a network.
    """
    folder = tmp_path_factory.mktemp("plugin")
    wheels: list[str] = []
    for source in (ROOT, PLUGIN):
        into = folder / f"wheel of {source.name}"
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
        subprocess.run(build, cwd=source, check=True, capture_output=True, timeout=300)
        wheels += map(str, into.glob("*.whl"))
    fresh = folder / "environment"
    venv.create(fresh, with_pip=False)
    programs = fresh / "bin"
    install = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--no-index", *wheels], check=True, capture_output=True, timeout=300)
    (own,) = fresh.glob("lib/python*/site-packages")
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return programs


def run(program: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Return what a program of an environment printed; nothing of this process's path is known to it."""
    known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    call = [str(program), *arguments]
    return subprocess.run(call, cwd=folder, env=known, capture_output=True, text=True, check=False, timeout=350)


def sottovoce(environment: Path, folder: Path, *arguments: str) -> str:
    done = run(environment / "sottovoce", folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_are_installed_and_not_found_in_the_tree(environment: Path, tmp_path: Path) -> None:
    call = "import sottovoce, sottovoce_hadamard as own; print(sottovoce.__file__, own.__file__, sep='\\n')"
    for path in run(environment / "python", tmp_path, "-c", call).stdout.splitlines():
        assert Path(path).is_relative_to(environment.parent)


@pytest.mark.slow
def test_its_mechanism_designs_a_plan_that_is_audited_and_compared(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    rows = "\n".join(f"{number % 16},{number * 7 % 16}" for number in range(500))
    (tmp_path / "people.csv").write_text(f"age,hours\n{rows}\n")
    options = ["--epsilon", "1", "--users", "5000", "--mechanism", "marginals", "--out", "plan.json"]
    sottovoce(environment, tmp_path, "plan", "schema.toml", *options)
    assert {family["channel"] for family in json.loads((tmp_path / "plan.json").read_text())["families"]} == {
        "hadamard"
    }
    audited = json.loads(sottovoce(environment, tmp_path, "audit", "plan.json", "--json"))
    assert 0.999 < float(audited["epsilon"]) <= 1
    compared = sottovoce(
        environment, tmp_path, "compare", "schema.toml", "--data", "people.csv", "--epsilon", "1",
        "--mechanism", "marginals", "--mechanism", "uniform", "--json",
    )  # fmt: skip
    assert {row["mechanism"] for row in json.loads(compared)["compared"]} == {"marginals", "uniform"}


@pytest.mark.slow
def test_its_data_and_mechanism_are_in_experiments_and_known_to_their_workers(
    environment: Path, tmp_path: Path
) -> None:
    options = ["--quick", "--data", "ramps", "--method", "marginals", "--method", "uniform", "--jobs", "2"]
    told = sottovoce(environment, tmp_path, "reproduce", "varying-volume", *options, "--no-figures")
    assert "## Ramps, λ = 2" in told
    assert "| ω | MARGINALS | Uni |" in told


@pytest.mark.slow
def test_its_queries_are_a_kind_of_their_own(environment: Path, tmp_path: Path) -> None:
    script = """
        import sottovoce as sv
        frame = sv.experiments.run("marginals", "ramps", kind="lower-halves", users=2000, attributes=3, levels=16,
                                   queries=9)
        assert frame["query"].str.contains("BETWEEN 0 AND").all() and len(frame) == 9
        print(frame.error.mean())
    """
    done = run(environment / "python", tmp_path, "-c", textwrap.dedent(script))
    assert done.returncode == 0, done.stderr
    assert 0 < float(done.stdout) < 0.2


def test_clients_refuse_its_channel_unless_told_otherwise(environment: Path, tmp_path: Path) -> None:
    script = """
        import sottovoce as sv
        plan = sv.Plan.create(sv.Schema([sv.Ordinal("a", 0, 7)]), epsilon=1, users=1000, mechanism="marginals")
        for use in (lambda: sv.Client(plan), lambda: sv.randomize(plan, {"a": [1, 2]})):
            try:
                use()
            except sv.PlanError as error:
                print(error)
        print(sv.Client(plan, plugins=True).report({"a": 3}).question)
    """
    done = run(environment / "python", tmp_path, "-c", textwrap.dedent(script))
    assert done.stdout.count("'hadamard' of sottovoce-hadamard 0.1.0, which is not part of Sottovoce") == 2
    assert done.stdout.endswith("0\n"), done.stderr


@pytest.mark.slow
def test_the_conformance_suite_passes_on_what_it_brings(environment: Path, tmp_path: Path) -> None:
    call = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(PLUGIN / "tests")]
    done = run(environment / "python", tmp_path, *call)
    assert done.returncode == 0, done.stdout[-3000:]


def test_without_the_package_its_names_are_unknown(tmp_path: Path) -> None:
    script = """
        from decimal import Decimal
        import sottovoce as sv
        from sottovoce.channels import make_channel
        try:
            sv.Plan.create(sv.Schema([sv.Ordinal("a", 0, 7)]), epsilon=1, users=1000, mechanism="marginals")
        except sv.PlanError as error:
            print(error)
        try:
            make_channel("hadamard", 4, Decimal(1), "")
        except sv.PlanError as error:
            print(error)
    """
    told = run(Path(sys.executable), tmp_path, "-c", textwrap.dedent(script)).stdout
    assert "unknown mechanism 'marginals'; known are spectral" in told
    assert "or the package that brings the channel" in told
