"""Are findings true? Made-up crowds whose every difference is known, collected over and over, and what a report finds.

    python benchmarks/findings.py --out findings.jsonl             measure: the building crowds
    python benchmarks/findings.py --out findings.jsonl --report    print what was measured

Every crowd is collected as it is, and once more with its columns shuffled apart, so that nothing goes together and
whatever is found is false. A finding is false if the difference has the other sign, or is so small that columns
shuffled apart would show as much (below half a point of a share, or a hundredth of a standard deviation of a mean). The
false discovery rate is the mean over collections of the share of false ones among the findings, nothing found counting
as 0; the false coverage rate is the same of intervals that miss. Both should be at most 10 %. One line of the file is
one collection, written as soon as it is known: the same command goes on where it stopped.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import functools
import json
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce._types import Floats
from sottovoce.model.findings import Finding, find
from sottovoce.query.labels import Label
from sottovoce.simulation.crowds import BUILDING, CROWDS, Clause, Population

ROWS, POPULATION_SEED = 400_000, 0
CELLS = ((50_000, 2.0), (200_000, 4.0), (1_000_000, 1.0))
SMALL_SHARE, SMALL_MEAN = 0.005, 0.01


@functools.lru_cache(maxsize=1)
def known(crowd: str, shuffled: bool) -> tuple[dict[str, Any], Population]:
    """Return a crowd's people, as they are or with every column shuffled on its own, and the truth of them."""
    table = CROWDS[crowd].draw(ROWS, POPULATION_SEED)
    if shuffled:
        generator = np.random.default_rng(1)
        table = {name: generator.permutation(column) for name, column in table.items()}
    return table, Population(CROWDS[crowd].schema, table)


def measure(crowd: str, shuffled: bool, people: int, epsilon: float, collection: int) -> dict[str, Any]:
    """Return what one collection finds, with the truth of it."""
    table, population = known(crowd, shuffled)
    plan = sv.Plan.create(CROWDS[crowd].schema, epsilon=epsilon, users=people)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sv.FewReportsWarning)
        found = find(sv.fit(plan, sv.simulate(plan, table, users=people, seed=collection)))
    rows = [{**row, **truth(population, one)} for row, one in zip(found.rows(), found.chosen, strict=True)]
    about = {"crowd": crowd, "shuffled": shuffled, "people": people, "epsilon": epsilon, "collection": collection}
    return {**about, "pairs": found.pairs, "lines": found.lines, "findings": rows}


def truth(population: Population, finding: Finding) -> dict[str, Any]:
    """Return a finding's true difference, whether the finding is false, and whether its interval misses."""
    inside = population.selected([clause(finding.by, finding.group)])
    levels, size = population.levels[finding.name], population.attributes[finding.name].value_levels
    answered = np.arange(population.attributes[finding.name].size) < size
    weights = values(population, finding)
    means = []
    for members in (inside, 1 - inside):
        counts = np.bincount(levels, members, len(answered))
        counts = counts if finding.value is not None else counts * answered
        means.append(float(counts @ weights / counts.sum()))
    gap = means[0] - means[1]
    small = SMALL_SHARE if finding.value is not None else SMALL_MEAN * population.deviation(finding.name)
    low, high = finding.gap.interval
    return {"truth": gap, "false": gap * float(finding.gap) <= 0 or abs(gap) < small, "missed": not low <= gap <= high}


def clause(name: str, label: Label) -> Clause:
    """Return the condition that a group's label stands for."""
    if isinstance(label, str):
        return Clause(name, values=(label,))
    low, high = label if isinstance(label, tuple) else (label, label)
    return Clause(name, low=low, high=high)


def values(population: Population, finding: Finding) -> Floats:
    """Return what every level weighs: 1 for the value whose share is found, otherwise its number."""
    attribute = population.attributes[finding.name]
    if isinstance(attribute, sv.Categorical):
        return Clause(finding.name, values=(str(finding.value),)).weights(attribute)
    if isinstance(attribute, sv.Ordinal):
        own = attribute.low + np.arange(attribute.value_levels, dtype=np.float64)
    else:
        edges = np.array(attribute.boundaries)
        own = (edges[:-1] + edges[1:]) / 2
    return np.append(own, np.zeros(attribute.size - len(own)))


def report(rows: list[dict[str, Any]]) -> None:
    """Print the rates, for each cell and for both kinds of crowd."""
    print("people  epsilon  crowds    collections  findings  false discovery rate  false coverage rate")
    for shuffled, (people, epsilon) in product((False, True), CELLS):
        cell = [row for row in rows if (row["shuffled"], row["people"], row["epsilon"]) == (shuffled, people, epsilon)]
        if cell:
            kind = "shuffled" if shuffled else "as is"
            found = sum(len(row["findings"]) for row in cell)
            rates = [np.mean([share(row["findings"], what) for row in cell]) for what in ("false", "missed")]
            print(f"{people:9,}  {epsilon:3g}  {kind:8}  {len(cell):6}  {found:6}  {rates[0]:12.1%}  {rates[1]:18.1%}")


def share(findings: list[dict[str, Any]], what: str) -> float:
    """Return the share of findings that are false or missed; 0 where nothing was found."""
    return sum(one[what] for one in findings) / max(1, len(findings))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="a line per collection")
    parser.add_argument("--collections", type=int, default=4, help="of each crowd and cell")
    parser.add_argument("--crowds", nargs="+", choices=[*CROWDS], default=[*BUILDING])
    parser.add_argument("--report", action="store_true", help="print what was measured")
    given = parser.parse_args()
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    rows = [json.loads(line) for line in lines]
    if given.report:
        report(rows)
        return
    done = {tuple(row[name] for name in ("collection", "crowd", "shuffled", "people", "epsilon")) for row in rows}
    for task in product(range(given.collections), given.crowds, (False, True), CELLS):
        collection, crowd, shuffled, (people, epsilon) = task
        if (collection, crowd, shuffled, people, epsilon) not in done:
            with given.out.open("a", encoding="utf-8") as out:
                print(json.dumps(measure(crowd, shuffled, people, epsilon, collection)), file=out)


if __name__ == "__main__":
    main()
