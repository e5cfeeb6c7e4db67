"""Types as users meet them: the documentation's Python passes a strict type check, and a misspelt option does not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.test_docs import ROOT, blocks

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def check(folder: Path) -> tuple[int, str]:
    """Return what mypy --strict says of the programs in a folder: its exit status, and its words.

    Where mypy itself stops (status 2), as it may over a cache, it is asked once more without one.
    """
    kept = ROOT / ".mypy_cache" / "pages"
    status, said = _asked(folder, kept)
    return _asked(folder, folder / "cache") if status == 2 else (status, said)


def _asked(folder: Path, cache: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--show-traceback"]
    done = subprocess.run(
        [*command, "--config-file", str(ROOT / "pyproject.toml"), *sorted(path.name for path in folder.glob("*.py"))],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT / "src"), "MYPY_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")
def test_every_python_block_of_the_documentation_passes_the_strict_type_check(tmp_path: Path) -> None:
    found = {page: blocks(page, "python") for page in PAGES}
    assert sum(map(len, found.values())) >= 28
    for page, own in found.items():
        if own:
            name = page.relative_to(ROOT).with_suffix("").as_posix().replace("/", "_").replace("-", "_")
            (tmp_path / f"page_{name}.py").write_text("\n".join(own), encoding="utf-8")
    status, said = check(tmp_path)
    assert status == 0, said


MISTAKES = {
    "a misspelt keyword": 'sv.Plan.create(schema, epsilon=1, users=10, worklaod="ranges")',
    "a misspelt option": 'sv.SpectralOptions(worklaod="ranges")',
    "an unknown workload": 'sv.SpectralOptions(workload="everything")',
    "a text for a number": 'sv.HDGOptions(g1="16")',
    "a text for a tally": 'plan.refresh("x")',
    "a text for a schema": 'sv.Schema("age")',
    "a fraction among categories": 'sv.Categorical("region", ["north", 2.5])',
    "a text for a tally of a round": 'plan.next_round("x")',
    "a number for files": "sv.Tally.from_parquet(plan, 5)",
    "a text for a dataframe": 'sv.Tally.from_spark(plan, "reports")',
    "a text for known shares": 'model.calibrate({"region": "north"})',
    "a column of another kind of table": 'model.sample(5, frame="polars").to_pydict()',
    "a misspelt part of an estimate": "sv.Estimate(1.0, interval=(0.0, 2.0), level=0.9, evidense=0.5)",
    "a misspelt part of an answer": 'sv.Answer.make(0.5, 0.1, level=0.9, reports=1, where="", populaton=5)',
    "an unknown keyword of a forecast": "sv.forecast(schema, epsilon=1, users=10, step=print)",
}


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")
def test_lists_structs_and_numbers_pass_and_every_mistake_is_found(tmp_path: Path) -> None:
    right = """
        import sottovoce as sv

        schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Numeric("income", edges=[0, 10, 100]),
                            sv.Categorical("region", ["north", "south"], nullable=True)])
        plan = sv.Plan.create(schema, epsilon=1, users=10_000, options=sv.SpectralOptions(
            workload=sv.WorkloadOptions(widths=[0.25], pairs=[("age", "region", 1.0)])))
        other = sv.Plan.create(schema, epsilon="1", users=10_000, mechanism="hdg", options=sv.HDGOptions(g1=16, g2=4))
        table = {"age": [1, 2], "income": [3.0, 4.0], "region": ["north", None]}
        tally = sv.simulate(plan, table, seed=1, users=100) + sv.simulate(plan, table, seed=2, users=100)
        model = sv.fit(tally)
        answer = model.answer("age < 50")
        shares: list[float] = sorted([answer, 0.5, 2 * answer])
        low, high = model.quantile("income", [0.25, 0.75])
        spread: float = high - low
        names: list[str] = [attribute.name for attribute in schema]
        length: int = len(schema["region"].name)
        known = {"north": 0.4, "south": 0.6}
        bands = {(0, 59): 0.8, (60, 119): 0.2}
        model.calibrate({"region": known, "age": bands, "income": [0.5, 0.5]}).save("model.json")
        model.calibrate({"region": {"north": 0.3, "south": 0.6, None: 0.1}})
        columns: list[str] = model.sample(5, frame="polars").columns
        heights: int = model.marginal("age").to_frame("polars").height
        sv.Tally.from_parquet(plan, ["a.parquet", "b.parquet"])
    """
    program = textwrap.dedent(right)
    (tmp_path / "right.py").write_text(program, encoding="utf-8")
    status, said = check(tmp_path)
    assert status == 0, said
    wrong = "\n".join([program, *MISTAKES.values()])
    (tmp_path / "right.py").write_text(wrong, encoding="utf-8")
    status, said = check(tmp_path)
    first = len(program.split("\n")) + 1
    found = {int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line}
    assert status == 1
    assert found == set(range(first, first + len(MISTAKES))), said
