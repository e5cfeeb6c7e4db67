"""The conformance suite fails what does not conform, and says what for."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

PASSING = """
    from sottovoce.channels import GRR
    from sottovoce.testing import channel_suite
    TestMine = channel_suite("mine", GRR.design, sizes=(2, 5))
"""

LEAKING = """
    import dataclasses
    from decimal import Decimal
    from sottovoce.channels import GRR
    from sottovoce.testing import channel_suite
    TestMine = channel_suite("mine", lambda cells, epsilon: GRR.design(cells, epsilon * Decimal("1.001")), sizes=(5,))
"""

SKEWED = """
    import dataclasses
    from sottovoce.channels import GRR
    from sottovoce.testing import channel_suite

    class Skewed(GRR):
        def draw(self, cell):
            return 0

    def design(cells, epsilon):
        made = GRR.design(cells, epsilon)
        return Skewed(*(getattr(made, field.name) for field in dataclasses.fields(GRR)))

    TestMine = channel_suite("mine", design, sizes=(5,))
"""

BIASED = """
    import dataclasses
    from sottovoce.mechanisms import uniform
    from sottovoce.plan.registry import register
    from sottovoce.testing import mechanism_suite

    class Half(uniform.UNIFORM.model):
        kind = "half"
        def evaluate(self, batch):
            return 0.5 * super().evaluate(batch)

    def fit(plan, tally, how):
        whole = uniform.UNIFORM.fit(plan, tally, how)
        return Half.from_state(whole.origin, whole.state())

    register(dataclasses.replace(uniform.UNIFORM, name="half", fit=fit, model=Half))
    TestHalf = mechanism_suite("half")
"""


def run_suite(script: str, folder: Path, *arguments: str) -> str:
    (folder / "test_mine.py").write_text(textwrap.dedent(script))
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py", *arguments]
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_a_channel_that_conforms_passes_in_one_line(tmp_path: Path) -> None:
    told = run_suite(PASSING, tmp_path)
    assert "passed" in told
    assert "failed" not in told


def test_a_channel_that_leaks_more_than_epsilon_fails_for_that(tmp_path: Path) -> None:
    told = run_suite(LEAKING, tmp_path, "-k", "likelier or rows")
    assert "test_no_code_is_more_than_e_to_the_epsilon_likelier" in told
    assert "5 failed, 5 passed" in told


def test_a_channel_that_does_not_draw_by_its_table_fails_for_that(tmp_path: Path) -> None:
    told = run_suite(SKEWED, tmp_path, "-k", "single_draws or rows")
    assert "test_single_draws_follow_the_exact_table" in told
    assert "failed" in told


def test_a_mechanism_whose_answers_do_not_add_up_fails_for_that(tmp_path: Path) -> None:
    told = run_suite(BIASED, tmp_path, "-k", "everybody_is_one or fingerprint_is")
    assert "test_everybody_is_one" in told
    assert "1 failed, 1 passed" in told
