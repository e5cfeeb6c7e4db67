"""Runs give the same table whatever the order and the number of processes, and go on where they were interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.experiments import runner
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import Row, run_task
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.specs import Task
from sottovoce.experiments.tasks import Request, expand
from tests.experiments.runs import ONE, outcome, small


@pytest.mark.slow
def test_one_process_or_two_give_the_same_file(tmp_path: Path) -> None:
    experiment = small("varying-epsilon", epsilons=(1.0,), repeats=2)
    assert outcome(experiment, tmp_path / "one.parquet", jobs=1) == outcome(
        experiment, tmp_path / "two.parquet", jobs=2
    )
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_another_seed_gives_another_table_and_the_order_of_tasks_does_not_matter(tmp_path: Path) -> None:
    experiment = small("varying-volume", **ONE)
    one = outcome(experiment, tmp_path / "one.parquet")["value"].to_pylist()
    with Workers(1) as workers:
        tasks = expand(experiment, Request())[::-1]
        table = run(tasks, tmp_path / "two.parquet", workers=workers, progress=lambda done: None)
    assert table["value"].to_pylist()[::-1] == one
    assert outcome(experiment, tmp_path / "3.parquet", request=Request(seed=1))["value"].to_pylist() != one


def test_finished_tasks_are_not_run_again_and_more_repeats_add_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = small("varying-volume", **ONE)
    first = outcome(experiment, tmp_path / "a.parquet")
    ran: list[str] = []

    def watched(task: Task, cache: Cache) -> list[Row]:
        ran.append(task.key)
        return run_task(task, cache)

    monkeypatch.setattr(runner, "run_task", watched)
    assert outcome(experiment, tmp_path / "a.parquet") == first
    assert not ran
    more = outcome(experiment, tmp_path / "a.parquet", request=Request(repeats=2))
    assert len(ran) == first.num_rows
    assert more.slice(0, first.num_rows) == first


KILLED = """
    import sys, time
    from pathlib import Path
    from msgspec.structs import replace
    from sottovoce.experiments import runner
    from sottovoce.experiments.catalogue import find_experiment
    from sottovoce.experiments.experiment import quick
    from sottovoce.experiments.tasks import Request, expand

    def progress(done):
        print(done, flush=True)
        time.sleep(0.2)

    if __name__ == "__main__":
        runner.SAVE_SECONDS = 0.0
        experiment = replace(
            quick(find_experiment("varying-volume")), users=(2000,), levels=(16,), queries=10,
            volumes=(0.5,), dimensions=(2,), datasets=("normal",), repeats=3)
        with runner.Workers(2) as workers:
            runner.run(expand(experiment, Request()), Path(sys.argv[1]), workers=workers, progress=progress)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked up under /proc")
def test_a_killed_run_goes_on_where_it_stopped_and_leaves_no_process(tmp_path: Path) -> None:
    whole = outcome(small("varying-volume", **ONE, repeats=3), tmp_path / "whole.parquet")
    script, path = tmp_path / "script.py", tmp_path / "killed.parquet"
    script.write_text(textwrap.dedent(KILLED))
    with subprocess.Popen([sys.executable, str(script), str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(6):
            process.stdout.readline()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
    assert 0 < pq.read_table(path).num_rows < whole.num_rows
    assert len(children) >= 2
    for _ in range(300):
        if not any(_lives(child) for child in children):
            break
        time.sleep(0.1)
    assert not any(_lives(child) for child in children)
    assert outcome(small("varying-volume", **ONE, repeats=3), path) == whole


def _lives(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are interrupted by signal")
def test_control_c_keeps_what_was_measured_and_says_so_in_one_line(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("sottovoce")
    call = [str(command), "reproduce", "guideline", "--out", str(tmp_path), "--no-figures", "--jobs", "2"]
    call += ["--repeats", "50"]  # so that much is left to do when it is interrupted
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        path = tmp_path / "guideline.parquet"
        while not path.exists() and process.poll() is None:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        try:
            said, complaint = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 1
    assert said == ""
    assert complaint.startswith("Error: interrupted")
    assert complaint.count("\n") == 1
    assert pq.read_table(path).num_rows > 0


REGISTERING = """
    import dataclasses, sys
    from pathlib import Path
    from msgspec.structs import replace
    import sottovoce.mechanisms.msw as msw
    from sottovoce.experiments.catalogue import find_experiment
    from sottovoce.experiments.experiment import quick
    from sottovoce.experiments.runner import Workers, run
    from sottovoce.experiments.tasks import Request, expand
    from sottovoce.plan.registry import register

    def design(*given):
        return msw.design(*given)

    register(dataclasses.replace(msw.MSW, name="mine", design=design if "own" in sys.argv else msw.design))

    if __name__ == "__main__":
        experiment = replace(
            quick(find_experiment("varying-volume")), users=(2000,), levels=(16,), queries=10,
            volumes=(0.5,), dimensions=(2,), datasets=("normal",))
        with Workers(2) as workers:
            tasks = expand(experiment, Request(methods=("mine",)))
            table = run(tasks, Path(sys.argv[1]), workers=workers, progress=lambda done: None)
        print(table["value"].to_pylist())
"""


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("piped", [True, False])
def test_workers_know_what_a_script_registered_or_say_that_they_cannot(own: bool, piped: bool, tmp_path: Path) -> None:
    """A script in a file is imported by workers; of one read from a pipe they know only what modules hold."""
    script = textwrap.dedent(REGISTERING)
    (tmp_path / "script.py").write_text(script)
    call = [sys.executable, "-" if piped else str(tmp_path / "script.py"), str(tmp_path / "r.parquet")]
    done = subprocess.run(
        [*call, "own"] if own else call, input=script if piped else None, capture_output=True, text=True, check=False
    )
    if own and piped:
        assert "mechanism 'mine' was registered in this session and other processes cannot import it" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert float(done.stdout.strip("[]\n")) > 0


def test_results_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(sv.ExperimentError, match="move it away"):
        outcome(small("sigma"), tmp_path / "broken.parquet")
    with pytest.raises(sv.ExperimentError, match="jobs"):
        Workers(0)
