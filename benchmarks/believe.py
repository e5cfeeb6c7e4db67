"""Can the answers be believed? Made-up crowds whose every answer is known, collected and asked over and over.

    python benchmarks/believe.py --out new.jsonl                               measure: building crowds, all ten cells
    python benchmarks/believe.py --out new.jsonl --report                      print what was measured
    python benchmarks/believe.py --out new.jsonl --report --against old.jsonl  compare errors with another file's

A cell is a number of people and an epsilon. For each crowd, cell, mechanism and collection the crowd's people are drawn
with replacement from a fixed population, their reports are simulated and fitted, and every question of the crowd is
asked (see sottovoce.simulation.crowds). What came out is one line of the file, written as soon as it is known: stop by
Ctrl-C whenever you like, and the same command goes on where it stopped.

Crowds that nobody may tune on are measured only if named: --crowds households learning visitors farms donors
players pets repairs anglers concerts brigades debtors allotments lodgers carers parcels mothers victims, which were
measured while methods were built, most several times, and --crowds seekers senders, which are kept for one measurement
at the end.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import functools
import json
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import sottovoce as sv
from sottovoce.simulation.crowds import BUILDING, CROWDS, Population, Question

ROWS, POPULATION_SEED, LEVEL = 400_000, 0, 0.9
PEOPLE, EPSILONS = (20_000, 50_000, 200_000), (1.0, 2.0)
CELLS = (*product(PEOPLE, EPSILONS), (20_000, 0.5), (200_000, 4.0), (1_000_000, 1.0), (1_000_000, 4.0))
"""The ten cells of people and epsilon."""


@dataclass(frozen=True, order=True)
class Task:
    """One collection to measure."""

    collection: int
    people: int
    epsilon: float
    crowd: str
    mechanism: str


@functools.lru_cache(maxsize=1)
def known(crowd: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a crowd's people, and its questions with their truths."""
    table = CROWDS[crowd].draw(ROWS, POPULATION_SEED)
    schema, population = CROWDS[crowd].schema, Population(CROWDS[crowd].schema, table)
    questions = [
        {"kind": q.kind, "text": q.text(schema), "truth": q.truth(population), "scale": q.scale(population)}
        for q in CROWDS[crowd].questions()
    ]
    return table, questions


def measure(task: Task, refits: int) -> dict[str, Any]:
    """Return what one collection gave: every question's truth, estimate and interval, and how refits differ."""
    table, described = known(task.crowd)
    crowd, questions = CROWDS[task.crowd], CROWDS[task.crowd].questions()
    plan = sv.Plan.create(crowd.schema, epsilon=task.epsilon, users=task.people, mechanism=task.mechanism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sv.FewReportsWarning)
        tally = sv.simulate(plan, table, users=task.people, seed=task.collection)
        start = time.process_time()
        model = sv.fit(plan, tally, seed=0)
        fitted = time.process_time()
        smallest = functools.lru_cache(maxsize=None)(functools.partial(smallest_difference, model))
        answers = [
            {**about, "smallest": smallest(*compared(question)), **asked(model, question)}
            for about, question in zip(described, questions, strict=True)
        ]
        seconds = {"fit": round(fitted - start, 3), "ask": round(time.process_time() - fitted, 3)}
        again = []
        for seed in range(1, refits + 1):
            model = sv.fit(plan, tally, seed=seed)
            again.append([asked(model, question)["estimate"] for question in questions])
    return {**asdict(task), "code": code(), "seconds": seconds, "refits": again, "answers": answers}


def asked(model: sv.Model, question: Question) -> dict[str, Any]:
    """Return a question's estimate, interval, evidence and direct answer; nothing where the model refuses."""
    try:
        answer = question.ask(model, level=LEVEL)
    except sv.SottovoceError as error:
        return {"estimate": None, "interval": None, "refusal": str(error)}
    direct, evidence = getattr(answer, "direct", None), getattr(answer, "evidence", None)
    own = {"smallest": finite(answer.visible())} if compared(question)[0] and hasattr(answer, "visible") else {}
    return {
        **own,  # of just these two groups: the model's own is that of the two largest
        "estimate": finite(float(answer)),
        "interval": interval(answer),
        "evidence": None if evidence is None else finite(float(evidence)),
        "direct": None if direct is None else finite(float(direct)),
        "direct_interval": None if direct is None else interval(direct),
    }


def compared(question: Question) -> tuple[str, str]:
    """Return the attribute whose shares are compared and the one that makes the groups; nothing for other questions."""
    names = question.attributes if question.kind == "difference of shares" else ()
    return (names[0], names[1]) if len(names) == 2 else ("", "")


def smallest_difference(model: sv.Model, name: str, by: str) -> float | None:
    """Return the smallest visible difference, if the model tells it."""
    method: Callable[[str, str], Any] | None = getattr(model, "smallest_difference", None)
    if method is None or not name:
        return None
    try:
        found = method(name, by)
    except sv.SottovoceError:
        return None
    return None if found is None else finite(float(found))


def interval(answer: Any) -> list[float] | None:
    """Return an interval, or nothing where the model has none."""
    low, high = map(float, answer.interval)
    return [low, high] if math.isfinite(low) and math.isfinite(high) else None


def finite(value: float) -> float | None:
    """Return a number that JSON can hold, or nothing."""
    return value if math.isfinite(value) else None


@functools.lru_cache(maxsize=1)
def code() -> str:
    """Return the commit that is measured, with a plus if files were changed since."""
    folder = Path(sv.__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")


def stored(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the results of a file; a line that was cut off by an interruption is left out."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def task_of(result: dict[str, Any]) -> Task:
    """Return what a result is of."""
    return Task(*(result[name] for name in ("collection", "people", "epsilon", "crowd", "mechanism")))


def run(tasks: Sequence[Task], out: Path, *, refits: int, workers: int) -> None:
    """Measure what the file does not hold yet, adding each result to it as soon as it is known."""
    done = {task_of(result) for result in stored(out) if len(result["refits"]) >= refits}
    waiting = sorted(set(tasks) - done, key=lambda task: (task.collection, task.crowd, task.people, task.epsilon))
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress, ends_with_line(out) as file:
        bar = progress.add_task("collections", total=len(waiting))
        for result in results(waiting, refits, workers):
            file.write(json.dumps(result) + "\n")
            file.flush()
            progress.update(bar, advance=1)


def ends_with_line(path: Path) -> Any:
    """Return the file opened to add lines, the last of which is whole or closed off."""
    cut = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    file = path.open("a", encoding="utf-8")
    if cut:
        file.write("\n")
    return file


def results(tasks: Sequence[Task], refits: int, workers: int) -> Iterator[dict[str, Any]]:
    """Yield results in whatever order they are known."""
    if workers == 1:
        yield from (measure(task, refits) for task in tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        waiting = [pool.submit(measure, task, refits) for task in tasks]
        try:
            yield from (future.result() for future in as_completed(waiting))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def cell(text: str) -> tuple[int, float]:
    """Return people and epsilon from text such as 200000:1."""
    people, epsilon = text.replace("_", "").replace(",", "").split(":")
    return int(people), float(epsilon)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--out", type=Path, default=Path("believe.jsonl"), help="results, one line each (believe.jsonl)"
    )
    parser.add_argument(
        "--crowds",
        nargs="+",
        choices=list(CROWDS),
        default=list(BUILDING),
        metavar="CROWD",
        help=f"which crowds ({', '.join(BUILDING)})",
    )
    parser.add_argument("--cells", nargs="+", type=cell, metavar="N:EPS", help="cells such as 200000:1 20000:0.5")
    parser.add_argument("--people", nargs="+", type=int, metavar="N", help="only those of the ten cells with N people")
    parser.add_argument("--epsilon", nargs="+", type=float, metavar="EPS", help="only those of the ten cells with EPS")
    parser.add_argument(
        "--collections", type=int, default=10, metavar="N", help="collections of each crowd and cell (10)"
    )
    parser.add_argument("--mechanisms", nargs="+", default=["spectral"], metavar="NAME", help="mechanisms (spectral)")
    parser.add_argument(
        "--refits",
        type=int,
        default=0,
        metavar="N",
        help="fit each tally N more times with other seeds, to see whether the seed decides (0)",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--report", action="store_true", help="measure nothing, print what the file holds")
    parser.add_argument("--brief", action="store_true", help="without the long table by crowd, cell and kind")
    parser.add_argument(
        "--list", type=int, default=40, metavar="N", help="single questions to list that seldom hold (40; 0: all)"
    )
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare errors with those in another file")
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    if not arguments.report:
        cells = arguments.cells or [
            (people, epsilon)
            for people, epsilon in CELLS
            if (not arguments.people or people in arguments.people)
            and (not arguments.epsilon or epsilon in arguments.epsilon)
        ]
        choices = product(range(arguments.collections), cells, arguments.crowds, arguments.mechanisms)
        tasks = [
            Task(collection, people, epsilon, crowd, mechanism)
            for collection, (people, epsilon), crowd, mechanism in choices
        ]
        try:
            run(tasks, arguments.out, refits=arguments.refits, workers=arguments.workers)
        except KeyboardInterrupt:
            sys.exit(f"stopped; {arguments.out} holds all that was finished, and the same command goes on from there")
    from believe_report import Report, against

    results_held = list(stored(arguments.out))
    if not results_held:
        sys.exit(f"{arguments.out} holds no results yet: run without --report first")
    Report(results_held, brief=arguments.brief, listed=arguments.list).print()
    if arguments.against:
        against(results_held, list(stored(arguments.against)))


if __name__ == "__main__":
    main()
