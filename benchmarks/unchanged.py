"""Whether the same seeds still give the same plans, tallies, models and answers: digests, kept and compared.

    python benchmarks/unchanged.py --write [FILE]   keeps the digests, by default in unchanged.json beside this file
    python benchmarks/unchanged.py [FILE]           compares with those kept, setting by setting; exits 1 if any differ

For work that should change nothing a user can see. Only public names are used, so modules may move. A digest is the
start of a SHA-256. What a plan and a tally hold, and their files, are digested exactly. All other numbers are digested
after rounding to 9 significant digits, those below 1e-12 as zero, since another processor may add in another order; of
a model's file only the keys are digested, and what it answers when it is read back. The crowd is made here, of integers
only. Other versions of numpy (its draws) or pyarrow (its files) may differ with nothing wrong here: the file says which
ones it is from. What the system's randomness decides (clients, randomize) cannot be compared by seeds.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv

ROWS, USERS, PEOPLE = 20_000, 200_000, 300
"""How many rows the crowd has, how many people report, and how many made-up people are drawn from a model."""

DIGITS, NOTHING, SHORT = 9, 1e-12, 12
"""To how many digits numbers are rounded, below what they are zero, and how many hexadecimal digits are kept."""

WIDTH = 84
"""How many characters a setting's name takes where it is printed."""

REGIONS = ("north", "east", "south", "west", "abroad")

ATTRIBUTES: dict[str, sv.Ordinal | sv.Numeric | sv.Categorical] = {
    "age": sv.Ordinal("age", 18, 81),
    "income": sv.Numeric("income", 0, 100_000, bins=32),
    "hours": sv.Numeric("hours", edges=(0, 1, 5, 10, 20, 40, 60, 80), nullable=True),
    "region": sv.Categorical("region", REGIONS),
    "score": sv.Ordinal("score", -3, 12, clip=True),
    "member": sv.Categorical("member", ("no", "yes"), nullable=True),
}

ONE, TWO, THREE, SIX = ("age",), ("age", "income"), ("age", "income", "hours"), tuple(ATTRIBUTES)
ORDERED = ("age", "income", "hours", "score")

PREDICATES: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("age",), "age BETWEEN 30 AND 50"),
    (("age",), "age < 25 OR age > 70"),
    (("age",), sv.col("age").between(40, 44) | (sv.col("age") == 60)),
    (("age",), "age IN (20, 30, 31)"),
    (("age",), "NOT age >= 65"),
    (("income",), "income >= 60000"),
    (("income",), "NOT income BETWEEN 12345.6 AND 23456.7"),
    (("hours",), ~(sv.col("hours") > 15)),
    (("hours",), "hours IS NULL"),
    (("hours",), "hours BETWEEN 4 AND 33.3"),
    (("hours",), "hours >= 20 OR hours IS NULL"),
    (("region",), "region IN ('north', 'abroad')"),
    (("score",), "score >= 5"),
    (("member",), "member = 'yes'"),
    (("age", "income"), sv.col("age").between(30, 50) & (sv.col("income") >= 60_000)),
    (("age", "income"), "age < 40 OR income > 50000"),
    (("age", "income", "hours"), "age >= 40 AND income < 40000 AND hours <= 20"),
    (("income", "hours"), "income < 20000 AND (hours IS NULL OR hours > 40)"),
    (("age", "region", "member"), "age < 50 AND region <> 'east' AND member IS NULL"),
    (("age", "income", "region", "score"), "age > 30 AND income > 30000 AND region = 'south' AND score < 9"),
)
"""What is asked, each with the attributes that it takes."""

Digests = dict[str, str]


@dataclass(frozen=True)
class Setting:
    """One plan, one collection, one model."""

    mechanism: str
    epsilon: float
    names: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    refreshed: bool = False

    @property
    def title(self) -> str:
        """What the setting is called in the file."""
        own = [f"{name}={value}" for name, value in self.options.items()] + ["refreshed"] * self.refreshed
        return " ".join([self.mechanism, f"{self.epsilon:g}", "+".join(self.names), *own])

    @property
    def schema(self) -> sv.Schema:
        """What is asked."""
        return sv.Schema(tuple(ATTRIBUTES[name] for name in self.names))


SETTINGS = (
    Setting("spectral", 0.5, ONE),
    Setting("spectral", 4, ("hours",)),
    Setting("spectral", 1, TWO),
    Setting("spectral", 1, TWO, {"workload": "marginals"}),
    Setting("spectral", 4, THREE),
    Setting("spectral", 1, THREE, {"workload": {"widths": [0.25], "attributes": {"age": 2.0}}}),
    Setting("spectral", 1, THREE, refreshed=True),
    Setting("spectral", 1, SIX),
    Setting("hdg", 0.5, TWO),
    Setting("hdg", 1, THREE, {"oracle": "grr"}),
    Setting("hdg", 1, THREE, {"estimator": "weighted_update", "g1": 16, "g2": 4, "sigma": 0.3}),
    Setting("hdg", 4, SIX, {"oracle": "adaptive"}),
    Setting("hdg", 1, THREE, {"postprocess": False}),
    Setting("tdg", 0.5, TWO),
    Setting("tdg", 1, THREE, {"estimator": "weighted_update"}),
    Setting("tdg", 4, SIX, {"oracle": "adaptive"}),
    Setting("calm", 0.5, ("age", "region")),
    Setting("calm", 1, THREE, {"oracle": "grr"}),
    Setting("calm", 4, ("hours", "region", "score"), {"oracle": "adaptive", "estimator": "weighted_update"}),
    Setting("hio", 0.5, ONE),
    Setting("hio", 1, TWO, {"oracle": "adaptive"}),
    Setting("hio", 4, THREE, {"branching": 2}),
    Setting("hio", 4, ("hours", "region", "score", "member")),
    Setting("lhio", 0.5, TWO),
    Setting("lhio", 1, THREE, {"oracle": "adaptive", "estimator": "weighted_update"}),
    Setting("lhio", 4, ("hours", "region", "score"), {"oracle": "grr", "branching": 2, "postprocess": False}),
    Setting("msw", 0.5, ONE),
    Setting("msw", 1, THREE),
    Setting("msw", 4, ORDERED),
    Setting("uniform", 1, ONE),
    Setting("uniform", 1, SIX),
)


def crowd() -> dict[str, np.ndarray]:
    """Return a table of people whose attributes depend on one another, made of integers alone."""
    generator = np.random.default_rng(2024)
    cause, *own = generator.integers(0, 64, (7, ROWS))
    hours = ((cause + own[2]) * 5 // 8).astype(np.float64)
    hours[own[3] < 6] = np.nan
    return {
        "age": 18 + (3 * cause + own[0]) // 4,
        "income": ((cause * own[1]) * 25).astype(np.float64),
        "hours": hours,
        "region": np.array(REGIONS, dtype=object)[(cause // 16 + (own[3] < 20)) % 5],
        "score": (cause + own[4]) // 8 - 4,
        "member": np.array(["no", "yes", None], dtype=object)[np.where(own[5] < 9, 2, cause > own[5])],
    }


def predicates(names: tuple[str, ...]) -> list[Any]:
    """Return the predicates that take no other attributes than these."""
    return [where for needed, where in PREDICATES if set(needed) <= set(names)]


def random_ranges(names: tuple[str, ...], count: int = 20) -> list[dict[str, Any]]:
    """Return random ranges, and lists of values, on one to all of some attributes."""
    ends = {"age": (18, 81), "income": (0, 100_000), "hours": (0, 80), "score": (-3, 12)}
    values = {"region": REGIONS, "member": ("no", "yes")}
    generator = np.random.default_rng(len(names))
    asked = []
    for _ in range(count):
        query: dict[str, Any] = {}
        for index in np.sort(generator.choice(len(names), generator.integers(1, len(names) + 1), replace=False)):
            name = names[index]
            if name in values:
                query[name] = list(values[name][: generator.integers(1, len(values[name]))])
            else:
                query[name] = tuple(np.sort(generator.integers(ends[name][0], ends[name][1] + 1, 2)).tolist())
        asked.append(query)
    return asked


def digest(value: Any) -> str:
    """Return the digest of bytes as they are, and of anything else in its plain form."""
    data = value if isinstance(value, bytes) else json.dumps(plain(value)).encode()
    return hashlib.sha256(data).hexdigest()[:SHORT]


def plain(value: Any) -> Any:
    """Return a value as lists, texts and integers, its floats rounded."""
    if isinstance(value, sv.Answer):
        about = [value.level, value.reports, value.where, value.count, value.count_interval, value.interval_note]
        return plain(["answer", value.fraction, value.interval, value.deviation, *about, str(value)])
    if isinstance(value, sv.Estimate):
        return plain(["estimate", float(value), value.interval, value.level, value.interval_note, str(value)])
    if isinstance(value, float):
        return f"{0.0 if abs(value) < NOTHING else value:.{DIGITS}g}"
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, dict):
        return [[plain(key), plain(own)] for key, own in value.items()]
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def saved(thing: sv.Plan | sv.Tally | sv.Model) -> bytes:
    """Return the file that something is saved as."""
    with tempfile.TemporaryDirectory() as folder:
        thing.save(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()


def read_back(model: sv.Model) -> sv.Model:
    """Return a model as it comes back from its file."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "file")
        return sv.load_model(Path(folder) / "file")


def key_paths(document: Any, path: str = "") -> set[str]:
    """Return the path of every key of a JSON document; places in a list are not told apart."""
    if isinstance(document, list):
        return set().union(*(key_paths(item, f"{path}[]") for item in document))
    if not isinstance(document, dict):
        return set()
    own = {f"{path}.{key}": value for key, value in document.items()}
    return set(own).union(*(key_paths(value, index) for index, value in own.items()))


def plan_digests(plan: sv.Plan) -> Digests:
    """Return the digests of a plan, its names, its audit and its counting statement."""
    audit = plan.audit()
    exact = [audit.ratio.numerator, audit.ratio.denominator, audit.question, audit.channel]
    liars = [[each.liars, each.bound, each.question] for each in audit.influence]
    return {
        "plan": digest(plan.to_json()),
        "plan file": digest(saved(plan)),
        "fingerprint": digest(plan.fingerprint),
        "collection": digest(plan.collection),
        "audit": digest([*exact, audit.epsilon, audit.limit, liars, plan.for_browsers]),
        "statement": digest(plan.sql("postgres")),
    }


def tally_digests(tally: sv.Tally, what: str) -> Digests:
    """Return the digests of a tally's counts and of its file."""
    return {what: digest([*tally.columns(), tally.question_totals, tally.total]), f"{what} file": digest(saved(tally))}


def answer_digests(model: sv.Model, names: tuple[str, ...]) -> Digests:
    """Return the digests of everything that any model can be asked."""
    wheres = predicates(names)
    ordered = [name for name in names if name in ORDERED]
    answers = [model.answer(where, level=0.95, population=80_000_000) for where in wheres]
    given = model.answers(wheres[1:], given=wheres[0])
    means = [model.mean(name, where=where) for name in ordered for where in ("TRUE", wheres[0])]
    quantiles = [model.quantile(name, part) for name in ordered for part in (0.05, 0.5, 0.9)]
    gaps = [sv.difference(answers[0], answers[-1]), sv.difference(means[0], means[1])]
    return {
        "answers": digest(answers),
        "given": digest(given),
        "ranges": digest(model.answer_ranges(random_ranges(names))),
        "marginal": digest([model.marginal(*names[:2]), model.marginal(names[-1], where=wheres[0])]),
        "mean": digest(means),
        "quantile": digest([*quantiles, model.quantile(ordered[-1], 0.5, where=wheres[0])]),
        "groups": digest([model.group_by(names[-1], where=wheres[0]), model.group_by(names[0], level=0.5)]),
        "difference": digest(gaps),
        "correlation": digest(model.correlation()),
    }


def people_digests(model: sv.Model, names: tuple[str, ...], seed: int) -> Digests:
    """Return the digests of made-up people and of a calibrated model, or of the refusal of a model that has neither."""
    marginal = model.marginal(names[0])
    known = {names[0]: (marginal + 1 / len(marginal)) / 2}
    try:
        people = model.sample(PEOPLE, seed=seed, frame="arrow")
        calibrated = model.calibrate(known)
    except sv.ModelError as error:
        return {"no people": digest(str(error))}
    drawn = calibrated.sample(PEOPLE, seed=seed, frame="arrow")
    return {
        "people": digest([[str(column) for column in people.schema], people.to_pydict()]),
        "calibrated": digest([calibrated.answer_ranges(random_ranges(names)), calibrated.answers(predicates(names))]),
        "calibrated people": digest(drawn.to_pydict()),
        "calibrated file": digest(sorted(key_paths(json.loads(saved(calibrated))))),
    }


def setting_digests(setting: Setting, table: dict[str, np.ndarray], seed: int) -> Digests:
    """Return the digest of every stage of one setting."""
    names = setting.names
    plan = sv.Plan.create(
        setting.schema, epsilon=setting.epsilon, users=USERS, mechanism=setting.mechanism, **setting.options
    )
    digests = plan_digests(plan)
    rows = sv.simulate(plan, table, seed=seed)
    tally = sv.simulate(plan, table, seed=seed + 1, users=USERS)
    digests |= tally_digests(rows, "tally of rows") | tally_digests(tally, "tally")
    if setting.refreshed:
        plan = plan.refresh(rows)
        tally = sv.simulate(plan, table, seed=seed + 2, users=USERS - ROWS)
        tally.merge(rows)
        digests |= {"refreshed plan": digest(plan.to_json())} | tally_digests(tally, "merged tally")
    model = sv.fit(plan, tally, seed=seed)
    digests |= answer_digests(model, names) | people_digests(model, names, seed)
    digests["model"] = digest([repr(model), sorted(key_paths(json.loads(saved(model))))])
    digests["read back"] = digest(read_back(model).answers(predicates(names)))
    fast = sv.fit(plan, tally, seed=seed, quality="fast")
    digests["fast"] = digest([fast.answer_ranges(random_ranges(names)), fast.answers(predicates(names))])
    return digests


def forecast_digests(mechanism: str, table: dict[str, np.ndarray], seed: int) -> Digests:
    """Return the digest of what is expected of a small collection, of any crowd and of one like the table."""
    schema = sv.Schema((ATTRIBUTES["score"], ATTRIBUTES["hours"]))
    design: dict[str, Any] = {"epsilon": 2, "mechanism": mechanism, "seed": seed}
    blind = sv.forecast(schema, users=5_000, **design)
    informed = sv.forecast(schema, users=5_000, like=table, **design)
    rows = [
        [row.dimensions, row.error, row.within, row.easiest, row.hardest]
        for each in (blind, informed)
        for row in each.expected
    ]
    return {"forecast": digest([rows, str(blind), str(informed)])}


def report_digests() -> Digests:
    """Return the digests of both forms of fixed reports, and of what is read from them."""
    numbers = ((0, 0), (1, 127), (128, 300), (70_000, 2**40), (2**63 - 1, 2**63 - 1))
    name = hashlib.sha256(b"plan").hexdigest()
    reports = [sv.Report(name, f"{index:032x}", *pair) for index, pair in enumerate(numbers)]
    texts, binaries = [report.to_json() for report in reports], [report.to_bytes() for report in reports]
    again = [sv.Report.from_json(text) for text in texts], [sv.Report.from_bytes(data) for data in binaries]
    return {
        "json": digest(texts),
        "bytes": digest(b"".join(binaries)),
        "read back": digest([own == reports for own in again]),
    }


def schema_digests() -> Digests:
    """Return the digests of both forms of the schema, and of what is read from them."""
    schema = sv.Schema(tuple(ATTRIBUTES.values()))
    again = [sv.Schema.from_toml(schema.to_toml()), sv.Schema.from_json(schema.to_json())]
    return {
        "json": digest(schema.to_json()),
        "toml": digest(schema.to_toml()),
        "read back": digest([own == schema for own in again]),
    }


def all_settings(seed: int) -> Iterator[tuple[str, Callable[[], Digests]]]:
    """Yield the name of every setting, and what computes its digests."""
    table = crowd()
    yield "reports", report_digests
    yield "schema", schema_digests
    for setting in SETTINGS:
        yield setting.title, partial(setting_digests, setting, table, seed)
    for mechanism in ("spectral", "hdg", "msw"):
        yield f"forecast {mechanism}", partial(forecast_digests, mechanism, table, seed)


def origin() -> dict[str, str]:
    """Return what digests come from: the package's version and commit, and those of what it stands on."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"]
    found = subprocess.run(command, cwd=Path(sv.__file__).parent, capture_output=True, text=True, check=False)
    return {
        "sottovoce": sv.__version__,
        "commit": found.stdout.strip() or "unknown",
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: version(name) for name in ("numpy", "pyarrow", "sqlglot")},
    }


def differences(kept: Digests, found: Digests) -> list[str]:
    """Return the stages whose digests are not the same."""
    return [stage for stage in dict.fromkeys((*kept, *found)) if kept.get(stage) != found.get(stage)]


def compare(kept: dict[str, Digests], seed: int, only: str) -> int:
    """Print a line for each setting, and return how many are not the same; one that fails is not."""
    changed = 0
    for title, compute in all_settings(seed):
        if only not in title:
            continue
        try:
            off = differences(kept.pop(title, {}), compute())
            words = f"DIFFERENT: {', '.join(off)}" if off else "same"
        except Exception as error:
            off, words = ["failed"], f"FAILED: {type(error).__name__}: {error}"
        changed += bool(off)
        print(f"{title:<{WIDTH}} {words}", flush=True)
    for title in kept:
        if only in title:
            changed += 1
            print(f"{title:<{WIDTH}} MISSING: kept, and no longer computed", flush=True)
    return changed


def write(path: Path, seed: int, only: str) -> None:
    """Keep the digests of all settings, with what they come from."""
    settings = {}
    for title, compute in all_settings(seed):
        if only in title:
            start = time.process_time()
            settings[title] = compute()
            print(f"{title:<{WIDTH}} {time.process_time() - start:>6.1f} CPU s", flush=True)
    path.write_text(json.dumps({"origin": origin(), "settings": settings}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=Path(__file__).with_suffix(".json"), help="the digests")
    parser.add_argument("--write", action="store_true", help="keep the digests instead of comparing them")
    parser.add_argument("--only", default="", help="only settings whose name holds this text")
    parser.add_argument("--seed", type=int, default=0, help="another one must give differences: a check of this check")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", sv.FewReportsWarning)
    print(f"the package at {Path(sv.__file__).parent}: {origin()}")
    if arguments.write:
        write(arguments.file, arguments.seed, arguments.only)
        return
    document = json.loads(arguments.file.read_text(encoding="utf-8"))
    print(f"compared with {arguments.file}: {document['origin']}")
    changed = compare(document["settings"], arguments.seed, arguments.only)
    verdict = f"{changed} settings are NOT the same" if changed else "all the same"
    print(f"{verdict}; {time.process_time():.0f} CPU s")
    sys.exit(bool(changed))


if __name__ == "__main__":
    main()
