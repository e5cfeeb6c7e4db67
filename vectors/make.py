"""Write the test vectors that the Python and the JavaScript client must both reproduce.

    python vectors/make.py

Every number beyond 2^53 is a string. ``values`` are JSON values; a number that JSON cannot hold is written as
``{"number": "NaN"}``, ``"Infinity"`` or ``"-Infinity"``. A level of null says that the value must be refused.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import sottovoce as sv
from sottovoce.channels import GRR, LocalHash, Parity, SquareWave, make_channel
from sottovoce.channels.local_hash import best_prime
from sottovoce.client.budget import Limits, Spent, cost_of, plain
from sottovoce.plan.bin_maps import BinMap, tree_maps, walsh_bits
from sottovoce.plan.log import Log
from sottovoce.plan.signature import Signature, sign_plan
from sottovoce.plan.waves import Waves

HERE = Path(__file__).parent
SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
SMALL_TABLE = 3000
"""Channels with at most this many probabilities are written out in full."""

WORDS = [0, 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 12345678901234567890, 2**64 - 2**32, 2**64 - 2, 2**64 - 1]


def read_value(value: Any) -> Any:
    """Return the Python value that a vector's value stands for."""
    return SPECIAL[value["number"]] if isinstance(value, dict) else value


def attributes() -> list[dict[str, Any]]:
    """Return attributes with the level of many values each, null where the value must be refused."""
    numbers = [-1, 0, 0.0, 1, 2, 2.5, 17, 34, 99, 100, 119, 120, 1e9, -1e300, True, "34", "", [34], None]
    odd = [{"number": name} for name in SPECIAL]
    ages = [*numbers, *odd]
    reals = [*ages, 0.1, 0.3, 0.7, 0.7000000000000001, 0.9999999999999999, 1.0, 3125, 3124.9999999999995, 196875, 2e5]
    edges = sv.Numeric("dose", edges=[-1.5, 0, 0.1, 2.5, 100])
    names = [*odd, "", "north", "North", "north ", "Süd", "Su\u0308d", "東", "🧭", None, 3, True]
    cases: list[tuple[Any, list[Any]]] = [
        (sv.Ordinal("age", 0, 119), ages),
        (sv.Ordinal("age", 18, 99, clip=True), ages),
        (sv.Ordinal("far", 1 - 2**53, 9 - 2**53), [-(2**53), 1 - 2**53, 2 - 2**53, 9 - 2**53, 0]),
        (sv.Ordinal("children", -2, 17, nullable=True), ages),
        (sv.Numeric("income", 0, 200_000), reals),
        (sv.Numeric("part", 0, 1, bins=10), reals),
        (sv.Numeric("third", -1, 0.7, bins=7, clip=True, nullable=True), reals),
        (edges, [*reals, *(edges.edges or ()), -1.5000000000000002, 99.99999999999999, 100.00000000000001]),
        (sv.Categorical("region", ["north", "Süd", "東", "🧭"]), names),
        (sv.Categorical("region", ["north", "south"], nullable=True), names),
        (sv.Categorical("region", ["north", "elsewhere"], other="elsewhere"), names),
        *((attribute, values) for kind, values in _kinds() for attribute in kind.lowered()),
    ]
    return [
        {
            "attribute": msgspec.to_builtins(attribute),
            "size": attribute.size,
            "values": values,
            "levels": [_level(attribute, read_value(value)) for value in values],
        }
        for attribute, values in cases
    ]


def _kinds() -> list[tuple[Any, list[Any]]]:
    """Return the kinds that become others, with values to read."""
    days = ["2026-11-16", "2026-11-22", "2024-02-29", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31"]
    times = [
        "2026-11-16T23:59",
        "2026-11-16 07:05:06.5+01:00",
        "2026-11-16T24:00",
        "14:30",
        "14:60",
        "14:30Z",
        "2026-11-16T",
    ]
    ends = ["2019-12-31", "2020-01-01", "2023-12-31", "2024-01-01", "2027-12-31", "2027-12-31T12:00", "2028-01-01"]
    plain = [0, 1, 2, 7, 12, 13, 2.5, True, None, "", "Monday", "monday", "1", {"number": "NaN"}]
    dates = [*days, *times, *ends, *plain]
    edges = ["2020-01-01", "2024-01-01", "2027-12-31"]
    return [
        (sv.Boolean("car", labels=["Nein", "Ja"]), [True, False, "yes", "no", "Ja", "Yes", 1, 0, None]),
        (sv.Boolean("car", nullable=True), [True, None, {"number": "NaN"}]),
        (
            sv.Ordered("content", ["not at all", "so so", "3"]),
            ["not at all", "so so", "3", 3, 1, 0, "1", "So so", None],
        ),
        (sv.Integers("seats", [-2, 4, 5, 7]), [-3, -2, 0, 4, 4.0, 4.5, 5, 6, 7, 8, "4", None]),
        (sv.Integers("seats", [-2, 4, 5, 7], clip=True), [-3, -2, 0, 4, 5, 6, 7, 8, {"number": "Infinity"}]),
        (sv.Date("day", by="weekday"), dates),
        (sv.Date("month", by="month", nullable=True), dates),
        (sv.Date("hour", by="hour"), dates),
        (sv.Date("year", by="year", low=2020, high=2026), [*dates, 2026]),
        (sv.Date("moved", edges=edges), dates),
        (sv.Date("moved", edges=edges, clip=True), dates),
        (sv.Choices("ways", ["bus", "city bike"], question="How?"), ["yes", True, "bus", None]),
    ]


def _level(attribute: Any, value: object) -> int | None:
    try:
        return int(attribute.level(value))
    except sv.RecordError:
        return None


def tables() -> list[dict[str, Any]]:
    """Return tables with the bin of every level."""
    cases = [(BinMap(identity=7), 7), (BinMap(edges=(0, 2, 5, 7, 10)), 10), (BinMap(edges=(0, 1, 64, 65)), 65)]
    for levels, branching in ((2, 4), (33, 4), (64, 4), (100, 3), (65, 2)):
        cases += [(table, levels) for table in tree_maps(levels, branching)]
    for levels in (2, 3, 5, 8, 12):
        cases += [(BinMap(walsh=(levels, index)), levels) for index in range(1, 2 ** walsh_bits(levels))]
    cases += [(BinMap(walsh=(levels, index)), levels) for levels in (64, 65, 100) for index in (1, 2, 13, 37, 63)]
    cases += [(BinMap(walsh=(1000, index)), 1000) for index in (1, 682, 1023)]
    for levels in (3, 5, 6, 8, 12):  # several functions at once; where levels are no power of two some bins are missing
        bits = walsh_bits(levels)
        cases += [(BinMap(walsh=(levels, *functions)), levels) for functions in ((1, 2), (2, 1), (2, 3))]
        cases += [(BinMap(walsh=(levels, *(1 << bit for bit in range(bits)))), levels)]
    cases += [(BinMap(walsh=(levels, 13, 22, 40)), levels) for levels in (64, 50, 33)]
    cases += [(BinMap(walsh=(levels, 1, 2, 3)), levels) for levels in (64, 50)]  # the third tells nothing more
    cases += [(BinMap(walsh=(1000, 5, 300, 682, 1023)), 1000)]
    return [
        {
            "table": msgspec.to_builtins(table),
            "levels": levels,
            "bins": table.bins,
            "bin": [table.bin(level) for level in range(levels)],
        }
        for table, levels in cases
    ]


def channels() -> list[dict[str, Any]]:
    """Return channels with their integers, and the codes that given words give."""
    cases: list[tuple[str, tuple[int, ...], str]] = [
        *(("grr", (cells,), epsilon) for cells, epsilon in ((2, "0.01"), (2, "1"), (4, "1.25"), (64, "3"), (5, "20"))),
        ("grr", (2**20,), "2"),
        ("grr", (1000,), "0.3333333333333333333333333333"),
        *(("local_hash", (cells,), epsilon) for cells, epsilon in ((16, "1"), (26, "1"), (9, "0.01"), (64, "2.5"))),
        *(("local_hash", (cells,), epsilon) for cells, epsilon in ((4096, "1"), (2**20, "0.5"), (1000, "5"))),
        ("local_hash", (2**20,), "12.5"),
        ("local_hash", (3,), "1"),
        ("local_hash", (1000, 27, 64), "1"),
        ("local_hash", (64, 64, 5, 128), "3.5"),
        *(("adaptive", (cells,), "1.5") for cells in (2, 15, 16, 5000)),
        *(("square_wave", (cells,), epsilon) for cells, epsilon in ((2, "0.01"), (16, "1"), (33, "2.5"), (8, "20"))),
        ("square_wave", (1024,), "0.5"),
        *(("parity", parts, epsilon) for parts, epsilon in (((2,), "0.01"), ((2, 2), "1"), ((2,) * 5, "3"))),
        *(
            ("xor", parts, epsilon)
            for parts, epsilon in (((2, 2), "1"), ((4, 4), "1.5"), ((8, 8), "2"), ((4,) * 3, "8"))
        ),
    ]
    return [_channel(kind, parts, Decimal(epsilon)) for kind, parts, epsilon in cases]


def _channel(kind: str, parts: tuple[int, ...], epsilon: Decimal) -> dict[str, Any]:
    seed = "00c0ffee5eed1234"
    cells = math.prod(parts)
    channel = make_channel(kind, cells, epsilon, seed, parts)
    some = sorted({0, 1, cells // 3, cells // 2, cells - 2, cells - 1})
    vector: dict[str, Any] = {"kind": kind, "parts": list(parts), "epsilon": str(epsilon), "seed": seed}
    integers = {"cells": cells, "codes": channel.codes, "scale": channel.scale}
    if isinstance(channel, LocalHash):
        vectors = sorted({1, 2, channel.prime, channel.vectors // 2, channel.vectors})
        integers |= {"keep": channel.response.keep, "other": channel.response.other}
        integers |= {"prime": channel.prime, "vectors": channel.vectors}
        vector["points"] = _strings((cell, channel.point(cell)) for cell in some)
        vector["hashes"] = _strings((a, cell, channel.hash(a, cell)) for a in vectors for cell in some)
        draws = product(some[1:4], vectors, WORDS[::3])
        answers = [(cell, a, word, channel.answer(cell, a, word)) for cell, a, word in draws]
    else:
        assert isinstance(channel, GRR | Parity | SquareWave)
        names = ("keep", "other") if isinstance(channel, GRR | Parity) else ("reach", "near", "extra", "far")
        integers |= {name: getattr(channel, name) for name in names}
        answers = [(cell, word, channel.answer(cell, word)) for cell in some for word in WORDS]
    vector |= {"becomes": channel.kind, "integers": {name: str(number) for name, number in integers.items()}}
    vector["answers"] = _strings(answers)
    if cells * channel.codes <= SMALL_TABLE:
        vector["weights"] = _strings(channel.row(cell) for cell in range(cells))
    return vector


def _strings(rows: Iterable[Iterable[int]]) -> list[list[str]]:
    return [[str(number) for number in row] for row in rows]


def primes() -> list[list[Any]]:
    """Return the hash size for a spread of epsilons."""
    epsilons = ["0.01", "0.1", "0.5", "0.69", "0.7", "1", "1.1", "1.5", "2", "2.75", "3", "4", "5", "7.5", "10", "15"]
    return [[epsilon, best_prime(Decimal(epsilon))] for epsilon in [*epsilons, "19.99", "20"]]


def plans() -> list[dict[str, Any]]:
    """Return plans with their fingerprints, questions, and the levels and cells of records."""
    age, income = sv.Ordinal("age", 0, 119), sv.Numeric("income", 0, 200_000)
    region = sv.Categorical("région 🧭", ["north", "südlich", "東", "\u00ff\uffee"], nullable=True)
    likes = sv.Ordinal("likes", -3, 3, nullable=True, clip=True)
    dose = sv.Numeric("dose", edges=[0, 0.1, 1e-7 + 1, 2.5, 1e21])
    mixed = sv.Schema([age, income, region, likes, dose])
    records = [
        {"age": 34, "income": 52_000, "région 🧭": "südlich", "likes": 2, "dose": 0.1},
        {"age": 0, "income": 0, "likes": -99, "dose": 1e21},
        {"age": 119, "income": 200_000.0, "région 🧭": "\u00ff\uffee", "likes": None, "dose": 0.09999999999999999},
    ]
    two = sv.Schema([age, sv.Ordinal("hours", 0, 80)])
    pair = [{"age": 34, "hours": 40}, {"age": 119, "hours": 80}]
    shown = sv.Schema(
        [
            sv.Boolean("car", title="Auto 🚗", labels=["No", "Yes"]),
            sv.Ordered("content", ["bad", "good"], translations=[sv.Translation("pt-BR", labels=["ruim", "bom"])]),
            sv.Integers("seats", [2, 4, 7], unit="seats", question="How many?"),
            sv.Date("joined", by="weekday", nullable=True),
            sv.Choices("ways", ["bus", "bike"], translations=[sv.Translation("de", labels=["Bus", "Rad"])]),
        ],
        language="en",
    )
    told = [
        {"car": True, "content": "good", "seats": 4, "joined": "2026-11-16", "ways": ["bike"]},
        {"car": "no", "content": 1, "seats": 7, "ways_bus": True, "ways_bike": "no"},
    ]
    about = {"purpose": 'why "we" ask\\ \u00e9\u200d\U0001f642', "contact": "mail@example.org", "expires": "9999-12-31"}
    return [
        _plan("hdg", sv.Plan.create(mixed, epsilon=1, users=1_000_000, mechanism="hdg", **about), records),
        _plan(
            "hdg adaptive",
            sv.Plan.create(mixed, epsilon="0.5", users=10**7, mechanism="hdg", oracle="adaptive", sigma=0.3),
            records,
        ),
        _plan("hdg grr", sv.Plan.create(two, epsilon="2.75", users=10**5, mechanism="hdg", oracle="grr"), pair),
        _plan("tdg", sv.Plan.create(two, epsilon=4, users=10**12, mechanism="tdg"), pair),
        _plan("uniform", sv.Plan.create(two, epsilon="0.01", users=1, mechanism="uniform"), pair),
        _plan("calm", sv.Plan.create(two, epsilon=1, users=10**5, mechanism="calm"), pair),
        _plan("hio", sv.Plan.create(two, epsilon=1, users=10**5, mechanism="hio"), pair),
        _plan("lhio", sv.Plan.create(mixed, epsilon="0.75", users=10**6, mechanism="lhio"), records),
        _plan("msw", sv.Plan.create(two, epsilon="1.5", users=10**5, mechanism="msw"), pair),
        _plan("spectral", sv.Plan.create(two, epsilon=1, users=10**4, mechanism="spectral"), pair),
        _plan("spectral mixed", sv.Plan.create(mixed, epsilon=4, users=10**4, mechanism="spectral"), records),
        _plan("spectral pairs", sv.Plan.create(two, epsilon=2, users=10**5, mechanism="spectral"), pair),
        _plan("spectral narrow", sv.Plan.create(mixed, epsilon="0.5", users=10**5, mechanism="spectral"), records),
        _plan("presentation", sv.Plan.create(shown, epsilon=1, users=10**4, mechanism="hdg"), told),
        _plan("product family", product_plan(shares=False), pair),
        _plan("listed shares", product_plan(shares=True), pair),
        _plan("waves", sv.Plan.create(two, users=10**5, mechanism="hdg", waves=3, lifetime="1.5"), pair),
        _plan(
            "dated waves",
            sv.Plan.create(
                two, users=10**4, waves=2, lifetime=1, first_wave="2027-01-04", wave_days=7, mechanism="calm"
            ),
            pair,
        ),
    ]


def product_plan(*, shares: bool) -> sv.Plan:
    """Return a plan with one family of six questions, its share split evenly or listed."""
    document = msgspec.to_builtins(
        sv.Plan.create(
            sv.Schema([sv.Ordinal("age", 0, 119), sv.Ordinal("hours", 0, 80)]), epsilon=1, users=1000, mechanism="hdg"
        )
    )
    document["tables"] = [{"edges": [0, 40, 80, 120]}, {"edges": [0, 7, 120]}, {"identity": 120}]
    document["tables"] += [{"identity": 81}, {"edges": [0, 1, 80, 81]}]
    family = {"attributes": [0, 1], "tables": [[0, 1, 2], [3, 4]], "channel": "local_hash"}
    listed = [2**31, 0, 2**30, 1, 2**30 - 2, 0]
    document["families"] = [
        {"attributes": [1], "tables": [[4]], "channel": "grr", "shares": 1},
        {**family, "shares": listed if shares else 2**32 - 1},
    ]
    return sv.Plan.from_json(json.dumps(document))


def _plan(name: str, plan: sv.Plan, records: list[dict[str, Any]]) -> dict[str, Any]:
    ends = [
        0,
        1,
        2**31 - 1,
        2**31,
        2**32 - 1,
        *(int(end) + step for end in plan.questions.shares.cumsum() for step in (-1, 0)),
    ]
    positions = sorted({end for end in ends if 0 <= end < 2**32})
    levels = [plan.schema.levels(record) for record in records]
    return {
        "name": name,
        "plan": msgspec.to_builtins(plan),
        "canonical": plan.to_json().decode(),
        "fingerprint": plan.fingerprint,
        "collection": plan.collection,
        "questions": [
            {
                "attributes": list(question.attributes),
                "shape": list(question.shape),
                "channel": question.channel.kind,
                "codes": str(question.channel.codes),
                "share": question.share,
                "cells": [str(question.cell(level)) for level in levels],
            }
            for question in plan.questions
        ],
        "positions": [[position, plan.questions.locate(position).index] for position in positions],
        "records": records,
        "levels": [list(level) for level in levels],
        **({} if plan.waves is None else {"days": [[day, _wave_on(plan.waves, day)] for day in DAYS]}),
    }


DAYS = ("2026-12-31", "2027-01-03", "2027-01-04", "2027-01-10", "2027-01-11", "2027-01-17", "2027-01-18", "2028-02-29")


def _wave_on(waves: Waves, day: str) -> int | str | None:
    """Return which wave it is on a day; "unknown" where the plan does not say."""
    return "unknown" if waves.first is None else waves.on(datetime.date.fromisoformat(day))


def refused_plans() -> list[dict[str, Any]]:
    """Return documents that are almost plans, and what is wrong with each."""
    whole = product_plan(shares=False).to_json()
    changes: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
        ("another format", lambda plan: plan.update(format="sottovoce-plan-2")),
        ("an unknown member", lambda plan: plan.update(colour="red")),
        ("no epsilon", lambda plan: plan.pop("epsilon")),
        ("epsilon too small", lambda plan: plan.update(epsilon="0.009")),
        ("epsilon too large", lambda plan: plan.update(epsilon="20.5")),
        ("epsilon not in its plain form", lambda plan: plan.update(epsilon="1.0")),
        ("epsilon as a number", lambda plan: plan.update(epsilon=1)),
        ("a date that is none", lambda plan: plan.update(expires="2030-02-30")),
        ("no questions", lambda plan: plan.update(families=[])),
        ("shares that add up to less", lambda plan: plan["families"][0].update(shares=0)),
        (
            "a negative share",
            lambda plan: [family.update(shares=2**33 * i - 2**32) for i, family in enumerate(plan["families"])],
        ),
        ("too few listed shares", lambda plan: plan["families"][1].update(shares=[2**32 - 1])),
        ("an attribute that is not there", lambda plan: plan["families"][0].update(attributes=[2])),
        ("an attribute asked twice", lambda plan: plan["families"][1].update(attributes=[0, 0])),
        ("a table that is not there", lambda plan: plan["families"][0].update(tables=[[5]])),
        ("a table that covers too little", lambda plan: plan["tables"][0].update(edges=[0, 40, 80])),
        ("a table that does not rise", lambda plan: plan["tables"][0].update(edges=[0, 80, 40, 120])),
        ("a tree deeper than its leaves", lambda plan: plan["tables"].__setitem__(2, {"tree": [120, 4, 9]})),
        ("a Walsh function of number 0", lambda plan: plan["tables"].__setitem__(2, {"walsh": [120, 0]})),
        ("a Walsh function that is not there", lambda plan: plan["tables"].__setitem__(2, {"walsh": [120, 128]})),
        ("a Walsh function of too few levels", lambda plan: plan["tables"].__setitem__(2, {"walsh": [119, 3]})),
        ("more Walsh functions than bits", lambda plan: plan["tables"].__setitem__(2, {"walsh": [120, *range(1, 9)]})),
        ("a second Walsh function of number 0", lambda plan: plan["tables"].__setitem__(2, {"walsh": [120, 1, 0]})),
        ("a table of two kinds", lambda plan: plan["tables"][0].update(identity=120)),
        ("a table of an unknown kind", lambda plan: plan["tables"].append({"spiral": 3})),
        ("an unknown channel", lambda plan: plan["families"][0].update(channel="megaphone")),
        ("an exclusive or of three bins", lambda plan: plan["families"][0].update(channel="xor")),
        ("a parity of three cells", lambda plan: plan["families"][0].update(channel="parity")),
        ("a question of one cell", lambda plan: plan["tables"][4].update(edges=[0, 81])),
        ("two attributes of one name", lambda plan: plan["schema"]["attributes"][1].update(name="age")),
        ("no attributes", lambda plan: plan["schema"].update(attributes=[])),
        ("bounds the wrong way round", lambda plan: plan["schema"]["attributes"][0].update(low=120, high=119)),
        ("a title of nothing", lambda plan: plan["schema"]["attributes"][0].update(title="")),
        ("two labels of many values", lambda plan: plan["schema"]["attributes"][0].update(labels=["a", "b"])),
        ("a schema's language in words", lambda plan: plan["schema"].update(language="English")),
        ("waves that say nothing", lambda plan: plan.update(waves=None)),
        ("a single wave", lambda plan: plan.update(waves={"number": 1, "first": None, "days": None})),
        ("too many waves", lambda plan: plan.update(waves={"number": 1001, "first": None, "days": None})),
        (
            "waves without their days",
            lambda plan: plan.update(waves={"number": 2, "first": "2027-01-04", "days": None}),
        ),
        (
            "waves from a day that is none",
            lambda plan: plan.update(waves={"number": 2, "first": "2027-02-30", "days": 7}),
        ),
        ("waves of no days", lambda plan: plan.update(waves={"number": 2, "first": "2027-01-04", "days": 0})),
        ("waves without a number", lambda plan: plan.update(waves={"first": None, "days": None})),
        (
            "waves with an unknown member",
            lambda plan: plan.update(waves={"number": 2, "first": None, "days": None, "x": 1}),
        ),
        ("an attribute of an unknown type", lambda plan: plan["schema"]["attributes"][0].update(type="spiral")),
    ]
    refused = []
    for why, change in changes:
        document = json.loads(whole)
        change(document)
        refused.append({"why": why, "plan": document})
    return refused


def reports() -> list[dict[str, Any]]:
    """Return reports in both of their forms."""
    plan = product_plan(shares=False).fingerprint
    cases = [sv.Report(plan, "00" * 16, 0, 0), sv.Report(plan, "0123456789abcdef" * 2, 128, 2**53 - 1)]
    return [{"json": report.to_json(), "bytes": report.to_bytes().hex()} for report in cases]


def budgets() -> list[dict[str, Any]]:
    """Return what was answered on a device, and what one more answer costs: allowed or refused, in words."""
    fine = "0.3333333333333333333333333333"
    usual, raised = Limits(), Limits(Decimal("10.5"), 30, Decimal(21))
    cases: list[tuple[str, str, list[tuple[str | None, str, int]], Limits, int]] = [
        ("1", "2", [], usual, 1),
        ("2", "2", [("2", "2030-06-30", 1)], usual, 1),
        ("2.01", "2", [], usual, 1),
        ("20", "20", [], usual, 1),
        ("20", "20", [("0.5", "2030-06-30", 1)], Limits(Decimal(40), 365, Decimal(80)), 1),
        ("0.01", "2", [("2", "2030-06-30", 1), ("1.99", "2030-06-29", 1)], usual, 1),
        ("0.01", "2", [("2", "2030-06-30", 1), ("2", "2030-06-29", 1)], usual, 1),
        ("1", "2", [("4", "2029-07-02", 1)], usual, 1),
        ("1", "2", [("4", "2029-07-01", 1)], usual, 1),
        ("1", "2", [("4", "2031-01-01", 1)], usual, 1),
        ("1", "2", [("4", "2030-06-30", 1)], usual, 2),
        ("1", "2", [("4", "2030-06-30", 1), ("3.5", "2030-06-30", 3)], usual, 2),
        ("1", "2", [(None, "2030-06-30", 1), ("1", "2030-06-30", 1)], usual, 1),
        ("1", "2", [(None, "2030-06-30", 1), ("1.1", "2030-06-30", 1)], usual, 1),
        (fine, "2", [(fine, "2030-06-30", 1)] * 11, usual, 1),
        (fine, "2", [(fine, "2030-06-30", 1)] * 12, usual, 1),
        ("0.1", "2", [("0.1", "2030-06-30", 1)] * 39, usual, 1),
        ("0.1", "2", [("0.1", "2030-06-30", 1)] * 40, usual, 1),
        ("3", "5", [("7.5", "2030-06-02", 1), ("7.5", "2030-06-01", 1)], raised, 1),
        ("3", "5", [("7.6", "2030-06-02", 1)], raised, 1),
        ("1", "2", [("1", "0001-01-01", 1)], Limits(Decimal(1), 100_000, Decimal(2)), 1),
    ]
    found = []
    for epsilon, most, spent, limits, profile in cases:
        entries = [
            Spent(f"{number:064x}", amount and Decimal(amount), day, whose)
            for number, (amount, day, whose) in enumerate(spent)
        ]
        cost = cost_of((Decimal(epsilon), Decimal(most)), entries, limits, profile=profile, day="2030-07-01")
        found.append(
            {
                "epsilon": epsilon,
                "maxEpsilon": most,
                "entries": msgspec.to_builtins(entries),
                "limits": [plain(limits.budget), limits.period, plain(limits.device_budget)],
                "profile": profile,
                "day": "2030-07-01",
                "spent": plain(cost.spent),
                "deviceSpent": plain(cost.device_spent),
                "refusal": cost.refusal,
                "words": cost.words,
            }
        )
    return found


def logs() -> list[dict[str, Any]]:
    """Return logs of plans: whole ones with their heads, and altered ones, whose head is null."""
    log, found = Log(), []
    for number, day in enumerate((1, 3, 2)):
        found.append({"log": log.to_json().decode(), "head": log.head})
        log = log.add(product_plan(shares=bool(number % 2)), datetime.date(2030, 1, day))
    found.append({"log": log.to_json().decode(), "head": log.head})
    whole = log.to_json().decode()
    altered = [
        whole.replace("2030-01-01", "2030-01-02"),
        whole.replace('"number":2', '"number":4'),
        whole.replace("sottovoce-log-1", "sottovoce-log-2"),
        json.dumps({"format": "sottovoce-log-1", "entries": json.loads(whole)["entries"][1:]}),
        json.dumps({"format": "sottovoce-log-1", "entries": json.loads(whole)["entries"][::-1]}),
        json.dumps({"entries": [{**json.loads(whole)["entries"][0], "more": 1}], "format": "sottovoce-log-1"}),
        "[]",
        "{",
    ]
    return found + [{"log": text, "head": None} for text in altered]


def signatures() -> list[dict[str, Any]]:
    """Return signatures of plans by a key that everybody knows, and whether they are good."""
    pem = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    plan, other = product_plan(shares=False), product_plan(shares=True)
    good = sign_plan(plan, pem)
    cases = [
        (plan, good, good.key, True),
        (other, good, good.key, False),
        (plan, good, "ab" * 32, False),
        (plan, Signature(good.key, "00" + good.signature[2:]), good.key, False),
        (plan, Signature(good.key, good.signature[2:]), good.key, False),
        (plan, Signature("ab" * 32, good.signature), "ab" * 32, False),
    ]
    return [
        {"fingerprint": one.fingerprint, "signature": signature.to_json().decode(), "key": key, "good": right}
        for one, signature, key, right in cases
    ]


VECTORS: dict[str, Callable[[], Any]] = {
    "attributes": attributes,
    "tables": tables,
    "channels": channels,
    "primes": primes,
    "plans": plans,
    "refused_plans": refused_plans,
    "reports": reports,
    "budgets": budgets,
    "logs": logs,
    "signatures": signatures,
}
"""What each file holds."""


def text_of(name: str) -> str:
    """Return the text of one file of vectors, a case per line."""
    cases = (json.dumps(case, ensure_ascii=False) for case in VECTORS[name]())
    return "[\n" + ",\n".join(cases) + "\n]\n"


if __name__ == "__main__":
    for name in VECTORS:
        (HERE / f"{name}.json").write_text(text_of(name), encoding="utf-8")
