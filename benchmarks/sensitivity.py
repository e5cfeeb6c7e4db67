"""What every constant of Spectral's design and fit does: each is halved and doubled, and errors and intervals compared.

    python benchmarks/sensitivity.py --out sensitivity.jsonl [--jobs 1] [--collections 1] [--only prior]
    python benchmarks/sensitivity.py --out sensitivity.jsonl --report              print docs/design/constants.md

The sets are three of the atlas, made here, small enough that a collection takes a second or two. All settings see the
same reports wherever the constant leaves the plan alone. The error is the geometric mean, over sets, collections and
measures (ranges of one and two attributes, distributions of one and of two), of the error beside that with the
constant as it is. Of a constant that changes the plan it says little unless there are many collections; so the report
also has what such a constant does to the plan's expected error under the prior as it is, and to its length. Coverage
is how often 90 % intervals of ranges hold. A line of the file is one setting, set and collection; the same command goes
on where it stopped. Names and reasons are read from the source.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import ast
import importlib
import inspect
import json
import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import sottovoce as sv
from atlas import Cell, Known, known
from believe import ends_with_line, stored
from sottovoce.channels import parse_epsilon
from sottovoce.mechanisms.spectral.blocks import Candidates, coefficient_groups
from sottovoce.mechanisms.spectral.design import design, expected_error, information
from sottovoce.mechanisms.spectral.prior import PRIOR
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload

ROOM = "sottovoce.mechanisms.spectral."
MODULES = ("design", "pricing", "single", "scores", "loglinear", "joint", "mixture", "doubt")
"""Modules whose numbers are constants; `_MIDDLE`, which is a place in a list, is none."""

QUANTILES = ("shown", "cautious")

STRUCTS = (("prior", "PRIOR"), ("belief", "BELIEF"), ("fitting", 'EFFORTS["default"]'))
CELLS = (
    Cell("heaped", 1.0, people=100_000, attributes=3),
    Cell("opinions", 1.0, people=50_000),
    Cell("survey", 2.0, people=50_000),
)
PLANS: tuple[tuple[list[Axis], float, int], ...] = (
    ([Axis(64)] * 6, 1.0, 200_000),
    ([Axis(64), Axis(16), Axis(2), Axis(5, ordered=False), Axis(12, ordered=False), Axis(8)], 4.0, 50_000),
)
"""The plans whose expected error and length are compared: attributes, epsilon and people."""

PLANNING = ("prior", "design", "pricing")
FACTORS = (0.5, 2.0)
ASKED = 60
"""So many ranges of one and of two attributes each are asked for with intervals."""

NOTABLE = 0.03
"""A change of the error by so much, and by more than two standard errors, is set in bold."""


@dataclass(frozen=True)
class Constant:
    """A number of the source: where it is, what it is called, and why it is what it is."""

    home: str
    owner: str
    name: str
    value: float
    reason: str

    @property
    def title(self) -> str:
        """What the constant is called in the table."""
        return f"{self.home}.{self.owner + '.' if self.owner else ''}{self.name}"

    def times(self, factor: float) -> float:
        """Return the value halved or doubled; whole numbers stay whole and positive.

        Of a quantile it is what is missing to one, the other way round: doubled it is halfway nearer to one.
        """
        if self.name in QUANTILES:
            return 1 - (1 - self.value) / factor
        changed = self.value * factor
        return max(1, round(changed)) if isinstance(self.value, int) else changed


@dataclass(frozen=True, order=True)
class Setting:
    """One constant at another value, measured on one collection of one set; no constant is everything as it is."""

    collection: int
    index: int
    constant: str
    factor: float


def constants() -> list[Constant]:
    """Return every constant, in the order of the source."""
    found = []
    for home, owner in STRUCTS:
        struct = _struct(home, owner)
        reasons = _field_reasons(inspect.getdoc(type(struct)) or "")
        for field in fields(struct):
            value = getattr(struct, field.name)
            if not isinstance(value, bool):  # yes or no has no half
                found.append(Constant(home, owner, field.name, value, reasons.get(field.name, "")))
    for home in MODULES:
        found += _module_constants(home)
    return found


def _module(home: str) -> ModuleType:
    return importlib.import_module(ROOM + home)


def _struct(home: str, owner: str) -> Any:
    name, _, key = owner.partition("[")
    held = getattr(_module(home), name)
    return held[key.strip('"]')] if key else held


def _field_reasons(text: str) -> dict[str, str]:
    """Return what a docstring says of each attribute; of several described together, the same of each."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("Attributes:")[2].splitlines():
        heads = re.match(r" {4}(\w[\w, ]*): (.*)", line)
        if heads:
            names = heads[1].split(", ")
            found |= dict.fromkeys(names, heads[2])
        elif line.strip():
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return found


def _module_constants(home: str) -> Iterator[Constant]:
    """Yield the numbers that a module names in capitals, with the comment or the string behind each."""
    lines = inspect.getsource(_module(home)).splitlines()
    body = ast.parse("\n".join(lines)).body
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.Assign):
            continue
        target = statement.targets[0]
        names = [target] if isinstance(target, ast.Name) else getattr(target, "elts", [])
        comment = lines[statement.lineno - 1].partition("# ")[2]
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and not comment:
            comment = " ".join(str(after.value.value).split())
        for name in (each.id for each in names if each.id.isupper() and each.id != "_MIDDLE"):
            value = getattr(_module(home), name)
            if isinstance(value, int | float):
                yield Constant(home, "", name, value, comment)
            elif isinstance(value, tuple) and all(isinstance(each, int | float) for each in value):
                yield from (Constant(home, "", f"{name}[{i}]", each, comment) for i, each in enumerate(value))


@contextmanager
def changed(constant: Constant | None, factor: float) -> Iterator[None]:
    """Set a constant to another value for a while."""
    if constant is None:
        yield
        return
    holder = _struct(constant.home, constant.owner) if constant.owner else _module(constant.home)
    try:
        _put(holder, constant.name, constant.times(factor))
        yield
    finally:
        _put(holder, constant.name, constant.value)


def _put(holder: Any, name: str, value: float) -> None:
    name, _, index = name.partition("[")
    whole = list(getattr(holder, name)) if index else []
    if index:
        whole[int(index.removesuffix("]"))] = value
    object.__setattr__(holder, name, tuple(whole) if index else value)  # structs are frozen for everybody else
    getattr(holder, "__dict__", {}).pop("grid", None)  # what a struct has computed from its fields


def measure(setting: Setting, collection_seed: int) -> dict[str, Any]:
    """Return the errors and how many intervals held."""
    warnings.simplefilter("ignore")
    cell = CELLS[setting.index]
    truth = known(cell.set, cell.attributes, cell.levels, None)
    constant = next((each for each in constants() if each.title == setting.constant), None)
    with changed(constant, setting.factor):
        plan = sv.Plan.create(truth.people.schema, epsilon=cell.epsilon, users=cell.people, mechanism="spectral")
        tally = sv.simulate(plan, truth.people.table, users=cell.people, seed=collection_seed)
        model = sv.fit(plan, tally)
        errors, held, widths = _judged(model, truth)
    return {**asdict(setting), "errors": errors, "held": held, "widths": widths}


def _judged(model: sv.Model, truth: Known) -> tuple[dict[str, float], float, float]:
    errors, held, widths = {}, [], []
    for name in ("ranges of 1", "ranges of 2"):
        asked, answers = truth.queries[name]
        errors[name] = float(np.abs(model.answer_ranges(asked) - answers).mean())
        for answer, true in zip(model.answers([_predicate(q) for q in asked[:ASKED]]), answers, strict=False):
            low, high = answer.interval
            held.append(low <= true <= high)
            widths.append(high - low)
    for name, tables in truth.tables.items():
        errors[name] = float(np.mean([np.abs(model.marginal(*n) - t).sum() / 2 for n, t in tables.items()]))
    return errors, float(np.mean(held)), float(np.mean(widths))


def _predicate(query: dict[str, Any]) -> str:
    words = []
    for name, wanted in query.items():
        if isinstance(wanted, tuple):
            words.append(f"{name} BETWEEN {wanted[0]} AND {wanted[1]}")
        else:
            words.append(f"{name} IN ({', '.join(repr(value) for value in wanted)})")
    return " AND ".join(words)


def settings(collections: int, only: str) -> list[Setting]:
    """Return all settings, collection by collection and set by set: what was finished when stopped tells most."""
    names = [("", 1.0)]
    last = sorted(constants(), key=lambda each: each.home in PLANNING)  # what changes the plan is known without chance
    names += [(each.title, factor) for each, factor in product(last, FACTORS) if only in each.title]
    return [
        Setting(collection, index, name, factor)
        for collection in range(collections)
        for index in range(len(CELLS))
        for name, factor in names
    ]


def run(out: Path, wanted: Sequence[Setting], jobs: int) -> None:
    """Measure what the file lacks."""
    done = {setting_of(result) for result in stored(out)}
    left = [setting for setting in wanted if setting not in done]
    with ends_with_line(out) as file, ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(measure, left, [setting.collection for setting in left]):
            file.write(json.dumps(result) + "\n")
            file.flush()


def setting_of(result: dict[str, Any]) -> Setting:
    """Return what a result is of."""
    return Setting(*(result[name] for name in ("collection", "index", "constant", "factor")))


def effect(results: dict[Setting, dict[str, Any]], name: str, factor: float) -> tuple[float, float, float] | None:
    """Return the geometric mean of errors beside those with nothing changed, its standard error, and the coverage."""
    logs, held = [], []
    for setting, result in results.items():
        base = results.get(Setting(setting.collection, setting.index, "", 1.0))
        if (setting.constant, setting.factor) == (name, factor) and base is not None:
            logs.append(np.mean([np.log(error / base["errors"][key]) for key, error in result["errors"].items()]))
            held.append(result["held"])
    if not logs:
        return None
    error = float(np.std(logs, ddof=1) / np.sqrt(len(logs))) if len(logs) > 1 else float("nan")
    return float(np.exp(np.mean(logs))), error, float(np.mean(held))


def planned(constant: Constant | None, factor: float) -> np.ndarray:
    """Return the root of the expected squared error and the number of questions of every plan, as logarithms."""
    found = []
    for axes, epsilon, people in PLANS:
        workload = Workload.all_ranges(len(axes))
        with changed(constant, factor):
            blocks = design(axes, parse_epsilon(epsilon), people, workload)
        groups = coefficient_groups(axes, workload, prior=PRIOR.at(parse_epsilon(epsilon)))
        asked = Candidates.of(groups, parse_epsilon(epsilon), [block for block, _ in blocks])
        error = expected_error(groups, information(asked, people, np.array([share for _, share in blocks])))
        found.append((math.log(error) / 2, math.log(sum(block.questions for block, _ in blocks))))
    return np.array(found)


def page(results: dict[Setting, dict[str, Any]]) -> str:
    """Return the page of constants."""
    base = effect(results, "", 1.0)
    if base is None:
        sys.exit("nothing was measured with the constants as they are: run without --report first")
    collections = 1 + max(setting.collection for setting in results)
    varied = {setting.index for setting in results if setting.constant}
    seen = [CELLS[index] for index in sorted(varied or {setting.index for setting in results})]
    about = ", ".join(f"{c.set} ({c.attributes} attributes, {c.people:,} people, epsilon {c.epsilon:g})" for c in seen)
    lines = [
        "# The constants of Spectral, and what halving and doubling each does",
        "",
        "Written by `python benchmarks/sensitivity.py --report`. Errors are geometric means over ranges of one and two",
        "attributes and distributions of one and of two, beside those with every constant as it is; coverage is of",
        f"90 % intervals, {100 * base[2]:.0f} % with nothing changed. Sets, all made up: {about};",
        f"{collections} collection{'s' if collections > 1 else ''} each. Bold: the error changes by more than",
        f"{100 * NOTABLE:.0f} % and two standard errors; empty: not measured. Where a constant changes the plan, other",
        "reports are drawn, and chance moves the error of one collection by a third; so the plan's expected error",
        "under the prior as it is, and its number of questions, are given beside the plan with nothing changed: means",
        "of a plan for six attributes of 64 levels (200,000 people, epsilon 1) and one for six mixed attributes",
        "(50,000 people, epsilon 4). A prior other than the one judged by is worse by that measure whatever the truth.",
        "Whole numbers are rounded; of a quantile what is missing to one is doubled and halved.",
        "",
        "| constant | value | reason | error, half | double | coverage, half | double | plan's error, half | double "
        "| questions, half | double |",
        "|---" * 11 + "|",
    ]
    plain = planned(None, 1.0)
    for each in constants():
        halves = [effect(results, each.title, factor) for factor in FACTORS]
        errors = [_told(half) for half in halves]
        if not any(errors) and each.home not in PLANNING:
            errors[0] = "not measured"
        covered = ["" if half is None else f"{100 * half[2]:.0f} %" for half in halves]
        plans = ["", "", "", ""]
        if each.home in PLANNING:
            means = [np.exp((planned(each, factor) - plain).mean(axis=0)) for factor in FACTORS]
            plans = [f"{means[which][part]:.{3 - part}f}" for part in range(2) for which in range(2)]
        reason = each.reason.replace("|", "\\|")
        lines.append(f"| `{each.title}` | {each.value:g} | {reason} | {' | '.join(errors + covered + plans)} |")
    return "\n".join(lines) + "\n"


def _told(found: tuple[float, float, float] | None) -> str:
    if found is None:
        return ""
    mean, error, _ = found
    text = f"{mean:.2f}"
    return f"**{text}**" if abs(mean - 1) > max(NOTABLE, 2 * error) > 0 and math.isfinite(error) else text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("sensitivity.jsonl"), help="results (sensitivity.jsonl)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--collections", type=int, default=1, metavar="N", help="collections of every set (1)")
    parser.add_argument("--only", default="", help="only constants whose name holds this text")
    parser.add_argument("--report", action="store_true", help="measure nothing, print the page of constants")
    given = parser.parse_args()
    if not given.report:
        run(given.out, settings(given.collections, given.only), given.jobs)
    print(page({setting_of(result): result for result in stored(given.out)}), end="")


if __name__ == "__main__":
    main()
