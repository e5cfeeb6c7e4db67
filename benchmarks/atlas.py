"""An atlas: Spectral beside every other mechanism, over epsilon, people, attributes and domains.

    python benchmarks/atlas.py --out atlas.jsonl                                measure all of it: two hours of CPU
    python benchmarks/atlas.py --out atlas.jsonl --budget-minutes 30            stop after so many CPU minutes
    python benchmarks/atlas.py --out atlas.jsonl --report                       print the table of ratios
    python benchmarks/atlas.py --out atlas.jsonl --report --picture atlas.svg   and draw it as a map

The centre is six attributes of 64 levels, 200,000 people, epsilon 1. From there epsilon goes from .25 to 8 on six sets,
two of them surveys of small categories; then, at epsilon 1, 4 and 6 and on two sets, people from 20,000 to 10^7,
attributes from 1 to 20, and levels from 2 to 256 or mixed. A cell is measured three times, and five times where
Spectral and the best other are within a tenth of each other. Where Spectral comes out behind in these, it is measured
twenty times: among hundreds of cells a few are behind by chance. A mechanism whose errors in a cell were all more than
twice those of the best other is measured there only once. All sets are made here; with --data, a folder of
NAME_levels.npz (see accuracy.py), census_kdd and covtype take the place of two.

One line of the file is one cell, method and collection, written as soon as it is known. Cells take turns, so that a
run stopped by Ctrl-C or by its budget has measured all of them about equally often; the same command goes on.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import functools
import json
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from atlas_sets import CATEGORIES, MADE, SURVEYS, People, draw
from believe import code, ends_with_line, stored

MECHANISMS: dict[str, dict[str, Any]] = {
    "spectral": {"mechanism": "spectral"},
    "hdg": {"mechanism": "hdg", "estimator": "weighted_update"},
    "hdg entropy": {"mechanism": "hdg", "estimator": "max_entropy"},
    "tdg": {"mechanism": "tdg"},
    "calm": {"mechanism": "calm"},
    "lhio": {"mechanism": "lhio"},
    "msw": {"mechanism": "msw"},
    "uniform": {"mechanism": "uniform"},
}
HIO = {"hio": {"mechanism": "hio"}}
"""Slow, and far behind everywhere: measured at the centre only."""

METHODS = tuple(MECHANISMS | HIO)

MEASURES = ("ranges of 1", "ranges of 2", "ranges of 4", "1-way", "2-way")
"""Mean absolute error over ranges of 1, 2 and 4 attributes; mean total variation of distributions of 1 and of 2."""

AXES = ("epsilon", "people", "attributes", "levels")
EPSILONS = (1.0, 4.0, 0.5, 6.0, 2.0, 0.25, 8.0)
OFF_CENTRE = (1.0, 4.0, 6.0)
PEOPLE = (20_000, 1_000_000, 10_000_000)
ATTRIBUTES = (2, 1, 10, 20)
LEVELS = ("2", "8", "256", "mixed")
STAR_SETS = ("normal", "heaped")
COLLECTIONS, CLOSE_COLLECTIONS, CLOSE = 3, 5, 0.1
BEHIND_COLLECTIONS = 20
HOPELESS = 2.0
QUERIES, PAIRS, LARGEST_TABLE = 200, 15, 2**16


@dataclass(frozen=True, order=True)
class Cell:
    """One place of the map: a set of people, how many of them and of their attributes and levels, and epsilon."""

    set: str
    epsilon: float = 1.0
    people: int = 200_000
    attributes: int = 6
    levels: str = "64"

    @property
    def axis(self) -> str:
        """Along which axis of the star it lies."""
        centre = Cell(self.set)
        return next((axis for axis in AXES[1:] if getattr(self, axis) != getattr(centre, axis)), "epsilon")

    @property
    def centre(self) -> bool:
        """Whether this is the centre, on whatever set."""
        return self == Cell(self.set)


@dataclass(frozen=True)
class Task:
    """One collection of one cell, by one method."""

    cell: Cell
    method: str
    collection: int


def cells(sets: Sequence[str]) -> list[Cell]:
    """Return all cells, those first without which the map says little."""
    found = [Cell(name, epsilon) for epsilon in EPSILONS for name in sets]
    found += [Cell(name, epsilon, people=n) for n in PEOPLE for epsilon in OFF_CENTRE for name in STAR_SETS]
    found += [Cell(name, epsilon, attributes=d) for d in ATTRIBUTES for epsilon in OFF_CENTRE for name in STAR_SETS]
    found += [Cell(name, epsilon, levels=c) for c in LEVELS for epsilon in OFF_CENTRE for name in STAR_SETS]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Known:
    """A set of people, what is asked of it, and the true answers."""

    people: People
    queries: dict[str, tuple[list[dict[str, Any]], np.ndarray]]
    tables: dict[str, dict[tuple[str, ...], np.ndarray]]


@functools.lru_cache(maxsize=8)
def known(name: str, attributes: int, levels: str, folder: Path | None) -> Known:
    """Return a set, its queries and its true answers."""
    people = draw(name, attributes, levels, folder)
    names, columns = people.schema.names, people.columns
    sizes = people.schema.sizes
    queries = {}
    for measure, dimensions in zip(MEASURES, (1, 2, 4), strict=False):
        if dimensions <= len(names):
            asked = [_query(people, dimensions, np.random.default_rng([dimensions, n])) for n in range(QUERIES)]
            queries[measure] = [_named(people, query) for query in asked], _truths(people, asked)
    one: dict[tuple[str, ...], np.ndarray] = {
        (own,): np.bincount(columns[p], minlength=sizes[p]) / people.count for p, own in enumerate(names)
    }
    pairs = [pair for pair in combinations(range(len(names)), 2) if sizes[pair[0]] * sizes[pair[1]] <= LARGEST_TABLE]
    chosen = np.random.default_rng(0).permutation(len(pairs))[:PAIRS]
    two: dict[tuple[str, ...], np.ndarray] = {}
    for first, second in (pairs[index] for index in np.sort(chosen)):
        cells_of = columns[first].astype(np.int64) * sizes[second] + columns[second]
        counts = np.bincount(cells_of, minlength=sizes[first] * sizes[second])
        two[names[first], names[second]] = counts.reshape(sizes[first], sizes[second]) / people.count
    return Known(people, queries, {"1-way": one, "2-way": two} if two else {"1-way": one})


def _query(people: People, dimensions: int, generator: np.random.Generator) -> dict[int, np.ndarray]:
    """Return which levels a query takes: half of the domain, in one stretch where there is an order."""
    query = {}
    for index in np.sort(generator.choice(len(people.columns), dimensions, replace=False)).tolist():
        size = people.schema.sizes[index]
        width = max(1, size // 2)
        if people.schema.attributes[index].ordered:
            query[index] = generator.integers(0, size - width + 1) + np.arange(width)
        else:
            query[index] = np.sort(generator.permutation(size)[:width])
    return query


def _named(people: People, query: dict[int, np.ndarray]) -> dict[str, Any]:
    """Return a query as models take it."""
    found: dict[str, Any] = {}
    for index, levels in query.items():
        attribute = people.schema.attributes[index]
        ordered = attribute.ordered
        found[attribute.name] = (
            (int(levels[0]), int(levels[-1])) if ordered else [CATEGORIES[level] for level in levels.tolist()]
        )
    return found


def _truths(people: People, asked: Sequence[dict[int, np.ndarray]]) -> np.ndarray:
    answers = []
    for query in asked:
        inside = np.ones(people.count, dtype=bool)
        for index, levels in query.items():
            within = np.zeros(people.schema.sizes[index], dtype=bool)
            within[levels] = True
            inside &= within[people.columns[index]]
        answers.append(inside.mean())
    return np.array(answers)


def measure(task: Task, folder: Path | None) -> dict[str, Any]:
    """Return the errors of one collection; those of a mechanism that refuses the cell are missing."""
    start = time.process_time()
    cell = task.cell
    truth = known(cell.set, cell.attributes, cell.levels, folder)
    errors: dict[str, float] = {}
    refusal = None
    warnings.simplefilter("ignore", sv.FewReportsWarning)
    try:
        plan = _plan(cell, task.method, folder)
        tally = sv.simulate(plan, truth.people.table, users=cell.people, seed=task.collection)
        model = sv.fit(plan, tally, seed=task.collection)
        for name, (asked, answers) in truth.queries.items():
            errors[name] = float(np.abs(model.answer_ranges(asked) - answers).mean())
        for name, tables in truth.tables.items():
            off = [np.abs(model.marginal(*names) - table).sum() / 2 for names, table in tables.items()]
            errors[name] = float(np.mean(off))
    except sv.SottovoceError as error:
        refusal = str(error)
    seconds = round(time.process_time() - start, 3)
    about = {"cell": asdict(cell), "method": task.method, "collection": task.collection, "code": code()}
    return {**about, "seconds": seconds, "refusal": refusal, "errors": errors}


@functools.lru_cache(maxsize=4)
def _plan(cell: Cell, method: str, folder: Path | None) -> sv.Plan:
    schema = known(cell.set, cell.attributes, cell.levels, folder).people.schema
    return sv.Plan.create(schema, epsilon=cell.epsilon, users=cell.people, **(MECHANISMS | HIO)[method])


def task_of(result: dict[str, Any]) -> Task:
    """Return what a result is of."""
    return Task(Cell(**result["cell"]), result["method"], result["collection"])


def waiting(wanted: Sequence[Cell], methods: Sequence[str], out: Path) -> Iterator[Task]:
    """Yield what is still to be measured: three rounds over all cells, two over close ones, then those behind."""
    for collection in range(BEHIND_COLLECTIONS):
        results = list(stored(out))  # as they are when the round begins
        done = {task_of(result) for result in results}
        chosen, useless = chosen_cells(results, collection, wanted), hopeless(results)
        for cell in wanted:
            if cell in chosen:
                every = MECHANISMS | HIO if cell.centre else MECHANISMS
                able = [own for own in methods if own in every and not (collection and (cell, own) in useless)]
                yield from (task for method in able if (task := Task(cell, method, collection)) not in done)


def chosen_cells(results: Sequence[dict[str, Any]], collection: int, wanted: Sequence[Cell]) -> set[Cell]:
    """Return the cells that get a further collection.

    First all of them; then those where, in some measure, Spectral and the best other are within a tenth of each other;
    at last those where Spectral was behind in the collections up to then, however the further ones turn out.
    """
    from atlas_report import ratios

    if collection < COLLECTIONS:
        return set(wanted)
    first = ratios([result for result in results if result["collection"] < CLOSE_COLLECTIONS])
    if collection < CLOSE_COLLECTIONS:
        return {cell for cell, _, ratio in first if abs(ratio.mean - 1) < CLOSE}
    return {cell for cell, _, ratio in first if ratio.behind}


def hopeless(results: Sequence[dict[str, Any]]) -> set[tuple[Cell, str]]:
    """Return the mechanisms all of whose errors in a cell are more than twice those of the best other; or refused."""
    from atlas_report import BESIDE, OURS

    first: dict[Cell, dict[str, dict[str, float]]] = {task.cell: {} for task in map(task_of, results)}
    for result in results:
        if not result["collection"] and result["method"] not in (OURS, *BESIDE):
            first[task_of(result).cell][result["method"]] = result["errors"]
    found = set()
    for cell, by_method in first.items():
        measured = [errors for errors in by_method.values() if errors]
        best = {name: min(errors[name] for errors in measured) for name in (measured[0] if measured else ())}
        for method, errors in by_method.items():
            if all(error > HOPELESS * best[name] for name, error in errors.items()):
                found.add((cell, method))
    return found


def run(tasks: Iterator[Task], out: Path, folder: Path | None, *, jobs: int, budget: float) -> None:
    """Measure what the file lacks, until all is there or the budget of CPU seconds is spent."""
    spent, count = 0.0, 0
    pool = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))  # not Ctrl-C
    with ends_with_line(out) as file, pool:
        try:
            running = {pool.submit(measure, task, folder): task for task in islice(tasks, jobs)}
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    del running[future]
                    result = future.result()
                    file.write(json.dumps(result) + "\n")
                    file.flush()
                    spent, count = spent + result["seconds"], count + 1
                    if spent < budget and (task := next(tasks, None)):
                        running[pool.submit(measure, task, folder)] = task
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    print(f"{count} collections, {spent / 60:.1f} CPU minutes", file=sys.stderr)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("atlas.jsonl"), help="results, one line each (atlas.jsonl)")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="take census_kdd and covtype from NAME_levels.npz")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--budget-minutes", type=float, default=120, metavar="M", help="stop after M CPU minutes (120)")
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES), help="only these axes of the star (all)")
    parser.add_argument("--epsilons", nargs="+", type=float, metavar="EPS", help="only these epsilons (all)")
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these sets (all)")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, help="only these mechanisms (all)")
    parser.add_argument("--report", action="store_true", help="measure nothing, print what the file holds")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the ratios as a map")
    return parser.parse_args()


def main() -> None:
    given = parsed()
    sets = (*MADE[:2], *(("census_kdd", "covtype") if given.data else MADE[2:]), *SURVEYS)
    if not given.report:
        try:
            every = [cell for cell in cells(sets) if cell.axis in given.axes and cell.set in (given.sets or [cell.set])]
            wanted = [cell for cell in every if not given.epsilons or cell.epsilon in given.epsilons]
            run(
                waiting(wanted, given.methods, given.out),
                given.out,
                given.data,
                jobs=given.jobs,
                budget=60 * given.budget_minutes,
            )
        except KeyboardInterrupt:
            sys.exit(f"stopped; {given.out} holds all that was finished, and the same command goes on from there")
    from atlas_report import draw_map, print_table

    results = list(stored(given.out))
    if not results:
        sys.exit(f"{given.out} holds no results yet: run without --report first")
    print_table(results)
    if given.picture:
        draw_map(results, given.picture)


if __name__ == "__main__":
    import atlas  # the report imports it too, and cells of two modules would never be the same

    atlas.main()
