"""Files of reports with everything wrong that can be, and what counting them must give."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sottovoce as sv
from sottovoce.client.report import PLAN_KEY
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.questions import Family
from tests.crowds import mixed_crowd, mixed_schema


def small_plan() -> sv.Plan:
    """Return a plan whose questions have alphabets of different sizes."""
    return sv.Plan.create(mixed_schema(3), epsilon=1, users=10_000, mechanism="hdg")


def huge_plan() -> sv.Plan:
    """Return a plan that is not for dense tables: two questions, of 2 codes and of some 2^43."""
    base = sv.Plan.create(
        sv.Schema([sv.Ordinal("a", 0, 2**20 - 1), sv.Ordinal("b", 0, 2**20 - 1)]),
        epsilon=1,
        users=10,
        mechanism="hdg",
        g1=2,
        g2=2,
    )
    tables = (BinMap(edges=(0, 5, 2**20)), BinMap(identity=2**20))
    families = (
        Family(attributes=(0,), tables=((0,),), channel="grr", shares=2**31),
        Family(attributes=(0, 1), tables=((1,), (1,)), channel="local_hash", shares=2**31),
    )
    plan = msgspec.structs.replace(base, tables=tables, families=families)
    plan.check()
    return plan


def good_reports(plan: sv.Plan, people: int, *, seed: int) -> pa.BinMap:
    """Return reports that a simulated crowd might send; the same for the same seed."""
    generator = np.random.default_rng(seed)
    codes = plan.questions.codes
    questions = generator.integers(0, len(codes), people)
    return stamped(plan, {"question": questions, "code": generator.integers(0, codes[questions])})


def stamped(plan: sv.Plan, columns: dict[str, object]) -> pa.BinMap:
    """Return a table of reports that says which plan it answers."""
    return pa.table(columns).replace_schema_metadata({PLAN_KEY: plan.fingerprint})


def write_bad_files(plan: sv.Plan, directory: Path) -> tuple[sv.Tally, Counter[str]]:
    """Write good and bad files without ids; return the tally of the good rows, and what must be refused."""
    questions, codes = len(plan.questions), plan.questions.codes.tolist()
    good = good_reports(plan, 3000, seed=1)
    odd = pa.schema([("question", pa.int64()), ("code", pa.uint64())])
    bad_rows = [(0, 0), (None, 0), (0, None), (None, None), (-1, 0), (questions, 0), (2**62, 1), (-(2**62), None)]
    bad_rows += [(0, codes[0]), (questions - 1, codes[-1]), (0, 2**64 - 1), (0, 2**63), (questions - 1, codes[-1] - 1)]
    bad = pa.table({"question": [row[0] for row in bad_rows], "code": [row[1] for row in bad_rows]}, schema=odd)
    files = {
        "good": good,
        "signed": stamped(plan, {"question": pa.array([0, -1], pa.int8()), "code": pa.array([1, 0], pa.int32())}),
        "bad": bad.replace_schema_metadata({PLAN_KEY: plan.fingerprint}),
        "no-plan": good.slice(0, 7).replace_schema_metadata(None),
        "wrong-plan": bad.replace_schema_metadata({PLAN_KEY: "another'; DROP"}),
        "text": stamped(plan, {"question": ["0", "1"], "code": [0, 1]}),
        "floats": stamped(plan, {"question": [0, 1, 1], "code": [0.0, 1.0, 2.0]}),
        "one column": stamped(plan, {"question": [0, 1, 1, 0]}),
        "a[b]'c*": good.slice(0, 5),
        "empty": good.slice(0, 0),
    }
    for name, table in files.items():
        (directory / "day=1" / "code=7").mkdir(parents=True, exist_ok=True)
        folder = directory / "day=1" / "code=7" if name == "bad" else directory
        pq.write_table(table, folder / f"{name}.parquet")
    expected = sv.Tally(plan)
    expected.add(good)
    expected.add(good.slice(0, 5))
    expected.add(stamped(plan, {"question": [0, questions - 1, 0], "code": [0, codes[-1] - 1, 1]}))
    refused = Counter(
        {
            "no plan": 7,
            "wrong type": 9,
            "null": 4 + 4,
            "wrong plan": 9,
            "impossible question": 3 + 1,
            "impossible code": 4,
        }
    )
    return expected, refused


def write_duplicates(plan: sv.Plan, directory: Path) -> tuple[sv.Tally, Counter[str]]:
    """Write files with ids, in bytes and in text, some of them sent again; return what must be counted and refused."""
    good = good_reports(plan, 500, seed=2)
    ids = [bytes([folder % 256, folder // 256]) * 8 for folder in range(500)]
    again = [3, 3, 8, 499]
    kind = pa.binary(16)
    last = len(plan.questions) - 1
    tables = {
        "first": good.append_column("id", pa.array(ids, kind)),
        "again": good.take(again).append_column("id", pa.array([ids[folder] for folder in again], kind)),
        "text": good.take([5, 6]).append_column("id", pa.array([ids[5].hex(), "new"])),
        # one id, four contents: the smallest that can be is counted, whatever else bears its id
        "conflict": stamped(
            plan,
            {
                "question": pa.array([last, 0, 0, -1, 0, 0], pa.int32()),
                "code": pa.array([0, 1, 0, 0, int(plan.questions.codes[0]), None], pa.int64()),
                "id": pa.array([b"c" * 16] * 6, kind),
            },
        ),
        "null id": good.slice(0, 2).append_column("id", pa.array([None, b"n" * 16], kind)),
        "number": good.slice(0, 6).append_column("id", pa.array(range(6))),
        "without": good.slice(0, 11),
    }
    for name, table in tables.items():
        pq.write_table(table, directory / f"{name}.parquet")
    expected = sv.Tally(plan)
    expected.add(good)
    expected.add(good.take([6]))
    expected.add(good.slice(1, 1))
    expected.add(good.slice(0, 11))
    expected.add(stamped(plan, {"question": [0], "code": [0]}))
    refused = Counter(
        {"duplicate": 4 + 1 + 2, "null": 1 + 1, "impossible question": 1, "impossible code": 1, "wrong type": 6}
    )
    return expected, refused


def crowd_for(plan: sv.Plan, people: int, *, seed: int) -> dict[str, np.ndarray]:
    """Return records that answer the small plan."""
    crowd = mixed_crowd(people, seed=seed)
    return {name: crowd[name] for name in plan.schema.names}
